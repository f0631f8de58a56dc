// Numbers that are evenly spaced from array to array, or by powers, and functions of coordinates.
#include <cmath>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

void check_count_of_numbers(const Call& call, std::int64_t count) {
  if (count < 0) fail<ValueError>(call, "a count of ", count, " is negative: ask for 0 numbers or more");
}

// The operand in the dtype, as an array.
Array in_dtype(const Call& call, const Operand& operand, DType dtype) {
  const Array array = held(call, operand);
  return array.dtype() == dtype ? array : array.astype(dtype, call.where);
}

// count of them, from array to array: step by step, or where a step vanishes by shares of the whole distance.
Array numbers_between(const Call& call, const Array& first, const Array& distance, double steps, const Array& number) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  if (!(steps > 0)) {
    const Array scaled = here(number) * here(distance);
    return here(scaled) + here(first);
  }
  const Array step = here(distance) / here(steps);
  const Array vanishes = any(here(step) == here(0), {}, false, call.where);
  const Array by_step = here(number) * here(step), share = here(number) / here(steps);
  const Array by_share = here(share) * here(distance);
  const Array moved = numeric::where(here(vanishes), here(by_share), here(by_step));
  return here(moved) + here(first);
}

}  // namespace

Array linspace(const Operand& start, const Operand& stop, std::int64_t count, bool endpoint, std::optional<DType> dtype,
               Axis axis) {
  const std::source_location where = start.where();
  const Call call{"linspace", where};
  check_count_of_numbers(call, count);
  const Operand* const both[] = {&start, &stop};
  const Shape cells = common_shape(call, both, recorder_of(call));
  const int rank = cells.rank() + 1;
  if (rank > kMaxAxes) fail<ShapeError>(call, "arrays of shape ", cells, " have no room for another axis");
  const int along = checked_axis(call, axis, rank);
  const DType common = common_dtype(both), computed = is_inexact(common) ? common : DType::Float64;
  const DType wanted = dtype.value_or(computed);
  if (is_complex(computed) && !is_complex(wanted)) {
    fail<DTypeError>(call, "numbers of ", computed, " as ", wanted, " lose their imaginary parts: take real() first");
  }
  Shape shape{count}, column{count};
  for (const std::int64_t extent : cells) {
    shape.push_back(extent);
    column.push_back(1);
  }
  check_shape(call, shape, DType::Float64);
  if (shape.elements() == 0) return moveaxis(empty(shape, wanted, where), 0, along, where);
  const Array first = in_dtype(call, start, computed), last = in_dtype(call, stop, computed);
  const Array distance = Operand(last, where) - Operand(first, where);
  const Array number = record_index(call, Shape{count}, 0, computed).reshape(column, where);
  const double steps = static_cast<double>(endpoint ? count - 1 : count);
  Array numbers = numbers_between(call, first, distance, steps, number);
  if (endpoint && count > 1) numbers(Index(-1, where)) = Operand(last, where);
  if (is_integer(wanted)) numbers = floor(Operand(numbers, where));
  if (wanted != computed) numbers = numbers.astype(wanted, where);
  return moveaxis(numbers, 0, along, where);
}

Array logspace(double start, double stop, std::int64_t count, bool endpoint, double base, DType dtype,
               std::source_location where) {
  check_count_of_numbers(Call{"logspace", where}, count);
  const Array exponents = linspace(start, stop, count, endpoint, float64, where);
  const Array numbers = power(Operand(base, where), Operand(exponents, where));
  return dtype == float64 ? numbers : numbers.astype(dtype, where);
}

Array geomspace(double start, double stop, std::int64_t count, bool endpoint, DType dtype, std::source_location where) {
  const Call call{"geomspace", where};
  check_count_of_numbers(call, count);
  if (start == 0 || stop == 0)
    fail<ValueError>(call, "from ", start, " to ", stop, ": no factor leads from or to 0; give other numbers");
  const double sign = start < 0 ? -1.0 : 1.0;
  const double first = std::log10(sign * start), last = std::log10(sign * stop);
  Array numbers = logspace(first, last, count, endpoint, 10.0, float64, where);
  if (sign < 0) numbers = -Operand(numbers, where);
  if (count > 0) numbers(Index(0, where)) = Operand(start, where);
  if (count > 1 && endpoint) numbers(Index(-1, where)) = Operand(stop, where);
  return dtype == float64 ? numbers : numbers.astype(dtype, where);
}

