#include "scheduler/analyze/traffic.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

std::int64_t itemsize_of(const Argument& argument) {
  return static_cast<std::int64_t>(itemsize(argument.store()->dtype));
}

// The number of cells of a store that its axes' steps leave apart: cell = step * quotient + remainder, by axis.
// Of one step and one remainder the quotients are a region.
struct Comb {
  std::array<std::int64_t, kMaxAxes> step{}, remainder{};
  auto operator<=>(const Comb&) const = default;
};
using Combs = std::map<Comb, Region>;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// The cells that a kernel's argument touches from a piece.
void add_cells(Combs& combs, const Argument& argument, const Rect& piece) {
  const Offsets* offsets = argument.footprint.offsets();
  const AffineMap& map = argument.view.map;
  std::map<Comb, std::vector<Rect>> rects;
  for (const Point& offset : offsets->at) {
    Comb comb;
    Rect cells{map.store_rank};
    for (int k = 0; k < map.store_rank; ++k) {
      const auto axis = static_cast<std::size_t>(k);
      const partitioner::AxisMap& along = map[k];
      const std::int64_t points = along.axis < 0 ? 1 : piece.extent(along.axis);
      const std::int64_t step = points > 1 ? std::abs(along.scale) : 1;
      const std::int64_t at = along.axis < 0 ? 0 : piece.lo[static_cast<std::size_t>(along.axis)];
      std::int64_t first = along.offset + along.scale * at + offset[k];
      if (along.scale < 0) first += along.scale * (points - 1);
      comb.step[axis] = step;
      cells.lo[axis] = floor_div(first, step);
      comb.remainder[axis] = first - step * cells.lo[axis];
      cells.hi[axis] = cells.lo[axis] + points;
    }
    rects[comb].push_back(cells);
  }
  for (auto& [comb, cells] : rects) combs[comb] += Region::of(std::move(cells));
}

std::int64_t count(const Combs& combs) {
  std::int64_t cells = 0;
  for (const auto& [comb, region] : combs) cells += region.cells();
  return cells;
}

std::int64_t cells_of(const Argument& argument, const Rect& piece) {
  if (piece.empty()) return 0;
  if (!argument.footprint.offsets()) return argument.cells(piece).cells();
  Combs combs;
  add_cells(combs, argument, piece);
  return count(combs);
}

// What one processor reads of a store, whichever arguments see it.
class CellsRead {
 public:
  void add(const Argument& argument, const Rect& piece) {
    store_ = argument.store().get();
    if (argument.footprint.offsets()) {
      add_cells(combs_, argument, piece);
    } else {
      hulls_ += argument.cells(piece);
    }
  }
  // Views of several steps may see the same cells, which count for each then; all cells at most.
  std::int64_t bytes() const {
    return std::min(count(combs_) + hulls_.cells(), store_->shape.elements()) *
           static_cast<std::int64_t>(itemsize(store_->dtype));
  }

 private:
  const Store* store_ = nullptr;
  Combs combs_;
  Region hulls_;
};

bool fills_its_hull(const Argument& argument) {
  if (!argument.footprint.offsets()) return false;
  for (int k = 0; k < argument.view.map.store_rank; ++k) {
    if (std::abs(argument.view.map[k].scale) > 1) return false;
  }
  return true;
}

bool is_read_too(const Argument& written) {
  return written.footprint.access == kernel::Access::ReadWrite;
}

// Of several ranks' copies that are seen through, what stays in a window for its messages.
bool computes_nothing(const Task& task) {
  const kernel::Kernel* kernel = task.kernel();
  return kernel && kernel->stores.empty() && task.reductions.empty();
}

template <class Visit>
void for_each_written(const Task& task, Visit visit) {
  for (const TaskWrite& write : task.writes) {
    if (write.kept) visit(write);
  }
  for (const Argument& reduction : task.reductions) visit(reduction);
}

