// One rank's runtime: takes operations, and has them analysed and executed.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "runtime/base/config.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/gpu.h"
#include "runtime/device/host_lane.h"
#include "runtime/device/thread_place.h"
#include "runtime/jit/device_jit.h"
#include "runtime/jit/jit.h"
#include "runtime/machine/machine.h"
#include "runtime/memory/pool.h"
#include "runtime/profile/recorder.h"
#include "scheduler/analyze/period.h"
#include "scheduler/analyze/waiting.h"
#include "scheduler/analyze/window.h"
#include "scheduler/direct/direct_window.h"
#include "scheduler/execute/executor.h"
#include "scheduler/memo/plan_cache.h"
#include "scheduler/memory/memory_book.h"
#include "scheduler/plan/partial_execution.h"
#include "scheduler/plan/planner.h"
#include "scheduler/print/printer.h"
#include "scheduler/record/aliases.h"
#include "scheduler/record/array_kind.h"
#include "scheduler/record/number_names.h"
#include "scheduler/record/recorder.h"
#include "scheduler/session/calls_planned_anew.h"
#include "scheduler/session/mailboxes.h"
#include "scheduler/session/repeated_round.h"
#include "scheduler/watch/stall.h"
#include "scheduler/watch/watch.h"

namespace pilum::scheduler {

// What becomes of a session's plans.
enum class SessionMode : std::uint8_t {
  Execute,
  PlanOnly,  // a dry run: plans are made and printed; no kernel is compiled, no memory allocated, nothing executed
};

// What a session is made of; from the environment, or chosen by a test.
struct SessionParts {
  SessionMode mode = SessionMode::Execute;
  Config config;
  machine::Machine machine;
  std::vector<machine::Processor> processors;  // of this rank
  std::unique_ptr<comm::Communicator> communicator;
  std::shared_ptr<jit::Jit> jit;  // null if, and only if, the mode is PlanOnly
  bool shares_cores = false;      // with other ranks, of which there are more than cores
  std::int64_t memory_limit = 0;  // bytes of array memory; 0: none
  std::int64_t total_memory = 0;  // of all ranks together, alike on all; 0: not known
  // Where processors are GPUs: they, by processor, and what compiles for them.
  std::vector<std::unique_ptr<device::Gpu>> gpus;
  std::shared_ptr<jit::DeviceJit> device_jit;
  std::int64_t gpu_memory_limit = 0;  // bytes of array memory on each; 0: all there is
  bool messages_from_gpus = false;    // the communicator takes GPUs' memory
  bool share_gpu_memory = false;      // between ranks of a node: they open each other's memory
  Mailboxes mail;                     // between their GPUs, where each has one
  std::vector<int> node_of;           // by rank; empty: all are on one node
};

// Finds out what this process is part of: communicator, cores, memory; agrees with the other ranks on the machine.
// Throws pilum::ValueError and pilum::RuntimeError.
// `host`: the ranks are those of a communicator of the program's.
[[nodiscard]] SessionParts make_session_parts(const Config& config,
                                              const std::optional<comm::HostCommunicator>& host = {});

// Records on one thread, the one that made it. Analyses when the window is full or a value is asked for; then the
// executor's lanes and this thread, whenever it waits, do the work.
class Session final : public Recorder, private PartialExecution {
 public:
  explicit Session(SessionParts parts);
  // Drops what is still running; finish() before it ends in order.
  ~Session() override;

  StoreRef make_store(const Shape& shape, DType dtype, const char* operation, std::source_location where) override;
  void check(const TaskLaunch& launch) override;
  void record(Operation&& operation) override;
  void drop(Store& store) noexcept override;
  void join(const View& view, const StoreRef& other, std::source_location where) override;
  void separate(Store& other) noexcept override { aliases_.separate(other); }
  std::vector<std::byte> fetch(const View& view, const char* operation, std::source_location where) override;
  void wait(std::source_location where = std::source_location::current()) override;
  LentStore lend(const LentBlock& block, const Shape& shape, DType dtype, const char* operation,
                 std::source_location where) override;
  std::vector<LocalCells> lock(const View& view, const LocalRequest& request, const char* operation,
                               std::source_location where) override;
  void unlock(Store& store, const LocalRequest& request) noexcept override;
  Processors processors() const override {
    return {parts_.machine.processors(), parts_.machine.kind == machine::ProcessorKind::Gpu, cores(),
            parts_.machine.ranks, parts_.machine.split_bytes};
  }
  bool gpus_have(device::GpuSkill skill) override;

