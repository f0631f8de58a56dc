#include "scheduler/plan/launches.h"

#include <algorithm>

#include "scheduler/memory/view_walk.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kChunkBytes = 512 * 1024;     // touched by one chunk: fits a core's cache, hides the hand-over
constexpr std::int64_t kReductionChunk = 64 * 1024;  // points

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

// Merges neighbouring axes that all arrays walk evenly: long rows run faster. Axes of one point go outwards.
void merge_axes(Launch& launch) {
  auto target = static_cast<std::size_t>(launch.rank - 1);
  for (int axis = launch.rank - 2; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t extent = launch.extent[a];
    if (extent == 1) continue;
    const bool even = std::all_of(launch.arrays.begin(), launch.arrays.end(), [&](const kernel::BoundArray& array) {
      return array.stride[a] == array.stride[target] * launch.extent[target];
    });
    launch.extent[a] = 1;
    if (even) {
      launch.extent[target] *= extent;
      continue;
    }
    --target;
    launch.extent[target] = extent;
    for (kernel::BoundArray& array : launch.arrays) array.stride[target] = array.stride[a];
  }
}

std::int64_t point_bytes(const kernel::Kernel& kernel) {
  std::int64_t bytes = 0;
  for (const kernel::ArrayArgument& array : kernel.arrays) bytes += static_cast<std::int64_t>(itemsize(array.dtype));
  return std::max<std::int64_t>(bytes, 1);
}

Launch make_launch(PlanBuilder& builder, const BoundPiece& bound, const Rect& points) {
  const Task& task = builder.task();
  Launch launch;
  launch.kernel = task.kernel;
  launch.points = points;
  launch.rank = task.kernel->rank;
  for (std::size_t a = 0; a < static_cast<std::size_t>(launch.rank); ++a) {
    launch.lo[a] = points.lo[a];
    launch.extent[a] = points.hi[a] - points.lo[a];
  }
  for (std::size_t i = 0; i < task.reads.size(); ++i) {
    launch.arrays.push_back(bind(*bound.reads[i], task.reads[i].map, points));
  }
  std::size_t kept = 0;
  for (const TaskWrite& write : task.writes) {
    if (write.kept) launch.arrays.push_back(bind(*bound.writes[kept++], write.map, points));
  }
  // Streams larger than the cache bypass it, unless the kernel reads the memory that it writes.
  std::int64_t written = 0;
  bool in_place = false;
  for (const Instance* target : bound.writes) {
    written += static_cast<std::int64_t>(target->block->bytes);
    for (const Instance* source : bound.reads) in_place = in_place || source->block == target->block;
  }
  launch.streaming =
      !in_place && written > 0 && bound.piece.cells() * point_bytes(*task.kernel) > builder.rank().machine.cache_bytes;
  launch.scalars = std::make_shared<const std::vector<std::uint64_t>>(task.scalars);
  return launch;
}

// Once the box and the arrays are what they will be.
void compile(PlanBuilder& builder, Launch& launch) {
  if (!builder.rank().on_gpus()) {
    kernel::EmitOptions options;
    options.streaming = launch.streaming;
    launch.compiled = builder.rank().kernels(*launch.kernel, options);
    return;
  }
  launch.device = std::make_shared<const kernel::DeviceOptions>(kernel::choose_device_options(
      *launch.kernel, launch.arrays, std::span(launch.extent.data(), static_cast<std::size_t>(launch.rank)),
      launch.streaming));
  launch.compiled = builder.rank().device_kernels(*launch.kernel, *launch.device);
}

// A GPU's kernels share loads between neighbouring rows: their axes stay what they are.
bool may_merge_axes(PlanBuilder& builder, const kernel::Kernel& kernel) {
  if (uses_index(kernel)) return false;
  return !builder.rank().on_gpus() ||
         std::all_of(kernel.nodes.begin(), kernel.nodes.end(),
                     [](const kernel::Node& node) { return node.offset == kernel::Offset{}; });
}

void touch_piece(const Task& task, const BoundPiece& bound, const Rect& points, std::vector<Touch>& touches) {
  for (std::size_t i = 0; i < task.reads.size(); ++i) {
    touches.push_back({bound.reads[i]->block, task.reads[i].footprint_hull(points), false});
  }
  std::size_t kept = 0;
  for (const TaskWrite& write : task.writes) {
    if (write.kept) touches.push_back({bound.writes[kept++]->block, write.cells(points), true});
  }
}

