// Bodies for GPUs: each access and projection against plain loops, on emulated GPUs or real ones. The CPU bodies throw:
// nothing of this runs on the host.
#include <cmath>
#include <cstring>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/emulated_gpu.h"
#include "tests/numeric/gpu_places.h"
#include "tests/numeric/on_host.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::slice;
using test::on_gpus;
using test::on_host;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Cells = std::vector<double>;

using In = Read<double, 1>;
using Out = Write<double, 1>;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

Cells counted(std::int64_t n) {
  Cells cells(at(n));
  std::iota(cells.begin(), cells.end(), 0.0);
  return cells;
}

TEST(GpuTask, WritesEachPointsOwnCell) {
  on_gpus([] {
    for (const std::int64_t n : {1, 7, 1000}) {
      auto a = np::zeros({n});
      task("put", on_host<Out, double>,
           gpu_body("void body(pilum::Point<1> x, pilum::Write<double, 1> out, double by) { out(x) = by * x; }"))(
          {n}, write(a), 0.5);
      Cells expected = counted(n);
      for (double& cell : expected) cell *= 0.5;
      EXPECT_EQ(a.to_vector<double>(), expected);
    }
  });
}

TEST(GpuTask, HalvesAreReadAsFloatsAndWrittenRounded) {
  const auto put = task("halves", on_host<Read<half, 1>, Write<half, 1>>, gpu_body(R"(
    void body(pilum::Point<1> x, pilum::Read<pilum::half, 1> in, pilum::Write<pilum::half, 1> out) {
      out(x) = pilum::half(in(x) * 3.0 + 0.001);
    }
  )"));
  on_gpus([&] {
    std::vector<half> cells, expected;
    for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
      cells.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
      expected.emplace_back(cells.back() * 3.0 + 0.001);
    }
    auto a = np::array(cells), b = np::zeros_like(a);
    put(a.shape(), read(a), write(b));
    EXPECT_EQ(b.to_vector<half>(), expected);
  });
}

TEST(GpuTask, ReadsAHaloClippedAtTheEndsAsItsLoAndHi) {
  const auto around = task("around", on_host<In, Out>, gpu_body(R"(
    void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out) {
      double sum = 0;
      for (std::int64_t k = in.lo(0); k < in.hi(0); ++k) sum += in(k);
      out(x) = sum + 1000 * in.extent(0) + *in.data();
    }
  )"));
  on_gpus([&] {
    for (const auto& [low, high] : {std::pair{1, 2}, {0, 0}, {3, 0}, {0, 40}}) {
      const std::int64_t n = 23;
      auto a = np::arange(n, float64), b = np::zeros({n});
      around({n}, read(a, halo(low, high)), write(b));
      Cells expected;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t lo = std::max<std::int64_t>(i - low, 0), hi = std::min<std::int64_t>(i + high + 1, n);
        double sum = static_cast<double>(1000 * (hi - lo) + lo);
        for (std::int64_t k = lo; k < hi; ++k) sum += static_cast<double>(k);
        expected.push_back(sum);
      }
      EXPECT_EQ(b.to_vector<double>(), expected) << "halo " << low << ", " << high;
    }
  });
}

TEST(GpuTask, ReadsHalosOfTwoAxes) {
  const auto cross = task("cross", on_host<Read<double, 2>, Write<double, 2>>, gpu_body(R"(
    double at(const pilum::Read<double, 2>& in, std::int64_t i, std::int64_t j) {
      return i < in.lo(0) || i >= in.hi(0) || j < in.lo(1) || j >= in.hi(1) ? -1 : in(i, j);
    }
    void body(pilum::Point<2> x, pilum::Read<double, 2> in, pilum::Write<double, 2> out) {
      const std::int64_t i = x[0], j = x[1];
      out(x) = at(in, i - 1, j) + 2 * at(in, i, j - 2) + 3 * at(in, i, j + 1) + in(x);
    }
  )"));
  on_gpus([&] {
    const std::int64_t n = 9, m = 14;
    auto a = np::arange(n * m, float64).reshape({n, m}), b = np::zeros({n, m});
    cross({n, m}, read(a, halo({1, 2}, {0, 1})), write(b));
    Cells expected;
    const auto cell = [&](std::int64_t i, std::int64_t j) {
      return i < 0 || i >= n || j < 0 || j >= m ? -1.0 : static_cast<double>(i * m + j);
    };
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < m; ++j)
        expected.push_back(cell(i - 1, j) + 2 * cell(i, j - 2) + 3 * cell(i, j + 1) + cell(i, j));
    }
    EXPECT_EQ(b.to_vector<double>(), expected);
  });
}

