// One rank's planner without a session: a test records, has that planned, and asks. Nothing is run.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "scheduler/memo/plan_cache.h"
#include "scheduler/memo/replan.h"
#include "scheduler/plan/planner.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {

struct PlannedMachine {
  int ranks = 1;
  int processors = 1;  // of a rank
  bool gpus = false;
  bool peers = true;
  bool messages_from_gpus = false;
  bool share = false;
  std::int64_t split_bytes = 64;
  std::int64_t message_bytes = 2 << 20;
  std::size_t memory = 0;   // bytes of a processor's memory; 0: no limit
  std::size_t staging = 0;  // the same of the host's, where processors are GPUs
  int workers = 1;
  std::int64_t cache_bytes = 32 << 20;  // of a processor
  bool real = false;  // memory that can be touched, in place of addresses alone; fresh cells are 0xff bytes
};

// Addresses that nobody touches, those of each number in a range of their own; or the system's memory.
class CountedMemory final : public MemorySource {
 public:
  CountedMemory(std::size_t number, std::size_t limit, bool real)
      : next_((number + 1) << 40), limit_(limit), real_(real) {}
  std::byte* allocate(std::size_t bytes, std::size_t& taken) override {
    taken = bytes;
    if (limit_ > 0 && used_ + bytes > limit_) return nullptr;
    used_ += bytes;
    if (real_) {
      auto* data = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64}));
      std::memset(data, 0xff, bytes);
      return data;
    }
    const std::uintptr_t address = std::exchange(next_, next_ + (bytes + 4095) / 4096 * 4096);
    return reinterpret_cast<std::byte*>(address);
  }
  void release(std::byte* data, std::size_t taken) override {
    used_ -= taken;
    if (real_) ::operator delete(data, std::align_val_t{64});
  }
  MemoryRoom room() const override { return {used_, limit_}; }
  std::size_t used() const { return used_; }

 private:
  std::uintptr_t next_;
  std::size_t limit_, used_ = 0;
  bool real_;
};

// How a window gets its plan.
enum class Memo { Fresh, Again, Bound };

// This thread's recorder while it lives; arrays must not outlive it.
class PlannedRank final : private PartialExecution {
 public:
  explicit PlannedRank(const PlannedMachine& shape = {}, int rank = 0, Memo memo = Memo::Fresh)
      : real_(shape.real), memo_(memo) {
    machine_.ranks = shape.ranks;
    machine_.processors_per_rank = shape.processors;
    machine_.kind = shape.gpus ? machine::ProcessorKind::Gpu : machine::ProcessorKind::Cpu;
    machine_.split_bytes = shape.split_bytes;
    machine_.message_bytes = shape.message_bytes;
    machine_.cache_bytes = shape.cache_bytes;
    if (shape.gpus) machine_.message_latency = 0;  // no piece is too small for edges of its own
    PlanningRank rank_of{.machine = machine_, .rank = rank, .workers = shape.workers, .peers = shape.peers};
    const auto processors = static_cast<std::size_t>(shape.processors);
    if (!shape.gpus) {
      rank_of.memories.assign(processors, add_book(shape.memory));
    } else {
      for (std::size_t p = 0; p < processors; ++p) rank_of.memories.push_back(add_book(shape.memory));
      for (std::size_t p = 0; p < processors && shape.share; ++p) rank_of.shared.push_back(add_book(0));
      rank_of.staging = add_book(shape.staging);
    }
    rank_of.lent = add_book(1);  // none but what is adopted
    rank_of.messages_from_gpus = shape.messages_from_gpus;
    rank_of.kernels = [](const auto&, const auto&) { return nullptr; };
    rank_of.device_kernels = [](const auto&, const auto&) { return nullptr; };
    rank_of.body_kernels = [](const auto&, const auto&) { return nullptr; };
    rank_of.done_before = [this] { return done; };
    rank_of.partial_execution = this;
    planner_ = std::make_unique<Planner>(std::move(rank_of));
  }
  ~PlannedRank() override = default;
  PlannedRank(const PlannedRank&) = delete;
  PlannedRank& operator=(const PlannedRank&) = delete;

