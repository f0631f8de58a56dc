// One rank's runtime: takes operations, and has them analysed and executed.
#pragma once

#include <memory>
#include <vector>

#include "runtime/base/config.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/gpu.h"
#include "runtime/device/host_lane.h"
#include "runtime/jit/device_jit.h"
#include "runtime/jit/jit.h"
#include "runtime/machine/machine.h"
#include "runtime/memory/pool.h"
#include "runtime/profile/recorder.h"
#include "scheduler/executor.h"
#include "scheduler/memory_book.h"
#include "scheduler/period.h"
#include "scheduler/plan_cache.h"
#include "scheduler/planner.h"
#include "scheduler/printer.h"
#include "scheduler/recorder.h"
#include "scheduler/watch.h"

namespace pilum::scheduler {

// What a session is made of; from the environment, or chosen by a test.
struct SessionParts {
  Config config;
  machine::Machine machine;
  std::vector<machine::Processor> processors;  // of this rank
  std::unique_ptr<comm::Communicator> communicator;
  std::shared_ptr<jit::Jit> jit;  // null: plans are made and kept, not executed
  std::int64_t memory_limit = 0;  // bytes of array memory; 0: none
  // Where processors are GPUs: they, by processor, and what compiles for them.
  std::vector<std::unique_ptr<device::Gpu>> gpus;
  std::shared_ptr<jit::DeviceJit> device_jit;
  std::int64_t gpu_memory_limit = 0;  // bytes of array memory on each; 0: all there is
  bool messages_from_gpus = false;    // the communicator takes GPUs' memory
  bool share_gpu_memory = false;      // between ranks of a node: they open each other's memory
  std::vector<int> node_of;           // by rank; empty: all are on one node
};

// Finds out what this process is part of: communicator, cores, memory; agrees with the other ranks on the machine.
// Throws pilum::ValueError and pilum::RuntimeError.
[[nodiscard]] SessionParts make_session_parts(const Config& config);

// Records on one thread, the one that made it. Analyses when the window is full or a value is asked for; then the
// executor's lanes and this thread, whenever it waits, do the work.
class Session final : public Recorder {
 public:
  explicit Session(SessionParts parts);
  // Drops what is still running; finish() before it ends in order.
  ~Session() override;

  StoreRef make_store(const Shape& shape, DType dtype, const char* operation, std::source_location where) override;
  void check(const TaskLaunch& launch) override;
  void record(Operation&& operation) override;
  void drop(Store& store) noexcept override;
  std::vector<std::byte> fetch(const View& view, const char* operation, std::source_location where) override;
  void wait() override;

  // Runs all that is recorded, and leaves together with the other ranks. Collective.
  void finish();
  bool failed() const { return executor_.failed(); }
  comm::Communicator& communicator() { return *parts_.communicator; }

  const machine::Machine& machine() const { return parts_.machine; }
  int rank() const { return parts_.communicator->rank(); }
  // Of all ranks: as many on each.
  int cores() const;
  std::string transport() const { return parts_.communicator->name(); }
  const profile::Recorder& profile() const { return profile_; }
  // Of the processor's arrays.
  const MemoryBook& memory(int processor = 0) const { return *planning_memories_[static_cast<std::size_t>(processor)]; }
  const memory::Pool& pool() const { return pool_; }
  jit::JitStatistics jit_statistics() const { return parts_.jit ? parts_.jit->statistics() : jit::JitStatistics{}; }
  // Analyses what is recorded without waiting for it.
  void flush();
  const PlanCacheStatistics& plan_cache() const { return cache_.statistics(); }
  // Called with every plan before it is run; for tests.
  void set_on_plan(std::function<void(const Plan&)> on_plan) { on_plan_ = std::move(on_plan); }

 private:
  // Of session_windows.cc.
  void cut_window();
  void cut(std::size_t place, bool keep_fills);
  void cut_body();
  void follow_period();
  std::size_t limit() const;
  // Leaves `operations` empty.
  void analyse(std::vector<Operation>& operations, const std::vector<Operation>& later);
  std::vector<Task> plan_freshly(std::vector<Operation>& operations, const std::vector<Operation>& later, Plan& plan);
  void play(CachedPlan& cached, const std::vector<Operation>& operations, const WindowKey& window, Plan& plan);
  bool plays_again(CachedPlan& plan) const;
  void plan_bodies(std::vector<Operation>& operations, const std::vector<Operation>& later,
                   std::optional<WindowKey> whole, Plan& plan);
  void remember(std::vector<Operation>& operations, const std::vector<Operation>& later,
                std::optional<WindowKey> window, Plan& plan);
  void keep(CachedPlan plan, std::vector<std::vector<ScalarSource>> scalars, WindowKey window);
  Plan make_plan(std::vector<Operation>& operations, const std::vector<Operation>& later);
  void release_dropped(Plan& plan);
  const Instance* find_everywhere(const View& view);
  std::vector<std::byte> read(const Instance& instance, const View& view);
  void make_memories();
  void submit(std::unique_ptr<Plan> plan);
  std::int64_t peak_bytes() const;
  std::string describe_stores() const;
  void make_lanes();
  void report();
  void show_config() const;

  SessionParts parts_;
  profile::Recorder profile_;
  memory::Pool pool_;
  std::vector<std::unique_ptr<MemorySource>> sources_;
  Executor executor_;
  std::vector<std::unique_ptr<MemoryBook>> books_;
  std::vector<MemoryBook*> planning_memories_;  // by processor
  bool peers_ = true;
  MemoryBook* staging_ = nullptr;
  std::vector<MemoryBook*> shared_;  // by processor
  std::unique_ptr<Planner> planner_;
  PlanCache cache_;
  PeriodFinder period_;
  std::size_t body_ = 0;     // operations of the loop that windows are cut to; 0: none
  bool by_body_ = false;     // its windows are planned body by body
  int single_bodies_ = 0;    // windows of it so far
  const bool follows_loops_;  // as all ranks: also where this one's memory is too full to keep plans
  std::unique_ptr<BodyKernels> body_kernels_;  // where processors are GPUs
  std::unique_ptr<Printer> printer_;
  std::unique_ptr<Watch> watch_;
  std::vector<std::unique_ptr<device::HostLane>> lanes_;
  std::function<void(const Plan&)> on_plan_;

  std::vector<Operation> window_;
  std::vector<Operation> analysed_;    // the window before; the two take turns, so that their memory is made once
  std::vector<StoreRef> dropped_;
  Store stores_;  // head of the list of all that live
  std::size_t window_limit_ = 256;
  std::int64_t next_store_ = 0;
  std::int64_t next_instruction_ = 0;
  int next_window_ = 0;
  bool finished_ = false;
};

}  // namespace pilum::scheduler
