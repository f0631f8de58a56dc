// What a rank plans on machines of any shape, without hardware.
#include <gtest/gtest.h>

#include <algorithm>

#include <bit>
#include <set>

#include "tests/scheduler/plans.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;
using Bytes = std::map<int, std::vector<std::size_t>>;

// n x n points inside a grid of (n + 2) x (n + 2).
struct Jacobi {
  explicit Jacobi(std::int64_t n) : grid(np::zeros({n + 2, n + 2})) {
    grid(all, 0) = -273.15;
    grid(0, all) = 40.0;
  }
  np::Array at(std::int64_t row, std::int64_t column) {
    const auto bound = [](std::int64_t shift) -> slice::Bound {
      return shift < 1 ? slice::Bound(shift - 1) : slice::Bound();
    };
    return grid(slice(1 + row, bound(row)), slice(1 + column, bound(column)));
  }
  void five_points() {
    auto average = at(0, 0) + at(-1, 0) + at(0, 1) + at(0, -1) + at(1, 0);
    at(0, 0)[all] = 0.2 * average;
  }
  void nine_points() {
    auto average =
        at(0, 0) + at(-1, 0) + at(0, 1) + at(0, -1) + at(1, 0) + at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1);
    at(0, 0)[all] = average / 9.0;
  }
  np::Array grid;
};

// The plan of one sweep, when everything has settled.
Plan steady_sweep(const fakes::SimulatedRanks& machine, int rank, std::int64_t n,
                  void (Jacobi::*sweep)() = &Jacobi::five_points) {
  return std::move(plans_of(machine, rank, [&](const Cut& cut) {
    Jacobi jacobi(n);
    for (int i = 0; i < 3; ++i) (jacobi.*sweep)();
    cut();
    (jacobi.*sweep)();
    cut();
  })[1]);
}

// By number of ranks.
class PlanOnRanks : public testing::TestWithParam<int> {
 protected:
  int ranks() const { return GetParam(); }
  int neighbours(int rank) const { return (rank > 0) + (rank < ranks() - 1); }
  // Those that differ: the first, the last, and some between.
  std::vector<int> some_ranks() const {
    std::vector<int> some;
    for (int rank = 0; rank < ranks(); rank += ranks() > 7 ? 9 : 1) some.push_back(rank);
    return some;
  }
};

TEST_P(PlanOnRanks, ASweepIsOneLaunchAPieceAndOneMoreForEachHaloInFlight) {
  for (const int rank : some_ranks()) {
    const Plan plan = steady_sweep(machine_of(ranks()), rank, 700);
    EXPECT_EQ(plan.count<Launch>(), static_cast<std::size_t>(1 + neighbours(rank))) << "rank " << rank;
    EXPECT_EQ(edges(plan), neighbours(rank));
    std::int64_t points = 0;
    Region covered;
    for (const Launch* launch : plan.all<Launch>()) {
      points += launch->points.cells();
      covered += launch->points;
    }
    EXPECT_EQ(points, covered.cells());  // no point twice
    EXPECT_EQ(covered.rects().size(), 1u);
  }
}

TEST_P(PlanOnRanks, ASteadySweepCopiesAndAllocatesNothing) {
  for (const int rank : some_ranks()) {
    const Plan plan = steady_sweep(machine_of(ranks()), rank, 700);
    EXPECT_EQ(plan.count<Copy>(), 0u) << "rank " << rank;
    EXPECT_EQ(plan.count<Allocate>(), 0u) << "rank " << rank;
    EXPECT_EQ(plan.count<Free>(), 0u) << "rank " << rank;
  }
}

TEST_P(PlanOnRanks, ASweepSendsEachNeighbourOneMessageOfTheHalosBytes) {
  constexpr std::int64_t n = 700;
  for (const int rank : some_ranks()) {
    const Plan plan = steady_sweep(machine_of(ranks()), rank, n);
    Bytes expected;
    if (rank > 0) expected[rank - 1] = {8 * n};
    if (rank < ranks() - 1) expected[rank + 1] = {8 * n};
    EXPECT_EQ(sent(plan), expected) << "rank " << rank;
    EXPECT_EQ(received(plan), expected) << "rank " << rank;
  }
}