  // The plan of what was recorded since the last one. `later`: of operations that belong to a later window.
  Plan plan(const std::vector<Operation>& later = {}) {
    std::vector<Operation> operations = std::exchange(recorder.operations, {});
    Plan plan = begin_plan();
    release_dropped(plan);
    if (memo_ == Memo::Fresh) {
      plan_freshly(operations, later, plan);
    } else {
      plan_by_cache(operations, later, plan);
    }
    end_plan(plan);
    return plan;
  }
  void execute_so_far(Plan& plan) override {
    Plan& part = ran.emplace_back();
    part.window = plan.window;
    part.first = plan.first;
    part.instructions.swap(plan.instructions);
    plan.first = InstructionId{plan.first.value + static_cast<std::int64_t>(part.instructions.size())};
    done = plan.first;
  }
  // What a test plans by itself stands between these.
  Plan begin_plan() {
    Plan plan;
    plan.window = window_++;
    plan.first = next_;
    return plan;
  }
  void end_plan(const Plan& plan) {
    next_ = InstructionId{plan.first.value + static_cast<std::int64_t>(plan.instructions.size())};
  }

  // Stores that no handle and no operation holds.
  void release_dropped(Plan& plan) {
    std::vector<StoreRef> dropped;
    for (const auto& state : planner_->states())
      if (state->store->handles == 0 && state->store->references == 1) dropped.push_back(state->store);
    for (const StoreRef& store : dropped) planner_->release(*store, plan);
  }

  std::vector<Task> plan_freshly(std::vector<Operation>& operations, const std::vector<Operation>& later, Plan& plan) {
    std::vector<WindowStore> stores = collect_stores(operations, later, machine_);
    std::vector<Task> tasks = fuse(operations, stores, machine_);
    for (const WindowStore& store : stores) tilings.emplace(store.store->id, store.tiling);
    const auto place = [&](const StoreRef& store) {
      planner_->state_of(store, stores[static_cast<std::size_t>(store->window_index)].tiling);
    };
    for (const Task& task : tasks) {
      for (const Argument& read : task.reads) place(read.store());
      for (const Argument& reduction : task.reductions) place(reduction.store());
      for (const TaskWrite& write : task.writes)
        if (write.kept) place(write.store());
    }
    const std::vector<std::vector<Store*>> deaths = find_deaths(tasks, stores);
    for (WindowStore& store : stores) store.store->window_index = -1;
    planner_->plan(tasks, deaths, plan);
    return tasks;
  }

  // Plans while `cached` is told; it is as the cache keeps it then.
  void trace(std::vector<Operation>& operations, const std::vector<Operation>& later, WindowKey& window,
             CachedPlan& cached, Plan& plan) {
    window.take_states();
    cached.trace.begin(window.stores, window.blocks, window.moving);
    planner_->set_observer(&cached.trace);
    std::vector<Task> tasks = plan_freshly(operations, later, plan);
    planner_->set_observer(nullptr);
    cached.tasks = static_cast<std::int64_t>(tasks.size());
    if (!cached.trace.usable()) return;
    std::vector<std::vector<ScalarSource>> scalars;
    for (Task& task : tasks) scalars.push_back(std::move(task.scalar_sources));
    cached.trace.set_scalars(std::move(scalars));
    cached.end(window);
  }

  Planner& planner() { return *planner_; }
  PlanningRank& rank() { return planner_->rank(); }
  const machine::Machine& machine() const { return machine_; }
  MemoryBook& memory(int processor = 0) { return *rank().memories[static_cast<std::size_t>(processor)]; }
  CountedMemory& source(std::size_t number = 0) { return *sources_[number]; }
  PlanCache& cache() { return cache_; }
  static Store& store_of(const numeric::Array& array) { return numeric::ArrayAccess::state(array)->store(); }
  static StoreState& state_of(const numeric::Array& array) { return *store_of(array).state; }
  static ProcessorStore& local(const numeric::Array& array, int processor = 0) {
    return state_of(array).local[static_cast<std::size_t>(processor)];
  }

