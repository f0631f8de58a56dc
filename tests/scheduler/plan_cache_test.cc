// Plans made again give what plans made anew give.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>

#include "pilum/pilum.h"
#include "scheduler/analyze/period.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/loop_case.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// Loops that a window meets again, or nearly.
Cells stencil_with_changing_numbers() {
  auto grid = np::zeros({20, 20});
  grid(0, all) = 40.0;
  auto center = grid(slice(1, -1), slice(1, -1)), north = grid(slice(0, -2), slice(1, -1)),
       west = grid(slice(1, -1), slice(0, -2));
  for (int i = 0; i < 40; ++i) {
    auto sum = center + north + west;
    center[all] = (0.2 + 0.001 * i) * sum;
  }
  return grid.to_vector<double>();
}

Cells changing_slices() {
  auto u = np::ones({16, 9});
  for (int i = 1; i < 16; ++i) u(i, all) = u(i - 1, all) * 1.5 + static_cast<double>(i);
  return u.to_vector<double>();
}

Cells growing_windows() {
  auto x = np::ones({30}), y = np::zeros({30});
  for (int i = 2; i < 28; ++i) y(slice(0, i))[all] = x(slice(1, i + 1)) + y(slice(0, i)) * 0.5;
  return y.to_vector<double>();
}

Cells alternating_branches() {
  auto x = np::arange(24.0), y = np::zeros({24});
  for (int i = 0; i < 30; ++i) {
    if (i % 3 == 0) {
      y[all] = y + x * static_cast<double>(i);
    } else {
      auto half = y * 0.5;
      x[all] = x + half;
      x(slice(1, {}))[all] = x(slice(0, -1)) * 0.25;
    }
  }
  return (x + y).to_vector<double>();
}

Cells a_body_that_changes_half_way() {
  auto x = np::ones({40});
  for (int i = 0; i < 20; ++i) x[all] = x * 1.25 - 0.125;
  for (int i = 0; i < 20; ++i) x[all] = np::sqrt(x * x + 1.0);
  return x.to_vector<double>();
}

Cells values_read_inside() {
  auto x = np::ones({33});
  Cells seen;
  for (int i = 0; i < 12; ++i) {
    x[all] = x * 2.0 - np::sum(x(slice(0, 3)));  // whole numbers: every order of a sum gives the same
    seen.push_back(np::sum(x).item<double>());
  }
  return seen;
}

// Bodies of a few operations, for long: after a while several of them are planned together, each by the plan of one.
Cells a_name_bound_anew() {
  auto x = np::arange(40.0);
  for (int i = 0; i < 90; ++i) {
    auto next = x * 0.5;
    next(slice(1, -1))[all] = next(slice(1, -1)) + x(slice(0, -2)) * 0.25 + static_cast<double>(i % 7);
    x = next;
  }
  return x.to_vector<double>();
}

Cells a_long_loop_that_ends_inside_a_window() {
  auto x = np::arange(40.0), y = np::ones({40});
  Cells seen;
  for (const int times : {41, 44, 46}) {
    for (int i = 0; i < times; ++i) {
      y(slice(1, -1))[all] = x(slice(2, {})) - x(slice(0, -2)) * 0.5;
      x(slice(1, -1))[all] = y(slice(1, -1)) * (0.5 + 0.125 * (i % 3));
    }
    for (const double value : x.to_vector<double>()) seen.push_back(value);
  }
  return seen;
}

Cells tasks_in_a_long_loop() {
  const auto blend =
      pilum::task("blend", [](Piece piece, Read<const double, 1> in, Write<double, 1> out, double weight) {
        for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
          const double left = i > 0 ? in(i - 1) : 0.0;
          out(i) = weight * in(i) + left * 0.5;
        }
      });
  auto x = np::arange(30.0), y = np::zeros({30});
  for (int i = 0; i < 70; ++i) {
    blend({30}, pilum::read(x, pilum::halo(1, 0)), pilum::write(y), 0.25 + 0.25 * (i % 2));
    std::swap(x, y);
  }
  return x.to_vector<double>();
}