TEST_P(PlanOnRanks, TheInteriorDoesNotWaitForMessages) {
  for (const int rank : some_ranks()) {
    const Plan plan = steady_sweep(machine_of(ranks()), rank, 700);
    std::vector<bool> waits;  // by instruction: for a receive of this plan
    for (const Instruction& instruction : plan.instructions) {
      bool wait = std::holds_alternative<Receive>(instruction.what);
      for (const InstructionId before : instruction.after) {
        if (before >= plan.first) wait = wait || waits[static_cast<std::size_t>(before.value - plan.first.value)];
      }
      waits.push_back(wait);
      if (const auto* launch = std::get_if<Launch>(&instruction.what)) {
        EXPECT_EQ(wait, launch->boundary) << "rank " << rank;
      }
    }
  }
}

TEST_P(PlanOnRanks, AStencilGoesBackAndForthBetweenTwoInstances) {
  const std::vector<Plan> plans = plans_of(machine_of(ranks()), ranks() / 2, [&](const Cut& cut) {
    Jacobi jacobi(700);
    jacobi.five_points();
    jacobi.five_points();
    for (int i = 0; i < 4; ++i) {
      cut();
      jacobi.five_points();
    }
    cut();
  });
  const auto written = [&](std::size_t plan) { return plans[plan].all<Launch>()[0]->arrays.back().base; };
  const auto read = [&](std::size_t plan) { return plans[plan].all<Launch>()[0]->arrays.front().base; };
  EXPECT_NE(written(1), written(2));
  EXPECT_EQ(written(1), written(3));
  EXPECT_EQ(written(2), written(4));
  EXPECT_EQ(read(2), written(1));
  EXPECT_EQ(read(3), written(2));
}

TEST_P(PlanOnRanks, HalosThatNobodyOverwroteAreNotSentAgain) {
  for (const int rank : some_ranks()) {
    const std::vector<Plan> plans = plans_of(machine_of(ranks()), rank, [&](const Cut& cut) {
      np::Array x = np::zeros(7000), y = np::zeros(7000);
      for (int i = 0; i < 3; ++i) {
        y(slice(1, -1)) = x(slice(0, -2)) + x(slice(2, {}));
        cut();
      }
    });
    EXPECT_EQ(plans[0].count<Send>() + plans[0].count<Receive>() > 0, ranks() > 1);
    EXPECT_EQ(plans[1].count<Send>() + plans[2].count<Receive>(), 0u);
  }
}

TEST_P(PlanOnRanks, ElementwiseWorkSendsNothing) {
  for (const int rank : some_ranks()) {
    const std::vector<Plan> plans = plans_of(machine_of(ranks()), rank, [&](const Cut& cut) {
      np::Array x = np::zeros({700, 5}), y = np::ones({700, 5});
      cut();
      x[all] = 2.0 * x + y;
      cut();
    });
    EXPECT_EQ(plans[1].count<Send>() + plans[1].count<Receive>() + plans[1].count<Copy>() + plans[1].count<Allocate>(),
              0u);
    EXPECT_EQ(plans[1].count<Launch>(), 1u);
  }
}

TEST_P(PlanOnRanks, OddCellsFromEvenOnesCostWhatTheyTouch) {
  for (const int rank : some_ranks()) {
    const std::vector<Plan> plans = plans_of(machine_of(ranks()), rank, [&](const Cut& cut) {
      np::Array x = np::zeros(7000);
      x += 1.0;
      cut();
      for (int i = 0; i < 3; ++i) {  // at first, a tile may have to make room for its neighbour's cell
        x(slice(1, {}, 2)) = x(slice(0, {}, 2));
        cut();
      }
    });
    for (std::size_t i : {2u, 3u}) {
      EXPECT_LE(copied_bytes(plans[i]), 16) << "rank " << rank << ", time " << i;  // a cell at a tile's edge, at most
      EXPECT_LE(allocated_bytes(plans[i]), 64) << "rank " << rank << ", time " << i;
      for (const auto& [peer, messages] : sent(plans[i])) EXPECT_EQ(messages, (std::vector<std::size_t>{8}));
    }
  }
}

