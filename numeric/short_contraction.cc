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

bool is_short_contraction(const Array& a, const std::vector<int>& summed_a, const Array& b,
                          const std::vector<int>& summed_b) {
  constexpr std::int64_t kMostTerms = 32, kSmall = 256, kLarge = 16384;
  const bool a_is_small = a.size() <= b.size();
  const Array &small = a_is_small ? a : b, &large = a_is_small ? b : a;
  if (small.size() > kSmall || large.size() < kLarge || summed_a.empty()) return false;
  std::int64_t terms = 1;
  for (const int axis : summed_a) terms *= a.shape()[axis];
  const DType dtype = promote(a.dtype(), b.dtype());
  if (terms < 1 || terms > kMostTerms || dtype == DType::Bool || dtype == DType::Float16) return false;
  // Where lines of what is summed lie side by side in memory a library reads them better.
  const ArrayState& state = *ArrayAccess::state(large);
  return std::ranges::none_of(a_is_small ? summed_b : summed_a,
                              [&](int axis) { return state.map.store_axis_of(axis) == state.map.store_rank - 1; });
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
