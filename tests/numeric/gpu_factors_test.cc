// Factors of large matrices as calls of GPUs, on emulated ones: what they are defined by, in plain loops.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "numeric/gpu_elimination.h"
#include "numeric/gpu_factors.h"
#include "numeric/gpu_matrix_copy.h"
#include "pilum/pilum.h"
#include "tests/fakes/emulated_lapack.h"
#include "tests/numeric/complex_lines.h"
#include "tests/numeric/emulated_gpus.h"
#include "tests/numeric/gpu_session.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;
using Complex = std::complex<double>;

// Rows of complex numbers.
using ComplexRows = std::vector<Complexes>;

ComplexRows read(const Array& a) {
  return lines_of(a, a.ndim() - 1);
}

// No row is near to another; diagonals are the largest.
Array numbers_of(std::int64_t rows, std::int64_t columns, DType dtype, std::int64_t salt = 0) {
  const Array number = np::arange(rows * columns).reshape({rows, columns});
  const Array part = np::sin(number * 7.3 + static_cast<double>(salt));
  if (!is_complex(dtype)) return (part + 9.0 * np::eye(rows, columns)).astype(dtype);
  return (part + np::cos(number * 3.1) * Complex(0, 1) + 9.0 * np::eye(rows, columns)).astype(dtype);
}

ComplexRows product(const ComplexRows& a, const ComplexRows& b) {
  ComplexRows c(a.size(), Complexes(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[0].size(); ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

ComplexRows adjoint(const ComplexRows& a) {
  ComplexRows c(a[0].size(), Complexes(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[0].size(); ++j) c[j][i] = std::conj(a[i][j]);
  }
  return c;
}

ComplexRows one(std::size_t n) {
  ComplexRows c(n, Complexes(n));
  for (std::size_t i = 0; i < n; ++i) c[i][i] = 1;
  return c;
}

double distance(const ComplexRows& a, const ComplexRows& b) {
  if (a.size() != b.size() || a[0].size() != b[0].size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[0].size(); ++j) {
      const double error = std::abs(a[i][j] - b[i][j]);
      most = std::max(most, std::isnan(error) ? INFINITY : error);
    }
  }
  return most;
}

double bound_of(DType dtype) {
  return dtype == DType::Float32 || dtype == DType::Complex64 ? 2e-3 : 1e-11;
}

bool is_triangle(const ComplexRows& a, bool upper) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[0].size(); ++j) {
      if ((upper ? i > j : i < j) && a[i][j] != Complex()) return false;
    }
  }
  return true;
}

void check_square(const Array& a) {
  SCOPED_TRACE(testing::Message() << a.shape() << " " << a.dtype());
  const ComplexRows m = read(a);
  const std::size_t n = m.size();
  const double bound = bound_of(a.dtype());
  const Array b = numbers_of(a.shape()[0], 5, a.dtype(), 3), v = b(all, 2);
  EXPECT_LT(distance(product(m, read(np::linalg::solve(a, b))), read(b)), bound);
  EXPECT_LT(distance(product(m, read(np::linalg::solve(a, v).reshape({-1, 1}))), read(v.reshape({-1, 1}))), bound);
  EXPECT_LT(distance(product(m, read(np::linalg::inv(a))), one(n)), bound);

  const auto [q, r] = np::linalg::qr(a);
  EXPECT_LT(distance(product(read(q), read(r)), m), bound);
  EXPECT_LT(distance(product(adjoint(read(q)), read(q)), one(n)), bound);
  EXPECT_TRUE(is_triangle(read(r), true));

  // The determinant of a product of triangles is that of their diagonals.
  const auto [sign, logarithm] = np::linalg::slogdet(a);
  const auto [sign_r, logarithm_r] = np::linalg::slogdet(r);
  Complex wanted = 1;
  double wanted_logarithm = 0;
  const ComplexRows triangle = read(r);
  for (std::size_t i = 0; i < n; ++i) {
    wanted *= triangle[i][i] / std::abs(triangle[i][i]);
    wanted_logarithm += std::log(std::abs(triangle[i][i]));
  }
  EXPECT_NEAR(logarithm.astype(DType::Float64).item<double>(), wanted_logarithm, bound * 100);
  EXPECT_NEAR(logarithm_r.astype(DType::Float64).item<double>(), wanted_logarithm, bound * 100);
  EXPECT_LT(std::abs(sign_r.astype(DType::Complex128).item<Complex>() - wanted), bound * 100);
  EXPECT_NEAR(std::abs(sign.astype(DType::Complex128).item<Complex>()), 1, bound * 100);
}

