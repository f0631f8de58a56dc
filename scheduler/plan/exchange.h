// Which cells must move before a task can run, and the messages that move them.
#pragma once

#include "scheduler/plan/instances.h"

namespace pilum::scheduler {

// The cells of one read that are on their way to each of this rank's processors, from other ranks.
using Incoming = std::vector<Region>;

// A read of the current task, or of a later one.
struct Reading {
  const Task* task = nullptr;
  const Argument* read = nullptr;
};

// Where it is bound on each processor of this rank that has a piece (else null), and what is on its way there.
struct BoundRead {
  std::vector<Instance*> instances;
  Incoming incoming;
};

// Only owners send. A processor lacks what it reads and neither owns, nor was sent since it was last written; owners
// find who lacks their cells by inverting the read's map. Both sides compute the same messages from what all ranks
// know. Costs depend on the neighbours, not on the number of ranks.
class Exchange {
 public:
  Exchange(PlanBuilder& builder, Instances& instances) : builder_(builder), instances_(instances) {}

  // Binds reads, and plans the messages for them, which set out together. None of the tasks from the current one up to
  // the last of these writes what a later one of them reads.
  std::vector<BoundRead> plan_reads(std::span<const Reading> readings);
  // The same of one read of the current task.
  Incoming plan_read(const Argument& read, std::vector<Instance*>& bound);
  // Every processor gets all of the footprint of `domain`, whatever its piece: owners' cells go down trees of ranks.
  void plan_read_everywhere(const Argument& read, const Rect& domain, std::vector<Instance*>& bound);
  // Between two of this rank's processors; by way of the host where they do not reach each other.
  void copy_between(const Instance& from, int owner, const Instance& to, int receiver, const Rect& cells,
                    const Store& store);

 private:
  struct Transfer {
    int from = 0, to = 0;  // processors
    Region cells;
  };

  void bind(const Reading& reading, std::vector<Instance*>& bound);
  void plan_transfers(std::span<const Reading> readings, std::span<BoundRead> bound);
  std::vector<Transfer> find_receives(StoreState& state, const Reading& reading);
  std::vector<Transfer> find_sends(StoreState& state, const Reading& reading);
  void broadcast(StoreState& state, int owner, const Region& cells, std::vector<Instance*>& bound);
  void broadcast_directly(StoreState& state, int owner, const Region& cells, std::vector<Instance*>& bound);
  void copy_all(const ProcessorStore& from, int owner, const Instance& to, int receiver, const Region& cells,
                const Store& store);
  bool is_local(int processor) const;
  int local_number(int processor) const { return processor - builder_.rank().first_processor(); }

  PlanBuilder& builder_;
  Instances& instances_;
};

}  // namespace pilum::scheduler