// What is written lies across the domain: it goes to a store of the launch's own first.
Cells tasks_that_write_across_the_cut() {
  const auto raise = pilum::task("raise", [](Piece piece, ReadWrite<double, 2> cells, double by) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
      for (std::int64_t k = cells.lo(1); k < cells.hi(1); ++k)
        cells(i, k) += by * static_cast<double>(i + 1) + static_cast<double>(k);
    }
  });
  auto t = np::zeros({8, 12});
  t[all] = t + 1.0;
  for (int i = 0; i < 25; ++i) {
    t[all] = t * 0.5;
    raise({12}, pilum::read_write(np::transpose(t)), 0.25 * i);
  }
  return t.to_vector<double>();
}

Cells handles_kept_and_stores_made_anew() {
  std::vector<np::Array> kept;
  auto x = np::arange(21.0);
  for (int i = 0; i < 16; ++i) {
    auto fresh = x * 2.0 + static_cast<double>(i);
    if (i % 5 == 0) kept.push_back(fresh);
    x[all] = fresh(slice({}, {}, -1)) * 0.25;
  }
  auto all_kept = kept[0] + kept[1] + kept[2] + kept[3];
  return (all_kept + x).to_vector<double>();
}

// Long enough for windows to be recorded as one before was: numbers change, now and then another call comes in between,
// arrays change places, and values are read at the end of a window and inside of one.
Cells a_long_loop_with_something_else_in_it() {
  auto x = np::arange(40.0), y = np::ones({40}), z = np::zeros({40});
  Cells seen;
  for (int i = 0; i < 500; ++i) {
    auto half = x * 0.5;
    y(slice(1, -1))[all] = half(slice(2, {})) - y(slice(0, -2)) * (0.25 + 0.125 * (i % 3));
    x[all] = y * 0.5 + static_cast<double>(i % 5);
    if (i % 90 == 89) x(3) = 7.0;
    if (i % 120 == 100) z[all] = x(slice({}, {}, -1));
    if (i == 250) std::swap(x, y);
    if (i % 160 == 150) seen.push_back(y(5).item<double>());
    if (i > 400) half[all] = half + z;
  }
  for (const double value : (x + y + z).to_vector<double>()) seen.push_back(value);
  return seen;
}

// Of the same operations, but for the array that is new in each round: another one is used from somewhere on.
Cells a_long_loop_whose_array_becomes_another() {
  auto x = np::arange(24.0), y = np::ones({24}), other = np::ones({24}) * 3.0;
  np::Array kept = y;
  for (int i = 0; i < 420; ++i) {
    x[all] = x * 0.5 + kept;
    y[all] = y * 0.5 + x(slice({}, {}, -1));
    if (i == 300) kept = other;
    if (i == 360) y = np::ones({24});
  }
  return (x + y + other).to_vector<double>();
}

class CachedPlans : public testing::TestWithParam<LoopCase> {};

TEST_P(CachedPlans, GiveTheNaiveRecordersCells) {
  const Cells expected = naive_cells_of(GetParam().loop);
  for (const int ranks : {1, 3}) {
    for (const int kept : {-1, 0, 1}) {
      if (fakes::kIsSanitized && kept == 0) continue;  // plans that are made anew each time: most of the work
      for (const bool gpus : {false, true}) {
        SCOPED_TRACE(testing::Message() << ranks << " ranks, " << kept << " plans kept" << (gpus ? ", GPUs" : ""));
        fakes::SimulatedRanks machine{.ranks = ranks, .processors_per_rank = 2, .plan_cache = kept, .gpus = gpus};
        fakes::run_on_simulated_ranks(machine, [&](Session&) { EXPECT_EQ(GetParam().loop(), expected); });
      }
    }
  }
}

