// Draws whose cells take as many random bits as it happens: a body draws each from the cell's own bits.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/errors.h"
#include "numeric/record.h"

namespace pilum::numeric {

enum class Distribution : std::uint8_t {
  Gamma,
  ChiSquare,
  Beta,
  Poisson,
  Binomial,
  VonMises,  // 1 less the cosine of the angle
  Zipf,
  LogSeries,
  Hypergeometric
};

// The shape that is asked for, which the parameters broadcast to; or, of none, what they broadcast to. Throws
// ShapeError.
Shape drawn_shape(const Call& call, Operands parameters, const Shape* size);

// Throws DTypeError for dtypes that no floating numbers are drawn of.
void check_drawn_dtype(const Call& call, DType dtype);

// Throws ValueError for a number that is negative: what NumPy calls `name`.
void check_scale(const Call& call, const char* name, const Operand& scale);

// Of numbers: ValueError for one that is not positive, that is no probability above 0, for two that are in no order.
void check_positive(const Call& call, const char* name, const Operand& parameter);
void check_probability(const Call& call, const char* name, const Operand& parameter);
void check_order(const Call& call, const char* first_name, const Operand& first, const char* second_name,
                 const Operand& second, bool may_be_equal);

// Throws ValueError where a number is no such parameter of the distribution; arrays are looked at when cells are drawn,
// and the next wait throws.
void check_parameters(const Call& call, Distribution distribution, Operands parameters);

// A new array of draw `number` of the seed: float64, of counts int64. Cell i follows from the seed, the number, i and
// its parameters alone. The parameters are checked and broadcast to the shape.
Array draw_cells(const Call& call, Distribution distribution, Operands parameters, const Shape& shape,
                 std::uint64_t seed, std::uint64_t number);

}  // namespace pilum::numeric
