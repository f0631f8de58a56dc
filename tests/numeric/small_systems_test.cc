// Small systems of equations: against residuals and the definition in long double, the same bits on cores, ranks and
// emulated GPUs, and what has no inverse.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "numeric/small_systems.h"
#include "pilum/pilum.h"
#include "runtime/kernel/body/device_body.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/numeric/emulated_gpus.h"

namespace pilum {
namespace {

namespace np = numeric;

const fakes::SimulatedRanks kMachines[] = {{.ranks = 1},
                                           {.ranks = 1, .processors_per_rank = 3},
                                           {.ranks = 2, .processors_per_rank = 2},
                                           {.ranks = 1, .processors_per_rank = 2, .gpus = true},
                                           {.ranks = 2, .processors_per_rank = 1, .gpus = true}};

// Of numbers that are never all small; some on diagonals are zero, so that rows must be exchanged.
template <class T>
std::vector<T> matrices(std::mt19937_64& dice, std::int64_t count, std::int64_t n) {
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<T> cells;
  for (std::int64_t k = 0; k < count * n * n; ++k) {
    const bool is_on_diagonal = k % (n * n) / n == k % n;
    cells.push_back(static_cast<T>(is_on_diagonal && n > 1 && dice() % 3 == 0 ? 0 : draw(dice)));
  }
  return cells;
}

// By the sum over all permutations.
template <class T>
long double determinant(const T* a, std::int64_t n) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  long double sum = 0;
  do {
    long double product = 1;
    for (std::int64_t i = 0; i < n; ++i) {
      product *= static_cast<long double>(a[i * n + order[static_cast<std::size_t>(i)]]);
      for (std::int64_t j = 0; j < i; ++j) {
        if (order[static_cast<std::size_t>(j)] > order[static_cast<std::size_t>(i)]) product = -product;
      }
    }
    sum += product;
  } while (std::next_permutation(order.begin(), order.end()));
  return sum;
}

template <class T>
long double largest(const T* cells, std::int64_t count) {
  long double most = 0;
  for (std::int64_t k = 0; k < count; ++k) most = std::max(most, std::abs(static_cast<long double>(cells[k])));
  return most;
}

// That the backward error of each solution is a few units: |a x - b| <= f eps n |a| |x|.
template <class T>
void check_solutions(const std::vector<T>& a, const std::vector<T>& x, const std::vector<T>& b, std::int64_t n,
                     std::int64_t columns) {
  const auto count = static_cast<std::int64_t>(a.size()) / (n * n);
  for (std::int64_t k = 0; k < count; ++k) {
    const T *matrix = a.data() + k * n * n, *solution = x.data() + k * n * columns, *right = b.data() + k * n * columns;
    const long double bound = 8 * static_cast<long double>(std::numeric_limits<T>::epsilon()) *
                              static_cast<long double>(n * n) * largest(matrix, n * n) * largest(solution, n * columns);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        long double sum = -static_cast<long double>(right[i * columns + j]);
        for (std::int64_t m = 0; m < n; ++m)
          sum += static_cast<long double>(matrix[i * n + m]) * static_cast<long double>(solution[m * columns + j]);
        ASSERT_LE(std::abs(sum), bound) << "matrix " << k << ", row " << i << ", column " << j;
      }
    }
  }
}

