#include "scheduler/plan/body_launches.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "scheduler/memory/view_walk.h"
#include "scheduler/record/device_body.h"
#include "scheduler/record/device_call.h"
#include "scheduler/record/host_body.h"
#include "scheduler/record/recorder.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kChunksOfWorker = 4;    // so that the last to finish keeps nobody waiting for long
constexpr std::int64_t kReductionChunks = 16;  // whoever runs them: the bits do not depend on it

// On a GPU each part is a thread's. As many as there is work and memory for, but not fewer than on the host.
constexpr std::int64_t kMaxParts = 1 << 16, kLeastPartPoints = 16, kMaxPartBytes = 16 << 20;

std::int64_t count_parts(const Rect& points, std::int64_t bytes) {
  const std::int64_t room = std::max(kMaxPartBytes / std::max<std::int64_t>(bytes, 1), kReductionChunks);
  return std::clamp<std::int64_t>(points.cells() / kLeastPartPoints, 1, std::min(kMaxParts, room));
}

// About `wanted` chunks, along the outer axes.
Extents choose_body_chunk(const Rect& points, std::int64_t wanted) {
  Extents chunk{};
  for (int axis = 0; axis < points.rank; ++axis) {
    const std::int64_t extent = points.extent(axis);
    const std::int64_t parts = std::min(extent, std::max<std::int64_t>(wanted, 1));
    chunk[static_cast<std::size_t>(axis)] = (extent + parts - 1) / parts;
    wanted = (wanted + parts - 1) / parts;
  }
  return chunk;
}

kernel::BoundArray bind_view(const Instance& instance, const AffineMap& map) {
  const ViewWalk walk(instance, map);
  kernel::BoundArray bound{};
  bound.base = reinterpret_cast<char*>(walk.origin);
  std::copy(walk.stride.begin(), walk.stride.end(), bound.stride);
  return bound;
}

void prepare_chunks(const Launch& launch, HostBody& body) {
  constexpr std::int64_t kMaxPrepared = 256;
  std::int64_t count = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(launch.rank); ++a)
    count *= (launch.extent[a] + launch.chunk[a] - 1) / launch.chunk[a];
  if (count > kMaxPrepared) return;
  for (std::int64_t number = 0; number < count; ++number) body.chunks.push_back(make_chunk(launch, body, number));
}

// An instance in the host's memory, for the time of a launch.
struct Staged {
  Instance here;
  const Instance* of = nullptr;
  Rect cells;
  const Store* store = nullptr;
  bool back = false;
};

// What a body is for whom it runs on: chunks of the host's, a kernel of a GPU's, or calls that it makes itself.
enum class Form : std::uint8_t { Host, Kernel, Call };

Form form_of(PlanBuilder& builder) {
  const PlanningRank& rank = builder.rank();
  if (!rank.on_gpus()) return Form::Host;
  const TaskBody& body = *builder.task().launch()->body;
  if (body.issue && (!body.skill || (rank.gpus_have && rank.gpus_have(*body.skill)))) return Form::Call;
  return body.gpu ? Form::Kernel : Form::Host;
}

bool on_gpu(PlanBuilder& builder) {
  return form_of(builder) != Form::Host;
}

// Puts a body's launch together, argument by argument.
class BodyBuilder {
 public:
  BodyBuilder(PlanBuilder& builder, const BoundPiece& bound, const Rect& points)
      : builder_(builder), bound_(bound), points_(points), launch_(make_launch(builder, points)) {
    const TaskLaunch& task = *builder.task().launch();
    switch (form_of(builder)) {
      case Form::Kernel:
        device_ = std::make_shared<DeviceBody>();
        device_->body = task.body;
        find_body_form(task, device_->form);
        break;
      case Form::Call: host_ = call_ = std::make_shared<DeviceCall>(); break;
      case Form::Host: host_ = std::make_shared<HostBody>(); break;
    }
    if (host_) host_->body = task.body;
  }

  void add_store(const Argument& argument, const Instance& instance) {
    const bool write = argument.footprint.writes();
    const Rect cells = argument.hull(points_);
    const bool far = builder_.rank().staging && host_ && !call_ && !cells.empty();
    const Instance& memory = far ? stage(argument, instance, cells) : instance;
    touches_.push_back({memory.block, cells, write});
    add(argument.footprint, bind_view(memory, argument.view.map), 0);
  }

  // A reduction's partial results, one a chunk.
  void add_partials(const Argument& argument, Block* block, std::int64_t bytes, std::int64_t count) {
    kernel::BoundArray array{};
    array.base = reinterpret_cast<char*>(block->data);
    auto stride = static_cast<std::int64_t>(itemsize(argument.footprint.dtype));
    for (int axis = argument.view.shape.rank() - 1; axis >= 0; --axis) {
      array.stride[axis] = stride;
      stride *= argument.view.shape[axis];
    }
    touches_.push_back({block, byte_range(0, bytes * count), true});
    add(argument.footprint, array, bytes);
    if (device_) device_->parts = count;
  }

