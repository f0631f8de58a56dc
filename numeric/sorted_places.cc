#include "numeric/sorted_places.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "numeric/axis_parts.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

// The cells at one place of each line, in a dtype.
Array cells_at(const Call& call, const Array& sorted, std::int64_t place, DType dtype) {
  const Array cells = squeeze(part_of_axis(sorted, sorted.ndim() - 1, place, 1), -1, call.where);
  return dtype == cells.dtype() ? cells : cells.astype(dtype, call.where);
}

Array sum_of(const Call& call, const Array& a, const Array& b) {
  return Operand(a, call.where) + Operand(b, call.where);
}
Array difference_of(const Call& call, const Array& a, const Array& b) {
  return Operand(a, call.where) - Operand(b, call.where);
}

// As mean_of_both() of the body: in the result's dtype, float16 in float32.
Array mean_of(const Call& call, const Array& sorted, const WantedPlace& place, DType dtype) {
  if (place.low == place.high) return cells_at(call, sorted, place.low, dtype);
  const DType wide = dtype == DType::Float16 ? DType::Float32 : dtype;
  const Array both = sum_of(call, cells_at(call, sorted, place.low, wide), cells_at(call, sorted, place.high, wide));
  return (Operand(both, call.where) / Operand(2, call.where)).astype(dtype, call.where);
}

// As between() of the body.
Array between(const Call& call, const Array& sorted, const WantedPlace& place, DType dtype) {
  const DType factor = dtype == DType::Float32 ? DType::Float32 : DType::Float64;
  const DType own = is_floating(sorted.dtype()) ? sorted.dtype() : DType::UInt64;  // in which integers wrap
  const Array distance =
      difference_of(call, cells_at(call, sorted, place.high, own), cells_at(call, sorted, place.low, own))
          .astype(factor, call.where);
  const bool from_high = place.share >= 0.5;
  const Array part = Operand(distance, call.where) * Operand(from_high ? 1 - place.share : place.share, call.where);
  const Array end = cells_at(call, sorted, from_high ? place.high : place.low, factor);
  return (from_high ? difference_of(call, end, part) : sum_of(call, end, part)).astype(dtype, call.where);
}

}  // namespace

std::vector<WantedPlace> places_of(Middle middle, std::int64_t count, std::span<const std::uint64_t> shares) {
  if (middle == Middle::Mean) return {{(count - 1) / 2, count / 2, 0, 0}};
  std::vector<WantedPlace> places;
  for (std::int64_t result = 0; result < std::ssize(shares); ++result) {
    const double place =
        static_cast<double>(count - 1) * std::bit_cast<double>(shares[static_cast<std::size_t>(result)]);
    if (place >= static_cast<double>(count - 1)) {
      places.push_back({count - 1, count - 1, result, place + 1});
    } else {
      const auto low = static_cast<std::int64_t>(place);
      places.push_back({low, low + 1, result, place - static_cast<double>(low)});
    }
  }
  std::ranges::stable_sort(places, {}, &WantedPlace::low);
  return places;
}

std::vector<Array> at_places_of_sorted(const Call& call, const Array& sorted, DType dtype, Middle middle,
                                       std::span<const std::uint64_t> shares) {
  const std::int64_t count = sorted.shape()[sorted.ndim() - 1];
  std::vector<WantedPlace> places = places_of(middle, count, shares);
  std::ranges::sort(places, {}, &WantedPlace::result);
  std::vector<Array> results;
  for (const WantedPlace& place : places) {
    Array result = middle == Middle::Mean ? mean_of(call, sorted, place, dtype) : between(call, sorted, place, dtype);
    if (is_floating(sorted.dtype())) {
      const Array last = cells_at(call, sorted, count - 1, sorted.dtype());
      const Array is_lost = Operand(last, call.where) != Operand(last, call.where);
      result = where(Operand(is_lost, call.where), Operand(std::numeric_limits<double>::quiet_NaN(), call.where),
                     Operand(result, call.where));
    }
    results.push_back(result);
  }
  return results;
}

}  // namespace pilum::numeric
