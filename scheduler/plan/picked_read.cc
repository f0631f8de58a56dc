#include "scheduler/plan/picked_read.h"

#include <algorithm>
#include <utility>

#include "scheduler/memory/view_walk.h"
#include "scheduler/record/host_body.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kWord = 8;             // bytes of a place, a number, a count
constexpr std::int64_t kRange = 2 * kWord;    // the first and how many
constexpr std::int64_t kChunkPoints = 16384;  // worth a worker

}  // namespace

PickedRead::PickedRead(PlanBuilder& builder, Instances& instances, const std::vector<BoundPiece>& pieces)
    : builder_(builder),
      instances_(instances),
      pieces_(pieces),
      task_(builder.task()),
      state_(*task_.reads[0].store()->state),
      partners_(task_, state_, machine()) {}

bool PickedRead::is_local(int processor) const {
  return machine().rank_of(processor) == builder_.rank().rank;
}

std::int64_t PickedRead::chunks_for(std::int64_t points) const {
  return std::clamp<std::int64_t>(points / kChunkPoints, 1, std::max(builder_.rank().workers, 1));
}

// Between two ranks both find them in the same order.
template <class Visit>
void PickedRead::for_each_question(std::int64_t round, bool ours, const Visit& visit) const {
  for (const Asker& asker : partners_.askers()) {
    if (round >= asker.rounds || is_local(asker.processor) != ours) continue;
    for (const Owner& owner : partners_.owners()) {
      if (!ours && !is_local(owner.processor)) continue;
      if (asker.row_of(owner).bytes > 0) visit(asker, owner);
    }
  }
}

