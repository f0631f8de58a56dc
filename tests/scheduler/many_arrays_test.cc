// What a million arrays take beside their cells, and what is left of it when they are gone.
#include <gtest/gtest.h>

#include <malloc.h>

#include <vector>

#include "pilum/pilum.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr int kArrays = 100000, kCells = 8;

// Of the heap, in use: large blocks included, and the cells of small arrays.
double heap_bytes() {
  const auto heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
}

void on_one_rank(const std::function<void(scheduler::Session&)>& program) {
  fakes::run_on_simulated_ranks({}, program);
}

TEST(ManyArrays, TakeHalfAKilobyteEachAndGiveItBack) {
#ifdef PILUM_SANITIZE
  GTEST_SKIP() << "sanitizers have a heap of their own";
#endif
  on_one_rank([](scheduler::Session& session) {
    std::vector<np::Array> held;
    held.reserve(kArrays);
    const auto hold = [&] {
      for (int i = 0; i < kArrays; ++i) {
        held.push_back(np::full({kCells}, static_cast<double>(i)));
        if (i % 1000 == 999) session.wait();
      }
      session.wait();
    };
    const auto give_back = [&] {
      held.clear();
      EXPECT_EQ(np::sum(np::ones({4})).item<double>(), 4);
      session.wait();
    };
    // Once before it counts: what there is once, and what compiling takes and keeps, some 5 MB.
    hold();
    give_back();
    const double before = heap_bytes();
    hold();
    const double each = (heap_bytes() - before) / kArrays;
    RecordProperty("bytes_each", std::to_string(each));
    std::printf("%.0f bytes an array of %d\n", each, kCells * 8);
    EXPECT_LE(each, 512);
    for (int i = 0; i < kArrays; i += 9973) EXPECT_EQ(held[static_cast<std::size_t>(i)](7).item<double>(), i);
    give_back();
    const double left = (heap_bytes() - before) / kArrays;
    std::printf("%.1f bytes an array are left\n", left);
    EXPECT_LE(left, 64);  // blocks and plans that are kept, however many arrays there were
  });
}

// Those that rest are as they were: whole ones, parts that were written, cells on several ranks.
TEST(ManyArrays, HaveTheirValuesWhenTheyAreUsedAgain) {
  // Under sanitizers fewer, of which still hundreds come to rest.
  constexpr int kMany = fakes::kIsSanitized ? 1500 : 2200, kRounds = fakes::kIsSanitized ? 2200 : 3000;
  for (const int ranks : {1, 2, 3}) {
    for (const int processors : {1, 2}) {
      if (fakes::kIsSanitized && (ranks == 3 || processors != ranks)) continue;
      fakes::SimulatedRanks machine;
      machine.ranks = ranks;
      machine.processors_per_rank = processors;
      if (ranks > 1) machine.plan_cache = 0;  // every window is planned with what woke up
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
        std::vector<np::Array> held;
        for (int i = 0; i < kMany; ++i) {
          auto x = np::arange(24.0) + static_cast<double>(i);
          if (i % 3 == 0) x(slice(2, 9)) = x(slice(4, 11)) * 0.5;
          if (i % 5 == 0) x = np::Array(x.reshape({4, 6}));
          if (i % 7 == 0) x += np::sum(x) * 0.0;
          held.push_back(x);
        }
        session.wait();
        for (int i = 0; i < kRounds; ++i) {  // long enough for all of them to be looked at
          held[0] += 1.0;
          if (i % 500 == 0) session.wait();
        }
        int wrong = 0;
        for (int i = 1; i < kMany; i += 97) {
          held[static_cast<std::size_t>(i)] += 1.0;
          const std::vector<double> cells = held[static_cast<std::size_t>(i)].to_vector<double>();
          for (int k = 0; k < 24; ++k) {
            const bool halved = i % 3 == 0 && k >= 2 && k < 9;
            wrong += cells[static_cast<std::size_t>(k)] != (halved ? (k + 2 + i) * 0.5 : k + i) + 1.0;
          }
        }
        EXPECT_EQ(wrong, 0) << ranks << " ranks, " << processors << " processors";
      });
    }
  }
}

}  // namespace
}  // namespace pilum