  WindowRecorder recorder;
  InstructionId done{0};                        // instructions before it are done
  std::vector<Plan> ran;                        // parts of plans that were run to make room
  std::unordered_map<StoreId, Tiling> tilings;  // as stores were cut first, also of those that are gone
  int waits = 0;                                // of a book, for all that is planned

 private:
  MemoryBook* add_book(std::size_t limit) {
    sources_.push_back(std::make_unique<CountedMemory>(sources_.size(), limit, real_));
    books_.push_back(std::make_unique<MemoryBook>(
        *sources_.back(), [this] { return done; },
        [this] {
          ++waits;
          done = next_;
        }));
    return books_.back().get();
  }
  void plan_by_cache(std::vector<Operation>& operations, const std::vector<Operation>& later, Plan& plan) {
    std::optional<WindowKey> window = make_window_key(operations, later, 0);
    CachedPlan* known = window ? cache_.find(*window) : nullptr;
    if (known) {
      if (memo_ == Memo::Bound) return replay(*planner_, *known, operations, *window, plan, /*participants=*/2);
      return replan(*planner_, *known, operations, *window, plan);
    }
    if (!window) {
      (void)plan_freshly(operations, later, plan);
      return;
    }
    CachedPlan cached;
    trace(operations, later, *window, cached, plan);
    if (cached.trace.usable()) cache_.add(std::move(cached));
  }

  machine::Machine machine_;
  bool real_;
  Memo memo_;
  std::vector<std::unique_ptr<CountedMemory>> sources_;
  std::vector<std::unique_ptr<MemoryBook>> books_;
  std::unique_ptr<Planner> planner_;
  PlanCache cache_{64};
  InstructionId next_{0};
  int window_ = 0;
};

// What each rank has planned, by rank: program(planned) answers with one plan, or with something else.
template <class Program>
auto on_all_ranks(const PlannedMachine& machine, Program program) {
  std::vector<decltype(program(std::declval<PlannedRank&>()))> results;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    PlannedRank planned(machine, rank);
    results.push_back(program(planned));
  }
  return results;
}

// What goes from rank to rank, by plans of one window.
using BytesByRanks = std::map<std::pair<int, int>, std::int64_t>;
inline BytesByRanks bytes_by_ranks(const std::vector<Plan>& plans) {
  BytesByRanks bytes;
  for (int rank = 0; rank < static_cast<int>(plans.size()); ++rank) {
    for (const Send* send : plans[static_cast<std::size_t>(rank)].all<Send>())
      bytes[{rank, send->to}] += static_cast<std::int64_t>(send->bytes);
  }
  return bytes;
}

// Messages that only one side knows, or that the sides know otherwise, of plans of one window by rank: "2 -> 3: …".
inline std::vector<std::string> find_unmatched(const std::vector<Plan>& plans) {
  using Message = std::array<std::int64_t, 6>;  // from, to, window, number, bytes, store
  std::vector<Message> sent, awaited;
  for (int rank = 0; rank < static_cast<int>(plans.size()); ++rank) {
    for (const Send* send : plans[static_cast<std::size_t>(rank)].all<Send>())
      sent.push_back({rank, send->to, send->tag.window, send->tag.message, static_cast<std::int64_t>(send->bytes),
                      send->store.value});
    for (const Receive* receive : plans[static_cast<std::size_t>(rank)].all<Receive>())
      awaited.push_back({receive->from, rank, receive->tag.window, receive->tag.message,
                         static_cast<std::int64_t>(receive->bytes), receive->store.value});
  }
  std::sort(sent.begin(), sent.end());
  std::sort(awaited.begin(), awaited.end());
  std::vector<Message> unmatched;
  std::set_symmetric_difference(sent.begin(), sent.end(), awaited.begin(), awaited.end(),
                                std::back_inserter(unmatched));
  std::vector<std::string> texts;
  for (const Message& one : unmatched) {
    texts.push_back(std::to_string(one[0]) + " -> " + std::to_string(one[1]) + ": " + std::to_string(one[4]) +
                    " bytes of s" + std::to_string(one[5]) + " as " + std::to_string(one[2]) + "." +
                    std::to_string(one[3]));
  }
  return texts;
}

}  // namespace pilum::scheduler