TEST(GpuTask, ReadsAWholeArrayAtEveryPoint) {
  on_gpus([] {
    auto a = np::arange(11, float64), b = np::zeros({30});
    task("all_of", on_host<In, Out>, gpu_body(R"(
      void body(pilum::Point<1> x, pilum::Read<const double, 1> in, pilum::Write<double, 1> out) {
        out(x) = 100 * x;
        for (long k = in.lo(0); k < in.hi(0); ++k) out(x) += in(k);
      })"))({30}, read(a, all), write(b));
    Cells expected = counted(30);
    for (double& cell : expected) cell = 100 * cell + 55;
    EXPECT_EQ(b.to_vector<double>(), expected);
  });
}

TEST(GpuTask, ReadsThroughAffineMaps) {
  const auto sum = task("sum", on_host<In, Out>, gpu_body(R"(
    void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out) {
      double sum = 10 * in.extent(0);
      for (long k = in.lo(0); k < in.hi(0); ++k) sum += (1 + k) * in(k);
      out(x) = sum;
    })"));
  on_gpus([&] {
    const std::int64_t n = 17;
    const std::pair<AxisCells, std::int64_t> cases[] = {
        {{0, 2, 1, 3}, 40},  {{0, -1, 30, 2}, 40}, {{0, -3, 20, 1}, 40}, {{0, 5, -30, 7}, 40},
        {{-1, 1, 3, 4}, 40}, {{0, 1, 100, 2}, 40}, {{0, 1, 0, 1}, 9},    {{0, 1, 0, 1}, 40}};
    for (const auto& [cells, m] : cases) {
      auto a = np::arange(m, float64), b = np::zeros({n});
      sum({n}, read(a, affine({cells})), write(b));
      Cells expected;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t first = cells.offset + (cells.axis < 0 ? 0 : cells.scale * i);
        const std::int64_t lo = std::clamp<std::int64_t>(first, 0, m);
        const std::int64_t hi = std::clamp<std::int64_t>(first + cells.extent, lo, m);
        double sum = static_cast<double>(10 * (hi - lo));
        for (std::int64_t k = lo; k < hi; ++k) sum += static_cast<double>((1 + k) * k);
        expected.push_back(sum);
      }
      EXPECT_EQ(b.to_vector<double>(), expected) << cells.scale << " * x + " << cells.offset << " of " << m;
    }
  });
}

TEST(GpuTask, ReadsWhatAFunctionSays) {
  on_gpus([] {
    auto a = np::arange(8, float64), b = np::zeros({8});
    const auto opposite = [](const Piece& point) {
      const std::int64_t i = point.lo(0);
      return std::vector<Box>{Box({i ^ 4}, {(i ^ 4) + 1}), Box({7 - i}, {8 - i})};
    };
    task("far", on_host<In, Out>,
         gpu_body("void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out) { out(x) = "
                  "in(x ^ 4) + 100 * in(7 - x); }"))({8}, read(a, opposite), write(b));
    EXPECT_THAT(b.to_vector<double>(), ElementsAre(704, 605, 506, 407, 300, 201, 102, 3));
  });
}

