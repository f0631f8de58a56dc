#include "scheduler/plan/instances.h"

#include <algorithm>
#include <limits>

#include "scheduler/plan/spiller.h"

namespace pilum::scheduler {
namespace {

constexpr double kMaxHull = 1.25;         // rectangles share an instance if their hull is at most this × their union
constexpr std::int64_t kCoresLine = 64;   // bytes: a vector, a cache line
constexpr std::int64_t kGpusLine = 128;   // an H200 folds rows of 64 KiB that all begin a line 12 % faster
constexpr std::int64_t kPaddedRow = 8;    // lines: longer rows start on a line of their own
constexpr std::int64_t kAliasing = 4096;  // rows a multiple of this apart fall into the same cache sets
constexpr auto kPreferred = std::numeric_limits<std::int64_t>::max();

// Not a row beside others: a loop may see another one each time, and all others would be copied for it.
bool share_well(const Rect& a, const Rect& b) {
  if (!overlaps(a, b)) return false;
  const std::int64_t both = a.cells() + b.cells() - intersect(a, b).cells();
  return static_cast<double>(hull(a, b).cells()) <= kMaxHull * static_cast<double>(both);
}

// True where the two never meet though their hulls do: strides alike, phases apart.
bool phases_differ(const AffineMap& a, const Point& offset, const AffineMap& b) {
  for (int k = 0; k < a.store_rank; ++k) {
    if (a[k].scale != b[k].scale || a[k].scale == 0) continue;
    if ((a[k].offset + offset[k] - b[k].offset) % a[k].scale != 0) return true;
  }
  return false;
}

bool same_points(const AffineMap& a, const Point& offset, const AffineMap& b) {
  for (int k = 0; k < a.store_rank; ++k) {
    if (a[k].axis != b[k].axis || a[k].scale != b[k].scale || a[k].offset + offset[k] != b[k].offset) return false;
  }
  return true;
}

}  // namespace

Conflict find_conflict(const Argument& read, const TaskWrite& write, const Rect& piece) {
  const Rect written = write.hull(piece);
  const Offsets* offsets = read.footprint.offsets();
  if (!offsets) {  // a body may read its box whenever it likes
    const Rect needed = read.hull(piece);
    if (!overlaps(needed, written)) return Conflict::None;
    return 2 * intersect(needed, written).cells() >= written.cells() ? Conflict::Wide : Conflict::Partial;
  }
  const AffineMap &reads = read.view.map, &writes = write.view.map;
  const Rect cells = partitioner::image(reads, piece);
  bool dense = true;
  for (int k = 0; k < writes.store_rank; ++k) {
    dense = dense && (writes[k].axis < 0 || writes[k].scale == 1 || written.extent(k) == 1);
  }
  Conflict conflict = Conflict::None;
  for (const Point& offset : offsets->at) {
    const Rect needed = shift(cells, offset);
    if (!overlaps(needed, written) || same_points(reads, offset, writes) || phases_differ(reads, offset, writes)) {
      continue;
    }
    const bool wide = dense && 2 * intersect(needed, written).cells() >= written.cells();
    if (!wide) return Conflict::Partial;
    conflict = Conflict::Wide;
  }
  return conflict;
}

bool leaves_holes(const TaskWrite& write, const Rect& piece) {
  const AffineMap map = write.map();
  for (int k = 0; k < map.store_rank; ++k) {
    const partitioner::AxisMap& axis = map[k];
    if (axis.axis >= 0 && axis.scale != 1 && axis.scale != -1 && piece.extent(axis.axis) > 1) return true;
  }
  return false;
}

Instance make_packed_on_host(PlanBuilder& builder, int processor, const Rect& cells, const Store& store) {
  Instance instance;
  instance.rect = cells;
  auto bytes = static_cast<std::int64_t>(itemsize(store.dtype));
  for (int axis = cells.rank - 1; axis >= 0; --axis) {
    instance.pitch[static_cast<std::size_t>(axis)] = bytes;
    bytes *= cells.extent(axis);
  }
  instance.block = builder.allocate_on_host(static_cast<std::size_t>(bytes), processor, store.id);
  return instance;
}

// A few cells of other processors', which are given back when the plan ends (Planner::take_back_copies): its own stay
// where they lie.
bool Instances::is_copy_of_roaming(const StoreState& state, int processor, const Rect& cells) const {
  if (!roams(*state.store)) return false;
  const Rect& tile = state.local[static_cast<std::size_t>(processor)].tile;
  for (std::size_t k = 0; k < static_cast<std::size_t>(cells.rank); ++k) {
    const bool is_inside = cells.lo[k] >= tile.lo[k] && cells.hi[k] <= tile.hi[k];
    const bool is_around = cells.lo[k] <= tile.lo[k] && cells.hi[k] >= tile.hi[k];
    if (!is_inside && !is_around) return true;
  }
  return false;
}

// The rectangle to allocate where `cells` are needed: with the tile, and with what later tasks of the window touch,
// as far as they share well.
Rect Instances::room_for(const StoreState& state, int processor, const Rect& cells) const {
  const int global = builder_.rank().first_processor() + processor;
  Rect room = cells;
  const auto join = [&room](const Rect& more) {
    if (!more.empty() && share_well(room, more)) room = hull(room, more);
  };
  if (!is_copy_of_roaming(state, processor, cells)) join(state.local[static_cast<std::size_t>(processor)].tile);
  for (std::size_t i = builder_.task_number(); i < builder_.tasks().size(); ++i) {
    const Task& task = builder_.tasks()[i];
    Rect piece;
    bool known = false;
    const auto piece_of_task = [&]() -> const Rect& {
      if (!known) piece = task.distribution.tile(global);
      known = true;
      return piece;
    };
    for (const Argument& read : task.reads) {
      if (read.store() == state.store && !piece_of_task().empty()) join(read.hull(piece));
    }
    for (const TaskWrite& write : task.writes) {
      if (write.store() == state.store && !piece_of_task().empty()) join(write.hull(piece));
    }
  }
  // A new array of a grid will be read as its others are, if not in this window: without room it would be copied then.
  for (const Task& task : builder_.tasks()) {
    for (const Argument& read : task.reads) {
      const StoreState* other = read.store()->state;
      if (!other || other == &state || !(other->tiling == state.tiling)) continue;
      if (const Rect piece = task.distribution.tile(global); !piece.empty()) join(read.hull(piece));
    }
  }
  return room;
}

// The column whose cells start on an aligned address: where the window's last write of the store begins.
std::int64_t Instances::aligned_column(const StoreState& state, int processor, const Rect& rect) const {
  const auto last = static_cast<std::size_t>(rect.rank - 1);
  const int global = builder_.rank().first_processor() + processor;
  for (std::size_t i = builder_.tasks().size(); i-- > builder_.task_number();) {
    const Task& task = builder_.tasks()[i];
    for (const TaskWrite& write : task.writes) {
      if (!(write.store() == state.store)) continue;
      const Rect piece = task.distribution.tile(global);
      if (!piece.empty()) return std::clamp(write.hull(piece).lo[last], rect.lo[last], rect.hi[last]);
    }
  }
  return rect.lo[last];
}

std::unique_ptr<Instance> Instances::make(const StoreState& state, int processor, const Rect& rect, Memory memory) {
  const auto size = static_cast<std::int64_t>(itemsize(state.store->dtype));
  const std::int64_t line = builder_.rank().on_gpus() ? kGpusLine : kCoresLine;
  auto instance = std::make_unique<Instance>();
  instance->rect = rect;
  std::int64_t bytes = size;
  for (int axis = rect.rank - 1; axis >= 0; --axis) {
    instance->pitch[static_cast<std::size_t>(axis)] = bytes;
    bytes *= rect.extent(axis);
    if (axis == rect.rank - 1 && rect.rank > 1 && bytes >= kPaddedRow * line) {
      bytes = (bytes + line - 1) / line * line;
      if (bytes % kAliasing == 0) bytes += line;
    }
  }
  if (rect.rank > 0) {
    const std::int64_t ahead =
        (aligned_column(state, processor, rect) - rect.lo[static_cast<std::size_t>(rect.rank - 1)]) * size;
    instance->origin = (line - ahead % line) % line;
  }
  const auto size_of_block = static_cast<std::size_t>(bytes + instance->origin);
  instance->block = memory == Memory::Host ? builder_.allocate_on_host(size_of_block, processor, state.store->id)
                                           : builder_.allocate(size_of_block, processor, state.store->id);
  return instance;
}

void Instances::fill_from_local(StoreState& state, int processor, Instance& instance, const Rect& cells) {
  if (instance.valid.contains(cells)) return;
  Region missing = Region(cells) - instance.valid;
  for (const auto& other : local(state, processor).instances) {
    if (other.get() == &instance || missing.empty()) continue;
    const Region here = missing & other->valid;
    for (const Rect& rect : here.rects()) builder_.copy(*other, instance, rect, *state.store, processor);
    missing -= here;
    instance.valid += here;
  }
}

// A larger instance in place of the one that holds the most; null where another instance beside it is the better
// choice.
Instance* Instances::grow(StoreState& state, int processor, const Rect& cells) {
  if (is_copy_of_roaming(state, processor, cells)) return nullptr;
  auto& instances = local(state, processor).instances;
  const auto main = std::max_element(instances.begin(), instances.end(),
                                     [](const auto& a, const auto& b) { return a->valid.cells() < b->valid.cells(); });
  if (main == instances.end() || is_lent(**main) || !share_well((*main)->rect, cells)) return nullptr;
  auto larger = make(state, processor, room_for(state, processor, hull((*main)->rect, cells)));
  for (const Rect& rect : (*main)->valid.rects()) builder_.copy(**main, *larger, rect, *state.store, processor);
  larger->valid = (*main)->valid;
  builder_.free((*main)->block, processor);
  **main = std::move(*larger);  // in its place: arguments of this task may be bound to it
  return main->get();
}

Instance& Instances::for_read(StoreState& state, int processor, const Rect& cells) {
  Instance& instance = find_or_make(state, processor, cells, Memory::Processor);
  restore(builder_, *state.store, instance, processor);
  fill_from_local(state, processor, instance, cells);
  return instance;
}

Instance& Instances::for_read_on_host(StoreState& state, int processor, const Rect& cells) {
  Instance& instance = find_or_make(state, processor, cells, Memory::Host);
  fill_from_local(state, processor, instance, cells);
  move_to_host(builder_, *state.store, instance, processor);
  return instance;
}

// An instance that covers the cells: the one that has most of them.
Instance& Instances::find_or_make(StoreState& state, int processor, const Rect& cells, Memory memory) {
  auto& instances = local(state, processor).instances;
  Instance* best = nullptr;
  std::int64_t most = -1;
  for (const auto& instance : instances) {
    if (!instance->rect.contains(cells)) continue;
    const std::int64_t valid = instance->valid.contains(cells) ? cells.cells() : (instance->valid & cells).cells();
    if (valid > most) {
      most = valid;
      best = instance.get();
    }
  }
  if (!best && !instances.empty()) best = grow(state, processor, cells);
  if (!best) {
    const bool first = instances.empty();
    instances.push_back(make(state, processor, room_for(state, processor, cells), memory));
    best = instances.back().get();
    // Cells that were never written count as valid where they are owned.
    const Rect& tile = local(state, processor).tile;
    if (first && !tile.empty() && best->rect.contains(tile)) best->valid = Region(tile);
    if (first && !tile.empty() && !best->rect.contains(tile)) {
      instances.push_back(make(state, processor, tile, memory));
      instances.back()->valid = Region(tile);
      best = instances[instances.size() - 2].get();
    }
  }
  return *best;
}

// It has no room for the halo that is read in the other one, as lent memory has none: written in turn with that, all
// would be copied each time.
bool Instances::lacks_halo_of(const Instance& instance, const Instance& read) const {
  return !instance.rect.contains(read.rect) && (is_lent(instance) || share_well(instance.rect, read.rect));
}

Instance& Instances::for_write(StoreState& state, int processor, const Rect& cells, std::span<Instance* const> avoid,
                               Instance* prefer, bool keep) {
  auto& instances = local(state, processor).instances;
  const auto avoided = [avoid](const Instance* instance) {
    return std::find(avoid.begin(), avoid.end(), instance) != avoid.end();
  };
  if (instances.empty()) (void)for_read(state, processor, cells);
  Instance* best = nullptr;
  std::int64_t most = -1;
  for (const auto& instance : instances) {
    if (avoided(instance.get()) || !instance->rect.contains(cells)) continue;
    if (!avoid.empty() && lacks_halo_of(*instance, *avoid.front())) continue;
    const std::int64_t valid = instance.get() == prefer ? kPreferred : instance->valid.cells();
    if (valid > most) {
      most = valid;
      best = instance.get();
    }
  }
  if (!best && avoid.empty()) best = grow(state, processor, cells);
  if (!best) {
    const Rect rect = avoid.empty() ? room_for(state, processor, cells) : hull(avoid.front()->rect, cells);
    instances.push_back(make(state, processor, rect));
    best = instances.back().get();
    if (!avoid.empty()) fill_rest(state, processor, *avoid.front(), *best, cells);
  }
  restore(builder_, *state.store, *best, processor);
  if (keep) fill_from_local(state, processor, *best, cells);
  return *best;
}

bool Instances::is_rim(StoreState& state, int processor, const Instance& instance, const Rect& cells) {
  constexpr std::int64_t kLittle = 4;
  return std::ranges::any_of(local(state, processor).instances, [&](const auto& other) {
    return other->rect.contains(cells) && kLittle * instance.valid.cells() < other->valid.cells();
  });
}

// What tasks behind this one write of the store, in this window.
Region Instances::written_later(const StoreState& state, int processor) const {
  Region cells;
  const int global = builder_.rank().first_processor() + processor;
  for (std::size_t i = builder_.task_number() + 1; i < builder_.tasks().size(); ++i) {
    const Task& task = builder_.tasks()[i];
    const Rect piece = task.distribution.tile(global);
    if (piece.empty()) continue;
    for (const TaskWrite& write : task.writes) {
      if (write.store() == state.store && write.kept && !leaves_holes(write, piece)) cells += Region(write.hull(piece));
    }
  }
  return cells;
}

// What a ping-pong partner will not get by being written, now that it is new, where that is little: it is read with the
// rest the next time round, which then is as all that follow.
void Instances::fill_rest(StoreState& state, int processor, const Instance& from, Instance& to, const Rect& written) {
  constexpr std::int64_t kLittle = 4;
  const Region rest = (from.valid & local(state, processor).tile) - Region(written);
  if (kLittle * rest.cells() > written.cells()) return;
  const Region wanted = rest - written_later(state, processor);
  for (const Rect& rect : wanted.rects()) fill_from_local(state, processor, to, rect);
}

std::unique_ptr<Instance> Instances::copy_aside(StoreState& state, int processor, const Instance& from,
                                                const Rect& cells) {
  auto aside = make(state, processor, cells);
  builder_.copy(from, *aside, cells, *state.store, processor);
  return aside;
}

void Instances::written(StoreState& state, int processor, Instance& instance, const Rect& own, const Rect& all) {
  mark_written(state, processor, instance, own, all);
  drop_empty(state, processor);
}

void Instances::mark_written(StoreState& state, int processor, Instance& instance, const Rect& own, const Rect& all) {
  for (const auto& other : local(state, processor).instances) {
    if (other.get() != &instance) other->valid -= own;
  }
  written_elsewhere(state, processor, all);
  instance.valid += Region(own);
}

void Instances::written_elsewhere(StoreState& state, int processor, const Rect& all) {
  ProcessorStore& store = local(state, processor);
  if (state.tiling.is_replicated()) return;
  state.witnessed -= all;
  const Region foreign = Region(all) - Region(store.tile);
  if (!foreign.empty()) {
    for (const auto& instance : store.instances) instance->valid -= foreign;
  }
  store.ghosts -= all;
  for (auto& [peer, region] : store.peers) region -= all;
  std::erase_if(store.peers, [](const auto& peer) { return peer.second.empty(); });
}

void Instances::drop_empty(StoreState& state, int processor) {
  std::erase_if(local(state, processor).instances, [&](const auto& instance) {
    if (!instance->valid.empty() || is_lent(*instance)) return false;
    builder_.free(instance->block, processor);
    return true;
  });
}

void Instances::bring_home(StoreState& state, int processor) {
  const Rect& tile = local(state, processor).tile;
  for (const auto& instance : local(state, processor).instances) {
    if (is_lent(*instance)) fill_from_local(state, processor, *instance, tile);
  }
}

void Instances::free(StoreState& state) {
  for (std::size_t p = 0; p < state.local.size(); ++p) {
    for (const auto& instance : state.local[p].instances) builder_.free(instance->block, static_cast<int>(p));
    state.local[p].instances.clear();
  }
}

}  // namespace pilum::scheduler
