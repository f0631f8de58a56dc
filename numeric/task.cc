// Tasks: what is checked at a launch, and what is recorded.
#include "pilum/task.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <unordered_map>

#include "numeric/recent_launches.h"
#include "numeric/record.h"
#include "pilum/math.h"
#include "runtime/base/hash.h"
#include "scheduler/record/task_launch.h"

namespace pilum::detail {
namespace {

using numeric::ArrayAccess;
using numeric::ArrayState;
using numeric::Call;
using numeric::fail;
using scheduler::LaunchArgument;
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
const kernel::BodyText* keep_gpu_body(std::string_view name, const GpuText& gpu, std::uint64_t hash) {
  static std::mutex mutex;
  static auto* bodies = new std::unordered_multimap<std::uint64_t, kernel::BodyText>;
  const auto fits = [&](const kernel::BodyText& body) {
    return body.name == name && body.text == gpu.text && body.checked == gpu.checked &&
           std::ranges::equal(body.parameters, gpu.parameters);
  };
  const std::lock_guard lock(mutex);
  const auto [begin, end] = bodies->equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (fits(known->second)) return &known->second;
  }
  return &bodies
              ->emplace(hash, kernel::BodyText{std::string(name),
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

// A word that may be an address in this process: as every rank finds it.
std::uint64_t without_base(std::uint64_t word) {
  static const char here = 0;
  // Programs are loaded high up, or, linked for fixed addresses, low down.
  static const std::uint64_t lowest = std::uint64_t{1} << (reinterpret_cast<std::uintptr_t>(&here) >> 40 ? 40 : 16);
  constexpr std::uint64_t kPage = 4096;
  if (word < lowest || word >> 47 != 0) return word;
  unsigned char resident = 0;
  if (mincore(reinterpret_cast<void*>(word & ~(kPage - 1)), 1, &resident) != 0) return word;  // nothing is mapped there
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(word), &info) == 0 || !info.dli_fbase) return 1;
  return word - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
}

// One that is an array, and its number among the body's, from 1.
struct ArrayParameter : BodyParameter {
  int number;
};

// The number of the parameter that array i is passed for.
int number_of(std::span<const BodyParameter> parameters, std::size_t i) {
  std::size_t number = 0;
  for (std::size_t arrays = 0; arrays <= i; ++number) arrays += parameters[number].kind == BodyParameter::Kind::Array;
  return static_cast<int>(number);
}

// "argument 2, of shape (3, 4), "
std::string argument_text(const ArrayParameter& parameter, const Shape& shape) {
  return "argument " + std::to_string(parameter.number) + ", an array of shape " + to_string(shape) + ", ";
}

// Checks one launch's arguments, one by one.
class LaunchChecker {
 public:
  LaunchChecker(const Call& call, const Shape& domain) : call_(call), domain_(domain) {
    if (domain.rank() < 1 || domain.rank() > kMaxAxes) {
      fail<ShapeError>(call, "a domain of ", domain.rank(), " axes: give 1 to ", kMaxAxes, " extents");
    }
    for (int axis = 0; axis < domain.rank(); ++axis) {
      if (domain[axis] < 0) {
        fail<ShapeError>(call, "the domain ", domain, " has a negative extent: give 0 for no points");
      }
    }
  }

  void check_array(const ArrayParameter& parameter, const ArrayState& state) {
    if (state.dtype() != parameter.dtype) {
      fail<DTypeError>(call_, argument_text(parameter, state.shape), "is ", state.dtype(), " and the body takes ",
                       parameter.dtype, ": cast it with astype, or write the body for ", state.dtype());
    }
    if (state.shape.rank() != parameter.rank) {
      fail<ShapeError>(call_, argument_text(parameter, state.shape), "has ", state.shape.rank(),
                       " axes and the body takes ", parameter.rank, ": reshape or index it, or write the body for ",
                       state.shape.rank(), " axes");
    }
    if (state.shape.elements() == 0 && domain_.elements() != 0) {
      fail<ValueError>(call_, argument_text(parameter, state.shape), "has no cells: skip the launch, or give it some");
    }
    if (parameter.access == Access::Read) return;
    if (parameter.access == Access::Reduce && parameter.dtype == DType::Bool) {
      fail<DTypeError>(call_, argument_text(parameter, state.shape),
                       "is bool, and folds are of numbers: fold into an int32");
    }
    for (int axis = 0; axis < state.shape.rank(); ++axis) {
      const int k = state.map.store_axis_of(axis);
      if (parameter.access != Access::Reduce && (k < 0 || state.map[k].scale != 1)) {
        fail<ValueError>(call_, argument_text(parameter, state.shape), "is a view that ",
                         k < 0 ? "repeats its cells" : "has steps", " along axis ", axis,
                         " and cannot be written by a task: write a new array, and assign it to the view");
      }
    }
  }

