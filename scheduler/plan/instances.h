// Finds, makes and fills the memory that a task's arguments are bound to.
#pragma once

#include "scheduler/plan/plan_builder.h"

namespace pilum::scheduler {

// An array bound for one piece. `temporary` is freed after the launches that use it.
struct Binding {
  Instance* instance = nullptr;
  std::unique_ptr<Instance> temporary;
};

// How a read and a write of one store in one task stand to each other, for one piece.
enum class Conflict {
  None,     // no cell is both read and written, or each point reads just the cell it writes
  Partial,  // some cells are: the read is copied aside
  Wide      // most of them: the write goes to a second instance
};
[[nodiscard]] Conflict find_conflict(const Argument& read, const TaskWrite& write, const Rect& piece);

// True where a write leaves cells between those that it writes, which keep their values.
[[nodiscard]] bool leaves_holes(const TaskWrite& write, const Rect& piece);

// An instance of just these cells, without padding, in memory of the host.
[[nodiscard]] Instance make_packed_on_host(PlanBuilder& builder, int processor, const Rect& cells, const Store& store);

// Works on one processor's part of one store at a time; all that it copies is in the plan before it returns.
class Instances {
 public:
  explicit Instances(PlanBuilder& builder) : builder_(builder) {}

  // An instance that covers `cells`, with all of them that this processor has.
  Instance& for_read(StoreState& state, int processor, const Rect& cells);
  // The same in memory of the host, from where GPUs have none of it.
  Instance& for_read_on_host(StoreState& state, int processor, const Rect& cells);
  // An instance that covers `cells` and is none of `avoid`; `prefer` (may be null), if it does. Where `keep` is set,
  // the write leaves holes: the cells' present values are brought in first.
  Instance& for_write(StoreState& state, int processor, const Rect& cells, std::span<Instance* const> avoid,
                      Instance* prefer, bool keep);
  // True where the instance holds little beside another one of the store that has room for the cells.
  bool is_rim(StoreState& state, int processor, const Instance& instance, const Rect& cells);
  // A copy of `cells` of `from`, apart from the store.
  std::unique_ptr<Instance> copy_aside(StoreState& state, int processor, const Instance& from, const Rect& cells);
  // After a task wrote `own` (this processor's part of `all`) in `instance`.
  void written(StoreState& state, int processor, Instance& instance, const Rect& own, const Rect& all);
  // The same in two steps, for a task that writes several parts of a store: instances without a valid cell go last.
  void mark_written(StoreState& state, int processor, Instance& instance, const Rect& own, const Rect& all);
  void drop_empty(StoreState& state, int processor);
  // A write elsewhere, none of it here.
  void written_elsewhere(StoreState& state, int processor, const Rect& all);
  // The cells of the processor's tile are in the memory that the program lent too.
  void bring_home(StoreState& state, int processor);
  void free(StoreState& state);

 private:
  bool is_lent(const Instance& instance) const { return instance.block->book == builder_.rank().lent; }
  bool lacks_halo_of(const Instance& instance, const Instance& read) const;
  enum class Memory : std::uint8_t { Processor, Host };
  std::unique_ptr<Instance> make(const StoreState& state, int processor, const Rect& rect,
                                 Memory memory = Memory::Processor);
  Instance& find_or_make(StoreState& state, int processor, const Rect& cells, Memory memory);
  bool is_copy_of_roaming(const StoreState& state, int processor, const Rect& cells) const;
  Rect room_for(const StoreState& state, int processor, const Rect& cells) const;
  std::int64_t aligned_column(const StoreState& state, int processor, const Rect& rect) const;
  Instance* grow(StoreState& state, int processor, const Rect& cells);
  void fill_from_local(StoreState& state, int processor, Instance& instance, const Rect& cells);
  void fill_rest(StoreState& state, int processor, const Instance& from, Instance& to, const Rect& written);
  Region written_later(const StoreState& state, int processor) const;
  ProcessorStore& local(StoreState& state, int processor) { return state.local[static_cast<std::size_t>(processor)]; }

  PlanBuilder& builder_;
};

}  // namespace pilum::scheduler
