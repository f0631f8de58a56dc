// How a plan was made, in roles: what is recorded, and what cannot be.
#include "scheduler/memo/plan_trace.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;
using Kind = PlanTrace::Kind;

// A window, traced.
struct Traced {
  explicit Traced(PlannedRank& planned) {
    operations = std::exchange(planned.recorder.operations, {});
    const auto key = make_window_key(operations, {}, 0);
    window = *key;
    plan = planned.begin_plan();
    std::vector<Operation> taken = operations;
    planned.trace(taken, {}, window, cached, plan);
    planned.end_plan(plan);
  }
  std::string steps() const {
    std::string text;
    for (const PlanTrace::Step& step : cached.trace.steps()) {
      switch (step.kind) {
        case Kind::Allocate: text += "a" + std::to_string(step.role); break;
        case Kind::Free: text += "f" + std::to_string(step.role); break;
        case Kind::NoReuseBegins: text += "("; break;
        case Kind::NoReuseEnds: text += ")"; break;
        case Kind::Emit:
          text += "e[";
          for (const PlanTrace::RoleTouch& touch : step.touches)
            text += (text.back() == '[' ? "" : " ") + std::string(touch.write ? "w" : "r") + std::to_string(touch.role);
          text += "]";
      }
      text += " ";
    }
    return text;
  }

  std::vector<Operation> operations;
  WindowKey window;
  CachedPlan cached;
  Plan plan;
};

// Both arrays are there; the window has y's stencil of x.
void record_stencil(PlannedRank& planned, const np::Array& x, np::Array& y) {
  y += x;
  (void)planned.plan();
  y(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
}

// Roles 0 and 1 are the blocks that x and y had before.
TEST(PlanTrace, HasStepsInTermsOfRolesInThePlansOrder) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({1000}), y = np::zeros({1000});
  y += x;
  (void)planned.plan();
  {
    const np::Array shifted = np::power(x(slice(1, {})), 2.5);  // too dear to be computed twice
    y(slice(2, {})) = shifted(slice(1, {})) + shifted(slice(0, -1));
  }
  const Traced traced(planned);
  EXPECT_EQ(traced.steps(), "a2 e[r0 w2] e[r2 w1] f2 ");
  EXPECT_EQ(traced.cached.trace.first_roles(), 2);
  EXPECT_TRUE(traced.cached.trace.usable());
  EXPECT_EQ(traced.cached.tasks, 2);
}

TEST(PlanTrace, SaysWhereMemoryThatIsFreedIsHeld) {
  PlannedRank planned({.ranks = 3}, 1);
  np::Array x = np::ones({60}), y = np::zeros({60});
  record_stencil(planned, x, y);
  const Traced traced(planned);
  // The wider instance of x is there first, with what the old one had; then two messages each way, three launches.
  EXPECT_EQ(traced.steps(), "( a2 e[r0 w2] f0 e[r2] e[r2] e[w2] e[w2] ) e[r2 w1] e[r2 w1] e[r2 w1] ");
}

TEST(PlanTrace, KeepsPointersAsBytesFromTheirBlocks) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({30, 40});
  (void)planned.plan();
  x(slice(2, 20), slice(7, 30)) = x(slice(2, 20), slice(7, 30)) * 2.0;
  const Traced traced(planned);
  const Instance& instance = *PlannedRank::local(x).instances[0];
  std::size_t launches = 0;
  for (const PlanTrace::Step& step : traced.cached.trace.steps()) {
    const auto* launch = std::get_if<Launch>(&step.instruction.what);
    if (step.kind != Kind::Emit || !launch) continue;
    ++launches;
    for (const kernel::BoundArray& array : launch->arrays)
      EXPECT_EQ(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array.base)),
                instance.origin + 2 * instance.pitch[0] + 7 * 8);
    EXPECT_TRUE(step.instruction.after.empty());
  }
  EXPECT_EQ(launches, 1u);
}

