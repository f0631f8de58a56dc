// Arrays as sets, and cells in the order of several keys: what sorts, and looks at neighbours.
#include "pilum/sets.h"

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/masks.h"
#include "numeric/shapes.h"
#include "pilum/bins.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/scan.h"
#include "pilum/selection.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

Array kept(const Call& call, const Array& mask, const Array& cells) {
  return true_cells(call, mask, cells, count_true(call, mask));
}

// Whether each cell of a line but the first differs from the one before it.
Array differs(const Call& call, const Array& line) {
  const Array after = part_of_axis(line, 0, 1, line.size() - 1), before = part_of_axis(line, 0, 0, line.size() - 1);
  return Operand(after, call.where) != Operand(before, call.where);
}

// The different cells of both, one behind the other, sorted: what is in both stands twice.
Array both_sorted(const Call& call, const Array& a, const Array& b) {
  static_cast<void>(checked_state(call, a));
  static_cast<void>(checked_state(call, b));
  return sort(concatenate({unique(a, call.where), unique(b, call.where)}, 0, call.where), -1, call.where);
}

Array in_place_order(const Call& call, const Array& a, std::int64_t kth, std::optional<int> axis, bool places) {
  const Shape& shape = checked_state(call, a).shape;
  const std::int64_t extent = axis ? shape[checked_axis(call, *axis, shape.rank())] : a.size();
  if (a.size() > 0 && (kth < -extent || kth >= extent))
    fail<ValueError>(call, "there is no place ", kth, " in the order of ", extent, " cells");
  return places ? argsort(a, axis, call.where) : sort(a, axis, call.where);
}

}  // namespace

Array union1d(const Array& a, const Array& b, std::source_location where) {
  const Call call{"union1d", where};
  static_cast<void>(checked_state(call, a));
  static_cast<void>(checked_state(call, b));
  return unique(concatenate({ravel(a, where), ravel(b, where)}, 0, where), where);
}

Array intersect1d(const Array& a, const Array& b, std::source_location where) {
  const Call call{"intersect1d", where};
  const Array line = both_sorted(call, a, b);
  if (line.size() < 2) return empty({0}, line.dtype(), where);
  const Array after = part_of_axis(line, 0, 1, line.size() - 1), before = part_of_axis(line, 0, 0, line.size() - 1);
  const Array same = Operand(after, where) == Operand(before, where);
  return kept(call, same, before);
}

Array setdiff1d(const Array& a, const Array& b, std::source_location where) {
  const Call call{"setdiff1d", where};
  static_cast<void>(checked_state(call, a));
  static_cast<void>(checked_state(call, b));
  Array values = unique(a, where);
  if (values.size() == 0) return values;
  const Array among = isin(Operand(values, where), b);
  return kept(call, logical_not(Operand(among, where)), values);
}

Array setxor1d(const Array& a, const Array& b, std::source_location where) {
  const Call call{"setxor1d", where};
  Array line = both_sorted(call, a, b);
  if (line.size() < 2) return line;
  const Array is_new = ones({line.size() + 1}, DType::Bool, where);
  part_of_axis(is_new, 0, 1, line.size() - 1) = Operand(differs(call, line), where);
  const Array here = part_of_axis(is_new, 0, 0, line.size()), after = part_of_axis(is_new, 0, 1, line.size());
  return kept(call, Operand(here, where) & Operand(after, where), line);
}

namespace {

// Of `size` parts in this order, of which those are marked that differ from the one before.
struct Groups {
  Array places;  // of the marked ones in the order
  Array inverse, counts;
};

Groups groups_of(const Call& call, const Array& order, const Array& is_first) {
  const std::source_location where = call.where;
  const std::int64_t size = order.size();
  const Array which = Operand(cumsum(is_first, 0, DType::Int64, where), where) - Operand(1, where);
  Groups groups{true_places(call, is_first, count_true(call, is_first)), empty({size}, DType::Int64, where), {}};
  put_along_axis(groups.inverse, order, Operand(which, where), 0);
  const Array end = full({1}, Operand(size, where));
  groups.counts = diff(concatenate({groups.places, end}, 0, where), 1, 0, where);
  return groups;
}

// The order of rows by their cells, the first one before all.
Array order_of_rows(const Array& rows, std::source_location where) {
  const std::int64_t count = rows.shape()[0], width = rows.shape()[1];
  Array order = arange(Operand(count, where));
  for (std::int64_t column = width; column-- > 0;) {
    const Array key = part_of_axis(rows, 1, column, 1).reshape(Shape{count}, where);
    const Array turned = take(key, order, 0, IndexMode::Raise, where);
    order = take(order, argsort(turned, -1, where), 0, IndexMode::Raise, where);
  }
  return order;
}

}  // namespace

