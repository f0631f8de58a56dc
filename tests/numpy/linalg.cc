// Systems of equations and factorizations. Of those that leave signs open, what does not depend on them.
#include "pilum/linalg.h"

#include "pilum/functions.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

np::Array adjoint(const np::Array& a) {
  return np::conj(np::swapaxes(a, -1, -2));
}

std::optional<double> number(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(a.real(place)) : std::nullopt;
}

Results qr(const Arguments& a) {
  const auto [q, r] = np::linalg::qr(a.array(0), a.word(1));
  return {np::matmul(q, r), np::matmul(adjoint(q), q), np::abs(r)};
}

// The values, their vectors put together, and whether these are orthonormal.
Results eigh(const Arguments& a) {
  const auto [values, vectors] = np::linalg::eigh(a.array(0), a.word(1));
  return {values, np::matmul(vectors * np::expand_dims(values, -2), adjoint(vectors)),
          np::matmul(adjoint(vectors), vectors)};
}

// Sums of powers, which do not depend on the order; how far vectors are from being some, and their sizes.
Results sums_of_powers(const np::Array& values) {
  return {np::sum(values, -1), np::sum(values * values, -1), np::sum(values * values * values, -1)};
}

Results eig(const Arguments& a) {
  const auto [values, vectors] = np::linalg::eig(a.array(0));
  Results results = sums_of_powers(values);
  results.push_back(np::matmul(a.array(0).astype(vectors.dtype()), vectors) - vectors * np::expand_dims(values, -2));
  results.push_back(np::norm(vectors, {}, -2));
  return results;
}

Results svd(const Arguments& a) {
  const auto [u, s, vh] = np::linalg::svd(a.array(0), a.flag(1));
  const std::int64_t k = s.shape()[s.ndim() - 1];
  const np::Array left = u(np::ellipsis, np::slice(0, k)), right = vh(np::ellipsis, np::slice(0, k), np::all);
  return {s, np::matmul(left * np::expand_dims(s, -2), right), np::matmul(adjoint(u), u), np::matmul(vh, adjoint(vh))};
}

}  // namespace

void add_linalg(Table& table) {
  table["solve"] = [](const Arguments& a) -> Results { return {np::linalg::solve(a.array(0), a.array(1))}; };
  table["inv"] = [](const Arguments& a) -> Results { return {np::linalg::inv(a.array(0))}; };
  table["det"] = [](const Arguments& a) -> Results { return {np::linalg::det(a.array(0))}; };
  table["slogdet"] = [](const Arguments& a) -> Results {
    const auto [sign, logarithm] = np::linalg::slogdet(a.array(0));
    return {sign, logarithm};
  };
  table["cholesky"] = [](const Arguments& a) -> Results { return {np::linalg::cholesky(a.array(0), a.flag(1))}; };
  table["qr"] = qr;
  table["qr_r"] = [](const Arguments& a) -> Results { return {np::abs(np::linalg::qr_r(a.array(0)))}; };
  table["eigh"] = eigh;
  table["eigvalsh"] = [](const Arguments& a) -> Results { return {np::linalg::eigvalsh(a.array(0), a.word(1))}; };
  table["eig"] = eig;
  table["eigvals"] = [](const Arguments& a) { return sums_of_powers(np::linalg::eigvals(a.array(0))); };
  table["svd"] = svd;
  table["svdvals"] = [](const Arguments& a) -> Results { return {np::linalg::svdvals(a.array(0))}; };
  table["lstsq"] = [](const Arguments& a) -> Results {
    const auto found = np::linalg::lstsq(a.array(0), a.array(1), number(a, 2));
    return {found.x, found.residuals, found.rank, found.singular_values};
  };
  table["pinv"] = [](const Arguments& a) -> Results { return {np::linalg::pinv(a.array(0), a.real(1))}; };
  table["matrix_rank"] = [](const Arguments& a) -> Results {
    return {np::linalg::matrix_rank(a.array(0), number(a, 1))};
  };
  table["cond"] = [](const Arguments& a) -> Results { return {np::linalg::cond(a.array(0), number(a, 1))}; };
  table["matrix_power"] = [](const Arguments& a) -> Results {
    return {np::linalg::matrix_power(a.array(0), a.integer(1))};
  };
  table["multi_dot"] = [](const Arguments& a) -> Results { return {np::linalg::multi_dot(a.arrays(0))}; };
  table["tensorinv"] = [](const Arguments& a) -> Results {
    return {np::linalg::tensorinv(a.array(0), static_cast<int>(a.integer(1)))};
  };
  table["tensorsolve"] = [](const Arguments& a) -> Results {
    return {np::linalg::tensorsolve(a.array(0), a.array(1))};
  };
  table["norm_of_values"] = [](const Arguments& a) -> Results {
    if (a.at(1).kind == Argument::Kind::Word) return {np::norm(a.array(0), a.word(1), a.axes(2), a.flag(3))};
    return {np::norm(a.array(0), a.real(1), a.axes(2), a.flag(3))};
  };
  table["vector_norm"] = [](const Arguments& a) -> Results {
    return {np::linalg::vector_norm(a.array(0), a.axes(1), a.real(2), a.flag(3))};
  };
  table["matrix_norm"] = [](const Arguments& a) -> Results {
    const auto order = a.has(1) ? std::optional(a.real(1)) : std::nullopt;
    return {np::linalg::matrix_norm(a.array(0), order, a.flag(2))};
  };
}

}  // namespace pilum::numpy_suite
