// array(…): integers, slices, all, newaxis and ellipsis become an affine map.
#include <algorithm>
#include <span>

#include "numeric/array_state.h"
#include "numeric/shapes.h"

namespace pilum::numeric {
namespace {

using partitioner::AffineMap;
using partitioner::AxisMap;
using Indices = std::span<const Index* const>;

struct Range {
  std::int64_t start;
  std::int64_t extent;
};

// Python's slice.indices: bounds from the end where negative, then clamped.
Range resolve(const Call& call, const slice& range, std::int64_t extent) {
  const std::int64_t step = range.step;
  if (step == 0) fail<ValueError>(call, "a slice step cannot be 0: use 1, or -1 to go backwards");
  const std::int64_t lowest = step > 0 ? 0 : -1;
  const std::int64_t highest = step > 0 ? extent : extent - 1;
  const auto clamp = [&](std::int64_t bound) {
    if (bound < 0) bound = bound < -extent ? lowest : bound + extent;
    return std::clamp(bound, lowest, highest);
  };
  const std::int64_t start = range.start ? clamp(*range.start) : (step > 0 ? lowest : highest);
  const std::int64_t stop = range.stop ? clamp(*range.stop) : (step > 0 ? highest : lowest);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  if (distance <= 0) return Range{0, 0};
  if (step == 1) return Range{start, distance};  // without a division
  const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  return Range{start, static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / stride) + 1};
}

std::int64_t resolve(const Call& call, std::int64_t position, std::int64_t extent, int axis, const Shape& shape) {
  if (position < -extent || position >= extent) {
    fail<IndexError>(call, "index ", position, " is outside axis ", axis, " of shape ", shape, ", which has ", extent,
                     extent == 0 ? " cells: index another array"
                                 : " cells: use " + std::to_string(-extent) + " to " + std::to_string(extent - 1));
  }
  return position < 0 ? position + extent : position;
}

// Walks the indices and the array's axes side by side. `map` is the array's, and becomes the view's; `shape` has no
// axes.
class ViewBuilder {
 public:
  ViewBuilder(const Call& call, const ArrayState& array, AffineMap& map, Shape& shape)
      : call_(call), array_(array), map_(map), shape_(shape) {
    for (int k = 0; k < map_.store_rank; ++k) {
      if (map_[k].axis >= 0) followers_[static_cast<std::size_t>(map_[k].axis)] = static_cast<std::int8_t>(k);
    }
  }

  void take(const Index& index) {
    switch (index.kind()) {
      case Index::Kind::Position: return drop(resolve(call_, index.position(), extent(), axis_, array_.shape));
      case Index::Kind::Slice: return narrow(resolve(call_, index.range(), extent()), index.range().step);
      case Index::Kind::All: return keep();
      case Index::Kind::NewAxis: return shape_.push_back(1);
      default: return;
    }
  }
  void keep(int axes) {
    for (int k = 0; k < axes; ++k) keep();
  }
  void finish() {
    keep(array_.shape.rank() - axis_);
    if (shape_.rank() > kMaxAxes) check_shape(call_, shape_, array_.dtype());
    map_.view_rank = shape_.rank();
  }

 private:
  std::int64_t extent() const { return array_.shape[axis_]; }
  // The store axis that follows the axis at hand, or none: it is repeated.
  AxisMap* follower() {
    const int k = followers_[static_cast<std::size_t>(axis_)];
    return k < 0 ? nullptr : &map_[k];
  }
  void keep() {
    if (AxisMap* axis = follower()) axis->axis = static_cast<std::int8_t>(shape_.rank());
    shape_.push_back(extent());
    ++axis_;
  }
  void drop(std::int64_t position) {
    if (AxisMap* axis = follower()) *axis = AxisMap{-1, 0, axis->offset + axis->scale * position};
    ++axis_;
  }
  void narrow(const Range& range, std::int64_t step) {
    if (AxisMap* axis = follower()) {
      axis->offset += axis->scale * range.start;
      axis->scale = range.extent > 1 ? axis->scale * step : 1;  // one cell or none: one form for the same cells
      axis->axis = static_cast<std::int8_t>(shape_.rank());
    }
    shape_.push_back(range.extent);
    ++axis_;
  }

  const Call& call_;
  const ArrayState& array_;
  AffineMap& map_;
  Shape& shape_;
  int axis_ = 0;
  std::array<std::int8_t, kMaxAxes> followers_{-1, -1, -1, -1, -1, -1, -1, -1};
};

struct Count {
  int indices = 0;
  int consumed = 0;  // axes of the array that they name
  int ellipses = 0;
};

Count count(Indices indices) {
  Count count;
  for (const Index* index : indices) {
    if (index->kind() == Index::Kind::Absent) break;
    ++count.indices;
    count.ellipses += index->kind() == Index::Kind::Ellipsis;
    count.consumed += index->kind() != Index::Kind::Ellipsis && index->kind() != Index::Kind::NewAxis;
  }
  return count;
}

Array make_indexed(const Array& array, Indices indices, std::source_location where) {
  const Call call{"a(…)", where};
  const ArrayState& state = checked_state(call, array);
  const Count counts = count(indices);
  if (counts.consumed > state.shape.rank()) {
    fail<IndexError>(call, counts.consumed, " indices for shape ", state.shape, ", which has ", state.shape.rank(),
                     state.shape.rank() == 1 ? " axis" : " axes", ": leave some out");
  }
  if (counts.ellipses > 1) {
    fail<IndexError>(call, counts.ellipses, " ellipses leave open which axes they stand for: keep one");
  }
  return ArrayAccess::adopt(new PartState(state.handle, state.map, [&](AffineMap& map, Shape& shape) {
    ViewBuilder builder(call, state, map, shape);
    for (const Index* index : indices.first(static_cast<std::size_t>(counts.indices))) {
      if (index->kind() == Index::Kind::Ellipsis) {
        builder.keep(state.shape.rank() - counts.consumed);
      } else {
        builder.take(*index);
      }
    }
    builder.finish();
  }));
}

}  // namespace

Array Array::view(const Index* const (&indices)[8], std::source_location where) const {
  return make_indexed(*this, indices, where);
}

Array Array::view(const Index* const (&indices)[2], std::source_location where) const {
  return make_indexed(*this, indices, where);
}

Array Array::view(const std::vector<Index>& indices, std::source_location where) const {
  std::vector<const Index*> all;
  for (const Index& index : indices) all.push_back(&index);
  return make_indexed(*this, all, where);
}

}  // namespace pilum::numeric
