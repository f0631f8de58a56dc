// Products of matrices against three loops, on machines of every shape. Cells are small whole numbers, so that sums are
// exact in any order.
#include <atomic>
#include <cmath>
#include <iterator>
#include <mutex>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/numeric/naive_matmul.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;

// Runs the program on 1 to 3 ranks, on several processors a rank, with workers, and on emulated GPUs, which multiply or
// leave it to a kernel.
void on_machines(const std::function<void()>& program) {
  struct Machine {
    int ranks, processors, workers;
    bool gpus, multiplies = true;
  };
  constexpr Machine kMachines[] = {{1, 1, 2, false}, {2, 2, 1, false}, {1, 2, 0, true, false}, {2, 2, 0, true},
                                   {1, 1, 0, false}, {2, 1, 0, false}, {3, 1, 0, false},       {1, 1, 0, true},
                                   {1, 2, 0, true},  {1, 4, 0, true}};
  // Under sanitizers the first four, which have of everything.
  for (const auto& [ranks, processors, workers, gpus, multiplies] :
       std::span(kMachines, fakes::kIsSanitized ? 4 : std::size(kMachines))) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks of " << processors << (gpus ? " GPUs" : " processors") << ", "
                                    << workers << " workers" << (multiplies ? "" : ", without products"));
    fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    machine.processors_per_rank = processors;
    machine.workers = workers;
    machine.gpus = gpus;
    machine.multiplies = multiplies;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { program(); });
    if (testing::Test::HasFailure()) return;
  }
}

// -4 … 4, in no order that rows or columns share.
Array small_numbers(const Shape& shape, DType dtype) {
  const Array numbers = np::arange(shape.elements()) * 7 % 9 - 4;
  return numbers.reshape(shape).astype(dtype);
}

// Matrices and batches of them, of numbers that doubles hold.
void expect_matmul(const Array& a, const Array& b, const Shape& batch) {
  SCOPED_TRACE(testing::Message() << a.shape() << " " << a.dtype() << " by " << b.shape() << " " << b.dtype());
  const Array c = np::matmul(a, b);
  Shape shape = batch;
  shape.push_back(a.shape()[a.ndim() - 2]);
  shape.push_back(b.shape()[b.ndim() - 1]);
  EXPECT_EQ(c.shape(), shape);
  EXPECT_EQ(c.dtype(), promote(a.dtype(), b.dtype()));
  std::vector<double> expected = test::naive_matmul(test::dense_of<double>(a), test::dense_of<double>(b), batch);
  if (c.dtype() == DType::Bool) {
    for (double& cell : expected) cell = cell != 0;
  }
  EXPECT_EQ(c.astype<double>().to_vector<double>(), expected);
}

constexpr DType kDTypes[] = {DType::Bool, DType::Int32, DType::Int64, DType::Float32, DType::Float64};

TEST(Matmul, IsThreeLoopsInEveryDType) {
  on_machines([] {
    for (const DType dtype : kDTypes) {
      expect_matmul(small_numbers({5, 4}, dtype), small_numbers({4, 3}, dtype), {});
      expect_matmul(small_numbers({40, 50}, dtype), small_numbers({50, 35}, dtype), {});
    }
    expect_matmul(small_numbers({33, 5}, DType::Int32), small_numbers({5, 7}, DType::Float32), {});
    expect_matmul(small_numbers({33, 5}, DType::Bool), small_numbers({5, 7}, DType::Int64), {});
  });
}

TEST(Matmul, IntegersOfAllSizesWrapInBlocksAndInFusedSums) {
  on_machines([] {
    for (const DType dtype : {DType::Int8, DType::Int16, DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64}) {
      const double wrapped = itemsize(dtype) == 1 ? 600 - 512 : 600;
      for (const std::int64_t extent : {4, 40}) {
        const Array c = np::matmul(np::full({extent, 40}, 3, dtype), np::full({40, extent}, 5, dtype));
        EXPECT_EQ(c.dtype(), dtype);
        EXPECT_EQ(c.astype<double>().to_vector<double>(),
                  std::vector<double>(static_cast<std::size_t>(extent * extent), wrapped))
            << dtype;
      }
    }
  });
}

TEST(Matmul, TakesShapesWithNoCellsAndWithOne) {
  on_machines([] {
    for (const std::int64_t m : {0, 1, 3, 34}) {
      for (const std::int64_t depth : {0, 1, 37}) {
        for (const std::int64_t n : {0, 1, 33}) {
          expect_matmul(small_numbers({m, depth}, DType::Float64), small_numbers({depth, n}, DType::Float64), {});
        }
      }
    }
  });
}

