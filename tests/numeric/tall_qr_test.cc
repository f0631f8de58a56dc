// QR of tall and of many small matrices: against Householder's reflections in long double, signs included, on cores,
// ranks and emulated GPUs; of columns that depend on others, of none, and of numbers at the ends of their range.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/gpu_orthogonal.h"
#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/numeric/emulated_gpus.h"

namespace pilum {
namespace {

namespace np = numeric;
using Number = long double;

const fakes::SimulatedRanks kTallMachines[] = {{.ranks = 1},
                                               {.ranks = 1, .processors_per_rank = 3},
                                               {.ranks = 2, .processors_per_rank = 2},
                                               {.ranks = 1, .processors_per_rank = 2, .gpus = true},
                                               {.ranks = 2, .processors_per_rank = 1, .gpus = true}};

struct Matrix {
  std::int64_t rows, columns;
  std::vector<double> cells;
};

Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  std::uniform_real_distribution<double> draw(-1, 1);
  Matrix matrix{rows, columns, {}};
  for (std::int64_t k = 0; k < rows * columns; ++k) matrix.cells.push_back(draw(dice));
  return matrix;
}

// R of Householder's reflections, each of which turns a column onto the side where nothing cancels.
std::vector<Number> triangle_of(const Matrix& matrix) {
  const std::int64_t m = matrix.rows, n = matrix.columns;
  std::vector<Number> a(matrix.cells.begin(), matrix.cells.end());
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    Number sum = 0, below = 0;
    for (std::int64_t i = k; i < m; ++i)
      sum += a[i * n + k] * a[i * n + k], below += i > k ? std::abs(a[i * n + k]) : 0;
    if (below == 0) continue;
    const Number alpha = a[k * n + k], beta = alpha < 0 ? std::sqrt(sum) : -std::sqrt(sum);
    std::vector<Number> v(static_cast<std::size_t>(m), 0);
    for (std::int64_t i = k; i < m; ++i) v[static_cast<std::size_t>(i)] = a[i * n + k] - (i == k ? beta : 0);
    Number square = 0;
    for (const Number x : v) square += x * x;
    for (std::int64_t j = k; j < n; ++j) {
      Number dot = 0;
      for (std::int64_t i = k; i < m; ++i) dot += v[static_cast<std::size_t>(i)] * a[i * n + j];
      for (std::int64_t i = k; i < m; ++i) a[i * n + j] -= 2 * dot / square * v[static_cast<std::size_t>(i)];
    }
  }
  std::vector<Number> r;
  for (std::int64_t i = 0; i < std::min(m, n); ++i) {
    for (std::int64_t j = 0; j < n; ++j) r.push_back(i <= j ? a[i * n + j] : 0);
  }
  return r;
}

Number largest_cell(const std::vector<double>& cells) {
  Number most = 0;
  for (const double cell : cells) most = std::max(most, std::abs(static_cast<Number>(cell)));
  return most;
}

// That Q has orthonormal columns, R zeros below its diagonal, and their product the matrix's cells.
void expect_factors(const Matrix& a, const std::vector<double>& q, const std::vector<double>& r, double unit) {
  const std::int64_t m = a.rows, n = a.columns, inner = std::min(m, n);
  ASSERT_EQ(static_cast<std::int64_t>(q.size()), m * inner);
  ASSERT_EQ(static_cast<std::int64_t>(r.size()), inner * n);
  const Number bound = 30 * static_cast<Number>(unit) * static_cast<Number>(n + 4);
  for (std::int64_t i = 0; i < inner; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      Number dot = 0;
      for (std::int64_t k = 0; k < m; ++k)
        dot += static_cast<Number>(q[k * inner + i]) * static_cast<Number>(q[k * inner + j]);
      ASSERT_LE(std::abs(dot - (i == j ? 1 : 0)), bound) << "columns " << i << " and " << j << " of Q";
      if (j < i) {
        ASSERT_EQ(r[i * n + j], 0) << "R at " << i << ", " << j;
      }
    }
  }
  const Number scale = largest_cell(a.cells) * std::sqrt(static_cast<Number>(m));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      Number sum = 0;
      for (std::int64_t k = 0; k <= std::min(j, inner - 1); ++k)
        sum += static_cast<Number>(q[i * inner + k]) * static_cast<Number>(r[k * n + j]);
      ASSERT_LE(std::abs(sum - static_cast<Number>(a.cells[i * n + j])), bound * scale) << "cell " << i << ", " << j;
    }
  }
}

void expect_triangle(const Matrix& a, const std::vector<Number>& wanted, const std::vector<double>& r, double unit) {
  const Number bound = 100 * static_cast<Number>(unit) * static_cast<Number>(a.columns + 4) * largest_cell(a.cells) *
                       std::sqrt(static_cast<Number>(a.rows));
  ASSERT_EQ(r.size(), wanted.size());
  for (std::size_t k = 0; k < r.size(); ++k)
    ASSERT_LE(std::abs(static_cast<Number>(r[k]) - wanted[k]), bound) << "cell " << k;
}

