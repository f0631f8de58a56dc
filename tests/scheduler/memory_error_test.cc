// What is left of a session when memory does not do: all of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;
using testing::HasSubstr, testing::Not;

constexpr std::int64_t kHeld = 1 << 16;           // an array of them: half a MiB
constexpr std::int64_t kMemory = 10 * 8 * kHeld;  // ten

// On one rank with room for ten arrays.
void with_little_memory(const std::function<void(scheduler::Session&)>& program, int window = 0, int plans = -1,
                        int processors = 1) {
  fakes::SimulatedRanks machine;
  machine.memory = kMemory;
  machine.window = window;
  machine.plan_cache = plans;
  machine.processors_per_rank = processors;
  fakes::run_on_simulated_ranks(machine, program);
}

template <class Program>
std::string caught(Program program) {
  try {
    program();
  } catch (const MemoryError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no MemoryError";
  return "";
}

double value_of(const np::Array& array) {
  return array(array.size() - 1).item<double>();
}

TEST(MemoryErrors, LeaveASessionThatGoesOnWhenArraysAreDropped) {
  for (const int window : {0, 1, 3, 7}) {
    for (const int plans : {-1, 0}) {
      for (const int processors : {1, 2}) {
        SCOPED_TRACE(testing::Message() << "window " << window << ", plans " << plans << ", processors " << processors);
        with_little_memory(
            [](scheduler::Session& session) {
              std::vector<np::Array> held;
              const std::string text = caught([&] {
                for (int i = 0; i < 40; ++i) held.push_back(np::arange(kHeld) + static_cast<double>(i));
                session.wait();
              });
              EXPECT_THAT(text, HasSubstr("an array needs"));
              EXPECT_THAT(text, HasSubstr("Drop arrays"));
              ASSERT_GE(held.size(), 9u);
              held.resize(6);
              auto more = held[5] * 2.0;
              EXPECT_EQ(value_of(more), 2.0 * (kHeld - 1 + 5));
              for (int i = 0; i < 6; ++i) EXPECT_EQ(value_of(held[static_cast<std::size_t>(i)]), kHeld - 1 + i);
              session.wait();
              EXPECT_FALSE(session.failed());
              EXPECT_LE(session.memory().in_use(), static_cast<std::size_t>(kMemory));
            },
            window, plans, processors);
      }
    }
  }
}

// Nothing is done twice, and nothing is left out, of what changes arrays in place.
TEST(MemoryErrors, UndoWhatWasPlannedInPlace) {
  for (const int window : {0, 2, 5}) {
    with_little_memory(
        [](scheduler::Session& session) {
          auto x = np::ones({kHeld}), y = np::arange(kHeld);
          session.wait();
          std::vector<np::Array> held;
          for (int i = 0; i < 7; ++i) held.push_back(np::zeros({kHeld}) + static_cast<double>(i));
          session.wait();
          (void)caught([&] {
            for (int i = 0; i < 5; ++i) {
              x += 1.0;
              y(slice(1, {})) = y(slice(0, -1)) + x(slice(1, {}));
              held.push_back(x * y);
            }
            session.wait();
          });
          const std::size_t steps = held.size() - 7;  // their calls returned; of one more a part may be recorded
          held.erase(held.begin(), held.begin() + 7);
          std::vector<double> cells(kHeld), value(kHeld, 1.0);
          std::iota(cells.begin(), cells.end(), 0.0);
          for (std::size_t i = 0; i < steps; ++i) {
            for (double& one : value) one += 1;
            for (std::size_t k = kHeld; --k > 0;) cells[k] = cells[k - 1] + value[k];
            EXPECT_EQ(value_of(held[i]), value.back() * cells.back()) << i;
          }
        },
        window);
  }
}

TEST(MemoryErrors, AreNotRepeatedForValuesThatNeedNoneOfIt) {
  with_little_memory(
      [](scheduler::Session& session) {
        auto small = np::arange(10.0);
        std::vector<np::Array> held;
        for (int i = 0; i < 20; ++i) held.push_back(np::ones({kHeld}) * static_cast<double>(i));
        (void)caught([&] { session.wait(); });
        auto other = small + 1.0;  // all are still held
        EXPECT_EQ(other(9).item<double>(), 10.0);
        small += 5.0;
        EXPECT_EQ(np::sum(small).item<double>(), 95.0);
        (void)caught([&] { session.wait(); });
        for (int i = 0; i < 600; ++i) small += 1.0;  // more than a window: told of once more at most
        held.resize(3);
        session.wait();
        EXPECT_EQ(value_of(held[2]), 2.0);
      },
      1000);
}

TEST(MemoryErrors, OfWhatWasDroppedMeanwhileAreForgotten) {
  with_little_memory([](scheduler::Session& session) {
    (void)caught([&] {
      std::vector<np::Array> held;
      for (int i = 0; i < 20; ++i) held.push_back(np::ones({kHeld}) * static_cast<double>(i));
      session.wait();
    });
    session.wait();
    auto x = np::ones({kHeld});
    EXPECT_EQ(np::sum(x).item<double>(), kHeld);
    EXPECT_FALSE(session.told_of_failure());
  });
}

// What a window frees is no use to it while it is planned as a whole: then it is planned in parts.
TEST(MemoryErrors, AreNotThrownWhereTheWindowItselfFreesEnough) {
  with_little_memory([](scheduler::Session& session) {
    auto x = np::ones({6 * kHeld});
    session.wait();
    for (const int size : {5, 7, 8}) {
      auto sum = np::sum(x(slice(0, 1000)));
      x = sum + np::zeros({size * kHeld});
    }
    session.wait();
    EXPECT_EQ(value_of(x), 1e9);
  });
}

TEST(MemoryErrors, RefuseAtTheCallWhatFitsNowhereOnAllRanks) {
  for (const int ranks : {1, 2, 3}) {
    fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    machine.memory = kMemory;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      auto x = np::ones({kHeld});
      const std::string text = caught([&] { np::zeros({40 * kHeld}); });
      EXPECT_THAT(text, HasSubstr("[zeros] an array of shape (2621440,), float64, needs"));
      EXPECT_THAT(text, HasSubstr("memory_error_test.cc"));
      EXPECT_EQ(np::sum(x).item<double>(), kHeld);
    });
  }
}

