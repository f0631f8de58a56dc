#include "tests/random/dense_whole.h"

#include <cmath>

namespace pilum::random_programs {

Dense raveled(Dense value) {
  value.shape = {count_of(value.shape)};
  return value;
}

void check_finite(const Dense& a) {
  if (!is_floating(a.dtype) && !is_complex(a.dtype)) return;
  for (Cell cell : a.cells) {
    if (!(std::abs(cell.floating) < 1e30 && std::abs(cell.imaginary) < 1e30)) throw Invalid("numbers near overflow");
  }
}

Dense number_like(double number, DType dtype) {
  return Dense{dtype, {}, {cast(Cell{.floating = number}, DType::Float64, dtype)}};
}

Dense compute_whole(const Expression& expression, const std::vector<Dense>& arguments) {
  for (const Dense& argument : arguments) {
    if (argument.weak) throw Invalid("a function of arrays, of a number");
    check_exact(argument);
  }
  const WholeCall call{expression.op, arguments.at(0), arguments.back(), expression.axes.at(0),
                       static_cast<std::int64_t>(expression.number.value)};
  const Op op = expression.op;
  Dense result = op <= Op::PutAlong       ? moved_cells(call)
                 : op <= Op::UnravelIndex ? places_and_sets(call)
                 : op <= Op::Cross        ? folds_and_products(call)
                 : op <= Op::Ifftshift    ? fourier(call)
                 : op <= Op::MultiDot     ? systems(call)
                 : op <= Op::FromFunction ? made(call)
                                          : products_and_neighbours(call);
  if (result.shape.size() > 5 || result.cells.size() > 100'000) throw Invalid("more cells than a test needs");
  return result;
}

}  // namespace pilum::random_programs