  // Runs all that is recorded, and leaves together with the other ranks. Collective.
  void finish();
  bool failed() const { return executor_.failed(); }
  // The program was told, by an exception, that not all it recorded could be done.
  bool told_of_failure() { return executor_.told() || short_of_memory_; }
  comm::Communicator& communicator() { return *parts_.communicator; }

  const machine::Machine& machine() const { return parts_.machine; }
  int rank() const { return parts_.communicator->rank(); }
  // Of all ranks: as many on each.
  int cores() const { return parts_.machine.cores; }
  std::string transport() const { return parts_.communicator->name(); }
  const profile::Recorder& profile() const { return profile_; }
  // Of array memory, by this rank's tasks and copies; where it is counted (show_stats).
  std::int64_t moved_bytes() const;
  // Of the processor's arrays.
  const MemoryBook& memory(int processor = 0) const { return *planning_memories_[static_cast<std::size_t>(processor)]; }
  const memory::Pool& pool() const { return pool_; }
  jit::JitStatistics jit_statistics() const { return parts_.jit ? parts_.jit->statistics() : jit::JitStatistics{}; }
  // Analyses what is recorded without waiting for it.
  void flush(const WindowEnd& end = {});
  const PlanCacheStatistics& plan_cache() const { return cache_.statistics(); }
  // Called with every plan before it is run; for tests.
  void set_on_plan(std::function<void(const Plan&)> on_plan) { on_plan_ = std::move(on_plan); }

