// Tasks: bodies, and what is recorded of a launch.
#include "pilum/task.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <unordered_map>

#include "numeric/launch_checker.h"
#include "numeric/recent_launches.h"
#include "numeric/record.h"
#include "pilum/math.h"
#include "scheduler/record/task_launch.h"

namespace pilum::detail {
namespace {

using numeric::ArrayState;
using numeric::Call;
using numeric::fail;
using scheduler::Argument;
using scheduler::TaskLaunch;

// Names are few and live as long as the process: plans, profiles and errors point to them.
const char* keep_name(std::string_view name) {
  static std::mutex mutex;
  static auto* names = new std::set<std::string, std::less<>>;
  const std::lock_guard lock(mutex);
  const auto known = names->find(name);
  return (known != names->end() ? known : names->emplace(name).first)->c_str();
}

// As names. Tasks may be made anew in every iteration of a loop: they get the same body.
const kernel::BodySource* keep_gpu_body(std::string_view name, const GpuSource& gpu, std::uint64_t hash) {
  static std::mutex mutex;
  static auto* bodies = new std::unordered_multimap<std::uint64_t, kernel::BodySource>;
  const auto fits = [&](const kernel::BodySource& body) {
    return body.name == name && body.text == gpu.text && body.checked == gpu.checked &&
           std::ranges::equal(body.parameters, gpu.parameters);
  };
  const std::lock_guard lock(mutex);
  const auto [begin, end] = bodies->equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (fits(known->second)) return &known->second;
  }
  return &bodies
              ->emplace(hash, kernel::BodySource{std::string(name),
                                                 std::string(gpu.text),
                                                 {gpu.parameters.begin(), gpu.parameters.end()},
                                                 gpu.checked})
              ->second;
}

// Objects that have a state are numbered as they come.
FunctionIdentity numbered(FunctionIdentity identity) {
  static std::atomic<std::uint64_t> next{1};
  if (identity.object == FunctionIdentity::kHasState) identity.object = next.fetch_add(1);
  return identity;
}

numeric::Array combine(Fold fold, const numeric::Operand& a, const numeric::Operand& b) {
  switch (fold) {
    case Fold::Sum: return a + b;
    case Fold::Product: return a * b;
    case Fold::Minimum: return minimum(a, b);
    default: return maximum(a, b);
  }
}

// Tasks are for compute: what they write is shared out, however small.
void ask_for_split(const Argument& argument) {
  const partitioner::AffineMap map = argument.map();
  std::uint8_t axes = 0;
  for (int k = 0; k < map.store_rank; ++k) {
    if (map[k].axis >= 0) axes = static_cast<std::uint8_t>(axes | 1u << k);
  }
  scheduler::Store& store = *argument.view.store;
  const auto both = static_cast<std::uint8_t>(store.split_axes & axes);
  if (!store.split_axes || both) store.split_axes = both ? both : axes;
}

void check_body(const Call& call, scheduler::Recorder& recorder, const TaskLaunch& launch) {
  try {
    recorder.check(launch);
  } catch (const ValueError& error) {
    fail<ValueError>(call, error.what());
  } catch (const RuntimeError& error) {
    fail<RuntimeError>(call, "the GPU body cannot be compiled: ", error.what());
  }
}

// Null: there is nothing to do.
std::shared_ptr<TaskLaunch> check_launch(const Call& call, scheduler::Recorder& recorder,
                                         const std::shared_ptr<const scheduler::TaskBody>& body, const Shape& domain,
                                         std::span<const BodyParameter> parameters,
                                         std::span<const StoreArgument* const> stores) {
  LaunchChecker checker(call, domain);
  std::shared_ptr<TaskLaunch> launch = scheduler::make_task_launch();
  launch->arguments.resize(stores.size());
  std::size_t i = 0;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k].kind != BodyParameter::Kind::Array) continue;
    const ArrayParameter parameter{parameters[k], static_cast<int>(k) + 1};
    const ArrayState& state = numeric::checked_state(call, stores[i]->array, recorder);
    checker.check_array(parameter, state);
    Argument& argument = launch->arguments[i];
    argument.view = state.view();
    argument.footprint.access = stores[i]->access;
    argument.footprint.fold = stores[i]->fold;
    argument.footprint.dtype = parameter.dtype;
    argument.footprint.domain_rank = static_cast<std::int8_t>(domain.rank());
    argument.footprint.shape = state.shape;
    checker.set_windows(parameter, stores[i++]->projection, argument);
  }
  check_written_once(call, parameters, launch->arguments);
  if (domain.elements() == 0) return nullptr;
  launch->body = body;
  launch->domain = Rect::of(domain);
  check_body(call, recorder, *launch);
  for (const Argument& argument : launch->arguments) {
    const Access access = argument.footprint.access;
    if (body->of_library) break;
    if (access == Access::Write || access == Access::ReadWrite) ask_for_split(argument);
  }
  return launch;
}

