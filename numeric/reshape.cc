// Other shapes of the same cells: views, as NumPy's; of a store of their own where no map of the axes is one.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "numeric/axis_parts.h"
#include "numeric/field_order.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/manipulation.h"

namespace pilum::numeric {
namespace {

using partitioner::AxisMap;
using StoreStrides = scheduler::Strides;

// -1 becomes what is left.
Shape resolve_shape(const Call& call, Shape shape, std::int64_t cells) {
  if (shape.rank() > kMaxAxes) check_shape(call, shape, DType::Bool);
  int open = -1;
  std::int64_t known = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == -1) {
      if (open >= 0) fail<ShapeError>(call, "shape ", shape, " leaves two extents open: give all but one");
      open = axis;
    } else if (shape[axis] < 0) {
      fail<ShapeError>(call, "shape ", shape, " has a negative extent: extents are 0 or more, or -1 once");
    } else if (__builtin_mul_overflow(known, shape[axis], &known)) {
      known = std::numeric_limits<std::int64_t>::max();
    }
  }
  if (open >= 0 && known != 0 && cells % known == 0) {
    shape[open] = cells / known;
    return shape;
  }
  if (open >= 0 || known != cells) {
    fail<ShapeError>(call, cells, cells == 1 ? " element does" : " elements do", " not fit ", shape, ": it has ",
                     open >= 0 ? "a multiple of " : "", known, ". Choose extents whose product is ", cells);
  }
  return shape;
}

// The place in `to` of each axis of `from` that has more than one cell; false where these axes differ.
bool match_axes(const Shape& from, const Shape& to, std::array<int, kMaxAxes>& places) {
  int place = 0;
  for (int axis = 0; axis < from.rank(); ++axis) {
    places[static_cast<std::size_t>(axis)] = -1;
    if (from[axis] == 1) continue;
    while (place < to.rank() && to[place] == 1) ++place;
    if (place == to.rank() || to[place] != from[axis]) return false;
    places[static_cast<std::size_t>(axis)] = place++;
  }
  return std::all_of(to.begin() + place, to.end(), [](std::int64_t extent) { return extent == 1; });
}

// Of an array whose cells lie row-major.
StoreStrides row_major(const Shape& shape) {
  StoreStrides strides{};
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = step;
    step *= shape[axis];
  }
  return strides;
}

// By the store's axes.
StoreStrides strides_of_store(const scheduler::Store& store) {
  if (store.numpy_strides) return *store.numpy_strides;
  const StoreStrides of_array = row_major(array_shape(store));
  StoreStrides strides{};
  const int rank = store.shape.rank();
  for (int axis = 0; axis < rank; ++axis)
    strides[static_cast<std::size_t>((axis + store.field_axes) % rank)] = of_array[static_cast<std::size_t>(axis)];
  return strides;
}

// NumPy's, in cells; along an axis that repeats its cells 0.
StoreStrides strides_of(const ArrayState& array) {
  const StoreStrides of_store = strides_of_store(array.store());
  StoreStrides strides{};
  for (int k = 0; k < array.map.store_rank; ++k) {
    const AxisMap& axis = array.map[k];
    if (axis.axis >= 0)
      strides[static_cast<std::size_t>(axis.axis)] += axis.scale * of_store[static_cast<std::size_t>(k)];
  }
  return strides;
}

bool is_row_major(const Shape& shape, const StoreStrides& strides) {
  const StoreStrides plain = row_major(shape);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (shape[axis] != 1 && strides[a] != plain[a]) return false;
  }
  return true;
}

// Of the other shape, of as many cells; none where its cells do not lie in even steps. Axes are taken apart and put
// together in groups of as many cells: those put together must follow one another in memory.
std::optional<StoreStrides> strides_in(const Shape& from, const StoreStrides& strides, const Shape& to) {
  StoreStrides result{};
  int first = 0, first_to = 0;
  while (first < from.rank() && first_to < to.rank()) {
    int end = first + 1, end_to = first_to + 1;
    std::int64_t cells = from[first], cells_to = to[first_to];
    while (cells != cells_to) cells < cells_to ? cells *= from[end++] : cells_to *= to[end_to++];
    std::int64_t last = 0, reach = 0;  // the stride of the group's last axis; and what the one before must have
    for (int axis = end; axis-- > first;) {
      if (from[axis] == 1) continue;
      const std::int64_t stride = strides[static_cast<std::size_t>(axis)];
      if (stride == 0 || (reach != 0 && stride != reach)) return {};
      if (reach == 0) last = stride;
      reach = stride * from[axis];
    }
    for (int axis = end_to; axis-- > first_to;) {
      result[static_cast<std::size_t>(axis)] = last;
      last *= to[axis];
    }
    first = end;
    first_to = end_to;
  }
  return result;
}

