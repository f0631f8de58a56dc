#include "scheduler/memo/replan.h"

#include <algorithm>
#include <span>

#include "scheduler/plan/plan_builder.h"

namespace pilum::scheduler {
namespace {

// The stores as the plan left them when it was made.
void leave_states(Planner& planner, const CachedPlan& cached, const WindowKey& window,
                  std::span<Block* const> by_role) {
  for (const int number : cached.changed) {
    const auto i = static_cast<std::size_t>(number);
    planner.leave_state(window.stores[i], cached.final_states[i], by_role);
  }
}

WavefrontMachine wavefront_machine(const PlanningRank& rank, int participants) {
  if (rank.on_gpus()) return {};
  return {participants, rank.machine.cache_bytes, rank.kernels, rank.rank};
}

}  // namespace

void replan(Planner& planner, const CachedPlan& cached, std::span<const Operation> operations, const WindowKey& window,
            Plan& plan, std::size_t first_task) {
  PlanBuilder builder(planner.rank(), plan, {});
  const PlanBuilder::SmallApart apart(planner.rank());
  std::vector<Block*> blocks;
  cached.trace.replan(builder, operations, window, blocks, first_task);
  leave_states(planner, cached, window, blocks);
}

void replay(Planner& planner, CachedPlan& cached, std::span<const Operation> operations, const WindowKey& window,
            Plan& plan, int participants) {
  const PlanTemplate& made = *cached.get_template(wavefront_machine(planner.rank(), participants));
  PlanBuilder builder(planner.rank(), plan, {});
  builder.begin_naming(operations.back().name, operations.back().where);
  auto& [blocks, by_role, data] = cached.room;
  blocks.clear();
  for (std::size_t i = 0; i < made.slots().size(); ++i) {
    const PlanTemplate::Slot& slot = made.slots()[i];
    const std::byte* before = i < data.size() ? data[i] : nullptr;  // where it was the last time, if it is free again
    Block* block =
        slot.book ? slot.book->allocate(slot.bytes, before) : window.blocks[static_cast<std::size_t>(slot.first)];
    if (!block) block = builder.allocate_again(*slot.book, slot.bytes, 0, StoreId{-1});
    blocks.push_back(block);
  }
  by_role.resize(made.roles());
  for (std::size_t role = 0; role < by_role.size(); ++role)
    by_role[role] = blocks[static_cast<std::size_t>(made.slot_of(static_cast<Role>(role)))];
  leave_states(planner, cached, window, by_role);
  data.clear();
  for (const Block* block : blocks) data.push_back(block->data);
  for (const MovingRole& moving : window.moving)
    data[static_cast<std::size_t>(made.slot_of(moving.role))] += moving.shift;
  std::shared_ptr<BoundPlan> run = cached.runs.find(data);
  if (!run) run = cached.runs.add(std::make_shared<BoundPlan>(cached.plan_template, participants));
  run->bind(data, operations, window.stores, plan.window);

  // It starts when all are done that touch its memory, and whoever comes to touch that waits for its end.
  const InstructionId id{plan.first.value + static_cast<std::int64_t>(plan.instructions.size())};
  const InstructionId done = planner.rank().done_before();
  Instruction instruction{ReplayedPlan{std::move(run)}, {}, 0, operations.back().name, operations.back().where};
  std::vector<InstructionId>& after = instruction.after;
  after.reserve(2 * blocks.size());
  for (Block* block : blocks) {
    block->log.append_all(after);
    block->log.hand_over(id);
  }
  std::erase_if(after, [done](InstructionId before) { return before < done; });
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  plan.instructions.push_back(std::move(instruction));
  // The last one first: so the next time finds them in the same places.
  for (std::size_t i = blocks.size(); i-- > 0;) {
    if (made.slots()[i].freed) blocks[i]->book->free(blocks[i]);
  }
}

}  // namespace pilum::scheduler
