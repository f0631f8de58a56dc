// A task's kernel launches for one piece: arguments bound to memory, edges apart from the interior, chunks.
#pragma once

#include "scheduler/plan/instances.h"

namespace pilum::scheduler {

// What one piece's arguments are bound to, in the order of the kernel's arrays.
struct BoundPiece {
  int processor = 0;
  Rect piece;
  std::vector<const Instance*> reads;
  std::vector<Instance*> writes;  // of the kept writes
  Region halo_points;             // points that wait for messages
};

// Emits launches without reductions: one for the interior, and one a rectangle of the points that wait for a halo.
void emit_launches(PlanBuilder& builder, const BoundPiece& bound);

// Where a reduction of the piece goes, by reduction of the task.
struct FoldTarget {
  Block* block = nullptr;
  Rect touched;       // what of the block, in its log's coordinates
  Strided memory;     // at the first of the piece's kept cells
  bool start = true;  // false: folds into what is there
};

// Emits one launch over the whole piece, and the folds of its partial results. Partial results belong to fixed chunks
// of the piece, so the bits do not depend on who runs them.
void emit_reduction(PlanBuilder& builder, const BoundPiece& bound, std::span<const FoldTarget> targets);

// How a reduction's piece is cut into chunks.
struct ReductionChunks {
  Extents chunk{};
  bool partials = false;   // chunks split a reduced axis: each leaves a partial result
  std::int64_t count = 1;  // of partial results
};
[[nodiscard]] ReductionChunks choose_reduction_chunks(const Rect& piece, unsigned reduced_axes);

// The same for a GPU: threads enough in flight, and each with some work.
[[nodiscard]] ReductionChunks choose_device_reduction_chunks(const Rect& piece, unsigned reduced_axes);

// Extents of the chunks a box is run in: whole inner axes, about `cells` points.
[[nodiscard]] Extents choose_chunk(int rank, const Extents& extent, std::int64_t cells);

}  // namespace pilum::scheduler