template <class T>
void check_small_systems(std::uint64_t seed) {
  for (std::int64_t n = 1; n <= 9; ++n) {  // of nine LAPACK is asked
    SCOPED_TRACE("unknowns " + std::to_string(n) + ", seed " + std::to_string(seed));
    std::mt19937_64 dice(seed);
    const std::int64_t count = n < 7 ? 60 : 4, columns = 1 + static_cast<std::int64_t>(dice() % 4);
    const std::vector<T> a = matrices<T>(dice, count, n);
    std::vector<T> b, unit;
    for (std::int64_t k = 0; k < count * n * columns; ++k) b.push_back(static_cast<T>(k * 37 % 19 - 9));
    for (std::int64_t k = 0; k < count * n * n; ++k) unit.push_back(T(k % (n * n) / n == k % n));
    std::vector<T> first;
    for (const fakes::SimulatedRanks& machine : kMachines) {
      if (machine.gpus && n % 3 != 2) continue;  // each compiles kernels
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
        const np::Array left = np::array(a).reshape({count, n, n}), right = np::array(b).reshape({count, n, columns});
        std::vector<T> all;
        for (const np::Array& found : {np::linalg::solve(left, right), np::linalg::inv(left), np::linalg::det(left),
                                       np::linalg::inv(np::swapaxes(left, 1, 2)), np::linalg::solve(left(0), right)}) {
          const std::vector<T> cells = found.template to_vector<T>();
          all.insert(all.end(), cells.begin(), cells.end());
        }
        if (session.rank() != 0) return;
        if (first.empty()) {
          first = all;
        } else if (n < 9) {
          EXPECT_EQ(std::memcmp(all.data(), first.data(), all.size() * sizeof(T)), 0)
              << "other bits on " << machine.ranks << " ranks" << (machine.gpus ? " of GPUs" : "");
        }
      });
    }
    auto take = [&, at = first.begin()](std::int64_t cells) mutable {
      const auto begin = at;
      return std::vector<T>(begin, at += cells);
    };
    check_solutions(a, take(count * n * columns), b, n, columns);
    check_solutions(a, take(count * n * n), unit, n, n);
    const std::vector<T> determinants = take(count);
    for (std::int64_t k = 0; k < count; ++k) {
      const T* matrix = a.data() + k * n * n;
      long double scale = 1;  // Hadamard's
      for (std::int64_t i = 0; i < n; ++i) {
        long double squares = 0;
        for (std::int64_t j = 0; j < n; ++j) squares += std::pow(static_cast<long double>(matrix[i * n + j]), 2);
        scale *= std::sqrt(squares);
      }
      EXPECT_NEAR(static_cast<double>(determinants[static_cast<std::size_t>(k)]),
                  static_cast<double>(determinant(matrix, n)),
                  static_cast<double>(32 * n * std::numeric_limits<T>::epsilon() * scale))
          << "matrix " << k;
    }
  }
}

TEST(SmallSystems, AreSolvedAlikeOnAllMachines) {
  const std::uint64_t seed = std::random_device()();
  check_small_systems<double>(seed);
  check_small_systems<float>(seed);
}

TEST(SmallSystems, ASingularOneIsToldWithItsLineOnCoresAndGpus) {
  for (const bool gpus : {false, true}) {
    const auto program = [](scheduler::Session&) {
      np::Array a = np::zeros({40, 3, 3}) + np::eye(3);
      a(17, np::all, 2) = 0.0;
      EXPECT_EQ(np::linalg::det(a).to_vector<double>()[17], 0);
      EXPECT_EQ(np::linalg::cond(a, 1)(17).item<double>(), std::numeric_limits<double>::infinity());
      const np::Array inverse = np::linalg::inv(a);
      try {
        inverse.to_vector<double>();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const LinAlgError& error) {
        EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("inv"), testing::HasSubstr("singular"),
                                                 testing::HasSubstr("small_systems_test.cc:")));
      }
    };
    const fakes::SimulatedRanks machine{.ranks = 1, .processors_per_rank = 2, .gpus = gpus};
    EXPECT_THROW(fakes::run_on_simulated_ranks(machine, program), RuntimeError);  // it cannot go on
  }
}

TEST(SmallSystems, NaNsAreNoSingularity) {
  fakes::run_on_simulated_ranks(kMachines[0], [](scheduler::Session&) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const np::Array a = np::array({{{0.0, 1.0}, {nan, 1.0}}, {{2.0, 0.0}, {0.0, 4.0}}});
    const std::vector<double> inverse = np::linalg::inv(a).to_vector<double>();
    EXPECT_TRUE(std::isnan(inverse[0]));
    EXPECT_EQ(std::vector<double>(inverse.begin() + 4, inverse.end()), (std::vector<double>{0.5, 0, 0, 0.25}));
    EXPECT_TRUE(std::isnan(np::linalg::det(a)(0).item<double>()));
  });
}