  void set_bytes(std::int64_t bytes) {
    if (host_) host_->bytes = bytes;
  }

  void emit(const Extents& chunk, bool boundary) {
    launch_.chunk = device_ || call_ ? launch_.extent : chunk;
    launch_.boundary = boundary;
    Block* scratch = nullptr;
    if (call_) {
      call_->chunks.push_back(make_chunk(launch_, *call_, 0));
      scratch = add_scratch();
      host_.reset();
      launch_.code = std::shared_ptr<const DeviceCall>(std::move(call_));
    } else if (device_) {
      device_->compiled = builder_.rank().body_kernels(*device_->body->gpu, device_->form);
      launch_.code = std::shared_ptr<const DeviceBody>(std::move(device_));
    } else {
      prepare_chunks(launch_, *host_);
      launch_.code = std::shared_ptr<const HostBody>(std::move(host_));
    }
    builder_.emit(std::move(launch_), bound_.processor, touches_);
    for (const Staged& staged : staged_) {
      if (staged.back) builder_.copy(staged.here, *staged.of, staged.cells, *staged.store, bound_.processor);
      builder_.free(staged.here.block, bound_.processor);
    }
    if (scratch) builder_.free(scratch, bound_.processor);
  }

 private:
  void add(const Footprint& footprint, const kernel::BoundArray& array, std::int64_t chunk_step) {
    const Rect box = footprint.function() ? footprint.ask(points_).hull() : Rect{};
    if (device_) {
      device_->ranges.push_back(find_ranges(footprint, points_, box));
    } else {
      host_->boxes.push_back(box);
      host_->footprints.push_back(footprint);
      if (footprint.function()) host_->footprints.back().cells = AskedCells();
    }
    launch_.arrays.push_back(array);
    launch_.chunk_step.push_back(chunk_step);
  }

  // What the body needs meanwhile; null: nothing.
  Block* add_scratch() {
    const std::int64_t bytes = count_scratch();
    if (bytes == 0) return nullptr;
    const StoreId store = builder_.task().launch()->arguments.front().store()->id;
    Block* const block = builder_.allocate(static_cast<std::size_t>(bytes), bound_.processor, store);
    touches_.push_back({block, byte_range(0, bytes), true});
    kernel::BoundArray array{};
    array.base = reinterpret_cast<char*>(block->data);
    launch_.arrays.push_back(array);
    launch_.chunk_step.push_back(0);
    call_->scratch_bytes = bytes;
    return block;
  }
  std::int64_t count_scratch() {
    const TaskBody& body = *call_->body;
    if (body.scratch) return body.scratch(*builder_.task().launch(), points_);
    if (!body.scratch_on) return 0;
    const std::vector<detail::BoundStore> stores = bind_stores(launch_, *call_);
    return body.scratch_on({call_->chunks.front().piece, stores.data(), nullptr},
                           builder_.rank().gpu(bound_.processor));
  }

  const Instance& stage(const Argument& argument, const Instance& instance, const Rect& cells) {
    const Store& store = *argument.store();
    Staged& staged = staged_.emplace_back();
    staged.here = make_packed_on_host(builder_, bound_.processor, cells, store);
    staged.of = &instance;
    staged.cells = cells;
    staged.store = &store;
    staged.back = argument.footprint.writes();
    if (argument.footprint.access != kernel::Access::Write)
      builder_.copy(instance, staged.here, cells, store, bound_.processor);
    return staged.here;
  }

  PlanBuilder& builder_;
  const BoundPiece& bound_;
  Rect points_;
  Launch launch_;
  std::shared_ptr<HostBody> host_;  // one of these two, until it is emitted
  std::shared_ptr<DeviceBody> device_;
  std::shared_ptr<DeviceCall> call_;  // that `host_` is
  std::vector<Touch> touches_;
  std::list<Staged> staged_;
};

// Said once a task, by the first rank.
void warn_of_host(PlanBuilder& builder) {
  if (!builder.rank().on_gpus() || builder.rank().rank != 0 || on_gpu(builder)) return;
  if (builder.task().launch()->body->does_io) return;  // files are the host's
  static std::mutex mutex;
  static std::set<std::string> said;
  const Task& task = builder.task();
  const std::lock_guard lock(mutex);
  if (!said.insert(task.name).second) return;
  if (task.launch()->body->of_library) {
    log("scheduler")
        .warn(
            "{}, called at {}:{}, runs on the host, and its arrays are copied there and back at each call: there is "
            "no kernel of it for GPUs (docs/numpy.md)",
            task.name, task.where.file_name(), task.where.line());
    return;
  }
  log("scheduler")
      .warn(
          "task {}, launched at {}:{}, has no body for GPUs: it runs on the host, and its arrays are copied there and "
          "back at each launch. pilum::gpu_body gives it one (docs/tasks.md)",
          task.name, task.where.file_name(), task.where.line());
}

std::int64_t count_chunks(const Rect& points, const Extents& chunk) {
  std::int64_t count = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(points.rank); ++a)
    count *= (points.hi[a] - points.lo[a] + chunk[a] - 1) / chunk[a];
  return count;
}