// What is folded goes to a new array first; then into the one that there is.
std::vector<std::pair<const StoreArgument*, numeric::Array>> redirect_folds(
    const Call& call, scheduler::Recorder& recorder, std::span<const StoreArgument* const> stores, TaskLaunch& launch) {
  std::vector<std::pair<const StoreArgument*, numeric::Array>> folds;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (stores[i]->access != Access::Reduce) continue;
    Argument& argument = launch.arguments[i];
    scheduler::StoreRef store =
        recorder.make_store(argument.view.shape, argument.footprint.dtype, call.name, call.where);
    store->replicate = true;
    argument.view = scheduler::whole(store);
    folds.emplace_back(stores[i], numeric::make_array(std::move(store)));
  }
  return folds;
}

}  // namespace

void refuse_index(int number, int rank, const std::int64_t* index, const BoundStore& store) {
  throw IndexError(scheduler::explain_index(number, rank, index, store.lo.data(), store.hi.data()));
}

std::shared_ptr<const scheduler::TaskBody> make_body(std::string_view name, const FunctionIdentity& identity,
                                                     std::function<void(const BodyCall&)> run, const GpuSource* gpu) {
  auto body = std::make_shared<scheduler::TaskBody>();
  body->name = keep_name(name);
  body->identity = numbered(identity);
  body->run = std::move(run);
  if (gpu) {
    body->gpu_hash = std::hash<std::string_view>()(gpu->text) | 1;
    body->gpu = keep_gpu_body(body->name, *gpu, body->gpu_hash);
  }
  return body;
}

std::shared_ptr<const scheduler::CellFunction> make_function(const FunctionIdentity& identity,
                                                             std::function<std::vector<Box>(const Piece&)> boxes) {
  auto function = std::make_shared<scheduler::CellFunction>();
  function->identity = numbered(identity);
  function->boxes = std::move(boxes);
  return function;
}

void launch(const std::shared_ptr<const scheduler::TaskBody>& body, const Domain& domain,
            std::span<const BodyParameter> parameters, std::span<const StoreArgument* const> stores,
            std::span<const std::uint64_t> scalars, std::uint64_t checked) {
  const Call call{body->name, domain.where()};
  scheduler::Recorder& recorder = numeric::recorder_of(call);
  thread_local RecentLaunches recent;
  std::vector<std::pair<const StoreArgument*, numeric::Array>> folds;
  scheduler::TaskCall task{recent.find(body, domain.shape(), stores, call, recorder), {scalars, checked}};
  if (!task.launch) {
    const std::shared_ptr<TaskLaunch> launch = check_launch(call, recorder, body, domain.shape(), parameters, stores);
    if (!launch) return;
    folds = redirect_folds(call, recorder, stores, *launch);
    launch->hash = scheduler::hash_launch(*launch);
    launch->captured = scheduler::hash_captured(*launch);
    if (folds.empty()) recent.add(launch, stores);
    task.launch = launch;
  }
  for (const StoreArgument* argument : stores) {
    if (argument->access != Access::Read) numeric::ArrayAccess::state(argument->array)->store().true_cells = nullptr;
  }
  recorder.record({call.name, call.where, std::move(task)});
  for (const auto& [argument, parts] : folds) {
    numeric::Array target = argument->array;
    const numeric::Operand a(target, call.where), b(parts, call.where);
    const numeric::Array folded = combine(argument->fold, a, b);
    target(numeric::ellipsis) = numeric::Operand(folded, call.where);
  }
}

}  // namespace pilum::detail