// Messages are what a rank sees of the others' plans: kept ones and fresh ones must agree in them.
TEST_P(CachedPlans, OfOneRankMayBeForgottenByAnother) {
  const Cells expected = naive_cells_of(GetParam().loop);
  for (const int ranks : {2, 3}) {
    if (fakes::kIsSanitized && ranks == 2) continue;
    const fakes::SimulatedRanks machine{.ranks = ranks, .first_rank_forgets = true};
    fakes::run_on_simulated_ranks(machine, [&](Session&) { EXPECT_EQ(GetParam().loop(), expected); });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Loops, CachedPlans,
    testing::Values(LoopCase{"StencilWithChangingNumbers", stencil_with_changing_numbers},
                    LoopCase{"ChangingSlices", changing_slices}, LoopCase{"GrowingWindows", growing_windows},
                    LoopCase{"AlternatingBranches", alternating_branches},
                    LoopCase{"ABodyThatChangesHalfWay", a_body_that_changes_half_way},
                    LoopCase{"ValuesReadInside", values_read_inside}, LoopCase{"ANameBoundAnew", a_name_bound_anew},
                    LoopCase{"ALongLoopThatEndsInsideAWindow", a_long_loop_that_ends_inside_a_window},
                    LoopCase{"ALongLoopWithSomethingElseInIt", a_long_loop_with_something_else_in_it},
                    LoopCase{"ALongLoopWhoseArrayBecomesAnother", a_long_loop_whose_array_becomes_another},
                    LoopCase{"TasksInALongLoop", tasks_in_a_long_loop},
                    LoopCase{"TasksThatWriteAcrossTheCut", tasks_that_write_across_the_cut},
                    LoopCase{"HandlesKept", handles_kept_and_stores_made_anew}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(PlanCache, PlansOfGpusThatAreMadeAgainAreGraphs) {
  const Cells expected = naive_cells_of(stencil_with_changing_numbers);
  fakes::run_on_simulated_ranks({.ranks = 1, .processors_per_rank = 2, .gpus = true}, [&](Session& session) {
    EXPECT_EQ(stencil_with_changing_numbers(), expected);
    EXPECT_GT(session.profile().counters.graphs.get(), 0);
  });
}

// What small arrays need is done by every rank for itself.
TEST(PlanCache, PlansOfSeveralRanksThatNeedNoMessagesAreGraphs) {
  const Cells expected = naive_cells_of(stencil_with_changing_numbers);
  fakes::run_on_simulated_ranks({.ranks = 2, .split_bytes = 1 << 20, .gpus = true}, [&](Session& session) {
    EXPECT_EQ(stencil_with_changing_numbers(), expected);
    EXPECT_GT(session.profile().counters.graphs.get(), 0);
  });
}

TEST(PlanCache, ALoopIsPlannedAFewTimesAndThenMadeAgain) {
  fakes::run_on_simulated_ranks({.ranks = 2}, [](Session& session) {
    (void)stencil_with_changing_numbers();
    const long before = session.plan_cache().misses;
    (void)stencil_with_changing_numbers();
    EXPECT_GT(session.plan_cache().hits, 3);
    EXPECT_LE(session.plan_cache().misses - before, 4);
  });
}

// Two numbers of one line that are always the same at first: plans in which they are one are not for what comes later.
np::Array scaled(const np::Array& x, double by) {
  return x * by;
}
Cells sums_of_scaled() {
  std::mt19937 random(20261123);
  np::Array x = np::arange(60.0), total = np::zeros({60});
  for (int time = 0; time < 200; ++time) {
    const auto drawn = [&] { return time < 60 || random() % 2 == 1 ? 2.0 : 1.0; };
    const double a = drawn(), b = drawn();
    total += scaled(x, a) + 10.0 * scaled(x, b);
    if (time % 50 == 49) total(slice(0, 1)) = static_cast<double>(time);
  }
  return total.to_vector<double>();
}

TEST(PlanCache, NumbersThatAreOneInAPlanAreSoWheneverItIsUsed) {
  const Cells expected = naive_cells_of(sums_of_scaled);
  for (const bool gpus : {false, true}) {
    for (const int ranks : {1, 2}) {
      fakes::run_on_simulated_ranks({.ranks = ranks, .gpus = gpus}, [&](Session& session) {
        EXPECT_EQ(sums_of_scaled(), expected);
        EXPECT_GT(session.plan_cache().hits, 3);
      });
    }
  }
}

// A step of a lattice Boltzmann method, nine populations that move to neighbours and relax: 178 operations.
void step_lattice(std::vector<np::Array>& f) {
  constexpr std::array<int, 9> kDown = {0, 1, 0, -1, 0, 1, -1, -1, 1}, kRight = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  for (std::size_t i = 1; i < f.size(); ++i) f[i] = np::roll(np::roll(f[i], kDown[i], 0), kRight[i], 1);
  np::Array mass = f[0];
  for (std::size_t i = 1; i < f.size(); ++i) mass = mass + f[i];
  const np::Array x = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / mass;
  const np::Array y = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / mass;
  const np::Array square = 1.5 * (x * x + y * y);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const np::Array along = 3.0 * (static_cast<double>(kDown[i]) * x + static_cast<double>(kRight[i]) * y);
    f[i] = f[i] + 0.6 * (mass / 9.0 * (1.0 + along + 0.5 * along * along - square) - f[i]);
  }
}

TEST(PlanCache, ALoopWhoseBodyIsLongIsPlannedAFewTimesToo) {
  const auto run = [](int steps) {
    std::vector<np::Array> f;
    for (int i = 0; i < 9; ++i) f.push_back(np::ones({12, 10}) + 0.01 * i);
    for (int step = 0; step < steps; ++step) step_lattice(f);
    return (f[4] * f[7]).to_vector<double>();
  };
  std::vector<double> expected;
  {
    fakes::NaiveRecorder naive;
    expected = run(30);
  }
  fakes::run_on_simulated_ranks({.ranks = 2}, [&](Session& session) {
    EXPECT_EQ(run(30), expected);
    EXPECT_GT(session.plan_cache().hits, 15);
    EXPECT_LE(session.plan_cache().misses, 14);
  });
}

// What stands before a loop.
struct Before {
  const char* name;
  std::function<std::vector<np::Array>()> record;
};

// Counted when the next iteration begins: iteration 3's first operation is recorded with nothing left to plan anew.
// Windows that end inside of an expression, whose temporaries live, would write all of them in each iteration.
TEST(PlanCache, ALoopThatSwapsTwoArraysKeepsItsTemporariesInRegisters) {
  fakes::run_on_simulated_ranks({.ranks = 1}, [](Session& session) {
    constexpr std::int64_t n = 1 << 16;
    auto a = np::ones({n}), b = np::ones({n});
    const slice in(1, -1), left(0, -2), right(2, {});
    const auto sweep = [&](const np::Array& from, np::Array& to) {
      to(in) = 0.125 * (from(right) - 2.0 * from(in) + from(left)) + 0.25 * (from(right) + from(left)) + 0.5 * from(in);
    };
    for (int i = 0; i < 40; ++i) {
      sweep(a, b);
      sweep(b, a);
      if (i % 10 == 9) session.wait();
    }
    EXPECT_EQ(a(5).item<double>(), 1.0);
    // Eleven arrays where windows end inside of the expression; until the loop is known two values cross an end.
    EXPECT_LE(session.profile().counters.peak_bytes.get(), (2 + 2) * 8 * n + 4096);
  });
}

TEST(PlanCache, NothingIsPlannedAnewFromALoopsThirdIterationOn) {
  const auto something_else = [] {
    auto other = np::ones({4});
    other[all] = other + 1.0;
    return std::vector{other};
  };
  for (const Before& before :
       {Before{"nothing", [] { return std::vector<np::Array>(); }}, Before{"something else", something_else},
        Before{"an array that is used later", [] { return std::vector{np::zeros({9})}; }}}) {
    for (const bool gpus : {false, true}) {
      for (const int ranks : {1, 3}) {
        SCOPED_TRACE(testing::Message() << before.name << ", " << ranks << " ranks" << (gpus ? ", GPUs" : ""));
        const fakes::SimulatedRanks machine{.ranks = ranks, .gpus = gpus};
        fakes::run_on_simulated_ranks(machine, [&](Session& session) {
          auto grid = np::zeros({30, 30});
          grid(0, all) = 40.0;
          auto center = grid(slice(1, -1), slice(1, -1)), north = grid(slice(0, -2), slice(1, -1)),
               south = grid(slice(2, {}), slice(1, -1));
          const std::vector<np::Array> kept = before.record();
          int last = 0;
          std::int64_t tasks = 0;
          for (int i = 1; i <= 200; ++i) {
            if (i == 100) tasks = session.profile().counters.tasks.get();
            const long misses = session.plan_cache().misses;
            auto sum = center + north + south;
            center[all] = 0.25 * sum;
            if (session.plan_cache().misses != misses) last = i;
          }
          EXPECT_LE(last, 4 - (kept.empty() ? 1 : 0))
              << before.name << ", rank " << session.rank() << " of " << ranks << (gpus ? ", GPUs" : "");
          session.wait();
          // A sweep is one task, wherever the windows were cut.
          EXPECT_LE(session.profile().counters.tasks.get() - tasks, 115);
        });
      }
    }
  }
}

TEST(PlanCache, WindowsOfALongLoopAreRecordedAsTheOneBefore) {
  for (const int ranks : {1, 3}) {
    fakes::run_on_simulated_ranks({.ranks = ranks}, [&](Session& session) {
      auto x = np::ones({24}), y = np::zeros({24});
      const auto run = [&](int rounds) {
        for (int i = 0; i < rounds; ++i) {
          y[all] = x * 0.5 + 0.25 * (i % 4);
          x[all] = y(slice({}, {}, -1)) + 1.0;
        }
      };
      run(600);
      session.wait();
      const PlanCacheStatistics before = session.plan_cache();
      EXPECT_GT(before.known, 10) << ranks << " ranks";
      run(600);
      session.wait();
      const PlanCacheStatistics after = session.plan_cache();
      EXPECT_GT(after.known - before.known, (after.hits - before.hits) / 2) << ranks << " ranks";
    });
  }
}

// Conjugate gradients: three values a round, and what is behind the first of them waits.
TEST(PlanCache, WindowsThatEndWithAValueAreRecordedAsThoseOfTheRoundBefore) {
  for (const int ranks : {1, 3}) {
    for (const std::int64_t split : {std::int64_t{64}, std::int64_t{1} << 30}) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, split at " << split);
      fakes::run_on_simulated_ranks({.ranks = ranks, .split_bytes = split}, [&](Session& session) {
        auto x = np::ones({24}), r = np::ones({24}), p = np::ones({24}), w = np::zeros({24});
        const auto run = [&](int rounds) {
          for (int i = 0; i < rounds; ++i) {
            w[all] = 2.0 * p;
            w(slice(1, {})) -= 0.5 * p(slice(0, -1));
            const double rr = np::sum(r * r).item<double>();
            const double pw = np::sum(p * w).item<double>();
            x += 0.0 * rr * p;
            r -= 0.0 * pw * w;
            p[all] = r + 0.0 * np::max(np::abs(r)).item<double>() * p;
          }
        };
        run(100);
        const PlanCacheStatistics before = session.plan_cache();
        run(100);
        const PlanCacheStatistics after = session.plan_cache();
        EXPECT_EQ(after.misses, before.misses);
        EXPECT_EQ(after.hits - before.hits, 300);
        EXPECT_EQ(after.known - before.known, 300);
        EXPECT_EQ(np::sum(r).item<double>(), 24.0);
      });
    }
  }
}

// What is read is read at another place in each fourth round.
TEST(PlanCache, WindowsAreFollowedAgainBehindOneThatEndsElsewhere) {
  fakes::run_on_simulated_ranks({.ranks = 2}, [&](Session& session) {
    auto x = np::ones({24}), y = np::zeros({24});
    double total = 0;
    for (int i = 0; i < 400; ++i) {
      y[all] = x * 0.5;
      if (i % 40 == 39) total += np::sum(y).item<double>();
      x[all] = y(slice({}, {}, -1)) + 0.5;
      total += np::sum(x).item<double>();
    }
    EXPECT_EQ(total, 400 * 24.0 + 10 * 12.0);
    EXPECT_GT(session.plan_cache().known, 250);
  });
}

TEST(PlanCache, KeepsNoMoreThanItMay) {
  fakes::run_on_simulated_ranks({.ranks = 1, .window = 2, .plan_cache = 3}, [](Session& session) {
    (void)growing_windows();
    EXPECT_EQ(session.plan_cache().entries, 3u);
  });
}

// The stream a b c a b c …, as hashes.
TEST(PeriodFinder, KnowsALoopWhenItsBodyWasSeenTwice) {
  PeriodFinder finder;
  for (int i = 0; i < 5; ++i) finder.add(std::uint64_t{1000} + static_cast<std::uint64_t>(i));
  for (int i = 0; i < 5; ++i) {
    finder.add(1), finder.add(2);
    EXPECT_EQ(finder.period() > 0, i >= 2) << i;
    finder.add(3);
    EXPECT_EQ(finder.period(), i >= 1 ? 3u : 0u) << i;
  }
  finder.add(99);
  EXPECT_EQ(finder.period(), 0u);
}

TEST(PeriodFinder, FindsBodiesInWhichOneOperationComesTwice) {
  PeriodFinder finder;
  std::size_t known = 0;
  for (int i = 0; i < 8; ++i) {
    for (const std::uint64_t hash : {1, 2, 1, 3}) finder.add(hash);
    known += finder.period() == 4;
  }
  EXPECT_GE(known, 5u);
}

}  // namespace
}  // namespace pilum::scheduler
