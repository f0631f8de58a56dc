#include "numeric/masks.h"

#include <algorithm>

#include "numeric/gpu_masks.h"
#include "numeric/library_task.h"
#include "numeric/mask_body.h"
#include "numeric/picked_cells.h"
#include "numeric/record.h"
#include "numeric/scan_body.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/projection.h"
#include "pilum/scan.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

// On ranks, a mask and its cells: not many more bytes than an array has that is not cut.
bool are_seen_by_all(const Call& call, const Array& mask, std::int64_t cell_bytes) {
  constexpr std::int64_t kMost = 6 << 20, kTimesUncut = 32;
  return mask.size() * (cell_bytes + 1) < std::min(kMost, kTimesUncut * recorder_of(call).processors().split_bytes);
}

// Of cells, row-major: what those before each one sum to.
Array sums_before(const Call& call, const Array& cells) {
  const int last = cells.ndim() - 1;
  const Operand own(cells, call.where);
  Array before = subtract(Operand(cumsum(cells, last, {}, call.where), call.where), own);
  if (last == 0) return before;
  const Array rows = sums_before(call, sum(cells, last, false, call.where));
  return add(Operand(before, call.where), Operand(expand_dims(rows, last, call.where), call.where));
}

// On several ranks, of masks that are long enough for scans to be cut: the true cells of each part of the mask are
// written to where their number says, which mostly is near; nobody sees the whole mask. That takes some five passes
// over numbers of cells: all ranks have all of what is smaller sooner.
bool is_written(const Call& call, const Array& mask, std::int64_t cell_bytes) {
  const auto processors = recorder_of(call).processors();
  if (processors.ranks == 1 || processors.are_gpus || mask.size() < kScanCutFrom) return false;
  if (are_seen_by_all(call, mask, cell_bytes)) return false;
  return mask.ndim() == 1 || mask.shape()[0] >= std::int64_t{4} * processors.count;
}

Array written_by_number(const Call& call, const Array& mask, const Array& values, std::int64_t count) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Array number = sums_before(call, mask.astype(DType::Int64, call.where));
  PickedCells picked;
  picked.array = empty(Shape{count}, values.dtype(), call.where);
  picked.follows = {-1};
  picked.indices = {where(here(mask), here(number), here(-1))};
  picked.shape = picked.points = mask.shape();
  picked.skips = picked.is_cut = true;
  write_picked(call, picked, PickedWrite::Assign, values);
  return picked.array;
}

// The number of each cell, row-major.
Array cell_numbers(const Call& call, const Shape& shape) {
  Array numbers = record_index(call, shape, 0, DType::Int64);
  for (int axis = 1; axis < shape.rank(); ++axis) {
    const Array outer = multiply(Operand(numbers, call.where), Operand(shape[axis], call.where));
    numbers = add(Operand(outer, call.where), Operand(record_index(call, shape, axis, DType::Int64), call.where));
  }
  return numbers;
}

Array compressed(const Call& call, const Array& mask, const Array* array, std::int64_t count) {
  const DType dtype = array ? array->dtype() : DType::Int64;
  if (count > 0 && is_written(call, mask, array ? static_cast<std::int64_t>(itemsize(dtype)) : 0))
    return written_by_number(call, mask, array ? *array : cell_numbers(call, mask.shape()), count);
  const Array out = make_array(recorder_of(call).make_store(Shape{count}, dtype, call.name, call.where));
  if (count == 0) return out;
  using pilum::detail::Access;
  LibraryBody body{compress_cells, {array ? static_cast<std::int64_t>(itemsize(dtype)) : 0, mask.ndim()}};
  std::vector<pilum::detail::StoreArgument> arguments;
  const auto add = [&](const Array& one, Access access, const Projection& projection) {
    body.parameters.push_back(array_parameter(one, access));
    arguments.push_back({one, access, projection, Fold::Sum});
  };
  add(out, Access::Write, {});
  add(mask, Access::Read, Projection(Projection::Kind::Whole));
  if (array) add(*array, Access::Read, Projection(Projection::Kind::Whole));
  if (recorder_of(call).processors().are_gpus) {
    body.issue = issue_masked;
    body.scratch = masked_scratch;
  }
  launch(call, body, Shape{count}, arguments);
  return out;
}

}  // namespace

// Programs index several arrays by one mask: it is counted and waited for once.
std::int64_t count_true(const Call& call, const Array& mask) {
  if (mask.size() == 0) return 0;
  const ArrayState& state = *ArrayAccess::state(mask);
  scheduler::Store& store = state.store();
  const bool is_whole = !state.is_part;
  if (is_whole && store.true_cells >= 0) return store.true_cells;
  const auto count = count_nonzero(mask, {}, false, call.where).item<std::int64_t>(call.where);
  if (is_whole) store.true_cells = count;
  return count;
}

Array true_places(const Call& call, const Array& mask, std::int64_t count) {
  return compressed(call, mask, nullptr, count);
}

Array true_cells(const Call& call, const Array& mask, const Array& array, std::int64_t count) {
  return compressed(call, mask, &array, count);
}

bool are_spread(const Call& call, const Array& mask, std::int64_t cell_bytes) {
  const auto processors = recorder_of(call).processors();
  if (processors.are_gpus) return false;
  return processors.ranks == 1 || are_seen_by_all(call, mask, cell_bytes);
}

void write_true_cells(const Call& call, const Array& mask, const Array& array, const Array& values) {
  using pilum::detail::Access;
  if (values.size() == 0) return;
  LibraryBody body{spread_cells, {static_cast<std::int64_t>(itemsize(array.dtype())), mask.ndim()}};
  std::vector<pilum::detail::StoreArgument> arguments;
  const auto add = [&](const Array& one, Access access, const Projection& projection) {
    body.parameters.push_back(array_parameter(one, access));
    arguments.push_back({one, access, projection, Fold::Sum});
  };
  add(array, Access::ReadWrite, {});
  add(mask, Access::Read, Projection(Projection::Kind::Whole));
  add(values, Access::Read, Projection(Projection::Kind::Whole));
  launch(call, body, array.shape(), arguments);
}

std::vector<Array> true_coordinates(const Call& call, const Array& mask) {
  Array places = true_places(call, mask, count_true(call, mask));
  std::vector<Array> coordinates(static_cast<std::size_t>(mask.ndim()));
  for (int axis = mask.ndim() - 1; axis > 0; --axis) {
    const Operand extent(mask.shape()[axis], call.where);
    coordinates[u(axis)] = remainder(Operand(places, call.where), extent);
    places = floor_divide(Operand(places, call.where), extent);
  }
  coordinates[0] = places;
  return coordinates;
}

}  // namespace pilum::numeric
