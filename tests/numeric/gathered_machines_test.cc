// Arrays that are cut, or lie on GPUs, and of which a program sees few cells at a time.
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/array_state.h"
#include "pilum/pilum.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all, np::slice;

const std::vector<fakes::SimulatedRanks> kMachines{
    {.ranks = 1, .processors_per_rank = 3, .window = 16, .direct_after = 8},
    {.ranks = 2, .window = 16, .direct_after = 8},
    {.ranks = 3, .window = 5, .direct_after = 8},
    {.ranks = 1, .window = 16, .gpus = true, .direct_after = 8},
    {.ranks = 1, .processors_per_rank = 2, .window = 16, .gpus = true, .direct_after = 8},
    {.ranks = 2, .window = 16, .gpus = true, .direct_after = 8},
};

void on_each(std::int64_t split_bytes, const std::function<void(scheduler::Session&)>& program,
             double memory_bandwidth = 20e9) {
  for (fakes::SimulatedRanks machine : kMachines) {
    machine.split_bytes = split_bytes;
    machine.memory_bandwidth = memory_bandwidth;
    SCOPED_TRACE(testing::Message() << machine.ranks << " ranks of " << machine.processors_per_rank
                                    << (machine.gpus ? " GPUs" : ""));
    fakes::run_on_simulated_ranks(machine, program);
  }
}

long sent(const scheduler::Session& session) {
  return static_cast<long>(session.profile().counters.messages_sent.get());
}

const scheduler::StoreState& state_of(const np::Array& a) {
  return *np::ArrayAccess::state(a)->store().state;
}

bool is_whole(const np::Array& a) {
  return state_of(a).tiling.is_replicated() || state_of(a).tiling.is_on_one();
}

// A triangular solution: each round sees one cell more of a row that one processor has. Its values are too small to
// cut.
TEST(GatheredArrays, RowsThatGrow) {
  on_each(1024, [](scheduler::Session& session) {
    constexpr std::int64_t kSize = 60;
    const np::Array lower = np::tri(kSize) + np::eye(kSize);
    np::Array x = np::zeros(kSize);
    long before = 0;
    for (std::int64_t k = 0; k < kSize; ++k) {
      x(k) = (1.0 - np::dot(lower(k, slice(k)), x(slice(k)))) / lower(k, k);
      if (k == 40) {
        session.wait();
        before = sent(session);
        EXPECT_TRUE(is_whole(lower));
      }
    }
    session.wait();
    EXPECT_EQ(sent(session), before);  // every rank has all, and computes all
    const std::vector<double> found = x.to_vector<double>();
    double sum = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k], (1 - sum) / 2) << k;
      sum += (1 - sum) / 2;
    }
  });
}

// Columns one by one, then all of the array, again and again. It is cut once that would have gained what it took to
// bring it together, not at the first pass.
TEST(GatheredArrays, AreCutAgainForManyPoints) {
  constexpr std::int64_t kRows = 200, kColumns = 100;
  constexpr double kBandwidth = 0.5e9;  // passes that are one in their window count once
  const auto program = [](scheduler::Session& session) {
    np::Array a = np::zeros({kRows, kColumns});
    std::vector<double> wanted(kRows * kColumns, 0.0);
    for (int round = 0; round < 2; ++round) {
      for (int sweep = 0; sweep < 2; ++sweep) {
        for (std::int64_t j = 1; j < kColumns; ++j) a(all, j) = a(all, j - 1) + 1.0;
        for (std::int64_t i = 1; i < kRows; ++i) a(i, 0) = a(i - 1, 0) + 1.0;
      }
      session.wait();
      EXPECT_TRUE(is_whole(a));
      for (int sweep = 0; sweep < 2; ++sweep) {
        for (std::size_t place = 0; place < wanted.size(); ++place) {
          if (place % kColumns > 0) wanted[place] = wanted[place - 1] + 1;
        }
        for (std::size_t place = kColumns; place < wanted.size(); place += kColumns)
          wanted[place] = wanted[place - kColumns] + 1;
      }
      a += 0.5;
      session.wait();
      EXPECT_TRUE(is_whole(a));
      int passes = 1;
      for (; passes < 12000 && is_whole(a) && session.processors().count > 1; ++passes) {
        a += 0.5;
        if (passes % 100 == 0) session.wait();
      }
      session.wait();
      EXPECT_EQ(is_whole(a), session.processors().count == 1);
      for (double& cell : wanted) cell += 0.5 * passes;
      EXPECT_EQ(a.to_vector<double>(), wanted);
    }
  };
  on_each(64, program, kBandwidth);
}

