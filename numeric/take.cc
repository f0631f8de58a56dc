// take, put and their relatives: indices by functions.
#include <algorithm>
#include <optional>
#include <vector>

#include "numeric/library_task.h"
#include "numeric/masks.h"
#include "numeric/picked_cells.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

// Cells of `a` read row-major.
PickedCells pick_flat(const Call& call, const Array& a, const Array& indices, IndexMode mode) {
  PickedCells picked;
  check_indices(call, indices);
  picked.array = a;
  picked.shape = picked.points = indices.ndim() ? indices.shape() : Shape{1};
  picked.mode = mode;
  picked.indices = {indices};
  return picked;
}

Array with_axis(const Array& a, std::source_location where) {
  return a.ndim() ? a : a.reshape(Shape{1}, where);
}

Array as_mask(const Array& a, std::source_location where) {
  return a.dtype() == DType::Bool ? a : not_equal(Operand(a, where), Operand(0, where));
}

PickedCells pick_along(const Call& call, const Array& a, const Array& indices, int axis) {
  const ArrayState& array = checked_state(call, a);
  check_indices(call, indices);
  const int rank = array.shape.rank();
  axis = checked_axis(call, axis, rank);
  if (indices.ndim() != rank) {
    fail<ValueError>(call, "the indices have shape ", indices.shape(), " and the array ", array.shape,
                     ": they must have as many axes");
  }
  Shape cells = array.shape;
  PickedCells picked;
  for (int k = 0; k < rank; ++k) {
    const std::int64_t other = indices.shape()[k];
    if (k == axis) {
      picked.shape.push_back(other);
      continue;
    }
    if (other != cells[k] && other != 1 && cells[k] != 1) {
      fail<IndexError>(call, "the indices' shape ", indices.shape(), " does not broadcast to the array's ", array.shape,
                       " along axis ", k, ": give them the same extent, or 1");
    }
    cells[k] = cells[k] == 1 ? other : cells[k];
    picked.shape.push_back(cells[k]);
  }
  picked.array = broadcast_to(a, cells, call.where);
  picked.points = picked.shape;
  picked.indices = {indices};
  for (int k = 0; k < rank; ++k) picked.follows.push_back(k == axis ? -1 : k);
  return picked;
}

// A number as an array without axes, in the name of the call.
Array number_of(const Call& call, const Operand& number, DType dtype) {
  const Array cell = empty(Shape{}, dtype, call.where);
  const Operand* const operands[] = {&number};
  record_into(call, Rule{kernel::Op::Cast, dtype, dtype}, operands, *ArrayAccess::state(cell));
  return cell;
}

void write_values(const Call& call, const PickedCells& picked, PickedWrite write, const Operand& values) {
  const DType dtype = picked.array.dtype();
  const bool is_array = values.kind() == Operand::Kind::Array;
  if (is_array) {
    const ArrayState& given = checked_state(call, values.array());
    if (write != PickedWrite::Assign && !casts_within_kind(given.dtype(), dtype)) {
      fail<DTypeError>(call, "values of ", given.dtype(), " cannot be folded into an array of ", dtype,
                       ": cast them with astype, or the array");
    }
    if (!broadcasts_to(given.shape, picked.shape)) {
      fail<ShapeError>(call, "values of shape ", given.shape, " do not broadcast to the ", picked.shape,
                       " cells that are named: give them that shape, or extents of 1");
    }
    return write_picked(call, picked, write,
                        given.dtype() == dtype ? values.array() : values.array().astype(dtype, call.where));
  }
  write_picked(call, picked, write, number_of(call, values, dtype));
}

void fold_at(const char* name, PickedWrite write, const Array& a, const std::vector<Array>& indices,
             const Operand& values) {
  const Call call{name, values.where()};
  const ArrayState& array = checked_state(call, a);
  if (write == PickedWrite::Minimum || write == PickedWrite::Maximum) refuse_complex(call, array.dtype());
  if (indices.empty() || static_cast<int>(indices.size()) > array.shape.rank()) {
    fail<IndexError>(call, indices.size(), " index arrays for shape ", array.shape, ", which has ", array.shape.rank(),
                     " axes: give 1 to ", array.shape.rank());
  }
  PickedCells picked;
  picked.array = a;
  std::vector<Array> places;
  Shape points;
  for (const Array& index : indices) {
    for (const Array& one : index.dtype() == DType::Bool ? true_coordinates(call, index) : std::vector<Array>{index}) {
      check_indices(call, one);
      places.push_back(one);
      points = broadcast_shapes(call, points, one.shape());
    }
  }
  if (points.rank() == 0) points = Shape{1};
  Shape result = points;
  for (int axis = 0; axis < array.shape.rank(); ++axis) {
    if (axis < static_cast<int>(places.size())) {
      picked.follows.push_back(-1 - axis);
    } else {
      picked.follows.push_back(result.rank());
      result.push_back(array.shape[axis]);
    }
  }
  check_shape(call, result, array.dtype());
  picked.shape = result;
  picked.points = points;
  picked.behind = result.rank() - points.rank();
  picked.indices = std::move(places);
  write_values(call, picked, write, values);
}

}  // namespace

