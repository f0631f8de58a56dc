// Ranks that do not record the same calls fail, and say where.
#include "scheduler/watch/watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <set>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// Of what may have padding the bytes are compared where the compiler can clear it: GCC's can, clang's before 20 cannot.
#if __has_builtin(__builtin_clear_padding)
constexpr bool kSeesWhatMayHavePadding = true;
#else
constexpr bool kSeesWhatMayHavePadding = false;
#endif

fakes::SimulatedRanks machine_of(int ranks) {
  fakes::SimulatedRanks machine;
  machine.ranks = ranks;
  return machine;
}

// What each rank threw; "" where it ended in order. The ranks' programs end, whatever happens, or the test hangs.
std::vector<std::string> errors_of(int ranks, const std::function<void(Session&)>& program) {
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  try {
    fakes::run_on_simulated_ranks(machine_of(ranks), [&](Session& session) {
      try {
        program(session);
        session.finish();
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(session.rank())] = error.what();
        throw;
      }
    });
  } catch (const std::exception&) {
  }
  return errors;
}

// The one error that says how the ranks differ.
std::string difference(const std::vector<std::string>& errors) {
  std::string found;
  for (const std::string& error : errors) {
    EXPECT_FALSE(error.empty()) << "a rank ended in order";
    if (error.find("different calls") == std::string::npos) continue;
    EXPECT_TRUE(found.empty()) << found << "\n" << error;
    found = error;
  }
  return found;
}

std::string place(unsigned line) {
  return "watch_test.cc:" + std::to_string(line);
}

TEST(Watch, NamesTheCallBothRanksAndBothLinesWhereTheyDiffer) {
  const unsigned here = __LINE__;
  const std::string error = difference(errors_of(3, [](Session& session) {
    np::Array x = np::ones(100);  // call 1
    if (session.rank() == 2) {
      x += 1.0;
    } else {
      x -= 1.0;
    }
    for (int i = 0; i < 5000; ++i) x += 1.0;
  }));
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
  EXPECT_NE(error.find("on rank 0"), std::string::npos) << error;
  EXPECT_NE(error.find("on rank 2"), std::string::npos) << error;
  EXPECT_NE(error.find(place(here + 4)), std::string::npos) << error;
  EXPECT_NE(error.find(place(here + 6)), std::string::npos) << error;
  EXPECT_NE(error.find("[Runtime]"), std::string::npos) << error;
  EXPECT_NE(error.find("Every rank must make the same calls"), std::string::npos) << error;
}

TEST(Watch, FindsALateCallAmongManyByBisection) {
  const std::string error = difference(errors_of(2, [](Session& session) {
    np::Array x = np::ones(4);
    for (int i = 2; i <= 9000; ++i) x[all] = (session.rank() == 1 && i == 7777) ? 2.0 : 1.0;
  }));
  EXPECT_NE(error.find("number 7777"), std::string::npos) << error;
}

TEST(Watch, ANumberIsPartOfTheCall) {
  EXPECT_NE(difference(errors_of(2,
                                 [](Session& session) {
                                   np::Array x = np::ones(4);
                                   x[all] = static_cast<double>(session.rank());
                                 }))
                .find("number 2"),
            std::string::npos);
}

TEST(Watch, ASliceIsPartOfTheCall) {
  EXPECT_NE(difference(errors_of(2,
                                 [](Session& session) {
                                   np::Array x = np::ones(100);
                                   x(slice(session.rank(), {})) = 1.0;
                                 }))
                .find("number 2"),
            std::string::npos);
}

TEST(Watch, NoticesWhileARankWaitsForAValue) {
  const std::string error = difference(errors_of(2, [](Session& session) {
    np::Array x = np::ones(1000);
    if (session.rank() == 0)
      (void)np::sum(x).item<double>();  // its peer never sends its share
    else
      x += 1.0;
  }));
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
}