TEST(GpuTask, WritesFurtherAxesWholeAndUpdatesInPlace) {
  const auto rows = task("rows", on_host<In, ReadWrite<std::int32_t, 2>, int>, gpu_body(R"(
    void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::ReadWrite<std::int32_t, 2> out, int plus) {
      for (long k = out.lo(1); k < out.hi(1); ++k) out(x, k) = 2 * out(x, k) + (int)in(x) + plus * k;
    })"));
  on_gpus([&] {
    const std::int64_t n = 12, m = 3;
    auto a = np::arange(n, float64), b = np::ones({n, m}, int32);
    for (int plus = 0; plus < 3; ++plus) rows({n}, read(a), read_write(b), plus);
    std::vector<std::int32_t> expected(at(n * m), 1);
    for (int plus = 0; plus < 3; ++plus) {
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < m; ++k) expected[at(i * m + k)] = 2 * expected[at(i * m + k)] + i + plus * k;
      }
    }
    EXPECT_EQ(b.to_vector<std::int32_t>(), expected);
  });
}

TEST(GpuTask, ReadsTheValuesFromBeforeWhatItWrites) {
  on_gpus([] {
    auto a = np::arange(50, float64);
    task("shift", on_host<Out, In>,
         gpu_body("void body(pilum::Point<1> x, pilum::Write<double, 1> out, pilum::Read<double, 1> in) { out(x) = -1; "
                  "out(x) = in(in.lo(0)); }"))({50}, write(a), read(a, halo(1, 0)));
    Cells expected = counted(50);
    for (double& cell : expected) cell = std::max(cell - 1, 0.0);
    EXPECT_EQ(a.to_vector<double>(), expected);
  });
}

TEST(GpuTask, TakesViewsOfEveryKind) {
  const auto put = task("put", on_host<Read<double, 2>, ReadWrite<double, 2>>, gpu_body(R"(
    void body(pilum::Point<2> x, pilum::Read<double, 2> in, pilum::ReadWrite<double, 2> out) {
      out(x) = 2 * out(x) + in(x);
    })"));
  on_gpus([&] {
    auto a = np::arange(48, float64).reshape({6, 8});
    auto b = np::ones({5, 6});
    auto inner = b(slice(1, -1), slice(1, -1));
    put({3, 4}, read(a(slice({}, {}, 2), slice(0, 8, 2))), read_write(inner));
    put({3, 4}, read(a(slice(1, 5), slice(2, 5)).T()), read_write(inner));
    put({3, 4}, read(a(slice(3, 0, -1), slice(4, 8))), read_write(inner));
    put({3, 4}, read(np::broadcast_to(a(2, slice(0, 4)), {3, 4})), read_write(inner));
    Cells expected(30, 1);
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 4; ++j) {
        double& cell = expected[at((i + 1) * 6 + j + 1)];
        cell = 2 * cell + static_cast<double>(16 * i + 2 * j);
        cell = 2 * cell + static_cast<double>(8 * (1 + j) + 2 + i);
        cell = 2 * cell + static_cast<double>(8 * (3 - i) + 4 + j);
        cell = 2 * cell + static_cast<double>(16 + j);
      }
    }
    EXPECT_EQ(b.to_vector<double>(), expected);
  });
}

