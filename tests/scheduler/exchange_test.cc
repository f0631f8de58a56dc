// Which cells travel between which processors, and what both sides know of it afterwards.
#include "scheduler/plan/exchange.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "pilum/pilum.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;
// Two arrays of 60 cells that are cut alike, into runs of as many cells.
struct Pair {
  explicit Pair(PlannedRank& planned, std::int64_t cells = 60) : x(np::ones({cells})), y(np::zeros({cells})) {
    y += x;
    (void)planned.plan();
  }
  np::Array x, y;
};

// Plans of all ranks for what is done with both, the second time, when there is room for it, and x has other values.
using Use = std::function<void(const np::Array& x, np::Array& y)>;
std::vector<Plan> plans_of_use(const PlannedMachine& machine, const Use& use) {
  return on_all_ranks(machine, [&](PlannedRank& planned) {
    Pair pair(planned);
    use(pair.x, pair.y);
    (void)planned.plan();
    pair.x += 1.0;
    (void)planned.plan();
    use(pair.x, pair.y);
    return planned.plan();
  });
}

TEST(Exchange, ReadingWhereTheCellsAreMovesNothing) {
  for (const PlannedMachine& machine :
       {PlannedMachine{.ranks = 3}, PlannedMachine{.ranks = 2, .processors = 3}, PlannedMachine{.ranks = 5}}) {
    for (const Plan& plan : plans_of_use(machine, [](const np::Array& x, np::Array& y) { y(all) = 2.0 * x; }))
      EXPECT_EQ(plan.count<Send>() + plan.count<Receive>() + plan.count<Copy>(), 0u);
  }
}

// An array of 60 cells, of which each of so many processors owns a run: who sends how much for a view of it.
struct Shift {
  const char* name;
  PlannedMachine machine;
  Use use;
  BytesByRanks bytes;
};
void PrintTo(const Shift& shift, std::ostream* out) {
  *out << shift.name;
}
class ShiftedReads : public testing::TestWithParam<Shift> {};

TEST_P(ShiftedReads, SendWhatCrossesAndNothingElse) {
  const std::vector<Plan> plans = plans_of_use(GetParam().machine, GetParam().use);
  EXPECT_EQ(bytes_by_ranks(plans), GetParam().bytes);
  EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
  for (const Plan& plan : plans) EXPECT_EQ(find_conflicts(plan).races, std::vector<std::string>());
}

