// Products of matrices as calls of GPUs, on emulated ones: that they are calls, and right among all else that runs.
#include <complex>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/numeric/gpu_session.h"
#include "tests/numeric/naive_matmul.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;

Array numbers_of(const Shape& shape, DType dtype = DType::Float64) {
  return (np::arange(shape.elements()) * 7 % 9 - 4).reshape(shape).astype(dtype);
}

template <class T>
void expect_product(const Array& a, const Array& b, const Shape& batch = {}) {
  SCOPED_TRACE(testing::Message() << a.shape() << " " << a.dtype() << " by " << b.shape());
  const std::vector<T> expected = test::naive_matmul(test::dense_of<T>(a), test::dense_of<T>(b), batch);
  EXPECT_EQ(np::matmul(a, b).to_vector<T>(), expected);
}

TEST(GpuMatmul, IsOneCallOfAGpuForItsShare) {
  for (const int gpus : {1, 2, 4}) {
    GpuSession on({.processors_per_rank = gpus});
    expect_product<double>(numbers_of({40, 50}), numbers_of({50, 36}));
    EXPECT_EQ(on.products(), gpus);
    expect_product<double>(numbers_of({5, 40, 50}), numbers_of({50, 36}), {5});  // and for a batch
    EXPECT_LE(on.products(), 2 * gpus + gpus);
  }
}

TEST(GpuMatmul, LeavesIntegersToAKernel) {
  GpuSession on({});
  const Array a = numbers_of({40, 50}, DType::Int64), b = numbers_of({50, 36}, DType::Int64);
  expect_product<std::int64_t>(a, b);
  EXPECT_EQ(on.products(), 0);
}

TEST(GpuMatmul, LeavesAllToAKernelWhereGpusDoNotMultiply) {
  GpuSession on({.processors_per_rank = 2, .multiplies = false});
  expect_product<double>(numbers_of({40, 50}), numbers_of({50, 36}));
  EXPECT_EQ(on.products(), 0);
}

TEST(GpuMatmul, ReadsTransposedAndCutViewsWithoutACopy) {
  GpuSession on({});
  const Array a = numbers_of({48, 40}), b = numbers_of({48, 44});
  on.session().wait();
  const auto calls = [&](const Array& left, const Array& right) {
    const long before = on.products();
    expect_product<double>(left, right);
    EXPECT_EQ(on.products(), before + 1);
  };
  calls(a.T(), b);
  calls(a.T()(slice(2, 39), all), b(all, slice(3, 40)));
  calls(b.T(), b(all, slice(1, 44)));
  calls(a(slice({}, {}, 2), all).T(), b(slice(0, 24), all));
  calls(a(slice({}, {}, -1), all), b.T()(slice(4, 44), all));  // rows backwards: a copy
  calls(a(all, slice({}, {}, 2)), b(slice(0, 20), all));       // cells apart: a copy
}

TEST(GpuMatmul, MultipliesComplexNumbersAtOnce) {
  for (const bool multiplies : {true, false}) {
    for (const int gpus : {1, 2}) {
      GpuSession on({.processors_per_rank = gpus, .multiplies = multiplies});
      const auto numbers = [](const Shape& shape) {
        return numbers_of(shape) + numbers_of(shape)(slice({}, {}, -1), all) * std::complex<double>(0, 1);
      };
      const Array a = numbers({40, 37}), b = numbers({37, 41});
      expect_product<std::complex<double>>(a, b);
      expect_product<std::complex<float>>(a.astype<std::complex<float>>(), b.astype<std::complex<float>>());
      expect_product<std::complex<double>>(a.T(), numbers({40, 33}));
      EXPECT_EQ(on.products(), multiplies ? 3 * gpus : 0);
    }
  }
}

TEST(GpuMatmul, RowsAndColumnsAloneAreSums) {
  GpuSession on({});
  expect_product<double>(numbers_of({40, 50}), numbers_of({50, 1}));
  expect_product<double>(numbers_of({1, 50}), numbers_of({50, 40}));
  expect_product<double>(numbers_of({3, 1, 50}), numbers_of({50, 40}), {3});
  EXPECT_EQ(on.products(), 0);
}

// Batches whose axes lie evenly apart are one call, others one for each.
TEST(GpuMatmul, JoinsBatchesThatLieEvenlyApart) {
  GpuSession on({});
  const Array a = numbers_of({4, 3, 34, 20}), b = numbers_of({4, 3, 20, 33});
  const auto calls = [&](const Array& left, const Array& right, const Shape& batch) {
    const long before = on.products();
    expect_product<double>(left, right, batch);
    return on.products() - before;
  };
  EXPECT_EQ(calls(a, b, {4, 3}), 1);
  EXPECT_EQ(calls(a(slice({}, {}, 2)), b(slice(0, 2)), {2, 3}), 2);
  EXPECT_EQ(calls(a(0), b(0)(slice({}, {}, -1)), {3}), 3);
  EXPECT_EQ(calls(a, b(0), {4, 3}), 4);  // repeated along the first axis
  EXPECT_EQ(calls(a, b(0)(0), {4, 3}), 1);
}

