// Loops over arrays that the caches do not hold, as their plans are run strip by strip, against a plain recorder.
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <vector>

#include "pilum/pilum.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/loop_case.h"
#include "tests/scheduler/random_loop.h"
#include "tests/scheduler/random_seeds.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr int kSteps = 36;

Cells two_arrays_that_take_turns() {
  auto a = np::arange(160.0 * 17).reshape({160, 17}), b = np::zeros({160, 17});
  for (int step = 0; step < kSteps; ++step) {
    b(slice(1, -1), slice(1, -1)) = 0.25 * (a(slice(0, -2), slice(1, -1)) + a(slice(2, {}), slice(1, -1)) +
                                            a(slice(1, -1), slice(0, -2)) + a(slice(1, -1), slice(2, {})));
    std::swap(a, b);
  }
  return (a + b).to_vector<double>();
}

Cells two_sweeps_in_space() {
  auto a = np::arange(120.0 * 5 * 17).reshape({120, 5, 17}), b = np::ones({120, 5, 17});
  const slice in(1, -1), low(0, -2), high(2, {});
  for (int step = 0; step < kSteps; ++step) {
    b(in, in, in) = 0.125 * (a(high, in, in) - 2.0 * a(in, in, in) + a(low, in, in)) + a(in, in, in);
    a(in, in, in) = 0.125 * (b(in, high, in) - 2.0 * b(in, in, in) + b(in, low, in)) + b(in, in, in);
  }
  return (a + b).to_vector<double>();
}

Cells ghost_cells() {
  auto u = (0.0001 * np::arange(98.0 * 98)).reshape({98, 98}), v = np::ones({98, 98});
  const slice in(1, -1), low(0, -2), high(2, {});
  for (int step = 0; step < kSteps; ++step) {
    for (const np::Array& one : {u, v}) {
      one(0, all) = one(-2, all);
      one(-1, all) = one(1, all);
      one(all, 0) = one(all, -2);
      one(all, -1) = one(all, 1);
    }
    const auto product = u(in, in) * 0.001 * v(in, in);
    const auto du = 0.1 * (u(low, in) + u(high, in) + u(in, low) + u(in, high) - 4.0 * u(in, in)) - product;
    const auto dv = 0.05 * (v(low, in) + v(high, in) + v(in, low) + v(in, high) - 4.0 * v(in, in)) + product;
    u(in, in) += du;
    v(in, in) += dv;
  }
  return (u + v).to_vector<double>();
}

Cells fields_one_after_the_other() {
  auto ex = np::zeros({140, 20}), ey = np::zeros({140, 20}), hz = np::arange(140.0 * 20).reshape({140, 20});
  for (int step = 0; step < kSteps; ++step) {
    ey(0, all) = 0.01 * step;
    ey(slice(1, {}), all) -= 0.5 * (hz(slice(1, {}), all) - hz(slice(0, -1), all));
    ex(all, slice(1, {})) -= 0.5 * (hz(all, slice(1, {})) - hz(all, slice(0, -1)));
    hz(slice(0, -1), slice(0, -1)) -= 0.7 * (ex(slice(0, -1), slice(1, {})) - ex(slice(0, -1), slice(0, -1)) +
                                             ey(slice(1, {}), slice(0, -1)) - ey(slice(0, -1), slice(0, -1)));
  }
  return (ex + ey + hz).to_vector<double>();
}

Cells sums_now_and_then() {
  auto a = np::arange(90.0 * 16).reshape({90, 16}), b = np::zeros({90, 16});  // longer ones go by strands
  double seen = 0;
  for (int step = 0; step < (fakes::kIsSanitized ? 2 : 4) * kSteps; ++step) {
    b(slice(1, {}), all) = 0.5 * a(slice(0, -1), all) + 0.25 * a(slice(1, {}), all);
    a(slice(0, -1), all) = 0.5 * b(slice(1, {}), all) + 0.125;
    if (step % 60 == 59) seen += np::max(a).item<double>();
  }
  Cells cells = (a + b).to_vector<double>();
  cells.push_back(seen);
  return cells;
}

Cells everything_backwards() {
  auto a = np::arange(50.0 * 7).reshape({50, 7}), b = np::zeros({50, 7});
  for (int step = 0; step < kSteps; ++step) {
    b(all, all) = a(slice({}, {}, -1), all) * 0.5 + 1.0;
    a(all, all) = b(slice({}, {}, -1), slice({}, {}, -1)) * 0.5;
  }
  return (a + b).to_vector<double>();
}

