#include "tests/random/dense_fold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tests/random/dense_complex.h"
#include "tests/random/dense_functions.h"

namespace pilum::random_programs {
namespace {

double largest_of(DType dtype) {
  return dtype == DType::Float32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
}

// A folded float and its largest error: 0 where every order of folding gives these bits.
struct Folded {
  double value;
  double tolerance;
};

// The largest power of two that divides x (finite, not 0), as an exponent.
int last_bit(double x) {
  int exponent;
  double mantissa = std::abs(std::frexp(x, &exponent));
  while (mantissa != std::floor(mantissa)) {
    mantissa *= 2;
    --exponent;
  }
  while (std::fmod(mantissa, 2) == 0) {
    mantissa /= 2;
    ++exponent;
  }
  return exponent;
}

Folded folded_sum(const std::vector<double>& cells, DType dtype) {
  double sum = 0;
  double size = 0;
  int grain = std::numeric_limits<int>::max();
  bool special = false;
  for (double x : cells) {
    sum += x;
    special |= !std::isfinite(x);
    if (!std::isfinite(x)) continue;
    size += std::abs(x);
    if (x != 0) grain = std::min(grain, last_bit(x));
  }
  if (size > largest_of(dtype) / 4) throw Invalid("a sum near overflow");
  const int bits = dtype == DType::Float32 ? 24 : 53;
  if (special || size == 0 || size < std::ldexp(1.0, std::min(grain + bits, 1000))) return {sum, 0};
  long double exact = 0;
  for (double x : cells) exact += x;
  const double value = dtype == DType::Float32 ? static_cast<float>(exact) : static_cast<double>(exact);
  return {value, (static_cast<double>(cells.size()) + 2) * epsilon_of(dtype) * size};
}

Folded folded_product(const std::vector<double>& cells, DType dtype) {
  long double product = 1;
  double exponents = 0;
  double mantissa_bits = 0;
  bool zero_or_special = false;
  for (double x : cells) {
    product *= x;
    zero_or_special |= x == 0 || !std::isfinite(x);
    if (x == 0 || !std::isfinite(x)) continue;
    exponents += std::abs(std::log2(std::abs(x)));
    mantissa_bits += std::log2(std::ldexp(std::abs(x), -last_bit(x)));
  }
  if (exponents > (dtype == DType::Float32 ? 120 : 1000)) throw Invalid("a product near overflow");
  const double value = dtype == DType::Float32 ? static_cast<float>(product) : static_cast<double>(product);
  const bool exact = zero_or_special || mantissa_bits < (dtype == DType::Float32 ? 23.9 : 52.9);
  return {value, exact ? 0 : (static_cast<double>(cells.size()) + 2) * epsilon_of(dtype) * std::abs(value)};
}

template <class T>
T smaller_or_larger(Op op, T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  if (a == b && std::signbit(a) != std::signbit(b)) throw Invalid("the smaller one of 0.0 and -0.0");
  return (op == Op::Min) == (b < a) ? b : a;
}

Folded folded_extreme(Op op, const std::vector<double>& cells) {
  double value = cells[0];
  for (double x : cells) value = smaller_or_larger(op, value, x);
  return {value, 0};
}

Folded folded_float(Op op, const std::vector<double>& cells, DType dtype);

// In float32, and rounded once.
Folded folded_half(Op op, const std::vector<double>& cells) {
  const Folded wide = folded_float(op, cells, DType::Float32);
  const double value = rounded_half(wide.value);
  if (wide.tolerance == 0) return {value, 0};
  if (std::abs(wide.value) + wide.tolerance > 60'000) throw Invalid("a fold near overflow");
  return {value, wide.tolerance + std::ldexp(std::abs(wide.value), -10) + std::ldexp(1.0, -24)};
}

Folded folded_float(Op op, const std::vector<double>& cells, DType dtype) {
  if (dtype == DType::Float16) return folded_half(op, cells);
  if (op == Op::Min || op == Op::Max) return folded_extreme(op, cells);
  if (op == Op::Prod) return folded_product(cells, dtype);
  Folded sum = folded_sum(cells, dtype);
  if (op == Op::Sum) return sum;
  const double count = static_cast<double>(cells.size());
  return {dtype == DType::Float32 ? static_cast<float>(sum.value) / static_cast<float>(count) : sum.value / count,
          sum.tolerance > 0 ? sum.tolerance / count : 0};
}

// In two passes. Those of a run may differ by what the mean is off, squared, and by what any order of adding does.
Folded folded_variance(Op op, const std::vector<Cell>& cells, DType dtype, int ddof) {
  if (dtype == DType::Float16) {
    const Folded wide = folded_variance(op, cells, DType::Float32, ddof);
    if (wide.value + wide.tolerance > 60'000) throw Invalid("a fold near overflow");
    return {rounded_half(wide.value), wide.tolerance + std::ldexp(wide.value, -10) + std::ldexp(1.0, -24)};
  }
  const auto count = static_cast<long double>(cells.size());
  long double re = 0, im = 0, size = 0, squares = 0;
  for (Cell cell : cells) {
    re += cell.floating, im += cell.imaginary;
    size += std::hypot(cell.floating, cell.imaginary);
  }
  if (!std::isfinite(size)) return {std::numeric_limits<double>::quiet_NaN(), 0};
  if (size > 1e12) throw Invalid("squares near overflow");
  for (Cell cell : cells) {
    const long double x = cell.floating - re / count, y = cell.imaginary - im / count;
    squares += x * x + y * y;
  }
  const long double freedom = count - ddof;
  const auto variance = static_cast<double>(squares / freedom);
  const double unit = epsilon_of(dtype) * (static_cast<double>(count) + 8);
  const double shift = unit * static_cast<double>(size / count);
  const auto share = static_cast<double>(count / freedom);
  const double tolerance =
      2 * unit * variance + 2 * std::sqrt(variance * share) * shift + share * shift * shift + (size > 0 ? 1e-300 : 0);
  if (op == Op::Var) return {variance, tolerance};
  const double root = std::sqrt(variance), low = std::sqrt(std::max(variance - tolerance, 0.0));
  return {root, std::sqrt(variance + tolerance) - low + 4 * epsilon_of(dtype) * root};
}

// Of any, all and count_nonzero.
std::int64_t folded_truth(Op op, const std::vector<Cell>& cells, DType dtype) {
  const auto count = std::count_if(cells.begin(), cells.end(), [=](Cell cell) { return is_true(cell, dtype); });
  if (op == Op::CountNonzero) return count;
  return op == Op::Any ? count > 0 : count == static_cast<std::int64_t>(cells.size());
}

std::int64_t folded_integer(Op op, const std::vector<Cell>& cells, DType dtype) {
  const Op step = op == Op::Sum ? Op::Add : op == Op::Prod ? Op::Multiply : op == Op::Min ? Op::Minimum : Op::Maximum;
  const bool extreme = op == Op::Min || op == Op::Max;
  std::int64_t value = op == Op::Prod ? 1 : extreme ? cells[0].integer : 0;
  for (Cell cell : cells) value = integral(step, value, cell.integer, dtype);
  return value;
}

DType dtype_of_fold(Op op, DType dtype) {
  if (op == Op::Any || op == Op::All) return DType::Bool;
  if (op == Op::CountNonzero) return DType::Int64;
  if (op == Op::Var || op == Op::Std)
    return is_complex(dtype) ? part_of(dtype) : is_floating(dtype) ? dtype : DType::Float64;
  if (op == Op::Min || op == Op::Max || is_floating(dtype) || is_complex(dtype)) return dtype;
  return op == Op::Mean ? DType::Float64 : is_unsigned(dtype) ? DType::UInt64 : DType::Int64;
}

struct FoldedCell {
  Cell value;
  double tolerance;
};

// A sum is that of each part; a mean is divided as complex numbers are.
FoldedCell folded_complex(Op op, const std::vector<Cell>& cells, DType dtype) {
  if (op == Op::Prod) {
    const ComplexProduct product = complex_product(cells, dtype);
    return {product.value, product.tolerance};
  }
  std::vector<double> re, im;
  for (Cell cell : cells) re.push_back(cell.floating), im.push_back(cell.imaginary);
  const Folded sum_re = folded_sum(re, part_of(dtype)), sum_im = folded_sum(im, part_of(dtype));
  const double tolerance = std::max(sum_re.tolerance, sum_im.tolerance);
  const Cell sum{.floating = sum_re.value, .imaginary = sum_im.value};
  if (op == Op::Sum) return {sum, tolerance};
  const auto count = static_cast<double>(cells.size());
  return {complex_cell(Op::Divide, sum, Cell{.floating = count}, dtype), tolerance > 0 ? 2 * tolerance / count : 0};
}

// Rows of `a` by columns of `b`; vectors have an axis of one more, which is dropped.
struct Matrices {
  Extents batch_a, batch_b, batch, shape;
  std::int64_t rows = 1, inner = 0, columns = 1;
};

Matrices matrices_of(const Extents& a, const Extents& b) {
  if (a.empty() || b.empty()) throw Invalid("a product of no matrices");
  Matrices of;
  of.inner = a.back();
  if (a.size() > 1) of.rows = a[a.size() - 2], of.batch_a.assign(a.begin(), a.end() - 2);
  if (b.size() > 1) of.columns = b.back(), of.batch_b.assign(b.begin(), b.end() - 2);
  if (b[b.size() < 2 ? 0 : b.size() - 2] != of.inner) throw Invalid("matrices that do not fit");
  of.batch = broadcast(of.batch_a, of.batch_b);
  of.shape = of.batch;
  if (a.size() > 1) of.shape.push_back(of.rows);
  if (b.size() > 1) of.shape.push_back(of.columns);
  check_count(of.shape);
  if (of.shape.size() > 5) throw Invalid("more axes than a test needs");
  return of;
}

// Exact where each product is, and their sum in any order; a sum of zeros may be of either sign.
Folded sum_of_products(const std::vector<double>& x, const std::vector<double>& y, DType dtype) {
  if (dtype == DType::Float16) {
    const Folded wide = sum_of_products(x, y, DType::Float32);
    if (std::abs(wide.value) + wide.tolerance > 60'000) throw Invalid("a fold near overflow");
    return {rounded_half(wide.value), wide.tolerance + std::ldexp(std::abs(wide.value), -10) + std::ldexp(1.0, -24)};
  }
  std::vector<double> products;
  double rest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(x[k]) || !std::isfinite(y[k])) throw Invalid("a product of what is not finite");
    const long double product = static_cast<long double>(x[k]) * y[k];
    const double rounded = dtype == DType::Float32 ? static_cast<float>(product) : static_cast<double>(product);
    products.push_back(rounded);
    if (rounded != product) rest += std::abs(rounded);
  }
  Folded sum = folded_sum(products, dtype);
  if (sum.value == 0 || rest > 0)
    sum.tolerance = std::max(sum.tolerance + (static_cast<double>(x.size()) + 2) * epsilon_of(dtype) * rest, 1e-300);
  return sum;
}

}  // namespace

Dense multiplied(const Dense& a, const Dense& b) {
  if (a.weak || b.weak) throw Invalid("a product of a number");
  check_exact(a), check_exact(b);
  if (is_complex(a.dtype) || is_complex(b.dtype)) throw Invalid("a product of complex matrices");
  const Matrices of = matrices_of(a.shape, b.shape);
  const Dense none{a.dtype, {0}}, nothing{b.dtype, {0}};  // for the dtype
  const DType dtype = compute({.op = Op::Where}, {Dense{DType::Bool, {0}}, none, nothing}).dtype;
  Dense result{dtype, of.shape};
  bool exact = true;
  const std::vector<std::size_t> of_a = broadcast_places(of.batch_a, of.batch),
                                 of_b = broadcast_places(of.batch_b, of.batch);
  if (count_of(of.shape) * of.inner > 200'000) throw Invalid("more products than a test needs");
  for (std::size_t batch = 0; batch < of_a.size(); ++batch) {
    for (std::int64_t row = 0; row < of.rows; ++row) {
      for (std::int64_t column = 0; column < of.columns; ++column) {
        std::vector<double> x, y;
        std::int64_t whole = 0;
        for (std::int64_t k = 0; k < of.inner; ++k) {
          const auto place_a = static_cast<std::int64_t>(of_a[batch]) * of.rows * of.inner + row * of.inner + k;
          const auto place_b = static_cast<std::int64_t>(of_b[batch]) * of.inner * of.columns + k * of.columns + column;
          const Cell left = cast(a.cells[static_cast<std::size_t>(place_a)], a.dtype, dtype);
          const Cell right = cast(b.cells[static_cast<std::size_t>(place_b)], b.dtype, dtype);
          if (is_floating(dtype)) {
            x.push_back(left.floating), y.push_back(right.floating);
          } else {
            whole = integral(
                Op::Add, whole,
                integral(dtype == DType::Bool ? Op::And : Op::Multiply, left.integer, right.integer, dtype), dtype);
          }
        }
        const Folded folded = is_floating(dtype) ? sum_of_products(x, y, dtype) : Folded{0, 0};
        result.cells.push_back(is_floating(dtype) ? Cell{.floating = folded.value} : Cell{.integer = whole});
        result.tolerance.push_back(folded.tolerance);
        exact &= folded.tolerance == 0;
      }
    }
  }
  if (exact) result.tolerance.clear();
  return result;
}

namespace {

bool is_total(Op op) {
  return op == Op::Sum || op == Op::Prod;
}
bool is_extreme(Op op) {
  return op == Op::Min || op == Op::Max;
}
bool is_average(Op op) {
  return op == Op::Mean || op == Op::Var || op == Op::Std;
}

void check_says(const Expression& expression, const Dense& argument, const Dense* mask) {
  const Op op = expression.op;
  const FoldSays& says = expression.says;
  if (says.initial && !is_total(op) && !is_extreme(op)) throw Invalid("an initial value of another fold");
  if (says.initial && says.initial->kind != Number::Kind::Integer && says.initial->kind != Number::Kind::Floating)
    throw Invalid("an initial value of another kind");
  if (says.dtype && !is_total(op) && !is_average(op)) throw Invalid("a dtype of another fold");
  if (says.dtype && is_complex(argument.dtype) && !is_complex(*says.dtype))
    throw Invalid("complex numbers as real ones");
  if (says.dtype && is_average(op) && *says.dtype != DType::Float32 && *says.dtype != DType::Float64)
    throw Invalid("an average in another dtype");
  if (says.ddof != 0 && op != Op::Var && op != Op::Std) throw Invalid("a ddof of another fold");
  if (says.skips_nans && !is_total(op) && !is_average(op)) throw Invalid("NaNs left out of another fold");
  if (says.by_reduction) {
    if (says.skips_nans || says.dtype || mask || is_average(op) || op == Op::CountNonzero)
      throw Invalid("a fold that no reduction makes");
    if (says.initial && argument.dtype == DType::Float16) throw Invalid("a fold that is rounded twice");
  }
  if (!mask) return;
  if (op == Op::CountNonzero || (is_extreme(op) && !says.initial)) throw Invalid("chosen cells of another fold");
  check_exact(*mask);
  if (mask->weak || mask->dtype != DType::Bool || mask->shape.size() > argument.shape.size() ||
      broadcast(mask->shape, argument.shape) != argument.shape)
    throw Invalid("a mask that does not fit");
}

// Of one result: the cells that count, and the initial value, in the argument's dtype or that which is asked for.
struct Group {
  std::vector<Cell> cells;
  DType dtype;
};

Group group_of(std::vector<Cell> cells, DType from, Op op, const FoldSays& says, DType result) {
  if (says.skips_nans)
    std::erase_if(cells, [&](Cell cell) {
      return (is_floating(from) && std::isnan(cell.floating)) ||
             (is_complex(from) && (std::isnan(cell.floating) || std::isnan(cell.imaginary)));
    });
  if (says.dtype) {
    for (Cell& cell : cells) cell = cast(cell, from, *says.dtype);
    from = *says.dtype;
  }
  if (!says.initial) return {std::move(cells), from};
  if (is_total(op)) {
    for (Cell& cell : cells) cell = cast(cell, from, result);
    from = result;
  }
  if (says.initial->kind == Number::Kind::Floating && !is_floating(from) && !is_complex(from))
    throw Invalid("an initial value of a higher kind");
  cells.push_back(cast(dense(*says.initial), from).cells[0]);
  return {std::move(cells), from};
}

Folded spread(const Expression& expression, const Group& group, DType dtype, bool of_floats) {
  const FoldSays& says = expression.says;
  std::vector<Cell> cells;
  const DType wide = is_complex(group.dtype) ? group.dtype : dtype;
  for (Cell cell : group.cells) cells.push_back(cast(cell, group.dtype, wide));
  const auto count = static_cast<std::int64_t>(cells.size());
  if (count <= says.ddof) {
    if (count > 0 && !(says.skips_nans && of_floats)) throw Invalid("a variance of no freedom");
    return {std::numeric_limits<double>::quiet_NaN(), 0};
  }
  return folded_variance(expression.op, cells, dtype, says.ddof);
}

FoldedCell folded_group(const Expression& expression, const Group& group, DType dtype, bool of_floats) {
  const Op op = expression.op;
  if (op >= Op::Any) return {Cell{.integer = folded_truth(op, group.cells, group.dtype)}, 0};
  if (op == Op::Var || op == Op::Std) {
    const Folded folded = spread(expression, group, dtype, of_floats);
    return {Cell{.floating = folded.value}, folded.tolerance};
  }
  if (is_complex(dtype)) return folded_complex(op, group.cells, dtype);
  if (!is_floating(dtype)) return {Cell{.integer = folded_integer(op, group.cells, dtype)}, 0};
  std::vector<double> cells;
  for (Cell cell : group.cells) cells.push_back(cast(cell, group.dtype, dtype).floating);
  const Folded folded = folded_float(op, cells, dtype);
  return {Cell{.floating = folded.value}, folded.tolerance};
}

}  // namespace

Dense reduce(const Expression& expression, const Dense& argument, const Dense* mask) {
  check_exact(argument);
  if (argument.weak) throw Invalid("a reduction of a number");
  const Op op = expression.op;
  if (is_complex(argument.dtype) && is_extreme(op)) throw Invalid("the order of complex numbers");
  check_says(expression, argument, mask);
  std::vector<bool> folds(argument.shape.size(), expression.axes.empty());
  for (int axis : expression.axes) {
    const int count = static_cast<int>(folds.size());
    if (axis < -count || axis >= count) throw Invalid("an axis that is not there");
    const auto place = static_cast<std::size_t>(axis < 0 ? axis + count : axis);
    if (folds[place]) throw Invalid("an axis named twice");
    folds[place] = true;
  }

  Extents kept = argument.shape;  // with extent 1 where folded
  Extents shape;
  std::int64_t folded_cells = 1;
  for (std::size_t axis = 0; axis < kept.size(); ++axis) {
    if (!folds[axis] || expression.keepdims) shape.push_back(folds[axis] ? 1 : kept[axis]);
    if (!folds[axis]) continue;
    folded_cells *= kept[axis];
    kept[axis] = 1;
  }
  if (folded_cells == 0 && is_extreme(op) && !expression.says.initial) throw Invalid("the smallest of nothing");

  check_count(kept);
  std::vector<std::vector<Cell>> groups(static_cast<std::size_t>(count_of(kept)));
  const std::vector<std::size_t> places = broadcast_places(kept, argument.shape),
                                 chosen = mask ? broadcast_places(mask->shape, argument.shape) : places;
  for (std::size_t cell = 0; cell < places.size(); ++cell) {
    if (!mask || mask->cells[chosen[cell]].integer != 0) groups[places[cell]].push_back(argument.cells[cell]);
  }

  const DType of = expression.says.dtype.value_or(argument.dtype);
  const bool is_said = is_total(op) && expression.says.dtype;  // else the sum of small integers is an int64
  Dense result{is_said ? of : dtype_of_fold(op, of), shape};
  bool exact = true;
  for (std::vector<Cell>& group : groups) {
    const FoldedCell folded =
        folded_group(expression, group_of(std::move(group), argument.dtype, op, expression.says, result.dtype),
                     result.dtype, is_floating(argument.dtype) || is_complex(argument.dtype));
    result.cells.push_back(folded.value);
    result.tolerance.push_back(folded.tolerance);
    exact &= folded.tolerance == 0;
  }
  const bool is_always_inexact = op == Op::Var || op == Op::Std || (is_complex(result.dtype) && op == Op::Prod);
  if (exact && (!is_always_inexact || groups.empty())) result.tolerance.clear();
  return result;
}

}  // namespace pilum::random_programs