TEST(GpuTask, TakesEveryDtypeAndAPiece) {
  on_gpus([] {
    auto flag = np::arange(9, int32) < 4;
    auto i32 = np::arange(9, int32);
    auto i64 = np::arange(9, int64), out = np::zeros({9}, int64);
    auto f32 = np::full({9}, 0.5, float32);
    auto bools = np::zeros({9}, bool_);
    task("many",
         on_host<Read<bool, 1>, Read<std::int32_t, 1>, ReadWrite<std::int64_t, 1>, Read<float, 1>, Write<bool, 1>,
                 Write<std::int64_t, 1>>,
         gpu_body(R"(
      void body(pilum::Piece piece, pilum::Read<bool, 1> flag, pilum::Read<int, 1> a, pilum::ReadWrite<std::int64_t, 1> b, pilum::Read<float, 1> c,
                pilum::Write<bool, 1> odd, pilum::Write<long, 1> out) {
        for (long i = piece.lo(0); i < piece.hi(0); ++i) {
          b(i) += flag(i) ? 100 : 0;
          odd(i) = !flag(i);
          out(i) = (long)(a(i) + b(i) + 2 * c(i)) * piece.size() * piece.rank();
        }
      })"))({9}, read(flag), read(i32), read_write(i64), read(f32), write(bools), write(out));
    for (std::int64_t i = 0; i < 9; ++i) {
      EXPECT_EQ(out(i).item<std::int64_t>(), 2 * i + (i < 4 ? 100 : 0) + 1);
      EXPECT_EQ(bools(i).item<bool>(), i >= 4);
    }
  });
}

TEST(GpuTask, FoldsByEachFold) {
  const auto count = task("count",
                          on_host<Read<double, 1>, Reduce<double, 1>, Reduce<double, 2>, Reduce<std::int64_t, 0>,
                                  Reduce<float, 1>, Write<double, 1>>,
                          gpu_body(R"(
    void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Reduce<double, 1> sum, pilum::Reduce<double, 2> product,
              pilum::Reduce<std::int64_t, 0> least, pilum::Reduce<float, 1> most, pilum::Write<double, 1> twice) {
      sum(x % 5) += in(x);
      product(x % 2, x % 3) *= in(x) > 3 ? 1 : 1 + in(x);
      least() = std::min(least(), 7 - x % 50);
      most(0) = std::max(most(0), (float)in(x) / 2);
      twice(x) = 2 * in(x);
    })"));
  on_gpus([&] {
    for (const std::int64_t n : {1, 40, 3000}) {
      auto a = np::arange(n, float64), twice = np::zeros({n});
      auto sum = np::ones({5}), product = np::full({2, 3}, 2.0);
      auto least = np::full(Shape{}, 5, int64), most = np::full({1}, -3, float32);
      count({n}, read(a), reduce(sum, Fold::Sum), reduce(product, Fold::Product), reduce(least, Fold::Minimum),
            reduce(most, Fold::Maximum), write(twice));
      Cells sums(5, 1), products(6, 2), doubled;
      std::int64_t low = 5;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto x = static_cast<double>(i);
        sums[at(i % 5)] += x;
        products[at(i % 2 * 3 + i % 3)] *= i > 3 ? 1 : 1 + x;
        low = std::min(low, 7 - i % 50);
        doubled.push_back(2 * x);
      }
      EXPECT_EQ(sum.to_vector<double>(), sums) << n;
      EXPECT_EQ(product.to_vector<double>(), products) << n;
      EXPECT_EQ(least.item<std::int64_t>(), low) << n;
      EXPECT_EQ(most.to_vector<float>(), std::vector<float>{static_cast<float>(n - 1) / 2}) << n;
      EXPECT_EQ(twice.to_vector<double>(), doubled) << n;
    }
  });
}

TEST(GpuTask, FoldsOverSeveralAxesIntoManyCells) {
  on_gpus([] {
    const std::int64_t n = 7, m = 5, k = 4, bins = 3000;
    auto a = np::arange(n * m * k, float64).reshape({n, m, k});
    auto histogram = np::zeros({bins});
    task("histogram", on_host<Read<double, 3>, Reduce<double, 1>>,
         gpu_body("void body(pilum::Point<3> x, pilum::Read<double, 3> in, pilum::Reduce<double, 1> h) { h((long)in(x) "
                  "* 37 % h.hi(0)) += in(x) + x[2]; }"))({n, m, k}, read(a), reduce(histogram, Fold::Sum));
    Cells expected(at(bins), 0);
    for (std::int64_t i = 0; i < n * m * k; ++i) expected[at(i * 37 % bins)] += static_cast<double>(i + i % k);
    EXPECT_EQ(histogram.to_vector<double>(), expected);
  });
}

