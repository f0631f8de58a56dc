#include "scheduler/plan/picked_exchange.h"

#include <algorithm>

#include "scheduler/memory/view_walk.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kChunkPoints = 16384;  // worth a worker

}  // namespace

PickedExchange::PickedExchange(PlanBuilder& builder, const Task& task, PickedPartners::Rounds rounds)
    : builder_(builder), task_(task), partners_(task, *task.reads[0].store()->state, builder.rank().machine, rounds) {}

bool PickedExchange::is_local(int processor) const {
  return machine().rank_of(processor) == builder_.rank().rank;
}

std::int64_t PickedExchange::chunks_for(std::int64_t points) const {
  return std::clamp<std::int64_t>(points / kChunkPoints, 1, std::max(builder_.rank().workers, 1));
}

void PickedExchange::allocate() {
  const auto take = [this](std::int64_t bytes, int processor) {
    return builder_.allocate_shared(static_cast<std::size_t>(bytes), local_number(processor), store().id);
  };
  for_each_question(/*round=*/0, /*ours=*/true, [&](const Asker& asker, const Owner&) {
    AskerMemory& memory = ours_[asker.processor];
    if (memory.places) return;
    memory.chunks = chunks_for(asker.capacity);
    memory.places = take(kWord * asker.capacity, asker.processor);
    memory.numbers = take(kWord * asker.capacity, asker.processor);
    memory.requests = take(partners_.place_bytes() * asker.capacity, asker.processor);
    memory.counts = take(kWord * memory.chunks * partners_.chosen()->groups(), asker.processor);
    memory.ranges = take(kRange * partners_.chosen()->groups(), asker.processor);
    memory.rows = take(asker.row_bytes * asker.capacity, asker.processor);
  });
  for_each_question(/*round=*/0, /*ours=*/false, [&](const Asker& asker, const Owner& owner) {
    const std::int64_t bytes = asker.row_of(owner).bytes;
    answers_[{asker.processor, owner.processor}] = {take(kRange, owner.processor),
                                                    take(partners_.place_bytes() * asker.capacity, owner.processor),
                                                    take(bytes * asker.capacity, owner.processor)};
  });
}

void PickedExchange::free_all() {
  for (const auto& [asker, memory] : ours_) {
    for (Block* block : {memory.places, memory.numbers, memory.requests, memory.counts, memory.ranges, memory.rows})
      builder_.free(block, local_number(asker));
  }
  for (const auto& [pair, memory] : answers_) {
    for (Block* block : {memory.range, memory.requests, memory.rows}) builder_.free(block, local_number(pair.second));
  }
}

PlanBuilder::Items PickedExchange::range_items(const Asker& asker, const Owner& owner) const {
  const bool ours = is_local(asker.processor);
  Block* block = ours ? ours_.at(asker.processor).ranges : answers_.at({asker.processor, owner.processor}).range;
  const std::int64_t at = ours ? kRange * owner.group : 0;
  return {block, at, byte_range(at, at + kRange), kRange, 1};
}

PlanBuilder::Items PickedExchange::request_items(const Asker& asker, const Owner& owner) const {
  const PlanBuilder::Items range = range_items(asker, owner);
  const bool ours = is_local(asker.processor);
  Block* block = ours ? ours_.at(asker.processor).requests : answers_.at({asker.processor, owner.processor}).requests;
  return {block, 0, all_requests(asker), partners_.place_bytes(), asker.capacity, range.block, range.at};
}

PlanBuilder::Items PickedExchange::row_items(const Asker& asker, const Owner& owner) const {
  const PlanBuilder::Items range = range_items(asker, owner);
  const Row& row = asker.row_of(owner);
  const bool ours = is_local(asker.processor);
  Block* block = ours ? ours_.at(asker.processor).rows : answers_.at({asker.processor, owner.processor}).rows;
  return {block,     ours ? row.from : 0, byte_range(owner.processor, owner.processor + 1),
          row.bytes, asker.capacity,      range.block,
          range.at};
}

PickedExchange::RowPlace PickedExchange::row_in_tile(const Asker& asker, const Owner& owner,
                                                     const Instance& tile) const {
  const Row& row = asker.row_of(owner);
  RowPlace place{owner.tile.lo, {}};
  int rank = 0;
  Extents extent{}, pitch{};
  for (int axis = 0; axis < row.points.rank; ++axis) {
    if (!partners_.is_row_axis(axis)) continue;
    const int k = partners_.map().store_axis_of(axis);
    place.first[u(k)] = partners_.map()[k].offset + partners_.map()[k].scale * row.points.lo[u(axis)];
    extent[u(rank)] = row.points.extent(axis);
    pitch[u(rank++)] = partners_.map()[k].scale * tile.pitch[u(k)];
  }
  place.shape = RowShape::of(rank, extent, pitch, partners_.itemsize());
  return place;
}

