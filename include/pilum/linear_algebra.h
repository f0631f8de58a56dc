// Products of vectors and matrices, traces and norms. Names and meaning are NumPy's.
//
// The result has the promoted dtype of the operands; integers wrap, of bools a sum is "or" and a product "and".
// Products of matrices of more than 32 cells along an axis are cut among processors, on cores each share by OpenBLAS
// where the machine has one (without: by loops). Float sums have the same bits each time on one machine; the last bits
// depend on how many processors there are, as those of sum. Views whose rows or columns lie side by side (a.T(),
// a(slice({}, {}, 2), all)) are read where they are. All others (vectors, outer products, small matrices) are sums of
// products, which fuse with what is around them.
//
// Errors name the call's line, and nothing is recorded then: ShapeError where the axes that are summed over differ in
// length, batches do not broadcast, or an operand has too few axes; IndexError for an axis that is not there;
// ValueError for a norm that matrices without cells do not have. Sums over no cells are 0.
#pragma once

#include <concepts>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/creation.h"
#include "pilum/export.h"
#include "pilum/manipulation.h"

namespace pilum::numeric {

// Python's a @ b (numpy.matmul): (m, k) by (k, n) is (m, n); axes before the last two are batches and broadcast. A
// vector on the left is a row, on the right a column, and that axis is not in the result: (k) by (k) has no axes.
// Refuses arrays without axes.
PILUM_API Array matmul(const Array& a, const Array& b, std::source_location where = std::source_location::current());

// The sum over the last axis of `a` and the last but one of `b`, or its only one (numpy.dot): (m, k), (k, n) is matmul;
// (i, j, k), (l, k, m) is (i, j, l, m). Where one has no axes, a * b.
PILUM_API Array dot(const Array& a, const Array& b, std::source_location where = std::source_location::current());
// Of any arrays with as many cells, flattened (numpy.vdot): an array without axes.
PILUM_API Array vdot(const Array& a, const Array& b, std::source_location where = std::source_location::current());
// The sum of a * b along one axis, as long in both; the others broadcast (numpy.vecdot).
PILUM_API Array vecdot(const Array& a, const Array& b, Axis axis = -1,
                       std::source_location where = std::source_location::current());
// The sum over the last axes of both (numpy.inner): (i, k), (j, k) is (i, j). Where one has no axes, a * b.
PILUM_API Array inner(const Array& a, const Array& b, std::source_location where = std::source_location::current());
// Each cell of `a` by each of `b`, both flattened (numpy.outer): (a.size(), b.size()).
PILUM_API Array outer(const Array& a, const Array& b, std::source_location where = std::source_location::current());
// Each matrix of (…, m, k) by each vector of (…, k): (…, m); each vector of (…, k), of complex ones the conjugate, by
// each matrix of (…, k, n): (…, n) (numpy.matvec, vecmat).
PILUM_API Array matvec(const Array& a, const Array& b, std::source_location where = std::source_location::current());
PILUM_API Array vecmat(const Array& a, const Array& b, std::source_location where = std::source_location::current());

// The sum over the last `axes` axes of `a` and the first of `b`, or over axes of `a` and as many of `b`, pair by pair
// (numpy.tensordot): the other axes of `a`, then those of `b`. ValueError for other counts of axes, or one named twice.
PILUM_API Array tensordot(const Array& a, const Array& b, int axes = 2,
                          std::source_location where = std::source_location::current());
PILUM_API Array tensordot(const Array& a, const Array& b, Axes axes_a, Axes axes_b,
                          std::source_location where = std::source_location::current());
// As NumPy's axes=([1], [0]): tensordot(a, b, {{1}, {0}}).
inline Array tensordot(const Array& a, const Array& b, const std::pair<Axes, Axes>& axes,
                       std::source_location where = std::source_location::current()) {
  return tensordot(a, b, axes.first, axes.second, where);
}

// Sums of products by Einstein's convention (numpy.einsum): a letter for each axis of each array, then, behind "->",
// for each axis of the result; what is not there is summed over, and so is, without an arrow, each letter that stands
// more than once. "..." are axes that broadcast. Pairs, from the left, are products of matrices, or elementwise where
// nothing is summed; a letter twice in one array is its diagonal. The promoted dtype, of bools "or" of "and".
// ValueError for other subscripts, ShapeError where they do not fit.
PILUM_API Array einsum(std::string_view subscripts, const std::vector<Array>& arrays,
                       std::source_location where = std::source_location::current());
// einsum("ij,jk->ik", a, b).
inline Array einsum(std::string_view subscripts, const Array& a,
                    std::source_location where = std::source_location::current()) {
  return einsum(subscripts, std::vector<Array>{a}, where);
}
inline Array einsum(std::string_view subscripts, const Array& a, const Array& b,
                    std::source_location where = std::source_location::current()) {
  return einsum(subscripts, std::vector<Array>{a, b}, where);
}
inline Array einsum(std::string_view subscripts, const Array& a, const Array& b, const Array& c,
                    std::source_location where = std::source_location::current()) {
  return einsum(subscripts, std::vector<Array>{a, b, c}, where);
}
// Each cell of `a` times all of `b`, side by side (numpy.kron): extents are products; axes that one lacks are put in
// front. ShapeError for more than four axes.
PILUM_API Array kron(const Array& a, const Array& b, std::source_location where = std::source_location::current());
// The cross product of vectors of three cells along `axis`; the other axes broadcast (numpy.cross; vectors of two cells
// are refused, as they will be there).
PILUM_API Array cross(const Array& a, const Array& b, Axis axis = -1,
                      std::source_location where = std::source_location::current());

// The sum of a diagonal, `offset` columns to the right, of each matrix that two axes make (numpy.trace): the other
// axes. Bools and integers as sum. ValueError for one axis twice.
PILUM_API Array trace(const Array& a, std::int64_t offset = 0, Axis axis1 = 0, Axis axis2 = 1,
                      std::source_location where = std::source_location::current());

// numpy.linalg.norm: without an order the root of the sum of the squares, of all cells or along one axis or two. With
// an order, along one axis (or of an array of one) the vectors' norm: the root of that order of the sum of |x| to that
// power; infinity: the largest |x|; -infinity: the least; 0: how many are not 0. Along two axes (or of an array of two)
// the matrices': 1 and -1 the largest and the least sum of |x| of a column, infinity and -infinity of a row. Floats
// keep their dtype, others give float64; 2 and -2 the largest and the least singular value, which svdvals gives
// (linalg.h). norm(a, "nuc") and norm(a, "fro"), of matrices: the sum of the singular values, and the root of the sum
// of the squares. ValueError for a matrix norm of another order, and for other counts of axes.
PILUM_API Array norm(const Array& a, std::optional<double> order = {}, Axes axes = {}, bool keepdims = false,
                     std::source_location where = std::source_location::current());

namespace detail {
PILUM_API Array named_norm(const Array& a, std::string_view order, const Axes& axes, bool keepdims,
                           std::source_location where);
}  // namespace detail
template <std::convertible_to<std::string_view> Order>
Array norm(const Array& a, const Order& order, Axes axes = {}, bool keepdims = false,
           std::source_location where = std::source_location::current()) {
  return detail::named_norm(a, order, axes, keepdims, where);
}

// np::linalg::norm(a), as NumPy writes it.
namespace linalg {
using numeric::cross, numeric::matmul, numeric::norm, numeric::tensordot, numeric::vecdot;

// Each cell of one vector by each of the other; ShapeError of more axes (numpy.linalg.outer).
PILUM_API Array outer(const Array& a, const Array& b, std::source_location where = std::source_location::current());
// The sum of the diagonal `offset` columns to the right, the diagonal itself, and the transpose, of the matrices that
// the last two axes make (numpy.linalg.trace, diagonal, matrix_transpose). ShapeError for fewer axes.
inline Array trace(const Array& a, std::int64_t offset = 0,
                   std::source_location where = std::source_location::current()) {
  return numeric::trace(a, offset, -2, -1, where);
}
inline Array diagonal(const Array& a, std::int64_t offset = 0,
                      std::source_location where = std::source_location::current()) {
  return numeric::diagonal(a, offset, -2, -1, where);
}
inline Array matrix_transpose(const Array& a, std::source_location where = std::source_location::current()) {
  return numeric::matrix_transpose(a, where);
}

// The norm of vectors along an axis, or of the cells of several axes or all as one vector, of order 2 unless told; and
// of the matrices that the last two axes make, by default the root of the sum of the squares (numpy.linalg.vector_norm,
// matrix_norm). They throw as norm.
PILUM_API Array vector_norm(const Array& a, Axes axes = {}, double order = 2, bool keepdims = false,
                            std::source_location where = std::source_location::current());
PILUM_API Array matrix_norm(const Array& a, std::optional<double> order = {}, bool keepdims = false,
                            std::source_location where = std::source_location::current());
}  // namespace linalg

}  // namespace pilum::numeric
