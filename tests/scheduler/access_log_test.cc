#include "scheduler/memory/access_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace pilum::scheduler {
namespace {

constexpr InstructionId kNoneDone{0};

// Instructions by number; answers with what each must come after, sorted.
struct Log {
  std::vector<int> access(int by, const Rect& cells, bool write, InstructionId done = kNoneDone) {
    std::vector<InstructionId> after;
    if (write)
      log.write(cells, InstructionId{by}, done, after);
    else
      log.read(cells, InstructionId{by}, done, after);
    std::set<int> numbers;
    for (const InstructionId id : after) numbers.insert(static_cast<int>(id.value));
    return {numbers.begin(), numbers.end()};
  }
  std::vector<int> read(int by, std::int64_t lo, std::int64_t hi) { return access(by, Rect::of({lo}, {hi}), false); }
  std::vector<int> write(int by, std::int64_t lo, std::int64_t hi) { return access(by, Rect::of({lo}, {hi}), true); }
  AccessLog log;
};
using After = std::vector<int>;

TEST(AccessLog, AReadComesAfterTheWriteOfItsCells) {
  Log log;
  EXPECT_EQ(log.write(0, 0, 10), After{});
  EXPECT_EQ(log.read(1, 5, 15), (After{0}));
  EXPECT_EQ(log.read(2, 10, 15), After{});
}

TEST(AccessLog, ReadsDoNotWaitForReads) {
  Log log;
  EXPECT_EQ(log.read(0, 0, 10), After{});
  EXPECT_EQ(log.read(1, 0, 10), After{});
}

TEST(AccessLog, AWriteComesAfterReadsAndWrites) {
  Log log;
  log.write(0, 0, 5);
  log.write(1, 5, 10);
  log.read(2, 4, 6);
  EXPECT_EQ(log.write(3, 0, 10), (After{0, 1, 2}));
}

TEST(AccessLog, AWriteStandsForAllThatItCovers) {
  Log log;
  log.write(0, 2, 4);
  log.read(1, 3, 4);
  log.write(2, 0, 10);
  EXPECT_EQ(log.read(3, 0, 10), (After{2}));
}

// A stencil reads a border that it never writes: the log must not grow with the sweeps.
TEST(AccessLog, ALaterReadStandsForOlderOnesThatItComesAfter) {
  Log log;
  log.read(0, 0, 10);
  log.write(1, 1, 9);
  log.read(2, 0, 10);
  EXPECT_EQ(log.write(3, 0, 10), (After{1, 2}));
  log.write(4, 2, 3);
  log.read(5, 5, 6);  // not after 4
  EXPECT_EQ(log.write(6, 0, 10), (After{3, 4, 5}));
}

TEST(AccessLog, OfAnOlderAccessTheCellsNotOverwrittenStillCount) {
  Log log;
  log.write(0, 0, 10);
  log.write(1, 4, 6);
  EXPECT_EQ(log.read(2, 0, 4), (After{0}));
  EXPECT_EQ(log.read(3, 4, 6), (After{1}));
  EXPECT_EQ(log.read(4, 0, 10), (After{0, 1}));
}

TEST(AccessLog, AnInstructionDoesNotWaitForItself) {
  Log log;
  log.read(0, 0, 10);
  EXPECT_EQ(log.write(0, 0, 10), After{});
  EXPECT_EQ(log.read(1, 0, 10), (After{0}));
}

TEST(AccessLog, WhoGetsTheMemoryNextWaitsForAllFormerUsersWhateverItTouches) {
  Log log;
  log.write(0, 0, 10);
  log.read(1, 20, 30);
  log.log.clear_for_reuse(kNoneDone);
  EXPECT_EQ(log.read(2, 0, 1), (After{0, 1}));
  EXPECT_EQ(log.write(3, 100, 101), (After{0, 1}));
}

TEST(AccessLog, OfMemoryReusedAgainAndAgainOnlyTheLastUsersCount) {
  Log log;
  log.write(0, 0, 10);
  log.log.clear_for_reuse(kNoneDone);
  log.log.clear_for_reuse(kNoneDone);  // given out, and not touched
  EXPECT_EQ(log.write(1, 0, 10), (After{0}));
  log.read(2, 0, 10);
  log.log.clear_for_reuse(kNoneDone);
  EXPECT_EQ(log.write(3, 0, 10), (After{1, 2}));
}

TEST(AccessLog, ForgetsWhatIsDone) {
  Log log;
  log.write(0, 0, 10);
  log.write(1, 0, 5);
  EXPECT_EQ(log.access(2, Rect::of({0}, {10}), false, InstructionId{1}), (After{1}));
  EXPECT_FALSE(log.log.idle(InstructionId{2}));
  EXPECT_TRUE(log.log.idle(InstructionId{3}));
  log.log.clear_for_reuse(InstructionId{2});
  EXPECT_EQ(log.access(3, Rect::of({0}, {10}), true, InstructionId{2}), (After{2}));
}

TEST(AccessLog, HandedOverWhoComesLaterComesAfterTheOneThatCameAfterAll) {
  Log log;
  log.write(0, 0, 10);
  log.read(1, 20, 30);
  log.log.hand_over(InstructionId{5});
  EXPECT_EQ(log.read(6, 100, 101), (After{5}));
  EXPECT_EQ(log.write(7, 100, 101), (After{5, 6}));
  EXPECT_FALSE(log.log.idle(InstructionId{5}));
  EXPECT_TRUE(log.log.idle(InstructionId{8}));
}

TEST(AccessLog, AllWhoMayTouchTheBlockAreThoseOfNowAndOfBefore) {
  Log log;
  log.write(0, 0, 10);
  log.log.clear_for_reuse(kNoneDone);
  log.read(1, 0, 5);
  log.read(2, 5, 10);
  std::vector<InstructionId> all{InstructionId{99}};
  log.log.append_all(all);
  EXPECT_EQ(all, (std::vector<InstructionId>{{99}, {0}, {1}, {2}}));
  EXPECT_TRUE(AccessLog().idle(kNoneDone));
}

TEST(AccessLog, OfArraysWithoutAxesAndOfNoCells) {
  Log log;
  EXPECT_EQ(log.access(0, Rect{}, true), After{});
  EXPECT_EQ(log.access(1, Rect{}, false), (After{0})) << "one cell without a place is itself";
  Log line;
  line.write(0, 0, 10);
  EXPECT_EQ(line.read(1, 5, 5), After{});
}

// The oracle: each cell's last writer and the readers since. The log may name more than is needed, but whoever must
// come before is reached by the orders given so far.
TEST(AccessLog, OrdersEveryConflictOfRandomAccesses) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    Log log;
    constexpr int kCells = 6;
    struct Access {
      std::set<int> reads, writes;
    };
    std::vector<Access> accesses;
    std::vector<std::set<int>> before;  // transitively
    for (int by = 0; by < 60; ++by) {
      Access access;
      std::set<int> reached;
      for (int touches = 1 + pick(2); touches > 0; --touches) {
        Rect cells = Rect::of({pick(kCells), pick(kCells)}, {0, 0});
        for (std::size_t a : {0u, 1u}) cells.hi[a] = cells.lo[a] + 1 + pick(kCells - static_cast<int>(cells.lo[a]));
        const bool write = pick(3) == 0;
        for (std::int64_t i = cells.lo[0]; i < cells.hi[0]; ++i) {
          for (std::int64_t j = cells.lo[1]; j < cells.hi[1]; ++j)
            (write ? access.writes : access.reads).insert(static_cast<int>(i * kCells + j));
        }
        for (const int other : log.access(by, cells, write)) {
          reached.insert(other);
          reached.insert(before[static_cast<std::size_t>(other)].begin(),
                         before[static_cast<std::size_t>(other)].end());
        }
      }
      const auto meet = [](const std::set<int>& a, const std::set<int>& b) {
        return std::any_of(a.begin(), a.end(), [&b](int cell) { return b.contains(cell); });
      };
      for (int other = 0; other < by; ++other) {
        const Access& older = accesses[static_cast<std::size_t>(other)];
        if (meet(access.writes, older.writes) || meet(access.writes, older.reads) || meet(access.reads, older.writes)) {
          ASSERT_TRUE(reached.count(other)) << by << " is not ordered after " << other;
        }
      }
      accesses.push_back(access);
      before.push_back(reached);
    }
  }
}

}  // namespace
}  // namespace pilum::scheduler
