// Which dtype an operation computes in and gives: NumPy 2's promotion (NEP 50), with weak numbers.
#pragma once

#include <span>

#include "numeric/errors.h"
#include "pilum/array.h"
#include "runtime/base/scalar.h"

namespace pilum::numeric {

// The dtype that arrays and numbers meet in: arrays promote among themselves, then numbers lift the kind at most.
// Of numbers alone: bool, int64, float64 or complex128.
DType common_dtype(std::span<const Operand* const> operands);
// Of a dtype and numbers, which are weak.
DType weakly_promoted(DType dtype, std::span<const Operand* const> numbers);

// A real number as a scalar of `dtype`, or of the dtype of its parts. DTypeError of a complex one. Throws ValueError
// where the dtype cannot hold it: an integer out of range, a floating one whose integer part is, or is not a number.
// Numbers go to bool by `is not 0`, and lose their fraction.
Scalar to_scalar(const Call& call, const Operand& number, DType dtype);
// The same as numpy.where does it, which makes an array of the number first: an integer is rounded to float32 once.
Scalar to_scalar_at_once(const Call& call, const Operand& number, DType dtype);

// The number as a float64; of a complex one the real part.
double value_of(const Operand& number);

// Whether the number is an integer outside the dtype, an integer one.
bool overflows(const Operand& number, DType dtype);

// NumPy's same_kind: bool -> integer without a sign -> integer with one -> floating -> complex, never back.
bool casts_within_kind(DType from, DType to);

// Floating or complex: what quotients and functions are of as it is.
constexpr bool is_inexact(DType dtype) {
  return is_floating(dtype) || is_complex(dtype);
}

// Throws DTypeError for a complex dtype, in the name of a function that takes real numbers.
void refuse_complex(const Call& call, DType dtype);

// What an integer dtype holds.
struct IntegerRange {
  std::int64_t lowest = 0;
  std::uint64_t highest = 0;
};
IntegerRange range_of(DType dtype);

// What a sum or product of cells has: narrow integers and bools are widened.
constexpr DType total_dtype(DType dtype) {
  return is_inexact(dtype) ? dtype : is_unsigned(dtype) ? DType::UInt64 : DType::Int64;
}

// What functions of floating numbers (sin, hypot, …) compute in and give: of bools and integers of one byte float16, of
// two float32, of other integers float64. A quotient of integers is float64 instead.
DType function_dtype(std::span<const Operand* const> operands);
DType function_dtype(DType dtype);

// What cells are summed in, and whatever takes several operations on the way to one rounding: of float16 float32.
constexpr DType wide_of(DType dtype) {
  return dtype == DType::Float16 ? DType::Float32 : dtype;
}

}  // namespace pilum::numeric
