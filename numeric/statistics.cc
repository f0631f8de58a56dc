#include "pilum/statistics.h"

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

Array is_not_zero(const Array& a, std::source_location where) {
  return a.astype(DType::Bool, where);
}

Array in_floats(const Array& a, std::source_location where) {
  return is_floating(a.dtype()) ? a : a.astype(DType::Float64, where);
}

// The product of the extents that are folded, for which sum has checked the axes.
double folded_cells(const Shape& shape, const Axes& axes) {
  double count = 1;
  for (int place = 0; place < (axes.given() ? axes.count() : shape.rank()); ++place) {
    const int axis = axes.given() ? axes[place] : place;
    if (shape.rank() > 0) count *= static_cast<double>(shape[axis < 0 ? axis + shape.rank() : axis]);
  }
  return count;
}

}  // namespace

Array any(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  static_cast<void>(checked_state(Call{"any", where}, a));
  return Operand(sum(is_not_zero(a, where), axes, keepdims, where), where) != Operand(0, where);
}

Array all_cells(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  static_cast<void>(checked_state(Call{"all", where}, a));
  const Array zero = Operand(is_not_zero(a, where), where) == Operand(false, where);
  return Operand(sum(zero, axes, keepdims, where), where) == Operand(0, where);
}

Array count_nonzero(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  static_cast<void>(checked_state(Call{"count_nonzero", where}, a));
  return sum(is_not_zero(a, where), axes, keepdims, where);
}

Array var(const Array& a, Axes axes, int ddof, bool keepdims, std::source_location where) {
  static_cast<void>(checked_state(Call{"var", where}, a));
  const Array cells = in_floats(a, where);
  const Array middle = mean(cells, axes, /*keepdims=*/true, where);
  const Array distance = Operand(cells, where) - Operand(middle, where);
  const Array total = sum(Operand(distance, where) * Operand(distance, where), axes, keepdims, where);
  const double count = folded_cells(a.shape(), axes) - ddof;
  return Operand(total, where) / Operand(count > 0 ? count : 0.0, where);
}

Array std(const Array& a, Axes axes, int ddof, bool keepdims, std::source_location where) {
  return sqrt(Operand(var(a, axes, ddof, keepdims, where), where));
}

Array ptp(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  const Array high = max(a, axes, keepdims, where), low = min(a, axes, keepdims, where);
  return Operand(high, where) - Operand(low, where);
}

Array dot(const Array& a, const Array& b, std::source_location where) {
  const Call call{"dot", where};
  const ArrayState& left = checked_state(call, a);
  const ArrayState& right = checked_state(call, b);
  if (left.shape.rank() == 0 || right.shape.rank() == 0) return Operand(a, where) * Operand(b, where);
  if (left.shape.rank() > 1 || right.shape.rank() > 1 || left.shape != right.shape) {
    fail<ShapeError>(call, "shapes ", left.shape, " and ", right.shape,
                     " are not two of one axis and as many cells: there is no product of matrices yet; "
                     "np::sum(a * b, axis) folds one axis");
  }
  const Array product = Operand(a, where) * Operand(b, where);
  const DType dtype = product.dtype();
  if (dtype == DType::Bool) return any(product, {}, false, where);
  return sum(product, {}, false, where).astype(dtype, where);
}

Array vdot(const Array& a, const Array& b, std::source_location where) {
  const Call call{"vdot", where};
  if (checked_state(call, a).shape.elements() != checked_state(call, b).shape.elements()) {
    fail<ShapeError>(call, "shapes ", a.shape(), " and ", b.shape(), " have not as many cells");
  }
  const Array flat_a = a.reshape({a.size()}, where), flat_b = b.reshape({b.size()}, where);
  return dot(flat_a, flat_b, where);
}

Array isclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  const std::source_location where = a.where();
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

bool allclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  const std::source_location where = a.where();
  return all_cells(isclose(a, b, rtol, atol, equal_nan), {}, false, where).item<bool>(where);
}

bool array_equal(const Array& a, const Array& b, std::source_location where) {
  const Call call{"array_equal", where};
  if (checked_state(call, a).shape != checked_state(call, b).shape) return false;
  return all_cells(Operand(a, where) == Operand(b, where), {}, false, where).item<bool>(where);
}

}  // namespace pilum::numeric
