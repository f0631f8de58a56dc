#include "scheduler/plan/chunks.h"

#include <algorithm>
#include <optional>

namespace pilum::scheduler {
namespace {

// Points of a chunk: fewer where few are folded into one cell, so that threads share these too.
std::int64_t reduction_chunk(std::int64_t kept, std::int64_t reduced) {
  constexpr std::int64_t kMost = 64 * 1024, kParts = 8;
  return kept == 1 ? std::clamp(reduced / kParts, kLeastFoldChunk, kMost) : kMost;
}

// How many chunks a reduced axis can be cut into: along the last axis, where cells lie side by side, into runs that are
// long enough for a team of threads.
std::int64_t most_parts(const Rect& piece, int axis) {
  constexpr std::int64_t kRun = 256;
  return axis == piece.rank - 1 ? std::max<std::int64_t>(piece.extent(axis) / kRun, 1) : piece.extent(axis);
}

// The reduced axis that chunks are cut along: the outermost that can be cut into as many parts as are wanted, so that a
// chunk is a run of memory; where none can, the one that can be cut into the most. -1: nothing is reduced.
int choose_cut_axis(const Rect& piece, unsigned reduced_axes, std::int64_t parts) {
  int best = -1;
  for (int axis = 0; axis < piece.rank; ++axis) {
    if (!(reduced_axes >> axis & 1)) continue;
    if (most_parts(piece, axis) >= parts) return axis;
    if (best < 0 || most_parts(piece, axis) > most_parts(piece, best)) best = axis;
  }
  return best;
}

struct Points {
  std::int64_t kept = 1, reduced = 1;  // along the axes that are kept, and the others
};
Points count_points(const Rect& piece, unsigned reduced_axes) {
  Points points;
  for (int axis = 0; axis < piece.rank; ++axis)
    (reduced_axes >> axis & 1 ? points.reduced : points.kept) *= piece.extent(axis);
  return points;
}

ReductionChunks one_chunk(const Rect& piece) {
  ReductionChunks chunks;
  for (int axis = 0; axis < piece.rank; ++axis) chunks.chunk[static_cast<std::size_t>(axis)] = piece.extent(axis);
  return chunks;
}

// Into runs of so many points along a reduced axis.
void cut_axis(ReductionChunks& chunks, const Rect& piece, int axis, std::int64_t run) {
  chunks.chunk[static_cast<std::size_t>(axis)] = run;
  chunks.count = (piece.extent(axis) + run - 1) / run;
  chunks.partials = chunks.count > 1;
}

// Boxes of so many columns and some rows: of what a box reads little is of the boxes beside it. Nothing where
// there would be too few.
std::optional<ReductionChunks> cut_boxes(const Rect& piece, std::int64_t columns) {
  constexpr std::int64_t kMostPoints = 1 << 15, kEnoughBoxes = 1024, kFewRows = 8, kPlanes = 4;
  const int last = piece.rank - 1;
  if (piece.extent(last) < 2 * columns) return {};
  std::int64_t rows = kMostPoints / columns;
  while (rows > kFewRows && piece.cells() / (columns * rows) < kEnoughBoxes) rows /= 2;
  if (piece.cells() / (columns * rows) < kEnoughBoxes) return {};
  ReductionChunks chunks;
  for (int axis = 0; axis < last; ++axis) chunks.chunk[static_cast<std::size_t>(axis)] = 1;
  // Of two axes and more some of these are rows of a plane, the others planes.
  std::int64_t wanted = last > 1 ? rows / kPlanes : rows;
  for (int axis = last - 1; axis >= std::max(last - 2, 0); --axis) {
    const std::int64_t run = std::clamp<std::int64_t>(wanted, 1, piece.extent(axis));
    chunks.chunk[static_cast<std::size_t>(axis)] = run;
    wanted = rows / run;
  }
  chunks.chunk[static_cast<std::size_t>(last)] = columns;
  for (int axis = 0; axis < piece.rank; ++axis) {
    const std::int64_t run = chunks.chunk[static_cast<std::size_t>(axis)];
    chunks.count *= (piece.extent(axis) + run - 1) / run;
  }
  chunks.partials = chunks.count > 1;
  return chunks;
}

}  // namespace

Extents choose_chunk(int rank, const Extents& extent, std::int64_t cells) {
  Extents chunk{};
  std::int64_t left = std::max<std::int64_t>(cells, 1);
  for (int axis = rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    chunk[a] = std::clamp<std::int64_t>(left, 1, extent[a]);
    left /= chunk[a];
  }
  return chunk;
}

Extents choose_shared_chunk(int rank, const Extents& extent, std::int64_t cells, std::int64_t least, int threads) {
  constexpr std::int64_t kFew = 4;  // for each thread: of more the last one's wait is short
  std::int64_t all = 1;
  for (int axis = 0; axis < rank; ++axis) all *= extent[static_cast<std::size_t>(axis)];
  std::int64_t parts = (all + std::max<std::int64_t>(cells, 1) - 1) / std::max<std::int64_t>(cells, 1);
  if (parts >= kFew * threads) return choose_chunk(rank, extent, cells);
  if (parts <= 1) {
    parts = std::clamp<std::int64_t>(all / std::max<std::int64_t>(least, 1), 1, threads);
    if (parts == 1) return extent;
  } else {
    const std::int64_t shared = (parts + threads - 1) / threads * threads;
    if (all / shared >= least) parts = shared;
  }
  std::int64_t even = (all + parts - 1) / parts, run = 1;
  // In whole runs of the axes that are not cut.
  for (int axis = rank - 1; axis >= 0 && run * extent[static_cast<std::size_t>(axis)] <= even; --axis)
    run *= extent[static_cast<std::size_t>(axis)];
  even = (even + run - 1) / run * run;
  return choose_chunk(rank, extent, even);
}

ReductionChunks choose_reduction_chunks(const Rect& piece, unsigned reduced_axes) {
  ReductionChunks chunks = one_chunk(piece);
  const auto [kept, reduced] = count_points(piece, reduced_axes);
  constexpr std::int64_t kEnoughChunks = 32;
  const int cut = choose_cut_axis(piece, reduced_axes, kEnoughChunks);
  // Cells that are kept go together: rows that are folded as few as leave chunks enough, cells of rows that are folded
  // into one another a page at least, for what is read lies a row apart.
  constexpr std::int64_t kPage = 512;
  const int last = piece.rank - 1;
  const bool folds_rows = last >= 0 && (reduced_axes >> last & 1);
  const std::int64_t points = reduction_chunk(kept, reduced);
  if (kept * reduced <= points) return chunks;
  const std::int64_t least_kept = folds_rows ? 1 : std::min(kPage, kept);
  const std::int64_t kept_chunk =
      std::max(least_kept, std::min(points / std::max<std::int64_t>(reduced, 1), kept / kEnoughChunks));
  if (kept / kept_chunk >= kEnoughChunks || cut < 0) {
    std::int64_t left = kept_chunk;
    for (int axis = piece.rank - 1; axis >= 0; --axis) {
      if (reduced_axes >> axis & 1) continue;
      const auto a = static_cast<std::size_t>(axis);
      chunks.chunk[a] = std::clamp<std::int64_t>(left, 1, piece.extent(axis));
      left /= chunks.chunk[a];
    }
    return chunks;
  }
  // Of each part a result is left: it should be little beside what is read.
  constexpr std::int64_t kRows = 32;
  const std::int64_t row = kept * reduced / piece.extent(cut);
  const std::int64_t run = std::max(points / row, std::min(kRows, piece.extent(cut) / kEnoughChunks));
  cut_axis(chunks, piece, cut, std::clamp<std::int64_t>(run, 1, piece.extent(cut)));
  return chunks;
}

ReductionChunks choose_device_reduction_chunks(const Rect& piece, unsigned reduced_axes, std::int64_t columns) {
  if (columns > 0) {
    if (const std::optional<ReductionChunks> boxes = cut_boxes(piece, columns)) return *boxes;
  }
  constexpr std::int64_t kEnoughThreads = 1 << 20;  // several times what a GPU holds, so that none idles at the end
  constexpr std::int64_t kTeam = 256;
  constexpr std::int64_t kLeastPoints = 16;  // for each thread of a team, where there are teams for a GPU
  constexpr std::int64_t kFewPoints = 2, kFewTeams = 64;
  ReductionChunks chunks = one_chunk(piece);
  const auto [kept, reduced] = count_points(piece, reduced_axes);
  if (reduced_axes == 0 || kept == 0) return chunks;
  // Along a row that is folded the team is a block; else its 32 columns share one.
  const bool along_rows = reduced_axes >> (piece.rank - 1) & 1;
  const std::int64_t team = along_rows ? kTeam : kTeam / 32;
  // Not too long either: many far places at once are more than the address translation holds.
  constexpr std::int64_t kMaxPoints = 1 << 15;
  const std::int64_t enough = std::max(kEnoughThreads / std::max<std::int64_t>(kept * team, 1), reduced / kMaxPoints);
  std::int64_t wanted = std::min(enough, reduced / (team * kLeastPoints));
  // One team takes long where its points are far apart, as those of a column are.
  if (reduced > team * kLeastPoints)
    wanted = std::max(wanted, std::min({enough, reduced / (team * kFewPoints), kFewTeams}));
  const int cut = choose_cut_axis(piece, reduced_axes, wanted);
  const std::int64_t parts = std::clamp<std::int64_t>(wanted, 1, most_parts(piece, cut));
  cut_axis(chunks, piece, cut, (piece.extent(cut) + parts - 1) / parts);
  return chunks;
}

}  // namespace pilum::scheduler
