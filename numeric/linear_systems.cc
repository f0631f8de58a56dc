// What is made of factorizations and products: least squares, ranks, powers of matrices, chains of products.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "numeric/linalg_body.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/linalg.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

double epsilon_of(DType dtype) {
  return pilum::detail::part_of(dtype) == DType::Float32 ? std::numeric_limits<float>::epsilon()
                                                         : std::numeric_limits<double>::epsilon();
}

std::int64_t extent_from_end(const Array& a, int back) {
  return a.shape()[a.ndim() - back];
}

// The conjugate of each matrix, transposed.
Array adjoint(const Call& call, const Array& a) {
  const Array turned = swapaxes(a, -1, -2, call.where);
  return is_complex(a.dtype()) ? conj(Operand(turned, call.where)) : turned;
}

void check_matrix(const Call& call, const Array& a) {
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() != 2) fail<ShapeError>(call, "shape ", shape, " is not one matrix: give two axes");
}

void check_matrices(const Call& call, const Array& a) {
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() < 2) fail<ShapeError>(call, "shape ", shape, " has no matrices: two axes or more make them");
  if (a.dtype() == DType::Float16)
    fail<DTypeError>(call, "the matrices are float16, which LAPACK does not know: cast them with astype(float32)");
}

// 1 / s where s counts, else 0.
Array inverted_above(const Call& call, const Array& values, const Array& limit) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Array counts = here(values) > here(limit);
  const Array divisors = where(here(counts), here(values), here(1));
  const Array inverse = here(1) / here(divisors);
  return where(here(counts), here(inverse), here(0));
}

Array largest_value(const Call& call, const Array& values) {
  return max(values, -1, /*keepdims=*/true, call.where);
}

// The matrices' inverse, NaNs of singular ones.
Array inverse_or_nan(const Call& call, const Array& a) {
  Shape batch;
  for (int axis = 0; axis < a.ndim() - 2; ++axis) batch.push_back(a.shape()[axis]);
  const std::int64_t n = extent_from_end(a, 1);
  return factorized(call, Factorization::Inverse, /*option=*/true, batch, {{a.dtype(), Shape{n, n}}}, {a})[0];
}

std::int64_t product_of(const Shape& shape, int from, int to) {
  std::int64_t product = 1;
  for (int axis = from; axis < to; ++axis) product *= shape[axis];
  return product;
}

}  // namespace

