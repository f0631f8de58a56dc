#include "scheduler/plan/picked_write.h"

#include <algorithm>

#include "scheduler/memory/view_walk.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kMostSends = 8;  // what bringing all of values that do not change may cost

// An array of a body as the points see it, point by point.
Argument by_point(const Argument& argument) {
  Argument points = argument;
  points.footprint.domain_rank = static_cast<std::int8_t>(argument.view.shape.rank());
  Windows windows{};
  for (int axis = 0; axis < argument.view.shape.rank(); ++axis) windows[u(axis)] = AxisCells{axis, 1, 0, 1};
  points.footprint.cells = windows;
  return points;
}

// The array: along an axis that the values' points follow their coordinate, else anywhere.
Argument array_of_points(const TaskWrite& write, const Argument& values) {
  Argument array = static_cast<const Argument&>(write);
  array.footprint.access = kernel::Access::Read;
  array.footprint.domain_rank = static_cast<std::int8_t>(values.view.shape.rank());
  Windows windows{};
  for (int axis = 0; axis < write.view.shape.rank(); ++axis)
    windows[u(axis)] = AxisCells{-1, 0, 0, write.view.shape[axis]};
  for (int axis = 0; axis < values.view.shape.rank(); ++axis) {
    const int followed = values.footprint.window(axis).axis;
    if (followed >= 0) windows[u(followed)] = AxisCells{axis, 1, 0, 1};
  }
  array.footprint.cells = windows;
  return array;
}

// Of processors one after the other, cut along the outermost axis that can be cut.
bool is_in_slabs(const Tiling& tiling, const Rect& domain, int axis, int processors) {
  if (tiling.is_replicated()) return false;
  std::int64_t next = domain.lo[u(axis)];
  for (int p = 0; p < processors; ++p) {
    Rect tile = tiling.tile(p);
    if (tile.empty()) continue;
    if (tile.lo[u(axis)] != next) return false;
    next = tile.hi[u(axis)];
    tile.lo[u(axis)] = domain.lo[u(axis)];
    tile.hi[u(axis)] = domain.hi[u(axis)];
    if (tile != domain) return false;
  }
  return next == domain.hi[u(axis)];
}

Tiling slabs(const Task& task, const Rect& domain, const machine::Machine& machine) {
  int axis = 0;
  while (axis + 1 < domain.rank && domain.extent(axis) == 1) ++axis;
  for (const Argument& read : task.reads) {  // the values first
    const StoreState& state = *read.store()->state;
    const Argument points = by_point(read);
    if (state.tiling.is_replicated() || points.map().store_axis_of(axis) < 0) continue;
    const Tiling tiling = state.tiling.pull_back(points.map(), domain);
    if (is_in_slabs(tiling, domain, axis, machine.processors())) return tiling;
  }
  std::array<int, kMaxAxes> parts;
  parts.fill(1);
  parts[u(axis)] = static_cast<int>(std::min<std::int64_t>(machine.processors(), domain.extent(axis)));
  return Tiling::even(domain, parts);
}

std::int64_t bytes_of(const Argument& argument) {
  return static_cast<std::int64_t>(itemsize(argument.store()->dtype));
}

bool is_everywhere(const Argument& read, const Rect& domain) {
  const StoreState& state = *read.store()->state;
  return state.tiling.is_replicated() || state.everywhere.contains(read.hull(domain));
}

// What each processor lacks of what its piece reads.
std::int64_t missing(const Argument& read, const Rect& domain, const Tiling& distribution, int processors) {
  if (is_everywhere(read, domain)) return 0;
  std::int64_t cells = 0;
  for (int p = 0; p < processors; ++p) {
    const Rect piece = distribution.tile(p);
    if (piece.empty()) continue;
    const Rect hull = read.hull(piece);
    cells += hull.cells() - intersect(hull, read.store()->state->tiling.tile(p)).cells();
  }
  return bytes_of(read) * cells;
}

}  // namespace

