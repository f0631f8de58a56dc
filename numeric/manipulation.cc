#include "pilum/manipulation.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/shapes.h"
#include "pilum/math.h"

namespace pilum::numeric {

Array part_of_axis(const ArrayState& a, int axis, std::int64_t start, std::int64_t count, std::int64_t step) {
  partitioner::AffineMap map = a.map;
  for (int k = 0; k < map.store_rank; ++k) {
    auto& of_store = map[k];
    if (of_store.axis != axis) continue;
    of_store.offset += of_store.scale * start;
    of_store.scale *= step;
  }
  Shape shape = a.shape;
  shape[axis] = count;
  return make_view(a, map, shape);
}

Array part_of_axis(const Array& a, int axis, std::int64_t start, std::int64_t count, std::int64_t step) {
  return part_of_axis(*ArrayAccess::state(a), axis, start, count, step);
}

Array unshared(const Array& result, const Array& a, std::source_location where) {
  const ArrayState& state = *ArrayAccess::state(result);
  bool copies = &state.store() == &ArrayAccess::state(a)->store();
  for (int axis = 0; axis < state.shape.rank(); ++axis)  // repeated cells cannot be written
    copies |= state.shape[axis] > 1 && state.map.store_axis_of(axis) < 0;
  if (copies) return result.copy(where);
  state.store().recorder->separate(state.store());
  state.store().numpy_strides.reset();
  return result;
}

namespace {

DType dtype_or_own(const ArrayState& a, std::optional<DType> dtype) {
  return dtype.value_or(a.dtype());
}

Array rolled(const Call& call, const Array& a, std::int64_t shift, int axis) {
  const ArrayState& state = checked_state(call, a);
  const std::int64_t extent = state.shape[axis];
  Array out = empty(state.shape, state.dtype(), call.where);
  if (state.shape.elements() == 0) return out;
  const std::int64_t by = ((shift % extent) + extent) % extent;
  const auto move = [&](std::int64_t from, std::int64_t to, std::int64_t count) {
    if (count > 0) part_of_axis(out, axis, to, count) = Operand(part_of_axis(state, axis, from, count), call.where);
  };
  move(0, by, extent - by);
  move(extent - by, 0, by);
  return out;
}

// The dtype that all promote to; checks that they are fit for use.
DType common_dtype_of(const Call& call, const std::vector<Array>& arrays) {
  if (arrays.empty()) fail<ValueError>(call, "no arrays are given: give one at least");
  DType dtype = checked_state(call, arrays[0]).dtype();
  for (const Array& array : arrays) {
    static_cast<void>(checked_state(call, array));
    dtype = promote(dtype, array.dtype());
  }
  return dtype;
}

}  // namespace

Array concatenated(const Call& call, const std::vector<Array>& arrays, int axis) {
  const DType dtype = common_dtype_of(call, arrays);
  const Shape& first = arrays[0].shape();
  if (first.rank() == 0) fail<ShapeError>(call, "arrays without axes cannot be concatenated: stack() them");
  const int along = checked_axis(call, axis, first.rank());
  Shape shape = first;
  shape[along] = 0;
  for (const Array& array : arrays) {
    Shape other = array.shape();
    if (other.rank() == first.rank()) {
      shape[along] += other[along];
      other[along] = first[along];
    }
    if (other != first) {
      fail<ShapeError>(call, "shape ", array.shape(), " cannot be concatenated with ", first, " along axis ", along,
                       ": the other extents must agree");
    }
  }
  Array out = empty(shape, dtype, call.where);
  std::int64_t at = 0;
  for (const Array& array : arrays) {
    const std::int64_t extent = array.shape()[along];
    if (array.size() != 0) part_of_axis(out, along, at, extent) = Operand(array, call.where);
    at += extent;
  }
  return out;
}

Array zeros_like(const Array& a, std::optional<DType> dtype, std::source_location where) {
  const ArrayState& state = checked_state(Call{"zeros_like", where}, a);
  return zeros(state.shape, dtype_or_own(state, dtype), where);
}

Array ones_like(const Array& a, std::optional<DType> dtype, std::source_location where) {
  const ArrayState& state = checked_state(Call{"ones_like", where}, a);
  return ones(state.shape, dtype_or_own(state, dtype), where);
}

Array empty_like(const Array& a, std::optional<DType> dtype, std::source_location where) {
  const ArrayState& state = checked_state(Call{"empty_like", where}, a);
  return empty(state.shape, dtype_or_own(state, dtype), where);
}

Array full_like(const Array& a, const Operand& value, std::optional<DType> dtype) {
  const ArrayState& state = checked_state(Call{"full_like", value.where()}, a);
  return full(state.shape, value, dtype_or_own(state, dtype));
}

Array eye(std::int64_t n, std::optional<std::int64_t> columns, std::int64_t k, DType dtype,
          std::source_location where) {
  const Call call{"eye", where};
  check_shape(call, {n, columns.value_or(n)}, dtype);
  const Array row = arange(Operand(n, where)), column = arange(Operand(columns.value_or(n), where));
  const Array from_row = expand_dims(row, 1, where) + Operand(k, where);
  return (Operand(from_row, where) == Operand(column, where)).astype(dtype, where);
}

Array identity(std::int64_t n, DType dtype, std::source_location where) {
  return eye(n, {}, 0, dtype, where);
}

Array roll(const Array& a, std::int64_t shift, std::source_location where) {
  const Call call{"roll", where};
  const ArrayState& state = checked_state(call, a);
  if (state.shape.rank() == 1) return rolled(call, a, shift, 0);
  const Shape shape = state.shape;
  return rolled(call, ravel(a, where), shift, 0).reshape(shape, where);
}

Array roll(const Array& a, const std::vector<std::int64_t>& shifts, Axes axes, std::source_location where) {
  const Call call{"roll", where};
  const int rank = checked_state(call, a).shape.rank();
  if (static_cast<int>(shifts.size()) != axes.count() || axes.count() > kMaxAxes) {
    fail<ValueError>(call, shifts.size(), " shifts for ", axes.count(), " axes: give one for each");
  }
  for (int place = 0; place < axes.count(); ++place) static_cast<void>(checked_axis(call, axes[place], rank));
  Array result = shifts.empty() ? a.copy(where) : a;
  for (int place = 0; place < axes.count(); ++place)
    result = rolled(call, result, shifts[static_cast<std::size_t>(place)], checked_axis(call, axes[place], rank));
  return result;
}

Array roll(const Array& a, std::int64_t shift, Axis axis, std::source_location where) {
  const Call call{"roll", where};
  return rolled(call, a, shift, checked_axis(call, axis, checked_state(call, a).shape.rank()));
}

namespace {

Array flipped(const Call& call, const Array& a, const Axes& axes) {
  const int rank = checked_state(call, a).shape.rank();
  std::uint8_t turned = 0;
  for (int place = 0; place < (axes.given() ? std::min(axes.count(), kMaxAxes) : rank); ++place) {
    const int axis = axes.given() ? checked_axis(call, axes[place], rank) : place;
    if (turned >> axis & 1) fail<ValueError>(call, "axis ", axis, " is named twice: name each axis once");
    turned = static_cast<std::uint8_t>(turned | 1u << axis);
  }
  Array result = a;
  for (int axis = 0; axis < rank; ++axis) {
    if (!(turned >> axis & 1)) continue;
    const ArrayState& state = *ArrayAccess::state(result);
    const std::int64_t extent = state.shape[axis];
    if (extent > 1) result = part_of_axis(state, axis, extent - 1, extent, -1);
  }
  return result;
}

}  // namespace

Array flip(const Array& a, Axes axes, std::source_location where) {
  return flipped(Call{"flip", where}, a, axes);
}

Array flipud(const Array& a, std::source_location where) {
  return flipped(Call{"flipud", where}, a, 0);
}

Array fliplr(const Array& a, std::source_location where) {
  return flipped(Call{"fliplr", where}, a, 1);
}

namespace {

std::vector<Array> cast_all(const Call& call, const std::vector<Array>& arrays, DType dtype) {
  std::vector<Array> cast;
  for (const Array& array : arrays) {
    cast.push_back(checked_state(call, array).dtype() == dtype ? array : array.astype(dtype, call.where));
  }
  return cast;
}

}  // namespace

Array concatenate(const std::vector<Array>& arrays, std::optional<Axis> axis, std::source_location where) {
  const Call call{"concatenate", where};
  if (axis) return concatenated(call, arrays, *axis);
  std::vector<Array> flat;
  for (const Array& array : arrays) {
    static_cast<void>(checked_state(call, array));
    flat.push_back(ravel(array, where));
  }
  return concatenated(call, flat, 0);
}

Array concatenate(const std::vector<Array>& arrays, std::optional<Axis> axis, DType dtype, std::source_location where) {
  return concatenate(cast_all(Call{"concatenate", where}, arrays, dtype), axis, where);
}

Array stack(const std::vector<Array>& arrays, Axis axis, DType dtype, std::source_location where) {
  return stack(cast_all(Call{"stack", where}, arrays, dtype), axis, where);
}

Array stack(const std::vector<Array>& arrays, Axis axis, std::source_location where) {
  const Call call{"stack", where};
  static_cast<void>(common_dtype_of(call, arrays));
  const Shape& first = arrays[0].shape();
  const int along = checked_axis(call, axis, first.rank() + 1);
  std::vector<Array> longer;
  for (const Array& array : arrays) {
    if (array.shape() != first) {
      fail<ShapeError>(call, "shapes ", first, " and ", array.shape(), " cannot be stacked: they must agree");
    }
    longer.push_back(expand_dims(array, along, where));
  }
  return concatenated(call, longer, along);
}

Array vstack(const std::vector<Array>& arrays, std::source_location where) {
  const Call call{"vstack", where};
  static_cast<void>(common_dtype_of(call, arrays));
  std::vector<Array> rows;
  for (const Array& array : arrays) {
    const Array row = array.ndim() == 0 ? expand_dims(array, 0, where) : array;
    rows.push_back(row.ndim() == 1 ? expand_dims(row, 0, where) : row);
  }
  return concatenated(call, rows, 0);
}

Array hstack(const std::vector<Array>& arrays, std::source_location where) {
  const Call call{"hstack", where};
  static_cast<void>(common_dtype_of(call, arrays));
  std::vector<Array> parts;
  for (const Array& array : arrays) parts.push_back(array.ndim() == 0 ? expand_dims(array, 0, where) : array);
  return concatenated(call, parts, parts[0].ndim() == 1 ? 0 : 1);
}

Array expand_dims(const Array& a, Axis axis, std::source_location where) {
  const Call call{"expand_dims", where};
  const ArrayState& state = checked_state(call, a);
  const int at = checked_axis(call, axis, state.shape.rank() + 1);
  Shape shape;
  for (int k = 0; k <= state.shape.rank(); ++k) {
    if (k == at) shape.push_back(1);
    if (k < state.shape.rank()) shape.push_back(state.shape[k]);
  }
  return a.reshape(shape, where);
}

Array expand_dims(const Array& a, std::initializer_list<int> axes, std::source_location where) {
  const Call call{"expand_dims", where};
  const Shape& own = checked_state(call, a).shape;
  const int rank = own.rank() + static_cast<int>(axes.size());
  if (rank > kMaxAxes) fail<ShapeError>(call, rank, " axes are more than an array can have: ", kMaxAxes, " at most");
  unsigned added = 0;
  for (const int axis : axes) {
    const unsigned bit = 1U << checked_axis(call, axis, rank);
    if (added & bit) fail<ValueError>(call, "axis ", axis, " is named twice: name each axis once");
    added |= bit;
  }
  Shape shape;
  for (int axis = 0, k = 0; axis < rank; ++axis) shape.push_back(added >> axis & 1 ? 1 : own[k++]);
  return a.reshape(shape, where);
}

Array squeeze(const Array& a, Axes axes, std::source_location where) {
  const Call call{"squeeze", where};
  const ArrayState& state = checked_state(call, a);
  // As in NumPy an array without axes has axis 0 and -1 here.
  if (state.shape.rank() == 0 && axes.is_number() && (axes[0] == 0 || axes[0] == -1)) return a;
  std::uint8_t gone = 0;
  for (int place = 0; axes.given() && place < std::min(axes.count(), kMaxAxes); ++place) {
    const int axis = checked_axis(call, axes[place], state.shape.rank());
    if (state.shape[axis] != 1) {
      fail<ValueError>(call, "axis ", axis, " of shape ", state.shape, " is longer than 1 and cannot be squeezed");
    }
    gone = static_cast<std::uint8_t>(gone | 1u << axis);
  }
  Shape shape;
  for (int axis = 0; axis < state.shape.rank(); ++axis) {
    if (axes.given() ? !(gone >> axis & 1) : state.shape[axis] != 1) shape.push_back(state.shape[axis]);
  }
  return a.reshape(shape, where);
}

Array moveaxis(const Array& a, Axis source, Axis destination, std::source_location where) {
  const Call call{"moveaxis", where};
  const int rank = checked_state(call, a).shape.rank();
  const int from = checked_axis(call, source, rank), to = checked_axis(call, destination, rank);
  std::vector<int> order;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != from) order.push_back(axis);
  }
  order.insert(order.begin() + to, from);
  return a.transpose(Axes(std::span<const int>(order)), where);
}

