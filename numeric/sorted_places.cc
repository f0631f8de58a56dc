#include "numeric/sorted_places.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "numeric/axis_parts.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

constexpr std::array<std::string_view, 13> kMethods = {"linear",
                                                       "lower",
                                                       "higher",
                                                       "nearest",
                                                       "midpoint",
                                                       "inverted_cdf",
                                                       "averaged_inverted_cdf",
                                                       "closest_observation",
                                                       "interpolated_inverted_cdf",
                                                       "hazen",
                                                       "weibull",
                                                       "median_unbiased",
                                                       "normal_unbiased"};

// The place q of `count` cells, 0 for the first one: it may lie beyond the ends. As NumPy computes it.
double virtual_place(Method method, double count, double q) {
  const auto between_ends = [&](double alpha, double beta) { return count * q + (alpha + q * (1 - alpha - beta)) - 1; };
  // What is before a place, or behind it unless it is exactly there.
  const auto next_unless = [](double place, bool stays) { return std::max(std::floor(place) + (stays ? 0 : 1), 0.0); };
  const double on_the_way = (count - 1) * q;
  switch (method) {
    case Method::Linear: return on_the_way;
    case Method::Lower: return std::floor(on_the_way);
    case Method::Higher: return std::ceil(on_the_way);
    case Method::Nearest: return std::nearbyint(on_the_way);
    case Method::Midpoint: return 0.5 * (std::floor(on_the_way) + std::ceil(on_the_way));
    case Method::InvertedCdf: {
      const double place = count * q - 1;
      return next_unless(place, place == std::floor(place));
    }
    case Method::AveragedInvertedCdf: return count * q - 1;
    case Method::ClosestObservation: {
      const double place = count * q - 1 - 0.5;
      return next_unless(place, place == std::floor(place) && std::fmod(std::floor(place), 2) != 0);
    }
    case Method::InterpolatedInvertedCdf: return between_ends(0, 1);
    case Method::Hazen: return between_ends(0.5, 0.5);
    case Method::Weibull: return between_ends(0, 0);
    case Method::MedianUnbiased: return between_ends(1 / 3.0, 1 / 3.0);
    case Method::NormalUnbiased: return between_ends(3 / 8.0, 3 / 8.0);
    case Method::Median: break;
  }
  return on_the_way;
}

// How far from the cell before the place to the next one.
double share_of(Method method, double share) {
  if (method == Method::Midpoint) return share == 0 ? 0 : 0.5;
  if (method == Method::AveragedInvertedCdf) return share == 0 ? 0.5 : 1;
  return share;
}

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

Method method_of(const Call& call, std::string_view name) {
  const auto found = std::ranges::find(kMethods, name);
  if (found != kMethods.end()) return static_cast<Method>(found - kMethods.begin());
  fail<ValueError>(call, "the method \"", name,
                   "\": it is \"linear\", \"lower\", \"higher\", \"nearest\", \"midpoint\" or "
                   "another of numpy.quantile's");
}

bool is_discrete(Method method) {
  return method == Method::Lower || method == Method::Higher || method == Method::Nearest ||
         method == Method::InvertedCdf || method == Method::ClosestObservation;
}

std::vector<double> shares_of(const Call& call, const std::vector<double>& q, double whole) {
  std::vector<double> shares;
  for (const double one : q) {
    if (!(one >= 0 && one <= whole)) fail<ValueError>(call, "q is ", one, ": give 0 to ", whole);
    shares.push_back(whole == 1 ? one : one / whole);
  }
  return shares;
}

std::vector<WantedPlace> places_of(Method method, std::int64_t count, std::span<const std::uint64_t> shares) {
  if (method == Method::Median) return {{(count - 1) / 2, count / 2, 0, 0}};
  std::vector<WantedPlace> places;
  for (std::int64_t result = 0; result < std::ssize(shares); ++result) {
    const auto q = std::bit_cast<double>(shares[static_cast<std::size_t>(result)]);
    const double place = virtual_place(method, static_cast<double>(count), q);
    if (place >= static_cast<double>(count - 1)) {
      places.push_back({count - 1, count - 1, result, share_of(method, place + 1)});  // as NumPy's, to a zero's sign
    } else if (place < 0) {
      places.push_back({0, 0, result, 0});
    } else {
      const auto low = static_cast<std::int64_t>(place);
      const std::int64_t high = is_discrete(method) ? low : low + 1;
      places.push_back({low, high, result, share_of(method, place - static_cast<double>(low))});
    }
  }
  std::ranges::stable_sort(places, {}, &WantedPlace::low);
  return places;
}

std::vector<Array> at_places_of_sorted(const Call& call, const Array& sorted, DType dtype, Method method,
                                       std::span<const std::uint64_t> shares) {
  const std::int64_t count = sorted.shape()[sorted.ndim() - 1];
  std::vector<WantedPlace> places = places_of(method, count, shares);
  std::ranges::sort(places, {}, &WantedPlace::result);
  std::vector<Array> results;
  for (const WantedPlace& place : places) {
    Array result = is_discrete(method)        ? cells_at(call, sorted, place.low, dtype)
                   : method == Method::Median ? mean_of(call, sorted, place, dtype)
                                              : between(call, sorted, place, dtype);
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
