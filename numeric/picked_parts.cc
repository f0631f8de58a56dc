#include "numeric/picked_parts.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/picked_shares.h"
#include "numeric/record.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

constexpr std::int64_t kLeastParts = 4, kMostParts = 256;
constexpr std::int64_t kPointsOfPart = 32768;  // along the first axis
constexpr std::int64_t kTimesCells = 16;       // as many updates as cells, of a part: these are cleared and added

std::int64_t parts_of(const PickedCells& picked) {
  const std::int64_t most =
      std::min({picked.shape[0] / kPointsOfPart,
                picked.shape.elements() / (kTimesCells * std::max<std::int64_t>(picked.array.size(), 1)), kMostParts});
  return most < 1 ? 0 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
}

// What changes no cell, not even a zero's sign.
double neutral(PickedWrite write) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return write == PickedWrite::Add ? -0.0 : write == PickedWrite::Minimum ? kInfinity : -kInfinity;
}

Array combined(const Call& call, PickedWrite write, const Array& a, const Array& b) {
  const Operand one(a, call.where), other(b, call.where);
  if (write == PickedWrite::Add) return one + other;
  return write == PickedWrite::Minimum ? minimum(one, other) : maximum(one, other);
}

// Rows `first` to `first + count` of what broadcasts to `shape`; what has one row for all stays.
Array rows_of(const Call& call, const Array& given, const Shape& shape, std::int64_t first, std::int64_t count) {
  Array whole = given;
  while (whole.ndim() < shape.rank()) whole = expand_dims(whole, 0, call.where);
  return whole.shape()[0] == 1 ? whole : part_of_axis(whole, 0, first, count);
}

// The same rows, as many to a part: (parts, rows, …).
Array in_parts(const Call& call, const Array& rows, std::int64_t parts) {
  if (rows.shape()[0] == 1) return expand_dims(rows, 0, call.where);
  Shape shape{parts, rows.shape()[0] / parts};
  for (int axis = 1; axis < rows.ndim(); ++axis) shape.push_back(rows.shape()[axis]);
  return reshape(rows, shape, call.where);
}

Shape with_first(const Shape& shape, std::int64_t first) {
  Shape changed = shape;
  changed[0] = first;
  return changed;
}

Shape joined(std::int64_t parts, const Shape& shape) {
  Shape whole{parts};
  for (const std::int64_t extent : shape) whole.push_back(extent);
  return whole;
}

// Of the first points alone.
PickedCells first_points(const Call& call, const PickedCells& picked, std::int64_t count) {
  PickedCells first = picked;
  for (Array& index : first.indices) index = rows_of(call, index, picked.points, 0, count);
  first.shape = with_first(picked.shape, count);
  first.points = with_first(picked.points, count);
  return first;
}

// The parts' cells, as updated_shares(), by one launch: a GPU has few of them in flight.
Array updated_at_once(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values,
                      const PointShares& parts) {
  const std::int64_t end = parts.count * parts.points;
  PickedCells of_parts = picked;
  of_parts.array = full(joined(parts.count, picked.array.shape()), parts.neutral, picked.array.dtype());
  split_along(of_parts.array, 0);
  of_parts.follows = {0};
  if (picked.follows.empty()) of_parts.follows.push_back(-1);
  for (const int follows : picked.follows) of_parts.follows.push_back(follows < 0 ? follows : follows + 1);
  of_parts.shape = joined(parts.count, with_first(picked.shape, parts.points));
  of_parts.points = joined(parts.count, with_first(picked.points, parts.points));
  of_parts.before = 1;
  for (Array& index : of_parts.indices)
    index = in_parts(call, rows_of(call, index, picked.points, 0, end), parts.count);
  write_picked_in_order(call, of_parts, write, in_parts(call, rows_of(call, values, picked.shape, 0, end), parts.count),
                        /*is_cut=*/true);
  return of_parts.array;
}

}  // namespace

bool is_written_in_parts(const PickedCells& picked, PickedWrite write) {
  const DType dtype = picked.array.dtype();
  const bool is_extremum = write == PickedWrite::Minimum || write == PickedWrite::Maximum;
  if (!is_inexact(dtype) || dtype == DType::Float16 || !(write == PickedWrite::Add || is_extremum)) return false;
  if (picked.follows.empty() && picked.array.ndim() != 1) return false;
  const bool has_rows = std::ranges::find(picked.follows, 0) != picked.follows.end();  // of the array, each a point's
  return !has_rows && picked.array.ndim() < kMaxAxes && picked.shape.rank() < kMaxAxes &&
         parts_of(picked) >= kLeastParts;
}

void write_in_parts(const Call& call, const PickedCells& picked, PickedWrite write, const Array& given) {
  // The last points are read when the array has changed.
  const bool is_its_own = &ArrayAccess::state(given)->store() == &ArrayAccess::state(picked.array)->store();
  const Array values = is_its_own ? given.copy(call.where) : given;
  const std::int64_t points = picked.shape[0], parts = parts_of(picked), of_part = points / parts,
                     end = parts * of_part;
  const Operand none(neutral(write), call.where);
  Array cells = recorder_of(call).processors().are_gpus
                    ? updated_at_once(call, picked, write, values, {parts, of_part, none})
                    : updated_shares(call, first_points(call, picked, end), write,
                                     rows_of(call, values, picked.shape, 0, end), {parts, of_part, none});
  for (std::int64_t left = parts; left > 1; left /= 2)
    cells = combined(call, write, part_of_axis(cells, 0, 0, left / 2, 2), part_of_axis(cells, 0, 1, left / 2, 2));
  Array target = picked.array;
  std::move(target) = Operand(combined(call, write, target, squeeze(cells, 0, call.where)), call.where);
  if (end == points) return;
  PickedCells rest = picked;
  rest.shape = with_first(picked.shape, points - end);
  rest.points = with_first(picked.points, points - end);
  for (Array& index : rest.indices) index = rows_of(call, index, picked.points, end, points - end);
  write_picked_in_order(call, rest, write, rows_of(call, values, picked.shape, end, points - end));
}

}  // namespace pilum::numeric
