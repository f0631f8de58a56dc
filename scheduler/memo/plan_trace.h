// How a plan was made, in terms of roles: to make it again for other stores.
#pragma once

#include <source_location>
#include <span>
#include <unordered_map>
#include <vector>

#include "scheduler/memo/window_key.h"
#include "scheduler/memory/state_snapshot.h"
#include "scheduler/plan/plan_builder.h"
#include "scheduler/plan/plan_observer.h"
#include "scheduler/record/task.h"

namespace pilum::scheduler {

// What a PlanBuilder did, recorded while it planned, and done once more with another one. Memory is given out anew, and
// what comes after what is found out anew; everything else is as it was.
class PlanTrace final : public PlanObserver {
 public:
  // The window's stores by number, and the blocks that they have before the plan, in order of their roles; of those
  // that move, where they are now.
  void begin(const std::vector<StoreRef>& stores, const std::vector<Block*>& blocks,
             std::span<const MovingRole> moving = {});
  void allocated(Block* block, MemoryBook& book, std::size_t bytes, int processor, StoreId store) override;
  void freed(Block* block, int processor) override;
  void emitted(const Plan& plan, std::span<const Touch> touches, std::size_t task) override;
  void no_reuse(bool begins) override;
  void give_up() override { usable_ = false; }
  bool usable() const { return usable_; }
  Role role_of(Block* block) const { return roles_.at(block); }
  void set_scalars(std::vector<std::vector<ScalarSource>> sources) { scalars_ = std::move(sources); }
  // No more is recorded.
  void end() {
    roles_.clear();
    moving_.clear();
  }

  // Plans it for the window, and the scalars of its operations; its tasks are numbered from `first_task` on. `blocks`
  // has those of the window, and then every role's.
  void replan(PlanBuilder& builder, std::span<const Operation> operations, const WindowKey& window,
              std::vector<Block*>& blocks, std::size_t first_task) const;
  std::size_t bytes() const;

  struct RoleTouch {
    Role role;
    Rect cells;
    bool write;
  };
  enum class Kind { Allocate, Free, Emit, NoReuseBegins, NoReuseEnds };
  struct Step {
    Kind kind;
    Role role = 0;
    MemoryBook* book = nullptr;
    std::size_t bytes = 0;
    int processor = 0;
    int store = kNoStore;  // by number, of what is allocated or instructed
    std::size_t task = 0;
    Instruction instruction;  // pointers as bytes from where their block is pinned at 0; of memory name and line alone
    std::vector<RoleTouch> touches;
    std::size_t number = 0;          // in its plan
    std::vector<std::size_t> after;  // numbers of the instructions of the plan that it comes after
    Role former = kNoRole;           // of what is allocated: the role that had the block before, in this plan
  };
  static constexpr Role kNoRole = -1;
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<std::vector<ScalarSource>>& scalars() const { return scalars_; }  // by task
  Role first_roles() const { return first_roles_; }  // blocks that the touched stores had
  static constexpr int kNoStore = -1;
  int number_of(StoreId store) const;

 private:
  const MovingRole* find_moving(Role role) const;
  Step& add_memory(Kind kind, int processor);

  bool usable_ = true;
  std::unordered_map<std::int64_t, int> numbers_;  // of stores
  Role next_role_ = 0, first_roles_ = 0;
  std::unordered_map<Block*, Role> roles_;
  std::vector<MovingRole> moving_;  // while it is recorded
  const char* name_ = "";           // of what was emitted last: an allocation, or a free, is told after it
  std::source_location where_;
  std::vector<Step> steps_;
  std::vector<std::vector<ScalarSource>> scalars_;  // by task
};

}  // namespace pilum::scheduler