TEST(Watch, ARankThatLeavesEarlyIsNamed) {
  const std::string error = difference(errors_of(3, [](Session& session) {
    np::Array x = np::ones(100);
    if (session.rank() == 1) return;
    x += 1.0;
    (void)np::sum(x).item<double>();
  }));
  EXPECT_NE(error.find("on rank 1"), std::string::npos) << error;
  EXPECT_NE(error.find("[~Runtime]"), std::string::npos) << error;
}

// Its last window is cut where the other's goes on: it waits for messages before it leaves.
TEST(Watch, ARankThatLeavesWithWorkLeftIsNamedWhileItWaits) {
  for (const int leaves : {0, 1}) {
    const std::string error = difference(errors_of(2, [leaves](Session& session) {
      np::Array x = np::ones(1000), y = np::zeros(1000);
      for (int i = 0; i < 5; ++i) y(slice(1, {})) += x(slice({}, -1));
      if (session.rank() == leaves) return;
      for (int i = 0; i < 5; ++i) x(slice(1, {})) += y(slice({}, -1)) + np::sum(y);
      session.wait();
    }));
    EXPECT_NE(error.find("[~Runtime]"), std::string::npos) << error;
  }
}

TEST(Watch, RankZeroLeavingEarlyIsNoticedToo) {
  const std::string error = difference(errors_of(2, [](Session& session) {
    np::Array x = np::ones(100);
    if (session.rank() == 0) return;
    x += 1.0;
    (void)np::sum(x).item<double>();
  }));
  EXPECT_NE(error.find("[~Runtime]"), std::string::npos) << error;
}

// --- what is part of a call

// Both ranks make the same two calls, but for what `differ` does on rank 1; the error names the second.
std::string difference_of(const std::function<void(np::Array&, bool)>& differ) {
  return difference(errors_of(2, [&](Session& session) {
    np::Array x = np::ones(100);
    differ(x, session.rank() == 1);
    x += 1.0;
  }));
}

TEST(Watch, TheExtentOfAnArrayIsPartOfTheCallsThatUseIt) {
  const std::string error = difference_of([](np::Array&, bool other) {
    np::Array y = np::empty({other ? 90 : 100});
    y(slice(0, 50)) = 1.0;
  });
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
  EXPECT_NE(error.find("arrays, their shapes or dtypes"), std::string::npos) << error;
}

TEST(Watch, TheDTypeOfAnArrayIsPartOfTheCallsThatUseIt) {
  const std::string error = difference_of([](np::Array&, bool other) {
    np::Array y = np::empty({100}, other ? float32 : float64);
    y(slice(0, 50)) = 1.0;
  });
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
}

// offset * 31 + scale * 7 is the same for (0, 32) and (7, 1).
TEST(Watch, SlicesThatALinearHashTakesForOneAnotherDiffer) {
  const std::string error =
      difference_of([](np::Array& x, bool other) { x(other ? slice(0, 97, 32) : slice(7, 11, 1)) = 1.0; });
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
  EXPECT_NE(error.find("slices"), std::string::npos) << error;
}

TEST(Watch, ImportedCellsArePartOfTheCall) {
  const std::string error = difference_of([](np::Array&, bool other) {
    std::vector<double> cells(32, 1.0);
    cells[17] = other ? 2.0 : 1.0;
    const np::Array y = np::array(cells);
  });
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
  EXPECT_NE(error.find("imported, read or captured values"), std::string::npos) << error;
}

TEST(Watch, AnIntegerThatATasksBodyHasCapturedIsPartOfTheCallWhateverTheCompiler) {
  const std::string error = difference_of([](np::Array& x, bool other) {
    const std::int64_t by = other ? 3 : 2;
    task("shift", [by](Piece piece, ReadWrite<double, 1> cells) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) cells(i) += static_cast<double>(by);
    })({100}, read_write(x));
  });
  EXPECT_NE(error.find("[shift]"), std::string::npos) << error;
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
}