 private:
  std::shared_ptr<void> offers_;  // that may still be on their way, where that failed
  struct EndsOnWay;
  std::shared_ptr<EndsOnWay> ends_on_way_;  // the same
  // Of session_windows.cc.
  void cut_window();
  void cut(std::size_t place, bool keep_fills, const WindowEnd& end);
  void note_size(const Operation& operation);
  void count_loop_window();
  void cut_body();
  void follow_period();
  bool are_small_bodies(std::size_t end, std::size_t body);
  bool awaits_bodies() const;
  // Of session_direct.cc.
  void make_direct();
  bool is_to_run_directly(std::size_t operations, const WindowKey* window);
  bool run_directly(const std::vector<Operation>& operations, const std::vector<Operation>& later, WindowKey* window,
                    Plan& plan);
  std::size_t direct_after() const;
  void note_planned(std::size_t operations);
  void note_found(std::size_t operations);
  // Of session_gather.cc.
  void note_uses(const Operation& operation);
  bool weigh_cuts(const Operation& operation);
  bool is_drawn();
  bool weigh_cut(const Store& store, double seconds);
  void weigh_unfound(const std::vector<Operation>& operations);
  void note_gains(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores);
  bool follow_kind(Store& store);
  static std::vector<StoreRef> stores_with_kinds(const std::vector<Operation>& operations);
  static std::vector<CutCost> take_cut_costs(const std::vector<StoreRef>& stores);
  enum class PlanIs : std::uint8_t { New, Found };
  void charge(const std::vector<CutCost>& costs, const std::vector<StoreRef>& stores, PlanIs plan);
  bool is_found_again(const Operation& operation) const;
  double cost_of_planning(const Operation& operation) const;
  double cost_of_cut(const Operation& operation) const;
  double seconds_to_plan_loop() const;
  double seconds_to_gather(const Store& store) const;
  void note_small_uses(const Operation& operation);
  bool may_gather(const Store& store) const;
  std::int64_t most_gathered() const;
  void begin_kind(Store& store);
  void gather_used(const Operation& next);
  void gather(Store& store);
  // Of session_repeats.cc.
  bool record_again(const Operation& operation);
  bool begin_again(const Operation& operation);
  // Operations that are not cut yet.
  std::size_t recorded() const { return window_.size() + repeated_.size(); }
  bool may_follow() const;
  bool is_none_cut() const;
  bool keeps_others_waiting() const;
  void note_plan();
  void learn_next();
  void end_learning(const WindowCut& cut);
  void stop_repeating();
  void put_together();
  void unfold();
  bool is_cut_as_expected(const Store& wanted, std::size_t waited) const;
  std::size_t planned_body(std::size_t operations) const;
  void cut_repeated(const WindowEnd& end);
  std::size_t limit() const;
  // Leaves `operations` empty. Where memory does not do, throws pilum::MemoryError and leaves those that are still to
  // be analysed, as if that had not been tried. Of a window that followed one and is planned anew, both get theirs.
  void analyse(std::vector<Operation>& operations, std::vector<Operation>& later);
  // Of session_memory.cc.
  void analyse_first(std::vector<Operation> later);
  void analyse_in_parts(std::vector<Operation>& operations, std::vector<Operation>& later);
  void begin_undoable();
  void end_undoable();
  void undo(const StateSnapshots& before);
  [[noreturn]] void fail_for_good(const char* text);
  [[noreturn]] void throw_no_records(const char* operation, std::source_location where);
  void give_up_dropped();
  void split_window(const std::vector<bool>& waits);
  bool take_needed(const Store& store);
  bool take_waiting(const Store& wanted, std::size_t waited);
  void analyse_needed(const Store& wanted, std::size_t waited, const WindowEnd& end);
  void analyse_for(const View& view, const WindowEnd& end, std::optional<std::size_t> waited = {});
  void run_for(const View& view, const WindowEnd& end);
  void check_size(const Shape& shape, DType dtype, const char* operation, std::source_location where) const;
  // What a window's tasks are told to be made of and to move.
  struct Told {
    FusionNotes notes;
    std::vector<Traffic> whole;  // of all processors, by task
    Traffic own;                 // of this rank
    FusionEntry entry;
  };
  std::vector<Task> plan_freshly(std::vector<Operation>& operations, const std::vector<Operation>& later, Told& told,
                                 Plan& plan);
  // Of session_fusion.cc.
  void count_traffic_of(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores, Told& told);
  void plan_and_tell(const std::vector<Task>& tasks, const std::vector<std::vector<Store*>>& deaths, Told& told,
                     Plan& plan);
  void count_direct(const std::vector<Operation>& operations);
  void count_again(const CachedPlan& cached, CachedPlan* into);
  void plan_from_cache(CachedPlan& cached, std::span<const Operation> operations, const WindowKey& window, Plan& plan);
  bool is_replayed(CachedPlan& plan) const;
  void plan_bodies(std::vector<Operation>& operations, const std::vector<Operation>& later,
                   std::optional<WindowKey>& whole, Plan& plan);
  void plan_body(std::vector<Operation>& body, const std::vector<Operation>& rest, int first,
                 std::vector<std::vector<ScalarSource>>& scalars, std::optional<CachedPlan>& kept, Plan& plan);
  void remember(std::vector<Operation>& operations, const std::vector<Operation>& later,
                std::optional<WindowKey>& window, Plan& plan);
  static bool keep_in_place(const CachedPlan& plan, const WindowKey& window);
  void keep(CachedPlan plan, std::vector<std::vector<ScalarSource>> scalars, WindowKey& window);
  Plan make_plan(std::vector<Operation>& operations, std::vector<Operation>& later);
  void analyse_all(const WindowEnd& end);
  void run_all(const WindowEnd& end);
  void release_dropped(Plan& plan);
  // Of session_ends.cc.
  std::vector<Store*> new_arrays(const std::vector<Operation>& operations) const;
  void agree_on_ends(const std::vector<Operation>& operations);
  void agree(const std::shared_ptr<EndsOnWay>& ends, const char* operation, std::source_location where);
  // Of session_lent.cc.
  struct Offer;
  StoreRef add_store(const Shape& shape, DType dtype, const char* operation, std::source_location where);
  std::vector<Offer> exchange_offers(const Offer& mine, const char* operation, std::source_location where);
  std::string find_trouble(const LentBlock& block) const;
  void adopt(const StoreRef& store, const LentBlock& block, const partitioner::Tiling& tiling);
  void settle_lent();
  void place_alone(const StoreRef& store);
  void plan_lock(const View& view, bool write, std::vector<LocalCells>& cells, Plan& plan);
  void refuse_guarded(const View& view, const char* operation, std::source_location where) const;
  // Of session_fetch.cc.
  const Instance* find_everywhere(const View& view);
  std::vector<std::byte> read(const Instance& instance, const View& view);
  std::vector<std::byte> gather(const View& view, const char* operation, std::source_location where);
  // Of session_mirror.cc.
  std::vector<std::byte>* find_mirror(const View& view, const char* operation, std::source_location where);
  bool goes_on_reading(std::source_location where);
  void note_written(const Operation& operation);
  void forget_mirror(const Store& store) noexcept;
  // Of session_setup.cc.
  void make_memories();
  void make_mail_partners();
  void make_planner();
  void make_lanes();
  bool executes() const { return parts_.mode == SessionMode::Execute; }
  void wait_for_executor();
  void submit(std::unique_ptr<Plan> plan);
  void execute_so_far(Plan& plan) override;
  std::int64_t peak_bytes() const;
  std::string describe_stores() const;
  // Of session_stats.cc.
  void begin_stats();
  void report();
  std::string describe_traffic() const;
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
  MemoryBook* lent_ = nullptr;
  std::vector<Handle> lent_stores_;  // their values are the program's, whoever has a handle
  int guards_ = 0;
  Aliases aliases_{*this};
  std::vector<MemoryBook*> shared_;                 // by processor
  std::vector<std::unique_ptr<MailPartner>> mail_;  // by rank
  std::vector<Block*> mail_blocks_;                 // which each window's plan may touch
  std::unique_ptr<Planner> planner_;
  PlanCache cache_;
  std::unique_ptr<DirectWindow> direct_;  // null: all windows are planned
  bool gathers_ = false;                  // arrays that are cut, or lie on a GPU, come together for small windows
  std::unordered_map<std::uint64_t, ArrayKind> kinds_;  // by shape and dtype
  std::uint64_t weighed_whole_ = 0;                     // the last draw of is_drawn()
  std::size_t since_cut_ = 0;                           // operations since one on a large array that was cut
  std::size_t planned_in_vain_ = 0;                     // operations, of late
  CallsPlannedAnew planned_anew_;
  // An array that the program reads cell by cell, as it was when it was last written.
  struct Mirror {
    const Store* store = nullptr;
    StoreId id;
    int reads = 0;
    std::vector<std::byte> cells;  // row-major; empty: it is not worth it yet
  };
  std::array<Mirror, 4> mirrors_;
  std::size_t next_mirror_ = 0;                      // the one that the next array takes
  std::vector<std::source_location> reading_lines_;  // that read mirrors, with nothing else since
  std::int64_t last_mirrored_ = 0;                   // the call that did so last
  bool could_run_directly_ = false;                  // the window that is planned
  bool ran_directly_ = false;                        // the last window
  PeriodFinder period_;
  NumberNames number_names_;
  WaitingOperations waiting_;
  std::size_t waited_ = 0;  // operations that the window begins with: a value has been read that did not need them
  device::ThreadPlace thread_place_;
  std::size_t body_ = 0;              // operations of the loop that windows are cut to; 0: none
  bool by_body_ = false;              // its windows are planned body by body
  std::int64_t largest_written_ = 0;  // bytes of an array, since the loop was found
  std::size_t large_body_ = 0;        // operations of such a loop that has gone on for some windows; 0: none
  int single_bodies_ = 0;             // windows of it so far
  // Of a loop, by its last call, its operations, their bytes and views of what lies whole: are_small_bodies().
  std::map<std::tuple<const char*, unsigned, unsigned, std::size_t, double, int>, bool> small_bodies_;
  RepeatedRound repeated_;           // instead of window_, while calls are as they were the last time
  int replayed_ = 0;                 // windows in a row that were replayed
  int learn_after_ = 0;              // of which so many are wanted before one is learnt
  int left_ = 0;                     // windows in a row that followed none, or not to the end
  int submitted_ = 0, held_up_ = 0;  // plans of late, and those for which recording had to wait
  const bool follows_loops_;         // as all ranks: also where this one's memory is too full to keep plans
  const std::int64_t surely_fit_;    // cells of an array, whatever its dtype
  std::array<std::optional<bool>, device::kGpuSkills> gpus_have_;  // known once it was asked for
  std::unique_ptr<BodyKernels> body_kernels_;                      // where processors are GPUs
  std::unique_ptr<Printer> printer_;
  std::unique_ptr<ControlChannel> control_;
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<StallWatch> stall_watch_;
  std::vector<std::unique_ptr<device::HostLane>> lanes_;
  std::function<void(const Plan&)> on_plan_;