// More of k than one panel has.
TEST(Matmul, SumsPanelByPanel) {
  on_machines([] {
    expect_matmul(small_numbers({9, 2100}, DType::Float64), small_numbers({2100, 11}, DType::Float64), {});
    expect_matmul(small_numbers({2, 4, 1030}, DType::Int32), small_numbers({1030, 5}, DType::Int32), {2});
    expect_matmul(small_numbers({1030, 9}, DType::Bool).T(), small_numbers({1030, 6}, DType::Bool), {});
  });
}

// Long and thin: each processor sums over its part of k.
TEST(Matmul, SumsWhereLongOperandsLie) {
  on_machines([] {
    for (const DType dtype : {DType::Int32, DType::Int64, DType::Float32, DType::Float64})
      expect_matmul(small_numbers({2100, 9}, dtype).T(), small_numbers({2100, 11}, dtype), {});
    for (const DType dtype : {DType::Int8, DType::UInt8})  // sums wrap
      EXPECT_TRUE(np::array_equal(np::matmul(np::ones({1100, 2}, dtype).T(), np::ones({1100, 3}, dtype)),
                                  np::full({2, 3}, 1100 - 4 * 256, dtype)));
    const Array wide = small_numbers({3000, 20}, DType::Float64);
    expect_matmul(wide(slice(1, {}, 2), slice(2, 9)).T(), wide(slice({}, {}, -2), slice({}, {}, 3)), {});
    expect_matmul(wide.T(), wide, {});
    expect_matmul(small_numbers({1030, 9}, DType::Float32).T(), small_numbers({6, 1030}, DType::Float32).T(), {});
  });
}

// Few rows times a large matrix, as of weights: no cell of it goes to another processor, but sums.
TEST(Matmul, LeavesALargeMatrixWhereItIs) {
  for (const int ranks : {1, 2, 3}) {
    fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    machine.processors_per_rank = ranks == 2 ? 2 : 1;
    machine.workers = 3 - ranks;
    machine.split_bytes = 8192;
    std::atomic<std::int64_t> sent = 0;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      for (const DType dtype : {DType::Int32, DType::Float32, DType::Float64})
        expect_matmul(small_numbers({3, 300}, dtype), small_numbers({300, 110}, dtype), {});
      const Array rest = small_numbers({301, 80}, DType::Float64)(slice(1, {}));
      expect_matmul(small_numbers({1, 300}, DType::Float64), rest, {});
      expect_matmul(small_numbers({2, 450}, DType::Float64)(all, slice({}, {}, 3)),
                    rest(slice({}, 150), slice({}, {}, -3)), {});

      const Array x = small_numbers({1, 900}, DType::Float64);
      Array weights = small_numbers({900, 90}, DType::Float64) + 1;
      session.wait();
      const std::int64_t before = session.profile().counters.bytes_sent.get();
      for (int round = 0; round < 3; ++round) {
        weights += 1;
        const Array y = np::matmul(x, weights);
        session.wait();
      }
      sent += session.profile().counters.bytes_sent.get() - before;
    });
    EXPECT_LE(sent, 3 * 2 * (ranks - 1) * 90 * 8)
        << ranks << " ranks: up a tree and down, of an array of 648,000 bytes";
  }
}

TEST(Matmul, ReadsViewsAsTheyAre) {
  on_machines([] {
    for (const DType dtype : {DType::Int32, DType::Float64}) {
      const Array a = small_numbers({40, 36}, dtype), b = small_numbers({36, 44}, dtype);
      expect_matmul(a.T(), small_numbers({40, 33}, dtype), {});
      expect_matmul(b.T(), a.T(), {});
      expect_matmul(a(slice({}, {}, 2), all), b, {});
      expect_matmul(a(slice({}, {}, -1), all), b(all, slice({}, {}, -1)), {});
      expect_matmul(a(all, slice({}, {}, 3)), b(slice({}, {}, 3), slice(1, 40, 2)), {});
      expect_matmul(a(slice(3, 38), slice(2, 35)), b(slice(1, 34), slice(5, 44)), {});
      expect_matmul(np::broadcast_to(small_numbers({36}, dtype), {35, 36}), b, {});
      expect_matmul(a, a.T(), {});
    }
  });
}

// Points that are turned: sums of products, cell by cell.
TEST(Matmul, TurnsManyPointsOfFewCoordinates) {
  on_machines([] {
    for (const DType dtype : {DType::Bool, DType::Int8, DType::Int64, DType::Float32, DType::Float64}) {
      expect_matmul(small_numbers({4097, 3}, dtype), small_numbers({3, 3}, dtype), {});
      expect_matmul(small_numbers({2, 8}, dtype), small_numbers({8, 5000}, dtype), {});
    }
    expect_matmul(small_numbers({3, 5000}, DType::Float64).T(), small_numbers({2, 3}, DType::Int32).T(), {});
    expect_matmul(small_numbers({4096, 1}, DType::Float64), small_numbers({1, 8}, DType::Float64), {});
    expect_matmul(small_numbers({2, 4100, 3}, DType::Float64), small_numbers({3, 1}, DType::Float64), {2});
    expect_matmul(small_numbers({3, 4100, 2}, DType::Float32), small_numbers({3, 2, 2}, DType::Float32), {3});
  });
}

