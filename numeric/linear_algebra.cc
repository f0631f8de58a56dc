#include "pilum/linear_algebra.h"

#include <algorithm>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/elementwise.h"
#include "numeric/field_order.h"
#include "numeric/matrix_product.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "numeric/short_contraction.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

constexpr std::int64_t kSmall = 32;  // extents up to which a product is a fused sum

Array multiply(const Call& call, const Array& a, const Array& b) {
  return Operand(a, call.where) * Operand(b, call.where);
}

Array in_dtype(const Call& call, const Array& a, DType dtype) {
  return a.dtype() == dtype ? a : a.astype(dtype, call.where);
}

// The sum of a * b along an axis of what they broadcast to, in their promoted dtype.
Array sum_of_products(const Call& call, const Array& a, const Array& b, int axis) {
  if (promote(a.dtype(), b.dtype()) == DType::Float16) {  // rounded once, at the end
    return sum_of_products(call, in_dtype(call, a, DType::Float32), in_dtype(call, b, DType::Float32), axis)
        .astype(DType::Float16, call.where);
  }
  Array product = multiply(call, a, b);
  const DType dtype = product.dtype();
  if (dtype == DType::Bool) return any(product, axis, false, call.where);
  Array total = std::move(product).sum(axis, false, call.where);
  return total.dtype() == dtype ? total : total.astype(dtype, call.where);
}

Array insert_axis(const Call& call, const Array& a, int axis) {
  return expand_dims(a, axis, call.where);
}

// How a product reads an operand: the places, from the end, of the axis that is summed over and of the one that is kept
// (0: there is none).
struct Part {
  int summed = 1, kept = 0;
  int axes() const { return kept ? 2 : 1; }
};
constexpr Part kVector{1, 0}, kLeft{1, 2}, kRight{2, 1};

// The axes before those of the product.
Shape batch_of(const Shape& shape, Part part) {
  Shape batch;
  for (int axis = 0; axis < shape.rank() - part.axes(); ++axis) batch.push_back(shape[axis]);
  return batch;
}

void check_axes_of(const Call& call, const Array& array, int number, Part part) {
  const Shape& shape = checked_state(call, array).shape;
  if (shape.rank() >= part.axes()) return;
  fail<ShapeError>(
      call, "operand ", number, " has shape ", shape, ", and it takes ", part.axes(),
      part.axes() == 1 ? " axis" : " axes",
      shape.rank() == 0 ? " or more: a * b multiplies by a number" : " or more: reshape it, or use matmul");
}

struct Product {
  Call call;
  Part left, right;

  std::int64_t summed(const Array& array, Part part) const { return array.shape()[array.ndim() - part.summed]; }
  std::int64_t kept(const Array& array, Part part) const {
    return part.kept ? array.shape()[array.ndim() - part.kept] : 1;
  }

  // The shape of the batches.
  Shape check(const Array& a, const Array& b) const {
    check_axes_of(call, a, 1, left);
    check_axes_of(call, b, 2, right);
    if (summed(a, left) != summed(b, right)) {
      fail<ShapeError>(call, "shapes ", a.shape(), " and ", b.shape(), " do not fit: axis ", a.ndim() - left.summed,
                       " of the first has ", summed(a, left), " cells and axis ", b.ndim() - right.summed,
                       " of the second ", summed(b, right), ", and the sum is over both: transpose or slice one");
    }
    const Shape first = batch_of(a.shape(), left), second = batch_of(b.shape(), right);
    if (first.rank() == 0 || second.rank() == 0) return first.rank() ? first : second;
    try {
      return broadcast_shapes(call, first, second);
    } catch (const ShapeError&) {
      fail<ShapeError>(call, "the batches ", first, " and ", second, " of shapes ", a.shape(), " and ", b.shape(),
                       " do not broadcast: extents are alike, or 1");
    }
  }

