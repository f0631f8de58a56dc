#include "scheduler/memo/plan_trace.h"

#include <algorithm>
#include <list>

#include "runtime/base/check.h"
#include "scheduler/plan/plan_builder.h"
#include "scheduler/record/instruction_pointers.h"

namespace pilum::scheduler {

void PlanTrace::begin(const std::vector<StoreRef>& stores, const std::vector<Block*>& blocks,
                      std::span<const MovingRole> moving) {
  moving_.assign(moving.begin(), moving.end());
  for (std::size_t i = 0; i < stores.size(); ++i) numbers_[stores[i]->id.value] = static_cast<int>(i);
  for (Block* block : blocks) roles_[block] = next_role_++;
  first_roles_ = next_role_;
}

void PlanTrace::allocated(Block* block, MemoryBook& book, std::size_t bytes, int processor, StoreId store) {
  const auto before = roles_.find(block);
  const Role former = before == roles_.end() ? kNoRole : before->second;
  roles_[block] = next_role_++;
  Step& step = add_memory(Kind::Allocate, processor);
  step.former = former;
  step.role = next_role_ - 1;
  step.book = &book;
  step.bytes = bytes;
  step.store = number_of(store);
}

PlanTrace::Step& PlanTrace::add_memory(Kind kind, int processor) {
  Step& step = steps_.emplace_back();
  step.kind = kind;
  step.processor = processor;
  step.instruction.name = name_;
  step.instruction.where = where_;
  return step;
}

int PlanTrace::number_of(StoreId store) const {
  const auto known = numbers_.find(store.value);
  return known == numbers_.end() ? kNoStore : known->second;
}

const MovingRole* PlanTrace::find_moving(Role role) const {
  const auto found = std::ranges::find(moving_, role, &MovingRole::role);
  return found == moving_.end() ? nullptr : &*found;
}

void PlanTrace::freed(Block* block, int processor) {
  const auto known = roles_.find(block);
  if (known == roles_.end()) return give_up();  // of a store that the window does not touch
  add_memory(Kind::Free, processor).role = known->second;
}

void PlanTrace::no_reuse(bool begins) {
  steps_.emplace_back().kind = begins ? Kind::NoReuseBegins : Kind::NoReuseEnds;
}

void PlanTrace::emitted(const Plan& plan, std::span<const Touch> touches, std::size_t task) {
  const Instruction& instruction = plan.instructions.back();
  name_ = instruction.name;
  where_ = instruction.where;
  if (std::holds_alternative<Allocate>(instruction.what) || std::holds_alternative<Free>(instruction.what)) return;
  if (std::holds_alternative<HostCall>(instruction.what)) return give_up();
  Step& step = steps_.emplace_back();
  step.kind = Kind::Emit;
  step.processor = instruction.processor;
  step.task = task;
  step.instruction = instruction;
  step.instruction.after.clear();
  step.number = plan.instructions.size() - 1;
  for (const InstructionId id : instruction.after) {
    if (id >= plan.first) step.after.push_back(static_cast<std::size_t>(id.value - plan.first.value));
  }
  if (const StoreId* store = store_of(step.instruction)) step.store = number_of(*store);
  for (const Touch& touch : touches) {
    const auto known = roles_.find(touch.block);
    if (known == roles_.end()) return give_up();
    const MovingRole* moves = find_moving(known->second);
    step.touches.push_back({known->second, moves ? moves->cells : touch.cells, touch.write});
  }
  for_each_pointer(step.instruction, touches.size(), [&](auto& pointer, std::size_t touch) {
    const MovingRole* moves = find_moving(step.touches[touch].role);
    add_bytes(pointer, 0 - reinterpret_cast<std::uintptr_t>(touches[touch].block->data + (moves ? moves->shift : 0)));
  });
}

void PlanTrace::replan(PlanBuilder& builder, std::span<const Operation> operations, const WindowKey& window,
                       std::vector<Block*>& blocks, std::size_t first_task) const {
  const auto id_of = [&](int number) {
    return number < 0 ? StoreId{-1} : window.stores[static_cast<std::size_t>(number)]->id;
  };
  blocks = window.blocks;
  std::vector<std::int64_t> shifts(blocks.size(), 0);  // by role
  for (const MovingRole& moving : window.moving) shifts[static_cast<std::size_t>(moving.role)] = moving.shift;
  std::vector<std::shared_ptr<const std::vector<std::uint64_t>>> scalars(scalars_.size());
  std::list<PlanBuilder::NoReuse> holds;
  std::vector<Touch> touches;
  for (const Step& step : steps_) {
    builder.begin_naming(step.instruction.name, step.instruction.where);
    switch (step.kind) {
      case Kind::Allocate:
        PILUM_CHECK(static_cast<std::size_t>(step.role) == blocks.size(), "role {} of {}", step.role, blocks.size());
        blocks.push_back(builder.allocate_again(*step.book, step.bytes, step.processor, id_of(step.store)));
        shifts.push_back(0);
        break;
      case Kind::Free: builder.free(blocks[static_cast<std::size_t>(step.role)], step.processor); break;
      case Kind::NoReuseBegins: holds.emplace_back(builder); break;
      case Kind::NoReuseEnds: holds.pop_back(); break;
      case Kind::Emit: {
        Instruction instruction = step.instruction;
        if (StoreId* store = store_of(instruction); store && step.store >= 0) *store = id_of(step.store);
        touches.clear();
        for (const RoleTouch& touch : step.touches)
          touches.push_back({blocks[static_cast<std::size_t>(touch.role)], touch.cells, touch.write});
        for_each_pointer(instruction, touches.size(), [&](auto& pointer, std::size_t touch) {
          const std::int64_t shift = shifts[static_cast<std::size_t>(step.touches[touch].role)];
          add_bytes(pointer, reinterpret_cast<std::uintptr_t>(touches[touch].block->data + shift));
        });
        if (auto* launch = std::get_if<Launch>(&instruction.what); launch && !scalars_[step.task].empty()) {
          auto& values = scalars[step.task];
          if (!values) {
            auto fresh = std::make_shared<std::vector<std::uint64_t>>();
            for (const ScalarSource& source : scalars_[step.task])
              fresh->push_back(scalar_bits(operations[static_cast<std::size_t>(source.operation)], source));
            values = std::move(fresh);
          }
          launch->scalars = values;
        }
        builder.begin_task(first_task + step.task);
        builder.emit_again(std::move(instruction), touches);
        break;
      }
    }
  }
}

std::size_t PlanTrace::bytes() const {
  std::size_t bytes = sizeof *this + steps_.size() * sizeof(Step);
  for (const Step& step : steps_) {
    bytes += step.touches.size() * sizeof(RoleTouch);
    if (const auto* launch = std::get_if<Launch>(&step.instruction.what))
      bytes += launch->arrays.size() * sizeof(kernel::BoundArray);
  }
  return bytes;
}

}  // namespace pilum::scheduler