TEST(Matmul, TurnsPointsOfComplexCoordinatesBetweenOtherOperations) {
  fakes::run_on_simulated_ranks({}, [](scheduler::Session&) {
    auto points = np::ones({5000, 3}, DType::Complex128), turned = np::zeros({5000, 3}, DType::Complex128);
    const auto turn = np::array({{0., 1., 0.}, {-1., 0., 0.}, {0., 0., 1.}});
    turned[all] = 2.0 * np::matmul(points, turn) + 1.0;
    EXPECT_EQ(turned(7, 0).item<std::complex<double>>(), -1.0);
    EXPECT_EQ(turned(7, 1).item<std::complex<double>>(), 3.0);
    EXPECT_EQ(turned(7, 2).item<std::complex<double>>(), 3.0);
  });
}

// Of up to 8 x 8 the matrices' cells lie each by itself, and their products are computed in that order.
TEST(Matmul, MultipliesManySmallMatrices) {
  on_machines([] {
    const auto check = [](const Shape& of, DType dtype) {
      const Array a = small_numbers({130, of[0], of[1]}, dtype), b = small_numbers({130, of[1], of[2]}, dtype);
      expect_matmul(a, b, {130});
    };
    check({5, 6, 7}, DType::Float64);
    check({8, 8, 8}, DType::Int32);
    check({6, 15, 3}, DType::Complex64);
    check({6, 15, 3}, DType::Float16);
    check({6, 15, 3}, DType::Bool);
    const Array a = small_numbers({2000, 6, 6}, DType::Float64);
    const Array turned = np::matmul(np::matmul(a, a) + 1, a.transpose(0, 2, 1)) % 5;
    expect_matmul(turned, a, {2000});
  });
}

TEST(Matmul, BroadcastsBatches) {
  on_machines([] {
    expect_matmul(small_numbers({3, 2, 4}, DType::Float64), small_numbers({3, 4, 5}, DType::Float64), {3});
    expect_matmul(small_numbers({3, 34, 4}, DType::Float64), small_numbers({4, 5}, DType::Float64), {3});
    expect_matmul(small_numbers({2, 1, 34, 4}, DType::Int64), small_numbers({3, 4, 5}, DType::Int64), {2, 3});
    expect_matmul(small_numbers({35, 4}, DType::Float32), small_numbers({2, 1, 4, 3}, DType::Float32), {2, 1});
    expect_matmul(small_numbers({2, 1, 2, 1, 2, 1, 3, 4}, DType::Int32), small_numbers({2, 1, 1, 4, 2}, DType::Int32),
                  {2, 1, 2, 2, 2, 1});
    expect_matmul(small_numbers({0, 34, 4}, DType::Float64), small_numbers({4, 5}, DType::Float64), {0});
  });
}

// Rows of many matrices by one are one matrix, as far as they lie so.
TEST(Matmul, MultipliesRowsOfManyMatricesByOne) {
  on_machines([] {
    const Array b = small_numbers({40, 36}, DType::Float64), rows = small_numbers({6, 5, 1, 40}, DType::Float64);
    expect_matmul(rows, b, {6, 5});
    expect_matmul(rows(slice({}, {}, -1)), b, {6, 5});
    expect_matmul(rows(all, slice({}, {}, 2)), b, {6, 3});
    expect_matmul(np::broadcast_to(rows(0), {6, 5, 1, 40}), b, {6, 5});
    expect_matmul(np::broadcast_to(rows(all, slice(0, 1)), {6, 5, 1, 40}), b, {6, 5});
    expect_matmul(small_numbers({40, 5, 6}, DType::Float64).T().reshape({6, 5, 1, 40}), b, {6, 5});
    const Array few = small_numbers({4, 3, 2, 40}, DType::Float64);
    expect_matmul(few, b, {4, 3});
    expect_matmul(few(all, all, slice({}, {}, -1)), b, {4, 3});
    expect_matmul(few(all, slice({}, 2)), b, {4, 2});
    expect_matmul(small_numbers({4, 3, 40, 2}, DType::Float64).transpose(0, 1, 3, 2), b, {4, 3});
  });
}

