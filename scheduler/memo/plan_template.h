// A plan that was made before, with nothing left to find out but its memory, numbers and tags: a BoundPlan has these.
#pragma once

#include <memory>
#include <vector>

#include "scheduler/memo/batches.h"
#include "scheduler/memo/plan_trace.h"
#include "scheduler/memo/wavefront.h"
#include "scheduler/record/instruction_facts.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

class BoundPlan;

// Made of a trace. Its instructions' dependences on each other are known; roles that lived in one block, one after
// the other, share a slot, so that they do so again. Immutable.
class PlanTemplate {
 public:
  // A block of the plan: one that a store has already, or memory that is given out for the plan.
  struct Slot {
    Role first = 0;              // the role that it is at the start
    MemoryBook* book = nullptr;  // null: a store has it
    std::size_t bytes = 0;
    bool freed = false;  // at the end of the plan
  };
  struct Item {
    Instruction instruction;  // pointers as bytes from their block's start
    std::vector<int> slots;   // by touch
    int store = -1;           // number of the store it names
    std::size_t task = 0;
  };

  explicit PlanTemplate(const PlanTrace& trace, const WavefrontMachine& machine = {});
  const std::vector<Slot>& slots() const { return slots_; }
  std::size_t roles() const { return slot_of_role_.size(); }
  int slot_of(Role role) const { return slot_of_role_[static_cast<std::size_t>(role)]; }
  const std::vector<Item>& items() const { return items_; }
  // By item: those that it comes after, the nearest ones alone, in order.
  const std::vector<std::vector<int>>& predecessors() const { return predecessors_; }
  // The items as the host does them.
  const std::vector<Batch>& batches() const { return batches_; }
  // True where GPUs can do all of it.
  bool runs_on_gpus() const { return runs_on_gpus_; }
  bool has_messages() const { return has_messages_; }
  // True where the batches are strips of launches (wavefront.h).
  bool is_wavefront() const { return is_wavefront_; }
  // True where a body issues its work itself.
  bool has_calls() const { return has_calls_; }
  // True where one does what no graph takes, or where libraries' calls are so long that a graph saves nothing, and
  // keeps from running at once what would.
  bool fits_no_graph() const { return fits_no_graph_; }
  // True where something in it waits for another rank's GPU.
  bool waits_for_peers() const { return waits_for_peers_; }
  const std::vector<int>& roots() const { return roots_; }   // batches that wait for none
  std::int64_t most_chunks() const { return most_chunks_; }  // of a batch
  std::int64_t last_chunks() const { return last_chunks_; }  // of all batches that nothing comes after
  // True where threads could take little off each other: there is little beside the longest way through it.
  bool is_chain() const { return is_chain_; }
  const InstructionTotals& totals() const { return totals_; }
  std::size_t bytes() const;  // of its own memory, about
  // Of all cells that its launches and copies touch; tells how long it takes.
  std::int64_t bytes_touched() const { return bytes_touched_; }

 private:
  friend class BoundPlan;
  void count(const Instruction& instruction);
  void connect(const PlanTrace& trace, const std::vector<int>& item_of);
  void make_batches(const WavefrontMachine& machine);

  std::vector<Slot> slots_;
  std::vector<int> slot_of_role_;
  std::vector<Item> items_;
  std::vector<std::vector<int>> predecessors_;
  std::vector<Batch> batches_;
  std::vector<int> roots_;
  std::vector<int> named_;                          // items with a tag or a store's name
  std::vector<std::vector<ScalarSource>> scalars_;  // by task
  InstructionTotals totals_;
  std::int64_t bytes_touched_ = 0;
  bool runs_on_gpus_ = true;
  bool has_messages_ = false;
  bool is_wavefront_ = false;
  bool has_calls_ = false;
  bool fits_no_graph_ = false;
  std::int64_t library_calls_ = 0, library_cells_ = 0;
  bool waits_for_peers_ = false;
  bool is_chain_ = true;
  std::int64_t most_chunks_ = 1, last_chunks_ = 0;
};

}  // namespace pilum::scheduler
