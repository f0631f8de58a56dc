// Elementwise arithmetic, comparisons, functions and reductions of arrays.
#pragma once

#include <source_location>
#include <utility>

#include "pilum/array.h"
#include "pilum/export.h"
#include "pilum/mistakes.h"

namespace pilum::numeric {

// Elementwise operations take arrays and numbers (see Operand), broadcast them as NumPy does and make a new array.
// They throw ShapeError where the shapes do not broadcast, DTypeError where the dtypes have no such operation,
// ValueError for an integer that the other operand's dtype cannot hold. Integers wrap. Bits are the same on any number
// of cores and ranks, but a NaN's, whose sign and payload are not said. docs/numpy.md has what differs from NumPy.
// dtypes of results: promote(a, b), but:
//   +  *           of bools: logical or, logical and
//   -  unary -     of bools: DTypeError
//   /              of integers and bools: float64
//   %              of bools: int8
//   & | ^ ~        of bools: logic; of floats: DTypeError
PILUM_API Array operator+(const Operand& a, const Operand& b);
PILUM_API Array operator-(const Operand& a, const Operand& b);
PILUM_API Array operator*(const Operand& a, const Operand& b);
PILUM_API Array operator/(const Operand& a, const Operand& b);
PILUM_API Array operator-(const Operand& a);
PILUM_API Array operator+(const Operand& a);  // a copy (numpy.positive)

// What is left of a division rounded down: it has the sign of b, as Python's % (numpy.remainder). By 0 it is 0 of
// integers, NaN of floats. The same bits on cores and GPUs.
PILUM_API Array operator%(const Operand& a, const Operand& b);

// Of integers bit by bit, of bools the logic (numpy.bitwise_and, bitwise_or, bitwise_xor, invert). C++ binds them more
// loosely than comparisons, Python more tightly: parentheses mean the same in both, as in (a > 0) & (a < 1).
PILUM_API Array operator&(const Operand& a, const Operand& b);
PILUM_API Array operator|(const Operand& a, const Operand& b);
PILUM_API Array operator^(const Operand& a, const Operand& b);
PILUM_API Array operator~(const Operand& a);
// A bool array: true where the cell is 0 (numpy.logical_not), which NaN is not. (C++ lets no line come along with `!`:
// an error names the line that made the array. logical_not(a) names its own.)
PILUM_API Array operator!(const Array& a);

// bool arrays. `if (np::min(a == b))` asks whether all cells are equal, and waits for the answer; `if (a == b)` throws
// ValueError where there is more than one cell.
PILUM_API Array operator==(const Operand& a, const Operand& b);
PILUM_API Array operator!=(const Operand& a, const Operand& b);
PILUM_API Array operator<(const Operand& a, const Operand& b);
PILUM_API Array operator<=(const Operand& a, const Operand& b);
PILUM_API Array operator>(const Operand& a, const Operand& b);
PILUM_API Array operator>=(const Operand& a, const Operand& b);

// condition ? a : b, elementwise (numpy.where); the condition is true where it is not 0.
PILUM_API Array where(const Operand& condition, const Operand& a, const Operand& b);

// As the NumPy functions of these names. abs of a bool is a bool, of complex numbers
// their size. sqrt, exp and log of integers and bools are float64;
// of negative numbers sqrt and log are nan.
PILUM_API Array abs(const Operand& a);
PILUM_API Array sqrt(const Operand& a);
PILUM_API Array exp(const Operand& a);
PILUM_API Array log(const Operand& a);

// Between two bounds: minimum(maximum(a, low), high), so nan stays nan (numpy.clip); clip(a, {}, high) and clip(a, low,
// {}) have one bound, as None is one that is not there.
PILUM_API Array clip(const Operand& a, const Operand& low, const Operand& high);
PILUM_API Array clip(const Operand& a, NoBound low, const Operand& high);
PILUM_API Array clip(const Operand& a, const Operand& low, NoBound high);
// Squares, of bools int8 (numpy.square). -1, 0 or 1 of the same dtype, nan of nan; a / |a| of complex numbers
// (numpy.sign; DTypeError of bools).
inline Array square(const Operand& a);
PILUM_API Array sign(const Operand& a);
// bool arrays; of integers and bools false, true, false (numpy.isnan, isfinite, isinf).
PILUM_API Array isnan(const Operand& a);
PILUM_API Array isfinite(const Operand& a);
PILUM_API Array isinf(const Operand& a);

// The operators' functions. logical_and, logical_or and logical_xor take any dtype, true where it is not 0, and give
// bools.
inline Array remainder(const Operand& a, const Operand& b) {
  return a % b;
}
inline Array mod(const Operand& a, const Operand& b) {
  return a % b;
}
inline Array bitwise_and(const Operand& a, const Operand& b) {
  return a & b;
}
inline Array bitwise_or(const Operand& a, const Operand& b) {
  return a | b;
}
inline Array bitwise_xor(const Operand& a, const Operand& b) {
  return a ^ b;
}
inline Array invert(const Operand& a) {
  return ~a;
}
inline Array bitwise_not(const Operand& a) {
  return ~a;
}
inline Array bitwise_invert(const Operand& a) {
  return ~a;
}
PILUM_API Array logical_not(const Operand& a);
PILUM_API Array logical_and(const Operand& a, const Operand& b);
PILUM_API Array logical_or(const Operand& a, const Operand& b);
PILUM_API Array logical_xor(const Operand& a, const Operand& b);

// The smaller and the larger one; nan where either is nan (numpy.minimum, numpy.maximum). Complex numbers are in the
// order of their real parts, then of their imaginary ones, here as in < <= > >=, fmin, fmax, clip, min and max.
PILUM_API Array minimum(const Operand& a, const Operand& b);
PILUM_API Array maximum(const Operand& a, const Operand& b);

// a to the power of b (numpy.power). Of integers: an integer, and a negative number as b throws ValueError where there
// is a cell; a negative cell of an integer array b gives an unspecified result in that cell. Of bools: int8. The
// numbers 2, 1, 0.5 and -1 as b are a * a, a, sqrt(a) and 1 / a, rounded so (hence -inf to the power of 0.5 is nan; but
// of float16, which has inf). Complex numbers to the power of a whole number below 100 are products, in NumPy's order;
// else exp(b * log(a)), whose error grows with the size of b * log(a). 0 has the power 0 where b's real part is
// positive, 1 where b is 0, else nan.
PILUM_API Array power(const Operand& a, const Operand& b);

inline Array square(const Operand& a) {
  if (a.kind() == Operand::Kind::Array && a.array().dtype() == DType::Bool)
    return power(Operand(a.array().astype(DType::Int8, a.where()), a.where()), Operand(2, a.where()));
  return power(a, Operand(2, a.where()));
}
inline Array add(const Operand& a, const Operand& b) {
  return a + b;
}
inline Array subtract(const Operand& a, const Operand& b) {
  return a - b;
}
inline Array multiply(const Operand& a, const Operand& b) {
  return a * b;
}
inline Array divide(const Operand& a, const Operand& b) {
  return a / b;
}
inline Array true_divide(const Operand& a, const Operand& b) {
  return a / b;
}
inline Array negative(const Operand& a) {
  return -a;
}
inline Array equal(const Operand& a, const Operand& b) {
  return a == b;
}
inline Array not_equal(const Operand& a, const Operand& b) {
  return a != b;
}
inline Array less(const Operand& a, const Operand& b) {
  return a < b;
}
inline Array less_equal(const Operand& a, const Operand& b) {
  return a <= b;
}
inline Array greater(const Operand& a, const Operand& b) {
  return a > b;
}
inline Array greater_equal(const Operand& a, const Operand& b) {
  return a >= b;
}

// Reductions fold all axes, or those given; with `keepdims` these stay, with extent 1. ValueError for an axis named
// twice, IndexError for one that is not there (but for axis 0 and -1 of an array without axes, as in NumPy: not in a
// list, and not of mean). dtypes:
//   sum, prod   of bool and int32: int64; otherwise the array's. Over no cells: 0, 1. Of -0.0 alone sum is 0.0
//   min, max    the array's. Over no cells: ValueError. nan where a cell is nan, of complex cells the first such one
//   mean        of bools and integers: float64; otherwise the array's. Over no cells: nan
// What folds all axes is an array without axes, where NumPy has a number: `s += 0.5` keeps its dtype, and
// s.item<double>() is the value. The last bits of a sum, product or mean of floats depend on how many ranks and
// processors the array is cut over, for each folds its part first; they are the same in every run on as many, and on
// every rank. Integers, min and max do not.
PILUM_API Array sum(const Array& a, Axes axes, bool keepdims,
                    std::source_location where = std::source_location::current());
PILUM_API Array prod(const Array& a, Axes axes, bool keepdims,
                     std::source_location where = std::source_location::current());
PILUM_API Array min(const Array& a, Axes axes, bool keepdims,
                    std::source_location where = std::source_location::current());
PILUM_API Array max(const Array& a, Axes axes, bool keepdims,
                    std::source_location where = std::source_location::current());
PILUM_API Array mean(const Array& a, Axes axes, bool keepdims,
                     std::source_location where = std::source_location::current());
// Without keepdims. Templates, behind sum(a, {.initial = 1}) of fold_options.h: g++ 12 takes what stands in such braces
// for axes, too.
#define PILUM_FOLD_OVER(fold)                                                                                \
  template <int = 0>                                                                                         \
  Array fold(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current()) { \
    return fold(a, axes, false, where);                                                                      \
  }
PILUM_FOLD_OVER(sum)
PILUM_FOLD_OVER(prod)
PILUM_FOLD_OVER(min)
PILUM_FOLD_OVER(max)
PILUM_FOLD_OVER(mean)
#undef PILUM_FOLD_OVER

// Other names of min and max.
inline Array amin(const Array& a, Axes axes = {}, bool keepdims = false,
                  std::source_location where = std::source_location::current()) {
  return min(a, axes, keepdims, where);
}
inline Array amax(const Array& a, Axes axes = {}, bool keepdims = false,
                  std::source_location where = std::source_location::current()) {
  return max(a, axes, keepdims, where);
}

// Of temporaries, whose cells need not be written to memory for it.
inline Array sum(Array&& a, Axes axes, bool keepdims, std::source_location where = std::source_location::current()) {
  return std::move(a).sum(axes, keepdims, where);
}
inline Array prod(Array&& a, Axes axes, bool keepdims, std::source_location where = std::source_location::current()) {
  return std::move(a).prod(axes, keepdims, where);
}
inline Array min(Array&& a, Axes axes, bool keepdims, std::source_location where = std::source_location::current()) {
  return std::move(a).min(axes, keepdims, where);
}
inline Array max(Array&& a, Axes axes, bool keepdims, std::source_location where = std::source_location::current()) {
  return std::move(a).max(axes, keepdims, where);
}
inline Array mean(Array&& a, Axes axes, bool keepdims, std::source_location where = std::source_location::current()) {
  return std::move(a).mean(axes, keepdims, where);
}
#define PILUM_FOLD_OVER(fold)                                                                           \
  template <int = 0>                                                                                    \
  Array fold(Array&& a, Axes axes = {}, std::source_location where = std::source_location::current()) { \
    return std::move(a).fold(axes, false, where);                                                       \
  }
PILUM_FOLD_OVER(sum)
PILUM_FOLD_OVER(prod)
PILUM_FOLD_OVER(min)
PILUM_FOLD_OVER(max)
PILUM_FOLD_OVER(mean)
#undef PILUM_FOLD_OVER

// The array seen with another shape: axes of extent 1 are repeated, and axes are put in front (numpy.broadcast_to). A
// view; writing where it repeats cells throws ValueError. Throws ShapeError where the shape does not fit.
PILUM_API Array broadcast_to(const Array& a, Shape shape, std::source_location where = std::source_location::current());

// The members of these names.
inline Array transpose(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current()) {
  return a.transpose(axes, where);
}
inline Array reshape(const Array& a, Shape shape, std::source_location where = std::source_location::current()) {
  return a.reshape(shape, where);
}

}  // namespace pilum::numeric
