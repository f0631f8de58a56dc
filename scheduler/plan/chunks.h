// How the points of a launch are cut into chunks.
#pragma once

#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// A fold on cores of no more points is one chunk.
inline constexpr std::int64_t kLeastFoldChunk = 16 * 1024;

// How a reduction's piece is cut into chunks.
struct ReductionChunks {
  Extents chunk{};
  bool partials = false;   // chunks split a reduced axis: each leaves a partial result
  std::int64_t count = 1;  // of partial results
};
[[nodiscard]] ReductionChunks choose_reduction_chunks(const Rect& piece, unsigned reduced_axes);

// The same for a GPU: threads enough in flight, and each with some work. Where each point reads rows beside its own,
// `columns` (kernel::columns_in_flight) is how many cells of a row are a chunk's; else 0, and a chunk has whole rows.
[[nodiscard]] ReductionChunks choose_device_reduction_chunks(const Rect& piece, unsigned reduced_axes,
                                                             std::int64_t columns = 0);

// Extents of the chunks a box is run in: whole inner axes, about `cells` points.
[[nodiscard]] Extents choose_chunk(int rank, const Extents& extent, std::int64_t cells);
// The same for so many threads: where there would be few chunks, as many alike as the threads share evenly, but none of
// fewer than `least` cells, about; what one could do at once as many threads do as have so many cells each.
[[nodiscard]] Extents choose_shared_chunk(int rank, const Extents& extent, std::int64_t cells, std::int64_t least,
                                          int threads);

}  // namespace pilum::scheduler
