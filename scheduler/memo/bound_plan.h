// A plan template bound to the memory, numbers and tags of one time round.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/memo/plan_template.h"

namespace pilum::scheduler {

// A run as its executor's GPUs know it (execute/plan_graph.h).
class RunGraph {
 public:
  virtual ~RunGraph() = default;
};

// The template's instructions with pointers, numbers and tags of one time round, and how far its batches are. Used
// again when it is through; then only what differs is written. bind() is the recording thread's, the rest the
// executor's: threads join a run, take chunks of batches that wait for nothing more, and leave it.
class BoundPlan : public std::enable_shared_from_this<BoundPlan> {
 public:
  // `participants`: threads that may take part, by number.
  BoundPlan(std::shared_ptr<const PlanTemplate> plan_template, int participants);
  // Nothing of it is under way, and nobody takes part.
  bool is_idle() const {
    return idle_.load(std::memory_order_seq_cst) && present_.load(std::memory_order_seq_cst) == 0;
  }
  // True where the slots' memory is as it was the last time; by slot, where it begins.
  bool fits(std::span<std::byte* const> slots) const;
  void bind(std::span<std::byte* const> slots, std::span<const Operation> operations,
            const std::vector<StoreRef>& stores, int window);

  const PlanTemplate& plan_template() const { return *template_; }
  int size() const { return static_cast<int>(instructions_.size()); }
  const Instruction& instruction(int item) const { return instructions_[static_cast<std::size_t>(item)]; }
  // A message is all of its batch.
  const Instruction& first_of(int batch) const {
    return instruction(template_->batches()[static_cast<std::size_t>(batch)].first);
  }
  int batches() const { return static_cast<int>(slices_of_.size()); }

  std::size_t bytes() const;

  void begin();
  bool is_over() const { return left_.load(std::memory_order_acquire) == 0; }
  // While a thread takes part the run is not bound anew.
  void join() { present_.fetch_add(1, std::memory_order_seq_cst); }
  void leave() { present_.fetch_sub(1, std::memory_order_seq_cst); }
  // Workers that find what becomes ready, or have been asked to come and look.
  std::atomic<int>& searchers() { return searchers_; }

  // Waits for nothing more.
  bool is_ready(int batch) const {
    const State& one = states_[static_cast<std::size_t>(batch)];
    return one.arrived.load(std::memory_order_acquire) == time_ * one.before;
  }
  // All its chunks are done. For reports: while chunks are taken, a batch may look done a moment before it is.
  bool is_done(int batch) const;
  // Differs once a chunk has been taken or done; for whoever looks whether anything moves.
  std::uint64_t progress() const;
  // A chunk of a ready batch: of those that are best the participant's, who had them the last time; or of any. -1: none
  // is left.
  std::int64_t take_own(int batch, int participant);
  std::int64_t take_any(int batch, int participant);
  bool has_chunks(int batch) const;
  // The participant is at a chunk of the batch from here to there: a note in a line of its own, for it is made for
  // each.
  void begin_chunk(int batch, int participant) { running_[participant].batch.store(batch, std::memory_order_relaxed); }
  void end_chunk(int participant) { running_[participant].batch.store(kNone, std::memory_order_relaxed); }
  // A message is here; nobody takes its chunk.
  void finish_message(int batch) { slices_of(batch).front().taken.fetch_add(1, std::memory_order_relaxed); }
  // A chunk of something that the batch comes after is done; true where it was the last.
  bool arrive(int batch) {
    State& one = states_[static_cast<std::size_t>(batch)];
    return one.arrived.fetch_add(1, std::memory_order_seq_cst) + 1 == time_ * one.before;
  }
  // A chunk of a batch that nothing comes after is done; true where it was the last of all. Then say end(), and touch
  // the run no more.
  bool finish_one() { return left_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  void end() { idle_.store(true, std::memory_order_seq_cst); }

  void* node = nullptr;  // the executor's
  int next = 0;          // what is before it is done, where one thread does everything
  int helpers = 0;       // threads that it is worth to ask to take part
  // On GPUs the run is issued as a graph; `changed` are the items whose arguments bind() has changed since the graph
  // knew them.
  std::unique_ptr<RunGraph> graph;
  std::vector<int> changed;
  bool is_refused = false;  // as a graph, by the driver
  // Where it is no graph it is issued item by item: what each comes after, its queue, and whether another queue waits
  // for it. Made when it is first issued.
  struct IssueOrder {
    std::vector<std::vector<int>> after;
    std::vector<int> queues;
    std::vector<bool> awaited;
  };
  std::optional<IssueOrder> issue_order;

 private:
  // What threads pass to one another. Counts go on from time to time, so that nothing is to be set back: each such line
  // is in another core's cache. A batch is ready when all chunks before it have arrived, `before` each time.
  struct alignas(64) State {
    std::atomic<std::uint32_t> arrived{0};
    std::uint32_t before = 0;
  };
  // Some of a batch's chunks, taken first by one participant.
  struct alignas(64) Slice {
    std::atomic<std::uint32_t> taken{0};
    std::uint32_t size = 0;
    std::int64_t first = 0;
  };
  static constexpr int kNone = -1;
  struct alignas(64) Running {
    std::atomic<int> batch{kNone};
  };
  struct Slices {
    std::size_t first = 0;
    int count = 0;
  };
  std::int64_t take_from(Slice& slice);
  std::span<Slice> slices_of(int batch) const {
    const Slices& some = slices_of_[static_cast<std::size_t>(batch)];
    return {slices_.get() + some.first, static_cast<std::size_t>(some.count)};
  }

  const std::shared_ptr<const PlanTemplate> template_;
  const int participants_;
  std::vector<std::byte*> data_;  // by slot
  std::vector<Instruction> instructions_;
  std::vector<std::shared_ptr<std::vector<std::uint64_t>>> scalars_;  // by task
  std::vector<bool> new_scalars_;                                     // by task: bind() found others than before
  std::uint32_t time_ = 0;                                            // how often it was bound
  std::vector<Slices> slices_of_;
  std::unique_ptr<State[]> states_;
  std::unique_ptr<Slice[]> slices_;
  std::unique_ptr<Running[]> running_;             // by participant
  alignas(64) std::atomic<std::int64_t> left_{0};  // chunks of batches that nothing comes after
  alignas(64) std::atomic<int> present_{0};
  std::atomic<int> searchers_{0};
  std::atomic<bool> idle_{true};
};

// The bindings of one template that are under way or may be used again.
class BoundPlans {
 public:
  // An idle one, preferably bound to this memory, else the one that was not used for longest; null: all are under way,
  // or are graphs of other memory, and few: to change a graph's arguments takes longer than to issue it.
  [[nodiscard]] std::shared_ptr<BoundPlan> find(std::span<std::byte* const> slots);
  std::size_t bytes() const;
  std::shared_ptr<BoundPlan> add(std::shared_ptr<BoundPlan> run) { return runs_.emplace_back(std::move(run)); }

 private:
  std::vector<std::shared_ptr<BoundPlan>> runs_;
};

}  // namespace pilum::scheduler