TEST(GpuTask, FoldsIntoAnArrayThatLeavesRoomForFewParts) {
  const auto program = [] {
    const std::int64_t n = 8000, bins = 6000;
    auto a = np::arange(n, float64), sums = np::ones({bins});
    task("spread", on_host<In, Reduce<double, 1>>, gpu_body(R"(
      void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Reduce<double, 1> sums) {
        sums(x * 61 % sums.extent(0)) += in(x);
      })"))({n}, read(a), reduce(sums, Fold::Sum));
    Cells expected(at(bins), 1);
    for (std::int64_t i = 0; i < n; ++i) expected[at(i * 61 % bins)] += static_cast<double>(i);
    EXPECT_EQ(sums.to_vector<double>(), expected);
  };
  if (test::on_real_gpus()) return test::on_this_machine(program);
  fakes::SimulatedRanks machine;  // one: emulated folds of many cells are slow
  machine.gpus = true;
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { program(); });
}

TEST(GpuTask, FoldsToTheSameBitsWhateverTheOrder) {
  if (test::on_real_gpus()) GTEST_SKIP() << "needs another order";
  std::vector<Cells> totals;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    fakes::SimulatedRanks machine{.processors_per_rank = 2, .seed = seed};
    machine.gpus = true;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      auto a = 1 / (1 + np::arange(5000, float64)), total = np::zeros({2});
      task("sum", on_host<In, Reduce<double, 1>>,
           gpu_body("void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Reduce<double, 1> total) { total(x "
                    "& 1) += in(x); }"))({5000}, read(a), reduce(total, Fold::Sum));
      totals.push_back(total.to_vector<double>());
    });
  }
  double even = 0, odd = 0;
  for (int i = 0; i < 5000; ++i) (i % 2 ? odd : even) += 1.0 / (1 + i);
  EXPECT_NEAR(totals[0][0], even, 1e-12);
  EXPECT_NEAR(totals[0][1], odd, 1e-12);
  for (const Cells& total : totals) EXPECT_EQ(0, std::memcmp(total.data(), totals[0].data(), sizeof(double) * 2));
}

// u = a smoothing step with numbers of its own, among array operations, 100 times.
TEST(GpuTask, TakesItsNumbersAnewWhenAPlanIsReplayed) {
  struct Factors {
    double by, plus;
    int more;
  };
  const auto program = [] {
    const std::int64_t n = 30;
    auto a = np::zeros({n}), b = np::zeros({n});
    auto total = np::zeros({1});
    Cells expected(at(n), 0);
    double expected_total = 0;
    for (int i = 0; i < 100; ++i) {
      const auto step = task("step", on_host<In, Out, Factors, float>, gpu_body(R"(
        struct Factors { double by, plus; int more; };
        void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out, Factors factors, float half) {
          out(x) = factors.by * in(x) + (x > 0 ? in(x - 1) : 0) / 8 + factors.plus + factors.more + half;
        })"));
      const auto add = task("add", on_host<In, Reduce<double, 1>, std::int64_t>,
                            gpu_body("void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Reduce<double, 1> "
                                     "total, long scale) { total(0) += (long)in(x) * scale; }"));
      step({n}, read(a, halo(1, 1)), write(b), Factors{0.25, 1.0 * i, i % 3}, 0.5f);
      b *= 0.5;
      add({n}, read(b), reduce(total, Fold::Sum), i % 7);
      std::swap(a, b);
      Cells next(at(n));
      for (std::int64_t p = 0; p < n; ++p) {
        next[at(p)] = 0.5 * (0.25 * expected[at(p)] + (p > 0 ? expected[at(p - 1)] : 0) / 8 + i + i % 3 + 0.5);
        expected_total += static_cast<double>(static_cast<long>(next[at(p)]) * (i % 7));
      }
      expected = next;
    }
    EXPECT_EQ(a.to_vector<double>(), expected);
    EXPECT_EQ(total(0).item<double>(), expected_total);
  };
  on_gpus(program);
  if (test::on_real_gpus()) return;
  fakes::SimulatedRanks machine{.processors_per_rank = 2};
  machine.gpus = true;
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
    program();
    EXPECT_GE(session.plan_cache().hits, 5);
    EXPECT_GE(session.profile().counters.graphs.get(), 3) << "the loop is no graph";
  });
}

