// Users' tasks: each projection and access, on machines of every shape, among array operations.
#include "pilum/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/numeric/gpu_places.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::slice;
using testing::ElementsAre;
using testing::HasSubstr;

// Runs the program on 1 to 5 ranks, on several processors a rank, with several workers, and on GPUs.
void on_machines(const std::function<void()>& program) {
  struct Shape {
    int ranks, processors, workers;
    bool gpus;
  };
  for (const auto& [ranks, processors, workers, gpus] : {Shape{1, 1, 0, false},
                                                         {2, 1, 0, false},
                                                         {3, 1, 0, false},
                                                         {5, 1, 0, false},
                                                         {1, 1, 2, false},
                                                         {2, 2, 1, false},
                                                         {1, 1, 0, true},
                                                         {1, 3, 0, true},
                                                         {2, 2, 0, true}}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks of " << processors << (gpus ? " GPUs" : " processors") << ", "
                                    << workers << " workers");
    fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    machine.processors_per_rank = processors;
    machine.workers = workers;
    machine.gpus = gpus;
    machine.direct_after = ranks + processors > 2 ? 256 : 0;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { program(); });
  }
}

// Runs it on two ranks, and gives the text of what it throws.
std::string error_of(const std::function<void()>& program, int ranks = 2) {
  fakes::SimulatedRanks machine;
  machine.ranks = ranks;
  return test::error_on(program, machine);
}

void put_index(Piece piece, Write<double, 1> out) {
  for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = static_cast<double>(i);
}

TEST(Task, WritesEachPointsOwnCell) {
  on_machines([] {
    auto a = np::zeros({7});
    task("put_index", put_index)({7}, write(a));
    EXPECT_THAT(a.to_vector<double>(), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  });
}

TEST(Task, ReadsNeighboursThroughAHaloClippedAtTheEnds) {
  on_machines([] {
    auto a = np::zeros({6});
    auto b = np::zeros({6});
    task("put_index", put_index)({6}, write(a));
    const auto sum_around = task("sum_around", [](Piece piece, Read<const double, 1> in, Write<double, 1> out) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
        out(i) = 0;
        for (std::int64_t k = std::max<std::int64_t>(i - 1, in.lo(0)); k < std::min(i + 3, in.hi(0)); ++k)
          out(i) += in(k);
      }
    });
    sum_around({6}, read(a, halo(1, 2)), write(b));
    EXPECT_THAT(b.to_vector<double>(), ElementsAre(3, 6, 10, 14, 12, 9));
  });
}

TEST(Task, ReadsAWholeArrayAtEveryPoint) {
  on_machines([] {
    auto a = np::zeros({5});
    auto b = np::zeros({5});
    task("put_index", put_index)({5}, write(a));
    const auto all_of = task("all_of", [](Piece piece, Read<double, 1> in, Write<double, 1> out) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
        out(i) = static_cast<double>(i * 100);
        for (std::int64_t k = in.lo(0); k < in.hi(0); ++k) out(i) += in(k);
      }
    });
    all_of({5}, read(a, all), write(b));
    EXPECT_THAT(b.to_vector<double>(), ElementsAre(10, 110, 210, 310, 410));
  });
}

TEST(Task, WritesFurtherAxesWhole) {
  on_machines([] {
    auto a = np::zeros({2, 3});
    const auto fill = task("fill", [](Piece piece, Write<double, 2> out, int base) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
        for (std::int64_t k = out.lo(1); k < out.hi(1); ++k) out(i, k) = static_cast<double>(base + 10 * i + k);
      }
    });
    fill({2}, write(a), 100);
    EXPECT_THAT(a.to_vector<double>(), ElementsAre(100, 101, 102, 110, 111, 112));
  });
}

TEST(Task, ReadsThroughAnAffineMap) {
  on_machines([] {
    auto a = np::arange(9, float64);
    auto b = np::zeros({4});
    const auto pairs = task("pairs", [](Piece piece, Read<double, 1> in, Write<double, 1> out) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i)
        out(i) = 10 * in(2 * i + 1) + (2 * i + 2 < in.hi(0) ? in(2 * i + 2) : 0);
    });
    pairs({4}, read(a, affine({{.axis = 0, .scale = 2, .offset = 1, .extent = 2}})), write(b));
    EXPECT_THAT(b.to_vector<double>(), ElementsAre(12, 34, 56, 78));
  });
}

