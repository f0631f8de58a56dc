// What LAPACK computes: shapes and dtypes are checked here, matrices are computed by linalg_body.cc.
#include "pilum/linalg.h"

#include <algorithm>
#include <string>
#include <utility>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/linalg_body.h"
#include "numeric/shapes.h"
#include "numeric/small_systems.h"
#include "numeric/tall_qr.h"
#include "pilum/creation.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

DType lapack_dtype(const Call& call, DType dtype) {
  if (dtype == DType::Float16)
    fail<DTypeError>(call, "the matrices are float16, which LAPACK does not know: cast them with astype(float32)");
  return is_inexact(dtype) ? dtype : DType::Float64;
}

// In a dtype of LAPACK's.
Array checked_matrices(const Call& call, const Array& a) {
  const ArrayState& state = checked_state(call, a);
  const DType dtype = lapack_dtype(call, state.dtype());
  if (state.shape.rank() < 2)
    fail<ShapeError>(call, "shape ", state.shape, " has no matrices: two axes or more make them");
  return dtype == state.dtype() ? a : a.astype(dtype, call.where);
}

void check_square(const Call& call, const Array& a) {
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() < 2) fail<ShapeError>(call, "shape ", shape, " has no matrices: two axes or more make them");
  if (shape[shape.rank() - 1] != shape[shape.rank() - 2])
    fail<ShapeError>(call, "the matrices of shape ", shape, " are not square: pinv and lstsq take such ones");
}

Shape batch_of(const Array& a) {
  Shape batch;
  for (int axis = 0; axis < a.ndim() - 2; ++axis) batch.push_back(a.shape()[axis]);
  return batch;
}

Shape with(const Shape& batch, std::initializer_list<std::int64_t> core) {
  Shape shape = batch;
  for (const std::int64_t extent : core) shape.push_back(extent);
  return shape;
}

// The factors of matrices; of none they are arrays without cells, or whatever `of_none` makes of them.
std::vector<Array> factors_of(const Call& call, Factorization which, bool option, const Array& a,
                              const std::vector<Factor>& factors) {
  const Shape batch = batch_of(a);
  if (a.size() > 0) return factorized(call, which, option, batch, factors, {a});
  std::vector<Array> none;
  for (const Factor& factor : factors) {  // what has cells is an orthogonal matrix
    Shape shape = batch;
    for (const std::int64_t extent : factor.shape) shape.push_back(extent);
    if (shape.elements() == 0) {
      none.push_back(empty(shape, factor.dtype, call.where));
      continue;
    }
    const Array one = eye(factor.shape[0], factor.shape[1], 0, factor.dtype, call.where);
    none.push_back(broadcast_to(one, shape, call.where).copy(call.where));
  }
  return none;
}

bool is_upper(const Call& call, std::string_view uplo) {
  if (uplo != "L" && uplo != "U" && uplo != "l" && uplo != "u")
    fail<ValueError>(call, "the triangle is \"", std::string(uplo), "\": \"L\" or \"U\"");
  return uplo == "U" || uplo == "u";
}

Array checked_square(const Call& call, const Array& a) {
  check_square(call, a);
  return checked_matrices(call, a);
}

std::pair<Array, Array> signs_and_logarithms(const Call& call, const Array& m) {
  const Shape batch = batch_of(m);
  const DType part = pilum::detail::part_of(m.dtype());
  if (m.size() == 0) return {ones(batch, m.dtype(), call.where), zeros(batch, part, call.where)};
  const auto found = factorized(call, Factorization::Determinant, false, batch, {{m.dtype(), {}}, {part, {}}}, {m});
  return {found[0], found[1]};
}

}  // namespace

Array singular_values_of(const Call& call, const Array& a) {
  const Array given = checked_matrices(call, a);
  const Array m = given.size() > 0 && is_tall(call, given) ? tall_qr(call, given, /*has_q=*/false).second : given;
  const std::int64_t least = std::min(m.shape()[m.ndim() - 2], m.shape()[m.ndim() - 1]);
  return factors_of(call, Factorization::SingularValues, false, m,
                    {{pilum::detail::part_of(m.dtype()), Shape{least}}})[0];
}