namespace linalg {

Array pinv(const Array& a, double rcond, std::source_location where) {
  const Call call{"pinv", where};
  check_matrices(call, a);
  const DType dtype = is_inexact(a.dtype()) ? a.dtype() : DType::Float64;
  if (a.size() == 0) return empty(swapaxes(a, -1, -2, where).shape(), dtype, where);
  const SVD parts = svd(a, /*full_matrices=*/false, where);
  const Array limit = Operand(largest_value(call, parts.S), where) * Operand(rcond, where);
  const Array inverse = inverted_above(call, parts.S, limit);
  const Array right = adjoint(call, parts.Vh), left = adjoint(call, parts.U);
  const Array scaled = Operand(expand_dims(inverse, -1, where), where) * Operand(left, where);
  return matmul(right, scaled, where);
}

Array matrix_rank(const Array& a, std::optional<double> tol, std::source_location where) {
  const Call call{"matrix_rank", where};
  if (checked_state(call, a).shape.rank() < 2) {
    const Array is_there = any(a, {}, false, where);
    return is_there.astype(DType::Int64, where);
  }
  check_matrices(call, a);
  const Array values = singular_values_of(call, a);
  if (values.size() == 0) return count_nonzero(values, -1, false, where);
  if (tol) return count_nonzero(Operand(values, where) > Operand(*tol, where), -1, false, where);
  const double share =
      static_cast<double>(std::max(extent_from_end(a, 1), extent_from_end(a, 2))) * epsilon_of(values.dtype());
  const Array limit = Operand(largest_value(call, values), where) * Operand(share, where);
  return count_nonzero(Operand(values, where) > Operand(limit, where), -1, false, where);
}

Array cond(const Array& a, std::optional<double> p, std::source_location where) {
  const Call call{"cond", where};
  check_matrices(call, a);
  const Shape& shape = a.shape();
  if (extent_from_end(a, 1) == 0 || extent_from_end(a, 2) == 0)
    fail<ValueError>(call, "the matrices of shape ", shape, " have no cells");
  if (a.size() == 0) {
    Shape batch;
    for (int axis = 0; axis < shape.rank() - 2; ++axis) batch.push_back(shape[axis]);
    return empty(batch, is_inexact(a.dtype()) ? pilum::detail::part_of(a.dtype()) : DType::Float64, where);
  }
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  if (p && std::fabs(*p) != 2 && extent_from_end(a, 1) != extent_from_end(a, 2))
    fail<ShapeError>(call, "the matrices of shape ", a.shape(), " are not square: of order 2 they may be any");
  const Array m = is_inexact(a.dtype()) ? a : a.astype(DType::Float64, where);
  Array ratio;
  if (!p || std::fabs(*p) == 2) {
    const Array values = singular_values_of(call, m);
    const Array high = values(Index(ellipsis, where), Index(0, where)),
                low = values(Index(ellipsis, where), Index(-1, where));
    ratio = p && *p < 0 ? here(low) / here(high) : here(high) / here(low);
  } else {
    const Array sizes = norm(m, p, {-2, -1}, false, where),
                others = norm(inverse_or_nan(call, m), p, {-2, -1}, false, where);
    ratio = here(sizes) * here(others);
  }
  // What is no number, of a matrix of numbers, is infinite.
  const Array cells_are_nan = any(isnan(here(m)), {-2, -1}, false, where), is_nan = isnan(here(ratio));
  const Array cells_are_numbers = !cells_are_nan;
  const Array is_lost = here(is_nan) & here(cells_are_numbers);
  return numeric::where(here(is_lost), here(std::numeric_limits<double>::infinity()), here(ratio));
}

LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond, std::source_location where) {
  const Call call{"lstsq", where};
  check_matrix(call, a);
  const Shape& right = checked_state(call, b).shape;
  check_matrices(call, a);
  if (b.dtype() == DType::Float16) fail<DTypeError>(call, "b is float16: cast it with astype(float32)");
  if (right.rank() < 1 || right.rank() > 2)
    fail<ShapeError>(call, "b of shape ", right, " is neither a vector nor a matrix");
  const std::int64_t m = a.shape()[0], n = a.shape()[1];
  if (right[0] != m)
    fail<ShapeError>(call, "the matrix of shape ", a.shape(), " and right sides of shape ", right, ": these must have ",
                     m, " rows");
  const auto floating = [](DType dtype) { return is_inexact(dtype) ? dtype : DType::Float64; };
  const DType dtype = promote(floating(a.dtype()), floating(b.dtype()));
  const Array matrix = a.dtype() == dtype ? a : a.astype(dtype, where);
  const Array given = b.dtype() == dtype ? b : b.astype(dtype, where);
  const Array sides = right.rank() == 1 ? expand_dims(given, 1, where) : given;
  const std::int64_t k = sides.shape()[1];
  const DType part = pilum::detail::part_of(dtype);
  const auto as_given = [&](const Array& x) { return right.rank() == 1 ? squeeze(x, 1, where) : x; };
  if (a.size() == 0 || k == 0) {
    return {as_given(zeros({n, k}, dtype, where)), zeros({0}, part, where), zeros({}, DType::Int64, where),
            zeros({std::min(m, n)}, part, where)};
  }
  const SVD parts = svd(matrix, /*full_matrices=*/false, where);
  const double share = rcond.value_or(epsilon_of(dtype) * static_cast<double>(std::max(m, n)));
  const Array limit =
      Operand(largest_value(call, parts.S), where) * Operand(share < 0 ? epsilon_of(dtype) : share, where);
  const Array counts = Operand(parts.S, where) > Operand(limit, where);
  const Array inverse = expand_dims(inverted_above(call, parts.S, limit), 1, where);
  const Array rotated = matmul(adjoint(call, parts.U), sides, where);
  const Array scaled = Operand(inverse, where) * Operand(rotated, where);
  const Array x = matmul(adjoint(call, parts.Vh), scaled, where);
  Array residuals = zeros({0}, part, where);
  if (m > n) {
    const Array reached = matmul(matrix, x, where);
    const Array distance = Operand(sides, where) - Operand(reached, where);
    residuals = sum(squared_size(call, distance), 0, false, where);
  }
  return {as_given(x), residuals, count_nonzero(counts, {}, false, where), parts.S};
}

Array matrix_power(const Array& a, std::int64_t n, std::source_location where) {
  const Call call{"matrix_power", where};
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() < 2 || shape[shape.rank() - 1] != shape[shape.rank() - 2])
    fail<ShapeError>(call, "shape ", shape, ": a power is of square matrices");
  if (n == 0) {
    const Array one = eye(extent_from_end(a, 1), {}, 0, a.dtype(), where);
    return broadcast_to(one, shape, where).copy(where);
  }
  if (n < 0) check_matrices(call, a);
  Array base = n < 0 ? inv(a, where) : a;
  std::uint64_t left = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  if (left == 1) return n < 0 ? base : base.copy(where);
  if (left == 3) return matmul(matmul(base, base, where), base, where);  // as NumPy
  std::optional<Array> power;
  for (;;) {
    if (left & 1) power = power ? matmul(*power, base, where) : base;
    left >>= 1;
    if (left == 0) return *power;
    base = matmul(base, base, where);
  }
}

