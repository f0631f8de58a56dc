#include "pilum/statistics.h"

#include <algorithm>

#include "numeric/array_state.h"
#include "numeric/elementwise.h"
#include "numeric/matrix_product.h"
#include "numeric/record.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

Array is_not_zero(const Array& a, std::source_location where) {
  return a.astype(DType::Bool, where);
}

Array in_floats(const Array& a, std::source_location where) {
  return is_inexact(a.dtype()) ? a : a.astype(DType::Float64, where);
}

// The product of the extents that are folded, once a fold has checked the axes.
double folded_cells(const Shape& shape, const Axes& axes) {
  double count = 1;
  for (int place = 0; place < (axes.given() ? axes.count() : shape.rank()); ++place) {
    const int axis = axes.given() ? axes[place] : place;
    if (shape.rank() > 0) count *= static_cast<double>(shape[axis < 0 ? axis + shape.rank() : axis]);
  }
  return count;
}

Array count_where(const Call& call, const Array& bools, const Axes& axes, bool keepdims) {
  return total(call, bools, DType::Int64, axes, keepdims);
}

// What was computed of float16 in float32.
Array rounded_as(const Array& a, const Array& wide, std::source_location where) {
  return a.dtype() == DType::Float16 ? wide.astype(DType::Float16, where) : wide;
}

}  // namespace

Array variance(const Call& call, const Array& a, const Axes& axes, int ddof, bool keepdims) {
  const int rank = checked_state(call, a).shape.rank();
  if (rank == 0 && axes.count() > 0) static_cast<void>(checked_axis(call, axes[0], rank));  // as mean
  const DType dtype = is_inexact(a.dtype()) ? a.dtype() : DType::Float64;
  if (dtype == DType::Float16) return variance(call, a.astype(DType::Float32, call.where), axes, ddof, keepdims);
  const Array whole = total(call, a, dtype, axes, /*keepdims=*/true);
  const double count = folded_cells(a.shape(), axes);
  const Array middle = Operand(whole, call.where) / Operand(count, call.where);
  const Array distance = Operand(a, call.where) - Operand(middle, call.where);
  const Array squares = total(call, squared_size(call, distance), pilum::detail::part_of(dtype), axes, keepdims);
  return Operand(squares, call.where) / Operand(std::max(count - ddof, 0.0), call.where);
}

Array any(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"any", where};
  check_axes(call, axes, checked_state(call, a).shape.rank());
  return Operand(count_where(call, is_not_zero(a, where), axes, keepdims), where) != Operand(0, where);
}

Array all_cells(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"all", where};
  check_axes(call, axes, checked_state(call, a).shape.rank());
  const Array zeros = Operand(a, where) == Operand(0, where);
  return Operand(count_where(call, zeros, axes, keepdims), where) == Operand(0, where);
}

Array count_nonzero(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"count_nonzero", where};
  check_axes(call, axes, checked_state(call, a).shape.rank());
  return count_where(call, is_not_zero(a, where), axes, keepdims);
}

Array var(const Array& a, Axes axes, Ddof ddof, bool keepdims, std::source_location where) {
  return rounded_as(a, variance(Call{"var", where}, a, axes, ddof, keepdims), where);
}

Array std(const Array& a, Axes axes, Ddof ddof, bool keepdims, std::source_location where) {
  return rounded_as(a, sqrt(Operand(variance(Call{"std", where}, a, axes, ddof, keepdims), where)), where);
}

Array ptp(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"ptp", where};
  if (checked_state(call, a).dtype() == DType::Bool)
    fail<DTypeError>(call, "bools cannot be subtracted: cast them with astype");
  const Array high = extremum(call, kernel::Fold::Maximum, a, axes, keepdims);
  const Array low = extremum(call, kernel::Fold::Minimum, a, axes, keepdims);
  return Operand(high, where) - Operand(low, where);
}

namespace {

Array are_close(const Call& call, const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  const std::source_location where = call.where;
  const Operand* const both[] = {&a, &b};
  static_cast<void>(common_shape(call, both, recorder_of(call)));
  const auto here = [&](auto number) { return Operand(number, where); };
  // Numbers become arrays without axes, so that each operand may be used more than once.
  const auto as_array = [&](const Operand& operand) {
    return operand.kind() == Operand::Kind::Array ? operand.array() : full({}, operand);
  };
  const Array x = in_floats(as_array(a), where), y = in_floats(as_array(b), where);
  const Operand left(x, where), right(y, where);
  const Array room = Operand(abs(right) * here(rtol), where) + here(atol);
  const Array is_finite = Operand(right - right, where) == here(0.0);
  const Array is_near = Operand(abs(Operand(left - right, where)), where) <= Operand(room, where);
  Array close = Operand(left == right, where) | Operand(Operand(is_near, where) & Operand(is_finite, where), where);
  if (!equal_nan) return close;
  return Operand(close, where) | Operand(Operand(left != left, where) & Operand(right != right, where), where);
}

}  // namespace