void check_positive(const Array& a) {
  SCOPED_TRACE(testing::Message() << a.shape() << " " << a.dtype());
  const double bound = bound_of(a.dtype());
  const Array positive = np::matmul(a, np::conj(np::transpose(a))) + 5.0 * np::eye(a.shape()[0]).astype(a.dtype());
  const Array whole = positive.astype(a.dtype());
  const ComplexRows m = read(whole);
  // Only one triangle is looked at.
  const Array lower = np::tril(whole), upper = np::triu(whole);
  const ComplexRows l = read(np::linalg::cholesky(lower)), u = read(np::linalg::cholesky(upper, /*upper=*/true));
  EXPECT_TRUE(is_triangle(l, false));
  EXPECT_TRUE(is_triangle(u, true));
  EXPECT_LT(distance(product(l, adjoint(l)), m), bound * 200);
  EXPECT_LT(distance(product(adjoint(u), u), m), bound * 200);
  for (const char* triangle : {"L", "U"}) {
    const Array half = *triangle == 'L' ? lower : upper;
    const auto [values, vectors] = np::linalg::eigh(half, triangle);
    const ComplexRows w = read(values.reshape({1, -1})), v = read(vectors);
    ComplexRows scaled = v;
    for (Complexes& row : scaled) {
      for (std::size_t j = 0; j < row.size(); ++j) row[j] *= w[0][j];
    }
    EXPECT_LT(distance(product(m, v), scaled), bound * 200);
    EXPECT_LT(distance(product(adjoint(v), v), one(m.size())), bound);
    for (std::size_t j = 1; j < m.size(); ++j) EXPECT_LE(w[0][j - 1].real(), w[0][j].real());
    EXPECT_LT(distance(read(np::linalg::eigvalsh(half, triangle).reshape({1, -1})), w), bound * 200);
  }
}

// Of any number of rows and columns.
void check_singular(const Array& a, bool full) {
  SCOPED_TRACE(testing::Message() << a.shape() << " " << a.dtype() << " full " << full);
  const double bound = bound_of(a.dtype());
  const ComplexRows m = read(a);
  const std::size_t least = std::min(m.size(), m[0].size());
  const auto [left, values, right] = np::linalg::svd(a, full);
  const ComplexRows u = read(left), s = read(values.reshape({1, -1})), v = read(right);
  EXPECT_EQ(u[0].size(), full ? m.size() : least);
  EXPECT_EQ(v.size(), full ? m[0].size() : least);
  ComplexRows scaled(m.size(), Complexes(v.size()));
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < least; ++j) scaled[i][j] = u[i][j] * s[0][j];
  }
  EXPECT_LT(distance(product(scaled, v), m), bound * 10);
  EXPECT_LT(distance(product(adjoint(u), u), one(u[0].size())), bound * 10);
  EXPECT_LT(distance(product(v, adjoint(v)), one(v.size())), bound * 10);
  for (std::size_t j = 1; j < least; ++j) EXPECT_GE(s[0][j - 1].real(), s[0][j].real());
  EXPECT_LT(distance(read(np::linalg::svdvals(a).reshape({1, -1})), s), bound * 10);
}

void check_orthogonal(const Array& a, const char* mode) {
  SCOPED_TRACE(testing::Message() << a.shape() << " " << a.dtype() << " " << mode);
  const auto [q, r] = np::linalg::qr(a, mode);
  const ComplexRows left = read(q), right = read(r);
  EXPECT_LT(distance(product(left, right), read(a)), bound_of(a.dtype()));
  EXPECT_LT(distance(product(adjoint(left), left), one(left[0].size())), bound_of(a.dtype()));
  EXPECT_TRUE(is_triangle(right, true));
  if (mode == std::string("reduced")) EXPECT_LT(distance(read(np::linalg::qr_r(a)), right), bound_of(a.dtype()));
}

constexpr DType kFactored[] = {DType::Float32, DType::Float64, DType::Complex64, DType::Complex128};

class GpuFactors : public testing::Test {
 protected:
  void SetUp() override {
    if (!fakes::has_lapack()) GTEST_SKIP() << "there is no OpenBLAS, which an emulated GPU's LAPACK is";
  }
};

TEST_F(GpuFactors, AreThoseOfTheirDefinitions) {
  for (const DType dtype : kFactored) {
    GpuSession on({});
    const Array a = numbers_of(100, 100, dtype);
    check_square(a);
    check_positive(a);
    EXPECT_EQ(on.lapacks(), 16) << dtype;
  }
}

