// Windows of small operations that never come again, run by the recording thread, operation by operation.
#pragma once

#include <span>
#include <vector>

#include "scheduler/direct/single_kernels.h"
#include "scheduler/memory/memory_book.h"
#include "scheduler/plan/planner.h"

namespace pilum::scheduler {

// Analysing a window, planning it and having it executed takes some microseconds an operation, which is nothing where
// the plan is used again, or the arrays are large. A factorization's loop, of which each round sees other parts of its
// matrix, is planned anew all the time. Here each operation is a kernel that is called at once, in memory that is where
// the books say. What it computes has the bits that it has in a plan.
//
// On cores, also where processors are GPUs: their arrays come to the host's memory for it. Of arrays that are not cut,
// alone: each rank has them, and computes the same. The recording thread's.
class DirectWindow {
 public:
  DirectWindow(Planner& planner, jit::Jit& jit) : planner_(planner), kernels_(jit) {}

  // True where the window can run so: all of its operations are small, and no users' tasks. `later`: operations that
  // are recorded and not of the window.
  [[nodiscard]] bool find_places(std::span<const Operation> operations, const std::vector<Operation>& later);
  // Of GPUs: large arrays of it have come to the host, and stay there as long as windows run so.
  [[nodiscard]] bool has_left_gpus() const;
  // It does not run, though it could.
  void forget_places();
  // Some store that is there afterwards has no memory, or does not lie in one place.
  [[nodiscard]] bool needs_memory() const;
  // So that all do, once the plan has run. Throws pilum::MemoryError; what it did is to be undone then.
  void make_memory(Plan& plan);
  // Runs the window that places were found for. Nothing may be running that touches its stores.
  void run(std::span<const Operation> operations);
  // run() threw: a part of the window has run.
  bool has_begun() const { return has_begun_; }
  // What run() threw at.
  const Operation& running() const { return *running_; }

 private:
  // What the window sees of a store: memory of its own, or of the window alone.
  struct Place {
    Store* store = nullptr;
    std::byte* origin = nullptr;  // of the cell 0
    Extents pitch{};              // bytes, by axis
    std::size_t last_use = 0;     // by which operation
    bool is_kept = false;         // it is there afterwards
    bool is_written = false;
    std::size_t room = 0;  // of the window's own memory: which size
  };

  // The points that a kernel runs over, and which of its axes a view's axis is; -1: it has one point.
  struct Domain {
    int rank = 0;
    std::array<std::int8_t, kMaxAxes> to{};
    Extents extent{};

    std::span<const std::int64_t> extents() const { return {extent.data(), static_cast<std::size_t>(rank)}; }
    int axis_of(int view_axis) const { return to[static_cast<std::size_t>(view_axis)]; }
    static Domain along(const View& output);
    static Domain of(const Shape& shape);
    // The axes of a fold's result.
    static Domain kept(const Domain& domain, unsigned reduced_axes);
  };

  bool collect_places(std::span<const Operation> operations, const std::vector<Operation>& later);
  bool use(const View& view, bool write, std::size_t number);
  bool may_run_with(const Store& store) const;
  bool is_here(const StoreState& state) const;
  bool is_on_host(const ProcessorStore& store) const;
  partitioner::Tiling tiling_of(const Store& store) const;
  void tell_others(const Place& place);
  void run(const Operation& operation, const Elementwise& elementwise);
  void run(const Operation& operation, const Reduction& reduction);
  void run(const Operation& operation, const Import& import);
  void run(const Operation& operation, const ReshapedCopy& copy);
  void run(const Operation& operation, const TaskCall& task);
  void call(const SingleKernel& kernel, const Domain& domain, std::span<kernel::BoundArray> arrays,
            const std::uint64_t* scalars, bool merges);
  kernel::ArrayArgument bind(const Store& store, const partitioner::AffineMap& map, const Domain& domain,
                             kernel::Access access, kernel::BoundArray& array);
  kernel::BoundArray bind(const View& view);
  kernel::BoundArray copy_aside(const kernel::BoundArray& array, const Domain& domain, std::size_t cell,
                                std::size_t& room);
  Place& place_of(const Store& store);
  void get_room(Place& place);
  std::byte* take(std::size_t bytes, std::size_t& room);
  void give_back(std::byte* data, std::size_t room);

  static constexpr std::size_t kRooms = 48;  // sizes, powers of two

  Planner& planner_;
  SingleKernels kernels_;
  std::vector<Place> places_;
  bool has_begun_ = false;
  const Operation* running_ = nullptr;
  std::vector<std::unique_ptr<std::byte[]>> memory_;  // of values of windows; kept from one to the next
  std::array<std::vector<std::byte*>, kRooms> free_;  // of it, by size
};

}  // namespace pilum::scheduler
