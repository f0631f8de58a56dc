// Lines whose cells lie apart, made such whose cells lie side by side, several at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "numeric/body_walk.h"

namespace pilum::numeric {

// As for_each_line(). But lines that lie side by side, as columns do, are copied together, so that a cache line is read
// and written once for all of them.
template <class From, class To, class Visit>
void for_each_packed_line(const pilum::detail::BodyCall& call, const Visit& visit) {
  constexpr std::int64_t kTogether = 64 / static_cast<std::int64_t>(sizeof(From)), kMostBytes = 4 << 20;
  const pilum::detail::BoundStore &out = call.stores[0], &array = call.stores[1];
  const int rank = call.piece.rank(), inner = rank - 1;
  const auto last = static_cast<std::size_t>(rank);
  const std::int64_t count = array.hi[last] - array.lo[last];
  const auto are_columns = [&](const pilum::detail::BoundStore& store) {
    return store.stride[last] != 1 && store.stride[last - 1] == 1;
  };
  const bool fits = count <= kMostBytes / kTogether / static_cast<std::int64_t>(sizeof(From) + sizeof(To));
  if (rank == 0 || call.piece.extent(inner) == 1 || !fits || !are_columns(out) || !are_columns(array))
    return for_each_line<From, To>(call, visit);
  const auto size = static_cast<std::size_t>(kTogether * count);
  const auto from = std::make_unique_for_overwrite<From[]>(size);  // a vector of bools has none
  const auto to = std::make_unique_for_overwrite<To[]>(size);
  for_each_point(call.piece, inner, [&](Piece::Bounds point) {
    for (std::int64_t line = call.piece.lo(inner); line < call.piece.hi(inner); line += kTogether) {
      point[last - 1] = line;
      const std::int64_t lines = std::min(kTogether, call.piece.hi(inner) - line);
      const From* const cells = static_cast<const From*>(array.first) + cells_to(array, point, rank);
      for (std::int64_t i = 0; i < count; ++i) {
        const From* const row = cells + i * array.stride[last];
        for (std::int64_t k = 0; k < lines; ++k) from[static_cast<std::size_t>(k * count + i)] = row[k];
      }
      for (std::int64_t k = 0; k < lines; ++k)
        visit(Line<const From>{from.get() + k * count, 1, count}, Line<To>{to.get() + k * count, 1, count});
      To* const results = static_cast<To*>(out.first) + cells_to(out, point, rank);
      for (std::int64_t i = 0; i < count; ++i) {
        To* const row = results + i * out.stride[last];
        for (std::int64_t k = 0; k < lines; ++k) row[k] = to[static_cast<std::size_t>(k * count + i)];
      }
    }
  });
}

}  // namespace pilum::numeric
