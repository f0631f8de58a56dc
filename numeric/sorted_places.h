// What stands at a place of the order of a line's cells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/errors.h"
#include "pilum/array.h"

namespace pilum::numeric {

enum class Middle : std::uint8_t { Mean, Proportion };  // of both cells around a place

// One of the places that are asked for: between which cells, and where its result goes.
struct WantedPlace {
  std::int64_t low, high, result;
  double share;
};

// Of so many cells, which places there are at these shares of the way (their bits), the lowest first.
[[nodiscard]] std::vector<WantedPlace> places_of(Middle middle, std::int64_t count,
                                                 std::span<const std::uint64_t> shares);

// By elementwise operations on sorted lines, along the last axis, of real numbers, NaNs last: the results, in their
// order, with the bits of the body on the host (quantile.cc). A NaN spreads.
[[nodiscard]] std::vector<Array> at_places_of_sorted(const Call& call, const Array& sorted, DType dtype, Middle middle,
                                                     std::span<const std::uint64_t> shares);

}  // namespace pilum::numeric