  // As a sum along one axis of (…, m, k, n), or of what of it there is.
  Array fused(const Array& a, const Array& b) const {
    if (!left.kept && !right.kept) return sum_of_products(call, a, b, -1);
    if (!right.kept) return matrix_by_vector(a, b, /*sums_last=*/true);
    if (!left.kept) return matrix_by_vector(b, a, /*sums_last=*/false);
    if (are_fields(a, b)) return of_fields(a, b);
    return sum_of_products(call, insert_axis(call, a, -1), insert_axis(call, b, -3), -2);
  }

  // Of many matrices whose cells lie each by itself (field_order.h), and whose products are too many to lie so.
  bool are_fields(const Array& a, const Array& b) const {
    if (a.ndim() != 3 || b.ndim() != 3 || a.shape()[0] != b.shape()[0]) return false;
    const Shape shape{a.shape()[0], kept(a, left), kept(b, right)};
    return shape[1] * shape[2] * summed(a, left) > kMostFields && axes_of_fields(recorder_of(call), shape) == 2;
  }

  // In the order of memory, (m, k, n, matrices), which all of it has.
  Array of_fields(const Array& a, const Array& b) const {
    const auto matrices_last = [&](const Array& array) { return moveaxis(array, 0, -1, call.where); };
    return fields_last(
        sum_of_products(call, insert_axis(call, matrices_last(a), 2), insert_axis(call, matrices_last(b), 0), 1), 2);
  }

  // Over the matrices' last axis, or the one before it. They are read row by row of memory: else vectors are gathered.
  Array matrix_by_vector(const Array& matrix, const Array& vector, bool sums_last) const {
    const bool turns = lies_transposed(checked_state(call, matrix));
    const bool last = sums_last != turns;
    return sum_of_products(call, turns ? swapaxes(matrix, -1, -2, call.where) : matrix,
                           insert_axis(call, vector, last ? -2 : -1), last ? -1 : -2);
  }

  bool is_fused(const Array& a, const Array& b, const Shape& batch) const {
    if (!left.kept || !right.kept) return true;
    return batch.rank() + 3 <= kMaxAxes && kept(a, left) <= kSmall && kept(b, right) <= kSmall &&
           summed(a, left) <= kSmall;
  }

  // Four products of parts: as much work as one of complex numbers.
  Array of_parts(const Array& a, const Array& b, const Shape& batch) const {
    const auto part = [&](Array (*take)(const Operand&), const Array& of) { return take(Operand(of, call.where)); };
    const Array re_a = part(real, a), im_a = part(imag, a), re_b = part(real, b), im_b = part(imag, b);
    const Array re_re = launched(re_a, re_b, batch), im_im = launched(im_a, im_b, batch);
    const Array re_im = launched(re_a, im_b, batch), im_re = launched(im_a, re_b, batch);
    const auto in = [&](const Array& array) { return Operand(array, call.where); };
    return join_parts(call, in(re_re)-in(im_im), in(re_im) + in(im_re));
  }

  Array launched(const Array& a, const Array& b, const Shape& batch) const {
    const DType dtype = promote(a.dtype(), b.dtype());
    if (is_complex(dtype) && !recorder_of(call).processors().are_gpus)
      return of_parts(in_dtype(call, a, dtype), in_dtype(call, b, dtype), batch);
    if (dtype == DType::Float16) {
      return launched(in_dtype(call, a, DType::Float32), in_dtype(call, b, DType::Float32), batch)
          .astype(dtype, call.where);
    }
    const auto prepared = [&](const Array& array, Part part) {
      Shape shape = batch;
      for (int axis = array.ndim() - part.axes(); axis < array.ndim(); ++axis) shape.push_back(array.shape()[axis]);
      const Array cast = in_dtype(call, array, dtype);
      return cast.shape() == shape ? cast : broadcast_to(cast, shape, call.where);
    };
    return launch_product(call, prepared(a, left), prepared(b, right));
  }

