#include "numeric/folded_lines.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/reductions.h"
#include "numeric/shapes.h"

namespace pilum::numeric {

FoldedLines fold_to_lines(const Call& call, const Array& a, const Axes& axes, bool keepdims) {
  const Shape& shape = checked_state(call, a).shape;
  const int rank = shape.rank();
  if (rank == 0 && axes.count() > 0) static_cast<void>(checked_axis(call, axes[0], rank));  // as mean
  const std::uint8_t mask = folded_axes(call, axes, rank);
  FoldedLines folded;
  std::vector<int> order, behind;
  Shape flat;
  std::int64_t cells = 1;
  for (int axis = 0; axis < rank; ++axis) {
    const bool is_folded = mask >> axis & 1;
    (is_folded ? behind : order).push_back(axis);
    if (is_folded) {
      cells *= shape[axis];
    } else {
      flat.push_back(shape[axis]);
    }
    if (!is_folded || keepdims) folded.kept.push_back(is_folded ? 1 : shape[axis]);
  }
  const std::size_t axes_folded = behind.size();
  order.insert(order.end(), behind.begin(), behind.end());
  flat.push_back(cells);
  folded.lines = rank == 0 ? a : a.transpose(Axes(std::span<const int>(order)), call.where);
  if (axes_folded != 1) folded.lines = folded.lines.reshape(flat, call.where);
  return folded;
}

}  // namespace pilum::numeric
