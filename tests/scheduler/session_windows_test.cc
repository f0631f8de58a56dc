// A session's windows: where they are cut, what is planned anew, and that loops' plans order all that meets.
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"
#include "tests/scheduler/plans.h"
#include "tests/scheduler/random_loop.h"
#include "tests/scheduler/random_seeds.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// A session that only plans, and each of its plans as it comes.
class Windows {
 public:
  explicit Windows(const fakes::SimulatedRanks& machine = {}, int rank = 0) : planning(machine, rank) {
    planning.session().set_on_plan([this](const Plan& plan) { plans.push_back(plan); });
  }
  std::size_t misses() { return static_cast<std::size_t>(planning.session().plan_cache().misses); }
  std::size_t hits() { return static_cast<std::size_t>(planning.session().plan_cache().hits); }

  fakes::PlanningSession planning;
  std::vector<Plan> plans;
};

TEST(SessionWindows, AreCutWhenTheyAreFullAndNotBefore) {
  Windows windows({.window = 16});
  np::Array x = np::arange(60.0);
  for (int i = 0; i < 15; ++i) x(slice(i, i + 3 + i)) = 1.5 * i;  // no two alike: no loop
  EXPECT_EQ(windows.plans.size(), 0u);
  x(slice(2, 9)) = 3.0;
  EXPECT_EQ(windows.plans.size(), 1u);
  windows.planning.session().flush();
  EXPECT_EQ(windows.plans.size(), 2u);
  windows.planning.session().flush();  // nothing is left
  EXPECT_EQ(windows.plans.size(), 2u);
}

TEST(SessionWindows, HaveNumbersAndInstructionsInARow) {
  Windows windows({.ranks = 2, .window = 4});
  RandomLoop loop(5);
  for (int time = 0; time < 12; ++time) loop.body(time);
  windows.planning.session().flush();
  ASSERT_GT(windows.plans.size(), 3u);
  std::int64_t next = windows.plans[0].first.value;
  for (std::size_t i = 0; i < windows.plans.size(); ++i) {
    EXPECT_EQ(windows.plans[i].window, static_cast<int>(i));
    EXPECT_EQ(windows.plans[i].first.value, next);
    next += static_cast<std::int64_t>(windows.plans[i].instructions.size());
  }
}

// Plans of random loops, by seed: once the loop is known, nothing is planned anew.
TEST(SessionWindows, OfALoopArePlannedAFewTimes) {
  for (const bool gpus : {false, true}) {
    for (const std::uint64_t seed : random_seeds(4)) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << (gpus ? ", GPUs" : ""));
      Windows windows({.ranks = 3, .processors_per_rank = gpus ? 2 : 1, .gpus = gpus}, 1);
      RandomLoop loop(seed);
      std::size_t misses = 0;
      for (int time = 0; time < 800; ++time) {  // a short body's windows hold 64 of them, or more
        loop.body(time);
        if (time == 500) misses = windows.misses();
      }
      EXPECT_EQ(windows.misses(), misses);
      EXPECT_GT(windows.hits(), misses);
    }
  }
}

// Across windows that are made again, or put together from bodies: every two instructions that touch a byte.
TEST(SessionWindows, OfLoopsOrderAllThatMeets) {
  std::size_t conflicts = 0;
  for (const auto& machine : {fakes::SimulatedRanks{.ranks = 2}, fakes::SimulatedRanks{.processors_per_rank = 3},
                              fakes::SimulatedRanks{.ranks = 3, .processors_per_rank = 2, .gpus = true},
                              fakes::SimulatedRanks{.processors_per_rank = 2, .gpus = true}}) {
    for (const std::uint64_t seed : random_seeds(2)) {
      SCOPED_TRACE(testing::Message() << machine.ranks << " ranks, seed " << seed << (machine.gpus ? ", GPUs" : ""));
      Windows windows(machine, machine.ranks - 1);
      RandomLoop loop(seed);
      for (int time = 0; time < 14; ++time) loop.body(time);
      windows.planning.session().flush();
      std::vector<Instruction> together;
      for (const Plan& plan : windows.plans)
        together.insert(together.end(), plan.instructions.begin(), plan.instructions.end());
      const Conflicts found = find_conflicts(together, befores_of(together, InstructionId{0}));
      EXPECT_EQ(found.races, std::vector<std::string>());
      conflicts += found.ordered;
    }
  }
  EXPECT_GT(conflicts, 1000u);
}