  // Many matrices of few rows by one matrix: their rows together are one.
  bool are_rows_of_one(const Array& a, const Array& b) const {
    return a.ndim() > 2 && b.ndim() == 2 && kept(a, left) < kSmall && kept(b, right) >= kSmall &&
           a.size() >= kSmall * summed(a, left);
  }

  // Whether the rows of all matrices follow each other in memory: products take them as one matrix then, without a
  // copy.
  static bool lie_together(const ArrayState& state) {
    int place = state.map.store_rank - 1;
    bool whole = true;  // what is further inside, without gaps
    for (int axis = state.shape.rank() - 1; axis >= 0; --axis) {
      if (state.shape[axis] == 1) continue;
      while (place >= 0 && state.store().shape[place] == 1) --place;
      if (place < 0 || !whole || state.map.store_axis_of(axis) != place || state.map[place].scale != 1) return false;
      whole = axis == state.shape.rank() - 1 || state.shape[axis] == state.store().shape[place];
      --place;
    }
    return true;
  }

  Array operator()(const Array& a, const Array& b) const {
    const Shape batch = check(a, b);
    if (is_fused(a, b, batch)) return fused(a, b);
    Shape shape = batch;
    shape.push_back(kept(a, left));
    shape.push_back(kept(b, right));
    if (shape.elements() == 0 || summed(a, left) == 0) {
      return zeros(shape, promote(a.dtype(), b.dtype()), call.where);
    }
    const bool are_rows = are_rows_of_one(a, b);
    if (are_rows && recorder_of(call).processors().count == 1 && !lie_together(checked_state(call, a))) {
      const Shape rows{a.size() / summed(a, left), summed(a, left)};
      return (*this)(a.reshape(rows, call.where), b).reshape(shape, call.where);
    }
    if (recorder_of(call).processors().are_gpus) {  // memory's speed is reached by kernels of sums, not of products
      if (shape[shape.rank() - 1] == 1) {
        const Array column = Product{call, left, kVector}(a, squeeze(b, -1, call.where));
        return expand_dims(column, -1, call.where);
      }
      if (shape[shape.rank() - 2] == 1 && !are_rows) {
        const Array row = Product{call, kVector, right}(squeeze(a, -2, call.where), b);
        return expand_dims(row, -2, call.where);
      }
    }
    return launched(a, b, batch);
  }
};

// The operands' axes, counted from the front, that a sum is over; and the others.
struct Contraction {
  std::vector<int> summed_a, summed_b, kept_a, kept_b;
};

std::vector<int> others(const std::vector<int>& axes, int rank) {
  std::vector<int> rest;
  for (int axis = 0; axis < rank; ++axis) {
    if (std::ranges::find(axes, axis) == axes.end()) rest.push_back(axis);
  }
  return rest;
}

std::vector<int> checked_axes(const Call& call, const Axes& axes, const Array& array) {
  std::vector<int> checked;
  for (int place = 0; place < std::min(axes.count(), kMaxAxes); ++place) {
    const int axis = checked_axis(call, axes[place], array.ndim());
    if (std::ranges::find(checked, axis) != checked.end()) {
      fail<ValueError>(call, "axis ", axes[place], " of shape ", array.shape(), " is named twice: name each axis once");
    }
    checked.push_back(axis);
  }
  return checked;
}

std::int64_t cells_of(const Shape& shape, const std::vector<int>& axes) {
  std::int64_t cells = 1;
  for (const int axis : axes) cells *= shape[axis];
  return cells;
}

// The axes in this order, those of each group as one: a matrix.
Array as_matrix(const Call& call, const Array& array, const std::vector<int>& rows, const std::vector<int>& columns) {
  std::vector<int> order = rows;
  order.insert(order.end(), columns.begin(), columns.end());
  const Array turned = order.empty() ? array : array.transpose(Axes(std::span<const int>(order)), call.where);
  return turned.reshape({cells_of(array.shape(), rows), cells_of(array.shape(), columns)}, call.where);
}

