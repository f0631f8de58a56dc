#include "scheduler/plan/picked_read.h"

#include <algorithm>

#include "scheduler/memory/view_walk.h"

namespace pilum::scheduler {

PickedRead::PickedRead(PlanBuilder& builder, Instances& instances, const std::vector<BoundPiece>& pieces)
    : PickedExchange(builder, builder.task(), PickedPartners::Rounds::Many), instances_(instances), pieces_(pieces) {}

void PickedRead::plan() {
  // Sends and receives of one round must not wait for each other; of rounds, later ones for earlier ones alone.
  const PlanBuilder::NoReuse hold(builder_);
  for (const Owner& owner : partners_.owners()) {
    if (!is_local(owner.processor)) continue;
    tiles_[owner.processor] =
        &instances_.for_read(*task_.reads[0].store()->state, local_number(owner.processor), owner.tile);
  }
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
  for_each_of_ours([&](const Asker& asker, const Rect& points) {
    const std::vector<const Instance*>& reads = pieces_[static_cast<std::size_t>(local_number(asker.processor))].reads;
    find_requests(asker, points, {reads.begin() + 1, reads.end()});
  });
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

void PickedRead::answer(const Asker& asker, const Owner& owner, Block* range, std::int64_t range_at, Block* requests,
                        Block* rows, std::int64_t rows_at) {
  const Instance& tile = *tiles_.at(owner.processor);
  const RowPlace place = row_in_tile(asker, owner, tile);
  AnswerStep step;
  step.chunks = chunks_for(asker.capacity);
  step.place_bytes = partners_.place_bytes();
  set_chosen_axes(step, owner, tile);
  step.row = place.shape;
  emit_step("answer requests", step, step.chunks, owner.processor,
            {{range->data + range_at, {range, byte_range(range_at, range_at + kRange), false}},
             {requests->data, {requests, all_requests(asker), false}},
             {tile.address(place.first), {tile.block, owner.tile, false}},
             {rows->data + rows_at, {rows, byte_range(owner.processor, owner.processor + 1), true}}});
}

void PickedRead::place(const Asker& asker, const Rect& points) {
  const AskerMemory& memory = ours_.at(asker.processor);
  const BoundPiece& piece = pieces_[static_cast<std::size_t>(local_number(asker.processor))];
  const TaskWrite& write = task_.writes[0];
  const Instance& result = *piece.writes[0];
  const ViewWalk walk(result, write.map());
  const PlaceStep step{{points, memory.chunks}, walk.stride, rows_by_point(asker, points, walk.stride)};
  emit_step("place rows", step, memory.chunks, asker.processor,
            {{memory.numbers->data, {memory.numbers, byte_range(0, kWord * asker.capacity), false}},
             {memory.rows->data, {memory.rows, all_rows(), false}},
             {walk.at(points.lo, points.rank), {result.block, write.hull(partners_.with_rows(asker, points)), true}}});
}

}  // namespace pilum::scheduler
