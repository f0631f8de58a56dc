#include "scheduler/plan/picked_partners.h"

#include <algorithm>
#include <utility>

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kFewSplits = 16;     // so many stores that are hardly cut: memory that is never too much
constexpr std::int64_t kMostQuestions = 8;  // what bringing all of an array that does not change may cost
constexpr std::int64_t kMostRounds = 64;    // about: their messages are planned one by one

// Axes of the domain along which the array moves and no index does.
std::uint32_t find_row_axes(const Task& task) {
  std::uint32_t moves = 0, varies = 0;
  for (std::size_t i = 0; i < task.reads.size(); ++i) {
    const AffineMap map = task.reads[i].map();
    for (int k = 0; k < map.store_rank; ++k) {
      if (map[k].axis >= 0) (i == 0 ? moves : varies) |= 1u << map[k].axis;
    }
  }
  return moves & ~varies;
}

// Of the number of a cell among those along the axes that are no row's.
std::int64_t find_place_bytes(const Task& task, std::uint32_t row_axes) {
  const AffineMap map = task.reads[0].map();
  const Shape& shape = task.reads[0].store()->shape;
  std::int64_t places = 1;
  for (int k = 0; k < map.store_rank; ++k) {
    if (map[k].axis < 0 || !(row_axes >> map[k].axis & 1)) places *= shape[k];
  }
  return places <= std::int64_t{1} << 32 ? 4 : 8;
}

Rect without_rows(Rect piece, std::uint32_t row_axes) {
  for (int axis = 0; axis < piece.rank; ++axis) {
    if (row_axes >> axis & 1) piece.hi[u(axis)] = std::min(piece.hi[u(axis)], piece.lo[u(axis)] + 1);
  }
  return piece;
}

}  // namespace

bool pays_to_ask(const Task& task, const PlanningRank& rank) {
  if (!task.launch() || !task.launch()->body->locate || task.launch()->body->combine || rank.machine.ranks == 1 ||
      rank.on_gpus())
    return false;
  if (!task.writes[0].kept) return false;
  const Argument& read = task.reads[0];
  const StoreState& state = *read.store()->state;
  if (state.tiling.is_replicated() || state.everywhere.contains(read.hull(task.domain))) return false;
  for (const Argument& other : task.reads) {
    if (other.store() == task.writes[0].store()) return false;
  }
  const std::uint32_t row_axes = find_row_axes(task);
  const std::int64_t place = find_place_bytes(task, row_axes);
  const auto cell = static_cast<std::int64_t>(itemsize(read.store()->dtype));
  std::int64_t asked = 0, whole = 0;
  for (int p = 0; p < rank.machine.processors(); ++p) {
    const Rect piece = task.distribution.tile(p);
    if (piece.empty()) continue;
    asked += place * without_rows(piece, row_axes).cells() + cell * piece.cells();
    whole += cell * read.hull(piece).cells();
  }
  // Two messages follow the first, one after the other.
  const double later = 2 * rank.machine.message_latency * rank.machine.message_bandwidth * rank.machine.processors();
  // A table that is asked again without having changed will be asked once more: it is better had.
  if (state.asked && whole <= kMostQuestions * asked) return false;
  return static_cast<double>(asked) + later < static_cast<double>(whole);
}

PickedPartners::PickedPartners(const Task& task, const StoreState& state, const machine::Machine& machine,
                               Rounds rounds)
    : map_(task.reads[0].map()),
      itemsize_(static_cast<std::int64_t>(pilum::itemsize(state.store->dtype))),
      row_axes_(find_row_axes(task)),
      place_bytes_(find_place_bytes(task, row_axes_)) {
  find_owners(task.reads[0].view.map, state.tiling, machine.processors());
  find_askers(task.distribution, state, machine, rounds);
}