// The axes in this order, with so many of one cell behind the first group, or before it.
Array with_room(const Call& call, const Array& array, const std::vector<int>& kept, const std::vector<int>& summed,
                int room, bool is_before) {
  std::vector<int> order = kept;
  order.insert(order.end(), summed.begin(), summed.end());
  Shape shape;
  const auto add_room = [&] {
    for (int axis = 0; axis < room; ++axis) shape.push_back(1);
  };
  if (is_before) add_room();
  for (const int axis : kept) shape.push_back(array.shape()[axis]);
  if (!is_before) add_room();
  for (const int axis : summed) shape.push_back(array.shape()[axis]);
  return array.transpose(Axes(std::span<const int>(order)), call.where).reshape(shape, call.where);
}

Array contract(const Call& call, const Array& a, const Array& b, const Contraction& of) {
  for (std::size_t k = 0; k < of.summed_a.size(); ++k) {
    const int i = of.summed_a[k], j = of.summed_b[k];
    if (a.shape()[i] == b.shape()[j]) continue;
    fail<ShapeError>(call, "shapes ", a.shape(), " and ", b.shape(), " do not fit: axis ", i, " of the first has ",
                     a.shape()[i], " cells and axis ", j, " of the second ", b.shape()[j],
                     ", and the sum is over both: transpose or slice one");
  }
  Shape shape;
  for (const int axis : of.kept_a) shape.push_back(a.shape()[axis]);
  for (const int axis : of.kept_b) shape.push_back(b.shape()[axis]);
  check_shape(call, shape, promote(a.dtype(), b.dtype()));
  const int summed = static_cast<int>(of.summed_a.size());
  if (!of.kept_a.empty() && !of.kept_b.empty() && shape.rank() + summed <= kMaxAxes &&
      is_short_contraction(a, of.summed_a, b, of.summed_b)) {
    const Array left = with_room(call, a, of.kept_a, of.summed_a, static_cast<int>(of.kept_b.size()), false);
    const Array right = with_room(call, b, of.kept_b, of.summed_b, static_cast<int>(of.kept_a.size()), true);
    return contract_points(call, left, right, summed);
  }
  const Array left = as_matrix(call, a, of.kept_a, of.summed_a), right = as_matrix(call, b, of.summed_b, of.kept_b);
  if (of.kept_a.empty() || of.kept_b.empty()) {  // a vector
    const Array row = of.kept_a.empty() ? squeeze(left, 0, call.where) : left;
    const Array column = of.kept_b.empty() ? squeeze(right, 1, call.where) : right;
    return Product{call, row.ndim() == 1 ? kVector : kLeft, column.ndim() == 1 ? kVector : kRight}(row, column)
        .reshape(shape, call.where);
  }
  return Product{call, kLeft, kRight}(left, right).reshape(shape, call.where);
}

// The sum over one axis of each.
Array contract_pair(const Call& call, const Array& a, const Array& b, int axis_a, int axis_b) {
  return contract(call, a, b, {{axis_a}, {axis_b}, others({axis_a}, a.ndim()), others({axis_b}, b.ndim())});
}

bool has_no_axes(const Call& call, const Array& a, const Array& b) {
  const bool first = checked_state(call, a).shape.rank() == 0, second = checked_state(call, b).shape.rank() == 0;
  return first || second;
}

}  // namespace

Array matmul(const Array& a, const Array& b, std::source_location where) {
  const Call call{"matmul", where};
  const bool row = checked_state(call, a).shape.rank() == 1, column = checked_state(call, b).shape.rank() == 1;
  return Product{call, row ? kVector : kLeft, column ? kVector : kRight}(a, b);
}

Array dot(const Array& a, const Array& b, std::source_location where) {
  const Call call{"dot", where};
  if (has_no_axes(call, a, b)) return multiply(call, a, b);
  return contract_pair(call, a, b, a.ndim() - 1, std::max(b.ndim() - 2, 0));
}