void emit_box(PlanBuilder& builder, const BoundPiece& bound, const Rect& points, bool boundary) {
  Launch launch = make_launch(builder, bound, points);
  launch.boundary = boundary;
  if (may_merge_axes(builder, *launch.kernel)) merge_axes(launch);
  launch.chunk = builder.rank().on_gpus()
                     ? launch.extent
                     : choose_chunk(launch.rank, launch.extent, kChunkBytes / point_bytes(*launch.kernel));
  compile(builder, launch);
  std::vector<Touch> touches;
  touch_piece(builder.task(), bound, points, touches);
  builder.emit(std::move(launch), bound.processor, touches);
}

// How many chunks a reduced axis can be cut into: along the last axis, where cells lie side by side, into runs that are
// long enough for a team of threads.
std::int64_t most_parts(const Rect& piece, int axis) {
  constexpr std::int64_t kRun = 256;
  return axis == piece.rank - 1 ? std::max<std::int64_t>(piece.extent(axis) / kRun, 1) : piece.extent(axis);
}

// The reduced axis that chunks are cut along: the outermost that can be cut into as many parts as are wanted, so that a
// chunk is a run of memory; where none can, the one that can be cut into the most. -1: nothing is reduced.
int choose_cut_axis(const Rect& piece, unsigned reduced_axes, std::int64_t parts) {
  int best = -1;
  for (int axis = 0; axis < piece.rank; ++axis) {
    if (!(reduced_axes >> axis & 1)) continue;
    if (most_parts(piece, axis) >= parts) return axis;
    if (best < 0 || most_parts(piece, axis) > most_parts(piece, best)) best = axis;
  }
  return best;
}

}  // namespace

Extents choose_chunk(int rank, const Extents& extent, std::int64_t cells) {
  Extents chunk{};
  std::int64_t left = std::max<std::int64_t>(cells, 1);
  for (int axis = rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    chunk[a] = std::clamp<std::int64_t>(left, 1, extent[a]);
    left /= chunk[a];
  }
  return chunk;
}

void emit_launches(PlanBuilder& builder, const BoundPiece& bound) {
  if (builder.task().kernel->stores.empty()) return;  // everything it computes is nobody's
  const Region interior = Region(bound.piece) - bound.halo_points;
  for (const Rect& rect : interior.rects()) emit_box(builder, bound, rect, /*boundary=*/false);
  const Region boundary = bound.halo_points & bound.piece;
  for (const Rect& rect : boundary.rects()) emit_box(builder, bound, rect, /*boundary=*/true);
}

ReductionChunks choose_reduction_chunks(const Rect& piece, unsigned reduced_axes) {
  ReductionChunks chunks;
  std::int64_t kept = 1, reduced = 1;
  for (int axis = 0; axis < piece.rank; ++axis) {
    chunks.chunk[static_cast<std::size_t>(axis)] = piece.extent(axis);
    if (reduced_axes >> axis & 1) {
      reduced *= piece.extent(axis);
    } else {
      kept *= piece.extent(axis);
    }
  }
  constexpr std::int64_t kEnoughChunks = 32;
  const int cut = choose_cut_axis(piece, reduced_axes, kEnoughChunks);
  constexpr std::int64_t kKeptRun = 64;  // cells of a row that go together
  const std::int64_t kept_chunk = std::max(kKeptRun, kReductionChunk / std::max<std::int64_t>(reduced, 1));
  if (kept * reduced <= kReductionChunk) return chunks;
  if (kept / kept_chunk >= kEnoughChunks || cut < 0) {
    std::int64_t left = kept_chunk;
    for (int axis = piece.rank - 1; axis >= 0; --axis) {
      if (reduced_axes >> axis & 1) continue;
      const auto a = static_cast<std::size_t>(axis);
      chunks.chunk[a] = std::clamp<std::int64_t>(left, 1, piece.extent(axis));
      left /= chunks.chunk[a];
    }
    return chunks;
  }
  const std::int64_t row = kept * reduced / piece.extent(cut);
  const std::int64_t rows = std::clamp<std::int64_t>(kReductionChunk / row, 1, piece.extent(cut));
  chunks.chunk[static_cast<std::size_t>(cut)] = rows;
  chunks.count = (piece.extent(cut) + rows - 1) / rows;
  chunks.partials = chunks.count > 1;
  return chunks;
}