TEST(GpuTask, OneWithoutABodyForGpusIsToldOfOnceWithItsLine) {
  testing::internal::CaptureStderr();
  on_gpus([] {
    auto a = np::zeros({20});
    const auto told = task("told", [](Piece piece, Write<double, 1> out) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = 1;
    });
    for (int i = 0; i < 3; ++i) told({20}, write(a));
    EXPECT_EQ(a.to_vector<double>(), Cells(20, 1));
  });
  const std::string line = std::to_string(__LINE__ - 3), text = testing::internal::GetCapturedStderr();
  if (test::on_real_gpus() && !test::is_first_rank()) {  // the first one warns for all
    EXPECT_EQ(text, "");
    return;
  }
  const std::size_t first = text.find("gpu_task_test.cc:" + line + ", has no body for GPUs: it runs on the host");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("has no body for GPUs", first + 60), std::string::npos) << text;
}

TEST(GpuTask, OneWithoutABodyForGpusRunsOnTheHostAmongOthers) {
  on_gpus([] {
    auto a = np::zeros({20}), b = np::zeros({20});
    const auto on_cores = task("on_cores", [](Piece piece, Read<double, 1> in, Write<double, 1> out) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = in(i) + 1;
    });
    const auto on_gpu = task("on_gpu", on_host<In, Out>,
                             gpu_body("void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> "
                                      "out) { out(x) = 2 * in(x); }"));
    for (int i = 0; i < 20; ++i) {
      on_cores({20}, read(a), write(b));
      on_gpu({20}, read(b), write(a));
    }
    EXPECT_EQ(a.to_vector<double>(), Cells(20, 2 * (std::pow(2.0, 20) - 1)));
  });
}

// As the header shows it, to the CPU body's bits.
TEST(GpuTask, BothBodiesGiveTheSameBits) {
  const auto on_cores = [](Piece piece, Read<const double, 1> in, Write<double, 1> out, double weight) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
      const std::int64_t left = std::max(i - 1, in.lo(0)), right = std::min(i + 1, in.hi(0) - 1);
      out(i) = (1 - weight) * in(i) + weight / 2 * (in(left) + in(right));
    }
  };
  const auto cpu = task("smooth", on_cores), gpu = task("smooth", on_cores, gpu_body(R"(
    void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out, double weight) {
      const std::int64_t left = std::max(x - 1, in.lo(0)), right = std::min(x + 1, in.hi(0) - 1);
      out(x) = (1 - weight) * in(x) + weight / 2 * (in(left) + in(right));
    }
  )"));
  on_gpus([&] {
    std::vector<Cells> results;
    for (const auto& smooth : {cpu, gpu}) {
      auto a = 1 / (1 + np::arange(100, float64)), b = np::zeros({100});
      for (int i = 0; i < 10; ++i) {
        smooth({100}, read(a, halo(1, 1)), write(b), 0.1 * i);
        std::swap(a, b);
      }
      results.push_back(a.to_vector<double>());
    }
    EXPECT_EQ(results[0], results[1]);
  });
}

TEST(GpuTask, TwoTextsBesideOneCpuBodyAreTwoTasks) {
  on_gpus([] {
    auto a = np::zeros({4});
    for (int i = 0; i < 600; ++i) {
      const bool plus = i < 300;
      const char* text = plus ? "void body(pilum::Point<1> x, pilum::ReadWrite<double, 1> a) { a(x) += 3; }"
                              : "void body(pilum::Point<1> x, pilum::ReadWrite<double, 1> a) { a(x) -= 1; }";
      task("change", on_host<ReadWrite<double, 1>>, gpu_body(text))({4}, read_write(a));
    }
    EXPECT_EQ(a.to_vector<double>(), Cells(4, 300 * 3 - 300));
  });
}