Array vdot(const Array& a, const Array& b, std::source_location where) {
  const Call call{"vdot", where};
  if (checked_state(call, a).shape.elements() != checked_state(call, b).shape.elements()) {
    fail<ShapeError>(call, "shapes ", a.shape(), " and ", b.shape(), " differ in size: slice one");
  }
  const Array first = is_complex(a.dtype()) ? conj(Operand(a, where)) : a;
  return Product{call, kVector, kVector}(first.reshape({a.size()}, where), b.reshape({b.size()}, where));
}

Array vecdot(const Array& a, const Array& b, Axis axis, std::source_location where) {
  const Call call{"vecdot", where};
  check_axes_of(call, a, 1, kVector);
  check_axes_of(call, b, 2, kVector);
  const Array first = moveaxis(a, checked_axis(call, axis, a.ndim()), -1, where);
  const Array second = moveaxis(b, checked_axis(call, axis, b.ndim()), -1, where);
  return Product{call, kVector, kVector}(is_complex(a.dtype()) ? conj(Operand(first, where)) : first, second);
}

Array inner(const Array& a, const Array& b, std::source_location where) {
  const Call call{"inner", where};
  if (has_no_axes(call, a, b)) return multiply(call, a, b);
  return contract_pair(call, a, b, a.ndim() - 1, b.ndim() - 1);
}

Array outer(const Array& a, const Array& b, std::source_location where) {
  const Call call{"outer", where};
  static_cast<void>(checked_state(call, a));
  static_cast<void>(checked_state(call, b));
  return multiply(call, a.reshape({a.size(), 1}, where), b.reshape({1, b.size()}, where));
}

Array linalg::outer(const Array& a, const Array& b, std::source_location where) {
  const Call call{"outer", where};
  for (const Array* vector : {&a, &b}) {
    if (const Shape& shape = checked_state(call, *vector).shape; shape.rank() != 1)
      fail<ShapeError>(call, "shape ", shape, " is no vector: ravel() it, or use np::outer, which does");
  }
  return numeric::outer(a, b, where);
}

Array matvec(const Array& a, const Array& b, std::source_location where) {
  return Product{{"matvec", where}, kLeft, kVector}(a, b);
}

Array vecmat(const Array& a, const Array& b, std::source_location where) {
  const Call call{"vecmat", where};
  const bool turns = is_complex(checked_state(call, a).dtype());
  return Product{call, kVector, kRight}(turns ? conj(Operand(a, where)) : a, b);
}

Array tensordot(const Array& a, const Array& b, int axes, std::source_location where) {
  const Call call{"tensordot", where};
  const int rank_a = checked_state(call, a).shape.rank(), rank_b = checked_state(call, b).shape.rank();
  if (axes < 0 || axes > std::min(rank_a, rank_b)) {
    fail<ValueError>(call, axes, " axes cannot be summed over of shapes ", a.shape(), " and ", b.shape(),
                     ": give 0 to ", std::min(rank_a, rank_b));
  }
  Contraction of;
  for (int axis = 0; axis < axes; ++axis) {
    of.summed_a.push_back(rank_a - axes + axis);
    of.summed_b.push_back(axis);
  }
  of.kept_a = others(of.summed_a, rank_a);
  of.kept_b = others(of.summed_b, rank_b);
  return contract(call, a, b, of);
}

Array tensordot(const Array& a, const Array& b, Axes axes_a, Axes axes_b, std::source_location where) {
  const Call call{"tensordot", where};
  static_cast<void>(checked_state(call, a));
  static_cast<void>(checked_state(call, b));
  if (axes_a.count() != axes_b.count()) {
    fail<ValueError>(call, axes_a.count(), " axes of the first and ", axes_b.count(),
                     " of the second array make no pairs: name as many of each");
  }
  Contraction of{checked_axes(call, axes_a, a), checked_axes(call, axes_b, b), {}, {}};
  of.kept_a = others(of.summed_a, a.ndim());
  of.kept_b = others(of.summed_b, b.ndim());
  return contract(call, a, b, of);
}

}  // namespace pilum::numeric