  void set_windows(const ArrayParameter& parameter, const Projection& projection, LaunchArgument& argument) {
    const Shape& shape = argument.view.shape;
    auto& windows = argument.footprint.windows;
    const bool point_by_point = parameter.access == Access::Write || parameter.access == Access::ReadWrite;
    if (point_by_point && projection.kind() != Projection::Kind::Aligned) {
      fail<ValueError>(
          call_, argument_text(parameter, shape),
          "is written through a projection: tasks write aligned, each point its own cells. Launch over the "
          "array's own extents and read through the projection instead, or fold with reduce");
    }
    for (int axis = 0; axis < shape.rank(); ++axis) at(windows, axis) = AxisCells{-1, 0, 0, shape[axis]};
    switch (projection.kind()) {
      case Projection::Kind::Whole: return;
      case Projection::Kind::Function:
        argument.footprint.function = projection.function;
        return check_function(parameter, *projection.function, shape);
      case Projection::Kind::Affine: return set_affine(parameter, projection, argument);
      default: break;
    }
    if (shape.rank() < domain_.rank()) {
      fail<ShapeError>(call_, argument_text(parameter, shape), "has fewer axes than the domain ", domain_,
                       " that it is aligned with: pass it with all or with an affine map");
    }
    for (int axis = 0; axis < domain_.rank(); ++axis) {
      if (shape[axis] != domain_[axis]) {
        fail<ShapeError>(
            call_, argument_text(parameter, shape), "is aligned with the domain ", domain_, ", and axis ", axis,
            " differs: launch over its extents, pass a view that has the domain's, or read with an affine map");
      }
      at(windows, axis) = AxisCells{axis, 1, 0, 1};
    }
    if (projection.kind() == Projection::Kind::Halo) add_halo(parameter, projection, windows, shape);
  }

 private:
  static AxisCells& at(std::array<AxisCells, kMaxAxes>& windows, int axis) {
    return windows[static_cast<std::size_t>(axis)];
  }

  // Of the first point: of others it is found out when the launch is planned.
  void check_function(const ArrayParameter& parameter, const scheduler::CellFunction& function, const Shape& shape) {
    if (domain_.elements() == 0) return;
    Piece::Bounds lo{}, hi{};
    std::fill_n(hi.begin(), domain_.rank(), 1);
    const scheduler::NoRecording none("a function that says which cells a task touches");
    for (const Box& box : function.boxes(Piece(domain_.rank(), lo, hi))) {
      if (box.rank() == shape.rank()) continue;
      fail<ShapeError>(call_, argument_text(parameter, shape), "is read through a function that gives a box of ",
                       box.rank(), " axes: give lo and hi for each of the array's");
    }
  }

  void add_halo(const ArrayParameter& parameter, const Projection& projection, std::array<AxisCells, kMaxAxes>& windows,
                const Shape& shape) {
    const auto check = [&](const Widths& widths) {
      if (widths.size() != 1 && widths.size() != static_cast<std::size_t>(domain_.rank())) {
        fail<ShapeError>(call_, argument_text(parameter, shape), "has a halo of ", widths.size(),
                         " widths and the domain ", domain_, " has ", domain_.rank(),
                         " axes: give one for each, or one for all");
      }
      for (const std::int64_t width : widths) {
        if (width < 0)
          fail<ValueError>(call_, argument_text(parameter, shape), "has a halo of ", width, " cells: give 0 or more");
      }
    };
    check(projection.low);
    check(projection.high);
    for (int axis = 0; axis < domain_.rank(); ++axis) {
      const auto width = [axis](const Widths& widths) {
        return widths.size() == 1 ? widths.front() : widths[static_cast<std::size_t>(axis)];
      };
      const std::int64_t low = std::min(width(projection.low), shape[axis]);
      const std::int64_t high = std::min(width(projection.high), shape[axis]);
      at(windows, axis).offset = -low;
      at(windows, axis).extent = low + high + 1;
    }
  }

  void set_affine(const ArrayParameter& parameter, const Projection& projection, LaunchArgument& argument) {
    const Shape& shape = argument.view.shape;
    if (projection.axes.size() != static_cast<std::size_t>(shape.rank())) {
      fail<ShapeError>(call_, argument_text(parameter, shape), "has an affine map of ", projection.axes.size(),
                       " axes: give one for each of the array's");
    }
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const AxisCells& cells = projection.axes[static_cast<std::size_t>(axis)];
      if (cells.axis >= domain_.rank() || cells.axis < -1) {
        fail<IndexError>(call_, argument_text(parameter, shape), "follows axis ", cells.axis, " of the domain ",
                         domain_, ": give one of its axes, or -1 for none");
      }
      if (cells.extent < 1 || (cells.axis >= 0 && cells.scale == 0)) {
        fail<ValueError>(call_, argument_text(parameter, shape), "has an affine map of extent ", cells.extent,
                         " and scale ", cells.scale, " along axis ", axis,
                         ": extents are 1 or more, scales not 0; an axis of -1 is for "
                         "cells that are the same for all points");
      }
      at(argument.footprint.windows, axis) =
          AxisCells{cells.axis, cells.axis < 0 ? 0 : cells.scale, cells.offset, cells.extent};
    }
  }