class WavefrontLoops : public testing::TestWithParam<LoopCase> {};

TEST_P(WavefrontLoops, GiveTheNaiveRecordersCells) {
  const Cells expected = naive_cells_of(GetParam().loop);
  for (const int workers : {0, 1, 2}) {
    if (fakes::kIsSanitized && workers < 2) continue;
    SCOPED_TRACE(testing::Message() << workers + 1 << " threads");
    fakes::run_on_simulated_ranks(
        {.workers = workers, .cache_bytes = 2048, .memory_bandwidth = 1e7}, [&](Session& session) {
          EXPECT_EQ(GetParam().loop(), expected);
          session.wait();
          if (GetParam().gains) {
            EXPECT_GT(session.profile().counters.wavefronts.get(), 0) << to_string(session.profile().counters);
          }
        });
  }
}

TEST_P(WavefrontLoops, GiveThemOnSeveralRanks) {
  const Cells expected = naive_cells_of(GetParam().loop);
  for (const int ranks : {2, 3}) {
    if (fakes::kIsSanitized && ranks < 3) continue;
    for (const bool forgets : {false, true}) {
      if (fakes::kWatchesThreads && !forgets) continue;  // threads meet more often where one plans and others replay
      SCOPED_TRACE(testing::Message() << ranks << " ranks" << (forgets ? ", one forgets its plans" : ""));
      fakes::run_on_simulated_ranks({.ranks = ranks,
                                     .seed = static_cast<std::uint64_t>(ranks),
                                     .workers = ranks - 2,
                                     .cache_bytes = 600,
                                     .first_rank_forgets = forgets,
                                     .memory_bandwidth = 1e7},
                                    [&](Session& session) {
                                      EXPECT_EQ(GetParam().loop(), expected);
                                      session.wait();
                                      if (session.rank() > 0 && GetParam().gains) {
                                        EXPECT_GT(session.profile().counters.wavefronts.get(), 0)
                                            << to_string(session.profile().counters);
                                      }
                                    });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Loops, WavefrontLoops,
                         testing::Values(LoopCase{"TwoArraysThatTakeTurns", two_arrays_that_take_turns},
                                         LoopCase{"TwoSweepsInSpace", two_sweeps_in_space},
                                         LoopCase{"GhostCells", ghost_cells},
                                         LoopCase{"FieldsOneAfterTheOther", fields_one_after_the_other},
                                         LoopCase{"SumsNowAndThen", sums_now_and_then},
                                         LoopCase{"EverythingBackwards", everything_backwards, false}),
                         [](const auto& one) { return std::string(one.param.name); });

class RandomWavefronts : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWavefronts, GiveTheBitsOfWholeLaunches) {
  for (const int ranks : {1, 2, 3}) {
    std::vector<Cells> seen;
    std::mutex mutex;
    for (const std::int64_t cache : {std::int64_t{32} << 20, std::int64_t{64}, std::int64_t{600}}) {
      for (const int workers : {0, 1, 2}) {
        SCOPED_TRACE(testing::Message() << "seed " << GetParam() << ", " << ranks << " ranks, a cache of " << cache
                                        << " bytes, " << workers << " workers");
        fakes::run_on_simulated_ranks({.ranks = ranks,
                                       .seed = GetParam(),
                                       .workers = workers,
                                       .cache_bytes = cache,
                                       .first_rank_forgets = workers == 2,
                                       .memory_bandwidth = GetParam() % 2 ? 20e9 : 1e7},
                                      [&](Session&) {
                                        RandomLoop loop(GetParam());
                                        for (int time = 0; time < kSteps; ++time) loop.body(time % 24);
                                        Cells cells;
                                        for (const np::Array& array : loop.arrays()) {
                                          for (const double cell : np::ravel(array).to_vector<double>())
                                            cells.push_back(cell == cell ? cell : 0x1p-1000);  // NaNs are one
                                        }
                                        const std::lock_guard lock(mutex);
                                        seen.push_back(std::move(cells));
                                      });
        EXPECT_EQ(seen.back(), seen.front());
        if (HasFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWavefronts, testing::ValuesIn(random_seeds(12)));

}  // namespace
}  // namespace pilum::scheduler