ReductionChunks choose_device_reduction_chunks(const Rect& piece, unsigned reduced_axes) {
  constexpr std::int64_t kEnoughThreads = 1 << 20;  // several times what a GPU holds, so that none idles at the end
  constexpr std::int64_t kTeam = 256;
  constexpr std::int64_t kLeastPoints = 16;  // for each thread of a team
  ReductionChunks chunks;
  std::int64_t kept = 1, reduced = 1;
  for (int axis = 0; axis < piece.rank; ++axis) {
    chunks.chunk[static_cast<std::size_t>(axis)] = piece.extent(axis);
    if (reduced_axes >> axis & 1) {
      reduced *= piece.extent(axis);
    } else {
      kept *= piece.extent(axis);
    }
  }
  if (reduced_axes == 0 || kept == 0) return chunks;
  // Along a row that is folded the team is a block; else its 32 columns share one.
  const bool along_rows = reduced_axes >> (piece.rank - 1) & 1;
  const std::int64_t team = along_rows ? kTeam : kTeam / 32;
  // Not too long either: many far places at once are more than the address translation holds.
  constexpr std::int64_t kMostPoints = 1 << 15;
  const std::int64_t enough = std::max(kEnoughThreads / std::max<std::int64_t>(kept * team, 1), reduced / kMostPoints);
  const std::int64_t wanted = std::min(enough, reduced / (team * kLeastPoints));
  const int cut = choose_cut_axis(piece, reduced_axes, wanted);
  const std::int64_t parts = std::clamp<std::int64_t>(wanted, 1, most_parts(piece, cut));
  const std::int64_t rows = (piece.extent(cut) + parts - 1) / parts;
  chunks.chunk[static_cast<std::size_t>(cut)] = rows;
  chunks.count = (piece.extent(cut) + rows - 1) / rows;
  chunks.partials = chunks.count > 1;
  return chunks;
}

void emit_reduction(PlanBuilder& builder, const BoundPiece& bound, std::span<const FoldTarget> targets) {
  const Task& task = builder.task();
  const ReductionChunks chunks = builder.rank().on_gpus()
                                     ? choose_device_reduction_chunks(bound.piece, task.reduced_axes)
                                     : choose_reduction_chunks(bound.piece, task.reduced_axes);
  Launch launch = make_launch(builder, bound, bound.piece);
  launch.chunk = chunks.chunk;
  std::vector<Touch> touches;
  touch_piece(task, bound, bound.piece, touches);
  launch.chunk_step.resize(launch.arrays.size(), 0);
  struct Partials {
    Block* block;
    FoldParts fold;
    const FoldTarget* target;
  };
  std::vector<Partials> partials;  // none for reductions that go to their target directly
  for (std::size_t i = 0; i < task.reductions.size(); ++i) {
    const TaskReduction& reduction = task.reductions[i];
    const FoldTarget& target = targets[i];
    const DType dtype = reduction.store->dtype;
    // The kept cells of the piece, row-major, and how the domain's axes walk them.
    FoldParts fold{reduction.fold,
                   dtype,
                   target.start,
                   nullptr,
                   chunks.count,
                   target.memory,
                   std::max(reduction.map.store_rank, 1),
                   {}};
    fold.extent[0] = 1;
    std::int64_t bytes = static_cast<std::int64_t>(itemsize(dtype));
    kernel::BoundArray array{};
    const bool direct = !chunks.partials && target.start;
    for (int k = reduction.map.store_rank - 1; k >= 0; --k) {
      const auto axis = static_cast<std::size_t>(reduction.map[k].axis);
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
          builder.allocate(static_cast<std::size_t>(bytes * chunks.count), bound.processor, reduction.store->id);
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
  for (const Partials& partial : partials) {
    builder.emit(partial.fold, bound.processor,
                 {Touch{partial.block, byte_range(0, static_cast<std::int64_t>(partial.block->bytes)), false},
                  Touch{partial.target->block, partial.target->touched, true}});
    builder.free(partial.block, bound.processor);
  }
}

}  // namespace pilum::scheduler