Array moveaxis(const Array& a, std::initializer_list<int> sources, std::initializer_list<int> destinations,
               std::source_location where) {
  const Call call{"moveaxis", where};
  const int rank = checked_state(call, a).shape.rank();
  if (sources.size() != destinations.size()) {
    fail<ValueError>(call, sources.size(), " axes for ", destinations.size(), " places: give as many of both");
  }
  std::array<int, kMaxAxes> at{};  // by axis of the result: the array's
  at.fill(-1);
  unsigned moved = 0;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const int from = checked_axis(call, sources.begin()[k], rank),
              to = checked_axis(call, destinations.begin()[k], rank);
    if (moved >> from & 1 || at[static_cast<std::size_t>(to)] >= 0)
      fail<ValueError>(call, "an axis is named twice: name each axis and each place once");
    moved |= 1U << from;
    at[static_cast<std::size_t>(to)] = from;
  }
  std::vector<int> order;
  for (int axis = 0, next = 0; axis < rank; ++axis) {
    int from = at[static_cast<std::size_t>(axis)];
    if (from < 0) {
      while (moved >> next & 1) ++next;
      from = next++;
    }
    order.push_back(from);
  }
  return a.transpose(Axes(std::span<const int>(order)), where);
}

Array swapaxes(const Array& a, Axis axis1, Axis axis2, std::source_location where) {
  const Call call{"swapaxes", where};
  const int rank = checked_state(call, a).shape.rank();
  std::vector<int> order;
  for (int axis = 0; axis < rank; ++axis) order.push_back(axis);
  std::swap(order[static_cast<std::size_t>(checked_axis(call, axis1, rank))],
            order[static_cast<std::size_t>(checked_axis(call, axis2, rank))]);
  return a.transpose(Axes(std::span<const int>(order)), where);
}