// Of a new store, which the map shows in this shape.
void set_strides(scheduler::Store& store, const partitioner::AffineMap& map, const Shape& shape,
                 const StoreStrides& strides) {
  if (is_row_major(shape, strides)) return;
  StoreStrides own{};
  for (int k = 0; k < map.store_rank; ++k)
    own[static_cast<std::size_t>(k)] = strides[static_cast<std::size_t>(map[k].axis)];
  store.numpy_strides = std::make_unique<const StoreStrides>(own);
}

// Where the points alone get other axes, (h, w, 3) -> (h w, 3), fields stay by themselves: the axes that count them.
int kept_fields(const scheduler::Recorder& recorder, const scheduler::View& view, const Shape& shape) {
  const int axes = axes_of_fields(recorder, shape), rank = view.shape.rank();
  for (int place = 1; place <= axes; ++place) {
    if (place >= rank || view.shape[rank - place] != shape[shape.rank() - place]) return 0;
  }
  return is_in_order(view) ? 0 : axes;
}

Array copy_into_shape(const Call& call, const ArrayState& array, const Shape& shape) {
  scheduler::Recorder& recorder = recorder_of(call);
  scheduler::View from = array.view();
  const int fields = kept_fields(recorder, from, shape);
  Array result = fields > 0 ? make_new(recorder, call, shape, array.dtype())
                            : make_row_major(recorder, call, shape, array.dtype());
  if (shape.elements() == 0) return result;
  scheduler::View to = ArrayAccess::state(result)->view();
  if (fields > 0) {
    lead_by_last(from, fields);
    lead_by_last(to, fields);
  }
  recorder.record({call.name, call.where, scheduler::ReshapedCopy{to, from}});
  const std::optional<StoreStrides> strides = strides_in(array.shape, strides_of(array), shape);
  if (!strides) return result;
  const scheduler::StoreRef& store = ArrayAccess::state(result)->handle.store();
  set_strides(*store, ArrayAccess::state(result)->map, shape, *strides);
  recorder.join(from, store, call.where);
  return result;
}

}  // namespace

Array Array::reshape(std::int64_t n0, std::int64_t n1, std::int64_t n2, std::int64_t n3, std::int64_t n4,
                     std::int64_t n5, std::int64_t n6, std::int64_t n7, std::source_location where) const {
  Shape shape;
  for (const std::int64_t extent : {n0, n1, n2, n3, n4, n5, n6, n7}) {
    if (extent != kNone) shape.push_back(extent);
  }
  return reshape(shape, where);
}

Array Array::reshape(Shape wanted, std::source_location where) const {
  const Call call{"reshape", where};
  const ArrayState& array = checked_state(call, *this);
  const Shape shape = resolve_shape(call, wanted, array.shape.elements());
  check_shape(call, shape, array.dtype());
  std::array<int, kMaxAxes> places{};
  if (!match_axes(array.shape, shape, places)) return copy_into_shape(call, array, shape);
  partitioner::AffineMap map = array.map;
  map.view_rank = shape.rank();
  for (int k = 0; k < map.store_rank; ++k) {
    AxisMap& axis = map[k];
    if (axis.axis < 0) continue;
    const int place = places[static_cast<std::size_t>(axis.axis)];
    axis = place < 0 ? AxisMap{-1, 0, axis.offset} : AxisMap{static_cast<std::int8_t>(place), axis.scale, axis.offset};
  }
  return make_view(array, map, shape);
}

Array ravel(const Array& a, std::source_location where) {
  const Call call{"ravel", where};
  const ArrayState& array = checked_state(call, a);
  const Array line = a.reshape({array.shape.elements()}, where);
  return is_row_major(array.shape, strides_of(array)) ? line : unshared(line, a, where);
}

}  // namespace pilum::numeric
