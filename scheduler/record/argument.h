// An array of a task: a view of a store, and what a point of the task's domain touches of it.
#pragma once

#include "scheduler/record/footprint.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// From the recorded call of a body, or from where the fuser makes a kernel, to the plan. A kernel's view is the store
// as the domain sees it.
struct Argument {
  View view;
  Footprint footprint;

  const StoreRef& store() const { return view.store; }
  // The store's cells as a function of the domain: of a point's first cell.
  partitioner::AffineMap map() const;
  // Of the cell of a point's windows that lies best with the point: the one without an offset, if there is one. A
  // halo's store is cut as its domain is.
  partitioner::AffineMap nearest_map() const;
  // How far a point's cells reach from the first one, along each axis of the store.
  Point low() const;
  Point high() const;
  // True where each point touches the cell that map() gives and no other.
  bool is_pointwise() const;

  // The store's cells that a piece touches. The exact ones too are hulls where a body's view has steps.
  Rect hull(const Rect& piece) const;
  partitioner::Region cells(const Rect& piece) const;
  // Points of the piece that touch some of `cells`; may be more.
  partitioner::Region points_touching(const partitioner::Region& cells, const Rect& piece) const;

 private:
  // From the first to the last cell of a point's window along an axis of the store.
  std::int64_t reach(int axis) const;
  partitioner::Region asked_cells(const Rect& piece) const;
};

// A kernel's, of a store that the domain sees through `map`.
[[nodiscard]] Argument kernel_argument(const StoreRef& store, const partitioner::AffineMap& map, kernel::Access access);

}  // namespace pilum::scheduler