TEST_F(GpuFactors, OfMoreRowsOrMoreColumns) {
  for (const DType dtype : kFactored) {
    GpuSession on({});
    for (const bool full : {false, true}) {
      check_singular(numbers_of(101, 97, dtype), full);
      check_singular(numbers_of(97, 101, dtype), full);
      check_singular(numbers_of(96, 96, dtype), full);
    }
    for (const char* mode : {"reduced", "complete"}) {
      check_orthogonal(numbers_of(105, 98, dtype), mode);
      check_orthogonal(numbers_of(98, 105, dtype), mode);
    }
    EXPECT_GE(on.lapacks(), 20) << dtype;
  }
}

TEST_F(GpuFactors, OfMatricesThatLieInAnyWay) {
  GpuSession on({});
  const Array a = np::zeros({220, 210});
  const Array views[] = {np::transpose(a(slice(0, 100), slice(0, 100))), a(slice({}, {}, 2), slice(50, 160)),
                         a(slice({}, {}, -2), slice({}, {}, -2))(slice(0, 105), slice(0, 105))};
  for (const Array& view : views) {
    const Shape shape = view.shape();
    view[all] = numbers_of(shape[0], shape[1], DType::Float64);
    check_square(view);
  }
}

// Batches are cut among the GPUs, and what is broadcast is read where it lies.
TEST_F(GpuFactors, OfManyMatrices) {
  for (const int gpus : {1, 2, 3}) {
    GpuSession on({.processors_per_rank = gpus});
    std::vector<Array> parts;
    for (int k = 0; k < 4; ++k) parts.push_back(numbers_of(97, 97, DType::Float64, k));
    const Array many = np::stack(parts), b = numbers_of(97, 2, DType::Float64, 9);
    const Array x = np::linalg::solve(many, b), inverse = np::linalg::inv(many.reshape({2, 2, 97, 97}));
    const auto [sign, logarithm] = np::linalg::slogdet(many);
    for (std::int64_t k = 0; k < 4; ++k) {
      const ComplexRows m = read(parts[static_cast<std::size_t>(k)]);
      EXPECT_LT(distance(product(m, read(x(k))), read(b)), 1e-11) << gpus << " " << k;
      EXPECT_LT(distance(product(m, read(inverse(k / 2, k % 2))), one(97)), 1e-11) << gpus << " " << k;
      const auto [one_sign, one_logarithm] = np::linalg::slogdet(parts[static_cast<std::size_t>(k)]);
      EXPECT_EQ(sign(k).item<double>(), one_sign.item<double>());
      EXPECT_EQ(logarithm(k).item<double>(), one_logarithm.item<double>());
    }
    EXPECT_GE(on.lapacks(), 20);
  }
}

Array singular_matrix() {
  Array a = numbers_of(100, 100, DType::Float64);
  a(all, 7) = 0;
  return a;
}

template <class Call>
void expect_refused(const char* what, const Call& call) {
  const auto program = [&](scheduler::Session&) {
    try {
      const Array found = call();
      static_cast<void>(np::sum(np::abs(found)).astype(DType::Float64).item<double>());
      ADD_FAILURE() << "nothing was thrown";
    } catch (const LinAlgError& error) {
      EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(what), testing::HasSubstr("gpu_factors_test.cc:")));
    }
  };
  EXPECT_THROW(fakes::run_on_simulated_ranks({.ranks = 1, .gpus = true}, program), RuntimeError);  // it cannot go on
}

TEST_F(GpuFactors, ThatThereAreNotAreErrors) {
  expect_refused("a matrix is singular", [] { return np::linalg::inv(singular_matrix()); });
  expect_refused("a matrix is singular",
                 [] { return np::linalg::solve(singular_matrix(), numbers_of(100, 1, DType::Float64)); });
  expect_refused("not positive definite",
                 [] { return np::linalg::cholesky(numbers_of(100, 100, DType::Float64) - 20.0 * np::eye(100)); });
  // Cells that are no numbers.
  for (const DType dtype : {DType::Float32, DType::Complex128}) {
    const auto nan = [dtype] {
      Array a = np::eye(100).astype(dtype);
      a(40, 40) = std::nan("");
      return a;
    };
    expect_refused("not positive definite", [&] { return np::linalg::cholesky(nan()); });
    expect_refused("eigenvalues of a matrix were not found", [&] { return np::linalg::eigh(nan()).eigenvectors; });
    expect_refused("singular values of a matrix were not found", [&] { return np::linalg::svdvals(nan()); });
  }
}