namespace linalg {

Array solve(const Array& a, const Array& b, std::source_location where) {
  const Call call{"solve", where};
  check_square(call, a);
  const Shape& right = checked_state(call, b).shape;
  const DType dtype = promote(lapack_dtype(call, a.dtype()), lapack_dtype(call, b.dtype()));
  if (right.rank() == 0) fail<ShapeError>(call, "b has no axes: give a vector or matrices");
  const bool is_vector = right.rank() == 1;
  if (right[is_vector ? 0 : right.rank() - 2] != a.shape()[a.ndim() - 1]) {
    fail<ShapeError>(call, "matrices of shape ", a.shape(), " and right sides of shape ", right, ": these must have ",
                     a.shape()[a.ndim() - 1], " rows");
  }
  const Array m = a.dtype() == dtype ? a : a.astype(dtype, where);
  const Array wide = is_vector ? expand_dims(b, 1, where) : b;
  const Array n = wide.dtype() == dtype ? wide : wide.astype(dtype, where);
  const std::int64_t rows = m.shape()[m.ndim() - 1], columns = n.shape()[n.ndim() - 1];
  const Shape batch = broadcast_shapes(call, batch_of(m), batch_of(n));
  const Shape shape = with(batch, {rows, columns});
  const Array x = shape.elements() == 0 ? empty(shape, dtype, where)
                                        : factorized(call, Factorization::Solve, false, batch,
                                                     {{dtype, Shape{rows, columns}}}, {m, n})[0];
  return is_vector ? squeeze(x, -1, where) : x;
}

Array inv(const Array& a, std::source_location where) {
  const Call call{"inv", where};
  const Array m = checked_square(call, a);
  const std::int64_t n = m.shape()[m.ndim() - 1];
  return factors_of(call, Factorization::Inverse, false, m, {{m.dtype(), Shape{n, n}}})[0];
}

Array det(const Array& a, std::source_location where) {
  const Call call{"det", where};
  const Array m = checked_square(call, a);
  if (m.size() > 0 && are_small_systems(m)) {
    return factorized(call, Factorization::PlainDeterminant, false, batch_of(m), {{m.dtype(), {}}}, {m})[0];
  }
  const auto [sign, logarithm] = signs_and_logarithms(call, m);
  const Array size = exp(Operand(logarithm, where));
  return Operand(sign, where) * Operand(size, where);
}

std::pair<Array, Array> slogdet(const Array& a, std::source_location where) {
  const Call call{"slogdet", where};
  return signs_and_logarithms(call, checked_square(call, a));
}

Array cholesky(const Array& a, bool upper, std::source_location where) {
  const Call call{"cholesky", where};
  const Array m = checked_square(call, a);
  const std::int64_t n = m.shape()[m.ndim() - 1];
  return factors_of(call, Factorization::Cholesky, upper, m, {{m.dtype(), Shape{n, n}}})[0];
}

QR qr(const Array& a, std::string_view mode, std::source_location where) {
  const Call call{"qr", where};
  if (mode != "reduced" && mode != "complete") {
    fail<ValueError>(call, "the mode is \"", std::string(mode),
                     "\": \"reduced\" or \"complete\"; qr_r gives the triangle alone");
  }
  const Array m = checked_matrices(call, a);
  const std::int64_t rows = m.shape()[m.ndim() - 2], columns = m.shape()[m.ndim() - 1];
  if (mode == "reduced" && m.size() > 0 && is_tall(call, m)) {
    auto [q, r] = tall_qr(call, m, /*has_q=*/true);
    return {std::move(q), std::move(r)};
  }
  const std::int64_t inner = mode == "complete" ? rows : std::min(rows, columns);
  const auto both = factors_of(call, Factorization::Orthogonal, false, m,
                               {{m.dtype(), Shape{rows, inner}}, {m.dtype(), Shape{inner, columns}}});
  return {both[0], both[1]};
}

Array qr_r(const Array& a, std::source_location where) {
  const Call call{"qr_r", where};
  const Array m = checked_matrices(call, a);
  if (m.size() > 0 && is_tall(call, m)) return tall_qr(call, m, /*has_q=*/false).second;
  const std::int64_t rows = m.shape()[m.ndim() - 2], columns = m.shape()[m.ndim() - 1];
  return factors_of(call, Factorization::Triangular, false, m,
                    {{m.dtype(), Shape{std::min(rows, columns), columns}}})[0];
}

Eigen eigh(const Array& a, std::string_view uplo, std::source_location where) {
  const Call call{"eigh", where};
  const bool upper = is_upper(call, uplo);
  const Array m = checked_square(call, a);
  const std::int64_t n = m.shape()[m.ndim() - 1];
  const auto both = factors_of(call, Factorization::Hermitian, upper, m,
                               {{pilum::detail::part_of(m.dtype()), Shape{n}}, {m.dtype(), Shape{n, n}}});
  return {both[0], both[1]};
}

Array eigvalsh(const Array& a, std::string_view uplo, std::source_location where) {
  const Call call{"eigvalsh", where};
  const bool upper = is_upper(call, uplo);
  const Array m = checked_square(call, a);
  return factors_of(call, Factorization::HermitianValues, upper, m,
                    {{pilum::detail::part_of(m.dtype()), Shape{m.shape()[m.ndim() - 1]}}})[0];
}

Eigen eig(const Array& a, std::source_location where) {
  const Call call{"eig", where};
  const Array m = checked_square(call, a);
  const std::int64_t n = m.shape()[m.ndim() - 1];
  const DType dtype = promote(m.dtype(), DType::Complex64);
  const auto both = factors_of(call, Factorization::General, false, m, {{dtype, Shape{n}}, {dtype, Shape{n, n}}});
  return {both[0], both[1]};
}

Array eigvals(const Array& a, std::source_location where) {
  const Call call{"eigvals", where};
  const Array m = checked_square(call, a);
  return factors_of(call, Factorization::GeneralValues, false, m,
                    {{promote(m.dtype(), DType::Complex64), Shape{m.shape()[m.ndim() - 1]}}})[0];
}

SVD svd(const Array& a, bool full_matrices, std::source_location where) {
  const Call call{"svd", where};
  const Array m = checked_matrices(call, a);
  const std::int64_t rows = m.shape()[m.ndim() - 2], columns = m.shape()[m.ndim() - 1];
  const std::int64_t least = std::min(rows, columns);
  // Of a tall one those of its triangle, whose rows stay where they are (Chan: An improved algorithm for computing the
  // singular value decomposition, 1982).
  if (!full_matrices && m.size() > 0 && is_tall(call, m)) {
    const auto [q, r] = tall_qr(call, m, /*has_q=*/true);
    const SVD inner = svd(r, false, where);
    return {matmul(q, inner.U, where), inner.S, inner.Vh};
  }
  const auto all_three = factors_of(call, Factorization::Singular, false, m,
                                    {{m.dtype(), Shape{rows, full_matrices ? rows : least}},
                                     {pilum::detail::part_of(m.dtype()), Shape{least}},
                                     {m.dtype(), Shape{full_matrices ? columns : least, columns}}});
  return {all_three[0], all_three[1], all_three[2]};
}

Array svdvals(const Array& a, std::source_location where) {
  return singular_values_of(Call{"svdvals", where}, a);
}

}  // namespace linalg
}  // namespace pilum::numeric