// The numbers' axis is the first one until the end.
Array logspace(const Operand& start, const Operand& stop, std::int64_t count, bool endpoint, const Operand& base,
               std::optional<DType> dtype, Axis axis) {
  const std::source_location where = start.where();
  const Call call{"logspace", where};
  check_count_of_numbers(call, count);
  const Operand* const all_three[] = {&start, &stop, &base};
  const Shape cells = common_shape(call, all_three, recorder_of(call));
  if (cells.rank() + 1 > kMaxAxes) fail<ShapeError>(call, "arrays of shape ", cells, " have no room for another axis");
  const int along = checked_axis(call, axis, cells.rank() + 1);
  const Array line = linspace(start, stop, count, endpoint);
  Shape shape{count};  // with as many axes behind it as all three have together
  for (int axis = line.ndim(); axis <= cells.rank(); ++axis) shape.push_back(1);
  for (int axis = 1; axis < line.ndim(); ++axis) shape.push_back(line.shape()[axis]);
  const Array exponents = line.reshape(shape, where);
  const Array numbers = power(base, Operand(exponents, where));
  const Array wanted = !dtype || *dtype == numbers.dtype() ? numbers : numbers.astype(*dtype, where);
  return moveaxis(wanted, 0, along, where);
}

// As NumPy: the logarithms of what is left once both are divided by the sign of the first.
Array geomspace(const Operand& start, const Operand& stop, std::int64_t count, bool endpoint,
                std::optional<DType> dtype, Axis axis) {
  const std::source_location where = start.where();
  const Call call{"geomspace", where};
  check_count_of_numbers(call, count);
  const Operand* const both[] = {&start, &stop};
  const Shape cells = common_shape(call, both, recorder_of(call));
  if (cells.rank() + 1 > kMaxAxes) fail<ShapeError>(call, "arrays of shape ", cells, " have no room for another axis");
  const int along = checked_axis(call, axis, cells.rank() + 1);
  const DType common = common_dtype(both), own = is_inexact(common) ? common : DType::Float64;
  const DType computed = promote(own, dtype.value_or(DType::Float64));  // as NumPy, of float32 too
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const Array first = broadcast_to(in_dtype(call, start, computed), cells, where),
              last = broadcast_to(in_dtype(call, stop, computed), cells, where);
  const Array turn = sign(here(first));
  const Array from = here(first) / here(turn), to = here(last) / here(turn);
  const Array low = log10(here(from)), high = log10(here(to));
  const Array exponents = linspace(here(low), here(high), count, endpoint);
  const Array numbers = power(here(10.0), here(exponents));
  if (count > 0) numbers(Index(0, where)) = here(from);
  if (count > 1 && endpoint) numbers(Index(-1, where)) = here(to);
  const Array turned = here(numbers) * here(turn);
  const DType wanted = dtype.value_or(computed);
  return moveaxis(wanted == turned.dtype() ? turned : turned.astype(wanted, where), 0, along, where);
}

namespace detail {

Array coordinates_along(const Shape& shape, int axis, DType dtype, std::source_location where) {
  return record_index(Call{"fromfunction", where}, shape, axis, dtype);
}

void check_coordinates(const Shape& shape, DType dtype, std::source_location where) {
  check_shape(Call{"fromfunction", where}, shape, dtype);
}

void refuse_axes(const Shape& shape, std::source_location where) {
  fail<ShapeError>(Call{"fromfunction", where}, "shape ", shape, " has ", shape.rank(),
                   " axes, and the function does not take as many arrays, or gives none: name one parameter an axis");
}

}  // namespace detail
}  // namespace pilum::numeric
