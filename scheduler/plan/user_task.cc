#include "scheduler/plan/user_task.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "scheduler/memory/view_walk.h"
#include "scheduler/record/body_chunks.h"
#include "scheduler/record/body_form.h"
#include "scheduler/record/recorder.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kChunksOfWorker = 4;    // so that the last to finish keeps nobody waiting for long
constexpr std::int64_t kReductionChunks = 16;  // whoever runs them: the bits do not depend on it

// On a GPU each part is a thread's. As many as there is work and memory for, but not fewer than on the host.
constexpr std::int64_t kMostParts = 1 << 16, kLeastPartPoints = 16, kMostPartBytes = 16 << 20;

std::int64_t count_parts(const Rect& points, std::int64_t bytes) {
  const std::int64_t room = std::max(kMostPartBytes / std::max<std::int64_t>(bytes, 1), kReductionChunks);
  return std::clamp<std::int64_t>(points.cells() / kLeastPartPoints, 1, std::min(kMostParts, room));
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

void prepare_chunks(const Launch& launch, BodyLaunch& body) {
  constexpr std::int64_t kMostPrepared = 256;
  std::int64_t count = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(launch.rank); ++a)
    count *= (launch.extent[a] + launch.chunk[a] - 1) / launch.chunk[a];
  if (count > kMostPrepared) return;
  for (std::int64_t number = 0; number < count; ++number) body.chunks.push_back(make_body_chunk(launch, body, number));
}

// An instance in the host's memory, for the time of a launch.
struct Staged {
  Instance here;
  const Instance* of = nullptr;
  Rect cells;
  const Store* store = nullptr;
  bool back = false;
};

bool on_gpu(PlanBuilder& builder) {
  return builder.rank().on_gpus() && builder.task().launch->body->gpu;
}

// Puts a body's launch together, argument by argument.
class BodyBuilder {
 public:
  BodyBuilder(PlanBuilder& builder, const BoundPiece& bound, const Rect& points)
      : builder_(builder), bound_(bound), points_(points), body_(std::make_shared<BodyLaunch>()) {
    const TaskLaunch& task = *builder.task().launch;
    body_->body = task.body;
    if (on_gpu(builder)) {
      on_gpu_ = std::make_unique<BodyLaunch::OnGpu>();
      find_body_form(task, on_gpu_->form);
    }
    launch_.points = points;
    launch_.rank = points.rank;
    for (std::size_t a = 0; a < static_cast<std::size_t>(points.rank); ++a) {
      launch_.lo[a] = points.lo[a];
      launch_.extent[a] = points.hi[a] - points.lo[a];
    }
    launch_.scalars = std::make_shared<const std::vector<std::uint64_t>>(builder.task().scalars);
  }

  void add_store(const LaunchArgument& argument, const Instance& instance) {
    const bool write = argument.footprint.writes();
    const Rect cells = argument.cells(points_);
    const bool far = builder_.rank().staging && !on_gpu_ && !cells.empty();
    const Instance& memory = far ? stage(argument, instance, cells) : instance;
    touches_.push_back({memory.block, cells, write});
    add(argument.footprint, bind_view(memory, argument.view.map), 0);
  }

  // A reduction's partial results, one a chunk.
  void add_partials(const LaunchArgument& argument, Block* block, std::int64_t bytes, std::int64_t count) {
    kernel::BoundArray array{};
    array.base = reinterpret_cast<char*>(block->data);
    auto stride = static_cast<std::int64_t>(itemsize(argument.footprint.dtype));
    for (int axis = argument.view.shape.rank() - 1; axis >= 0; --axis) {
      array.stride[axis] = stride;
      stride *= argument.view.shape[axis];
    }
    touches_.push_back({block, byte_range(0, bytes * count), true});
    add(argument.footprint, array, bytes);
    if (on_gpu_) on_gpu_->parts = count;
  }

  void emit(const Extents& chunk, bool boundary) {
    launch_.chunk = on_gpu_ ? launch_.extent : chunk;
    launch_.boundary = boundary;
    launch_.body = body_;
    if (on_gpu_) {
      launch_.compiled = builder_.rank().body_kernels(*body_->body->gpu, on_gpu_->form);
      body_->on_gpu = std::move(on_gpu_);
    } else {
      prepare_chunks(launch_, *body_);
    }
    builder_.emit(std::move(launch_), bound_.processor, touches_);
    for (const Staged& staged : staged_) {
      if (staged.back) builder_.copy(staged.here, *staged.of, staged.cells, *staged.store, bound_.processor);
      builder_.free(staged.here.block, bound_.processor);
    }
  }