TEST(Task, ReadsWhatAFunctionSays) {
  on_machines([] {
    auto a = np::arange(8, float64);
    auto b = np::zeros({8});
    const auto far = task("far", [](Piece piece, Read<double, 1> in, Write<double, 1> out) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = in(i ^ 4) + 100 * in(7 - i);
    });
    const auto opposite = [](const Piece& point) {
      const std::int64_t i = point.lo(0);
      return std::vector<Box>{Box({i ^ 4}, {(i ^ 4) + 1}), Box({7 - i}, {8 - i})};
    };
    far({8}, read(a, opposite), write(b));
    EXPECT_THAT(b.to_vector<double>(), ElementsAre(704, 605, 506, 407, 300, 201, 102, 3));
  });
}

TEST(Task, UpdatesInPlace) {
  on_machines([] {
    auto a = np::arange(6, float64);
    const auto add = task("add", [](Piece piece, ReadWrite<double, 1> x, double d) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) x(i) += d;
    });
    add({6}, read_write(a), 0.5);
    a += 1;
    add({6}, read_write(a), 10);
    EXPECT_THAT(a.to_vector<double>(), ElementsAre(11.5, 12.5, 13.5, 14.5, 15.5, 16.5));
  });
}

TEST(Task, ReadsTheValuesFromBeforeWhatItWrites) {
  on_machines([] {
    auto a = np::arange(6, float64);
    const auto shift = task("shift", [](Piece piece, Write<double, 1> out, Read<double, 1> in) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = -1;
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = i > 0 ? in(i - 1) : in(i);
    });
    shift({6}, write(a), read(a, halo(1, 0)));
    EXPECT_THAT(a.to_vector<double>(), ElementsAre(0, 0, 1, 2, 3, 4));
  });
}

TEST(Task, FoldsIntoAnArray) {
  on_machines([] {
    auto a = np::arange(40, float64);
    auto total = np::ones({2});
    auto least = np::full({1}, 3.0);
    const auto count = task("count", [](Piece piece, Read<double, 1> in, Reduce<double, 1> sum, Reduce<double, 1> low) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
        sum(i % 2) += in(i);
        low(0) = std::min(low(0), in(i)-20);
      }
    });
    count({40}, read(a), reduce(total, Fold::Sum), reduce(least, Fold::Minimum));
    EXPECT_THAT(total.to_vector<double>(), ElementsAre(381, 401));
    EXPECT_THAT(least.to_vector<double>(), ElementsAre(-20));
  });
}

TEST(Task, TakesViewsAndMixesWithArrayOperations) {
  on_machines([] {
    auto a = np::zeros({6, 6});
    auto inner = a(slice(1, -1), slice(1, -1));
    const auto add = task("add", [](Piece piece, Read<double, 2> in, ReadWrite<double, 2> x) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
        for (std::int64_t j = piece.lo(1); j < piece.hi(1); ++j) x(i, j) += in(j, i) + static_cast<double>(10 * i + j);
      }
    });
    auto b = np::ones({4, 4});
    add({4, 4}, read(b.T(), affine({{.axis = 1}, {.axis = 0}})), read_write(inner));
    inner += 0.5 * inner;
    EXPECT_EQ(np::sum(a).item<double>(), 1.5 * (16 + 16.5 * 16));
    EXPECT_EQ(a(2, 4).item<double>(), 1.5 * 14);
  });
}

TEST(Task, WritesArraysThatAreCutOtherwise) {
  on_machines([] {
    auto wide = np::ones({4, 600});
    wide += wide;  // replicated or cut, as it is best
    auto small = np::ones({3});
    small += 1;
    (void)np::sum(wide).item<double>();
    (void)np::sum(small).item<double>();
    const auto along_columns = task("columns", [](Piece piece, ReadWrite<double, 2> x, ReadWrite<double, 1> y) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
        for (std::int64_t k = x.lo(1); k < x.hi(1); ++k) x(i, k) += static_cast<double>(i);
        y(i) += static_cast<double>(i);
      }
    });
    along_columns({3}, read_write(wide(slice(0, 3))), read_write(small));
    along_columns({3}, read_write(wide(slice(1, 4))), read_write(small));
    EXPECT_THAT(small.to_vector<double>(), ElementsAre(2, 4, 6));
    EXPECT_THAT(np::sum(wide, 1).to_vector<double>(), ElementsAre(1200, 1800, 3000, 2400));
  });
}

