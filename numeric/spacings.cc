// Numbers that are evenly spaced by powers, and functions of coordinates.
#include <cmath>

#include "numeric/array_state.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

void check_count_of_numbers(const Call& call, std::int64_t count) {
  if (count < 0) fail<ValueError>(call, "a count of ", count, " is negative: ask for 0 numbers or more");
}

}  // namespace

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
