#include "scheduler/plan/kernel_launches.h"

#include <algorithm>
#include <optional>

#include "scheduler/memory/view_walk.h"
#include "scheduler/plan/chunks.h"
#include "scheduler/plan/merge_axes.h"

namespace pilum::scheduler {
namespace {

// Touched by one chunk. 512 KB fit a core's cache and hide the hand-over; what is less is shared as long as each thread
// gets 64 KB, some 3 µs.
constexpr std::int64_t kChunkBytes = 512 * 1024, kLeastChunkBytes = 64 * 1024;

kernel::BoundArray bind(const Instance& instance, const AffineMap& map, const Rect& points) {
  const ViewWalk walk(instance, map);
  kernel::BoundArray bound{};
  bound.base = reinterpret_cast<char*>(walk.at(points.lo, points.rank));
  std::copy(walk.stride.begin(), walk.stride.end(), bound.stride);
  std::copy(instance.pitch.begin(), instance.pitch.end(), bound.pitch);
  return bound;
}

bool uses_index(const kernel::Kernel& kernel) {
  return std::any_of(kernel.nodes.begin(), kernel.nodes.end(),
                     [](const kernel::Node& node) { return node.op == kernel::Op::Index; });
}

std::int64_t point_bytes(const kernel::Kernel& kernel) {
  std::int64_t bytes = 0;
  for (const kernel::ArrayArgument& array : kernel.arrays) bytes += static_cast<std::int64_t>(itemsize(array.dtype));
  return std::max<std::int64_t>(bytes, 1);
}

bool is_in_memory(PlanBuilder& builder, const BoundPiece& bound) {
  return bound.piece.cells() * point_bytes(*builder.task().kernel()) > builder.rank().machine.cache_bytes;
}

// Of a launch on cores, by the extents of its box.
kernel::Walk choose_walk(PlanBuilder& builder, const BoundPiece& bound, const Launch& launch) {
  using kernel::Walk;
  if (builder.rank().on_gpus() || !is_in_memory(builder, bound)) return Walk::Rows;
  const kernel::Kernel& kernel = *builder.task().kernel();
  const auto extent = [&](int from_last) {
    return from_last <= launch.rank ? launch.extent[static_cast<std::size_t>(launch.rank - from_last)] : 1;
  };
  const std::int64_t row = extent(1);
  if (kernel::calls_together(kernel) > 1) return row >= kernel::least_row_of_calls(kernel) ? Walk::Strands : Walk::Rows;
  if (row >= kernel::least_row_of_strands(kernel)) return Walk::Strands;
  constexpr std::int64_t kLeastRow = 64, kLeastRows = 16;
  const bool has_room = extent(3) >= kernel::kPlanesTogether && extent(2) >= kLeastRows && row >= kLeastRow;
  return has_room && kernel::has_planes(kernel) ? Walk::Planes : Walk::Rows;
}

// Extents of chunks of planes that are walked by turns: of many rows each two are read that the next chunk reads again.
Extents choose_planes_chunk(const Launch& launch, std::int64_t bytes, int workers) {
  constexpr std::int64_t kPlanes = kernel::kPlanesTogether;
  constexpr std::int64_t kBytes = 2 << 20, kLeastRows = 16, kFew = 4;  // chunks for each thread
  Extents chunk{};
  std::fill_n(chunk.begin(), launch.rank, 1);
  const auto last = static_cast<std::size_t>(launch.rank - 1);
  chunk[last] = launch.extent[last];
  chunk[last - 2] = std::min(2 * kPlanes, launch.extent[last - 2]);
  const std::int64_t most = launch.extent[last - 1];
  std::int64_t rows = std::clamp(kBytes / (bytes * chunk[last] * chunk[last - 2]), std::min(kLeastRows, most), most);
  const std::int64_t parts = (most + rows - 1) / rows;
  rows = (most + parts - 1) / parts;
  std::int64_t count = (most + rows - 1) / rows;
  for (std::size_t a = 0; a + 1 < last; ++a) count *= (launch.extent[a] + chunk[a] - 1) / chunk[a];
  if (count < kFew * workers) chunk[last - 2] = kPlanes, rows = std::min(kLeastRows, rows);
  chunk[last - 1] = rows;
  return chunk;
}

// Bytes of the arrays that rows further on read again, along axes before the last one, for each cell of a row; and of
// all of them.
struct ReadAgain {
  double by_cell = 0, all = 0;
};
ReadAgain count_read_again(const Launch& launch, const kernel::Kernel& kernel) {
  ReadAgain found;
  const auto last = static_cast<std::size_t>(launch.rank - 1);
  for (std::size_t k = 0; k < launch.arrays.size(); ++k) {
    const auto& stride = launch.arrays[k].stride;
    const auto loads = std::count_if(kernel.nodes.begin(), kernel.nodes.end(), [k](const kernel::Node& node) {
      return node.op == kernel::Op::Load && node.argument == static_cast<std::int16_t>(k);
    });
    auto rows = static_cast<double>(loads);
    bool again = false;
    for (std::size_t a = 0; a < last; ++a) {
      if (launch.extent[a] == 1) continue;
      again = again || stride[a] == 0;
      if (stride[a] != 0) rows *= static_cast<double>(launch.extent[a]);
    }
    if (!again || stride[last] == 0) continue;
    const double bytes = rows * static_cast<double>(itemsize(kernel.arrays[k].dtype));
    found.by_cell += bytes;
    found.all += bytes * static_cast<double>(launch.extent[last]);
  }
  return found;
}

// Of rows that are long, and that others read again, as products of many small matrices do whose cells lie each by
// itself: all rows of some columns, so that these are still in a core's cache. Nothing: other chunks do.
std::optional<Extents> choose_columns_chunk(const Launch& launch, const kernel::Kernel& kernel, int workers) {
  constexpr double kInCache = 256 << 10, kBeyondCache = 1 << 20;
  constexpr std::int64_t kLeastColumns = 128, kLine = 64, kMostPoints = 1 << 20;
  if (launch.rank < 2) return std::nullopt;
  const auto last = static_cast<std::size_t>(launch.rank - 1);
  const ReadAgain again = count_read_again(launch, kernel);
  if (again.all < kBeyondCache || launch.extent[last] < 4 * kLeastColumns) return std::nullopt;
  const std::int64_t in_cache = static_cast<std::int64_t>(kInCache / again.by_cell) / kLine * kLine;
  const std::int64_t threads = std::max(workers, 1), of_thread = launch.extent[last] / (2 * threads);
  const std::int64_t of_all = (of_thread + kLine - 1) / kLine * kLine;
  const std::int64_t columns = std::max(std::min(in_cache, of_all), kLeastColumns);
  Extents chunk = launch.extent;
  chunk[last] = columns;
  std::int64_t points = columns;
  for (std::size_t a = last; a-- > 0;) {
    chunk[a] = std::clamp<std::int64_t>(kMostPoints / points, 1, launch.extent[a]);
    points *= chunk[a];
  }
  return chunk;
}

Launch make_kernel_launch(PlanBuilder& builder, const BoundPiece& bound, const Rect& points) {
  const Task& task = builder.task();
  Launch launch = make_launch(builder, points);
  KernelCode code;
  code.kernel = std::get<std::shared_ptr<const kernel::Kernel>>(task.computation);
  launch.arrays.reserve(task.reads.size() + bound.writes.size());
  for (std::size_t i = 0; i < task.reads.size(); ++i) {
    launch.arrays.push_back(bind(*bound.reads[i], task.reads[i].view.map, points));
  }
  std::size_t kept = 0;
  for (const TaskWrite& write : task.writes) {
    if (write.kept) launch.arrays.push_back(bind(*bound.writes[kept++], write.view.map, points));
  }
  // Streams larger than the cache bypass it, unless the kernel reads the memory that it writes.
  std::int64_t written = 0;
  bool in_place = false;
  for (const Instance* target : bound.writes) {
    written += static_cast<std::int64_t>(target->block->bytes);
    for (const Instance* source : bound.reads) in_place = in_place || source->block == target->block;
  }
  code.streaming = is_in_memory(builder, bound) && !in_place && written > 0;
  launch.code = std::move(code);
  return launch;
}

// Once the box and the arrays are what they will be.
void compile(PlanBuilder& builder, Launch& launch) {
  KernelCode& code = std::get<KernelCode>(launch.code);
  if (!builder.rank().on_gpus()) {
    kernel::EmitOptions options;
    options.streaming = code.streaming;
    options.walk = code.walk;
    if (code.walk == kernel::Walk::Strands) launch.together = kernel::calls_together(*code.kernel);
    code.compiled = builder.rank().kernels(*code.kernel, options);
    return;
  }
  code.device = std::make_shared<const kernel::DeviceOptions>(kernel::choose_device_options(
      *code.kernel, launch.arrays, std::span(launch.extent.data(), static_cast<std::size_t>(launch.rank)),
      code.streaming));
  code.compiled = builder.rank().device_kernels(*code.kernel, *code.device);
}

// A GPU's kernels share loads between neighbouring rows: their axes stay what they are.
bool may_merge_axes(PlanBuilder& builder, const kernel::Kernel& kernel) {
  if (uses_index(kernel)) return false;
  return !builder.rank().on_gpus() ||
         std::all_of(kernel.nodes.begin(), kernel.nodes.end(),
                     [](const kernel::Node& node) { return node.offset == kernel::Offset{}; });
}

std::vector<Touch> touches_of(const Task& task, const BoundPiece& bound, const Rect& points) {
  std::vector<Touch> touches;
  touches.reserve(bound.reads.size() + bound.writes.size() + task.reductions.size());
  for (std::size_t i = 0; i < task.reads.size(); ++i) {
    touches.push_back({bound.reads[i]->block, task.reads[i].hull(points), false});
  }
  std::size_t kept = 0;
  for (const TaskWrite& write : task.writes) {
    if (write.kept) touches.push_back({bound.writes[kept++]->block, write.hull(points), true});
  }
  return touches;
}

}  // namespace

void emit_kernel(PlanBuilder& builder, const BoundPiece& bound, const Rect& points, bool boundary) {
  const kernel::Kernel& kernel = *builder.task().kernel();
  Launch launch = make_kernel_launch(builder, bound, points);
  launch.boundary = boundary;
  if (may_merge_axes(builder, kernel))
    merge_axes(std::span(launch.extent.data(), static_cast<std::size_t>(launch.rank)), launch.arrays);
  const std::int64_t bytes = point_bytes(kernel);
  const kernel::Walk walk = std::get<KernelCode>(launch.code).walk = choose_walk(builder, bound, launch);
  if (builder.rank().on_gpus()) {
    launch.chunk = launch.extent;
  } else if (walk == kernel::Walk::Planes) {
    launch.chunk = choose_planes_chunk(launch, bytes, builder.rank().workers);
  } else if (const std::optional<Extents> columns = walk == kernel::Walk::Rows
                                                        ? choose_columns_chunk(launch, kernel, builder.rank().workers)
                                                        : std::nullopt) {
    launch.chunk = *columns;
  } else {
    launch.chunk = choose_shared_chunk(launch.rank, launch.extent, kChunkBytes / bytes, kLeastChunkBytes / bytes,
                                       builder.rank().workers);
  }
  compile(builder, launch);
  builder.emit(std::move(launch), bound.processor, touches_of(builder.task(), bound, points));
}

std::vector<Partials> emit_kernel_reduction(PlanBuilder& builder, const BoundPiece& bound,
                                            std::span<const FoldTarget> targets) {
  const Task& task = builder.task();
  const ReductionChunks chunks =
      builder.rank().on_gpus()
          ? choose_device_reduction_chunks(bound.piece, task.reduced_axes, kernel::columns_in_flight(*task.kernel()))
          : choose_reduction_chunks(bound.piece, task.reduced_axes);
  Launch launch = make_kernel_launch(builder, bound, bound.piece);
  std::get<KernelCode>(launch.code).walk = choose_walk(builder, bound, launch);
  launch.chunk = chunks.chunk;
  std::vector<Touch> touches = touches_of(task, bound, bound.piece);
  launch.chunk_step.resize(launch.arrays.size(), 0);
  std::vector<Partials> partials;  // none for reductions that go to their target directly
  for (std::size_t i = 0; i < task.reductions.size(); ++i) {
    const Argument& reduction = task.reductions[i];
    const FoldTarget& target = targets[i];
    const DType dtype = reduction.store()->dtype;
    // The kept cells of the piece, row-major, and how the domain's axes walk them.
    FoldParts fold{reduction.footprint.fold,
                   dtype,
                   target.start,
                   nullptr,
                   chunks.count,
                   target.memory,
                   std::max(reduction.view.map.store_rank, 1),
                   {}};
    fold.extent[0] = 1;
    std::int64_t bytes = static_cast<std::int64_t>(itemsize(dtype));
    kernel::BoundArray array{};
    const bool direct = !chunks.partials && target.start;
    for (int k = reduction.view.map.store_rank - 1; k >= 0; --k) {
      const auto axis = static_cast<std::size_t>(reduction.view.map[k].axis);
      const auto s = static_cast<std::size_t>(k);
      fold.extent[s] = bound.piece.extent(static_cast<int>(axis));
      array.stride[axis] = direct ? target.memory.pitch[s] : bytes;
      array.pitch[s] = array.stride[axis];
      bytes *= fold.extent[s];
    }
    if (direct) {
      array.base = reinterpret_cast<char*>(target.memory.data);
      touches.push_back({target.block, target.touched, true});
    } else {
      Block* block =
          builder.allocate(static_cast<std::size_t>(bytes * chunks.count), bound.processor, reduction.store()->id);
      array.base = reinterpret_cast<char*>(block->data);
      fold.parts = block->data;
      touches.push_back({block, byte_range(0, bytes * chunks.count), true});
      partials.push_back({block, fold, &target});
    }
    launch.arrays.push_back(array);
    launch.chunk_step.push_back(chunks.partials ? bytes : 0);
  }
  compile(builder, launch);
  builder.emit(std::move(launch), bound.processor, touches);
  return partials;
}

}  // namespace pilum::scheduler
