// Cells written by masks and diagonals, and branches chosen by conditions.
#include <vector>

#include "numeric/array_state.h"
#include "numeric/elementwise.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/dtype_info.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/scan.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

void check_fits(const Call& call, const Shape& own, const Shape& target, const char* what) {
  if (broadcasts_to(own, target)) return;
  fail<ShapeError>(call, what, " of shape ", own, " does not broadcast to ", target,
                   ": aligned at the last axis, extents must agree or be 1");
}

void write_where(const Call& call, const Array& a, const Array& mask, const Operand& value) {
  const Array kept = where(Operand(mask, call.where), value, Operand(a, call.where));
  a(ellipsis) = Operand(kept, call.where);
}

}  // namespace

void copyto(const Array& a, const Operand& value) {
  const Call call{"copyto", value.where()};
  static_cast<void>(checked_state(call, a));
  a(ellipsis) = value;
}

void copyto(const Array& a, const Operand& value, const Array& mask) {
  const Call call{"copyto", value.where()};
  const Shape& shape = checked_state(call, a).shape;
  if (checked_state(call, mask).dtype() != DType::Bool)
    fail<DTypeError>(call, "the mask is ", mask.dtype(), ": bools choose cells, as of a > 0");
  check_fits(call, mask.shape(), shape, "the mask");
  if (value.kind() == Operand::Kind::Array)
    check_fits(call, checked_state(call, value.array()).shape, shape, "the value");
  write_where(call, a, mask, value);
}

namespace {

// The values as an array of one axis, and the mask as bools of the array's shape.
struct Masked {
  Array values, mask;
};

Masked checked_masked(const Call& call, const Array& a, const Array& mask, const Operand& values) {
  const Shape& shape = checked_state(call, a).shape;
  if (checked_state(call, mask).shape.elements() != shape.elements())
    fail<ValueError>(call, "a mask of shape ", mask.shape(), " for cells of shape ", shape, ": give one for each cell");
  const bool is_array = values.kind() == Operand::Kind::Array;
  if (is_array && !can_cast(dtype_of_operand(call, values), a.dtype())) {
    fail<DTypeError>(call, "values of ", values.array().dtype(), " lose some as ", a.dtype(),
                     ": cast them with astype");
  }
  const Array bools = mask.dtype() == DType::Bool ? mask : mask.astype(DType::Bool, call.where);
  const Array fitting = bools.shape() == shape ? bools : bools.reshape(shape, call.where);
  if (!is_array) return {full({1}, values, a.dtype()), fitting};
  return {ravel(held(call, values), call.where), fitting};
}

// Values by their numbers, which begin again.
Array values_at(const Call& call, const Array& values, const Array& numbers) {
  const Array places = Operand(numbers, call.where) % Operand(values.size(), call.where);
  return take(values, places, 0, IndexMode::Wrap, call.where);
}

}  // namespace

void putmask(const Array& a, const Array& mask, const Operand& values) {
  const Call call{"putmask", values.where()};
  const bool is_like = values.kind() == Operand::Kind::Array && checked_state(call, values.array()).shape == a.shape();
  const Array same = is_like ? held(call, values) : Array();
  const auto [line, chosen] = checked_masked(call, a, mask, is_like ? Operand(same, call.where) : values);
  if (line.size() == 0 || a.size() == 0) return;
  if (is_like) return write_where(call, a, chosen, Operand(same, call.where));
  if (line.size() == 1) return write_where(call, a, chosen, Operand(line.reshape({}, call.where), call.where));
  const Shape& shape = a.shape();
  Array number;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const Array coordinate = record_index(call, shape, axis, DType::Int64);
    if (axis == 0) {
      number = coordinate;
      continue;
    }
    const Array before = Operand(number, call.where) * Operand(shape[axis], call.where);
    number = Operand(before, call.where) + Operand(coordinate, call.where);
  }
  if (shape.rank() == 0) number = full({}, Operand(0, call.where), DType::Int64);
  write_where(call, a, chosen, Operand(values_at(call, line, number), call.where));
}

void place(const Array& a, const Array& mask, const Operand& values) {
  const Call call{"place", values.where()};
  const auto [line, chosen] = checked_masked(call, a, mask, values);
  if (a.size() == 0) return;
  if (line.size() == 0) {
    if (any(chosen, {}, false, call.where).item<bool>(call.where))
      fail<ValueError>(call, "there are no values for the mask's cells: give one at least");
    return;
  }
  if (line.size() == 1) return write_where(call, a, chosen, Operand(line.reshape({}, call.where), call.where));
  const Array count = cumsum(ravel(chosen, call.where), 0, DType::Int64, call.where);
  const Array number = Operand(count, call.where) - Operand(1, call.where);
  const Array found = values_at(call, line, number).reshape(a.shape(), call.where);
  write_where(call, a, chosen, Operand(found, call.where));
}

void fill_diagonal(const Array& a, const Operand& value) {
  const Call call{"fill_diagonal", value.where()};
  const Shape shape = checked_state(call, a).shape;
  if (shape.rank() < 2) fail<ShapeError>(call, "shape ", shape, " has fewer than 2 axes: a diagonal has two");
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (shape.rank() > 2 && shape[axis] != shape[0])
      fail<ShapeError>(call, "shape ", shape, " has extents that differ: of more than two axes they must be the same");
  }
  if (value.kind() == Operand::Kind::Array && checked_state(call, value.array()).shape.rank() > 0)
    fail<ShapeError>(call, "the value has shape ", value.array().shape(), ": give a number");
  if (shape.elements() == 0) return;
  Array is_on;
  const Array first = record_index(call, shape, 0, DType::Int64);
  for (int axis = 1; axis < shape.rank(); ++axis) {
    const Array place = record_index(call, shape, axis, DType::Int64);
    const Array same = Operand(first, call.where) == Operand(place, call.where);
    is_on = axis == 1 ? same : Array(Operand(is_on, call.where) & Operand(same, call.where));
  }
  a(is_on) = value;
}

Array piecewise(const Array& x, const std::vector<Array>& conditions, const std::vector<Branch>& branches,
                std::source_location where) {
  const Call call{"piecewise", where};
  static_cast<void>(checked_state(call, x));
  const std::size_t count = conditions.size();
  if (count == 0) fail<ValueError>(call, "there are no conditions: give one at least");
  if (branches.size() != count && branches.size() != count + 1)
    fail<ValueError>(call, branches.size(), " branches for ", count, " conditions: give as many, or one more");
  for (const Array& condition : conditions)
    check_fits(call, checked_state(call, condition).shape, x.shape(), "a condition");
  const auto of_x = [&](std::size_t place) {
    const Array value = branches[place](x);
    return value.dtype() == x.dtype() ? value : value.astype(x.dtype(), where);
  };
  Array result = branches.size() > count ? of_x(count) : full({}, Operand(0, where), x.dtype());
  for (std::size_t k = 0; k < count; ++k) {
    const Array value = of_x(k);
    result = numeric::where(Operand(conditions[k], where), Operand(value, where), Operand(result, where));
  }
  return result.shape() == x.shape() ? result : broadcast_to(result, x.shape(), where).copy(where);
}

}  // namespace pilum::numeric