// A sweep with other numbers each time, and all of the grid gathered: on three ranks of two GPUs this once read memory
// that was never written.
TEST(SessionWindows, OfAStencilOnGpusThatIsGatheredOrderAllThatMeets) {
  std::vector<Plan> plans;
  for (int rank = 0; rank < 3; ++rank) {
    Windows windows({.ranks = 3, .processors_per_rank = 2, .gpus = true}, rank);
    np::Array grid = np::zeros({20, 20});
    grid(0, all) = 40.0;
    np::Array center = grid(slice(1, -1), slice(1, -1)), north = grid(slice(0, -2), slice(1, -1)),
              west = grid(slice(1, -1), slice(0, -2));
    for (int i = 0; i < 40; ++i) {
      np::Array sum = center + north + west;
      center[all] = (0.2 + 0.001 * i) * sum;
    }
    (void)grid.to_vector<double>();
    Plan whole = windows.plans.front();
    for (std::size_t i = 1; i < windows.plans.size(); ++i)
      whole.instructions.insert(whole.instructions.end(), windows.plans[i].instructions.begin(),
                                windows.plans[i].instructions.end());
    const Conflicts found = find_conflicts(whole);
    EXPECT_EQ(found.races, std::vector<std::string>()) << "rank " << rank;
    EXPECT_GT(found.ordered, 5000u);
    EXPECT_GT(windows.hits(), 20u);
    plans.push_back(std::move(whole));
  }
  EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
}

// Short bodies: windows of one body first, then of several, each by the plan of one. What is launched is the same.
TEST(SessionWindows, OfSmallBodiesHoldSeveralOfThem) {
  Windows windows;
  np::Array x = np::arange(40.0);
  std::vector<std::size_t> after;  // windows so far, by iteration
  for (int i = 0; i < 90; ++i) {
    np::Array next = x * 0.5;
    next(slice(1, -1))[all] = next(slice(1, -1)) + x(slice(0, -2)) * 0.25 + static_cast<double>(i % 7);
    x = next;
    after.push_back(windows.plans.size());
  }
  windows.planning.session().flush();
  std::size_t launches = 0;
  for (const Plan& plan : windows.plans) launches += plan.count<Launch>();
  // Towards the end, a window has several bodies.
  EXPECT_LT(after[89] - after[59], 12u);
  EXPECT_LE(windows.plans.size(), 30u);
  EXPECT_GE(launches, 90u);
  EXPECT_LE(launches, 2 * 90u + 10);
}

TEST(SessionWindows, ThatBringDataAreNeverKept) {
  Windows windows;
  np::Array x = np::zeros({60});
  for (int i = 0; i < 20; ++i) {
    x += np::array(std::vector<double>(60, static_cast<double>(i)));
    windows.planning.session().flush();
  }
  EXPECT_EQ(windows.hits() + windows.misses(), 0u);
  EXPECT_EQ(windows.planning.session().plan_cache().entries, 0u);
}

// A loop of a session: the pass over w is made once, with the sum that is recorded after it.
TEST(SessionWindows, OfALoopThatReadsValuesComputeWhatWaitsWithItsReader) {
  Windows windows;
  np::Array r = np::ones({64, 64}), p = np::ones({64, 64}), w = np::zeros({64, 64});
  windows.planning.session().flush();
  std::vector<std::size_t> by_step;
  for (int step = 0; step < 8; ++step) {
    windows.plans.clear();
    w(slice(1, -1), all) = 4.0 * p(slice(1, -1), all) - p(slice(0, -2), all);
    const double rr = np::sum(r * r).item<double>();
    const double pw = np::sum(p(slice(1, -1), all) * w(slice(1, -1), all)).item<double>();
    p[all] = r + (rr + pw) * p;
    by_step.push_back(0);
    for (const Plan& plan : windows.plans) by_step.back() += plan.count<Launch>();
  }
  EXPECT_EQ(by_step.back() + 1, by_step[1]) << "p with r·r, w with p·w; at first w is by itself";
}

}  // namespace
}  // namespace pilum::scheduler