 private:
  void add(const Footprint& footprint, const kernel::BoundArray& array, std::int64_t chunk_step) {
    body_->footprints.push_back(footprint);
    body_->boxes.push_back(footprint.function ? footprint.region(points_).hull() : Rect{});
    if (on_gpu_) on_gpu_->ranges.push_back(find_ranges(footprint, points_, body_->boxes.back()));
    body_->footprints.back().function = nullptr;
    launch_.arrays.push_back(array);
    launch_.chunk_step.push_back(chunk_step);
  }

  const Instance& stage(const LaunchArgument& argument, const Instance& instance, const Rect& cells) {
    const Store& store = *argument.view.store;
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
  std::shared_ptr<BodyLaunch> body_;
  std::unique_ptr<BodyLaunch::OnGpu> on_gpu_;  // until it is emitted
  Launch launch_;
  std::vector<Touch> touches_;
  std::list<Staged> staged_;
};

// Said once a task, by the first rank.
void warn_of_host(PlanBuilder& builder) {
  if (!builder.rank().on_gpus() || builder.rank().rank != 0 || on_gpu(builder)) return;
  static std::mutex mutex;
  static std::set<std::string> said;
  const char* name = builder.task().name;
  const std::lock_guard lock(mutex);
  if (said.insert(name).second)
    log("scheduler")
        .info("task {} has no GPU body: it runs on the host, and its arrays are copied there and back", name);
}

void emit_body(PlanBuilder& builder, const BoundPiece& bound, const Rect& points, bool boundary) {
  BodyBuilder body(builder, bound, points);
  std::size_t reads = 0, writes = 0;
  for (const LaunchArgument& argument : builder.task().launch->arguments) {
    body.add_store(argument, argument.footprint.writes() ? *bound.writes[writes++] : *bound.reads[reads++]);
  }
  const int workers = builder.rank().workers;
  body.emit(choose_body_chunk(points, workers > 1 ? workers * kChunksOfWorker : 1), boundary);
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
  for (const LaunchArgument& argument : launch.arguments) {
    if (argument.footprint.access != kernel::Access::Reduce) continue;
    bytes += argument.view.shape.elements() * static_cast<std::int64_t>(itemsize(argument.footprint.dtype));
  }
  return bytes;
}

}  // namespace

void emit_bodies(PlanBuilder& builder, const BoundPiece& bound) {
  warn_of_host(builder);
  const Region interior = Region(bound.piece) - bound.halo_points;
  for (const Rect& rect : interior.rects()) emit_body(builder, bound, rect, /*boundary=*/false);
  const Region boundary = bound.halo_points & bound.piece;
  for (const Rect& rect : boundary.rects()) emit_body(builder, bound, rect, /*boundary=*/true);
}

void emit_body_reduction(PlanBuilder& builder, const BoundPiece& bound, std::span<const FoldTarget> targets) {
  const Task& task = builder.task();
  warn_of_host(builder);
  BodyBuilder body(builder, bound, bound.piece);
  const Extents chunk = choose_body_chunk(bound.piece, kReductionChunks);
  const std::int64_t count =
      on_gpu(builder) ? count_parts(bound.piece, partial_bytes(*task.launch)) : count_chunks(bound.piece, chunk);
  std::vector<Block*> partials;
  std::vector<FoldParts> folds;
  std::size_t reads = 0, writes = 0;
  for (const LaunchArgument& argument : task.launch->arguments) {
    if (argument.footprint.access != kernel::Access::Reduce) {
      body.add_store(argument, argument.footprint.writes() ? *bound.writes[writes++] : *bound.reads[reads++]);
      continue;
    }
    const FoldTarget& target = targets[partials.size()];
    const Shape& shape = argument.view.shape;
    const DType dtype = argument.footprint.dtype;
    const std::int64_t bytes = shape.elements() * static_cast<std::int64_t>(itemsize(dtype));
    const auto all = static_cast<std::size_t>(bytes * count);
    const StoreId store = argument.view.store->id;
    Block* block = on_gpu(builder) ? builder.allocate(all, bound.processor, store)
                                   : builder.allocate_on_host(all, bound.processor, store);
    FoldParts fold{argument.footprint.fold,   dtype, target.start, block->data, count, target.memory,
                   std::max(shape.rank(), 1), {}};
    fold.extent[0] = 1;
    for (int axis = 0; axis < shape.rank(); ++axis) fold.extent[static_cast<std::size_t>(axis)] = shape[axis];
    partials.push_back(block);
    folds.push_back(fold);
    body.add_partials(argument, block, bytes, count);
  }
  body.emit(chunk, /*boundary=*/false);
  for (std::size_t i = 0; i < partials.size(); ++i) {
    const auto bytes = static_cast<std::int64_t>(partials[i]->bytes);
    builder.emit(folds[i], bound.processor,
                 {Touch{partials[i], byte_range(0, bytes), false}, Touch{targets[i].block, targets[i].touched, true}});
    builder.free(partials[i], bound.processor);
  }
}

}  // namespace pilum::scheduler
