// A task's launches for one piece, of a kernel or of a body: boundaries apart from the interior, folds of partial
// results.
#pragma once

#include <span>
#include <vector>

#include "scheduler/plan/instances.h"

namespace pilum::scheduler {

// What one piece's arguments are bound to.
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

// What a launch leaves of one reduction, in a block of its own.
struct Partials {
  Block* block = nullptr;
  FoldParts fold;
  const FoldTarget* target = nullptr;
};

// A launch over the points, as far as it is the same of kernels and of bodies.
[[nodiscard]] Launch make_launch(const PlanBuilder& builder, const Rect& points);

}  // namespace pilum::scheduler