void PickedRead::allocate() {
  const auto take = [this](std::int64_t bytes, int processor) {
    return builder_.allocate_shared(static_cast<std::size_t>(bytes), local_number(processor), store().id);
  };
  for (const Owner& owner : partners_.owners()) {
    if (!is_local(owner.processor)) continue;
    const int number = local_number(owner.processor);
    tiles_[owner.processor] = &instances_.for_read(state_, number, owner.tile);
  }
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

void PickedRead::free_all() {
  for (const auto& [asker, memory] : ours_) {
    for (Block* block : {memory.places, memory.numbers, memory.requests, memory.counts, memory.ranges, memory.rows})
      builder_.free(block, local_number(asker));
  }
  for (const auto& [pair, memory] : answers_) {
    for (Block* block : {memory.range, memory.requests, memory.rows}) builder_.free(block, local_number(pair.second));
  }
}

void PickedRead::plan() {
  // Sends and receives of one round must not wait for each other; of rounds, later ones for earlier ones alone.
  const PlanBuilder::NoReuse hold(builder_);
  allocate();
  std::int64_t rounds = 0;
  for (const Asker& asker : partners_.askers()) rounds = std::max(rounds, asker.rounds);
  for (std::int64_t round = 0; round < rounds; ++round) plan_round(round);
  free_all();
}

void PickedRead::plan_round(std::int64_t round) {
  const auto for_each_of_ours = [&](const auto& visit) {
    for (const Asker& asker : partners_.askers()) {
      if (is_local(asker.processor) && round < asker.rounds)
        visit(asker, PickedPartners::points_of_round(asker, round));
    }
  };
  const auto send = [&](int to, const PlanBuilder::Items& items, int processor) {
    builder_.send_items(machine().rank_of(to), items, store().id, local_number(processor));
  };
  const auto receive = [&](int from, const PlanBuilder::Items& items, int processor) {
    builder_.receive_items(machine().rank_of(from), items, store().id, local_number(processor));
  };
  for_each_of_ours([&](const Asker& asker, const Rect& points) { find_requests(asker, points); });
  for (const auto items : {&PickedRead::range_items, &PickedRead::request_items}) {
    for_each_question(round, /*ours=*/true, [&](const Asker& asker, const Owner& owner) {
      if (!is_local(owner.processor)) send(owner.processor, (this->*items)(asker, owner), asker.processor);
    });
    for_each_question(round, /*ours=*/false, [&](const Asker& asker, const Owner& owner) {
      receive(asker.processor, (this->*items)(asker, owner), owner.processor);
    });
  }
  for_each_question(round, /*ours=*/false, [&](const Asker& asker, const Owner& owner) {
    const AnswerMemory& memory = answers_.at({asker.processor, owner.processor});
    answer(asker, owner, memory.range, 0, memory.requests, memory.rows, 0);
    send(asker.processor, row_items(asker, owner), owner.processor);
  });
  for_each_question(round, /*ours=*/true, [&](const Asker& asker, const Owner& owner) {
    if (!is_local(owner.processor)) return receive(owner.processor, row_items(asker, owner), asker.processor);
    const AskerMemory& memory = ours_.at(asker.processor);
    answer(asker, owner, memory.ranges, kRange * owner.group, memory.requests, memory.rows, asker.row_of(owner).from);
  });
  for_each_of_ours([&](const Asker& asker, const Rect& points) { place(asker, points); });
}

PlanBuilder::Items PickedRead::range_items(const Asker& asker, const Owner& owner) const {
  const bool ours = is_local(asker.processor);
  Block* block = ours ? ours_.at(asker.processor).ranges : answers_.at({asker.processor, owner.processor}).range;
  const std::int64_t at = ours ? kRange * owner.group : 0;
  return {block, at, byte_range(at, at + kRange), kRange, 1};
}

PlanBuilder::Items PickedRead::request_items(const Asker& asker, const Owner& owner) const {
  const PlanBuilder::Items range = range_items(asker, owner);
  const bool ours = is_local(asker.processor);
  Block* block = ours ? ours_.at(asker.processor).requests : answers_.at({asker.processor, owner.processor}).requests;
  return {block, 0, all_requests(asker), partners_.place_bytes(), asker.capacity, range.block, range.at};
}

PlanBuilder::Items PickedRead::row_items(const Asker& asker, const Owner& owner) const {
  const PlanBuilder::Items range = range_items(asker, owner);
  const Row& row = asker.row_of(owner);
  const bool ours = is_local(asker.processor);
  Block* block = ours ? ours_.at(asker.processor).rows : answers_.at({asker.processor, owner.processor}).rows;
  return {block,     ours ? row.from : 0, byte_range(owner.processor, owner.processor + 1),
          row.bytes, asker.capacity,      range.block,
          range.at};
}

template <class Step>
void PickedRead::emit_step(const char* name, const Step& step, std::int64_t chunks, int processor,
                           const std::vector<StepMemory>& memory) {
  auto body = std::make_shared<TaskBody>();
  body->name = name;
  body->of_library = true;
  body->run = [step](const detail::BodyCall& call) { step.run(call); };
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

void PickedRead::find_requests(const Asker& asker, const Rect& points) {
  const AskerMemory& memory = ours_.at(asker.processor);
  const BoundPiece& piece = pieces_[static_cast<std::size_t>(local_number(asker.processor))];
  const TaskLaunch& launch = *task_.launch();
  const int groups = partners_.chosen()->groups();
  const Rect words = byte_range(0, kWord * asker.capacity);
  const Rect counts = byte_range(0, kWord * memory.chunks * groups);
  const StepMemory places{memory.places->data, {memory.places, words, true}};
  const StepMemory numbers{memory.numbers->data, {memory.numbers, words, true}};
  const StepMemory starts{memory.counts->data, {memory.counts, counts, true}};
  const PickedPoints picked{points, memory.chunks};

  LocateStep locate{launch.body, partners_.chosen(), picked, task_.reads[0].view.shape.rank(), {}};
  std::vector<StepMemory> located{places, numbers, starts};
  locate.stores.resize(launch.arguments.size());
  const Rect view = Rect::of(task_.reads[0].view.shape);
  locate.stores[1].hi = view.hi;
  for (std::size_t i = 2; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    const Instance& instance = *piece.reads[i - 1];
    const ViewWalk walk(instance, argument.view.map);
    const Rect box = argument.footprint.box(asker.piece);
    detail::BoundStore& bound = locate.stores[i];
    bound.lo = box.lo;
    bound.hi = box.hi;
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(box.rank); ++k) {
      bound.stride[k] = walk.stride[k] / static_cast<std::int64_t>(itemsize(argument.footprint.dtype));
      offset += box.lo[k] * walk.stride[k];
    }
    bound.first = reinterpret_cast<void*>(offset);
    located.push_back({walk.origin, {instance.block, argument.hull(points), false}});
  }
  emit_step("find owners", locate, memory.chunks, asker.processor, located);
  emit_step("number requests", NumberStep{memory.chunks, groups}, 1, asker.processor,
            {starts, {memory.ranges->data, {memory.ranges, byte_range(0, kRange * groups), true}}});
  emit_step("write requests", RequestStep{picked, groups, partners_.place_bytes()}, memory.chunks, asker.processor,
            {{memory.places->data, {memory.places, words, false}},
             numbers,
             starts,
             {memory.requests->data, {memory.requests, all_requests(asker), true}}});
}

void PickedRead::answer(const Asker& asker, const Owner& owner, Block* range, std::int64_t range_at, Block* requests,
                        Block* rows, std::int64_t rows_at) {
  const Instance& tile = *tiles_.at(owner.processor);
  const Row& row = asker.row_of(owner);
  AnswerStep step;
  step.chunks = chunks_for(asker.capacity);
  step.place_bytes = partners_.place_bytes();
  std::array<std::int64_t, kMaxAxes> first = owner.tile.lo;
  for (const int k : partners_.chosen_axes()) {
    step.extent[u(step.axes)] = owner.tile.extent(k);
    step.pitch[u(step.axes++)] = tile.pitch[u(k)];
  }
  int rank = 0;
  Extents extent{}, pitch{};
  for (int axis = 0; axis < row.points.rank; ++axis) {
    if (!partners_.is_row_axis(axis)) continue;
    const int k = partners_.map().store_axis_of(axis);
    first[u(k)] = partners_.map()[k].offset + partners_.map()[k].scale * row.points.lo[u(axis)];
    extent[u(rank)] = row.points.extent(axis);
    pitch[u(rank++)] = partners_.map()[k].scale * tile.pitch[u(k)];
  }
  step.row = RowShape::of(rank, extent, pitch, partners_.itemsize());
  emit_step("answer requests", step, step.chunks, owner.processor,
            {{range->data + range_at, {range, byte_range(range_at, range_at + kRange), false}},
             {requests->data, {requests, all_requests(asker), false}},
             {tile.address(first), {tile.block, owner.tile, false}},
             {rows->data + rows_at, {rows, byte_range(owner.processor, owner.processor + 1), true}}});
}

void PickedRead::place(const Asker& asker, const Rect& points) {
  const AskerMemory& memory = ours_.at(asker.processor);
  const BoundPiece& piece = pieces_[static_cast<std::size_t>(local_number(asker.processor))];
  const TaskWrite& write = task_.writes[0];
  const Instance& result = *piece.writes[0];
  const ViewWalk walk(result, write.map());
  PlaceStep step{{points, memory.chunks}, walk.stride, {}};
  for (const Row& row : asker.rows) {
    if (row.bytes == 0) continue;
    PlaceStep::Part part{{}, row.from, 0};
    int rank = 0;
    Extents extent{}, pitch{};
    for (int axis = 0; axis < points.rank; ++axis) {
      if (!partners_.is_row_axis(axis)) continue;
      part.to += (row.points.lo[u(axis)] - points.lo[u(axis)]) * walk.stride[u(axis)];
      extent[u(rank)] = row.points.extent(axis);
      pitch[u(rank++)] = walk.stride[u(axis)];
    }
    part.row = RowShape::of(rank, extent, pitch, partners_.itemsize());
    step.parts.push_back(part);
  }
  emit_step("place rows", step, memory.chunks, asker.processor,
            {{memory.numbers->data, {memory.numbers, byte_range(0, kWord * asker.capacity), false}},
             {memory.rows->data, {memory.rows, byte_range(0, machine().processors()), false}},
             {walk.at(points.lo, points.rank), {result.block, write.hull(partners_.with_rows(asker, points)), true}}});
}

}  // namespace pilum::scheduler
