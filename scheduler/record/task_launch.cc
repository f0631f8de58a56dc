#include "scheduler/record/task_launch.h"

#include <algorithm>
#include <string>

#include "pilum/error.h"
#include "runtime/base/hash.h"
#include "scheduler/record/recorder.h"

namespace pilum::scheduler {
namespace {

Rect view_box(const Shape& shape) {
  return Rect::of(shape);
}

Piece to_piece(const Rect& rect) {
  return Piece(rect.rank, rect.lo, rect.hi);
}

}  // namespace

std::shared_ptr<TaskLaunch> make_task_launch() {
  constexpr std::size_t kMostKept = 512;
  thread_local std::vector<std::unique_ptr<TaskLaunch>> kept;
  thread_local bool alive = true;  // handles may outlive the thread's variables
  thread_local const struct Goodbye {
    bool& alive;
    ~Goodbye() { alive = false; }
  } goodbye{alive};
  std::unique_ptr<TaskLaunch> made;
  if (kept.empty()) {
    made = std::make_unique<TaskLaunch>();
  } else {
    made = std::move(kept.back());
    kept.pop_back();
  }
  return {made.release(), [](TaskLaunch* launch) {
            std::unique_ptr<TaskLaunch> owned(launch);
            if (!alive || kept.size() >= kMostKept) return;
            owned->body.reset();
            for (LaunchArgument& argument : owned->arguments) {
              argument.view.store = {};
              argument.footprint.function.reset();
            }
            kept.push_back(std::move(owned));
          }};
}

Rect Footprint::box(const Rect& piece) const {
  Rect box = view_box(shape);
  for (std::size_t k = 0; k < static_cast<std::size_t>(box.rank); ++k) {
    const AxisCells& window = windows[k];
    std::int64_t lo = window.offset, hi = window.offset + window.extent;
    if (window.axis >= 0) {
      const auto a = static_cast<std::size_t>(window.axis);
      const std::int64_t first = window.scale * piece.lo[a], last = window.scale * (piece.hi[a] - 1);
      lo += std::min(first, last);
      hi += std::max(first, last);
    }
    box.lo[k] = std::clamp<std::int64_t>(lo, 0, box.hi[k]);
    box.hi[k] = std::clamp<std::int64_t>(hi, box.lo[k], box.hi[k]);
  }
  return box;
}

partitioner::Region Footprint::region(const Rect& piece) const {
  if (piece.empty()) return {};
  std::vector<Rect> rects;
  Rect point = piece;
  for (;;) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(piece.rank); ++a) point.hi[a] = point.lo[a] + 1;
    const NoRecording none("a function that says which cells a task touches");
    for (const Box& box : function->boxes(to_piece(point))) {
      if (box.rank() != shape.rank()) {
        throw ShapeError("the projection gave a box of " + std::to_string(box.rank()) + " axes for an array of shape " +
                         to_string(shape) + ": give lo and hi for each of its axes");
      }
      const Rect cells = intersect(view_box(shape), Rect{box.rank(), box.lo(), box.hi()});
      if (!cells.empty()) rects.push_back(cells);
    }
    int axis = piece.rank - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++point.lo[a] < piece.hi[a]) break;
      point.lo[a] = piece.lo[a];
    }
    if (axis < 0) return partitioner::Region::of(std::move(rects));
  }
}

std::string explain_index(int number, int rank, const std::int64_t* index, const std::int64_t* lo,
                          const std::int64_t* hi) {
  std::string asked, allowed;
  for (int axis = 0; axis < rank; ++axis) {
    asked += (axis ? ", " : "") + std::to_string(index[axis]);
    allowed += (axis ? ", " : "") + std::to_string(lo[axis]) + ":" + std::to_string(hi[axis]);
  }
  return "argument " + std::to_string(number) + " was asked for the cell (" + asked + "), and this piece may touch [" +
         allowed + "]: stay inside lo(axis) and hi(axis), or pass it with a wider projection";
}

std::uint64_t hash_launch(const TaskLaunch& launch) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(launch.domain.rank), launch.body->gpu_hash);
  for (const char* letter = launch.body->name; *letter; ++letter) hash = mix(hash, static_cast<std::uint64_t>(*letter));
  for (int axis = 0; axis < launch.domain.rank; ++axis) hash = mix(hash, launch.domain.extent(axis));
  for (const LaunchArgument& argument : launch.arguments) {
    const Footprint& footprint = argument.footprint;
    hash = mix(hash, static_cast<std::uint64_t>(footprint.access) | static_cast<std::uint64_t>(footprint.fold) << 8 |
                         static_cast<std::uint64_t>(footprint.dtype) << 16 |
                         static_cast<std::uint64_t>(footprint.function != nullptr) << 24);
    for (int k = 0; k < footprint.shape.rank(); ++k) {
      const AxisCells& window = footprint.windows[static_cast<std::size_t>(k)];
      hash = mix(mix(hash, std::int64_t{window.axis}), window.scale);
      hash = mix(mix(hash, window.offset), window.extent);
    }
  }
  return hash;
}

