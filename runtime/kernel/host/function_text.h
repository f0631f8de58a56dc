// The functions that kernels call, as C++ source: one text for numbers, vectors and GPUs. Private to the emitter.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "runtime/kernel/host/host_types.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {

// One function, or one helper of theirs, as it is written once for each type that calls it. In a text
//   F     the type that is worked with, a number or a vector of them; E is one element of it
//   I, U  signed and unsigned integers of its size, EI and EU their elements
//   M     what a comparison gives: bool, or a vector of 0 and -1
//   P     a pair: the sum of two F, `h` and the much smaller `l`
//   K(x), KI(x), KU(x)   a constant in every lane
//   BITS(f), FLOAT(u)    a float's bits, and back; TO_F(i) converts
//   FMA(a, b, c), ROOT(f); ALL_OF(m), of texts that need all_of
//   LN2 and others, with what is left of the number behind them: LN2_LOW; of SHORT_LN2 multiples by exponents are exact
//   HALF_ROOT   the bits of sqrt(1/2), shortened: mantissas begin there
//   EXP_END     e to the power of it is too large
//   SMALL       of x below it the third term of a series of odd powers is far below x's last bit
//   FAR_ANGLE, FAR_UP   where an angle is brought nearer another way; what brings extreme numbers nearer to 1
//   DIGITS, BIAS, SIGN, EXPONENT, INFINITE, NOT_A_NUMBER, BIG (2^DIGITS), VECTOR, LANES; of integers WIDTH
struct FunctionText {
  std::string_view name;
  std::string_view needs;  // names of other texts, blanks between them; a leading # asks for the form of numbers
  std::string_view text;
};

std::span<const FunctionText> exact_texts();  // of floats
std::span<const FunctionText> integer_texts();
std::span<const FunctionText> unsigned_texts();  // of integers without a sign, where they differ
std::span<const FunctionText> random_texts();    // of int64
std::span<const FunctionText> normal_texts();    // of int64, giving float64
std::span<const FunctionText> pair_texts();      // of floats, from here on: both widths
std::span<const FunctionText> exponential_texts();
std::span<const FunctionText> logarithm_texts();
std::span<const FunctionText> trigonometric_texts();
std::span<const FunctionText> inverse_texts();
std::span<const FunctionText> narrow_texts();  // float32's own
std::span<const FunctionText> narrow_exp_log_texts();
std::span<const FunctionText> wide_texts();  // float64's own
std::span<const FunctionText> wide_exp_log_texts();
std::span<const FunctionText> special_texts();
std::span<const FunctionText> of_float_texts();  // of float64, whose results float32 keeps: "hypot_of_float"

// What an op is called in kernels' texts.
const char* function_name(Op op);

// The functions that a kernel calls of one dtype.
struct FunctionCall {
  Op op = Op::Exp;
  DType dtype = DType::Float64;
  bool numbers = false, vectors = false;  // in which forms
};
// The dtypes whose integers and floats the texts need types of: those of the calls, and Float64 where float32 calls it.
bool needs_words(const std::vector<FunctionCall>& calls, DType dtype);
bool needs_type(const std::vector<FunctionCall>& calls, DType dtype);
// What stands outside of the kernel's namespace.
void write_library_declarations(SourceText& text, const std::vector<FunctionCall>& calls);
void write_functions(SourceText& text, const HostPlan& plan, const std::vector<FunctionCall>& calls);

}  // namespace pilum::kernel