// In float32 the cells are the nearest ones.
Matrix rounded(Matrix a, np::DType dtype) {
  if (dtype == np::float32) {
    for (double& cell : a.cells) cell = static_cast<double>(static_cast<float>(cell));
  }
  return a;
}

std::vector<double> cells_of(const np::Array& a) {
  return a.astype(np::float64).to_vector<double>();
}

// Everywhere; `is_full`: its triangle is told by the matrix.
void check(const Matrix& drawn, np::DType dtype, bool is_full = true) {
  const Matrix a = rounded(drawn, dtype);
  const double unit =
      dtype == np::float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const std::vector<Number> wanted = triangle_of(a);
  for (const fakes::SimulatedRanks& machine : kTallMachines) {
    SCOPED_TRACE(testing::Message() << a.rows << " x " << a.columns << " " << dtype << ", " << machine.ranks
                                    << " ranks of " << machine.processors_per_rank
                                    << (machine.gpus ? " GPUs" : " processors"));
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      const np::Array matrix = np::array(a.cells).reshape({a.rows, a.columns}).astype(dtype);
      const auto [q, r] = np::linalg::qr(matrix);
      const std::vector<double> triangle = cells_of(r);
      expect_factors(a, cells_of(q), triangle, unit);
      if (!is_full) return;
      expect_triangle(a, wanted, triangle, unit);
      expect_triangle(a, wanted, cells_of(np::linalg::qr_r(matrix)), unit);
    });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(TallQr, HasTheTriangleOfReflections) {
  const std::pair<std::int64_t, std::int64_t> shapes[] = {{5889, 1}, {6100, 1}, {7001, 2}, {2003, 8}, {1472, 8},
                                                          {739, 8},  {600, 23}, {300, 54}, {700, 60}, {1300, 17}};
  for (const auto& [rows, columns] : shapes) {
    check(random_matrix(rows, columns, static_cast<std::uint64_t>(rows)), np::float64);
    if (columns == 8 && rows > 1472) check(random_matrix(rows, columns, 7), np::float32);
    if (HasFailure()) return;
  }
}

TEST(TallQr, OfColumnsThatDependOnOthersIsOrthonormalToo) {
  for (const std::int64_t rows : {1500, 1473}) {
    Matrix a = random_matrix(rows, 8, 3);
    for (std::int64_t i = 0; i < rows; ++i) {
      a.cells[i * 8 + 2] = a.cells[i * 8 + 1] - 3 * a.cells[i * 8];
      a.cells[i * 8 + 5] = 0;
      a.cells[i * 8 + 7] = a.cells[i * 8 + 6];
    }
    check(a, np::float64, /*is_full=*/false);
    std::ranges::fill(a.cells, 0.0);
    check(a, np::float64, /*is_full=*/false);
  }
}

TEST(TallQr, OfNumbersWhoseSquaresAreNone) {
  for (const double scale : {1e-160, 1e-305, 1e160, 1e300}) {
    Matrix a = random_matrix(1500, 6, 9);
    for (double& cell : a.cells) cell *= scale;
    check(a, np::float64);
  }
}

TEST(TallQr, OfViewsAndIntegers) {
  for (const fakes::SimulatedRanks& machine : kTallMachines) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      const np::Array numbers = np::arange(4.0 * 3000).reshape({4, 3000});
      const np::Array wide = np::sin(numbers * numbers);
      const np::Array tall = wide.T()(np::slice({}, {}, -1), np::all), whole = np::rint(tall * 9).astype(np::int32);
      for (const np::Array& a : {tall, whole}) {
        const auto [q, r] = np::linalg::qr(a);
        expect_factors({3000, 4, cells_of(a)}, cells_of(q), cells_of(r), 2e-16);
      }
    });
  }
}

TEST(TallQr, OfComplexMatricesHasTheFactorsOfOneBlock) {
  for (const fakes::SimulatedRanks& machine : kTallMachines) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      auto dice = np::random::default_rng(5);
      const np::Array real = dice.standard_normal({600, 12}), imaginary = dice.standard_normal({600, 12});
      const np::Array a = real + imaginary * std::complex<double>(0, 1);
      const auto [q, r] = np::linalg::qr(a);
      const auto [all_q, all_r] = np::linalg::qr(a, "complete");
      EXPECT_LT(np::max(np::abs(r - all_r(np::slice(0, 12)))).item<double>(), 1e-12);
      EXPECT_LT(np::max(np::abs(q - all_q(np::all, np::slice(0, 12)))).item<double>(), 1e-12);
    });
  }
}