TEST(Task, TakesItsNumbersAnewWhenAPlanIsMadeAgain) {
  on_machines([] {
    auto a = np::zeros({6}), b = np::zeros({6});
    struct Factors {
      double by, plus;
      int more;
    };
    std::vector<double> expected(6, 0);
    for (int i = 0; i < 200; ++i) {
      const auto step =
          task("step", [](Piece piece, Read<double, 1> in, Write<double, 1> out, Factors factors, float x) {
            for (std::int64_t p = piece.lo(0); p < piece.hi(0); ++p) {
              out(p) = factors.by * in(p) + (p > 0 ? in(p - 1) : 0) + factors.plus + factors.more + x;
            }
          });
      step({6}, read(a, halo(1, 1)), write(b), Factors{0.25, 1.0 * i, i % 3}, 0.5f);
      std::swap(a, b);
      std::vector<double> next(6);
      for (std::size_t p = 0; p < 6; ++p)
        next[p] = 0.25 * expected[p] + (p > 0 ? expected[p - 1] : 0) + i + i % 3 + 0.5;
      expected = next;
    }
    EXPECT_EQ(a.to_vector<double>(), expected);
  });
}

TEST(Task, LeavesPiecesThatReadNothing) {
  on_machines([] {
    auto a = np::arange(3, float64);
    auto b = np::zeros({9});
    const auto some = task("some", [](Piece piece, Read<double, 1> in, Write<double, 1> out) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i)
        out(i) = i - 3 >= in.lo(0) && i - 3 < in.hi(0) ? in(i - 3) : -1;
    });
    some({9}, read(a, affine({{.axis = 0, .offset = -3}})), write(b));
    EXPECT_THAT(b.to_vector<double>(), ElementsAre(-1, -1, -1, 0, 1, 2, -1, -1, -1));
  });
}

TEST(Task, SharesOutTinyArrays) {
  const auto who = task("who", [](Piece piece, Write<std::int64_t, 2> out, std::int64_t rank) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
      for (std::int64_t k = 0; k < 4; ++k) out(i, k) = rank * 0 + piece.extent(0);
    }
  });
  fakes::SimulatedRanks machine;
  machine.ranks = 2;
  machine.split_bytes = 1 << 20;
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
    auto a = np::zeros({2, 4}, int64);
    who({2}, write(a), 0);
    EXPECT_THAT(a.to_vector<std::int64_t>(), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1));
  });
}

TEST(Task, SendsAHaloToNeighboursAlone) {
  fakes::SimulatedRanks machine;
  machine.ranks = 100;
  fakes::PlanningSession rank(machine, 40);
  auto a = np::zeros({1000}), b = np::zeros({1000});
  const auto sum_around = task("sum_around", [](Piece, Read<double, 1>, Write<double, 1>) {});
  task("put_index", put_index)({1000}, write(a));
  EXPECT_EQ(rank.take_plan().count<scheduler::Send>(), 0u);
  sum_around({1000}, read(a, halo(2, 1)), write(b));
  const scheduler::Plan plan = rank.take_plan();
  const auto sends = plan.all<scheduler::Send>();
  ASSERT_EQ(sends.size(), 2u);
  EXPECT_EQ(sends[0]->to + sends[1]->to, 39 + 41);
  EXPECT_EQ(sends[0]->bytes + sends[1]->bytes, 3 * sizeof(double));
  EXPECT_EQ(plan.count<scheduler::Receive>(), 2u);
  EXPECT_EQ(plan.count<scheduler::Launch>(), 3u) << "the interior need not wait for the halo";
}

TEST(Task, ALoopOfLaunchesIsPlannedOnce) {
  fakes::run_on_simulated_ranks({.ranks = 2}, [](scheduler::Session& session) {
    auto a = np::zeros({8}), b = np::zeros({8});
    for (int i = 0; i < 1000; ++i) {
      task("add", [](Piece piece, Read<double, 1> in, Write<double, 1> out, int by) {
        for (std::int64_t k = piece.lo(0); k < piece.hi(0); ++k) out(k) = in(k) + by;
      })({8}, read(a), write(b), i);
      std::swap(a, b);
    }
    session.wait();
    EXPECT_LE(session.plan_cache().misses, 5);
    EXPECT_GE(session.plan_cache().hits, 15);
    EXPECT_EQ(a(3).item<double>(), 499500);
  });
}