bool pays_to_send(const Task& task, const PlanningRank& rank) {
  if (!task.launch() || !task.launch()->body->combine || rank.machine.ranks == 1 || rank.on_gpus()) return false;
  const TaskWrite& write = task.writes[0];
  const StoreState& state = *write.store()->state;
  if (!write.kept || task.distribution.is_replicated() || state.tiling.is_replicated()) return false;
  if (state.tiling.pull_back(write.map(), task.domain) != task.distribution) return false;
  for (const Argument& read : task.reads) {
    if (read.store() == write.store()) return false;
  }
  const int processors = rank.machine.processors();
  const Task points = points_of_write(task, rank.machine);
  const PickedPartners partners(points, state, rank.machine, PickedPartners::Rounds::One);
  std::int64_t whole = 0, sent = 0;
  bool were_sent = true;
  for (const Argument& read : task.reads) {
    whole += missing(read, task.domain, task.distribution, processors);
    sent += missing(by_point(read), points.domain, points.distribution, processors);
    were_sent = were_sent && (read.store()->state->asked || is_everywhere(read, task.domain));
  }
  std::int64_t rows = 0;
  for (const PickedPartners::Asker& asker : partners.askers())
    rows += asker.points.cells() * (partners.place_bytes() + asker.row_bytes);
  sent += rows - rows / processors;
  if (were_sent && whole <= kMostSends * sent) return false;
  // A message follows the first.
  const double later = rank.machine.message_latency * rank.machine.message_bandwidth * processors;
  return static_cast<double>(sent) + later < static_cast<double>(whole);
}

Task points_of_write(const Task& task, const machine::Machine& machine) {
  Task points;
  points.name = task.name;
  points.where = task.where;
  points.computation = task.computation;
  points.domain = Rect::of(task.reads[0].view.shape);
  points.distribution = slabs(task, points.domain, machine);
  points.reads.push_back(array_of_points(task.writes[0], task.reads[0]));
  for (std::size_t i = 1; i < task.reads.size(); ++i) points.reads.push_back(by_point(task.reads[i]));
  return points;
}

PickedWrite::PickedWrite(PlanBuilder& builder, const Task& points, const Task& task,
                         const std::vector<BoundPiece>& pieces)
    : PickedExchange(builder, points, PickedPartners::Rounds::One),
      writer_(task),
      pieces_(pieces),
      values_(by_point(task.reads[0])) {}

void PickedWrite::plan(Exchange& exchange) {
  std::vector<Instance*> values;
  std::vector<std::vector<const Instance*>> indices(pieces_.size());
  exchange.plan_read(values_, values);
  for (std::size_t i = 1; i < task_.reads.size(); ++i) {
    std::vector<Instance*> bound;
    exchange.plan_read(task_.reads[i], bound);
    for (std::size_t p = 0; p < pieces_.size(); ++p) indices[p].push_back(bound[p]);
  }
  const PlanBuilder::NoReuse hold(builder_);  // sends and receives must not wait for each other
  allocate();
  for (const auto& [processor, memory] : ours_) {
    const Asker& asker = partners_.askers()[static_cast<std::size_t>(processor)];
    const auto number = static_cast<std::size_t>(local_number(processor));
    const Owner* const own = find_own(asker);
    find_requests(asker, asker.points, indices[number], own ? own->group : -1);
    collect(asker, *values[number]);
  }
  for (const auto items : {&PickedWrite::range_items, &PickedWrite::request_items, &PickedWrite::row_items}) {
    for_each_question(/*round=*/0, /*ours=*/true, [&](const Asker& asker, const Owner& owner) {
      if (!is_local(owner.processor)) send(owner.processor, (this->*items)(asker, owner), asker.processor);
    });
    for_each_question(/*round=*/0, /*ours=*/false, [&](const Asker& asker, const Owner& owner) {
      receive(asker.processor, (this->*items)(asker, owner), owner.processor);
    });
  }
  for (const Asker& asker : partners_.askers()) {
    if (asker.rounds == 0) continue;
    const Owner* const own = is_local(asker.processor) ? find_own(asker) : nullptr;
    for (const Owner& owner : partners_.owners()) {
      if (!is_local(owner.processor) || asker.row_of(owner).bytes == 0) continue;
      if (&owner == own) {
        update_own(asker, owner, *values[static_cast<std::size_t>(local_number(asker.processor))]);
      } else {
        update(asker, owner);
      }
    }
  }
  free_all();
}