// Of one part.
std::int64_t partial_bytes(const TaskLaunch& launch) {
  std::int64_t bytes = 0;
  for (const Argument& argument : launch.arguments) {
    if (argument.footprint.access != kernel::Access::Reduce) continue;
    bytes += argument.view.shape.elements() * static_cast<std::int64_t>(itemsize(argument.footprint.dtype));
  }
  return bytes;
}

// A chunk of a body that updates picked cells looks at all that may be picked, which takes as long as to update cells
// in a core's cache: of these one thread's share is no less work than all. In memory, where an update is waited for, it
// takes a quarter.
bool looks_at_all(const TaskLaunch& launch, const Rect& points, int workers) {
  constexpr std::int64_t kCached = 1 << 20, kFewWorkers = 4, kCachedOfFew = 8 << 20;  // bytes
  if (!launch.body->combine) return false;
  return points.cells() * static_cast<std::int64_t>(itemsize(launch.arguments[0].footprint.dtype)) <=
         (workers < kFewWorkers ? kCachedOfFew : kCached);
}

// A launch's share of the bytes of all of its arrays.
std::int64_t count_bytes(const TaskLaunch& launch, const Rect& points) {
  double bytes = 0;
  for (const Argument& argument : launch.arguments)
    bytes +=
        static_cast<double>(argument.view.shape.elements()) * static_cast<double>(itemsize(argument.footprint.dtype));
  return static_cast<std::int64_t>(bytes * static_cast<double>(points.cells()) /
                                   static_cast<double>(launch.domain.cells()));
}

// Of the library's bodies. Of fewer bytes in a chunk, another thread comes later than the first one ends.
std::int64_t most_chunks(std::int64_t bytes) {
  constexpr std::int64_t kLeastBytes = 8 << 10;
  return std::max<std::int64_t>(bytes / kLeastBytes, 1);
}

// Bodies of the library follow indices, compare and count: more than it takes to copy their arrays.
constexpr std::int64_t kWorkOfByte = 8;

}  // namespace

void emit_body(PlanBuilder& builder, const BoundPiece& bound, const Rect& points, bool boundary) {
  warn_of_host(builder);
  BodyBuilder body(builder, bound, points);
  std::size_t reads = 0, writes = 0;
  for (const Argument& argument : builder.task().launch()->arguments) {
    body.add_store(argument, argument.footprint.writes() ? *bound.writes[writes++] : *bound.reads[reads++]);
  }
  const TaskLaunch& launch = *builder.task().launch();
  const int workers = looks_at_all(launch, points, builder.rank().workers) ? 1 : builder.rank().workers;
  std::int64_t chunks = workers > 1 ? workers * kChunksOfWorker : 1;
  if (launch.body->of_library) {
    const std::int64_t bytes = count_bytes(launch, points);
    chunks = std::clamp<std::int64_t>(workers, 1, most_chunks(bytes));
    if (!launch.body->does_io) body.set_bytes(kWorkOfByte * bytes);
  }
  body.emit(choose_body_chunk(points, chunks), boundary);
}

std::vector<Partials> emit_body_reduction(PlanBuilder& builder, const BoundPiece& bound,
                                          std::span<const FoldTarget> targets) {
  const TaskLaunch& launch = *builder.task().launch();
  warn_of_host(builder);
  BodyBuilder body(builder, bound, bound.piece);
  const Extents chunk = choose_body_chunk(bound.piece, kReductionChunks);
  const std::int64_t count =
      on_gpu(builder) ? count_parts(bound.piece, partial_bytes(launch)) : count_chunks(bound.piece, chunk);
  std::vector<Partials> partials;
  std::size_t reads = 0, writes = 0;
  for (const Argument& argument : launch.arguments) {
    if (argument.footprint.access != kernel::Access::Reduce) {
      body.add_store(argument, argument.footprint.writes() ? *bound.writes[writes++] : *bound.reads[reads++]);
      continue;
    }
    const FoldTarget& target = targets[partials.size()];
    const Shape& shape = argument.view.shape;
    const DType dtype = argument.footprint.dtype;
    const std::int64_t bytes = shape.elements() * static_cast<std::int64_t>(itemsize(dtype));
    const auto all = static_cast<std::size_t>(bytes * count);
    const StoreId store = argument.store()->id;
    Block* block = on_gpu(builder) ? builder.allocate(all, bound.processor, store)
                                   : builder.allocate_on_host(all, bound.processor, store);
    FoldParts fold{argument.footprint.fold,   dtype, target.start, block->data, count, target.memory,
                   std::max(shape.rank(), 1), {}};
    fold.extent[0] = 1;
    for (int axis = 0; axis < shape.rank(); ++axis) fold.extent[static_cast<std::size_t>(axis)] = shape[axis];
    partials.push_back({block, fold, &target});
    body.add_partials(argument, block, bytes, count);
  }
  body.emit(chunk, /*boundary=*/false);
  return partials;
}

}  // namespace pilum::scheduler
