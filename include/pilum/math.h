// Elementwise arithmetic, comparisons, functions and reductions of arrays.
#pragma once

#include <source_location>

#include "pilum/array.h"

namespace pilum::numeric {

// Elementwise operations take arrays and numbers (see Operand), broadcast them as NumPy does and make a new array.
// They throw ShapeError where the shapes do not broadcast, DTypeError where the dtypes have no such operation,
// ValueError for an integer that the other operand's dtype cannot hold. Integers wrap.
// dtypes of results: promote(a, b), but:
//   +  *           of bools: logical or, logical and
//   -  unary -     of bools: DTypeError
//   /              of integers and bools: float64
Array operator+(const Operand& a, const Operand& b);
Array operator-(const Operand& a, const Operand& b);
Array operator*(const Operand& a, const Operand& b);
Array operator/(const Operand& a, const Operand& b);
Array operator-(const Operand& a);

// bool arrays. (Not for `if`: ask for a value, as in np::sum(a != b).item<std::int64_t>() == 0.)
Array operator==(const Operand& a, const Operand& b);
Array operator!=(const Operand& a, const Operand& b);
Array operator<(const Operand& a, const Operand& b);
Array operator<=(const Operand& a, const Operand& b);
Array operator>(const Operand& a, const Operand& b);
Array operator>=(const Operand& a, const Operand& b);

// condition ? a : b, elementwise (numpy.where); the condition is true where it is not 0.
Array where(const Operand& condition, const Operand& a, const Operand& b);

// As the NumPy functions of these names. abs of a bool is a bool. sqrt, exp and log of integers and bools are float64;
// of negative numbers sqrt and log are nan.
Array abs(const Operand& a);
Array sqrt(const Operand& a);
Array exp(const Operand& a);
Array log(const Operand& a);

// The smaller and the larger one; nan where either is nan (numpy.minimum, numpy.maximum).
Array minimum(const Operand& a, const Operand& b);
Array maximum(const Operand& a, const Operand& b);

// a to the power of b (numpy.power). Of integers: an integer, and a negative number as b throws ValueError; a negative
// cell of an integer array b gives an unspecified result in that cell. Of bools: int64.
Array power(const Operand& a, const Operand& b);

// Reductions fold all axes, or those given; with `keepdims` these stay, with extent 1. ValueError for an axis named
// twice, IndexError for one that is not there. dtypes:
//   sum, prod   of bool and int32: int64; otherwise the array's. Over no cells: 0, 1
//   min, max    the array's. Over no cells: ValueError. nan where a cell is nan
//   mean        of bools and integers: float64; otherwise the array's. Over no cells: nan
Array sum(const Array& a, Axes axes = {}, bool keepdims = false,
          std::source_location where = std::source_location::current());
Array prod(const Array& a, Axes axes = {}, bool keepdims = false,
           std::source_location where = std::source_location::current());
Array min(const Array& a, Axes axes = {}, bool keepdims = false,
          std::source_location where = std::source_location::current());
Array max(const Array& a, Axes axes = {}, bool keepdims = false,
          std::source_location where = std::source_location::current());
Array mean(const Array& a, Axes axes = {}, bool keepdims = false,
           std::source_location where = std::source_location::current());

// The array seen with another shape: axes of extent 1 are repeated, and axes are put in front (numpy.broadcast_to). A
// view; writing where it repeats cells throws ValueError. Throws ShapeError where the shape does not fit.
Array broadcast_to(const Array& a, Shape shape, std::source_location where = std::source_location::current());

// The members of these names.
inline Array transpose(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current()) {
  return a.transpose(axes, where);
}
inline Array reshape(const Array& a, Shape shape, std::source_location where = std::source_location::current()) {
  return a.reshape(shape, where);
}

}  // namespace pilum::numeric