TEST_F(GpuFactors, OfASingularOneTheDeterminantIsZero) {
  GpuSession on({});
  EXPECT_EQ(np::linalg::det(singular_matrix()).item<double>(), 0);
  const auto [sign, logarithm] = np::linalg::slogdet(singular_matrix());
  EXPECT_EQ(sign.item<double>(), 0);
  EXPECT_EQ(logarithm.item<double>(), -INFINITY);
  EXPECT_EQ(np::linalg::cond(singular_matrix(), 1).item<double>(), INFINITY);
}

// Of a loop, whose plans are found again, with other matrices each time.
TEST_F(GpuFactors, AreRemembered) {
  for (const int gpus : {1, 2}) {
    GpuSession on({.processors_per_rank = gpus, .seed = static_cast<std::uint64_t>(gpus)});
    Array x = numbers_of(98, 3, DType::Float64);
    const Array start = x;
    for (int round = 0; round < 10; ++round) {
      const Array a = numbers_of(98, 98, DType::Float64) + static_cast<double>(round) * np::eye(98);
      x = np::linalg::solve(a, np::matmul(a, x));
      on.session().flush();
    }
    EXPECT_LT(distance(read(x), read(start)), 1e-10);
    EXPECT_GT(on.session().plan_cache().hits, 4);
    EXPECT_GE(on.lapacks(), 20);
  }
}

TEST_F(GpuFactors, GoOnWhereMemoryIsFull) {
  GpuSession on({.gpu_memory = 700'000});
  std::vector<Array> inverses;
  for (int k = 0; k < 8; ++k) {
    inverses.push_back(np::linalg::inv(numbers_of(96, 96, DType::Float64, k)));
    on.session().flush();
  }
  for (int k = 0; k < 8; ++k) {
    const ComplexRows m = read(numbers_of(96, 96, DType::Float64, k));
    EXPECT_LT(distance(product(m, read(inverses[static_cast<std::size_t>(k)])), one(96)), 1e-11) << k;
  }
}

TEST_F(GpuFactors, AreTheHostsWhereGpusHaveNone) {
  GpuSession on({.processors_per_rank = 2, .factorizes = false});
  check_square(numbers_of(100, 100, DType::Float64));
  EXPECT_EQ(on.lapacks(), 0);
}

TEST_F(GpuFactors, OfRanksAreAlike) {
  for (const int ranks : {2, 3}) {
    fakes::SimulatedRanks machine{.ranks = ranks, .gpus = true};
    fakes::run_on_simulated_ranks(machine, [](scheduler::Session&) {
      check_square(numbers_of(100, 100, DType::Float64));
      check_positive(numbers_of(100, 100, DType::Float64));
    });
  }
}

// Small ones, and many, by a kernel of the library's own, which needs no LAPACK.
void check_eliminated(const Array& a, const Array& b) {
  SCOPED_TRACE(testing::Message() << a.shape() << " " << a.dtype() << " " << b.shape());
  const double bound = bound_of(a.dtype());
  const std::int64_t n = a.shape()[a.ndim() - 1];
  const Array x = np::linalg::solve(a, b), inverse = np::linalg::inv(a);
  const Array positive = (np::matmul(a, np::swapaxes(a, -1, -2)) + 5.0 * np::eye(n)).astype(a.dtype());
  const Array l = np::linalg::cholesky(np::tril(positive)),
              u = np::linalg::cholesky(np::triu(positive), /*upper=*/true);
  const auto [sign, logarithm] = np::linalg::slogdet(a);
  const Array matrices = a.reshape({-1, n, n}),
              sides = np::broadcast_to(b, x.shape()).reshape({-1, n, b.shape()[b.ndim() - 1]});
  const Array positives = positive.reshape({-1, n, n});
  for (std::int64_t k = 0; k < matrices.shape()[0]; ++k) {
    const ComplexRows m = read(matrices(k));
    EXPECT_LT(distance(product(m, read(x.reshape(sides.shape())(k))), read(sides(k))), bound);
    EXPECT_LT(distance(product(m, read(inverse.reshape({-1, n, n})(k))), one(m.size())), bound);
    const ComplexRows lower = read(l.reshape({-1, n, n})(k)), upper = read(u.reshape({-1, n, n})(k));
    EXPECT_TRUE(is_triangle(lower, false));
    EXPECT_TRUE(is_triangle(upper, true));
    EXPECT_LT(distance(product(lower, adjoint(lower)), read(positives(k))), bound * 200);
    EXPECT_LT(distance(product(adjoint(upper), upper), read(positives(k))), bound * 200);
    // By elimination without pivots, which these matrices allow.
    ComplexRows rest = m;
    double wanted = 0, wanted_sign = 1;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      wanted += std::log(std::abs(rest[i][i]));
      wanted_sign *= rest[i][i].real() < 0 ? -1 : 1;
      for (std::size_t r = i + 1; r < rest.size(); ++r) {
        const Complex factor = rest[r][i] / rest[i][i];
        for (std::size_t c = i; c < rest.size(); ++c) rest[r][c] -= factor * rest[i][c];
      }
    }
    EXPECT_NEAR(logarithm.reshape({-1})(k).astype(DType::Float64).item<double>(), wanted, bound * 100);
    EXPECT_EQ(sign.reshape({-1})(k).astype(DType::Float64).item<double>(), wanted_sign);
  }
}

TEST(GpuEliminations, AreThoseOfTheirDefinitions) {
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    GpuSession on({});
    for (const std::int64_t n : {1, 9, 33, 70}) {
      check_eliminated(numbers_of(n, n, dtype), numbers_of(n, 3, dtype, 1));
      // Rows in another order: pivots are found.
      const Array turned = np::flip(numbers_of(n, n, dtype), 0), b = numbers_of(n, 2, dtype, 1);
      EXPECT_LT(distance(product(read(turned), read(np::linalg::solve(turned, b))), read(b)), bound_of(dtype)) << n;
    }
    EXPECT_EQ(on.lapacks(), 0);
  }
}

