#include "scheduler/analyze/period.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "pilum/pilum.h"
#include "tests/scheduler/seeds.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

class BodyOf : public testing::TestWithParam<std::size_t> {};

TEST_P(BodyOf, SoManyOperationsIsKnownOnceItHasBeenSeenTwice) {
  const std::size_t length = GetParam();
  PeriodFinder finder;
  for (std::size_t i = 0; i < 17; ++i) finder.add(1000000 + i);  // what came before
  for (std::size_t i = 0; i < 5 * length; ++i) {
    finder.add(1 + i % length);
    ASSERT_EQ(finder.period(), i + 1 >= 2 * length ? length : 0) << "after operation " << i;
  }
  finder.add(7777777);
  EXPECT_EQ(finder.period(), 0u) << "the loop has ended";
  EXPECT_EQ(finder.count(), 17 + 5 * length + 2);
}

INSTANTIATE_TEST_SUITE_P(Lengths, BodyOf, testing::Values(1, 2, 3, 10, 64, 127, 255, PeriodFinder::kLongest));

TEST(PeriodFinder, ALongerBodyIsNone) {
  PeriodFinder finder;
  for (std::size_t i = 0; i < 5000; ++i) {
    finder.add(1 + i % (PeriodFinder::kLongest + 1));
    ASSERT_EQ(finder.period(), 0u);
  }
}

// Where a hash was last is kept in few slots: two hashes of one slot must not make each other forgotten.
TEST(PeriodFinder, TwoOperationsWhoseHashesShareASlotAreALoopToo) {
  PeriodFinder finder;
  for (std::uint64_t i = 0; i < 12; ++i) finder.add(1 + (1 + i % 2) * 65536);
  EXPECT_EQ(finder.period(), 2u);
}

// for …: for …: a; b
TEST(PeriodFinder, OfALoopInALoopTheInnerOneIsFoundWhileItRuns) {
  PeriodFinder finder;
  for (int outer = 0; outer < 3; ++outer) {
    finder.add(100 + static_cast<std::uint64_t>(outer));
    for (std::uint64_t i = 0; i < 12; ++i) finder.add(i % 3);
    EXPECT_EQ(finder.period(), 3u);
  }
}

// for …: (for …: 48 operations); one
TEST(PeriodFinder, OfALoopThatIsMostOfALongOnesBodyTheInnerOneIsFound) {
  PeriodFinder finder;
  for (int outer = 0; outer < 6; ++outer) {
    finder.add(1000);
    for (std::uint64_t i = 0; i < 10 * 48; ++i) {
      finder.add(1 + i % 48);
      ASSERT_EQ(finder.period(), i >= 2 * 48 - 1 ? 48u : 0u) << outer << ", " << i;
    }
  }
}

// for …: 300 operations; (for …: 9 operations)
TEST(PeriodFinder, OfALoopThatIsLittleOfALongOnesBodyTheOuterOneIsFound) {
  PeriodFinder finder;
  constexpr std::uint64_t kBody = 300 + 8 * 9;
  for (std::uint64_t i = 0; i < 6 * kBody; ++i) {
    finder.add(i % kBody < 300 ? 1000 + i % kBody : 1 + i % kBody % 9);
    if (i >= 2 * kBody) {
      ASSERT_EQ(finder.period(), kBody) << i;
    }
  }
}

TEST(PeriodFinder, WhatItCallsALoopHasBeenSeenTwice) {
  for_each_seed(60, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    PeriodFinder finder;
    std::vector<std::uint64_t> stream;
    std::size_t found = 0;
    while (stream.size() < 1500) {
      std::vector<std::uint64_t> body(1 + random() % 9);
      for (std::uint64_t& hash : body) hash = 1 + random() % 5 * (seed % 2 ? 1 : 65536);
      for (std::uint64_t times = 1 + random() % 5; times > 0; --times) {
        for (const std::uint64_t hash : body) {
          stream.push_back(hash);
          finder.add(hash);
          const std::size_t period = finder.period();
          if (period == 0) continue;
          ++found;
          ASSERT_LE(2 * period, stream.size());
          for (std::size_t i = 1; i <= period; ++i)
            ASSERT_EQ(stream[stream.size() - i], stream[stream.size() - i - period]) << "period " << period;
        }
      }
    }
    EXPECT_GT(found, 0u);
  });
}

// --- of operations

class Loops : public testing::Test {
 protected:
  // The period after so many times of the body.
  std::size_t period_after(int times, const std::function<void(int)>& body) {
    PeriodFinder finder;
    for (int i = 0; i < times; ++i) {
      recorder_.begin_window();
      body(i);
      for (const Operation& operation : recorder_.operations) finder.add(operation);
    }
    return finder.period();
  }
  WindowRecorder recorder_;
};

