// trace and norm.
#include <cmath>
#include <string>
#include <string_view>

#include "numeric/array_state.h"
#include "numeric/elementwise.h"
#include "numeric/linalg_body.h"
#include "numeric/record.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "pilum/functions.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

// |a| of float cells.
Array sizes(const Call& call, const Array& a) {
  if (is_complex(a.dtype())) return abs(Operand(a, call.where));
  return fabs(Operand(a, call.where));
}

Array largest(const Call& call, const Array& a, bool least, const Axes& axes, bool keepdims) {
  const std::uint8_t folded = folded_axes(call, axes, a.ndim());
  bool is_of_none = false;
  for (int axis = 0; axis < a.ndim(); ++axis) is_of_none |= (folded >> axis & 1) && a.shape()[axis] == 0;
  if (is_of_none && !least) return total(call, a, a.dtype(), axes, keepdims);  // 0, as NumPy
  return extremum(call, least ? kernel::Fold::Minimum : kernel::Fold::Maximum, a, axes, keepdims);
}

Array root_of_squares(const Call& call, const Array& a, const Axes& axes, bool keepdims) {
  const Array squares = squared_size(call, a);
  return sqrt(Operand(sum(squares, axes, keepdims, call.where), call.where));
}

Array norm_of_vectors(const Call& call, const Array& a, double order, const Axes& axis, bool keepdims) {
  const std::source_location where = call.where;
  if (order == 2) return root_of_squares(call, a, axis, keepdims);
  if (std::isinf(order)) return largest(call, sizes(call, a), order < 0, axis, keepdims);
  if (order == 0) return count_nonzero(a, axis, keepdims, where).astype(pilum::detail::part_of(a.dtype()), where);
  if (order == 1) return sum(sizes(call, a), axis, keepdims, where);
  const Array powers = power(Operand(sizes(call, a), where), Operand(order, where));
  const Array total = sum(powers, axis, keepdims, where);
  return power(Operand(total, where), Operand(1 / order, where));
}

// The singular values of the matrices that two axes make, along the last axis.
Array singular_values(const Call& call, const Array& a, int rows, int columns) {
  const Array last =
      moveaxis(moveaxis(a, rows, -1, call.where), columns > rows ? columns - 1 : columns, -1, call.where);
  return singular_values_of(call, last);  // of the transposed matrix they are the same
}

// What folds the singular values gives, with the two axes again.
Array with_both_axes(const Call& call, const Array& folded, int rows, int columns, bool keepdims) {
  if (!keepdims) return folded;
  const int first = rows < columns ? rows : columns, second = rows < columns ? columns : rows;
  return expand_dims(expand_dims(folded, first, call.where), second, call.where);
}

Array norm_of_matrices(const Call& call, const Array& a, double order, int rows, int columns, bool keepdims) {
  if (rows == columns) fail<ValueError>(call, "both axes are axis ", rows, ": a matrix has two");
  if (std::fabs(order) == 2) {
    const Array values = singular_values(call, a, rows, columns);
    if (order < 0 && values.shape()[values.ndim() - 1] == 0)
      fail<ValueError>(call, "matrices without cells, of shape ", a.shape(), ", have no least singular value");
    const Array found = largest(call, values, order < 0, -1, false);
    return with_both_axes(call, found, rows, columns, keepdims);
  }
  if (std::fabs(order) != 1 && !std::isinf(order)) {
    fail<ValueError>(call, "there is no norm of matrices of order ", order,
                     ": 1, -1, 2, -2, infinity, -infinity and \"nuc\" are, and without an order the root of the sum of "
                     "squares");
  }
  const bool of_columns = !std::isinf(order);
  const Array sums = sum(sizes(call, a), of_columns ? rows : columns, /*keepdims=*/true, call.where);
  const Array found = largest(call, sums, order < 0, of_columns ? columns : rows, /*keepdims=*/true);
  return keepdims ? found : squeeze(found, {rows, columns}, call.where);
}

Array in_floats(const Call& call, const Array& a) {
  return is_inexact(checked_state(call, a).dtype()) ? a : a.astype(DType::Float64, call.where);
}

// A matrix norm of no rows has nothing to take the largest of.
void check_order(const Call& call, const Shape& shape, const Axes& axes) {
  if (axes.count() <= 2) return;
  fail<ValueError>(call, axes.count(), " axes make neither vectors nor matrices of shape ", shape, ": name one or two");
}

}  // namespace