std::vector<PointRows> PickedExchange::rows_by_point(const Asker& asker, const Rect& points,
                                                     const Extents& stride) const {
  std::vector<PointRows> parts;
  for (const Row& row : asker.rows) {
    if (row.bytes == 0) continue;
    PointRows part{{}, row.from, 0};
    int rank = 0;
    Extents extent{}, pitch{};
    for (int axis = 0; axis < points.rank; ++axis) {
      if (!partners_.is_row_axis(axis)) continue;
      part.at += (row.points.lo[u(axis)] - points.lo[u(axis)]) * stride[u(axis)];
      extent[u(rank)] = row.points.extent(axis);
      pitch[u(rank++)] = stride[u(axis)];
    }
    part.row = RowShape::of(rank, extent, pitch, partners_.itemsize());
    parts.push_back(part);
  }
  return parts;
}

void PickedExchange::emit_body(const char* name, std::function<void(const detail::BodyCall&)> run, std::int64_t chunks,
                               int processor, const std::vector<StepMemory>& memory) {
  auto body = std::make_shared<TaskBody>();
  body->name = name;
  body->of_library = true;
  body->run = std::move(run);
  auto host = std::make_shared<HostBody>();
  host->body = std::move(body);
  host->footprints.resize(memory.size());
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
    host->chunks.push_back({Piece({chunk}, {chunk + 1}), std::vector<detail::BoundStore>(memory.size())});
  Launch launch = make_launch(builder_, byte_range(0, chunks));
  launch.chunk[0] = 1;
  launch.code = std::shared_ptr<const HostBody>(std::move(host));
  std::vector<Touch> touches;
  for (const StepMemory& one : memory) {
    launch.arrays.push_back({reinterpret_cast<char*>(one.data), {}});
    touches.push_back(one.touch);
  }
  builder_.emit(std::move(launch), local_number(processor), touches);
}

void PickedExchange::find_requests(const Asker& asker, const Rect& points, const std::vector<const Instance*>& indices,
                                   int own) {
  const AskerMemory& memory = ours_.at(asker.processor);
  const int groups = partners_.chosen()->groups();
  const Rect words = byte_range(0, kWord * asker.capacity);
  const Rect counts = byte_range(0, kWord * memory.chunks * groups);
  const StepMemory places{memory.places->data, {memory.places, words, true}};
  const StepMemory numbers{memory.numbers->data, {memory.numbers, words, true}};
  const StepMemory starts{memory.counts->data, {memory.counts, counts, true}};
  const PickedPoints picked{points, memory.chunks};

  const Shape& shape = task_.reads[0].view.shape;
  LocateStep locate{task_.launch()->body, partners_.chosen(), picked, shape.rank(), {}};
  std::vector<StepMemory> located{places, numbers, starts};
  locate.stores.resize(indices.size() + 2);
  locate.stores[1].hi = Rect::of(shape).hi;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Argument& argument = task_.reads[i + 1];
    const ViewWalk walk(*indices[i], argument.view.map);
    const Rect box = argument.footprint.box(asker.piece);
    detail::BoundStore& bound = locate.stores[i + 2];
    bound.lo = box.lo;
    bound.hi = box.hi;
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(box.rank); ++k) {
      bound.stride[k] = walk.stride[k] / static_cast<std::int64_t>(itemsize(argument.footprint.dtype));
      offset += box.lo[k] * walk.stride[k];
    }
    bound.first = reinterpret_cast<void*>(offset);
    located.push_back({walk.origin, {indices[i]->block, argument.hull(points), false}});
  }
  emit_step("find owners", locate, memory.chunks, asker.processor, located);
  emit_step("number requests", NumberStep{memory.chunks, groups}, 1, asker.processor,
            {starts, {memory.ranges->data, {memory.ranges, byte_range(0, kRange * groups), true}}});
  emit_step("write requests", RequestStep{picked, groups, partners_.place_bytes(), own}, memory.chunks, asker.processor,
            {{memory.places->data, {memory.places, words, false}},
             numbers,
             starts,
             {memory.requests->data, {memory.requests, all_requests(asker), true}}});
}

}  // namespace pilum::scheduler