Array isclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  return are_close(Call{"isclose", a.where()}, a, b, rtol, atol, equal_nan);
}

bool allclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  const Call call{"allclose", a.where()};
  const Array close = are_close(call, a, b, rtol, atol, equal_nan);
  return all_cells(close, {}, false, call.where).item<bool>(call.where);
}

bool array_equal(const Array& a, const Array& b, std::source_location where) {
  const Call call{"array_equal", where};
  if (checked_state(call, a).shape != checked_state(call, b).shape) return false;
  return all_cells(Operand(a, where) == Operand(b, where), {}, false, where).item<bool>(where);
}

bool array_equiv(const Array& a, const Array& b, std::source_location where) {
  const Call call{"array_equiv", where};
  const Shape &one = checked_state(call, a).shape, &other = checked_state(call, b).shape;
  for (int back = 1; back <= std::min(one.rank(), other.rank()); ++back) {
    const std::int64_t x = one[one.rank() - back], y = other[other.rank() - back];
    if (x != y && x != 1 && y != 1) return false;
  }
  return all_cells(Operand(a, where) == Operand(b, where), {}, false, where).item<bool>(where);
}

namespace {

void check_variables(const Call& call, const Array& m) {
  const Shape& shape = checked_state(call, m).shape;
  if (shape.rank() > 2) fail<ShapeError>(call, "shape ", shape, " has more than two axes: variables are rows");
}

// Variables are lines of cells, as rows or columns: as columns, where these lie so in memory, their product is summed
// where the cells are.
Array covariances(const Call& call, const Array& m, bool rowvar, int ddof) {
  const std::source_location where = call.where;
  check_variables(call, m);
  const DType dtype = promote(m.dtype(), DType::Float64);  // as NumPy
  const Array given = atleast_2d(m.dtype() == dtype ? m : m.astype(dtype, where), where);
  const bool are_columns = !rowvar && m.ndim() == 2;
  const bool lie_by_columns = are_columns != lies_transposed(checked_state(call, given));
  const Array cells = are_columns == lie_by_columns ? given : given.T(where);
  const int along = lie_by_columns ? 0 : 1;
  const std::int64_t variables = cells.shape()[1 - along], count = cells.shape()[along];
  const Array middle = mean(cells, along, /*keepdims=*/true, where);
  const Array distance = Operand(cells, where) - Operand(middle, where);
  const Array other = is_complex(cells.dtype()) ? Array(conj(Operand(distance, where))) : distance;
  const Array product =
      lie_by_columns ? matmul(distance.T(where), other, where) : matmul(distance, other.T(where), where);
  const double divisor = std::max(static_cast<double>(count - ddof), 0.0);
  const Array result = Operand(product, where) / Operand(divisor, where);
  return variables == 1 ? result.reshape(Shape{}, where) : result;
}

// The variables of both, as rows.
Array joined_variables(const Call& call, const Array& m, const Array& y, bool rowvar) {
  const auto rows_of = [&](const Array& array) {
    check_variables(call, array);
    const Array rows = atleast_2d(array, call.where);
    return !rowvar && array.ndim() == 2 ? rows.T(call.where) : rows;
  };
  const Array first = rows_of(m), second = rows_of(y);
  if (first.shape()[1] != second.shape()[1])
    fail<ShapeError>(call, "shapes ", m.shape(), " and ", y.shape(), " have ", first.shape()[1], " and ",
                     second.shape()[1], " cells a variable: both must have as many");
  return concatenate({first, second}, 0, call.where);
}

Array correlations(const Call& call, const Array& m, bool rowvar) {
  const std::source_location where = call.where;
  const Array c = covariances(call, m, rowvar, 1);
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  if (c.ndim() == 0) return here(c) / here(c);
  const Array own = diagonal(c, 0, 0, 1, where);
  const Array deviation = sqrt(is_complex(c.dtype()) ? here(real(here(own))) : here(own));
  const Array rows = here(c) / here(expand_dims(deviation, 1, where));
  const Array quotient = here(rows) / here(deviation);
  if (!is_complex(c.dtype())) return clip(here(quotient), here(-1), here(1));
  const Array re = real(here(quotient)), im = imag(here(quotient));
  return join_parts(call, clip(here(re), here(-1), here(1)), clip(here(im), here(-1), here(1)));
}

}  // namespace

Array cov(const Array& m, bool rowvar, int ddof, std::source_location where) {
  return covariances(Call{"cov", where}, m, rowvar, ddof);
}

Array cov(const Array& m, const Array& y, bool rowvar, int ddof, std::source_location where) {
  const Call call{"cov", where};
  return covariances(call, joined_variables(call, m, y, rowvar), true, ddof);
}

Array corrcoef(const Array& m, bool rowvar, std::source_location where) {
  return correlations(Call{"corrcoef", where}, m, rowvar);
}

Array corrcoef(const Array& m, const Array& y, bool rowvar, std::source_location where) {
  const Call call{"corrcoef", where};
  return correlations(call, joined_variables(call, m, y, rowvar), true);
}

}  // namespace pilum::numeric
