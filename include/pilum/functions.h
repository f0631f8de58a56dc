// NumPy's universal functions beyond arithmetic: rounding, bits of floats, exponentials, logarithms, trigonometry.
#pragma once

#include <optional>
#include <source_location>
#include <utility>

#include "pilum/export.h"
#include "pilum/math.h"

namespace pilum::numeric {

// All of them take arrays and numbers, broadcast as NumPy does, work cell by cell and make new arrays (NumPy's out= is
// out[all] = sin(a), where= is out[all] = where(mask, sin(a), out), dtype= a cast of what is given,
// sin(a.astype(dtype)): each is one pass over memory). They throw as the operators of math.h do. Of bools and integers
// the functions of floating numbers are float64, of float32 float32; the names are NumPy's, but for erf, erfc, gamma
// and lgamma, which are those of scipy.special.
//
// Elementary functions (all from `exp2` to `lgamma`; power, exp and log of math.h) are at most 1 ulp from the exact
// value over the whole range, in float64 and float32 (in float32 nearly always the nearest number), with the same bits
// on any machine, core or GPU, in any cut. Zeros, infinities and NaNs are as the C standard and the Python array API
// say.
//
// Of complex numbers there are reciprocal, float_power, rint, round, nan_to_num, exp2 to log1p but for cbrt, sin to
// arctanh but for arctan2 and hypot, and sinc (with sqrt, exp, log, power and sign of math.h): special values and sides
// of branch cuts are those of C's Annex G and the array API, and each part is within 5 units in the last place of
// the size of the result. The others throw DTypeError.

// ---- division and remainders

// a / b rounded down: of integers an integer (by 0 it is 0; the least one by -1 wraps), of bools int8, of floats a
// whole number (numpy.floor_divide; Python's a // b).
PILUM_API Array floor_divide(const Operand& a, const Operand& b);
// What C's % and fmod leave: it has the sign of a. By 0 it is 0 of integers, nan of floats; of bools int8
// (numpy.fmod).
PILUM_API Array fmod(const Operand& a, const Operand& b);
// floor_divide(a, b) and a % b (numpy.divmod).
PILUM_API std::pair<Array, Array> divmod(const Operand& a, const Operand& b);
// a to the power of b in float64, whatever their dtypes; of complex ones complex128 (numpy.float_power).
PILUM_API Array float_power(const Operand& a, const Operand& b);
// 1 / a. Of integers rounded towards 0: 0 but for 1 and -1; 0 has 0 here (numpy.reciprocal). Of bools int8.
PILUM_API Array reciprocal(const Operand& a);
// Of integers and bools (int8): the greatest common divisor, never negative but where it does not fit; the least
// common multiple, which wraps (numpy.gcd, lcm). DTypeError of floats.
PILUM_API Array gcd(const Operand& a, const Operand& b);
PILUM_API Array lcm(const Operand& a, const Operand& b);

// ---- bits of integers. DTypeError of floats; of bools int8. Shifted by a negative count, or by as many bits as there
// are, all bits are gone: 0, or -1 of a negative number to the right (numpy.left_shift, right_shift).
PILUM_API Array operator<<(const Operand& a, const Operand& b);
PILUM_API Array operator>>(const Operand& a, const Operand& b);
inline Array left_shift(const Operand& a, const Operand& b) {
  return a << b;
}
inline Array right_shift(const Operand& a, const Operand& b) {
  return a >> b;
}

inline Array bitwise_left_shift(const Operand& a, const Operand& b) {
  return a << b;
}
inline Array bitwise_right_shift(const Operand& a, const Operand& b) {
  return a >> b;
}
// How many bits of the size of a are 1: uint8, of bools too (numpy.bitwise_count).
PILUM_API Array bitwise_count(const Operand& a);

// ---- rounding. floor, ceil and trunc leave integers and bools as they are; a zero has the sign of a.
PILUM_API Array floor(const Operand& a);
PILUM_API Array ceil(const Operand& a);
PILUM_API Array trunc(const Operand& a);
inline Array fix(const Operand& a) {
  return trunc(a);
}
// To the nearest whole number, halves to the even one; of complex numbers each part. Of integers float64 (numpy.rint).
PILUM_API Array rint(const Operand& a);
// To so many decimals, or to tens, hundreds where negative: rint(a * 10^decimals) / 10^decimals, so computed. Integers
// stay integers; bools are float64 (numpy.round, around).
PILUM_API Array round(const Operand& a, int decimals = 0);
inline Array around(const Operand& a, int decimals = 0) {
  return round(a, decimals);
}

// ---- floats taken apart

// The size of a with the sign of b, also of zeros and NaNs (numpy.copysign).
PILUM_API Array copysign(const Operand& a, const Operand& b);
// bool: whether the sign is negative, that of -0.0 too (numpy.signbit).
PILUM_API Array signbit(const Operand& a);
// The next float from a towards b; b where they are equal (numpy.nextafter).
PILUM_API Array nextafter(const Operand& a, const Operand& b);
// a * 2^exponent, rounded once. Exponents are integers or bools, DTypeError of floats (numpy.ldexp).
PILUM_API Array ldexp(const Operand& a, const Operand& exponent);
// The mantissa in [0.5, 1) and the exponent, int32: a = mantissa * 2^exponent. Zeros, infinities and NaNs are their own
// mantissa, with exponent 0 (numpy.frexp).
PILUM_API std::pair<Array, Array> frexp(const Operand& a);
// What is behind the point, and the whole part, both with the sign of a (numpy.modf).
PILUM_API std::pair<Array, Array> modf(const Operand& a);
// bools: infinities of one sign (numpy.isposinf, isneginf).
PILUM_API Array isposinf(const Operand& a);
PILUM_API Array isneginf(const Operand& a);
// nan, inf and -inf replaced, in each part of complex numbers; by default the infinities by the dtype's largest and
// lowest number. Integers and bools are copied (numpy.nan_to_num).
PILUM_API Array nan_to_num(const Operand& a, double nan = 0.0, std::optional<double> posinf = {},
                           std::optional<double> neginf = {});

// ---- choices

// The smaller and the larger one; where one is nan, the other one (numpy.fmin, fmax). Of complex numbers as minimum.
PILUM_API Array fmin(const Operand& a, const Operand& b);
PILUM_API Array fmax(const Operand& a, const Operand& b);
// 0 where a < 0, 1 where a > 0, b where a is 0 (numpy.heaviside).
PILUM_API Array heaviside(const Operand& a, const Operand& b);
// The parts of complex numbers, as new arrays (numpy.real and imag give views: to set one part, assign the sum
// of both). Of real numbers a copy, and zeros.
PILUM_API Array real(const Operand& a);
PILUM_API Array imag(const Operand& a);
// The complex conjugate (numpy.conj, conjugate); of real numbers a copy, of bools int8.
PILUM_API Array conj(const Operand& a);
inline Array conjugate(const Operand& a) {
  return conj(a);
}
// bools: whether the imaginary part is 0, is not 0 (numpy.isreal, iscomplex): of real numbers true, false.
PILUM_API Array isreal(const Operand& a);
PILUM_API Array iscomplex(const Operand& a);
// The angle of complex numbers from the real axis, in radians or, with `deg`, degrees (numpy.angle).
PILUM_API Array angle(const Operand& a, bool deg = false);

// The size as a float (numpy.fabs); abs, named as NumPy's; +a.
PILUM_API Array fabs(const Operand& a);
inline Array absolute(const Operand& a) {
  return abs(a);
}
inline Array positive(const Operand& a) {
  return +a;
}

// ---- exponentials, logarithms, powers

PILUM_API Array exp2(const Operand& a);   // 2^a
PILUM_API Array expm1(const Operand& a);  // e^a - 1
PILUM_API Array log2(const Operand& a);   // -inf of 0, nan of negative numbers, as log10
PILUM_API Array log10(const Operand& a);
PILUM_API Array log1p(const Operand& a);  // log(1 + a)
PILUM_API Array cbrt(const Operand& a);   // the cube root, negative of negative numbers
// log(e^a + e^b), log2(2^a + 2^b). Where the result is near 0 for cancellation, the error is at most 1 ulp of the
// larger operand.
PILUM_API Array logaddexp(const Operand& a, const Operand& b);
PILUM_API Array logaddexp2(const Operand& a, const Operand& b);

// ---- trigonometry, in radians. Arguments of any size are reduced exactly; nan of infinities.
PILUM_API Array sin(const Operand& a);
PILUM_API Array cos(const Operand& a);
PILUM_API Array tan(const Operand& a);
PILUM_API Array arcsin(const Operand& a);  // nan beyond 1, as arccos
PILUM_API Array arccos(const Operand& a);
PILUM_API Array arctan(const Operand& a);
// The angle of the point (x, y), -pi to pi (numpy.arctan2).
PILUM_API Array arctan2(const Operand& y, const Operand& x);
// sqrt(a^2 + b^2) without overflow on the way (numpy.hypot).
PILUM_API Array hypot(const Operand& a, const Operand& b);
PILUM_API Array sinh(const Operand& a);
PILUM_API Array cosh(const Operand& a);
PILUM_API Array tanh(const Operand& a);
PILUM_API Array arcsinh(const Operand& a);
PILUM_API Array arccosh(const Operand& a);  // nan below 1
PILUM_API Array arctanh(const Operand& a);  // nan beyond 1
// sin(pi a) / (pi a), 1 at 0 (numpy.sinc).
PILUM_API Array sinc(const Operand& a);
// Radians as degrees and back: a times 180/pi, pi/180 (numpy.degrees, radians).
PILUM_API Array degrees(const Operand& a);
PILUM_API Array radians(const Operand& a);
inline Array rad2deg(const Operand& a) {
  return degrees(a);
}
inline Array deg2rad(const Operand& a) {
  return radians(a);
}
// The array API's names.
inline Array asin(const Operand& a) {
  return arcsin(a);
}
inline Array acos(const Operand& a) {
  return arccos(a);
}
inline Array atan(const Operand& a) {
  return arctan(a);
}
inline Array atan2(const Operand& y, const Operand& x) {
  return arctan2(y, x);
}
inline Array asinh(const Operand& a) {
  return arcsinh(a);
}
inline Array acosh(const Operand& a) {
  return arccosh(a);
}
inline Array atanh(const Operand& a) {
  return arctanh(a);
}
inline Array pow(const Operand& a, const Operand& b) {
  return power(a, b);
}

// ---- special functions

// The error function, and 1 less it without cancellation (scipy.special.erf, erfc).
PILUM_API Array erf(const Operand& a);
PILUM_API Array erfc(const Operand& a);
// The gamma function: inf of 0.0, -inf of -0.0, nan of negative whole numbers (scipy.special.gamma). And the logarithm
// of its size, inf of those (scipy.special.gammaln), named as C's; below 0 its error is at most 1 ulp of the larger one
// of itself and 1.
PILUM_API Array gamma(const Operand& a);
PILUM_API Array lgamma(const Operand& a);
// The modified Bessel function of the first kind, of order 0: within 4 ulps (numpy.i0; computed in float64). Of float16
// and float32 it is of these.
PILUM_API Array i0(const Operand& a);

}  // namespace pilum::numeric
