// A user's task, launched over a domain: what is recorded, and what a plan keeps of it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "partitioner/region.h"
#include "pilum/detail/task_form.h"
#include "pilum/piece.h"
#include "runtime/kernel/body/device_body.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// What a user's task computes. `name` and `gpu` live as long as the process. `run` is called by several threads at
// once.
struct TaskBody {
  const char* name = "";
  detail::FunctionIdentity identity;
  std::function<void(const detail::BodyCall&)> run;
  const kernel::BodyText* gpu = nullptr;  // one object for equal ones; null: GPUs leave it to the host
  std::uint64_t gpu_hash = 0;             // of its text: what all ranks find alike
};

// The cells of a view that a point touches, as the user says. Pure.
struct CellFunction {
  detail::FunctionIdentity identity;
  std::function<std::vector<Box>(const Piece&)> boxes;
};

// What a piece touches of a view, in the view's indices.
struct Footprint {
  kernel::Access access = kernel::Access::Read;
  kernel::Fold fold = kernel::Fold::Sum;  // Reduce
  DType dtype = DType::Float64;
  Shape shape;                                   // of the view
  std::array<AxisCells, kMaxAxes> windows{};     // by axis of the view; scale 0 where it follows none
  std::shared_ptr<const CellFunction> function;  // instead of windows
  bool writes() const { return access != kernel::Access::Read; }

  // By the windows; may be empty.
  Rect box(const Rect& piece) const;
  // By the function: point by point.
  partitioner::Region region(const Rect& piece) const;
};

struct LaunchArgument {
  View view;
  Footprint footprint;
  // The store's cells as a function of the domain: of the first cell of a point's windows.
  partitioner::AffineMap map(int domain_rank) const;
  // Of the cell of a point's windows that lies best with the point: the one without an offset, if there is one. A
  // halo's store is cut as its domain is.
  partitioner::AffineMap nearest_map(int domain_rank) const;
  // How far a point's windows reach from the first cell.
  Point low() const;
  Point high() const;
  // The store's cells that a piece touches. Hulls where the view has steps.
  Rect cells(const Rect& piece) const;
  partitioner::Region exact_cells(const Rect& piece) const;

 private:
  // From the first to the last cell of a point's window along an axis of the store.
  std::int64_t reach(int axis) const;
};

// What launches have in common that differ in their scalars alone.
struct TaskLaunch {
  std::shared_ptr<const TaskBody> body;
  Rect domain;
  std::vector<LaunchArgument> arguments;
  std::uint64_t hash = 0;      // hash_launch() of it
  std::uint64_t captured = 0;  // hash_captured() of it
};

// One whose memory was another's before: launches come and go with every step of a program.
[[nodiscard]] std::shared_ptr<TaskLaunch> make_task_launch();

// What a plan's launch has of it: no stores.
struct BodyLaunch {
  std::shared_ptr<const TaskBody> body;
  std::vector<Footprint> footprints;  // by argument
  std::vector<Rect> boxes;            // by argument: of a function, the hull of what the piece touches
  // What a chunk's call gets, but for where its arrays begin: a store's `first` is bytes from its array's base.
  struct Chunk {
    Piece piece;
    std::vector<detail::BoundStore> stores;
  };
  std::vector<Chunk> chunks;  // by number; empty where there are many: they are worked out each time
  // On a GPU: what was compiled, and its call but for addresses and scalars.
  struct OnGpu {
    kernel::BodyForm form;
    std::vector<std::vector<kernel::BodyRange>> ranges;  // by argument
    std::int64_t parts = 0;                              // of partial results; 0: nothing is reduced
  };
  std::unique_ptr<const OnGpu> on_gpu;  // null: it runs on the host
};

// What is said to a body that asks for a cell that it may not touch: one of its argument `number`, from 1.
[[nodiscard]] std::string explain_index(int number, int rank, const std::int64_t* index, const std::int64_t* lo,
                                        const std::int64_t* hi);

// Name, domain and footprints; no addresses, no scalars: what all ranks find alike.
[[nodiscard]] std::uint64_t hash_launch(const TaskLaunch& launch);
// What its body and its projections have captured, and what the projections give for some points: alike on all ranks
// too.
[[nodiscard]] std::uint64_t hash_captured(const TaskLaunch& launch);

// Calls visit(view, is written) for the views of an operation.
template <class Visit>
void for_each_view(const Operation& operation, Visit visit) {
  if (operation.launch) {
    for (const LaunchArgument& argument : operation.launch->arguments)
      visit(argument.view, argument.footprint.writes());
    return;
  }
  visit(operation.output, true);
  for (int i = 0; i < operation.input_count; ++i) {
    const Operand& input = operation.inputs[static_cast<std::size_t>(i)];
    if (input.is_view()) visit(input.view, false);
  }
}

}  // namespace pilum::scheduler