Use from_left(std::int64_t by) {
  return [by](const np::Array& x, np::Array& y) { y(slice(by, {})) = x(slice(0, -by)); };
}
void three_points(const np::Array& x, np::Array& y) {
  y(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
}
void reversed(const np::Array& x, np::Array& y) {
  y(all) = x(slice({}, {}, -1));
}

INSTANTIATE_TEST_SUITE_P(
    Views, ShiftedReads,
    testing::Values(
        Shift{"ByOne", {.ranks = 3}, from_left(1), {{{0, 1}, 8}, {{1, 2}, 8}}},
        Shift{"ByATileAndAHalf",  // 20 cells each
              {.ranks = 3},
              from_left(30),
              {{{0, 1}, 80}, {{0, 2}, 80}, {{1, 2}, 80}}},
        Shift{"ByOneOfTwoProcessorsEach",  // between processors of a rank it is a copy
              {.ranks = 2, .processors = 2},
              from_left(1),
              {{{0, 1}, 8}}},
        Shift{"ThreePoints", {.ranks = 3}, three_points, {{{0, 1}, 8}, {{1, 0}, 8}, {{1, 2}, 8}, {{2, 1}, 8}}},
        Shift{"Reversed", {.ranks = 3}, reversed, {{{0, 2}, 160}, {{2, 0}, 160}}},
        Shift{"ReversedOnFive", {.ranks = 5}, reversed, {{{0, 4}, 96}, {{1, 3}, 96}, {{3, 1}, 96}, {{4, 0}, 96}}},
        Shift{"OnGpus", {.ranks = 3, .gpus = true}, three_points, {{{0, 1}, 8}, {{1, 0}, 8}, {{1, 2}, 8}, {{2, 1}, 8}}},
        Shift{"OnGpusThatShare", {.ranks = 3, .gpus = true, .share = true}, reversed, {{{0, 2}, 160}, {{2, 0}, 160}}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Exchange, ATransposeSendsEachPairItsBlock) {
  const std::vector<Plan> plans = on_all_ranks({.ranks = 3}, [](PlannedRank& planned) {
    np::Array a = np::ones({30, 6}), b = np::zeros({30, 6});
    a(all, 0) = 2.0;
    b(all, 0) = 2.0;
    (void)planned.plan();
    b(slice(0, 6), all) = a(slice(0, 6), all).T();
    b(slice(24, 30), all) = a(slice(0, 6), all).T();
    return planned.plan();
  });
  EXPECT_EQ(bytes_by_ranks(plans), (BytesByRanks{{{0, 2}, 6 * 6 * 8}}));
  EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
}

TEST(Exchange, HalosAreKeptUntilTheirOwnerWritesThem) {
  const auto windows = on_all_ranks({.ranks = 3}, [](PlannedRank& planned) {
    auto [x, y] = Pair(planned);
    std::vector<Plan> plans(1);
    const auto add = [&] { plans.push_back(planned.plan()); };
    const auto read = [&x, &y] { three_points(x, y); };
    read(), add();
    read(), add();          // nothing new
    x(slice(0, 20)) = 3.0;  // all of rank 0's
    add();
    read(), add();          // its last cell again
    x(slice(5, 15)) = 4.0;  // cells that nobody else has
    read(), add();
    return plans;
  });
  const auto total = [&](std::size_t window) {
    BytesByRanks all;
    std::vector<Plan> plans;
    for (const auto& rank : windows) plans.push_back(rank[window]);
    EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
    return bytes_by_ranks(plans);
  };
  EXPECT_EQ(total(1), (BytesByRanks{{{0, 1}, 8}, {{1, 0}, 8}, {{1, 2}, 8}, {{2, 1}, 8}}));
  EXPECT_EQ(total(2), BytesByRanks{});
  EXPECT_EQ(total(3), BytesByRanks{});
  EXPECT_EQ(total(4), (BytesByRanks{{{0, 1}, 8}}));
  EXPECT_EQ(total(5), BytesByRanks{});
}

// Of the read that makes room for its halo, on the way.
TEST(Exchange, AReceiversMemoryIsThereBeforeTheFirstMessage) {
  const std::vector<Plan> plans = on_all_ranks({.ranks = 3}, [](PlannedRank& planned) {
    Pair pair(planned);
    three_points(pair.x, pair.y);
    return planned.plan();
  });
  for (const Plan& plan : plans) {
    std::size_t allocated = 0;
    for (const Instruction& instruction : plan.instructions) {
      if (std::holds_alternative<Send>(instruction.what) || std::holds_alternative<Receive>(instruction.what)) break;
      allocated += std::holds_alternative<Allocate>(instruction.what);
    }
    EXPECT_EQ(allocated, plan.count<Allocate>());
    EXPECT_EQ(allocated, 1u);
  }
}

TEST(Exchange, GpusThatDoNotReachEachOtherGoThroughTheHost) {
  for (const bool peers : {true, false}) {
    const std::vector<Plan> plans = plans_of_use({.processors = 2, .gpus = true, .peers = peers}, from_left(7));
    std::vector<std::pair<int, std::int64_t>> copies;  // by whom
    for (const Instruction& instruction : plans[0].instructions)
      if (const auto* copy = std::get_if<Copy>(&instruction.what))
        copies.emplace_back(instruction.processor, copy->bytes());
    if (peers) {
      EXPECT_EQ(copies, (std::vector<std::pair<int, std::int64_t>>{{1, 56}}));
    } else {
      EXPECT_EQ(copies, (std::vector<std::pair<int, std::int64_t>>{{0, 56}, {1, 56}}));
    }
    EXPECT_EQ(find_conflicts(plans[0]).races, std::vector<std::string>());
  }
}

// A replicated result: everybody gets all of x, down a tree from each owner.
TEST(Exchange, WhatEverybodyWantsGoesDownTreesAndStaysKnown) {
  for (const int ranks : {1, 2, 3, 5, 64}) {
    const auto windows = on_all_ranks({.ranks = ranks}, [](PlannedRank& planned) {
      np::Array x = np::ones({640});
      (void)planned.plan();
      std::vector<Plan> plans;
      const auto gather = [&] {
        np::Array copy = np::empty({640});
        PlannedRank::store_of(copy).replicate = true;
        copy(all) = x;
        plans.push_back(planned.plan());
      };
      gather();
      if (planned.machine().ranks > 1) {
        EXPECT_EQ(PlannedRank::state_of(x).everywhere, Region(Rect::of({0}, {640})));
      }
      gather();
      x(slice(0, 3)) = 2.0;
      gather();
      return plans;
    });
    for (std::size_t window = 0; window < 3; ++window) {
      std::vector<Plan> plans;
      std::size_t messages = 0;
      std::int64_t bytes = 0;
      for (const auto& rank : windows) {
        plans.push_back(rank[window]);
        messages += rank[window].count<Send>();
        // At most one for each owner comes, and a logarithm of the ranks goes for each.
        EXPECT_LE(rank[window].count<Receive>(), static_cast<std::size_t>(ranks));
        for (const Send* send : rank[window].all<Send>()) bytes += static_cast<std::int64_t>(send->bytes);
      }
      EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
      const std::int64_t cells = std::array{640, 0, 3}[window];
      EXPECT_EQ(bytes, cells * 8 * (ranks - 1)) << ranks << " ranks, window " << window;
      const std::size_t owners = window == 0 ? static_cast<std::size_t>(ranks) : window == 2 ? 1 : 0;
      EXPECT_EQ(messages, owners * static_cast<std::size_t>(ranks - 1));
    }
  }
}

// By the host these were 6 GB/s: a V-cycle of multigrid on two ranks of a GPU took seven times as long as on one.
TEST(Exchange, WhatAllGpusWantGoesFromMemoryToMemory) {
  for (const auto& [ranks, gpus] : {std::pair{1, 2}, {1, 3}, {2, 1}, {3, 2}, {5, 1}}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks of " << gpus << " GPUs");
    const auto plans =
        on_all_ranks({.ranks = ranks, .processors = gpus, .gpus = true, .share = true}, [](auto& planned) {
          np::Array x = np::ones({660});
          (void)planned.plan();
          np::Array copy = np::empty({660});
          PlannedRank::store_of(copy).replicate = true;
          copy(all) = x;
          Plan plan = planned.plan();
          EXPECT_EQ(PlannedRank::state_of(x).everywhere, Region(Rect::of({0}, {660})));
          EXPECT_EQ(find_conflicts(plan).races, std::vector<std::string>());
          return plan;
        });
    EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
    std::int64_t sent = 0, copied = 0;
    for (const Plan& plan : plans) {
      for (const Send* send : plan.all<Send>()) {
        EXPECT_TRUE(send->shared);
        sent += static_cast<std::int64_t>(send->bytes);
      }
      for (const Copy* copy : plan.all<Copy>()) copied += copy->bytes();
    }
    constexpr std::int64_t kBytes = std::int64_t{660} * 8;
    EXPECT_EQ(sent, kBytes * (ranks - 1));
    // Messages are packed and unpacked; within a rank each GPU copies what the others have, and its own to the rest.
    EXPECT_EQ(copied, 2 * sent + kBytes * ranks * (gpus - 1) + kBytes);
  }
}

TEST(Exchange, OneOf4096RanksTalksToItsNeighboursAlone) {
  PlannedRank planned({.ranks = 4096}, 2048);
  auto [x, y] = Pair(planned, 4096 * 10);
  three_points(x, y);
  const Plan plan = planned.plan();
  std::vector<int> peers;
  for (const Send* send : plan.all<Send>()) peers.push_back(send->to);
  EXPECT_EQ(peers, (std::vector<int>{2047, 2049}));
  EXPECT_EQ(PlannedRank::local(x).peers.size(), 2u);
  EXPECT_EQ(PlannedRank::local(x).ghosts.cells(), 2);
}

}  // namespace
}  // namespace pilum::scheduler