// What is made of arrays that lie whole lies so too, and so do new ones of their shape.
TEST(GatheredArrays, AreFollowedByWhatIsMadeOfThem) {
  constexpr std::int64_t kSize = 60;
  on_each(1024, [](scheduler::Session& session) {
    const np::Array a = np::ones({kSize, kSize});
    np::Array row = np::zeros(kSize);
    for (int round = 0; round < 4; ++round) {
      for (std::int64_t i = 0; i < kSize; ++i) row += a(i, all);
    }
    const np::Array double_inner = a(slice(1, -1), all) * 2.0;
    np::Array like = np::empty_like(a);
    like(all, 0) = 3.0;
    session.wait();
    EXPECT_TRUE(is_whole(a));
    EXPECT_TRUE(is_whole(double_inner));
    EXPECT_TRUE(is_whole(like));
    EXPECT_EQ(row(5).item<double>(), 4 * kSize);
    EXPECT_EQ(np::sum(double_inner).item<double>(), 2 * kSize * (kSize - 2));
    EXPECT_EQ(np::sum(like(all, 0)).item<double>(), 3 * kSize);
  });
}

// Small matrices lie with one GPU, and so does their product; it was cut by columns or rows, and halves of them went to
// the other.
TEST(GatheredArrays, SmallProductsAreOneGpus) {
  const fakes::SimulatedRanks machine{.ranks = 1, .processors_per_rank = 2, .split_bytes = 1 << 20, .gpus = true};
  fakes::run_on_simulated_ranks(machine, [](scheduler::Session&) {
    const np::Array x = np::ones({8, 90}), few = np::matmul(x, np::ones({90, 300})), tall = np::matmul(x.T(), few);
    EXPECT_EQ(few(7, 299).item<double>(), 90);
    EXPECT_EQ(tall(89, 299).item<double>(), 8 * 90);
    EXPECT_TRUE(state_of(few).tiling.is_on_one());
    EXPECT_TRUE(state_of(tall).tiling.is_on_one());
  });
}

// Passes over a cut array are few and its rims many, or the other way round, as seldom as it can be: each change that
// was in vain makes the next one wait longer.
TEST(GatheredArrays, DoNotGoToAndFro) {
  const fakes::SimulatedRanks machine{.ranks = 1,
                                      .processors_per_rank = 2,
                                      .split_bytes = 1024,
                                      .window = 16,
                                      .gpus = true,
                                      .memory_bandwidth = 2e9,
                                      .direct_after = 8};
  fakes::run_on_simulated_ranks(machine, [](scheduler::Session& session) {
    np::Array a = np::zeros({100, 100});
    int changes = 0;
    bool was_whole = false;
    double wanted = 0;
    for (int step = 0; step < 600; ++step) {
      a += 1.0;
      wanted += 1;
      for (std::int64_t row = 0; row < 3; ++row) a((step + row) % 7, all) += a(93 + row, all) * 0.0;
      session.wait();
      if (is_whole(a) != was_whole) ++changes;
      was_whole = is_whole(a);
    }
    EXPECT_LE(changes, 8);
    EXPECT_EQ(np::min(a).item<double>(), wanted);
    EXPECT_EQ(np::max(a).item<double>(), wanted);
  });
}

// While an array lies with one processor others have cells of it that they read; where it is cut again, without having
// been written, those count no longer.
TEST(GatheredArrays, CutAgainNobodyHasWhatWasReadMeanwhile) {
  static constexpr std::int64_t kRows = 200, kColumns = 100, kShift = 7;
  for (const bool gpus : {false, true}) {
    const fakes::SimulatedRanks machine{
        .ranks = 1, .processors_per_rank = 3, .window = 16, .gpus = gpus, .memory_bandwidth = 0.5e9, .direct_after = 8};
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      const np::Array a = np::arange(kRows * kColumns).reshape({kRows, kColumns}).astype(np::float64).copy();
      np::Array c = np::arange((kRows - kShift) * kColumns).reshape({kRows - kShift, kColumns}) * 0.0;
      np::Array column = np::zeros(kRows), d = c * 1.0, like = np::zeros({kRows, kColumns});
      c += 1.0;
      session.wait();
      for (int sweep = 0; sweep < 16; ++sweep) {
        for (std::int64_t j = 0; j < kColumns; ++j) column += a(all, j);
      }
      session.wait();
      EXPECT_TRUE(is_whole(a));
      const auto expect_shifted = [&] {
        const std::vector<double> found = d.to_vector<double>();
        for (std::size_t place = 0; place < found.size(); ++place)
          ASSERT_EQ(found[place], static_cast<double>(place + kShift * kColumns) + 1) << place;
      };
      d[all] = c + a(slice(kShift, {}), all);
      expect_shifted();
      EXPECT_TRUE(is_whole(a));
      EXPECT_FALSE(is_whole(d));
      for (int pass = 0; pass < 4000 && (pass == 0 || is_whole(like)); ++pass) {
        like += 0.5;
        if (pass % 50 == 0) session.wait();
      }
      d[all] = c + a(slice({}, -kShift), all);  // it is cut as `like` is, where this reads it
      EXPECT_EQ(d.to_vector<double>().back(), static_cast<double>((kRows - kShift) * kColumns));
      EXPECT_FALSE(is_whole(a));
      d[all] = c + a(slice(kShift, {}), all);
      expect_shifted();
    });
  }
}