Array take(const Array& a, const Array& indices, std::optional<Axis> axis, IndexMode mode, std::source_location where) {
  const Call call{"take", where};
  const ArrayState& array = checked_state(call, a);
  if (!axis) {
    const Array cells = with_axis(a, where);
    const Array result = read_picked(call, pick_flat(call, cells, indices, mode));
    return indices.ndim() ? result : result.reshape(Shape{}, where);
  }
  const int at = checked_axis(call, *axis, array.shape.rank());
  check_indices(call, indices);
  const Shape points = indices.ndim() ? indices.shape() : Shape{1};
  PickedCells picked;
  picked.array = a;
  picked.mode = mode;
  for (int k = 0; k < array.shape.rank(); ++k) {
    if (k == at) {
      picked.follows.push_back(-1);
      for (const std::int64_t extent : points) picked.shape.push_back(extent);
    } else {
      picked.follows.push_back(picked.shape.rank());
      picked.shape.push_back(array.shape[k]);
    }
  }
  check_shape(call, picked.shape, array.dtype());
  picked.points = points;
  picked.behind = array.shape.rank() - at - 1;
  picked.indices = {indices};
  const Array result = read_picked(call, picked);
  return indices.ndim() ? result : squeeze(result, at, where);
}

void put(const Array& a, const Array& indices, const Operand& values, IndexMode mode) {
  const Call call{"put", values.where()};
  static_cast<void>(checked_state(call, a));
  write_values(call, pick_flat(call, with_axis(a, call.where), indices, mode), PickedWrite::Assign, values);
}

Array take_along_axis(const Array& a, const Array& indices, Axis axis, std::source_location where) {
  const Call call{"take_along_axis", where};
  return read_picked(call, pick_along(call, a, indices, axis));
}

void put_along_axis(const Array& a, const Array& indices, const Operand& values, Axis axis) {
  const Call call{"put_along_axis", values.where()};
  PickedCells picked = pick_along(call, a, indices, axis);
  write_values(call, picked, PickedWrite::Assign, values);
}

void add_at(const Array& a, const Array& indices, const Operand& values) {
  fold_at("add_at", PickedWrite::Add, a, {indices}, values);
}
void add_at(const Array& a, const std::vector<Array>& indices, const Operand& values) {
  fold_at("add_at", PickedWrite::Add, a, indices, values);
}
void multiply_at(const Array& a, const Array& indices, const Operand& values) {
  fold_at("multiply_at", PickedWrite::Multiply, a, {indices}, values);
}
void multiply_at(const Array& a, const std::vector<Array>& indices, const Operand& values) {
  fold_at("multiply_at", PickedWrite::Multiply, a, indices, values);
}
void minimum_at(const Array& a, const Array& indices, const Operand& values) {
  fold_at("minimum_at", PickedWrite::Minimum, a, {indices}, values);
}
void minimum_at(const Array& a, const std::vector<Array>& indices, const Operand& values) {
  fold_at("minimum_at", PickedWrite::Minimum, a, indices, values);
}
void maximum_at(const Array& a, const Array& indices, const Operand& values) {
  fold_at("maximum_at", PickedWrite::Maximum, a, {indices}, values);
}
void maximum_at(const Array& a, const std::vector<Array>& indices, const Operand& values) {
  fold_at("maximum_at", PickedWrite::Maximum, a, indices, values);
}

std::vector<Array> nonzero(const Array& a, std::source_location where) {
  const Call call{"nonzero", where};
  const ArrayState& array = checked_state(call, a);
  if (array.shape.rank() == 0) fail<ValueError>(call, "the array has no axes: a.reshape({1}) has one");
  return true_coordinates(call, as_mask(a, where));
}

Array flatnonzero(const Array& a, std::source_location where) {
  const Call call{"flatnonzero", where};
  static_cast<void>(checked_state(call, a));
  const Array mask = as_mask(with_axis(a, where), where);
  return true_places(call, mask, count_true(call, mask));
}

Array argwhere(const Array& a, std::source_location where) {
  const Call call{"argwhere", where};
  const ArrayState& array = checked_state(call, a);
  if (array.shape.rank() == 0) fail<ValueError>(call, "the array has no axes: a.reshape({1}) has one");
  return stack(true_coordinates(call, as_mask(a, where)), 1, where);
}

