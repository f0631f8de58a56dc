// What stands at a place of the order of a line's cells.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "numeric/errors.h"
#include "pilum/array.h"

namespace pilum::numeric {

// How a place between cells is found: Hyndman and Fan's nine (Sample Quantiles in Statistical Packages, 1996), and four
// more. The names are NumPy's. A median is the mean of both cells in the middle.
enum class Method : std::uint8_t {
  Linear,
  Lower,
  Higher,
  Nearest,
  Midpoint,
  InvertedCdf,
  AveragedInvertedCdf,
  ClosestObservation,
  InterpolatedInvertedCdf,
  Hazen,
  Weibull,
  MedianUnbiased,
  NormalUnbiased,
  Median
};

// The method of that name. Throws ValueError.
[[nodiscard]] Method method_of(const Call& call, std::string_view name);
// Whether results are cells, not what is between them.
[[nodiscard]] bool is_discrete(Method method);

// What is asked for, from 0 to `whole`, as shares of the way. Throws ValueError.
[[nodiscard]] std::vector<double> shares_of(const Call& call, const std::vector<double>& q, double whole);

// One of the places that are asked for: between which cells, and where its result goes.
struct WantedPlace {
  std::int64_t low, high, result;
  double share;
};

// Of so many cells, which places there are at these shares of the way (their bits), the lowest first.
[[nodiscard]] std::vector<WantedPlace> places_of(Method method, std::int64_t count,
                                                 std::span<const std::uint64_t> shares);

// By elementwise operations on sorted lines, along the last axis, of real numbers, NaNs last: the results, in their
// order, with the bits of the body on the host (quantile.cc). A NaN spreads.
[[nodiscard]] std::vector<Array> at_places_of_sorted(const Call& call, const Array& sorted, DType dtype, Method method,
                                                     std::span<const std::uint64_t> shares);

}  // namespace pilum::numeric