TEST_F(Loops, TemporariesAreNewEachTimeAndTheLoopIsKnownFromTheThirdTimeOn) {
  np::Array x = np::zeros(100);
  const auto body = [&](int) { x(slice(1, -1)) = 0.5 * (x(slice(0, -2)) + x(slice(2, {}))); };
  EXPECT_EQ(period_after(2, body), 0u) << "x was made by another operation, the first time";
  EXPECT_EQ(period_after(3, body), 3u);
  EXPECT_EQ(period_after(7, body), 3u);
}

TEST_F(Loops, TheStepsOfOneExpressionAreNoRounds) {
  np::Array x = np::zeros(100);
  const auto body = [&](int) { x[all] = (((x * 2 + 1) * 2 + 1) * 2 + 1) * 2; };
  EXPECT_EQ(period_after(1, body), 0u);
  EXPECT_EQ(period_after(4, body), 8u);
}

TEST_F(Loops, NumbersDoNotCountAndSlicesDo) {
  np::Array x = np::zeros(100);
  EXPECT_EQ(period_after(5, [&](int i) { x *= static_cast<double>(i); }), 1u);
  EXPECT_EQ(period_after(5, [&](int i) { x(slice(i, {})) = 1.0; }), 0u);
  EXPECT_EQ(period_after(5, [&](int i) { x(slice(i, i + 50)) = 1.0; }), 0u);
  EXPECT_EQ(period_after(5, [&](int i) { x(slice(0, 50, 1 + i)) = 1.0; }), 0u);
  EXPECT_EQ(period_after(5, [&](int i) { (void)np::sum(x(slice(0, 50)), i % 2 == 0 ? -1 : 0); }), 1u)
      << "the same axis by two names";
}

TEST_F(Loops, WhereAnAxisIsPinnedDoesNotCountUnlessTheArrayIsSeenWholeToo) {
  np::Array h = np::zeros({200, 9}), u = np::zeros(9);
  const auto write = [&](int i) { h(i) = u; };
  const auto both = [&](int i) {
    h(i) = u;
    h *= 2.0;
  };
  const auto few = [&](int i) { h(slice(i, i + 25)) = 1.0; };  // an eighth
  EXPECT_EQ(period_after(3, write), 1u);
  EXPECT_EQ(period_after(150, write), 1u);
  EXPECT_EQ(period_after(9, few), 1u);
  EXPECT_EQ(period_after(9, both), 0u);
}

TEST_F(Loops, ArraysThatAreSwappedAreOneBodyAsTheyAreOfOneAge) {
  np::Array a = np::zeros(100), b = np::zeros(100);
  EXPECT_EQ(period_after(8,
                         [&](int) {
                           b(slice(1, -1)) = a(slice(0, -2)) + a(slice(2, {}));
                           std::swap(a, b);
                         }),
            2u);
}

TEST_F(Loops, ABodyThatTakesTurnsIsTwoBodiesLong) {
  np::Array a = np::zeros(100), b = np::zeros(100);
  const auto by_one_line = [&](int i) { (i % 2 ? a : b) += 1.0; };
  const auto by_two_lines = [&](int i) {
    if (i % 2)
      a += 1.0;
    else
      b += 1.0;
  };
  EXPECT_EQ(period_after(12, by_one_line), 1u) << "both are of one age";
  EXPECT_EQ(period_after(12, by_two_lines), 2u);
}

TEST_F(Loops, OtherKindsOfOperationsDiffer) {
  np::Array x = np::ones(64), y = np::ones(64);
  const auto alternate = [&](auto one, auto other) {
    return period_after(12, [&](int i) { i % 2 ? one() : other(); });
  };
  const auto least = [&](bool min) { (void)(min ? np::min(x) : np::max(x)); };
  EXPECT_EQ(alternate([&] { least(true); }, [&] { least(false); }), 2u) << "the fold";
  const auto cast = [&](DType dtype) { (void)x.astype(dtype); };
  EXPECT_EQ(alternate([&] { cast(float32); }, [&] { cast(float64); }), 2u) << "the dtype";
  const auto combine = [&](const np::Array& other) { (void)(x + other); };
  EXPECT_EQ(alternate([&] { combine(x); }, [&] { combine(y); }), 2u) << "which array";
}

TEST_F(Loops, OfTasksTheLaunchAndItsArraysCount) {
  np::Array x = np::ones(64), y = np::ones(64);
  const auto scale = task("scale", [](Piece, ReadWrite<double, 1>, double) {});
  const auto shift = task("shift", [](Piece, ReadWrite<double, 1>, double) {});
  EXPECT_EQ(period_after(5, [&](int i) { scale({64}, read_write(x), static_cast<double>(i)); }), 1u);
  EXPECT_EQ(period_after(12, [&](int i) { (i % 2 ? scale : shift)({64}, read_write(x), 1.0); }), 2u);
  EXPECT_EQ(period_after(12, [&](int i) { scale({40 + i % 2}, read_write(x(slice(0, 40 + i % 2))), 1.0); }), 2u);
}

}  // namespace
}  // namespace pilum::scheduler
