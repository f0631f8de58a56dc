#include "numeric/short_contraction.h"

#include <algorithm>
#include <utility>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

std::int64_t summed_cells(const Array& array, int summed) {
  std::int64_t cells = 1;
  for (int axis = array.ndim() - summed; axis < array.ndim(); ++axis) cells *= array.shape()[axis];
  return cells;
}

// Cell k of the last axes, row-major; these are gone.
Array at(const Call& call, const Array& array, int summed, std::int64_t k) {
  Array part = array;
  for (int axis = array.ndim() - 1; axis >= array.ndim() - summed; --axis) {
    const std::int64_t extent = array.shape()[axis];
    part = squeeze(part_of_axis(part, axis, k % extent, 1), axis, call.where);
    k /= extent;
  }
  return part;
}

}  // namespace

bool is_short_contraction(const Array& left, const Array& right, int summed) {
  constexpr std::int64_t kMostTerms = 32, kSmall = 256, kTimesSmall = 64;
  const std::int64_t terms = summed_cells(left, summed);
  const bool left_is_small = left.size() <= right.size();
  const Array &small = left_is_small ? left : right, &large = left_is_small ? right : left;
  const DType dtype = promote(left.dtype(), right.dtype());
  if (summed == 0 || terms < 1 || terms > kMostTerms || small.size() > kSmall || large.size() < kTimesSmall * kSmall ||
      dtype == DType::Bool || dtype == DType::Float16)
    return false;
  // Where lines of what is summed lie side by side in memory a library reads them better.
  const ArrayState& state = *ArrayAccess::state(large);
  for (int axis = large.ndim() - summed; axis < large.ndim(); ++axis) {
    if (state.map.store_axis_of(axis) == state.map.store_rank - 1) return false;
  }
  return true;
}

Array contract_points(const Call& call, const Array& left, const Array& right, int summed) {
  Array sum;
  for (std::int64_t k = 0; k < summed_cells(left, summed); ++k) {
    const Array one = at(call, left, summed, k), other = at(call, right, summed, k);
    Array term = Operand(one, call.where) * Operand(other, call.where);
    sum = k == 0 ? std::move(term) : Operand(std::move(sum), call.where) + Operand(std::move(term), call.where);
  }
  return sum;
}

}  // namespace pilum::numeric