TEST(GpuTask, StagesNothingAndComputesTheInteriorBesideTheHalo) {
  if (test::on_real_gpus()) GTEST_SKIP() << "looks at plans";
  fakes::SimulatedRanks machine{.ranks = 9, .seed = 1};
  machine.gpus = true;
  fakes::PlanningSession rank(machine, 4);
  const auto put = task("put", on_host<Out>, gpu_body(""));
  const auto sum_around = task("sum_around", on_host<In, Out>, gpu_body(""));
  auto a = np::zeros({9000}), b = np::zeros({9000});
  const auto sweep = [&] {
    put({9000}, write(a));
    sum_around({9000}, read(a, halo(2, 1)), write(b));
  };
  sweep();
  (void)rank.take_plan();
  sweep();
  const scheduler::Plan plan = rank.take_plan();
  EXPECT_EQ(plan.count<scheduler::Launch>(), 1 + 3u) << "the interior need not wait for the halo";
  EXPECT_EQ(plan.count<scheduler::Send>(), 2u);
  for (const scheduler::Copy* copy : plan.all<scheduler::Copy>())
    EXPECT_LE(copy->bytes(), 16) << "more than a halo is copied";
}

// On one emulated GPU, whose kernels come from `compiler`.
void on_gpu_with(std::unique_ptr<jit::DeviceCompiler> compiler, const std::function<void(jit::DeviceJit&)>& program) {
  scheduler::SessionParts parts =
      fakes::make_simulated_parts({.gpus = true}, std::move(comm::make_simulated_network(1, /*seed=*/1)[0]));
  const std::shared_ptr<jit::DeviceJit> jit =
      jit::make_device_jit(std::move(compiler), {.threads = 1, .disk_cache = false});
  parts.device_jit = jit;
  scheduler::Session session(std::move(parts));
  scheduler::Recorder* const outer = scheduler::set_current_recorder(&session);
  program(*jit);
  scheduler::set_current_recorder(outer);
  session.finish();
}

TEST(GpuTask, IsCompiledOnceHoweverOftenItIsMade) {
  if (test::on_real_gpus()) GTEST_SKIP() << "counts compilations";
  on_gpu_with(fakes::make_emulated_compiler(), [](jit::DeviceJit& jit) {
    auto a = np::zeros({8});
    long after_first = 0;
    for (int i = 0; i < 600; ++i) {
      const std::string text = "void body(pilum::Point<1> x, pilum::ReadWrite<double, 1> a, int by) { a(x) += by; }";
      task("add", on_host<ReadWrite<double, 1>, int>, gpu_body(text))({8}, read_write(a), i);
      if (i == 0) (void)a.to_vector<double>();
      if (i == 0) after_first = jit.statistics().compiled;
    }
    EXPECT_EQ(a.to_vector<double>(), Cells(8, 599 * 300));
    EXPECT_EQ(jit.statistics().compiled, after_first);
  });
}

class NoCompiler final : public jit::DeviceCompiler {
 public:
  const std::string& identity() const override { return identity_; }
  std::string compile(const std::string&) override { throw RuntimeError("[compile kernel] there is none"); }

 private:
  const std::string identity_ = "none";
};

TEST(GpuTask, WithoutACompilerTheCallSaysSo) {
  if (test::on_real_gpus()) GTEST_SKIP() << "there is one";
  on_gpu_with(std::make_unique<NoCompiler>(), [](jit::DeviceJit&) {
    auto a = np::zeros({8});
    try {
      task("put", on_host<Out>, gpu_body("void body(pilum::Point<1>, pilum::Write<double, 1>) {}"))({8}, write(a));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const RuntimeError& error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("[put] the GPU body cannot be compiled: [compile kernel] there is none. Called at "),
                        HasSubstr("gpu_task_test.cc:")));
    }
  });
}

TEST(GpuTask, WithoutGpusTheTextIsNotLookedAt) {
  if (test::on_real_gpus()) GTEST_SKIP() << "there are GPUs";
  fakes::run_on_simulated_ranks({.ranks = 2}, [](scheduler::Session&) {
    auto a = np::zeros({4});
    task(
        "put",
        [](Piece piece, Write<double, 1> out) {
          for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = 1;
        },
        gpu_body("no program at all"))({4}, write(a));
    EXPECT_EQ(a.to_vector<double>(), Cells(4, 1));
  });
}

}  // namespace
}  // namespace pilum
