// Zeros cut off at the ends.
#include <span>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

// What is asked of an axis, before any answer is waited for: whether there are cells, and the first and the last one.
struct Ends {
  int axis;
  Array first, behind_last, any;
};

Ends ends_of(const Call& call, const Array& is_there, int axis) {
  std::vector<int> others;
  for (int k = 0; k < is_there.ndim(); ++k) {
    if (k != axis) others.push_back(k);
  }
  const Array line = others.empty() ? is_there : any(is_there, Axes(std::span<const int>(others)), false, call.where);
  const std::int64_t extent = line.size();
  const Array turned = part_of_axis(line, 0, extent - 1, extent, -1);
  return {axis, first_place(call, kernel::Fold::Maximum, line, {}, false),
          first_place(call, kernel::Fold::Maximum, turned, {}, false), any(line, {}, false, call.where)};
}

}  // namespace

Array trim_zeros(const Array& a, std::string_view ends, Axes axes, std::source_location where) {
  const Call call{"trim_zeros", where};
  const Shape& shape = checked_state(call, a).shape;
  const bool front = ends == "f" || ends == "fb" || ends == "bf", back = ends == "b" || ends == "fb" || ends == "bf";
  if (!front && !back) fail<ValueError>(call, "the ends are \"", ends, "\": give \"f\", \"b\" or \"fb\"");
  for (int k = 0; axes.given() && k < axes.count(); ++k) static_cast<void>(checked_axis(call, axes[k], shape.rank()));
  const std::uint8_t trimmed = folded_axes(call, axes, shape.rank());
  Array result = a;
  const Array is_there = a.size() == 0 ? a : Array(Operand(a, where) != Operand(0, where));
  std::vector<Ends> found;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!(trimmed >> axis & 1)) continue;
    if (a.size() == 0) {
      result = part_of_axis(result, axis, 0, 0);
    } else {
      found.push_back(ends_of(call, is_there, axis));
    }
  }
  for (const Ends& one : found) {
    const std::int64_t extent = shape[one.axis];
    if (!one.any.item<bool>(where)) {
      result = part_of_axis(result, one.axis, 0, 0);
      continue;
    }
    const std::int64_t first = front ? one.first.item<std::int64_t>(where) : 0;
    const std::int64_t last = back ? extent - one.behind_last.item<std::int64_t>(where) : extent;
    result = part_of_axis(result, one.axis, first, last - first);
  }
  return result;
}

}  // namespace pilum::numeric