// Many matrices, tall and wide, in any order of axes.
TEST(SmallQr, HasTheTriangleOfReflections) {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{7, 3}, {3, 7}, {1, 4}, {40, 33}, {5, 5}}) {
    std::vector<Matrix> each;
    std::vector<double> cells;
    for (std::uint64_t k = 0; k < 6; ++k) {
      each.push_back(random_matrix(rows, columns, 100 * k + 1));
      cells.insert(cells.end(), each.back().cells.begin(), each.back().cells.end());
    }
    for (const fakes::SimulatedRanks& machine : kTallMachines) {
      SCOPED_TRACE(testing::Message() << rows << " x " << columns << (machine.gpus ? ", GPUs" : ""));
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
        const np::Array a = np::array(cells).reshape({2, 3, rows, columns});
        const np::Array lying = np::swapaxes(np::swapaxes(a, 2, 3).copy(), 2, 3);
        for (const np::Array& given : {a, lying}) {
          const auto [q, r] = np::linalg::qr(given);
          for (std::int64_t k = 0; k < 6; ++k) {
            const auto which = static_cast<std::size_t>(k);
            const std::vector<double> triangle = cells_of(r(k / 3, k % 3));
            expect_factors(each[which], cells_of(q(k / 3, k % 3)), triangle, 2e-16);
            expect_triangle(each[which], triangle_of(each[which]), triangle, 2e-16);
          }
        }
      });
      if (HasFailure()) return;
    }
  }
}

// Of a tall matrix all three follow from its triangle; so does what least squares take of it.
TEST(TallSvd, GivesTheMatrixAndItsLeastSquares) {
  const std::int64_t rows = 1500, columns = 4;
  Matrix a = random_matrix(rows, columns, 11);
  for (std::int64_t i = 0; i < rows; ++i) a.cells[static_cast<std::size_t>(i * columns + 2)] *= 1e-3;
  const std::vector<double> x{2, -3, 500, 0.25};
  for (const fakes::SimulatedRanks& machine : kTallMachines) {
    SCOPED_TRACE(testing::Message() << machine.ranks << " ranks" << (machine.gpus ? ", GPUs" : ""));
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      const np::Array matrix = np::array(a.cells).reshape({rows, columns});
      const auto [u, s, vh] = np::linalg::svd(matrix, false);
      const std::vector<double> left = cells_of(u), sizes = cells_of(s), right = cells_of(vh);
      ASSERT_EQ(left.size(), static_cast<std::size_t>(rows * columns));
      for (std::size_t k = 1; k < sizes.size(); ++k) EXPECT_GE(sizes[k - 1], sizes[k]);
      for (std::int64_t p = 0; p < columns; ++p) {
        for (std::int64_t q = 0; q < columns; ++q) {
          Number of_u = 0, of_v = 0;
          for (std::int64_t i = 0; i < rows; ++i)
            of_u += static_cast<Number>(left[static_cast<std::size_t>(i * columns + p)]) *
                    left[static_cast<std::size_t>(i * columns + q)];
          for (std::int64_t i = 0; i < columns; ++i)
            of_v += static_cast<Number>(right[static_cast<std::size_t>(p * columns + i)]) *
                    right[static_cast<std::size_t>(q * columns + i)];
          EXPECT_NEAR(static_cast<double>(of_u), p == q, 1e-14);
          EXPECT_NEAR(static_cast<double>(of_v), p == q, 1e-14);
        }
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          Number cell = 0;
          for (std::int64_t k = 0; k < columns; ++k)
            cell += static_cast<Number>(left[static_cast<std::size_t>(i * columns + k)]) *
                    sizes[static_cast<std::size_t>(k)] * right[static_cast<std::size_t>(k * columns + j)];
          ASSERT_NEAR(static_cast<double>(cell), a.cells[static_cast<std::size_t>(i * columns + j)], 1e-13);
        }
      }
      const std::vector<double> alone = cells_of(np::linalg::svdvals(matrix));
      for (std::size_t k = 0; k < sizes.size(); ++k) EXPECT_NEAR(alone[k], sizes[k], 1e-14 * sizes[0]);
      const np::Array b = np::matmul(matrix, np::array(x));
      const auto found = np::linalg::lstsq(matrix, b);
      const std::vector<double> solution = cells_of(found.x);
      for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(solution[k], x[k], 1e-10 * 500);
      EXPECT_EQ(found.rank.item<std::int64_t>(), columns);
      EXPECT_NEAR(np::sum(found.residuals).item<double>(), 0, 1e-20);
      EXPECT_EQ(
          np::linalg::matrix_rank(np::concatenate({matrix, matrix(np::all, np::slice(0, 1))}, 1)).item<std::int64_t>(),
          columns)
          << "one column twice";
    });
    if (HasFailure()) return;
  }
}

// By NVIDIA's compiler, where there is one: it needs no GPU.
TEST(SmallQr, HasTextsThatNvrtcTakes) {
#ifdef PILUM_SANITIZE
  GTEST_SKIP() << "NVIDIA's compiler has no instruments; what writes the texts runs above";
#endif
  std::string why;
  const auto compiler = find_nvrtc_compiler(why);
  if (!compiler) GTEST_SKIP() << why;
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    EXPECT_GT(compiler->compile(np::orthogonal_text(dtype)).size(), 1000u) << dtype;
    EXPECT_GT(compiler->compile(np::reflection_signs_text(dtype)).size(), 1000u) << dtype;
  }
}

}  // namespace
}  // namespace pilum
