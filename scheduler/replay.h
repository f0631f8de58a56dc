// A plan that was made before, with nothing left to find out: played again by binding its memory.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "runtime/device/gpu.h"
#include "scheduler/plan.h"
#include "scheduler/plan_script.h"

namespace pilum::scheduler {

class ReplayRun;

// What a script comes to. Its instructions' dependences on each other are known; roles that lived in one block, one after
// the other, share a slot, so that they do so again. Immutable.
class Replay {
 public:
  // A block of the plan: one that a store has already, or memory that is given out for the plan.
  struct Slot {
    Role first = 0;              // the role that it is at the start
    MemoryBook* book = nullptr;  // null: a store has it
    std::size_t bytes = 0;
    bool freed = false;          // at the end of the plan
  };
  struct Item {
    Instruction instruction;              // pointers as bytes from their block's start
    std::vector<int> slots;               // by touch
    int store = -1;                       // number of the store it names
    std::size_t task = 0;
    std::int64_t chunks = 1;
    int before = 0;                       // chunks that it comes after
    std::vector<int> dependents;          // items that come after it
  };
  struct Totals {
    std::int64_t launches = 0, copies = 0, bytes_copied = 0, edges = 0;
    std::int64_t messages_sent = 0, bytes_sent = 0, messages_received = 0, bytes_received = 0;
  };

  explicit Replay(const PlanScript& script);
  const std::vector<Slot>& slots() const { return slots_; }
  int slot_of(Role role) const { return slot_of_role_[static_cast<std::size_t>(role)]; }
  const std::vector<Item>& items() const { return items_; }
  // What each item comes after.
  std::vector<std::vector<int>> find_befores() const;
  // True where GPUs can do all of it.
  bool runs_on_gpus() const { return runs_on_gpus_; }
  const std::vector<int>& roots() const { return roots_; }  // items that wait for none
  std::int64_t most_chunks() const { return most_chunks_; }  // of an item
  std::int64_t last_chunks() const { return last_chunks_; }  // of all items that nothing comes after
  const Totals& totals() const { return totals_; }
  std::size_t bytes() const;  // of its own memory, about
  // Of all cells that its launches and copies touch; tells how long it takes.
  std::int64_t bytes_touched() const { return bytes_touched_; }

 private:
  friend class ReplayRun;
  void count(const Instruction& instruction);

  std::vector<Slot> slots_;
  std::vector<int> slot_of_role_;
  std::vector<Item> items_;
  std::vector<int> roots_;
  std::vector<int> named_;  // items with a tag or a store's name
  std::vector<std::vector<ScalarSource>> scalars_;  // by task
  Totals totals_;
  std::int64_t bytes_touched_ = 0;
  bool runs_on_gpus_ = true;
  std::int64_t most_chunks_ = 1, last_chunks_ = 0;
};

// One time round: the replay's instructions with pointers, numbers and tags of this time, and how far they are. Used
// again when it is through; then only what differs is written. bind() is the recording thread's, the rest the
// executor's: threads join a run, take chunks of items that wait for nothing more, and leave it.
class ReplayRun : public std::enable_shared_from_this<ReplayRun> {
 public:
  // `players`: threads that may take part, by number.
  ReplayRun(std::shared_ptr<const Replay> replay, int players);
  // Nothing of it is under way, and nobody takes part.
  bool is_through() const {
    return through_.load(std::memory_order_seq_cst) && present_.load(std::memory_order_seq_cst) == 0;
  }
  // True where the slots' memory is as it was the last time.
  bool fits(std::span<Block* const> slots) const;
  void bind(std::span<Block* const> slots, const std::vector<Operation>& operations,
            const std::vector<StoreRef>& stores, int window);

  const Replay& replay() const { return *replay_; }
  int size() const { return static_cast<int>(instructions_.size()); }
  const Instruction& instruction(int item) const { return instructions_[static_cast<std::size_t>(item)]; }

  std::size_t bytes() const;

  void begin();
  bool is_over() const { return left_.load(std::memory_order_acquire) == 0; }
  // While a thread takes part the run is not bound anew.
  void join() { present_.fetch_add(1, std::memory_order_seq_cst); }
  void leave() { present_.fetch_sub(1, std::memory_order_seq_cst); }
  // Workers that find what becomes ready, or have been asked to come and look.
  std::atomic<int>& lookers() { return lookers_; }

  // Waits for nothing more.
  bool is_ready(int item) const {
    const State& one = states_[static_cast<std::size_t>(item)];
    return one.arrived.load(std::memory_order_acquire) == time_ * one.before;
  }
  // A chunk of a ready item: of those that are best the player's, who had them the last time; or of any. -1: none is left.
  std::int64_t take_own(int item, int player);
  std::int64_t take_any(int item, int player);
  bool has_chunks(int item) const;
  // A chunk of something that the item comes after is done; true where it was the last.
  bool arrive(int item) {
    State& one = states_[static_cast<std::size_t>(item)];
    return one.arrived.fetch_add(1, std::memory_order_seq_cst) + 1 == time_ * one.before;
  }
  // A chunk of an item that nothing comes after is done; true where it was the last of all. Then say end(), and touch
  // the run no more.
  bool finish_one() { return left_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  void end() { through_.store(true, std::memory_order_seq_cst); }

  void* node = nullptr;  // the executor's
  int next = 0;          // what is before it is done, where one thread does everything
  // On GPUs the run is issued as a graph, whose numbers are the items'; `changed` are those whose arguments bind() has
  // changed since the graph knew them.
  std::unique_ptr<device::GpuGraph> graph;
  std::vector<int> changed;

 private:
  // What threads pass to one another. Counts go on from time to time, so that nothing is to be set back: each such line is
  // in another core's cache. An item is ready when all chunks before it have arrived, `before` each time.
  struct alignas(64) State {
    std::atomic<std::uint32_t> arrived{0};
    std::uint32_t before = 0;
  };
  // Some of an item's chunks, taken first by one player.
  struct alignas(64) Slice {
    std::atomic<std::uint32_t> taken{0};
    std::uint32_t size = 0;
    std::int64_t first = 0;
  };
  struct Slices {
    std::size_t first = 0;
    int count = 0;
  };
  std::int64_t take_from(Slice& slice);

  const std::shared_ptr<const Replay> replay_;
  const int players_;
  std::vector<std::byte*> data_;  // by slot
  std::vector<Instruction> instructions_;
  std::vector<std::shared_ptr<std::vector<std::uint64_t>>> scalars_;  // by task
  std::vector<bool> new_scalars_;                                     // by task: bind() found others than before
  std::uint32_t time_ = 0;  // that it is played
  std::vector<Slices> slices_of_;
  std::unique_ptr<State[]> states_;
  std::unique_ptr<Slice[]> slices_;
  alignas(64) std::atomic<std::int64_t> left_{0};  // chunks of items that nothing comes after
  alignas(64) std::atomic<int> present_{0};
  std::atomic<int> lookers_{0};
  std::atomic<bool> through_{true};
};

// The runs of one replay that are under way or may be used again.
class ReplayRuns {
 public:
  // One that is through, best one with this memory; null: all are under way.
  [[nodiscard]] std::shared_ptr<ReplayRun> find(std::span<Block* const> slots);
  std::size_t bytes() const;
  std::shared_ptr<ReplayRun> add(std::shared_ptr<ReplayRun> run) { return runs_.emplace_back(std::move(run)); }

 private:
  std::vector<std::shared_ptr<ReplayRun>> runs_;
};

}  // namespace pilum::scheduler