// What is beside the diagonal of V' A V is rounding, V' V is the unit matrix, values rise; all in long double.
template <class T>
void check_symmetric(const std::vector<T>& a, const std::vector<T>& values, const std::vector<T>& vectors,
                     std::int64_t n) {
  const auto count = static_cast<std::int64_t>(a.size()) / (n * n);
  const auto product = [n](const T* left, const T* right, std::int64_t i, std::int64_t j) {  // column i with column j
    long double sum = 0;
    for (std::int64_t k = 0; k < n; ++k)
      sum += static_cast<long double>(left[k * n + i]) * static_cast<long double>(right[k * n + j]);
    return sum;
  };
  for (std::int64_t k = 0; k < count; ++k) {
    const T *matrix = a.data() + k * n * n, *vector = vectors.data() + k * n * n, *value = values.data() + k * n;
    const long double rounding =
        8 * static_cast<long double>(std::numeric_limits<T>::epsilon()) * static_cast<long double>(n + 2);
    for (std::int64_t j = 0; j < n; ++j) {
      if (j > 0) ASSERT_LE(value[j - 1], value[j]);
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_LE(std::abs(product(vector, vector, i, j) - (i == j)), rounding) << "matrix " << k;
        const long double error = product(matrix, vector, i, j) -
                                  static_cast<long double>(value[j]) * static_cast<long double>(vector[i * n + j]);
        ASSERT_LE(std::abs(error), rounding * largest(matrix, n * n) * static_cast<long double>(n)) << "matrix " << k;
      }
    }
  }
}

template <class T>
void check_small_symmetric(std::uint64_t seed) {
  for (std::int64_t n = 1; n <= 8; ++n) {
    SCOPED_TRACE("rows " + std::to_string(n) + ", seed " + std::to_string(seed));
    std::mt19937_64 dice(seed);
    constexpr std::int64_t kCount = 60;
    std::vector<T> a = matrices<T>(dice, kCount, n), lower, upper;
    for (std::int64_t k = 0; k < kCount; ++k) {
      // Some are diagonal, some have equal values, some are near the least and the largest numbers.
      const T scale = k % 7 == 0   ? std::numeric_limits<T>::min() * 4
                      : k % 7 == 1 ? std::numeric_limits<T>::max() / 64
                                   : T(1);
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
          T& cell = a[static_cast<std::size_t>((k * n + i) * n + j)];
          if (k % 5 == 0 && i != j) cell = 0;
          if (k % 5 == 1) cell = i == j ? T(3) : T(1);
          cell *= scale;
          a[static_cast<std::size_t>((k * n + j) * n + i)] = cell;
        }
      }
    }
    lower = upper = a;  // what the other triangle has is not looked at
    for (std::int64_t k = 0; k < kCount * n * n; ++k) {
      if (k % (n * n) / n < k % n) lower[static_cast<std::size_t>(k)] = T(99);
      if (k % (n * n) / n > k % n) upper[static_cast<std::size_t>(k)] = std::numeric_limits<T>::quiet_NaN();
    }
    std::vector<T> first;
    for (const fakes::SimulatedRanks& machine : kMachines) {
      if (machine.gpus && n % 3 != 0) continue;  // each compiles kernels
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
        const np::Array below = np::array(lower).reshape({kCount, n, n}),
                        above = np::array(upper).reshape({kCount, n, n});
        const auto [w, v] = np::linalg::eigh(below);
        const auto [same, too] = np::linalg::eigh(above, "U");
        std::vector<T> all;
        const np::Array alone = n > 6 ? w : np::linalg::eigvalsh(np::swapaxes(below, 1, 2), "U");
        for (const np::Array& found : {w, v, alone, same, too}) {
          const std::vector<T> cells = found.template to_vector<T>();
          all.insert(all.end(), cells.begin(), cells.end());
        }
        if (session.rank() != 0) return;
        if (first.empty()) first = all;
        EXPECT_EQ(std::memcmp(all.data(), first.data(), all.size() * sizeof(T)), 0)
            << "other bits on " << machine.ranks << " ranks" << (machine.gpus ? " of GPUs" : "");
      });
    }
    const auto cells = static_cast<std::ptrdiff_t>(kCount * n);
    const std::vector<T> values(first.begin(), first.begin() + cells),
        vectors(first.begin() + cells, first.begin() + cells * (n + 1)),
        alone(first.begin() + cells * (n + 1), first.begin() + cells * (n + 2)),
        others(first.begin() + cells * (n + 2), first.end());
    check_symmetric(a, values, vectors, n);
    EXPECT_EQ(alone, values);
    EXPECT_EQ(std::vector<T>(others.begin(), others.begin() + cells), values);
    EXPECT_EQ(std::vector<T>(others.begin() + cells, others.end()), vectors);
  }
}

