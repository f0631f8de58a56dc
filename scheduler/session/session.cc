#include "scheduler/session/session.h"

#include <algorithm>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "runtime/machine/print.h"
#include "scheduler/memory/memory_sources.h"
#include "scheduler/memory/read_view.h"
#include "scheduler/record/task_launch.h"
#include "scheduler/watch/call_digest.h"

namespace pilum::scheduler {
namespace {

constexpr int kMostPlansInFlight = 8;
constexpr std::size_t kDefaultWindow = 256;
constexpr std::size_t kCachedPlans = 64;

// What is printed names stores and instructions as they are this time: plans are made each time then.
std::size_t most_cached_plans(const Config& config) {
  if (!config.print.empty() || !config.print_dot.empty()) return 0;
  return config.plan_cache < 0 ? kCachedPlans : static_cast<std::size_t>(config.plan_cache);
}

}  // namespace

Session::Session(SessionParts parts)
    : parts_(std::move(parts)),
      profile_(!parts_.config.profile.empty()),
      pool_(parts_.memory_limit),
      executor_(*parts_.communicator, profile_),
      cache_(most_cached_plans(parts_.config)),
      follows_loops_(cache_.enabled()) {
  if (parts_.config.window > 0)
    window_limit_ = static_cast<std::size_t>(parts_.config.window);
  else
    window_limit_ = kDefaultWindow;
  printer_ = std::make_unique<Printer>(parts_.config, parts_.communicator->rank());
  control_ = std::make_unique<ControlChannel>(executor_);
  watch_ = std::make_unique<Watch>(executor_, *control_, /*all_bytes=*/parts_.config.check == "full");
  make_memories();
  executor_.set_bandwidth(parts_.machine.memory_bandwidth);
  PlanningRank planning{parts_.machine, parts_.communicator->rank()};
  planning.memories = planning_memories_;
  planning.staging = staging_;
  planning.lent = lent_;
  for (const machine::Processor& processor : parts_.processors)
    planning.workers = std::max(planning.workers, static_cast<int>(processor.cores.size()));
  planning.shared = shared_;
  planning.messages_from_gpus = parts_.messages_from_gpus;
  planning.node_of = parts_.node_of;
  for (const auto& gpu : parts_.gpus) {
    for (const auto& other : parts_.gpus) planning.peers = gpu->connect(*other) && planning.peers;
  }
  peers_ = planning.peers;
  show_config();
  planning.kernels = [this](const kernel::Kernel& kernel,
                            const kernel::EmitOptions& options) -> std::shared_ptr<const jit::CompiledKernel> {
    if (!parts_.jit) return nullptr;
    auto compiled = parts_.jit->get_host(kernel, options);
    printer_->print_kernel(kernel, *compiled);
    return compiled;
  };
  planning.device_kernels = [this](const kernel::Kernel& kernel,
                                   const kernel::DeviceOptions& options) -> std::shared_ptr<const jit::CompiledKernel> {
    if (!parts_.device_jit) return nullptr;
    auto compiled = parts_.device_jit->get(kernel, options);
    printer_->print_kernel(kernel, *compiled);
    return compiled;
  };
  if (parts_.device_jit) body_kernels_ = std::make_unique<BodyKernels>(*parts_.device_jit);
  planning.body_kernels = [this](const kernel::BodyText& body,
                                 const kernel::BodyForm& form) -> std::shared_ptr<const jit::CompiledKernel> {
    if (!body_kernels_) return nullptr;
    auto compiled = body_kernels_->get(body, form);
    printer_->print_body(body, *compiled);
    return compiled;
  };
  planning.done_before = [this] { return executor_.done_before(); };
  planning.run_now = [this](Plan& plan) {
    auto part = std::make_unique<Plan>();
    part->window = plan.window;
    part->first = plan.first;
    part->instructions.swap(plan.instructions);
    plan.first = InstructionId{plan.first.value + static_cast<std::int64_t>(part->instructions.size())};
    printer_->print_plan(*part);
    if (on_plan_) on_plan_(*part);
    submit(std::move(part));
    if (parts_.jit) executor_.wait();
  };
  planning.describe_stores = [this] { return describe_stores(); };
  planner_ = std::make_unique<Planner>(std::move(planning));
  if (parts_.jit) make_lanes();
  executor_.set_on_idle([this] { watch_->look(); });
  executor_.set_shares_cores(parts_.shares_cores);
  if (parts_.jit) {
    stall_watch_ = std::make_unique<StallWatch>(
        StallWatch::Parts{executor_, *control_, *watch_, rank(), parts_.machine.ranks, parts_.config.stall_abort});
  }
  log("scheduler")
      .debug("rank {} of {} over {}: {}", rank(), parts_.machine.ranks, transport(),
             machine::to_string(parts_.machine));
}

// One memory for all processors of cores; one for each GPU, and the host's for what goes between.
void Session::make_memories() {
  const auto add = [this](std::unique_ptr<MemorySource> source) {
    sources_.push_back(std::move(source));
    books_.push_back(std::make_unique<MemoryBook>(
        *sources_.back(), [this] { return executor_.done_before(); }, [this] { executor_.wait(); }));
    return books_.back().get();
  };
  const auto imaginary = [this] { return make_imaginary_source(static_cast<int>(sources_.size())); };
  lent_ = add(make_lent_source());
  const bool on_gpus = parts_.machine.kind == machine::ProcessorKind::Gpu;
  if (!on_gpus) {
    planning_memories_.assign(static_cast<std::size_t>(parts_.machine.processors_per_rank),
                              add(parts_.jit ? make_pool_source(pool_) : imaginary()));
    return;
  }
  for (int p = 0; p < parts_.machine.processors_per_rank; ++p) {
    planning_memories_.push_back(
        add(parts_.jit ? make_gpu_source(*parts_.gpus[static_cast<std::size_t>(p)], parts_.gpu_memory_limit)
                       : imaginary()));
  }
  if (parts_.share_gpu_memory) {
    for (int p = 0; p < parts_.machine.processors_per_rank; ++p) {
      shared_.push_back(add(parts_.jit ? make_shared_source(*parts_.gpus[static_cast<std::size_t>(p)]) : imaginary()));
    }
  }
  staging_ = add(parts_.jit ? make_pinned_source(*parts_.gpus.front(), parts_.memory_limit) : imaginary());
}

std::int64_t Session::peak_bytes() const {
  std::int64_t peak = 0;
  for (const auto& book : books_) {
    if (book.get() != staging_ && book.get() != lent_) peak += static_cast<std::int64_t>(book->peak());
  }
  return peak;
}

int Session::cores() const {
  std::size_t here = 0;
  for (const machine::Processor& processor : parts_.processors) here += processor.cores.size();
  return static_cast<int>(std::max<std::size_t>(here, 1)) * parts_.machine.ranks;
}

void Session::make_lanes() {
  std::vector<device::Gpu*> gpus;
  for (const auto& gpu : parts_.gpus) gpus.push_back(gpu.get());
  if (!gpus.empty()) executor_.set_gpus(std::move(gpus), parts_.device_jit.get());
  std::vector<device::HostLane*> lanes;
  for (std::size_t p = 0; p < parts_.processors.size(); ++p) {
    device::HostLaneOptions options;
    options.worker_cores = parts_.processors[p].cores;
    // The recording thread is one of the workers while it waits.
    if (p == 0 && !options.worker_cores.empty()) options.worker_cores.erase(options.worker_cores.begin());
    options.when_idle = [this] { return executor_.poll(); };
    options.on_error = [this](std::exception_ptr error) { executor_.fail(error); };
    lanes_.push_back(device::make_host_lane(std::move(options)));
    lanes.push_back(lanes_.back().get());
  }
  executor_.set_lanes(std::move(lanes));
  std::vector<int> pinned;
  for (const machine::Processor& processor : parts_.processors)
    pinned.insert(pinned.end(), processor.cores.begin(), processor.cores.end());
  if (pinned.empty() || parts_.shares_cores) return;
  const int own = pinned.front();
  pinned.erase(pinned.begin());
  thread_place_ = device::ThreadPlace(own, std::move(pinned));
}

Session::~Session() {
  for (Handle& handle : lent_stores_) handle.store()->recorder = nullptr;  // nothing is dropped any more
  lent_stores_.clear();
  while (first_dropped_) {
    const StoreRef store(first_dropped_);
    first_dropped_ = store->next_dropped;
    if (store->resting) planner_->release_resting(*store);
    --store->references;  // the list's
  }
  while (stores_.next) {  // handles that outlive their runtime are only destroyed
    Store* store = stores_.next;
    if (store->resting) planner_->release_resting(*store);
    store->recorder = nullptr;
    store->state = nullptr;
    stores_.next = store->next;
    if (store->next) store->next->previous = &stores_;
    store->previous = store->next = nullptr;
  }
  stall_watch_.reset();
  if (!finished_) {
    executor_.fail(std::make_exception_ptr(RuntimeError("[Runtime] the runtime was ended before all work was done")));
  }
  lanes_.clear();  // joins the workers
  for (const auto& gpu : parts_.gpus) {
    try {
      gpu->finish();
    } catch (const std::exception& error) {
      log("scheduler").error("{}", error.what());
    }
  }
}

StoreRef Session::make_store(const Shape& shape, DType dtype, const char* operation, std::source_location where) {
  check_size(shape, dtype, operation, where);
  return add_store(shape, dtype, operation, where);
}

StoreRef Session::add_store(const Shape& shape, DType dtype, const char* operation, std::source_location where) {
  auto* store = new (std::nothrow) Store;
  if (!store) throw_no_records(operation, where);
  store->id = StoreId{next_store_++};
  store->shape = shape;
  store->dtype = dtype;
  store->operation = operation;
  store->where = where;
  store->recorder = this;
  store->digest = digest_of(*store);
  store->previous = &stores_;
  store->next = stores_.next;
  if (stores_.next) stores_.next->previous = store;
  stores_.next = store;
  return StoreRef(store);
}

void Session::check(const TaskLaunch& launch) {
  if (body_kernels_ && launch.body->gpu) static_cast<void>(body_kernels_->get_ready(launch));
}

void Session::record(Operation&& operation) try {
  executor_.check();
  if (guards_ > 0) {
    for_each_view(operation, [&](const View& view, bool) { refuse_guarded(view, operation.name, operation.where); });
  }
  if (short_of_memory_) {
    if (window_.size() >= retry_at_) flush();
  } else {
    if (follows_loops_) follow_period();
    if (window_.size() >= limit()) body_ ? cut_body() : cut_window();
  }
  watch_->recorded(operation);
  profile_.counters.operations.add();
  if (follows_loops_) period_.add(operation);
  if (planner_->resting() > 0) {
    for_each_view(operation, [this](const View& view, bool) {
      if (view.store->resting) planner_->wake(*view.store);
    });
  }
  window_.push_back(std::move(operation));
  executor_.work_meanwhile();
} catch (const std::bad_alloc&) {
  throw_no_records(operation.name, operation.where);
}

void Session::drop(Store& store) noexcept {
  ++store.references;
  (last_dropped_ ? last_dropped_->next_dropped : first_dropped_) = &store;
  last_dropped_ = &store;
  store.next_dropped = nullptr;
}

void Session::flush() {
  if (short_of_memory_) give_up_dropped();
  if (window_.empty()) return;
  analysed_.clear();
  analysed_.swap(window_);
  analyse_first({});
}

void Session::analyse(std::vector<Operation>& operations, const std::vector<Operation>& later) {
  profile_.counters.windows.add();
  std::unique_ptr<Plan> plan;
  bool in_parts = false;
  undone_ = false;
  try {
    plan = std::make_unique<Plan>(make_plan(operations, later));
  } catch (const MemoryError& error) {
    if (!undone_) fail_for_good(error.what());
    // What the plan itself frees can be had once that has run.
    in_parts = freed_by_undone_ > 0 && operations.size() > 1;
    if (!in_parts) throw;
  } catch (const std::bad_alloc&) {
    if (!undone_) fail_for_good("[Runtime] the process has no memory left for the records of its arrays");
    throw;
  } catch (...) {
    executor_.fail(std::current_exception(), /*told=*/true);  // half a plan: nothing after it can be right
    throw;
  }
  if (in_parts) return analyse_in_parts(operations, later);
  const std::size_t looks = 2 * operations.size() + 8;  // more than there are new stores
  operations.clear();
  release_dropped(*plan);
  profile_.counters.plans.add();
  profile_.counters.peak_bytes.raise_to(peak_bytes());
  printer_->print_plan(*plan);
  if (on_plan_) on_plan_(*plan);
  submit(std::move(plan));
  planner_->rest_some(period_.count(), looks);
}

void Session::submit(std::unique_ptr<Plan> plan) {
  next_instruction_ += static_cast<std::int64_t>(plan->instructions.size());
  if (!parts_.jit) return;
  thread_place_.look();
  try {
    executor_.submit(std::move(plan));
  } catch (const std::bad_alloc&) {
    fail_for_good("[Runtime] the process has no memory left to run what is planned");
  }
  executor_.wait_for_plans(kMostPlansInFlight);
}

void Session::wait(std::source_location where) {
  executor_.check();
  watch_->called("wait", where);
  run_all();
  settle_lent();
}

void Session::run_all() try {
  executor_.check();
  flush();
  if (parts_.jit) executor_.wait();
} catch (const std::bad_alloc&) {
  throw_no_records("wait", std::source_location::current());
}

// The instance of this rank that has all of the view; of replicated stores alone, of which every rank has one or can
// make one of what it has: which it is depends on what the rank read of them.
const Instance* Session::find_everywhere(const View& view) {
  if (view.store->resting) planner_->wake(*view.store);
  if (!view.store->state || !view.store->state->tiling.is_replicated()) return nullptr;
  const Rect cells = cells_of(view);
  for (const auto& instance : view.store->state->local[0].instances) {
    if (instance->valid.contains(cells)) return instance.get();
  }
  auto plan = std::make_unique<Plan>();
  plan->window = next_window_;  // others may have no such plan: it has no messages
  plan->first = InstructionId{next_instruction_};
  const StateSnapshots before = take_snapshots({&view.store, 1});
  begin_undoable();
  const Instance* collected = nullptr;
  try {
    collected = &planner_->collect(*view.store, cells, *plan);
  } catch (const std::exception& error) {
    undo(before);
    if (!undone_ && !failed()) fail_for_good(error.what());
    throw;
  }
  end_undoable();
  const Instance& instance = *collected;
  submit(std::move(plan));
  if (parts_.jit) executor_.wait();
  return &instance;
}

// A GPU's cells come to the host first.
std::vector<std::byte> Session::read(const Instance& instance, const View& view) {
  if (!staging_) return read_view(instance, view);
  auto plan = std::make_unique<Plan>();
  plan->window = next_window_++;
  plan->first = InstructionId{next_instruction_};
  const Instance here = planner_->copy_to_host(instance, cells_of(view), *view.store, *plan);
  submit(std::move(plan));
  executor_.wait();
  return read_view(here, view);
}

std::vector<std::byte> Session::fetch(const View& view, const char* operation, std::source_location where) try {
  if (view.shape.elements() == 0) return {};
  executor_.check();
  if (guards_ > 0) refuse_guarded(view, operation, where);
  watch_->called(operation, where);
  run_for(view);
  std::vector<std::byte> cells = gather(view, operation, where);
  if (parts_.jit) watch_->confirm(operation, where, view.store->dtype, cells);
  return cells;
} catch (const std::bad_alloc&) {
  throw MemoryError(fmt::format(
      "[{}] the process has no memory left for a copy of the cells, {} of shape {}. {}Take them part by part, by "
      "views, or "
      "raise the limit (ulimit -v). Called at {}:{}",
      operation, name(view.store->dtype), to_string(view.shape), describe_stores(), where.file_name(), where.line()));
}

// The cells on this rank, once all that was recorded is done.
std::vector<std::byte> Session::gather(const View& view, const char* operation, std::source_location where) {
  if (const Instance* instance = find_everywhere(view); instance && parts_.jit) return read(*instance, view);
  StoreRef copy = make_store(view.shape, view.store->dtype, operation, where);
  copy->replicate = true;
  const Handle handle(copy);
  Operation gather;
  gather.compute = view.store->dtype;
  gather.name = operation;
  gather.where = where;
  gather.input_count = 1;
  gather.inputs[0].view = view;
  gather.output = whole(copy);
  record(std::move(gather));
  run_for(whole(copy));
  const Instance* instance = find_everywhere(whole(copy));
  PILUM_CHECK(instance, "store {} was gathered and is not here", copy->id.value);
  if (!parts_.jit) {
    return std::vector<std::byte>(static_cast<std::size_t>(view.shape.elements()) * itemsize(copy->dtype));
  }
  return read(*instance, whole(copy));
}

void Session::finish() {
  // The end cuts the last window: it is a call, and known to be one before this rank waits for what that sends.
  watch_->called("~Runtime", std::source_location::current());
  run_all();
  settle_lent();
  finished_ = true;
  report();
  watch_->leave();
  stall_watch_.reset();  // its thread uses the communicator
  parts_.communicator->finalize();
}

}  // namespace pilum::scheduler