TEST_P(PlanOnRanks, ARecurrenceOverCellsCostsWhatItTouches) {
  constexpr std::int64_t steps = 100;  // with more of them the array comes together (gathered_machines_test.cc)
  const auto depth = static_cast<std::int64_t>(std::bit_width(static_cast<unsigned>(ranks() - 1)));
  for (const int rank : some_ranks()) {
    const std::vector<Plan> plans = plans_of(machine_of(ranks()), rank, [&](const Cut& cut) {
      np::Array u = np::ones(100000);
      u(slice(1, {})) = u(slice(0, -1)) + 1.0;
      cut();
      for (int i = 1; i <= steps; ++i) u(i) = u(i - 1) * 0.5 + 1.0;
      cut();
    });
    // f(u[i - 1]) is small, so every rank has it: a tree of 8-byte messages a step.
    EXPECT_LE(static_cast<std::int64_t>(plans[1].count<Send>()), depth * steps) << "rank " << rank;
    EXPECT_LE(static_cast<std::int64_t>(plans[1].count<Receive>()), steps) << "rank " << rank;
    EXPECT_LE(static_cast<std::int64_t>(plans[1].count<Launch>()), 3 * steps) << "rank " << rank;
    EXPECT_LE(copied_bytes(plans[1]), 4 * 8 * steps) << "rank " << rank;
    EXPECT_LE(allocated_bytes(plans[1]), 8 * 8 * steps) << "rank " << rank;
    if (ranks() == 1) {
      EXPECT_EQ(plans[1].count<Copy>(), 0u);
    }
  }
}

TEST_P(PlanOnRanks, ShiftingAnArrayByAFarDistanceSendsOnlyWhatCrosses) {
  constexpr std::int64_t cells = 6400;
  std::int64_t crossed = 0;
  for (int rank = 0; rank < ranks(); ++rank) {
    const std::vector<Plan> plans = plans_of(machine_of(ranks()), rank, [&](const Cut& cut) {
      np::Array x = np::zeros(cells);
      x += 1.0;
      cut();
      x(slice(40, {})) = x(slice(0, -40));
      cut();
    });
    for (const auto& [peer, messages] : sent(plans[1])) {
      EXPECT_EQ(peer, rank + 1);
      crossed += static_cast<std::int64_t>(messages.front());
    }
  }
  EXPECT_EQ(crossed, 40 * 8 * (ranks() - 1));
}

TEST_P(PlanOnRanks, ReadingOneCellIsATreeOfMessages) {
  const int depth = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks() - 1)));
  std::size_t sends = 0, receives = 0;
  for (int rank = 0; rank < ranks(); ++rank) {
    const std::vector<Plan> plans = plans_of(machine_of(ranks()), rank, [&](const Cut& cut) {
      np::Array x = np::zeros(7000);
      x += 1.0;
      cut();
      (void)x(6789).item<double>();
      cut();
    });
    EXPECT_LE(plans[1].count<Send>(), static_cast<std::size_t>(depth)) << "rank " << rank;
    EXPECT_LE(plans[1].count<Receive>(), 1u) << "rank " << rank;
    for (const auto& [peer, messages] : sent(plans[1])) EXPECT_EQ(messages, (std::vector<std::size_t>{8}));
    EXPECT_LE(allocated_bytes(plans[1]), 1000) << "rank " << rank;
    sends += plans[1].count<Send>();
    receives += plans[1].count<Receive>();
  }
  EXPECT_EQ(sends, static_cast<std::size_t>(ranks() - 1));
  EXPECT_EQ(receives, sends);
}

TEST_P(PlanOnRanks, ASumGoesUpATreeAndDownAgain) {
  const int depth = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks() - 1)));
  std::size_t sends = 0;
  for (int rank = 0; rank < ranks(); ++rank) {
    const std::vector<Plan> plans = plans_of(machine_of(ranks()), rank, [&](const Cut& cut) {
      np::Array x = np::zeros(7000), y = np::zeros(7000);
      x += 1.0;
      y += 1.0;
      cut();
      np::Array dot = np::sum(x * y);
      cut();
      np::Array scaled = x / dot;
      cut();
    });
    EXPECT_EQ(plans[1].count<Launch>(), 1u);
    EXPECT_LE(plans[1].count<Send>(), static_cast<std::size_t>(depth + 1)) << "rank " << rank;
    for (const auto& [peer, messages] : sent(plans[1])) EXPECT_EQ(messages, (std::vector<std::size_t>{8}));
    sends += plans[1].count<Send>();
    EXPECT_EQ(plans[2].count<Send>() + plans[2].count<Receive>(), 0u);  // every rank has the sum
  }
  EXPECT_EQ(sends, static_cast<std::size_t>(2 * (ranks() - 1)));
}