Array multi_dot(const std::vector<Array>& arrays, std::source_location where) {
  const Call call{"multi_dot", where};
  const std::size_t count = arrays.size();
  if (count < 2) fail<ValueError>(call, count, " arrays: give two at least");
  std::vector<Array> matrices;
  for (std::size_t k = 0; k < count; ++k) {
    const Shape& shape = checked_state(call, arrays[k]).shape;
    const bool may_be_vector = k == 0 || k + 1 == count;
    if (shape.rank() != 2 && !(shape.rank() == 1 && may_be_vector))
      fail<ShapeError>(call, "array ", k, " of shape ", shape, " is no matrix, and vectors stand first or last");
    matrices.push_back(shape.rank() == 2 ? arrays[k] : expand_dims(arrays[k], k == 0 ? 0 : 1, where));
    if (k > 0 && matrices[k].shape()[0] != matrices[k - 1].shape()[1]) {
      fail<ShapeError>(call, "shapes ", arrays[k - 1].shape(), " and ", shape, " side by side: the columns of one are ",
                       "the rows of the next");
    }
  }
  // The fewest multiplications of each stretch, and where it is parted: Cormen and others, Introduction to
  // Algorithms, 15.2.
  std::vector<double> extents;
  for (const Array& matrix : matrices) extents.push_back(static_cast<double>(matrix.shape()[0]));
  extents.push_back(static_cast<double>(matrices.back().shape()[1]));
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<std::size_t>> parted(count, std::vector<std::size_t>(count, 0));
  for (std::size_t length = 1; length < count; ++length) {
    for (std::size_t i = 0; i + length < count; ++i) {
      const std::size_t j = i + length;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i; k < j; ++k) {
        const double here = cost[i][k] + cost[k + 1][j] + extents[i] * extents[k + 1] * extents[j + 1];
        if (here < cost[i][j]) cost[i][j] = here, parted[i][j] = k;
      }
    }
  }
  const auto multiply = [&](const auto& self, std::size_t i, std::size_t j) -> Array {
    if (i == j) return matrices[i];
    return matmul(self(self, i, parted[i][j]), self(self, parted[i][j] + 1, j), where);
  };
  Array product = multiply(multiply, 0, count - 1);
  if (arrays.back().ndim() == 1) product = squeeze(product, 1, where);
  return arrays.front().ndim() == 1 ? squeeze(product, 0, where) : product;
}

Array tensorinv(const Array& a, int ind, std::source_location where) {
  const Call call{"tensorinv", where};
  const Shape& shape = checked_state(call, a).shape;
  if (ind <= 0 || ind > shape.rank())
    fail<ValueError>(call, "ind is ", ind, ": 1 to the ", shape.rank(), " axes of shape ", shape);
  const std::int64_t rows = product_of(shape, 0, ind), columns = product_of(shape, ind, shape.rank());
  if (rows != columns)
    fail<ShapeError>(call, "the first ", ind, " axes of shape ", shape, " have ", rows, " cells, the others ", columns,
                     ": as many are inverted");
  Shape turned;
  for (int axis = ind; axis < shape.rank(); ++axis) turned.push_back(shape[axis]);
  for (int axis = 0; axis < ind; ++axis) turned.push_back(shape[axis]);
  return inv(a.reshape({rows, columns}, where), where).reshape(turned, where);
}

Array tensorsolve(const Array& a, const Array& b, std::source_location where) {
  const Call call{"tensorsolve", where};
  const Shape &shape = checked_state(call, a).shape, &right = checked_state(call, b).shape;
  Shape unknown;
  for (int axis = right.rank(); axis < shape.rank(); ++axis) unknown.push_back(shape[axis]);
  if (shape.rank() < right.rank() || unknown.elements() != right.elements() ||
      product_of(shape, 0, std::min(right.rank(), shape.rank())) != right.elements()) {
    fail<ShapeError>(call, "shape ", shape, " is not that of b, ", right, ", with as many cells behind it");
  }
  const std::int64_t n = right.elements();
  return solve(a.reshape({n, n}, where), b.reshape({n}, where), where).reshape(unknown, where);
}

}  // namespace linalg
}  // namespace pilum::numeric
