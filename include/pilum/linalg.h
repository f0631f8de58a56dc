// Systems of equations, factorizations and eigenvalues (numpy.linalg), by LAPACK in OpenBLAS.
//
// Matrices are the last two axes, (…, m, n); the axes before them are batches, which are cut among processors and
// broadcast where there are two arrays. A matrix is one processor's: a lone large one is gathered, and a warning says
// so above 100 MB. Of float32, float64, complex64 and complex128 the results have that dtype (singular values,
// eigenvalues of symmetric matrices and logarithms the one of its parts), of integers and bools float64.
//
// Thrown at the call: ShapeError for fewer axes than two, matrices that are not square where they must be, and extents
// that do not fit; DTypeError of float16 (as NumPy's TypeError: cast with astype); RuntimeError where there is no
// OpenBLAS (package libopenblas0), which solve, inv and det of real matrices up to 8 x 8 do without. What is wrong with
// the cells is found when the operation runs: the next wait throws LinAlgError with this call's line, where a matrix is
// singular, is not positive definite, or nothing converges. That ends the runtime for good: later calls throw
// RuntimeError. Ask before: det, slogdet, svdvals and matrix_rank say whether a matrix is singular, eigvalsh whether
// all eigenvalues are positive; pinv and lstsq take singular ones.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/export.h"

namespace pilum::numeric::linalg {

// x with a x = b (numpy.linalg.solve): b is a vector (m) or matrices (…, m, k), and so is x. A singular `a` ends the
// runtime (above).
PILUM_API Array solve(const Array& a, const Array& b, std::source_location where = std::source_location::current());
// The inverse (numpy.linalg.inv), a singular matrix ends the runtime (above); and where axes are folded to a matrix:
// the first `ind` by the others (tensorinv).
PILUM_API Array inv(const Array& a, std::source_location where = std::source_location::current());
PILUM_API Array tensorinv(const Array& a, int ind = 2, std::source_location where = std::source_location::current());
// x with tensordot(a, x, x.ndim()) = b, for all axes of b (numpy.linalg.tensorsolve).
PILUM_API Array tensorsolve(const Array& a, const Array& b,
                            std::source_location where = std::source_location::current());

// The determinant, of shape (…); and its sign with the logarithm of its size, 0 and -inf of a singular matrix
// (numpy.linalg.det, slogdet). Neither throws LinAlgError.
PILUM_API Array det(const Array& a, std::source_location where = std::source_location::current());
PILUM_API std::pair<Array, Array> slogdet(const Array& a, std::source_location where = std::source_location::current());

// L with L Lᴴ = a, or with `upper` U with Uᴴ U = a (numpy.linalg.cholesky). The other triangle is not read. A
// matrix that is not positive definite ends the runtime (above).
PILUM_API Array cholesky(const Array& a, bool upper = false,
                         std::source_location where = std::source_location::current());

struct QR {
  Array Q, R;
};
// Q with orthonormal columns and R, an upper triangle, with Q R = a (numpy.linalg.qr): (…, m, k) and (…, k, n) with k
// the lesser of both ("reduced") or m ("complete"). ValueError for another mode; R alone is qr_r(a), NumPy's mode "r".
// A tall matrix's rows stay where they are: blocks of them are decomposed each, then their triangles.
PILUM_API QR qr(const Array& a, std::string_view mode = "reduced",
                std::source_location where = std::source_location::current());
PILUM_API Array qr_r(const Array& a, std::source_location where = std::source_location::current());

struct Eigen {
  Array eigenvalues, eigenvectors;
};
// Of symmetric (Hermitian) matrices, of which one triangle is read, "L" or "U": the eigenvalues, rising, and
// eigenvectors as columns (numpy.linalg.eigh, eigvalsh). ValueError for another word.
PILUM_API Eigen eigh(const Array& a, std::string_view uplo = "L",
                     std::source_location where = std::source_location::current());
PILUM_API Array eigvalsh(const Array& a, std::string_view uplo = "L",
                         std::source_location where = std::source_location::current());
// Of any square matrices: always complex, also where NumPy finds that all are real (numpy.linalg.eig, eigvals).
PILUM_API Eigen eig(const Array& a, std::source_location where = std::source_location::current());
PILUM_API Array eigvals(const Array& a, std::source_location where = std::source_location::current());

struct SVD {
  Array U, S, Vh;
};
// U diag(S) Vh = a with the singular values S falling (numpy.linalg.svd): (…, m, m), (…, k), (…, n, n), or without
// `full_matrices` (…, m, k), (…, k), (…, k, n). The values alone (svdvals).
PILUM_API SVD svd(const Array& a, bool full_matrices = true,
                  std::source_location where = std::source_location::current());
PILUM_API Array svdvals(const Array& a, std::source_location where = std::source_location::current());

struct LeastSquares {
  Array x, residuals, rank, singular_values;
};
// The x of least size with the least sum of squares of b - a x, of one matrix (m, n) and a vector (m) or matrix (m, k)
// (numpy.linalg.lstsq); singular values below `rcond` times the largest one count as 0 (without: the dtype's epsilon
// times the larger extent). The sums of squares are there where m > n, else empty, also of matrices of a lower rank
// (for which NumPy gives none); the rank is an int64 without axes, which nothing waits for.
PILUM_API LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond = {},
                             std::source_location where = std::source_location::current());
// The pseudo-inverse by singular values, without those below `rcond` times the largest one (numpy.linalg.pinv).
PILUM_API Array pinv(const Array& a, double rcond = 1e-15,
                     std::source_location where = std::source_location::current());
// How many singular values are above `tol`, an int64 of shape (…); without one above the largest one times the larger
// extent times the dtype's epsilon (numpy.linalg.matrix_rank). Of fewer than two axes whether a cell is not 0.
PILUM_API Array matrix_rank(const Array& a, std::optional<double> tol = {},
                            std::source_location where = std::source_location::current());
// The largest by the least singular value, or with another order norm(a, p) * norm(inv(a), p) (numpy.linalg.cond):
// infinite of singular matrices. ValueError of no cells.
PILUM_API Array cond(const Array& a, std::optional<double> p = {},
                     std::source_location where = std::source_location::current());

// a @ a @ …, `n` times; of negative ones the inverse (numpy.linalg.matrix_power). Takes any dtype where n is 0 or more.
PILUM_API Array matrix_power(const Array& a, std::int64_t n,
                             std::source_location where = std::source_location::current());
// The product of two matrices or more, in the order of the fewest multiplications; the first and the last one may be
// vectors (numpy.linalg.multi_dot).
PILUM_API Array multi_dot(const std::vector<Array>& arrays,
                          std::source_location where = std::source_location::current());

}  // namespace pilum::numeric::linalg