Unique unique_all(const Array& a, std::source_location where) {
  const Call call{"unique_all", where};
  const Shape shape = checked_state(call, a).shape;
  const Array line = ravel(a, where);
  const std::int64_t size = line.size();
  if (size == 0) {
    const Array none = empty({0}, DType::Int64, where);
    return {empty({0}, a.dtype(), where), none, empty(shape, DType::Int64, where), none};
  }
  const Array order = argsort(line, -1, where), sorted = take(line, order, 0, IndexMode::Raise, where);
  const Array is_first = ones({size}, DType::Bool, where);
  if (size > 1) part_of_axis(is_first, 0, 1, size - 1) = Operand(differs(call, sorted), where);
  const Groups groups = groups_of(call, order, is_first);
  return {take(sorted, groups.places, 0, IndexMode::Raise, where),
          take(order, groups.places, 0, IndexMode::Raise, where), groups.inverse.reshape(shape, where), groups.counts};
}

Unique unique_all(const Array& a, Axis axis, std::source_location where) {
  const Call call{"unique_all", where};
  const Shape shape = checked_state(call, a).shape;
  const int along = checked_axis(call, axis, shape.rank());
  if (shape.rank() == 0) return unique_all(a, where);
  const std::int64_t size = shape[along];
  const Array parts = moveaxis(a, along, 0, where);
  if (size == 0) {
    const Array none = empty({0}, DType::Int64, where);
    return {a.copy(where), none, none, none};
  }
  const Array rows = parts.reshape(Shape{size, a.size() / size}, where);
  const Array order = order_of_rows(rows, where), sorted = take(rows, order, 0, IndexMode::Raise, where);
  const Array is_first = ones({size}, DType::Bool, where);
  if (size > 1) {
    const Array after = part_of_axis(sorted, 0, 1, size - 1), before = part_of_axis(sorted, 0, 0, size - 1);
    const Array differ = Operand(after, where) != Operand(before, where);
    part_of_axis(is_first, 0, 1, size - 1) = Operand(any(differ, 1, false, where), where);
  }
  const Groups groups = groups_of(call, order, is_first);
  const Array values = take(sorted, groups.places, 0, IndexMode::Raise, where);
  Shape last{values.shape()[0]};
  for (int k = 1; k < parts.ndim(); ++k) last.push_back(parts.shape()[k]);
  return {moveaxis(values.reshape(last, where), 0, along, where).copy(where),
          take(order, groups.places, 0, IndexMode::Raise, where), groups.inverse, groups.counts};
}

Array unique(const Array& a, Axis axis, std::source_location where) {
  return unique_all(a, axis, where).values;
}

Array unique_values(const Array& a, std::source_location where) {
  return unique_counts(a, where).first;
}

std::pair<Array, Array> unique_inverse(const Array& a, std::source_location where) {
  const Unique found = unique_all(a, where);
  return {found.values, found.inverse_indices};
}

Array lexsort(const std::vector<Array>& keys, Axis axis, std::source_location where) {
  const Call call{"lexsort", where};
  if (keys.empty()) fail<ValueError>(call, "there are no keys: give one at least");
  const Shape& shape = checked_state(call, keys[0]).shape;
  for (const Array& key : keys) {
    if (checked_state(call, key).shape != shape)
      fail<ShapeError>(call, "keys of shapes ", shape, " and ", key.shape(), " do not order the same cells");
  }
  if (shape.rank() == 0) fail<ShapeError>(call, "keys without axes order nothing: key.reshape({1}) has one");
  const int along = checked_axis(call, axis, shape.rank());
  Array order = argsort(keys[0], along, where);
  for (std::size_t k = 1; k < keys.size(); ++k) {
    const Array key = take_along_axis(keys[k], order, along, where);
    order = take_along_axis(order, argsort(key, along, where), along, where);
  }
  return order;
}

Array partition(const Array& a, std::int64_t kth, std::optional<Axis> axis, std::source_location where) {
  return in_place_order(Call{"partition", where}, a, kth, axis, /*places=*/false);
}

Array argpartition(const Array& a, std::int64_t kth, std::optional<Axis> axis, std::source_location where) {
  return in_place_order(Call{"argpartition", where}, a, kth, axis, /*places=*/true);
}

}  // namespace pilum::numeric