  std::vector<Operation> window_;
  std::vector<Operation> analysed_;  // the window before; the two take turns, so that their memory is made once
  Store *first_dropped_ = nullptr, *last_dropped_ = nullptr;  // a list, each with a reference: to drop takes no memory
  std::unique_ptr<std::byte[]> reserve_;
  bool may_undo_ = false;            // the plan in the making
  bool undone_ = false;              // the last one was
  std::size_t freed_by_undone_ = 0;  // bytes that it would have freed
  // Memory did not do for what is in the window: it is tried again when a value is wanted, or when there is more.
  bool short_of_memory_ = false;
  std::size_t retry_at_ = 0;                       // operations
  Store stores_;                                   // head of the list of all that live
  std::size_t window_limit_ = 0, body_limit_ = 0;  // operations of a window, and of a loop's body that is one
  WindowEnd window_end_;                           // of the window that is analysed
  Traffic traffic_;                                // of this rank's plans, where it is counted
  Traffic plan_traffic_;                           // the same of the plan in the making
  double copy_speed_ = 0;                          // bytes/s that a copy reads and writes here; 0: not measured
  std::int64_t first_plan_at_ = 0;                 // ns
  std::int64_t next_store_ = 0;
  std::int64_t next_instruction_ = 0;
  int next_window_ = 0;
  bool finished_ = false;
};

}  // namespace pilum::scheduler