// A loop with products, stencils and copies between GPUs: its plans are found again, and no graph has a product.
TEST(GpuMatmul, IsRemembered) {
  for (const int gpus : {1, 2, 3}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << gpus << " GPUs, seed " << seed);
      GpuSession on({.processors_per_rank = gpus, .seed = seed});
      Array a = numbers_of({36, 36}), u = numbers_of({36, 36});
      const Array b = numbers_of({36, 36}) + 1;
      test::Dense<double> da = test::dense_of<double>(a), du = test::dense_of<double>(u);
      const test::Dense<double> db = test::dense_of<double>(b);
      const auto modulo = [](double x) { return x - 5 * std::floor(x / 5) - 2; };
      on.session().wait();
      const long misses_before = on.session().plan_cache().misses;
      long misses_after_warming = 0;
      for (int round = 0; round < 12; ++round) {
        if (round == 6) misses_after_warming = on.session().plan_cache().misses;
        // u's edges travel between GPUs; a's rows and b's columns do.
        u(slice(1, -1), all) = u(slice(0, -2), all) + u(slice(2, {}), all) - u(slice(1, -1), all);
        u[all] = u % 5.0 - 2.0;
        a = np::matmul(a + u, b) % 5.0 - 2.0;
        on.session().flush();

        const std::vector<double> old = du.cells;
        for (std::size_t i = 1; i < 35; ++i) {
          for (std::size_t j = 0; j < 36; ++j)
            du.cells[i * 36 + j] = old[(i - 1) * 36 + j] + old[(i + 1) * 36 + j] - old[i * 36 + j];
        }
        for (double& x : du.cells) x = modulo(x);
        test::Dense<double> sum = da;
        for (std::size_t k = 0; k < sum.cells.size(); ++k) sum.cells[k] += du.cells[k];
        da.cells = test::naive_matmul(sum, db, {});
        for (double& x : da.cells) x = modulo(x);
      }
      EXPECT_EQ(a.to_vector<double>(), da.cells);
      EXPECT_EQ(u.to_vector<double>(), du.cells);
      EXPECT_EQ(on.products(), 12 * gpus);
      EXPECT_GT(misses_after_warming, misses_before);
      EXPECT_LE(on.session().plan_cache().misses, misses_after_warming + 2);  // to_vector()'s
      EXPECT_GT(on.session().plan_cache().hits, 4);
    }
  }
}

// Plans that are graphs run among plans with products, on arrays of both.
TEST(GpuMatmul, MeetsGraphs) {
  for (const int gpus : {1, 2}) {
    GpuSession on({.processors_per_rank = gpus, .seed = 5, .window = 4});
    Array a = numbers_of({40, 40});
    const Array b = numbers_of({40, 40}) + 1;
    test::Dense<double> da = test::dense_of<double>(a);
    const test::Dense<double> db = test::dense_of<double>(b);
    for (int round = 0; round < 5; ++round) {
      for (int step = 0; step < 12; ++step) {
        a = (a * 3.0 + 1.0) % 7.0 - 3.0;
        on.session().flush();
        for (double& x : da.cells) {
          x = 3 * x + 1;
          x = x - 7 * std::floor(x / 7) - 3;
        }
      }
      a = np::matmul(a, b);
      on.session().flush();
      da.cells = test::naive_matmul(da, db, {});
      a = a % 9.0;
      for (double& x : da.cells) x = x - 9 * std::floor(x / 9);
    }
    EXPECT_EQ(a.to_vector<double>(), da.cells);
    EXPECT_EQ(on.products(), 5 * gpus);
    EXPECT_GT(on.graphs(), 10);
  }
}

// Many samples of few variables, and few rows times a large matrix: a product of each GPU's part of k.
TEST(GpuMatmul, AddsPartsOfALongK) {
  for (const int gpus : {1, 2, 3}) {
    for (const bool multiplies : {true, false}) {
      GpuSession on({.processors_per_rank = gpus, .multiplies = multiplies});
      const Array samples = numbers_of({2501, 33});
      expect_product<double>(samples.T(), samples);
      EXPECT_EQ(on.products(), multiplies ? gpus : 0);
      expect_product<double>(numbers_of({33, 2500}), numbers_of({33, 2500}).T());
      expect_product<double>(numbers_of({9, 1027}), numbers_of({1027, 40}));
      expect_product<std::complex<float>>(numbers_of({9, 1027}, DType::Complex64),
                                          numbers_of({1027, 11}, DType::Complex64));
    }
  }
}

// Panels of 1,024 of k: each adds to what is there.
TEST(GpuMatmul, AddsPanelsWhereThereAreSeveralGpus) {
  for (const int gpus : {1, 2, 4}) {
    GpuSession on({.processors_per_rank = gpus});
    expect_product<double>(numbers_of({160, 2500}), numbers_of({2500, 33}));
    EXPECT_EQ(on.products(), gpus == 1 ? 1 : 3 * gpus);
    expect_product<float>(numbers_of({2, 34, 1100}, DType::Float32), numbers_of({33, 1100}, DType::Float32).T(), {2});
  }
}

}  // namespace
}  // namespace pilum