TEST(Matmul, MeetsOperationsBeforeAndAfterIt) {
  on_machines([] {
    Array a = small_numbers({40, 40}, DType::Float64);
    const Array b = small_numbers({40, 40}, DType::Float64) + 1;
    const std::vector<double> first = test::naive_matmul(test::dense_of<double>(a), test::dense_of<double>(b), {});
    for (int round = 0; round < 4; ++round) {
      const Array c = np::matmul(a, b) % 5 - 2;
      test::Dense<double> now = test::dense_of<double>(a);
      std::vector<double> expected = test::naive_matmul(now, test::dense_of<double>(b), {});
      for (double& cell : expected) cell = cell - 5 * std::floor(cell / 5) - 2;
      EXPECT_EQ(c.to_vector<double>(), expected);
      a = c;
    }
  });
}

// 32 MiB on two ranks that have room for their own 16, and little more: what is multiplied comes panel by panel.
TEST(Matmul, HoldsAFewPanelsOfWhatIsMultiplied) {
  fakes::SimulatedRanks machine;
  machine.ranks = 2;
  machine.memory = 24 << 20;
  fakes::run_on_simulated_ranks(machine, [](scheduler::Session&) {
    const std::int64_t depth = 32768, n = 64;
    Array a = np::empty({n, depth}), b = np::empty({depth, n});
    a[all] = (np::arange(n, np::float64) % 3.0).reshape({n, 1});
    b[all] = np::arange(n, np::float64) % 5.0;
    const std::vector<double> cells = np::matmul(a, b).to_vector<double>();
    std::size_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j)
        wrong += cells[static_cast<std::size_t>(i * n + j)] != static_cast<double>(depth * (i % 3) * (j % 5));
    }
    EXPECT_EQ(wrong, 0u);
  });
}

// Numbers over 3, whose sums are rounded: threads and messages come in any order, the bits are the same.
TEST(Matmul, HasTheSameBitsEachTimeOnOneMachine) {
  for (const bool is_thin : {false, true}) {  // cut along the rows, or along k
    std::vector<double> doubles;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      fakes::SimulatedRanks machine;
      machine.ranks = 3;
      machine.workers = 2;
      machine.seed = seed;
      std::vector<double> found;
      std::mutex mutex;
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
        const Array flat = small_numbers({67, 1300}, DType::Float64) / 3.0,
                    thin = small_numbers({1300, 67}, DType::Float64) / 3.0, a = is_thin ? thin.T() : flat;
        const Array b = small_numbers({1300, 45}, DType::Float64) / 7.0;
        const std::vector<double> cells = np::matmul(a, b).to_vector<double>();
        const std::lock_guard lock(mutex);
        found = cells;
      });
      if (doubles.empty()) doubles = found;
      EXPECT_EQ(found, doubles);
    }
  }
}

TEST(Matmul, IsWithinTheRoundingOfItsSums) {
  on_machines([] {
    const Array a = small_numbers({35, 300}, DType::Float64) / 3.0, b = small_numbers({300, 40}, DType::Float64) / 7.0;
    const test::Dense<double> left = test::dense_of<double>(a), right = test::dense_of<double>(b);
    const std::vector<double> expected = test::naive_matmul(left, right, {});
    const std::vector<double> sizes =
        test::naive_matmul(test::dense_of<double>(np::abs(a)), test::dense_of<double>(np::abs(b)), {});
    const std::vector<double> found = np::matmul(a, b).to_vector<double>();
    const std::vector<float> single = np::matmul(a.astype<float>(), b.astype<float>()).to_vector<float>();
    for (std::size_t k = 0; k < expected.size(); ++k) {
      ASSERT_NEAR(found[k], expected[k], 300 * 2.3e-16 * sizes[k]);
      ASSERT_NEAR(single[k], expected[k], 303 * 1.2e-7 * sizes[k]);
    }
  });
}

TEST(Matmul, VectorsAreRowsAndColumns) {
  on_machines([] {
    for (const DType dtype : kDTypes) {
      const Array a = small_numbers({34, 40}, dtype), x = small_numbers({40}, dtype), y = small_numbers({34}, dtype);
      const auto check = [](const Array& found, const Array& left, const Array& right, const Shape& shape) {
        EXPECT_EQ(found.shape(), shape);
        const Array expected = np::matmul(left.astype<double>(), right.astype<double>());
        EXPECT_EQ(found.dtype(), promote(left.dtype(), right.dtype()));
        const std::vector<double> cells = found.astype<double>().to_vector<double>();
        std::vector<double> wanted = expected.to_vector<double>();
        for (double& cell : wanted) cell = left.dtype() == DType::Bool ? cell != 0 : cell;
        EXPECT_EQ(cells, wanted);
      };
      check(np::matmul(a, x), a, x.reshape({40, 1}), {34});
      check(np::matmul(y, a), y.reshape({1, 34}), a, {40});
      check(np::matmul(x, x), x.reshape({1, 40}), x.reshape({40, 1}), {});
      check(np::matvec(a, x), a, x.reshape({40, 1}), {34});
      check(np::vecmat(y, a), y.reshape({1, 34}), a, {40});
    }
  });
}

}  // namespace
}  // namespace pilum