Array trace(const Array& a, std::int64_t offset, Axis axis1, Axis axis2, std::source_location where) {
  const Call call{"trace", where};
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() < 2) {
    fail<ShapeError>(call, "an array of shape ", shape, " has no diagonal: give one of two axes or more");
  }
  const int first = checked_axis(call, axis1, shape.rank()), second = checked_axis(call, axis2, shape.rank());
  if (first == second) {
    fail<ValueError>(call, "axes ", int{axis1}, " and ", int{axis2}, " of shape ", shape, " are one: name two");
  }
  return sum(diagonal(a, offset, first, second, where), -1, false, where);
}

Array norm(const Array& a, std::optional<double> order, Axes axes, bool keepdims, std::source_location where) {
  const Call call{"norm", where};
  if (checked_state(call, a).dtype() == DType::Float16)  // rounded once, at the end
    return norm(a.astype(DType::Float32, where), order, axes, keepdims, where).astype(DType::Float16, where);
  const Shape shape = checked_state(call, a).shape;
  check_order(call, shape, axes);
  const int count = axes.given() ? axes.count() : shape.rank();
  check_axes(call, axes, shape.rank());
  if (!order) return root_of_squares(call, in_floats(call, a), axes, keepdims);
  if (count < 1 || count > 2) {
    fail<ValueError>(call, "shape ", shape, " is neither a vector nor a matrix: name one axis or two");
  }
  const auto axis_at = [&](int place) { return axes.given() ? checked_axis(call, axes[place], shape.rank()) : place; };
  if (count == 1) return norm_of_vectors(call, in_floats(call, a), *order, axis_at(0), keepdims);
  return norm_of_matrices(call, in_floats(call, a), *order, axis_at(0), axis_at(1), keepdims);
}

namespace detail {

Array named_norm(const Array& a, std::string_view order, const Axes& axes, bool keepdims, std::source_location where) {
  const Call call{"norm", where};
  const Shape shape = checked_state(call, a).shape;
  if (order != "nuc" && order != "fro")
    fail<ValueError>(call, "there is no norm of order \"", std::string(order),
                     "\": \"fro\" and \"nuc\" are, and numbers");
  check_order(call, shape, axes);
  check_axes(call, axes, shape.rank());
  if ((axes.given() ? axes.count() : shape.rank()) != 2)
    fail<ValueError>(call, "shape ", shape, ": a norm of order \"", std::string(order),
                     "\" is of matrices: name two axes");
  if (order == "fro") return norm(a, {}, axes, keepdims, where);
  const int rows = axes.given() ? checked_axis(call, axes[0], shape.rank()) : 0,
            columns = axes.given() ? checked_axis(call, axes[1], shape.rank()) : 1;
  const Array values = singular_values(call, in_floats(call, a), rows, columns);
  return with_both_axes(call, sum(values, -1, false, where), rows, columns, keepdims);
}

}  // namespace detail

namespace linalg {

Array vector_norm(const Array& a, Axes axes, double order, bool keepdims, std::source_location where) {
  const Call call{"vector_norm", where};
  if (checked_state(call, a).dtype() == DType::Float16)  // rounded once, at the end
    return vector_norm(a.astype(DType::Float32, where), axes, order, keepdims, where).astype(DType::Float16, where);
  for (int k = 0; axes.given() && k < axes.count(); ++k) static_cast<void>(checked_axis(call, axes[k], a.ndim()));
  check_axes(call, axes, a.ndim());
  return norm_of_vectors(call, in_floats(call, a), order, axes, keepdims);
}

Array matrix_norm(const Array& a, std::optional<double> order, bool keepdims, std::source_location where) {
  const Call call{"matrix_norm", where};
  if (checked_state(call, a).dtype() == DType::Float16)
    return matrix_norm(a.astype(DType::Float32, where), order, keepdims, where).astype(DType::Float16, where);
  const int rank = checked_state(call, a).shape.rank();
  if (rank < 2) fail<ShapeError>(call, "shape ", a.shape(), " has no matrices: two axes or more make them");
  if (!order) return root_of_squares(call, in_floats(call, a), {-2, -1}, keepdims);
  return norm_of_matrices(call, in_floats(call, a), *order, rank - 2, rank - 1, keepdims);
}

}  // namespace linalg
}  // namespace pilum::numeric