  const Call& call_;
  const Shape& domain_;
};

numeric::Array combine(Fold fold, const numeric::Operand& a, const numeric::Operand& b) {
  switch (fold) {
    case Fold::Sum: return a + b;
    case Fold::Product: return a * b;
    case Fold::Minimum: return minimum(a, b);
    default: return maximum(a, b);
  }
}

// Tasks are for compute: what they write is shared out, however small.
void ask_for_split(const LaunchArgument& argument, int domain_rank) {
  const partitioner::AffineMap map = argument.map(domain_rank);
  std::uint8_t axes = 0;
  for (int k = 0; k < map.store_rank; ++k) {
    if (map[k].axis >= 0) axes = static_cast<std::uint8_t>(axes | 1u << k);
  }
  scheduler::Store& store = *argument.view.store;
  const auto both = static_cast<std::uint8_t>(store.split_axes & axes);
  if (!store.split_axes || both) store.split_axes = both ? both : axes;
}

void check_written_once(const Call& call, std::span<const BodyParameter> parameters,
                        const std::vector<LaunchArgument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].footprint.writes()) continue;
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      if (j == i || !(arguments[i].view.store == arguments[j].view.store)) continue;
      if (!arguments[j].footprint.writes()) continue;
      fail<ValueError>(call, "arguments ", number_of(parameters, std::min(i, j)), " and ",
                       number_of(parameters, std::max(i, j)), " write the same array: write one of them, or a copy");
    }
  }
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
    LaunchArgument& argument = launch->arguments[i];
    argument.view = state.view();
    argument.footprint.access = stores[i]->access;
    argument.footprint.fold = stores[i]->fold;
    argument.footprint.dtype = parameter.dtype;
    argument.footprint.shape = state.shape;
    checker.set_windows(parameter, stores[i++]->projection, argument);
  }
  check_written_once(call, parameters, launch->arguments);
  if (domain.elements() == 0) return nullptr;
  launch->body = body;
  launch->domain = Rect::of(domain);
  check_body(call, recorder, *launch);
  for (const LaunchArgument& argument : launch->arguments) {
    const Access access = argument.footprint.access;
    if (access == Access::Write || access == Access::ReadWrite) ask_for_split(argument, launch->domain.rank);
  }
  return launch;
}

// What is folded goes to a new array first; then into the one that there is.
std::vector<std::pair<const StoreArgument*, numeric::Array>> redirect_folds(
    const Call& call, scheduler::Recorder& recorder, std::span<const StoreArgument* const> stores, TaskLaunch& launch) {
  std::vector<std::pair<const StoreArgument*, numeric::Array>> folds;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (stores[i]->access != Access::Reduce) continue;
    LaunchArgument& argument = launch.arguments[i];
    scheduler::StoreRef store =
        recorder.make_store(argument.view.shape, argument.footprint.dtype, call.name, call.where);
    store->replicate = true;
    argument.view = scheduler::whole(store);
    folds.emplace_back(stores[i], numeric::make_array(std::move(store)));
  }
  return folds;
}

}  // namespace

std::uint64_t hash_state(std::string_view type, std::span<const std::byte> bytes) {
  std::uint64_t hash = hash_bytes(std::as_bytes(std::span(type)));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    hash = mix(hash, without_base(word));
  }
  return hash;
}

void refuse_index(int number, int rank, const std::int64_t* index, const BoundStore& store) {
  throw IndexError(scheduler::explain_index(number, rank, index, store.lo.data(), store.hi.data()));
}

std::shared_ptr<const scheduler::TaskBody> make_body(std::string_view name, const FunctionIdentity& identity,
                                                     std::function<void(const BodyCall&)> run, const GpuText* gpu) {
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
  scheduler::Operation operation;
  operation.kind = scheduler::OperationKind::Task;
  operation.name = call.name;
  operation.where = call.where;
  operation.scalars = {scalars, checked};
  thread_local RecentLaunches recent;
  std::vector<std::pair<const StoreArgument*, numeric::Array>> folds;
  operation.launch = recent.find(body, domain.shape(), stores, call, recorder);
  if (!operation.launch) {
    const std::shared_ptr<TaskLaunch> launch = check_launch(call, recorder, body, domain.shape(), parameters, stores);
    if (!launch) return;
    folds = redirect_folds(call, recorder, stores, *launch);
    launch->hash = scheduler::hash_launch(*launch);
    launch->captured = scheduler::hash_captured(*launch);
    if (folds.empty()) recent.add(launch, stores);
    operation.launch = launch;
  }
  recorder.record(std::move(operation));
  for (const auto& [argument, parts] : folds) {
    numeric::Array target = argument->array;
    const numeric::Operand a(target, call.where), b(parts, call.where);
    const numeric::Array folded = combine(argument->fold, a, b);
    target(numeric::ellipsis) = numeric::Operand(folded, call.where);
  }
}

}  // namespace pilum::detail
