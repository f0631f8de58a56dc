#include "numeric/weights.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "pilum/math.h"

namespace pilum::numeric {

Array weights_along(const Call& call, const Array& a, const Array& weights, const Axes& axes) {
  const Shape& shape = a.shape();
  const Shape& own = checked_state(call, weights).shape;
  if (own == shape) return weights;
  const std::uint8_t folded = folded_axes(call, axes, shape.rank());
  Shape wanted, flat;
  std::vector<int> named;
  for (int place = 0; axes.given() && place < axes.count(); ++place) {
    named.push_back(checked_axis(call, axes[place], shape.rank()));
    wanted.push_back(shape[named.back()]);
  }
  if (!axes.given() || own != wanted) {
    fail<ShapeError>(call, "weights of shape ", own, " do not fit ", shape,
                     ": give one for each cell, or one for each along the axes");
  }
  std::vector<int> order(named.size());  // of the weights' axes: as the array's stand
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int place) { return named[static_cast<std::size_t>(place)]; });
  for (int axis = 0; axis < shape.rank(); ++axis) flat.push_back(folded >> axis & 1 ? shape[axis] : 1);
  const Array turned = order.size() < 2 ? weights : weights.transpose(Axes(std::span<const int>(order)), call.where);
  return broadcast_to(turned.reshape(flat, call.where), shape, call.where);
}

}  // namespace pilum::numeric