TEST(PlanTrace, KnowsWhatComesAfterWhatInsideThePlanAlone) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({1000}), y = np::zeros({1000});
  y += x;
  (void)planned.plan();
  x(slice({}, {}, -1)) = 2.0 * y;
  y(slice(1, {})) = x(slice(0, -1)) + 1.0;
  const Traced traced(planned);
  ASSERT_EQ(traced.plan.instructions.size(), 2u);
  EXPECT_FALSE(traced.plan.instructions[0].after.empty());  // what wrote them
  std::vector<std::vector<std::size_t>> after;
  for (const PlanTrace::Step& step : traced.cached.trace.steps())
    if (step.kind == Kind::Emit) after.push_back(step.after);
  EXPECT_EQ(after, (std::vector<std::vector<std::size_t>>{{}, {0}}));
}

TEST(PlanTrace, ABlockThatIsFreedAndGivenAgainIsAnotherRoleThatKnowsItsFormerOne) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({1000}), y = np::zeros({1000});
  y += x;
  (void)planned.plan();
  for (int i = 0; i < 2; ++i) {
    np::Array &from = i % 2 ? y : x, &to = i % 2 ? x : y;
    const np::Array shifted = np::power(from(slice(1, {})), 2.5);  // too dear to be computed twice
    to(slice(2, {})) = shifted(slice(1, {})) + shifted(slice(0, -1));
  }
  const Traced traced(planned);
  std::vector<std::pair<Role, Role>> former;
  for (const PlanTrace::Step& step : traced.cached.trace.steps())
    if (step.kind == Kind::Allocate) former.emplace_back(step.role, step.former);
  EXPECT_EQ(former, (std::vector<std::pair<Role, Role>>{{2, PlanTrace::kNoRole}, {3, 2}}));
}

TEST(PlanTrace, ANumberOfAStoreIsItsPlaceInTheKeyOrNone) {
  PlannedRank planned({.ranks = 3}, 1);
  np::Array x = np::ones({60}), y = np::zeros({60});
  record_stencil(planned, x, y);
  const Traced traced(planned);
  const StoreId named = PlannedRank::store_of(x).id;
  int messages = 0;
  for (const PlanTrace::Step& step : traced.cached.trace.steps()) {
    const auto* send = std::get_if<Send>(&step.instruction.what);
    if (step.kind != Kind::Emit || !send) continue;
    ++messages;
    EXPECT_EQ(traced.window.stores.at(static_cast<std::size_t>(step.store))->id, named);
  }
  EXPECT_EQ(messages, 2);
}

TEST(PlanTrace, GivesUpWhereDataComeFromOutside) {
  PlanTrace trace;
  trace.begin({}, {});
  Plan plan;
  plan.instructions.push_back({HostCall{}, {}, 0, "array", {}});
  trace.emitted(plan, {}, 0);
  EXPECT_FALSE(trace.usable());
}

TEST(PlanTrace, GivesUpWhereABlockIsTouchedOrFreedThatNoStoreOfTheWindowHas) {
  Block stranger;
  {
    PlanTrace trace;
    trace.begin({}, {});
    trace.freed(&stranger, 0);
    EXPECT_FALSE(trace.usable());
  }
  PlanTrace trace;
  trace.begin({}, {});
  Plan plan;
  plan.instructions.push_back({Send{}, {}, 0, "", {}});
  const Touch touch{&stranger, Rect::of({0}, {8}), false};
  trace.emitted(plan, {&touch, 1}, 0);
  EXPECT_FALSE(trace.usable());
}

TEST(PlanTrace, GivesUpWhereMemoryWasMoved) {
  PlannedRank planned({.gpus = true, .split_bytes = 0, .memory = 20'000});
  np::Array a = np::ones({1000}), b = np::ones({999});
  (void)planned.plan();
  const np::Array c = np::ones({998});
  const Traced traced(planned);
  EXPECT_EQ(planned.ran.size(), 1u);
  EXPECT_FALSE(traced.cached.trace.usable());
}

TEST(PlanTrace, ItsBytesGrowWithItsSteps) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({1000}), y = np::zeros({1000});
  y += x;
  (void)planned.plan();
  y += x;
  const Traced small(planned);
  for (int i = 0; i < 8; ++i) (i % 2 ? x : y)(slice(1, {})) = (i % 2 ? y : x)(slice(0, -1)) * 2.0;
  const Traced large(planned);
  EXPECT_GT(large.cached.trace.bytes(), small.cached.trace.bytes() + 4 * sizeof(PlanTrace::Step));
}

}  // namespace
}  // namespace pilum::scheduler
