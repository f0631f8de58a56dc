// Products that are no sums: Kronecker's and the cross product.
#include <algorithm>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

// Each extent beside one of 1: before it, or behind.
Shape spread(const Shape& shape, int rank, bool before) {
  Shape result;
  for (int axis = 0; axis < rank; ++axis) {
    const int own = axis - (rank - shape.rank());
    const std::int64_t extent = own < 0 ? 1 : shape[own];
    result.push_back(before ? 1 : extent);
    result.push_back(before ? extent : 1);
  }
  return result;
}

}  // namespace

Array kron(const Array& a, const Array& b, std::source_location where) {
  const Call call{"kron", where};
  const int rank = std::max(checked_state(call, a).shape.rank(), checked_state(call, b).shape.rank());
  if (2 * rank > kMaxAxes)
    fail<ShapeError>(call, "shapes ", a.shape(), " and ", b.shape(), ": give ", kMaxAxes / 2, " axes at most");
  const Shape of_a = spread(a.shape(), rank, /*before=*/false), of_b = spread(b.shape(), rank, /*before=*/true);
  const Array left = a.reshape(of_a, where), right = b.reshape(of_b, where);
  const Array product = Operand(left, where) * Operand(right, where);
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) shape.push_back(of_a[2 * axis] * of_b[2 * axis + 1]);
  return product.reshape(shape, where);
}

Array cross(const Array& a, const Array& b, Axis axis, std::source_location where) {
  const Call call{"cross", where};
  const auto vectors = [&](const Array& array) {
    const int rank = checked_state(call, array).shape.rank();
    const int along = checked_axis(call, axis, rank);
    if (array.shape()[along] != 3) {
      fail<ShapeError>(call, "shape ", array.shape(), " has ", array.shape()[along], " cells along axis ", int{axis},
                       ": vectors of three have a cross product");
    }
    return moveaxis(array, along, -1, where);
  };
  const Array x = vectors(a), y = vectors(b);
  const Operand first(x, where), second(y, where);
  const Operand* const both[] = {&first, &second};
  const Shape shape = common_shape(call, both, recorder_of(call));
  const DType dtype = promote(a.dtype(), b.dtype());
  if (dtype == DType::Bool) fail<DTypeError>(call, "bools cannot be subtracted: cast one with astype");
  const Array out = empty(shape, dtype, where);
  const int last = shape.rank() - 1;
  const auto part = [&](const Array& array, int k) { return part_of_axis(array, array.ndim() - 1, k % 3, 1); };
  for (int k = 0; out.size() != 0 && k < 3; ++k) {
    const Array up = Operand(part(x, k + 1), where) * Operand(part(y, k + 2), where);
    const Array down = Operand(part(x, k + 2), where) * Operand(part(y, k + 1), where);
    part_of_axis(out, last, k, 1) = Operand(up, where) - Operand(down, where);
  }
  return axis == -1 ? out : moveaxis(out, -1, axis, where);
}

}  // namespace pilum::numeric