// What others had of an array that lies with one processor now is not what it was.
TEST(GatheredArrays, OthersHaveNoOldCells) {
  on_each(64, [](scheduler::Session&) {
    np::Array a = np::arange(24.0).reshape({6, 4}).copy();
    for (int step = 0; step < 12; ++step) {
      a(step % 6, all) *= 0.5;
      const np::Array b = a(slice({}, {}, -1), all) + a;
      if (step % 3 == 0) {
        EXPECT_EQ(b.to_vector<double>()[0], a(5, 0).item<double>() + a(0, 0).item<double>());
      }
    }
  });
}

// From some cell on a program that reads them one by one is given them all.
TEST(GatheredArrays, CellsThatAreReadOneByOne) {
  on_each(64, [](scheduler::Session& session) {
    np::Array a = np::arange(300.0);
    double sum = 0;
    for (std::int64_t i = 0; i < 50; ++i) sum += a(i).item<double>();
    const long before = sent(session);
    for (std::int64_t i = 50; i < 300; ++i) sum += a(i).item<double>();
    EXPECT_EQ(sum, 299 * 150);
    EXPECT_EQ(sent(session), before);
    // As they are when they are read.
    for (std::int64_t i = 0; i < 40; ++i) {
      EXPECT_EQ(a(i).item<double>(), static_cast<double>(i));
      a(i + 1) += 0.0;
    }
    for (std::int64_t i = 0; i < 40; ++i) static_cast<void>(a(i).item<double>());
    const np::Array b = np::arange(200.0) * 2.0;
    for (std::int64_t i = 0; i < 200; ++i) EXPECT_EQ(a(i).item<double>() * 2, b(i).item<double>());
    a(slice({}, {}, 2)) = -1.0;
    EXPECT_EQ(a(0).item<double>(), -1);
    EXPECT_EQ(a(1).item<double>(), 1);
    EXPECT_EQ(a(298).item<double>(), -1);
    const np::Array part = a(slice(10, 20));
    for (std::int64_t i = 0; i < 40; ++i) EXPECT_EQ(part(i % 10).item<double>(), i % 2 ? 10 + i % 10 : -1);
  });
}

// Half of the cells go to another rank at each step, in messages that cost more than what two ranks gain: a rank knows
// its own, and all bring the arrays together at the same call. Where only the rims go they stay cut.
TEST(GatheredArrays, WhatIsSentCounts) {
  for (const int ranks : {2, 3, 4}) {
    for (const bool turns : {true, false}) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks" << (turns ? ", turned" : ""));
      fakes::SimulatedRanks machine;
      machine.ranks = ranks;
      machine.split_bytes = 4096;
      machine.direct_after = 8;
      machine.memory_bandwidth = 200e9;  // cells take 40 times as long to others as past a processor
      machine.message_latency = 0;
      constexpr std::int64_t kSize = 60;
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
        np::Array a = np::arange(kSize * kSize).reshape({kSize, kSize}).astype(np::float64), b = a * 1.0;
        long before = 0;
        constexpr int kRounds = fakes::kIsSanitized ? 1500 : 3000;
        for (int k = 0; k < kRounds; ++k) {
          if (turns) {
            a = (a.T() - a) * 0.5;
          } else {
            b(slice(1, -1)) = (a(slice(2, {})) + a(slice({}, -2))) * 0.5;
            a = -b;
          }
          session.wait();  // within a window all ranks would compute all of the cells that are sent
          if (k != kRounds - 100) continue;
          before = sent(session);
        }
        EXPECT_EQ(is_whole(a), turns);
        EXPECT_EQ(sent(session) > before, !turns);
      });
    }
  }
}

// Small arrays that lie with a part of a large one come with it.
TEST(GatheredArrays, ValuesThatLieWithAPart) {
  on_each(64, [](scheduler::Session&) {
    np::Array a = np::ones({40, 30});
    np::Array row = a(39, all) * 2.0;  // with who has the last row
    for (std::int64_t i = 0; i < 39; ++i) {
      row += a(i, all);
      a(i, all) = row - a(i + 1, all);
    }
    double sum = 2, last = 0;
    for (int i = 0; i < 39; ++i) last = (sum += 1) - 1;
    EXPECT_EQ(row(7).item<double>(), 41);
    EXPECT_EQ(a(38, 7).item<double>(), last);
  });
}

}  // namespace
}  // namespace pilum