Array compress(const Array& condition, const Array& a, std::optional<Axis> axis, std::source_location where) {
  const Call call{"compress", where};
  const ArrayState& array = checked_state(call, a);
  if (checked_state(call, condition).shape.rank() != 1)
    fail<ValueError>(call, "the condition has shape ", condition.shape(), ": give it one axis");
  const std::int64_t extent =
      axis ? array.shape[checked_axis(call, *axis, array.shape.rank())] : array.shape.elements();
  if (condition.size() > extent) {
    fail<IndexError>(call, "the condition has ", condition.size(), " cells and the array ", extent,
                     axis ? " along that axis" : "", ": give at most as many");
  }
  const Array mask = as_mask(condition, where);
  return take(a, true_places(call, mask, count_true(call, mask)), axis, IndexMode::Raise, where);
}

Array extract(const Array& condition, const Array& a, std::source_location where) {
  const Call call{"extract", where};
  const ArrayState& array = checked_state(call, a);
  if (checked_state(call, condition).shape.elements() != array.shape.elements()) {
    fail<ShapeError>(call, "the condition, of shape ", condition.shape(), ", and the array, of shape ", array.shape,
                     ", have different numbers of cells: give one for each");
  }
  Array mask = as_mask(condition, where);
  if (mask.shape() != array.shape) mask = mask.reshape(array.shape, where);
  if (array.shape.rank() == 0) return extract(mask.reshape(Shape{1}, where), a.reshape(Shape{1}, where), where);
  return true_cells(call, mask, a, count_true(call, mask));
}

namespace {

// A number among arrays, in the dtype that all of them have together.
Array number_like(const Operand& number, const std::vector<Operand>& choices) {
  std::vector<const Operand*> all;
  for (const Operand& choice : choices) all.push_back(&choice);
  return full({}, number, common_dtype(all));
}

}  // namespace

Array choose(const Array& indices, const std::vector<Operand>& choices, IndexMode mode, std::source_location where) {
  const Call call{"choose", where};
  if (choices.empty()) fail<ValueError>(call, "no choices are given: give one at least");
  // A condition is the number 0 or 1 (as np.choose's).
  Array place = checked_state(call, indices).dtype() == DType::Bool ? indices.astype(DType::Int64, where) : indices;
  check_indices(call, place);
  for (const Operand& choice : choices) {
    if (choice.kind() == Operand::Kind::Array) static_cast<void>(checked_state(call, choice.array()));
  }
  const auto number = [&](std::size_t value) { return Operand(static_cast<std::int64_t>(value), where); };
  const std::size_t count = choices.size();
  if (mode == IndexMode::Wrap) place = remainder(Operand(place, where), number(count));
  if (mode == IndexMode::Raise && place.size() > 0) {
    const auto least = min(place, {}, false, where).item<std::int64_t>(where);
    const auto most = max(place, {}, false, where).item<std::int64_t>(where);
    if (least < 0 || most >= static_cast<std::int64_t>(count)) {
      fail<ValueError>(call, "an index is ", least < 0 ? least : most, " and there are ", count, " choices: use 0 to ",
                       count - 1, ", or IndexMode::Wrap or Clip");
    }
  }
  // Of one choice a condition that is not needed makes a new array, of the shape that both have together.
  const Operand& last = choices[count - 1];
  Array result = last.kind() == Operand::Kind::Array ? last.array() : number_like(last, choices);
  for (std::size_t k = std::max<std::size_t>(count - 1, 1); k-- > 0;) {
    const bool is_first = k == 0 && mode == IndexMode::Clip;
    const Array named =
        is_first ? less_equal(Operand(place, where), number(0)) : equal(Operand(place, where), number(k));
    result = pilum::numeric::where(Operand(named, where), choices[k], Operand(result, where));
  }
  return result;
}

Array select(const std::vector<Array>& conditions, const std::vector<Operand>& choices, const Operand& otherwise) {
  const std::source_location where = otherwise.where();
  const Call call{"select", where};
  if (conditions.size() != choices.size() || conditions.empty()) {
    fail<ValueError>(call, conditions.size(), " conditions for ", choices.size(),
                     " choices: give as many of both, and one at least");
  }
  for (const Array& condition : conditions) {
    if (checked_state(call, condition).dtype() != DType::Bool)
      fail<DTypeError>(call, "a condition is ", condition.dtype(), ": conditions are bools, as of a > 0");
  }
  Array result = pilum::numeric::where(Operand(conditions.back(), where), choices.back(), otherwise);
  for (std::size_t k = conditions.size() - 1; k-- > 0;)
    result = pilum::numeric::where(Operand(conditions[k], where), choices[k], Operand(result, where));
  return result;
}

}  // namespace pilum::numeric