Array diff(const Array& a, int n, Axis axis, std::source_location where) {
  const Call call{"diff", where};
  const ArrayState& state = checked_state(call, a);
  if (n < 0) fail<ValueError>(call, "n is ", n, ": it must be 0 or more");
  if (n == 0) return a.copy(where);
  if (state.shape.rank() == 0) fail<ValueError>(call, "an array without axes has no differences");
  const int along = checked_axis(call, axis, state.shape.rank());
  Array result = a;
  for (int round = 0; round < n; ++round) {
    const ArrayState& now = *ArrayAccess::state(result);
    const std::int64_t left = std::max<std::int64_t>(now.shape[along] - 1, 0);
    const Array after = part_of_axis(now, along, std::min<std::int64_t>(1, now.shape[along]), left);
    const Array before = part_of_axis(now, along, 0, left);
    const Operand x(after, where), y(before, where);
    result = result.dtype() == DType::Bool ? x != y : x - y;
  }
  return result;
}

Array diff(const Array& a, int n, Axis axis, const std::optional<Operand>& prepend,
           const std::optional<Operand>& append, std::source_location where) {
  const Call call{"diff", where};
  const Shape& shape = checked_state(call, a).shape;
  if (n < 0) fail<ValueError>(call, "n is ", n, ": it must be 0 or more");
  if (shape.rank() == 0) fail<ValueError>(call, "an array without axes has no differences");
  const int along = checked_axis(call, axis, shape.rank());
  const auto beside = [&](const Operand& cells) {
    Shape one = shape;
    one[along] = 1;
    if (cells.kind() != Operand::Kind::Array) {
      const Operand own(a, where);
      const Operand* const both[] = {&own, &cells};
      return full(one, cells, common_dtype(both));
    }
    return checked_state(call, cells.array()).shape.rank() == 0 ? broadcast_to(cells.array(), one, where)
                                                                : cells.array();
  };
  std::vector<Array> parts;
  if (prepend) parts.push_back(beside(*prepend));
  parts.push_back(a);
  if (append) parts.push_back(beside(*append));
  return diff(parts.size() == 1 ? a : concatenated(call, parts, along), n, along, where);
}

}  // namespace pilum::numeric