TEST(Task, AnIndexOutsideEndsTheRunWithTaskArgumentAndIndex) {
  const std::string text = error_of([] {
    auto a = np::zeros({8}), b = np::zeros({8});
    task("reach", [](Piece piece, Read<double, 1> in, Write<double, 1> out) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = in(i + 1);
    })({8}, read(a), write(b));
  });
  EXPECT_THAT(text, HasSubstr("[reach] argument 1 was asked for the cell ("));
  EXPECT_THAT(text, HasSubstr("task_test.cc:"));
}

TEST(Task, ABodyThatThrowsEndsTheRunWithItsName) {
  const std::string text = error_of(
      [] {
        auto a = np::zeros({8});
        task("faulty", [](Piece, Write<double, 1>) { throw std::runtime_error("no such material"); })({8}, write(a));
      },
      1);
  EXPECT_THAT(text, HasSubstr("[faulty] no such material. Recorded at "));
  EXPECT_THAT(error_of(
                  [] {
                    auto a = np::zeros({8});
                    task("faulty", [](Piece, Write<double, 1>) { throw 5; })({8}, write(a));
                  },
                  1),
              HasSubstr("[faulty] the body threw something that is not a std::exception"));
}

TEST(Task, RefusesWhatDoesNotFit) {
  const auto copy = task("copy", [](Piece, Read<double, 1>, Write<double, 1>) {});
  const auto expect = [&](const std::function<void()>& call, const std::string& part) {
    EXPECT_THAT(error_of(call, 1), testing::AllOf(HasSubstr("[copy] "), HasSubstr(part), HasSubstr("task_test.cc:")));
  };
  expect([&] { copy({4}, read(np::zeros({4}, int32)), write(np::zeros({4}))); },
         "argument 1, an array of shape (4,), is int32 and the body takes float64");
  expect([&] { copy({4}, read(np::zeros({4})), write(np::zeros({4, 4}))); },
         "argument 2, an array of shape (4, 4), has 2 axes and the body takes 1");
  expect([&] { copy({4}, read(np::zeros({5})), write(np::zeros({4}))); }, "axis 0 differs");
  expect([&] { copy({4, 4}, read(np::zeros({4})), write(np::zeros({4}))); }, "fewer axes than the domain (4, 4)");
  expect([&] { copy({}, read(np::zeros({4})), write(np::zeros({4}))); }, "a domain of 0 axes");
  expect(
      [&] {
        const np::Array a = np::zeros({4}), b = np::zeros({4});
        copy({4}, read(a), write(b));
        copy({1, 1, 1, 1, 1, 1, 1, 1, 1}, read(a), write(b));
      },
      "a domain of 9 axes");
  expect([&] { copy({-1}, read(np::zeros({4})), write(np::zeros({4}))); }, "negative extent");
  expect([&] { copy({4}, read(np::Array()), write(np::zeros({4}))); }, "empty");
  expect([&] { copy({4}, read(np::zeros({4})), write(np::zeros({8})(slice(0, 8, 2)))); }, "has steps along axis 0");
  expect([&] { copy({4}, read(np::zeros({4})), write(np::zeros({4}), all)); }, "tasks write aligned");
  expect([&] { copy({4}, read(np::zeros({4}), halo(-1, 0)), write(np::zeros({4}))); }, "a halo of -1 cells");
  expect([&] { copy({4}, read(np::zeros({4}), halo({1, 1}, {1, 1})), write(np::zeros({4}))); }, "a halo of 2 widths");
  expect([&] { copy({4}, read(np::zeros({4}), affine({{.axis = 1}})), write(np::zeros({4}))); }, "follows axis 1");
  expect(
      [&] { copy({4}, read(np::zeros({4}), [](const Piece&) { return Box({0, 0}, {1, 1}); }), write(np::zeros({4}))); },
      "a function that gives a box of 2 axes");
  expect(
      [&] {
        auto a = np::zeros({4});
        task("copy", [](Piece, Write<double, 1>, Write<double, 1>) {})({4}, write(a), write(a));
      },
      "arguments 1 and 2 write the same array");
  np::Array gone;
  fakes::run_on_simulated_ranks({}, [&](scheduler::Session&) { gone = np::zeros({4}); });
  EXPECT_THROW(copy({4}, read(gone), write(gone)), RuntimeError);
}

}  // namespace
}  // namespace pilum