TEST(Watch, WhatATasksBodyHasCapturedIsPartOfTheCall) {
  if (!kSeesWhatMayHavePadding) GTEST_SKIP() << "this compiler does not clear padding";
  const std::string error = difference_of([](np::Array& x, bool other) {
    const double factor = other ? 3.0 : 2.0;
    task("scale", [factor](Piece piece, ReadWrite<double, 1> cells) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) cells(i) *= factor;
    })({100}, read_write(x));
  });
  EXPECT_NE(error.find("[scale]"), std::string::npos) << error;
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
}

TEST(Watch, AddressesThatATasksBodyHasCapturedMayDiffer) {
  for (const std::string& error : errors_of(2, [](Session&) {
         np::Array x = np::zeros(100);
         const std::vector<double> table(10, 2.0);  // elsewhere on each rank
         const double* const cells_of_table = table.data();
         task("add", [cells_of_table](Piece piece, ReadWrite<double, 1> cells) {
           for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) cells(i) += cells_of_table[i % 10];
         })({100}, read_write(x));
         EXPECT_EQ(np::sum(x).item<double>(), 200.0);
       })) {
    EXPECT_EQ(error, "");
  }
}

TEST(Watch, AStructThatATaskIsGivenIsPartOfTheCallButNotItsPadding) {
  if (!kSeesWhatMayHavePadding) GTEST_SKIP() << "this compiler does not clear padding";
  struct Pair {
    char small;
    double large;
  };
  const auto launch = [](np::Array& x, unsigned char padding, double large) {
    Pair pair;
    std::memset(static_cast<void*>(&pair), padding, sizeof pair);
    pair.small = 1;
    pair.large = large;
    task("shift", [](Piece piece, ReadWrite<double, 1> cells, Pair by) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) cells(i) += by.large;
    })({100}, read_write(x), pair);
  };
  EXPECT_NE(difference_of([&](np::Array& x, bool other) { launch(x, 0, other ? 2.0 : 1.0); }).find("number 2"),
            std::string::npos);
  for (const std::string& error : errors_of(2, [&](Session& session) {
         np::Array x = np::ones(100);
         launch(x, session.rank() == 1 ? 0xff : 0, 1.0);
       })) {
    EXPECT_EQ(error, "");
  }
}

TEST(Watch, TwoBodiesOfOneNameAreTwoCalls) {
  const auto add = task("change", [](Piece piece, ReadWrite<double, 1> cells) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) cells(i) += 1;
  });
  const auto subtract = task("change", [](Piece piece, ReadWrite<double, 1> cells) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) cells(i) -= 1;
  });
  const std::string error =
      difference_of([&](np::Array& x, bool other) { (other ? add : subtract)({100}, read_write(x)); });
  EXPECT_NE(error.find("number 2"), std::string::npos) << error;
}

TEST(Watch, AProjectionsBoxesArePartOfTheCall) {
  const std::string error = difference_of([](np::Array& x, bool other) {
    np::Array y = np::zeros(100);
    const std::int64_t reach = other ? 3 : 2;
    task("gather",
         [](Piece piece, Read<double, 1> in, Write<double, 1> out) {
           for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = in(in.lo(0));
         })({100},
            read(x, Projection([reach](const Piece& point) { return Box({point.lo(0)}, {point.lo(0) + reach}); })),
            write(y));
  });
  EXPECT_NE(error.find("[gather]"), std::string::npos) << error;
}

TEST(Watch, AWaitMoreOfOneRankIsFoundWhileTheOtherIsBlocked) {
  for (const int changed : {0, 1}) {
    const std::string error = difference(errors_of(2, [changed](Session& session) {
      np::Array x = np::ones(1000);
      for (int i = 0; i < 200; ++i) {
        x[all] = x * 0.5 + 1.0;
        if (i == 100 && session.rank() == changed) session.wait();
        if (i % 50 == 49) (void)np::sum(x).item<double>();
      }
    }));
    EXPECT_NE(error.find("[wait]"), std::string::npos) << error;
  }
}