TEST(SmallSymmetric, HaveTheSameEigenvaluesOnAllMachines) {
  const std::uint64_t seed = std::random_device()();
  check_small_symmetric<double>(seed);
  check_small_symmetric<float>(seed);
}

TEST(SmallSymmetric, WithCellsThatAreNoNumbersHaveNone) {
  for (const bool gpus : {false, true}) {
    const auto program = [](scheduler::Session&) {
      np::Array a = np::zeros({40, 3, 3}) + np::eye(3);
      a(17, 1, 0) = std::numeric_limits<double>::infinity();
      try {
        np::linalg::eigvalsh(a).to_vector<double>();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const LinAlgError& error) {
        EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("eigvalsh"), testing::HasSubstr("did not converge"),
                                                 testing::HasSubstr("small_systems_test.cc:")));
      }
    };
    const fakes::SimulatedRanks machine{.ranks = 1, .processors_per_rank = 2, .gpus = gpus};
    EXPECT_THROW(fakes::run_on_simulated_ranks(machine, program), RuntimeError);  // it cannot go on
  }
}

// By NVIDIA's compiler, where there is one: it needs no GPU.
TEST(SmallSystems, HaveTextsThatNvrtcTakes) {
#ifdef PILUM_SANITIZE
  GTEST_SKIP() << "seconds in NVIDIA's compiler, which has no instruments; what writes the texts runs above";
#endif
  std::string why;
  const auto compiler = find_nvrtc_compiler(why);
  if (!compiler) GTEST_SKIP() << why;
  using np::Factorization;
  using Access = pilum::detail::Access;
  fakes::run_on_simulated_ranks(kMachines[0], [&](scheduler::Session&) {
    for (const Factorization which : {Factorization::Solve, Factorization::Inverse, Factorization::PlainDeterminant}) {
      for (const DType dtype : {DType::Float32, DType::Float64}) {
        const np::Array a = np::zeros({3, 4, 4}, dtype), result = np::zeros({3}, dtype);
        const bool is_determinant = which == Factorization::PlainDeterminant;
        const auto small = np::small_system_body(which, false, a, 1);
        ASSERT_TRUE(small);
        kernel::BodySource body{"small", small->gpu, {}, /*checked=*/true};
        body.parameters = {np::array_parameter(is_determinant ? result : a, Access::Write),
                           np::array_parameter(a, Access::Read)};
        if (which == Factorization::Solve) body.parameters.push_back(np::array_parameter(a, Access::Read));
        kernel::BodyForm form;
        for (std::size_t k = 0; k < body.parameters.size(); ++k) {
          kernel::BodyForm::Array& array = form.arrays.emplace_back();
          array.axes.resize(k == 0 && is_determinant ? 1 : 3);
          array.axes[0].kind = kernel::BodyAxis::Kind::Own;
        }
        EXPECT_GT(compiler->compile(kernel::emit_device_body(body, form)).size(), 1000u) << dtype;
      }
    }
    for (const DType dtype : {DType::Float32, DType::Float64}) {
      const np::Array a = np::zeros({3, 4, 4}, dtype), values = np::zeros({3, 4}, dtype);
      const auto small = np::small_system_body(Factorization::Hermitian, true, a, 1);
      ASSERT_TRUE(small);
      kernel::BodySource body{"small", small->gpu, {}, /*checked=*/true};
      body.parameters = {np::array_parameter(values, Access::Write), np::array_parameter(a, Access::Write),
                         np::array_parameter(a, Access::Read)};
      kernel::BodyForm form;
      for (const int rank : {2, 3, 3}) {
        kernel::BodyForm::Array& array = form.arrays.emplace_back();
        array.axes.resize(static_cast<std::size_t>(rank));
        array.axes[0].kind = kernel::BodyAxis::Kind::Own;
      }
      EXPECT_GT(compiler->compile(kernel::emit_device_body(body, form)).size(), 1000u) << dtype;
    }
  });
}

}  // namespace
}  // namespace pilum