TEST_P(PlanOnRanks, RowSumsStayWhereTheRowsAre) {
  for (const int rank : some_ranks()) {
    const std::vector<Plan> plans = plans_of(machine_of(ranks()), rank, [&](const Cut& cut) {
      np::Array x = np::zeros({700, 30});
      x += 1.0;
      cut();
      np::Array rows = np::sum(x, 1);
      cut();
    });
    EXPECT_EQ(plans[1].count<Send>() + plans[1].count<Receive>(), 0u);
    EXPECT_EQ(plans[1].count<Launch>(), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, PlanOnRanks, testing::Values(1, 2, 3, 7, 64));

// By number of processors of one rank.
class PlanOnProcessors : public testing::TestWithParam<int> {};

TEST_P(PlanOnProcessors, ASweepIsOneLaunchAProcessorAndCopiesTheHalos) {
  constexpr std::int64_t n = 700;
  const Plan plan = steady_sweep(machine_of(1, GetParam()), 0, n);
  EXPECT_EQ(plan.count<Launch>(), static_cast<std::size_t>(GetParam()));
  EXPECT_EQ(edges(plan), 0);
  EXPECT_EQ(plan.count<Send>() + plan.count<Receive>(), 0u);
  EXPECT_EQ(copied_bytes(plan), std::int64_t{16} * (GetParam() - 1) * n);
  EXPECT_EQ(plan.count<Copy>(), static_cast<std::size_t>(2 * (GetParam() - 1)));
  EXPECT_EQ(plan.count<Allocate>(), 0u);
  std::vector<int> launches(static_cast<std::size_t>(GetParam()), 0);
  for (const Instruction& instruction : plan.instructions) {
    if (std::holds_alternative<Launch>(instruction.what)) ++launches[static_cast<std::size_t>(instruction.processor)];
  }
  EXPECT_EQ(launches, std::vector<int>(static_cast<std::size_t>(GetParam()), 1));
}

TEST_P(PlanOnProcessors, ASumIsFoldedInTheOrderOfTheProcessors) {
  const std::vector<Plan> plans = plans_of(machine_of(1, GetParam()), 0, [&](const Cut& cut) {
    np::Array x = np::zeros(7000);
    x += 1.0;
    cut();
    np::Array sum = np::sum(x);
    cut();
  });
  EXPECT_EQ(plans[1].count<Launch>(), static_cast<std::size_t>(GetParam()));
  if (GetParam() == 1) return;
  std::vector<int> order;
  for (const Instruction& instruction : plans[1].instructions) {
    const auto* fold = std::get_if<FoldParts>(&instruction.what);
    if (fold && fold->part_count > 0) order.push_back(instruction.processor);
  }
  ASSERT_EQ(order.size(), static_cast<std::size_t>(GetParam()));
  for (int p = 0; p < GetParam(); ++p) EXPECT_EQ(order[static_cast<std::size_t>(p)], p);
}

INSTANTIATE_TEST_SUITE_P(Processors, PlanOnProcessors, testing::Values(1, 2, 3, 7, 64));

// 8 x 8 ranks; rank 27 is in the middle.
constexpr int kMiddle = 27;

TEST(PlanOnAGrid, AFivePointStencilSendsNoCorners) {
  const Plan plan = steady_sweep(machine_of(64), kMiddle, 16382);
  const Bytes expected{
      {kMiddle - 8, {2048 * 8}}, {kMiddle - 1, {2048 * 8}}, {kMiddle + 1, {2048 * 8}}, {kMiddle + 8, {2048 * 8}}};
  EXPECT_EQ(sent(plan), expected);
  EXPECT_EQ(received(plan), expected);
  EXPECT_EQ(plan.count<Launch>(), 5u);
}

TEST(PlanOnAGrid, ANinePointStencilSendsThem) {
  const Plan plan = steady_sweep(machine_of(64), kMiddle, 16382, &Jacobi::nine_points);
  const Bytes expected{{kMiddle - 9, {8}},        {kMiddle - 8, {2048 * 8}}, {kMiddle - 7, {8}},
                       {kMiddle - 1, {2048 * 8}}, {kMiddle + 1, {2048 * 8}}, {kMiddle + 7, {8}},
                       {kMiddle + 8, {2048 * 8}}, {kMiddle + 9, {8}}};
  EXPECT_EQ(sent(plan), expected);
  EXPECT_EQ(received(plan), expected);
}

TEST(PlanOnAGrid, OnlyHalosOfColumnsArePacked) {
  const Plan plan = steady_sweep(machine_of(64), kMiddle, 16382);
  EXPECT_EQ(plan.count<Copy>(), 4u);  // out and in, left and right
  EXPECT_EQ(copied_bytes(plan), 4 * 2048 * 8);
}

TEST(PlanOnAGrid, SteadySweepsTakeNoMemoryFromTheSystem) {
  for (const int rank : {0, 7, kMiddle, 63}) {
    fakes::PlanningSession session(machine_of(64), rank);
    Jacobi jacobi(16382);
    std::vector<long> allocations;
    for (int i = 0; i < 8; ++i) {
      jacobi.five_points();
      (void)session.take_plan();
      allocations.push_back(session.session().memory().allocations());
    }
    EXPECT_EQ(allocations[7], allocations[2]) << "rank " << rank;
  }
}

struct SweepCost {
  std::size_t instructions;
  std::int64_t after;
  bool operator==(const SweepCost&) const = default;
};
std::ostream& operator<<(std::ostream& out, const SweepCost& cost) {
  return out << cost.instructions << " instructions after " << cost.after;
}
SweepCost sweep_cost(const Plan& plan) {
  SweepCost cost{plan.instructions.size(), 0};
  for (const Instruction& instruction : plan.instructions)
    cost.after += static_cast<std::int64_t>(instruction.after.size());
  return cost;
}

TEST(PlanningCost, OfALineIsTheSameFor4And4096Ranks) {
  const auto cost = [](int ranks) {
    return sweep_cost(plans_of(machine_of(ranks), ranks / 2, [&](const Cut& cut) {
      np::Array x = np::zeros(1000 * ranks);
      const auto sweep = [&] { x(slice(1, -1)) = 0.5 * (x(slice(0, -2)) + x(slice(2, {}))); };
      for (int i = 0; i < 3; ++i) sweep();
      cut();
      for (int i = 0; i < 10; ++i) sweep();
      cut();
    })[1]);
  };
  EXPECT_EQ(cost(4), cost(4096));
  EXPECT_GE(cost(4).instructions, 10u * (2 + 2 + 3));
}

TEST(PlanningCost, OfAGridIsTheSameFor64And4096Ranks) {
  const SweepCost small = sweep_cost(steady_sweep(machine_of(64), kMiddle, 16382));
  const SweepCost large = sweep_cost(steady_sweep(machine_of(4096), 64 * 31 + 31, 131070));
  EXPECT_EQ(small, large);
}

TEST(PlanningCost, OfMemoryReusedManyTimesDoesNotGrow) {
  const auto cost = [](int steps) {
    return sweep_cost(plans_of(machine_of(4), 1,
                               [&](const Cut& cut) {
                                 np::Array u = np::ones(100000);
                                 cut();
                                 for (int i = 1; i <= steps; ++i) u(i) = u(i - 1) * 0.5 + 1.0;
                                 cut();
                               })[1])
        .after;
  };
  EXPECT_LE(cost(160), 3 * cost(80));
}

TEST(PlanningCost, OfASumGrowsWithTheLogarithmOfTheRanks) {
  const auto cost = [](int ranks) {
    return sweep_cost(plans_of(machine_of(ranks), 0, [&](const Cut& cut) {
      np::Array x = np::zeros(1000 * ranks);
      x += 1.0;
      cut();
      np::Array sum = np::sum(x);
      cut();
    })[1]);
  };
  const std::size_t a_step = (cost(16).instructions - cost(4).instructions) / 2;
  EXPECT_EQ(cost(4096).instructions, cost(4).instructions + 10 * a_step);
}

// A row of the other rank's that lies beside what this one has, or near it, is one row: nothing else is copied.
TEST(PlanOfARow, OfAnotherRankMovesThatRowAlone) {
  constexpr std::int64_t kRows = 64, kColumns = 4096;
  const std::vector<Plan> plans = plans_of(machine_of(2), 0, [&](const Cut& cut) {
    np::Array d = np::ones({kRows, kColumns});
    cut();
    for (std::int64_t k = kRows / 2; k < kRows / 2 + 6; ++k) {
      d = np::minimum(d, d + np::expand_dims(d(k), 0));
      cut();
    }
  });
  ASSERT_EQ(plans.size(), 7u);
  for (std::size_t p = 1; p < plans.size(); ++p) {
    EXPECT_EQ(plans[p].count<Receive>(), 1u) << p;
    EXPECT_LE(copied_bytes(plans[p]), kColumns * 8) << p;
  }
}

// On GPUs every halo is a copy that the interior need not wait for, between GPUs of one rank too.
TEST(GpuPlans, ASweepIsALaunchAGpuAndALaunchAndACopyForEachHalo) {
  for (const int gpus : {1, 2, 4}) {
    fakes::SimulatedRanks machine = machine_of(1, gpus);
    machine.gpus = true;
    const Plan plan = steady_sweep(machine, 0, 700);
    const auto halos = static_cast<std::size_t>(2 * (gpus - 1));
    EXPECT_EQ(plan.count<Launch>(), static_cast<std::size_t>(gpus) + halos) << gpus << " GPUs";
    EXPECT_EQ(plan.count<Copy>(), halos);
    EXPECT_EQ(plan.count<Send>() + plan.count<Receive>() + plan.count<Allocate>() + plan.count<HostCall>(), 0u);
    for (const Launch* launch : plan.all<Launch>()) {
      ASSERT_TRUE(launch->kernel()->device);
      EXPECT_EQ(launch->kernel()->device->vector, 2);  // float64: 16 bytes
      EXPECT_FALSE(launch->kernel()->device->wide);
    }
  }
}

TEST(GpuPlans, RanksThatShareMemorySendWhatLiesOnTheGpu) {
  for (const bool share : {false, true}) {
    fakes::SimulatedRanks machine = machine_of(3);
    machine.gpus = true;
    machine.share = share;
    machine.mail_bytes = 0;
    const Plan plan = steady_sweep(machine, 1, 700);
    EXPECT_EQ(plan.count<Send>(), 2u);
    EXPECT_EQ(plan.count<Receive>(), 2u);
    EXPECT_EQ(plan.count<Copy>(), 4u);  // a halo is packed on one side and unpacked on the other
    for (const Send* send : plan.all<Send>()) {
      EXPECT_EQ(send->shared, share);
      EXPECT_EQ(send->bytes, 700 * sizeof(double));
    }
  }
}

// With mail they need no host: the cells are put into the other one's box, and a flag tells that they are there.
TEST(GpuPlans, RanksThatHaveMailPutCellsWhereTheOtherFindsThem) {
  fakes::SimulatedRanks machine = machine_of(3);
  machine.gpus = machine.share = true;
  const Plan plan = steady_sweep(machine, 1, 700);
  EXPECT_EQ(plan.count<Send>(), 2u);
  EXPECT_EQ(plan.count<Receive>(), 2u);
  EXPECT_EQ(plan.count<Copy>(), 4u);
  EXPECT_EQ(plan.count<Allocate>(), 0u);
  int told = 0, heard = 0;
  for (const Instruction& instruction : plan.instructions) {
    EXPECT_TRUE(runs_on_gpu(instruction) || std::holds_alternative<Free>(instruction.what));
    if (const auto* taken = std::get_if<Taken>(&instruction.what)) (taken->waits ? heard : told) += 1;
  }
  EXPECT_EQ(told, 2);
  EXPECT_EQ(heard, 2);
  for (const Send* send : plan.all<Send>()) {
    EXPECT_FALSE(send->shared);
    EXPECT_EQ(send->bytes, 700 * sizeof(double));
  }
  std::set<const std::byte*> flags;
  for (const Send* send : plan.all<Send>()) flags.insert(send->flag);
  for (const Receive* receive : plan.all<Receive>()) flags.insert(receive->flag);
  for (const Taken* taken : plan.all<Taken>()) flags.insert(taken->flag);
  EXPECT_EQ(flags.size(), 8u);
}

TEST(GpuPlans, ALargeMessageThroughTheHostGoesInPiecesThatFlyApart) {
  fakes::SimulatedRanks machine = machine_of(3);
  machine.gpus = true;
  machine.message_bytes = 100 * sizeof(double);
  const Plan plan = steady_sweep(machine, 1, 750);
  const std::vector<std::size_t> halo{800, 800, 800, 800, 800, 800, 800, 400};
  EXPECT_EQ(sent(plan), (Bytes{{0, halo}, {2, halo}}));
  EXPECT_EQ(received(plan), sent(plan));
  // Each waits for a copy of its own.
  std::set<InstructionId> before;
  for (const Instruction& instruction : plan.instructions) {
    if (!std::holds_alternative<Send>(instruction.what)) continue;
    for (const InstructionId id : instruction.after) {
      const auto place = static_cast<std::size_t>(id.value - plan.first.value);
      if (id >= plan.first && std::holds_alternative<Copy>(plan.instructions[place].what)) before.insert(id);
    }
  }
  EXPECT_EQ(before.size(), 16u);
  // Where messages take GPUs' memory, they go whole.
  machine.messages_from_gpus = true;
  EXPECT_EQ(sent(steady_sweep(machine, 1, 750)), (Bytes{{0, {6000}}, {2, {6000}}}));
}

}  // namespace
}  // namespace pilum::scheduler