// Tiles make a grid: owners with the same parts along the chosen axes are a group.
void PickedPartners::find_owners(const AffineMap& view, const Tiling& tiling, int processors) {
  for (int p = 0; p < processors; ++p) {
    const Rect tile = tiling.tile(p);
    if (!tile.empty()) owners_.push_back({p, tile});
  }
  for (int k = 0; k < map_.store_rank; ++k) {
    if (map_[k].axis >= 0 && is_row_axis(map_[k].axis)) continue;
    ChosenAxes::Axis axis{view[k].axis, view[k].scale, view[k].offset, {}};
    for (const Owner& owner : owners_) axis.starts.push_back(owner.tile.lo[u(k)]);
    axis.starts.push_back(tiling.box().hi[u(k)]);
    std::sort(axis.starts.begin(), axis.starts.end());
    axis.starts.erase(std::unique(axis.starts.begin(), axis.starts.end()), axis.starts.end());
    for (Owner& owner : owners_) owner.group = owner.group * axis.parts() + axis.part_of(owner.tile.lo[u(k)]);
    chosen_axes_.push_back(k);
    chosen_->axes.push_back(std::move(axis));
  }
  // Of a group's owners each has another part of the rows; the first group's stand for all.
  const auto rows_of = [this](Rect tile) {
    for (const int k : chosen_axes_) tile.lo[u(k)] = tile.hi[u(k)] = 0;
    return tile;
  };
  for (const Owner& owner : owners_) {
    if (owner.group == 0) row_parts_.push_back(owner.tile);
  }
  for (Owner& owner : owners_) {
    while (rows_of(row_parts_[static_cast<std::size_t>(owner.row_part)]) != rows_of(owner.tile)) ++owner.row_part;
  }
}

// The points of the piece whose row lies, in part, in such a tile.
PickedPartners::Row PickedPartners::find_row(const Asker& asker, const Rect& tile) const {
  Rect cells = tile;
  for (const int k : chosen_axes_) {  // wherever it is along these
    cells.lo[u(k)] = std::int64_t{-1} << 60;
    cells.hi[u(k)] = std::int64_t{1} << 60;
  }
  Row row{partitioner::preimage(map_, cells, asker.piece)};
  row.bytes = row.points.empty() ? 0 : itemsize_ * row.points.cells() / asker.points.cells();
  return row;
}

void PickedPartners::find_askers(const Tiling& distribution, const StoreState& state, const machine::Machine& machine,
                                 Rounds rounds) {
  const int processors = machine.processors();
  const std::int64_t tile = state.store->shape.elements() * itemsize_ / processors;
  // All may ask one owner. It has memory for half a tile, and may ask for as much itself.
  const std::int64_t memory =
      rounds == Rounds::One ? INT64_MAX : std::max(kFewSplits * machine.split_bytes, tile / 2) / processors;
  for (int p = 0; p < processors; ++p) {
    Asker asker{p, distribution.tile(p), {}, {}};
    if (!asker.piece.empty()) {
      asker.points = without_rows(asker.piece, row_axes_);
      for (const Rect& part : row_parts_) {
        asker.rows.push_back(find_row(asker, part));
        asker.row_bytes += asker.rows.back().bytes;
      }
      cut_rounds(asker, memory);
      std::int64_t from = 0;
      for (Row& row : asker.rows) row.from = std::exchange(from, from + asker.capacity * row.bytes);
    }
    askers_.push_back(std::move(asker));
  }
}

// `memory`: bytes that an owner has for the places and the rows that this piece asks for in a round.
void PickedPartners::cut_rounds(Asker& asker, std::int64_t memory) const {
  std::int64_t most =
      std::max<std::int64_t>(memory / (place_bytes_ + asker.row_bytes), (asker.points.cells() - 1) / kMostRounds + 1);
  asker.rounds = asker.capacity = 1;
  for (int axis = asker.points.rank - 1; axis >= 0; --axis) {
    const std::int64_t extent = asker.points.extent(axis), some = std::min(extent, most);
    asker.round[u(axis)] = some;
    asker.capacity *= some;
    asker.rounds *= (extent + some - 1) / some;
    most = some < extent ? 1 : std::max<std::int64_t>(most / some, 1);
  }
}

Rect PickedPartners::points_of_round(const Asker& asker, std::int64_t round) {
  Rect points = asker.points;
  for (int axis = points.rank - 1; axis >= 0; --axis) {
    const std::int64_t some = asker.round[u(axis)], along = (asker.points.extent(axis) + some - 1) / some;
    points.lo[u(axis)] = asker.points.lo[u(axis)] + round % along * some;
    points.hi[u(axis)] = std::min(points.lo[u(axis)] + some, asker.points.hi[u(axis)]);
    round /= along;
  }
  return points;
}

Rect PickedPartners::with_rows(const Asker& asker, const Rect& points) const {
  Rect box = points;
  for (int axis = 0; axis < box.rank; ++axis) {
    if (is_row_axis(axis)) box.hi[u(axis)] = asker.piece.hi[u(axis)];
  }
  return box;
}

}  // namespace pilum::scheduler
