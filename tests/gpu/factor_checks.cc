// Factors of matrices on GPUs: whether their products are what they are factors of, of any rows and columns.
#include <complex>
#include <string>
#include <tuple>

#include "pilum/pilum.h"
#include "tests/gpu/library_check.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;

Array numbers_of(std::int64_t rows, std::int64_t columns, DType dtype) {
  auto generator = np::random::default_rng(static_cast<std::uint64_t>(rows * 1000 + columns));
  const Array real = generator.standard_normal({rows, columns});
  if (!is_complex(dtype)) return real.astype(dtype);
  return (real + generator.standard_normal({rows, columns}) * std::complex<double>(0, 1)).astype(dtype);
}

Array adjoint(const Array& a) {
  return np::conj(np::transpose(a));
}

// In units of what a sum of so many products rounds to.
std::string difference(const char* what, const Array& found, const Array& wanted) {
  const bool is_single = found.dtype() == DType::Float32 || found.dtype() == DType::Complex64;
  const double rounding = (is_single ? 6e-8 : 1.1e-16) * static_cast<double>(wanted.shape()[0] + 100);
  const double size = np::max(np::abs(wanted)).astype(DType::Float64).item<double>();
  const double error = np::max(np::abs(found - wanted)).astype(DType::Float64).item<double>() / (size * rounding);
  return error < 100 ? "" : std::string(what) + " is wrong by " + std::to_string(error) + " roundings; ";
}

std::string compare_square(const Array& a) {
  const std::int64_t n = a.shape()[0];
  const Array one = np::eye(n).astype(a.dtype()), heavy = a + one * static_cast<double>(n);
  const Array b = numbers_of(n, 3, a.dtype());
  std::string result = difference("solve", np::matmul(heavy, np::linalg::solve(heavy, b)), b);
  result += difference("inv", np::matmul(heavy, np::linalg::inv(heavy)), one);
  const Array positive = np::matmul(a, adjoint(a)) + one * static_cast<double>(n);
  const Array l = np::linalg::cholesky(positive), u = np::linalg::cholesky(positive, /*upper=*/true);
  result += difference("cholesky", np::matmul(l, adjoint(l)), positive);
  result += difference("the upper cholesky", np::matmul(adjoint(u), u), positive);
  for (const char* triangle : {"L", "U"}) {
    const auto [values, vectors] = np::linalg::eigh(positive, triangle);
    result += difference("eigh", np::matmul(vectors * values, adjoint(vectors)), positive);
    result += difference("eigvalsh", np::linalg::eigvalsh(positive, triangle), values);
  }
  // The sizes of a determinant's factors are those of the triangle that a reflection leaves.
  const auto [sign, logarithm] = np::linalg::slogdet(a);
  const Array sizes = np::log(np::abs(np::diagonal(np::linalg::qr_r(a))));
  result += difference("slogdet", logarithm.reshape({1}), np::sum(sizes).reshape({1}));
  return result + difference("the sign", np::abs(sign).reshape({1}), np::ones({1}));
}

std::string compare_any(const Array& a) {
  std::string result;
  for (const char* mode : {"reduced", "complete"}) {
    const auto [q, r] = np::linalg::qr(a, mode);
    result += difference("qr", np::matmul(q, r), a);
    result += difference("qr's Q", np::matmul(adjoint(q), q), np::eye(q.shape()[1]).astype(a.dtype()));
  }
  const std::int64_t least = std::min(a.shape()[0], a.shape()[1]);
  for (const bool full : {false, true}) {
    const auto [u, s, vh] = np::linalg::svd(a, full);
    const Array left = u(all, slice(0, least)) * s, right = vh(slice(0, least), all);
    result += difference("svd", np::matmul(left, right), a);
    result += difference("svd's U", np::matmul(adjoint(u), u), np::eye(u.shape()[1]).astype(a.dtype()));
    result += difference("svd's V", np::matmul(vh, adjoint(vh)), np::eye(vh.shape()[0]).astype(a.dtype()));
    result += difference("svdvals", np::linalg::svdvals(a), s);
  }
  return result;
}

// By cuSOLVER one after the other, or all by a kernel of the library's own, in shared memory and in scratch memory.
std::string many(std::int64_t count, std::int64_t n, DType dtype) {
  const Array one = np::eye(n).astype(dtype);
  const Array a = numbers_of(count * n, n, dtype).reshape({count, n, n}) + one * static_cast<double>(n);
  const Array b = numbers_of(n, 2, dtype), turned = np::flip(a, 1), wanted = np::broadcast_to(b, {count, n, 2});
  const Array positive = np::matmul(a, np::swapaxes(a, -1, -2));
  const Array l = np::linalg::cholesky(positive), u = np::linalg::cholesky(positive, /*upper=*/true);
  const auto [sign, logarithm] = np::linalg::slogdet(positive);
  const Array squares = 2.0 * np::sum(np::log(np::diagonal(l, 0, -2, -1)), -1);
  return difference("solve", np::matmul(a, np::linalg::solve(a, b)), wanted) +
         difference("solve with pivots", np::matmul(turned, np::linalg::solve(turned, b)), wanted) +
         difference("inv", np::matmul(a, np::linalg::inv(a)), np::broadcast_to(one, {count, n, n})) +
         difference("cholesky", np::matmul(l, np::swapaxes(l, -1, -2)), positive) +
         difference("the upper cholesky", np::matmul(np::swapaxes(u, -1, -2), u), positive) +
         difference("slogdet", logarithm, squares) + difference("the sign", sign, np::ones({count}));
}

}  // namespace

void check_factors() {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Complex64, DType::Complex128}) {
    const std::string type = "factors, " + std::string(name(dtype)) + ": ";
    for (const std::int64_t n : {96, 500})
      check(type + std::to_string(n) + " rows", [&] { return compare_square(numbers_of(n, n, dtype)); });
    check(type + "more rows", [&] { return compare_any(numbers_of(311, 190, dtype)); });
    check(type + "more columns", [&] { return compare_any(numbers_of(190, 311, dtype)); });
    check(type + "every second row, transposed",
          [&] { return compare_any(np::transpose(numbers_of(400, 260, dtype)(slice({}, {}, 2), slice(7, {})))); });
  }
  using Many = std::tuple<std::int64_t, std::int64_t, DType>;
  for (const auto& [count, n, dtype] : {Many{6, 130, DType::Float64},
                                        {40, 130, DType::Float32},
                                        {1500, 9, DType::Float64},
                                        {700, 52, DType::Float32},
                                        {20, 256, DType::Float64},
                                        {1, 95, DType::Float64}}) {
    check("factors, " + std::string(name(dtype)) + ": of " + std::to_string(count) + " matrices of " +
              std::to_string(n) + " rows",
          [&, count = count, n = n, dtype = dtype] { return many(count, n, dtype); });
  }
}

}  // namespace pilum