std::uint64_t hash_captured(const TaskLaunch& launch) {
  constexpr std::int64_t kSamples = 16;
  std::uint64_t hash = launch.body->identity.state;
  for (const LaunchArgument& argument : launch.arguments) {
    if (!argument.footprint.function) continue;
    hash = mix(hash, argument.footprint.function->identity.state);
    const std::int64_t points = launch.domain.cells(), samples = std::min(points, kSamples);
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      std::int64_t number = samples > 1 ? (points - 1) / (samples - 1) * sample : 0;
      Rect point = launch.domain;
      for (int axis = point.rank - 1; axis >= 0; --axis) {
        const auto a = static_cast<std::size_t>(axis);
        point.lo[a] += number % launch.domain.extent(axis);
        point.hi[a] = point.lo[a] + 1;
        number /= launch.domain.extent(axis);
      }
      for (const Box& box : argument.footprint.function->boxes(to_piece(point))) {
        for (int axis = 0; axis < box.rank(); ++axis) {
          const auto a = static_cast<std::size_t>(axis);
          hash = mix(mix(hash, box.lo()[a]), box.hi()[a]);
        }
      }
    }
  }
  return hash;
}

partitioner::AffineMap LaunchArgument::map(int domain_rank) const {
  partitioner::AffineMap composed = view.map;
  composed.view_rank = domain_rank;
  for (int k = 0; k < composed.store_rank; ++k) {
    partitioner::AxisMap& axis = composed[k];
    if (axis.axis < 0) continue;
    const AxisCells whole{-1, 0, 0, view.shape[axis.axis]};
    const AxisCells& window = footprint.function ? whole : footprint.windows[static_cast<std::size_t>(axis.axis)];
    axis = {static_cast<std::int8_t>(window.axis), window.axis < 0 ? 0 : axis.scale * window.scale,
            axis.offset + axis.scale * window.offset};
  }
  return composed;
}

partitioner::AffineMap LaunchArgument::nearest_map(int domain_rank) const {
  partitioner::AffineMap nearest = map(domain_rank);
  if (footprint.function) return nearest;
  for (int k = 0; k < nearest.store_rank; ++k) {
    const partitioner::AxisMap& axis = view.map[k];
    if (axis.axis < 0) continue;
    const AxisCells& window = footprint.windows[static_cast<std::size_t>(axis.axis)];
    if (window.axis < 0) continue;
    nearest[k].offset += axis.scale * std::clamp<std::int64_t>(-window.offset, 0, window.extent - 1);
  }
  return nearest;
}

std::int64_t LaunchArgument::reach(int axis) const {
  const partitioner::AxisMap& map = view.map[axis];
  if (map.axis < 0) return 0;
  const std::int64_t extent =
      footprint.function ? view.shape[map.axis] : footprint.windows[static_cast<std::size_t>(map.axis)].extent;
  return map.scale * (extent - 1);
}

Point LaunchArgument::low() const {
  Point low{view.map.store_rank};
  for (int k = 0; k < low.rank; ++k) low[k] = std::min<std::int64_t>(0, reach(k));
  return low;
}

Point LaunchArgument::high() const {
  Point high{view.map.store_rank};
  for (int k = 0; k < high.rank; ++k) high[k] = std::max<std::int64_t>(0, reach(k));
  return high;
}

Rect LaunchArgument::cells(const Rect& piece) const {
  if (piece.empty()) return Rect{view.map.store_rank};
  if (footprint.function) {
    const Rect hull = exact_cells(piece).hull();
    return hull.empty() ? Rect{view.map.store_rank} : hull;
  }
  const Rect box = footprint.box(piece);
  return partitioner::image(view.map, box);
}

partitioner::Region LaunchArgument::exact_cells(const Rect& piece) const {
  if (!footprint.function) return cells(piece);
  const partitioner::Region region = footprint.region(piece);
  std::vector<Rect> rects;
  for (const Rect& rect : region.rects()) rects.push_back(partitioner::image(view.map, rect));
  return partitioner::Region::of(std::move(rects));
}

}  // namespace pilum::scheduler