TEST(MemoryErrors, FoundInTheMidstOfRanksAreFinalAndSaySo) {
  fakes::SimulatedRanks machine;
  machine.ranks = 2;
  machine.memory = kMemory;
  try {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      std::vector<np::Array> held;
      for (int i = 0; i < 40; ++i) held.push_back(np::ones({kHeld}) * static_cast<double>(i));
      const std::string text = caught([&] { session.wait(); });
      EXPECT_THAT(text, HasSubstr("this error is final"));
      held.clear();
      try {
        session.wait();
        ADD_FAILURE() << "it went on";
      } catch (const RuntimeError& error) {
        EXPECT_THAT(error.what(), HasSubstr("this runtime failed earlier and cannot go on: [multiply] an array needs"));
      }
    });
  } catch (const Error&) {
  }
}

TEST(MemoryErrors, OfAFailureInFlightAreToldOnceAndThenAsOfBefore) {
  try {
    with_little_memory([](scheduler::Session& session) {
      auto x = np::ones({10});
      auto fail = task("fail", [](Piece, Read<double, 1>) { throw std::runtime_error("no luck"); });
      fail({10}, read(x));
      try {
        session.wait();
        ADD_FAILURE();
      } catch (const RuntimeError& error) {
        EXPECT_THAT(error.what(), HasSubstr("[fail] no luck. Recorded at"));
        EXPECT_THAT(error.what(), Not(HasSubstr("earlier")));
      }
      EXPECT_TRUE(session.told_of_failure());
      for (int i = 0; i < 2; ++i) {
        try {
          x += 1.0;
          ADD_FAILURE();
        } catch (const RuntimeError& error) {
          EXPECT_THAT(error.what(),
                      HasSubstr("this runtime failed earlier and cannot go on: [fail] no luck. Recorded at"));
        }
      }
    });
  } catch (const RuntimeError&) {  // finish(), of a session that has failed
  }
}

TEST(MemoryErrors, MayBeCaughtAndRetriedManyTimes) {
  std::uint64_t state = 0x5eed;
  const auto draw = [&state](std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  RecordProperty("seed", "0x5eed");
  for (const int window : {0, 1, 4, 16}) {
    SCOPED_TRACE(testing::Message() << "seed 0x5eed, window " << window);
    with_little_memory(
        [&](scheduler::Session& session) {
          std::vector<std::pair<np::Array, double>> held;
          held.emplace_back(np::ones({kHeld}), 1.0);
          int errors = 0;
          for (int step = 0; step < 400; ++step) {
            auto& [x, value] = held[draw(held.size())];
            try {
              switch (draw(4)) {
                case 0: {
                  np::Array sum = x + 1.0;
                  held.emplace_back(sum, value + 1.0);
                  break;
                }
                case 1: {
                  x += 2.0;
                  value += 2.0;
                  break;
                }
                case 2: {
                  x(slice(1, {})) = x(slice(0, -1)) + 0.5;  // all cells but the first, which nobody looks at
                  value += 0.5;
                  break;
                }
                default: EXPECT_EQ(value_of(x), value); break;
              }
            } catch (const MemoryError&) {
              ++errors;
              held.erase(held.begin() + 1, held.begin() + static_cast<std::ptrdiff_t>(1 + (held.size() - 1) / 2));
            }
          }
          while (held.size() > 3) held.pop_back();
          for (auto& [x, value] : held) EXPECT_EQ(value_of(x), value);
          EXPECT_GT(errors, 3);
          session.wait();
        },
        window);
  }
}

}  // namespace
}  // namespace pilum
