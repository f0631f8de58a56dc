#include "numeric/masks.h"

#include <algorithm>

#include "numeric/gpu_masks.h"
#include "numeric/library_task.h"
#include "numeric/mask_body.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/projection.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

// On ranks, a mask and its cells: not many more bytes than an array has that is not cut.
bool are_seen_by_all(const Call& call, const Array& mask, std::int64_t cell_bytes) {
  constexpr std::int64_t kMost = 6 << 20, kTimesUncut = 32;
  return mask.size() * (cell_bytes + 1) < std::min(kMost, kTimesUncut * recorder_of(call).processors().split_bytes);
}

Array compressed(const Call& call, const Array& mask, const Array* array, const TrueCount& count) {
  const DType dtype = array ? array->dtype() : DType::Int64;
  const Array out = make_array(recorder_of(call).make_store(Shape{count->count}, dtype, call.name, call.where));
  if (count->count == 0) return out;
  if (!count->before.empty()) {
    compress_blocks(call, out, mask, array, count);
    return out;
  }
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
  launch(call, body, out.shape(), arguments);
  return out;
}

}  // namespace

// Programs index several arrays by one mask: it is counted and waited for once.
TrueCount count_true(const Call& call, const Array& mask) {
  if (mask.size() == 0) return std::make_shared<scheduler::TrueCells>();
  const ArrayState& state = *ArrayAccess::state(mask);
  scheduler::Store& store = state.store();
  const bool is_whole = !state.is_part;
  if (is_whole && store.true_cells) return store.true_cells;
  auto count = std::make_shared<scheduler::TrueCells>();
  if (is_counted_by_blocks(call, mask)) {
    *count = count_blocks(call, mask);
  } else {
    count->count = count_nonzero(mask, {}, false, call.where).item<std::int64_t>(call.where);
  }
  if (is_whole) store.true_cells = count;
  return count;
}

Array true_places(const Call& call, const Array& mask, const TrueCount& count) {
  return compressed(call, mask, nullptr, count);
}

Array true_cells(const Call& call, const Array& mask, const Array& array, const TrueCount& count) {
  return compressed(call, mask, &array, count);
}

bool are_spread(const Call& call, const Array& mask, std::int64_t cell_bytes) {
  const auto processors = recorder_of(call).processors();
  if (processors.are_gpus) return false;
  return processors.ranks == 1 || is_counted_by_blocks(call, mask) || are_seen_by_all(call, mask, cell_bytes);
}

void write_true_cells(const Call& call, const Array& mask, const Array& array, const Array& values,
                      const TrueCount& count) {
  using pilum::detail::Access;
  if (values.size() == 0) return;
  if (!count->before.empty()) return spread_blocks(call, array, mask, values, count);
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