// Too large for shared memory, and cut.
TEST(GpuEliminations, OfManyMatrices) {
  for (const int gpus : {1, 3}) {
    GpuSession on({.processors_per_rank = gpus});
    std::vector<Array> parts;
    for (int k = 0; k < 10; ++k) parts.push_back(numbers_of(78, 78, DType::Float64, k));
    check_eliminated(np::stack(parts).reshape({2, 5, 78, 78}), numbers_of(78, 1, DType::Float64));
    EXPECT_EQ(on.lapacks(), 0);
  }
}

TEST(GpuEliminations, OfMatricesThatLieInAnyWay) {
  GpuSession on({.processors_per_rank = 2});
  const Array a = np::zeros({40, 12, 5});
  Array view = np::transpose(a(slice({}, {}, -2), slice(1, 11), all), {2, 1, 0})(all, all, slice(3, 13));
  for (int k = 0; k < 5; ++k) view(k, all, all) = numbers_of(10, 10, DType::Float64, k);
  check_eliminated(view, np::transpose(numbers_of(4, 10, DType::Float64)));
  check_eliminated(np::swapaxes(view, -1, -2), np::broadcast_to(numbers_of(10, 1, DType::Float64), {5, 10, 2}));
}

TEST(GpuEliminations, OfSingularOnes) {
  Array (*const singular)() = [] {
    Array a = np::zeros({3, 20, 20}) + np::eye(20);
    a(1, all, 7) = 0.0;
    return a;
  };
  expect_refused("a matrix is singular", [&] { return np::linalg::inv(singular()); });
  expect_refused("a matrix is singular", [&] { return np::linalg::solve(singular(), np::ones({20, 1})); });
  expect_refused("not positive definite", [&] { return np::linalg::cholesky(singular() - 0.5); });
  GpuSession on({});
  EXPECT_EQ(np::linalg::det(singular()).to_vector<double>(), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(np::linalg::slogdet(singular()).second.to_vector<double>(), (std::vector<double>{0, -INFINITY, 0}));
  EXPECT_EQ(np::linalg::cond(singular(), 1).to_vector<double>(), (std::vector<double>{1, INFINITY, 1}));
  const Array nan = np::zeros({10, 10}) + std::nan("");
  EXPECT_TRUE(np::all(np::isnan(np::linalg::solve(nan, np::ones({10, 1})))).item<bool>());
}

TEST(GpuMatrixCopies, AreTextsThatNvrtcTakes) {
  std::string why;
  const auto compiler = find_nvrtc_compiler(why);
  if (!compiler) GTEST_SKIP() << why;
  for (const std::size_t bytes : {4, 8, 16}) static_cast<void>(compiler->compile(np::matrix_copy_text(bytes)));
  static_cast<void>(compiler->compile(np::refusal_kernel_text()));
  for (const DType dtype : kFactored) static_cast<void>(compiler->compile(np::determinant_text(dtype)));
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    for (const bool is_shared : {false, true})
      static_cast<void>(compiler->compile(np::elimination_text(dtype, is_shared)));
  }
}

}  // namespace
}  // namespace pilum