const PickedWrite::Owner* PickedWrite::find_own(const Asker& asker) const {
  if (asker.rows.size() != 1 || asker.row_bytes != partners_.itemsize()) return nullptr;
  for (const Owner& owner : partners_.owners()) {
    if (owner.processor == asker.processor) return &owner;
  }
  return nullptr;
}

void PickedWrite::collect(const Asker& asker, const Instance& values) {
  const AskerMemory& memory = ours_.at(asker.processor);
  const ViewWalk walk(values, values_.map());
  const CollectStep step{{asker.points, memory.chunks}, walk.stride, rows_by_point(asker, asker.points, walk.stride)};
  emit_step("collect rows", step, memory.chunks, asker.processor,
            {{memory.numbers->data, {memory.numbers, byte_range(0, kWord * asker.capacity), false}},
             {memory.rows->data, {memory.rows, all_rows(), true}},
             {walk.at(asker.points.lo, asker.points.rank), {values.block, values_.hull(asker.piece), false}}});
}

void PickedWrite::update(const Asker& asker, const Owner& owner) {
  const BoundPiece& piece = pieces_[static_cast<std::size_t>(local_number(owner.processor))];
  if (piece.piece.empty()) return;  // the view ends before the tile
  const Instance& tile = *piece.writes[0];
  const RowPlace place = row_in_tile(asker, owner, tile);
  const PlanBuilder::Items range = range_items(asker, owner), requests = request_items(asker, owner),
                           rows = row_items(asker, owner);
  UpdateStep step;
  step.body = task_.launch()->body;
  step.chunks = chunks_for(asker.capacity);
  step.place_bytes = partners_.place_bytes();
  step.itemsize = partners_.itemsize();
  set_chosen_axes(step, owner, tile);
  step.row = place.shape;
  emit_step("update cells", step, step.chunks, owner.processor,
            {{range.block->data + range.at, {range.block, range.touched, false}},
             {requests.block->data, {requests.block, requests.touched, false}},
             {tile.address(place.first), {tile.block, writer_.writes[0].hull(piece.piece), true}},
             {rows.block->data + rows.at, {rows.block, rows.touched, false}}});
}

void PickedWrite::update_own(const Asker& asker, const Owner& owner, const Instance& values) {
  const BoundPiece& piece = pieces_[static_cast<std::size_t>(local_number(owner.processor))];
  if (piece.piece.empty()) return;  // the view ends before the tile
  const Instance& tile = *piece.writes[0];
  const AskerMemory& memory = ours_.at(asker.processor);
  const Rect words = byte_range(0, kWord * asker.capacity);
  const ViewWalk walk(values, values_.map());
  UpdateOwnStep step;
  step.body = task_.launch()->body;
  step.points = asker.points;
  step.chunks = memory.chunks;
  set_chosen_axes(step, owner, tile);
  step.value_pitch = walk.stride;
  emit_step(
      "update own cells", step, step.chunks, owner.processor,
      {{memory.numbers->data, {memory.numbers, words, false}},
       {memory.places->data, {memory.places, words, false}},
       {tile.address(row_in_tile(asker, owner, tile).first), {tile.block, writer_.writes[0].hull(piece.piece), true}},
       {walk.at(asker.points.lo, asker.points.rank), {values.block, values_.hull(asker.piece), false}}});
}

}  // namespace pilum::scheduler