// From the last task to the first: which cells somebody still wants.
class Liveness {
 public:
  explicit Liveness(const std::vector<WindowStore>& stores) {
    for (const WindowStore& store : stores)
      wanted_.push_back(store.dies ? Region() : Region(Rect::of(store.store->shape)));
  }

  // Of what a piece writes, the bytes that are wanted.
  std::int64_t bytes_wanted(const Argument& written, const Rect& piece) const {
    const Rect hull = written.hull(piece);
    const Region& wanted = wanted_[place_of(written)];
    if (hull.empty()) return 0;
    const std::int64_t cells = cells_of(written, piece);
    return std::min(cells, (wanted & hull).cells()) * itemsize_of(written);
  }

  void pass(const Task& task) {
    if (computes_nothing(task)) return;
    for_each_written(task, [&](const Argument& written) {
      if (fills_its_hull(written) && !is_read_too(written)) wanted_[place_of(written)] -= written.hull(task.domain);
    });
    // A reshape's domain is that of what it writes.
    const bool is_reshape = std::holds_alternative<ReshapedCells>(task.computation);
    for (const Argument& read : task.reads) {
      wanted_[place_of(read)] +=
          is_reshape ? Region(partitioner::image(read.view.map, Rect::of(read.view.shape))) : read.cells(task.domain);
    }
    for_each_written(task, [&](const Argument& written) {
      if (is_read_too(written)) wanted_[place_of(written)] += written.cells(task.domain);
    });
  }

 private:
  static std::size_t place_of(const Argument& argument) { return scheduler::place_of(argument.view); }
  std::vector<Region> wanted_;  // by store
};

// Of a reshape: all of the view's cells, whatever piece of the other array asks.
std::int64_t bytes_reshaped(const Argument& read, const Rect& piece) {
  return std::min(piece.cells(), read.view.shape.elements()) * itemsize_of(read);
}

Traffic count_piece(const Task& task, const Rect& piece, const Liveness& liveness) {
  Traffic traffic;
  if (piece.empty() || computes_nothing(task)) return traffic;
  std::map<const Store*, CellsRead> read;
  for (const Argument& argument : task.reads) {
    if (std::holds_alternative<ReshapedCells>(task.computation)) {
      traffic.read += bytes_reshaped(argument, piece);
      traffic.least += bytes_reshaped(argument, piece);
      continue;
    }
    traffic.read += cells_of(argument, piece) * itemsize_of(argument);
    read[argument.store().get()].add(argument, piece);
  }
  for_each_written(task, [&](const Argument& argument) {
    const std::int64_t bytes = cells_of(argument, piece) * itemsize_of(argument);
    traffic.written += bytes;
    traffic.least += liveness.bytes_wanted(argument, piece);
    if (!is_read_too(argument)) return;
    traffic.read += bytes;
    read[argument.store().get()].add(argument, piece);
  });
  for (const auto& [store, cells] : read) traffic.least += cells.bytes();
  return traffic;
}

template <class CountTask>
std::vector<Traffic> count_all(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores,
                               CountTask count_task) {
  Liveness liveness(stores);
  std::vector<Traffic> all(tasks.size());
  for (std::size_t i = tasks.size(); i-- > 0;) {
    all[i] = count_task(tasks[i], liveness);
    liveness.pass(tasks[i]);
  }
  return all;
}

}  // namespace

std::vector<Traffic> count_traffic(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores,
                                   const ProcessorRange& processors) {
  return count_all(tasks, stores, [&](const Task& task, const Liveness& liveness) {
    Traffic traffic;
    for (int p = 0; p < processors.count; ++p)
      traffic += count_piece(task, task.distribution.tile(processors.first + p), liveness);
    return traffic;
  });
}

std::vector<Traffic> count_traffic(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores) {
  return count_all(tasks, stores,
                   [](const Task& task, const Liveness& liveness) { return count_piece(task, task.domain, liveness); });
}

}  // namespace pilum::scheduler
