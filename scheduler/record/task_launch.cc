#include "scheduler/record/task_launch.h"

#include <algorithm>
#include <string>

#include "runtime/base/hash.h"

namespace pilum::scheduler {
namespace {

Piece to_piece(const Rect& rect) {
  return Piece(rect.rank, rect.lo, rect.hi);
}

}  // namespace

std::shared_ptr<TaskLaunch> make_task_launch() {
  constexpr std::size_t kMaxKept = 512;
  thread_local std::vector<std::unique_ptr<TaskLaunch>> kept;
  thread_local bool alive = true;  // handles may outlive the thread's variables
  thread_local const struct ThreadExit {
    bool& alive;
    ~ThreadExit() { alive = false; }
  } on_exit{alive};
  std::unique_ptr<TaskLaunch> made;
  if (kept.empty()) {
    made = std::make_unique<TaskLaunch>();
  } else {
    made = std::move(kept.back());
    kept.pop_back();
  }
  return {made.release(), [](TaskLaunch* launch) {
            std::unique_ptr<TaskLaunch> owned(launch);
            if (!alive || kept.size() >= kMaxKept) return;
            owned->body.reset();
            for (Argument& argument : owned->arguments) {
              argument.view.store = {};
              if (argument.footprint.function()) argument.footprint.cells = AskedCells();
            }
            kept.push_back(std::move(owned));
          }};
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

std::string explain_picked(std::int64_t index, int axis, std::int64_t extent) {
  const std::string place = axis == kNumberedCell ? "the array" : "axis " + std::to_string(axis);
  return "index " + std::to_string(index) + " is outside " + place + ", which has " + std::to_string(extent) +
         " cells: use " + std::to_string(-extent) + " to " + std::to_string(extent - 1);
}

const char* explain_matrix(std::int64_t what) {
  switch (what) {
    case kSingularMatrix: return "a matrix is singular: it has no inverse; pinv and lstsq take such ones";
    case kIndefiniteMatrix: return "a matrix is not positive definite: it has no Cholesky factor";
    case kNoEigenvalues:
      return "the eigenvalues of a matrix were not found: the iteration did not converge, as of cells that are NaN or "
             "infinite";
    case kNoSingularValues:
      return "the singular values of a matrix were not found: the iteration did not converge, as of cells that are NaN "
             "or infinite";
    default: return nullptr;
  }
}

std::uint64_t hash_launch(const TaskLaunch& launch) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(launch.domain.rank), launch.body->gpu_hash);
  for (const char* character = launch.body->name; *character; ++character)
    hash = mix(hash, static_cast<std::uint64_t>(*character));
  for (int axis = 0; axis < launch.domain.rank; ++axis) hash = mix(hash, launch.domain.extent(axis));
  for (const Argument& argument : launch.arguments) {
    const Footprint& footprint = argument.footprint;
    hash = mix(hash, static_cast<std::uint64_t>(footprint.access) | static_cast<std::uint64_t>(footprint.fold) << 8 |
                         static_cast<std::uint64_t>(footprint.dtype) << 16 |
                         static_cast<std::uint64_t>(footprint.function() != nullptr) << 24);
    for (int k = 0; k < footprint.shape.rank(); ++k) {
      const AxisCells window = footprint.window(k);
      hash = mix(mix(hash, std::int64_t{window.axis}), window.scale);
      hash = mix(mix(hash, window.offset), window.extent);
    }
  }
  return hash;
}

std::uint64_t hash_captured(const TaskLaunch& launch) {
  constexpr std::int64_t kSamples = 16;
  std::uint64_t hash = launch.body->identity.state;
  for (const Argument& argument : launch.arguments) {
    const CellFunction* function = argument.footprint.function();
    if (!function) continue;
    hash = mix(hash, function->identity.state);
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
      for (const Box& box : function->boxes(to_piece(point))) {
        for (int axis = 0; axis < box.rank(); ++axis) {
          const auto a = static_cast<std::size_t>(axis);
          hash = mix(mix(hash, box.lo()[a]), box.hi()[a]);
        }
      }
    }
  }
  return hash;
}

}  // namespace pilum::scheduler
