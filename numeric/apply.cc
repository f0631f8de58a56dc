#include "pilum/apply.h"

#include <span>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/shapes.h"
#include "pilum/manipulation.h"

namespace pilum::numeric::detail {

std::vector<Array> lines_along(int axis, const Array& a, std::source_location where) {
  const Call call{"apply_along_axis", where};
  const Shape& shape = checked_state(call, a).shape;
  const int along = checked_axis(call, axis, shape.rank());
  if (shape.rank() == 0) fail<ValueError>(call, "an array without axes has no lines: a.reshape({1}) has one");
  std::int64_t count = 1;
  for (int k = 0; k < shape.rank(); ++k) count *= k == along ? 1 : shape[k];
  if (count == 0) fail<ValueError>(call, "shape ", shape, " has no lines along axis ", along);
  const Array rows = moveaxis(a, along, -1, where).reshape(Shape{count, shape[along]}, where);
  std::vector<Array> lines;
  for (std::int64_t row = 0; row < count; ++row)
    lines.push_back(part_of_axis(rows, 0, row, 1).reshape(Shape{shape[along]}, where));
  return lines;
}

Array joined_lines(const std::vector<Array>& results, int axis, const Array& a, std::source_location where) {
  const Call call{"apply_along_axis", where};
  const int along = checked_axis(call, axis, a.ndim());
  const Shape first = checked_state(call, results.at(0)).shape;
  for (const Array& result : results) {
    if (checked_state(call, result).shape != first) {
      fail<ShapeError>(call, "the function gave arrays of shapes ", first, " and ", result.shape(),
                       ": give one shape for all lines");
    }
  }
  const int others = a.ndim() - 1;
  if (others + first.rank() > kMaxAxes)
    fail<ShapeError>(call, "results of shape ", first, " for lines of shape ", a.shape(), " make too many axes");
  Shape shape;
  for (int k = 0; k < a.ndim(); ++k) {
    if (k != along) shape.push_back(a.shape()[k]);
  }
  for (const std::int64_t extent : first) shape.push_back(extent);
  const Array joined = stack(results, 0, where).reshape(shape, where);
  std::vector<int> order;  // the results' axes where the lines' was
  for (int k = 0; k < along; ++k) order.push_back(k);
  for (int k = 0; k < first.rank(); ++k) order.push_back(others + k);
  for (int k = along; k < others; ++k) order.push_back(k);
  return order.size() < 2 ? joined : joined.transpose(Axes(std::span<const int>(order)), where);
}

Array with_folded_axis(const Array& result, const Array& before, int axis, std::source_location where) {
  const Call call{"apply_over_axes", where};
  const int rank = checked_state(call, result).shape.rank();
  static_cast<void>(checked_axis(call, axis, before.ndim()));
  if (rank == before.ndim()) return result;
  if (rank != before.ndim() - 1) {
    fail<ShapeError>(call, "the function gave shape ", result.shape(), " of ", before.shape(),
                     ": give as many axes, or one less");
  }
  return expand_dims(result, axis, where);
}

}  // namespace pilum::numeric::detail