TEST(Watch, AValueLeavesTheProgramOnlyOnceTheCallsBeforeItAgree) {
  std::atomic<int> shown{0};
  const std::vector<std::string> errors = errors_of(2, [&](Session& session) {
    np::Array x = np::ones(10);  // small: every rank has it, nobody need ask another
    x += session.rank() == 1 ? 2.0 : 1.0;
    (void)x(3).item<double>();
    if (session.rank() == 0) ++shown;
  });
  EXPECT_NE(difference(errors).find("number 2"), std::string::npos);
  EXPECT_EQ(shown, 0);
}

// Of what was brought whole since it is read over and over: no message is needed for its cells.
TEST(Watch, CellsThatAreThereAlreadyLeaveTheProgramOnlyOnceTheCallsAgree) {
  std::atomic<int> shown{0};
  const std::vector<std::string> errors = errors_of(2, [&](Session& session) {
    np::Array x = np::ones(1000);
    for (int i = 0; i < 50; ++i) (void)x(i).item<double>();
    if (session.rank() == 0) {
      (void)x[slice(7, 9)].to_vector<double>();
      ++shown;
    } else {
      (void)x(3).item<double>();
    }
  });
  EXPECT_NE(difference(errors).find("to_vector"), std::string::npos);
  EXPECT_EQ(shown, 0);
}

TEST(CallDigest, CellsThatAreReadCountButNotWhichNaNTheyAre) {
  const auto digest = [](std::vector<double> cells, bool all_bytes = false) {
    return digest_of("item", DType::Float64, std::as_bytes(std::span(cells)), all_bytes).whole();
  };
  EXPECT_NE(digest({1.0, 2.0}), digest({1.0, 3.0}));
  EXPECT_NE(digest({0.0}), digest({-0.0}));
  EXPECT_EQ(digest({std::nan("1"), 2.0}), digest({-std::nan("2"), 2.0}));
  EXPECT_NE(digest({std::nan("1"), 2.0}), digest({2.0, std::nan("1")}));
  std::vector<double> many(100'000, 1.0), other = many;
  other.back() = 2.0;
  EXPECT_NE(digest(many), digest(other)) << "the last cell is among the sample";
  other = many;
  other[50'001] = 2.0;
  EXPECT_NE(digest(many, /*all_bytes=*/true), digest(other, /*all_bytes=*/true));
}

TEST(Watch, CellsThatAreNotANumberAreAlike) {
  for (const std::string& error : errors_of(2, [](Session&) {
         const np::Array x = np::zeros(100) / np::zeros(100);
         EXPECT_TRUE(std::isnan(x(7).item<double>()));
       })) {
    EXPECT_EQ(error, "");
  }
}

TEST(Watch, EqualProgramsNeverTripIt) {
  for (const int ranks : {1, 2, 5}) {
    const std::vector<std::string> errors = errors_of(ranks, [](Session& session) {
      np::Array x = np::ones(64);
      for (int i = 0; i < 3000; ++i) {
        x[all] = x * 0.5 + 1.0;
        if (i % 700 == 699) (void)x(i % 64).item<double>();
      }
      std::vector<np::Array> kept;  // ranks may drop handles when they like
      if (session.rank() == 0) kept.push_back(x);
      x = np::Array();
    });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
  }
}

TEST(Watch, AnExceptionInOneRankEndsTheOthers) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::string> errors = errors_of(3, [](Session& session) {
    np::Array x = np::ones(100);
    if (session.rank() == 1) throw std::runtime_error("the program gives up");
    for (int i = 0; i < 100; ++i) (void)np::sum(x + static_cast<double>(i)).item<double>();
  });
  EXPECT_EQ(errors[1], "the program gives up");
  EXPECT_NE(errors[0], "");
  EXPECT_NE(errors[2], "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Watch, AUsersMistakeOnEveryRankIsThatMistakeEverywhere) {
  const std::vector<std::string> errors = errors_of(2, [](Session&) {
    np::Array x = np::ones(100);
    x[all] = np::ones(99);
  });
  int mistakes = 0;
  for (const std::string& error : errors) mistakes += error.find("(99,)") != std::string::npos;
  EXPECT_EQ(mistakes, 2) << errors[0] << "\n" << errors[1];
}

}  // namespace
}  // namespace pilum::scheduler
