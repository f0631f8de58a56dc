/* Written by numeric/c_interface/generate.py from functions.txt. */
#ifndef PILUM_C_FUNCTIONS_H
#define PILUM_C_FUNCTIONS_H

#include "pilum/c_types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Of each the macro is what programs call: it takes arrays and numbers alike, and the line it is written on. The
 * functions, with _at, are what other languages bind to. `*out` gets a new handle, or NULL where there is an error;
 * release it with pilum_release. docs/c_interface.md says more. */

/* ---- Arrays from nothing ---- */

/* Zeros, as numpy.zeros. */
pilum_status pilum_zeros_at(pilum_shape shape, pilum_dtype dtype, pilum_array* out, pilum_place place);
#define pilum_zeros(shape, dtype, out) \
  pilum_zeros_at((shape), (dtype), (out), PILUM_HERE)

/* Ones, as numpy.ones. */
pilum_status pilum_ones_at(pilum_shape shape, pilum_dtype dtype, pilum_array* out, pilum_place place);
#define pilum_ones(shape, dtype, out) \
  pilum_ones_at((shape), (dtype), (out), PILUM_HERE)

/* Cells that hold anything, as numpy.empty. */
pilum_status pilum_empty_at(pilum_shape shape, pilum_dtype dtype, pilum_array* out, pilum_place place);
#define pilum_empty(shape, dtype, out) \
  pilum_empty_at((shape), (dtype), (out), PILUM_HERE)

/* Every cell is `value`, or an array broadcast to the shape, as numpy.full. */
pilum_status pilum_full_at(pilum_shape shape, pilum_operand value, pilum_dtype dtype, pilum_array* out,
    pilum_place place);
#define pilum_full(shape, value, dtype, out) \
  pilum_full_at((shape), PILUM_OPERAND(value), (dtype), (out), PILUM_HERE)

/* start, start + step, … up to but not including stop, as numpy.arange. */
pilum_status pilum_arange_at(pilum_operand start, pilum_operand stop, pilum_operand step, pilum_dtype dtype,
    pilum_array* out, pilum_place place);
#define pilum_arange(start, stop, step, dtype, out) \
  pilum_arange_at(PILUM_OPERAND(start), PILUM_OPERAND(stop), PILUM_OPERAND(step), (dtype), (out), PILUM_HERE)

/* `count` numbers from start to stop, evenly spaced, as numpy.linspace. */
pilum_status pilum_linspace_at(double start, double stop, int64_t count, bool endpoint, pilum_dtype dtype,
    pilum_array* out, pilum_place place);
#define pilum_linspace(start, stop, count, endpoint, dtype, out) \
  pilum_linspace_at((start), (stop), (count), (endpoint), (dtype), (out), PILUM_HERE)

/* ---- Arithmetic, cell by cell: operands are broadcast as NumPy does ---- */

/* a + b; of bools their logical or. */
pilum_status pilum_add_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_add(a, b, out) \
  pilum_add_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* a - b. */
pilum_status pilum_subtract_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_subtract(a, b, out) \
  pilum_subtract_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* a * b; of bools their logical and. */
pilum_status pilum_multiply_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_multiply(a, b, out) \
  pilum_multiply_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* a / b; of integers and bools a float64. */
pilum_status pilum_divide_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_divide(a, b, out) \
  pilum_divide_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* a to the power of b, as numpy.power. */
pilum_status pilum_power_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_power(a, b, out) \
  pilum_power_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* -a. */
pilum_status pilum_negative_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_negative(a, out) \
  pilum_negative_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The absolute value. */
pilum_status pilum_abs_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_abs(a, out) \
  pilum_abs_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The square root. */
pilum_status pilum_sqrt_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_sqrt(a, out) \
  pilum_sqrt_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* e to the power of a. */
pilum_status pilum_exp_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_exp(a, out) \
  pilum_exp_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The natural logarithm. */
pilum_status pilum_log_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_log(a, out) \
  pilum_log_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The smaller one; nan where either is nan. */
pilum_status pilum_minimum_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_minimum(a, b, out) \
  pilum_minimum_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* The larger one; nan where either is nan. */
pilum_status pilum_maximum_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_maximum(a, b, out) \
  pilum_maximum_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* condition ? a : b, cell by cell. */
pilum_status pilum_where_at(pilum_operand condition, pilum_operand a, pilum_operand b, pilum_array* out,
    pilum_place place);
#define pilum_where(condition, a, b, out) \
  pilum_where_at(PILUM_OPERAND(condition), PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* ---- Functions, cell by cell: floating results, of integers and bools float64 ---- */

/* The whole number below, as numpy.floor. */
pilum_status pilum_floor_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_floor(a, out) \
  pilum_floor_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The whole number above. */
pilum_status pilum_ceil_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_ceil(a, out) \
  pilum_ceil_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* What is before the point. */
pilum_status pilum_trunc_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_trunc(a, out) \
  pilum_trunc_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The nearest whole number, halves to the even one. */
pilum_status pilum_rint_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_rint(a, out) \
  pilum_rint_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* 1 / a. */
pilum_status pilum_reciprocal_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_reciprocal(a, out) \
  pilum_reciprocal_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* a * a. */
pilum_status pilum_square_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_square(a, out) \
  pilum_square_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* -1, 0 or 1; nan of nan. */
pilum_status pilum_sign_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_sign(a, out) \
  pilum_sign_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* A copy, as numpy.positive. */
pilum_status pilum_positive_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_positive(a, out) \
  pilum_positive_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The absolute value as a float. */
pilum_status pilum_fabs_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_fabs(a, out) \
  pilum_fabs_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The real parts, as new cells; of real numbers a copy. */
pilum_status pilum_real_part_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_real_part(a, out) \
  pilum_real_part_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The imaginary parts, as new cells; of real numbers zeros. */
pilum_status pilum_imag_part_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_imag_part(a, out) \
  pilum_imag_part_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The complex conjugate; of real numbers a copy. */
pilum_status pilum_conj_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_conj(a, out) \
  pilum_conj_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The angle of complex numbers from the real axis. */
pilum_status pilum_angle_at(pilum_operand a, bool deg, pilum_array* out, pilum_place place);
#define pilum_angle(a, deg, out) \
  pilum_angle_at(PILUM_OPERAND(a), (deg), (out), PILUM_HERE)

/* Where the sign is negative, that of -0.0 too: bools. */
pilum_status pilum_signbit_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_signbit(a, out) \
  pilum_signbit_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* Where a is not a number. */
pilum_status pilum_isnan_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_isnan(a, out) \
  pilum_isnan_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* Where a is neither infinite nor nan. */
pilum_status pilum_isfinite_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_isfinite(a, out) \
  pilum_isfinite_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* Where a is infinite. */
pilum_status pilum_isinf_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_isinf(a, out) \
  pilum_isinf_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* Where a is inf. */
pilum_status pilum_isposinf_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_isposinf(a, out) \
  pilum_isposinf_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* Where a is -inf. */
pilum_status pilum_isneginf_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_isneginf(a, out) \
  pilum_isneginf_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* nan as 0, infinities as the largest numbers. */
pilum_status pilum_nan_to_num_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_nan_to_num(a, out) \
  pilum_nan_to_num_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The mantissa of numpy.frexp, in [0.5, 1). */
pilum_status pilum_frexp_mantissa_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_frexp_mantissa(a, out) \
  pilum_frexp_mantissa_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The exponent of numpy.frexp, an int32. */
pilum_status pilum_frexp_exponent_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_frexp_exponent(a, out) \
  pilum_frexp_exponent_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* What is behind the point, of numpy.modf. */
pilum_status pilum_modf_part_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_modf_part(a, out) \
  pilum_modf_part_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The whole part, of numpy.modf. */
pilum_status pilum_modf_whole_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_modf_whole(a, out) \
  pilum_modf_whole_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* 2 to the power of a. */
pilum_status pilum_exp2_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_exp2(a, out) \
  pilum_exp2_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* e to the power of a, less 1. */
pilum_status pilum_expm1_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_expm1(a, out) \
  pilum_expm1_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The logarithm to the base 2. */
pilum_status pilum_log2_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_log2(a, out) \
  pilum_log2_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The logarithm to the base 10. */
pilum_status pilum_log10_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_log10(a, out) \
  pilum_log10_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The natural logarithm of 1 + a. */
pilum_status pilum_log1p_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_log1p(a, out) \
  pilum_log1p_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The cube root. */
pilum_status pilum_cbrt_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_cbrt(a, out) \
  pilum_cbrt_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The sine, of radians. */
pilum_status pilum_sin_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_sin(a, out) \
  pilum_sin_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The cosine, of radians. */
pilum_status pilum_cos_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_cos(a, out) \
  pilum_cos_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The tangent, of radians. */
pilum_status pilum_tan_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_tan(a, out) \
  pilum_tan_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The inverse sine; nan beyond 1. */
pilum_status pilum_arcsin_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_arcsin(a, out) \
  pilum_arcsin_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The inverse cosine; nan beyond 1. */
pilum_status pilum_arccos_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_arccos(a, out) \
  pilum_arccos_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The inverse tangent. */
pilum_status pilum_arctan_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_arctan(a, out) \
  pilum_arctan_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The hyperbolic sine. */
pilum_status pilum_sinh_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_sinh(a, out) \
  pilum_sinh_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The hyperbolic cosine. */
pilum_status pilum_cosh_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_cosh(a, out) \
  pilum_cosh_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The hyperbolic tangent. */
pilum_status pilum_tanh_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_tanh(a, out) \
  pilum_tanh_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The inverse hyperbolic sine. */
pilum_status pilum_arcsinh_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_arcsinh(a, out) \
  pilum_arcsinh_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The inverse hyperbolic cosine; nan below 1. */
pilum_status pilum_arccosh_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_arccosh(a, out) \
  pilum_arccosh_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The inverse hyperbolic tangent; nan beyond 1. */
pilum_status pilum_arctanh_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_arctanh(a, out) \
  pilum_arctanh_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* sin(pi a) / (pi a), 1 at 0. */
pilum_status pilum_sinc_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_sinc(a, out) \
  pilum_sinc_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* Radians as degrees. */
pilum_status pilum_degrees_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_degrees(a, out) \
  pilum_degrees_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* Degrees as radians. */
pilum_status pilum_radians_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_radians(a, out) \
  pilum_radians_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The error function. */
pilum_status pilum_erf_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_erf(a, out) \
  pilum_erf_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* 1 less the error function. */
pilum_status pilum_erfc_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_erfc(a, out) \
  pilum_erfc_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The gamma function. */
pilum_status pilum_gamma_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_gamma(a, out) \
  pilum_gamma_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The logarithm of the gamma function's size. */
pilum_status pilum_lgamma_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_lgamma(a, out) \
  pilum_lgamma_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* a / b rounded down, as Python's //; by 0 it is 0 of integers. */
pilum_status pilum_floor_divide_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_floor_divide(a, b, out) \
  pilum_floor_divide_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* What is left of a division rounded down; it has the sign of b. */
pilum_status pilum_remainder_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_remainder(a, b, out) \
  pilum_remainder_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* What C's fmod leaves; it has the sign of a. */
pilum_status pilum_fmod_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_fmod(a, b, out) \
  pilum_fmod_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* a to the power of b in float64. */
pilum_status pilum_float_power_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_float_power(a, b, out) \
  pilum_float_power_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* The size of a with the sign of b. */
pilum_status pilum_copysign_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_copysign(a, b, out) \
  pilum_copysign_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* The next float from a towards b. */
pilum_status pilum_nextafter_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_nextafter(a, b, out) \
  pilum_nextafter_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* The smaller one; the other one where one is nan. */
pilum_status pilum_fmin_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_fmin(a, b, out) \
  pilum_fmin_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* The larger one; the other one where one is nan. */
pilum_status pilum_fmax_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_fmax(a, b, out) \
  pilum_fmax_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* 0 below 0, 1 above, b at 0. */
pilum_status pilum_heaviside_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_heaviside(a, b, out) \
  pilum_heaviside_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* sqrt(a * a + b * b) without overflow on the way. */
pilum_status pilum_hypot_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_hypot(a, b, out) \
  pilum_hypot_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* The angle of the point (b, a). */
pilum_status pilum_arctan2_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_arctan2(a, b, out) \
  pilum_arctan2_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* log(exp(a) + exp(b)). */
pilum_status pilum_logaddexp_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_logaddexp(a, b, out) \
  pilum_logaddexp_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* log2(2**a + 2**b). */
pilum_status pilum_logaddexp2_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_logaddexp2(a, b, out) \
  pilum_logaddexp2_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* a times 2 to the power of an integer. */
pilum_status pilum_ldexp_at(pilum_operand a, pilum_operand exponent, pilum_array* out, pilum_place place);
#define pilum_ldexp(a, exponent, out) \
  pilum_ldexp_at(PILUM_OPERAND(a), PILUM_OPERAND(exponent), (out), PILUM_HERE)

/* Bits moved to the left; none is left by a negative count, or by all bits there are. */
pilum_status pilum_left_shift_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_left_shift(a, b, out) \
  pilum_left_shift_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* Bits moved to the right. */
pilum_status pilum_right_shift_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_right_shift(a, b, out) \
  pilum_right_shift_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* Bit by bit, of bools the logic. */
pilum_status pilum_bitwise_and_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_bitwise_and(a, b, out) \
  pilum_bitwise_and_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* Bit by bit, of bools the logic. */
pilum_status pilum_bitwise_or_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_bitwise_or(a, b, out) \
  pilum_bitwise_or_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* Bit by bit, of bools the logic. */
pilum_status pilum_bitwise_xor_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_bitwise_xor(a, b, out) \
  pilum_bitwise_xor_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* The greatest common divisor of integers. */
pilum_status pilum_gcd_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_gcd(a, b, out) \
  pilum_gcd_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* The least common multiple of integers. */
pilum_status pilum_lcm_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_lcm(a, b, out) \
  pilum_lcm_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* To so many decimals, halves to the even one. */
pilum_status pilum_round_at(pilum_operand a, int64_t decimals, pilum_array* out, pilum_place place);
#define pilum_round(a, decimals, out) \
  pilum_round_at(PILUM_OPERAND(a), (decimals), (out), PILUM_HERE)

/* Every bit's other one, of bools the logic. */
pilum_status pilum_invert_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_invert(a, out) \
  pilum_invert_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* Where a is 0. */
pilum_status pilum_logical_not_at(pilum_operand a, pilum_array* out, pilum_place place);
#define pilum_logical_not(a, out) \
  pilum_logical_not_at(PILUM_OPERAND(a), (out), PILUM_HERE)

/* The logic of what is not 0. */
pilum_status pilum_logical_and_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_logical_and(a, b, out) \
  pilum_logical_and_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* The logic of what is not 0. */
pilum_status pilum_logical_or_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_logical_or(a, b, out) \
  pilum_logical_or_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* The logic of what is not 0. */
pilum_status pilum_logical_xor_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_logical_xor(a, b, out) \
  pilum_logical_xor_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* ---- Comparisons: arrays of bools ---- */

/* Where a is b. */
pilum_status pilum_equal_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_equal(a, b, out) \
  pilum_equal_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* Where a is not b. */
pilum_status pilum_not_equal_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_not_equal(a, b, out) \
  pilum_not_equal_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* Where a is below b. */
pilum_status pilum_less_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_less(a, b, out) \
  pilum_less_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* Where a is b or below it. */
pilum_status pilum_less_equal_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_less_equal(a, b, out) \
  pilum_less_equal_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* Where a is above b. */
pilum_status pilum_greater_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_greater(a, b, out) \
  pilum_greater_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* Where a is b or above it. */
pilum_status pilum_greater_equal_at(pilum_operand a, pilum_operand b, pilum_array* out, pilum_place place);
#define pilum_greater_equal(a, b, out) \
  pilum_greater_equal_at(PILUM_OPERAND(a), PILUM_OPERAND(b), (out), PILUM_HERE)

/* ---- Reductions: of the axes given, or of all; with keepdims these stay, with extent 1 ---- */

/* The sum; of bool and int32 an int64. */
pilum_status pilum_sum_at(pilum_array a, pilum_axes axes, bool keepdims, pilum_array* out, pilum_place place);
#define pilum_sum(a, axes, keepdims, out) \
  pilum_sum_at((a), (axes), (keepdims), (out), PILUM_HERE)

/* The product; of bool and int32 an int64. */
pilum_status pilum_prod_at(pilum_array a, pilum_axes axes, bool keepdims, pilum_array* out, pilum_place place);
#define pilum_prod(a, axes, keepdims, out) \
  pilum_prod_at((a), (axes), (keepdims), (out), PILUM_HERE)

/* The smallest; nan where a cell is nan. */
pilum_status pilum_min_at(pilum_array a, pilum_axes axes, bool keepdims, pilum_array* out, pilum_place place);
#define pilum_min(a, axes, keepdims, out) \
  pilum_min_at((a), (axes), (keepdims), (out), PILUM_HERE)

/* The largest; nan where a cell is nan. */
pilum_status pilum_max_at(pilum_array a, pilum_axes axes, bool keepdims, pilum_array* out, pilum_place place);
#define pilum_max(a, axes, keepdims, out) \
  pilum_max_at((a), (axes), (keepdims), (out), PILUM_HERE)

/* The mean; of integers and bools a float64. */
pilum_status pilum_mean_at(pilum_array a, pilum_axes axes, bool keepdims, pilum_array* out, pilum_place place);
#define pilum_mean(a, axes, keepdims, out) \
  pilum_mean_at((a), (axes), (keepdims), (out), PILUM_HERE)

/* ---- Products: of matrices, in Fortran as its own matmul, with the axes as they stand there ---- */

/* The product of matrices, of a matrix and a vector, or of batches of them, as numpy.matmul. */
pilum_status pilum_matmul_at(pilum_array a, pilum_array b, pilum_array* out, pilum_place place);
#define pilum_matmul(a, b, out) \
  pilum_matmul_at((a), (b), (out), PILUM_HERE)

/* The sum over the last axis of a and the last but one of b, or its only one, as numpy.dot; in Fortran the first
 * but one. */
pilum_status pilum_dot_at(pilum_array a, pilum_array b, pilum_array* out, pilum_place place);
#define pilum_dot(a, b, out) \
  pilum_dot_at((a), (b), (out), PILUM_HERE)

/* The sum of the products of all cells. */
pilum_status pilum_vdot_at(pilum_array a, pilum_array b, pilum_array* out, pilum_place place);
#define pilum_vdot(a, b, out) \
  pilum_vdot_at((a), (b), (out), PILUM_HERE)

/* Each cell of a by each of b. */
pilum_status pilum_outer_at(pilum_array a, pilum_array b, pilum_array* out, pilum_place place);
#define pilum_outer(a, b, out) \
  pilum_outer_at((a), (b), (out), PILUM_HERE)

/* The sum over the last axes of a and the first of b, so many. */
pilum_status pilum_tensordot_at(pilum_array a, pilum_array b, int64_t axes, pilum_array* out, pilum_place place);
#define pilum_tensordot(a, b, axes, out) \
  pilum_tensordot_at((a), (b), (axes), (out), PILUM_HERE)

/* The sum of the diagonal of a matrix. */
pilum_status pilum_trace_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_trace(a, out) \
  pilum_trace_at((a), (out), PILUM_HERE)

/* The root of the sum of the squares of all cells. */
pilum_status pilum_norm_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_norm(a, out) \
  pilum_norm_at((a), (out), PILUM_HERE)

/* ---- Matrices, transforms and sets: by OpenBLAS and FFTW 3, which are opened at run time ---- */

/* The inverse of square matrices, as numpy.linalg.inv; a singular one is an error at the next wait. */
pilum_status pilum_inv_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_inv(a, out) \
  pilum_inv_at((a), (out), PILUM_HERE)

/* The determinants. */
pilum_status pilum_det_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_det(a, out) \
  pilum_det_at((a), (out), PILUM_HERE)

/* The eigenvalues of symmetric matrices, rising. */
pilum_status pilum_eigvalsh_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_eigvalsh(a, out) \
  pilum_eigvalsh_at((a), (out), PILUM_HERE)

/* The singular values, falling. */
pilum_status pilum_svdvals_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_svdvals(a, out) \
  pilum_svdvals_at((a), (out), PILUM_HERE)

/* x with a x = b, as numpy.linalg.solve; of transposed matrices, as Fortran's are in C, x is so, too. A singular
 * matrix is an error at the next wait. */
pilum_status pilum_solve_at(pilum_array a, pilum_array b, bool transposed, pilum_array* out, pilum_place place);
#define pilum_solve(a, b, transposed, out) \
  pilum_solve_at((a), (b), (transposed), (out), PILUM_HERE)

/* The pseudo-inverse. */
pilum_status pilum_pinv_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_pinv(a, out) \
  pilum_pinv_at((a), (out), PILUM_HERE)

/* The x with the least sum of squares of b - a x, as the first result of numpy.linalg.lstsq. */
pilum_status pilum_lstsq_at(pilum_array a, pilum_array b, bool transposed, pilum_array* out, pilum_place place);
#define pilum_lstsq(a, b, transposed, out) \
  pilum_lstsq_at((a), (b), (transposed), (out), PILUM_HERE)

/* L with L Lᴴ = a, the other triangle of which is not read. */
pilum_status pilum_cholesky_at(pilum_array a, bool transposed, pilum_array* out, pilum_place place);
#define pilum_cholesky(a, transposed, out) \
  pilum_cholesky_at((a), (transposed), (out), PILUM_HERE)

/* a by itself, n times; of negative ones the inverse. */
pilum_status pilum_matrix_power_at(pilum_array a, int64_t n, pilum_array* out, pilum_place place);
#define pilum_matrix_power(a, n, out) \
  pilum_matrix_power_at((a), (n), (out), PILUM_HERE)

/* Q of Q R = a, with orthonormal columns. */
pilum_status pilum_qr_q_at(pilum_array a, bool transposed, pilum_array* out, pilum_place place);
#define pilum_qr_q(a, transposed, out) \
  pilum_qr_q_at((a), (transposed), (out), PILUM_HERE)

/* R of Q R = a, an upper triangle. */
pilum_status pilum_qr_r_at(pilum_array a, bool transposed, pilum_array* out, pilum_place place);
#define pilum_qr_r(a, transposed, out) \
  pilum_qr_r_at((a), (transposed), (out), PILUM_HERE)

/* U of U diag(S) Vᴴ = a, with a column for each singular value; S is svdvals. */
pilum_status pilum_svd_u_at(pilum_array a, bool transposed, pilum_array* out, pilum_place place);
#define pilum_svd_u(a, transposed, out) \
  pilum_svd_u_at((a), (transposed), (out), PILUM_HERE)

/* Vᴴ of the same, with a row for each. */
pilum_status pilum_svd_vh_at(pilum_array a, bool transposed, pilum_array* out, pilum_place place);
#define pilum_svd_vh(a, transposed, out) \
  pilum_svd_vh_at((a), (transposed), (out), PILUM_HERE)

/* The eigenvectors of symmetric matrices as columns, in the order of eigvalsh. */
pilum_status pilum_eigh_vectors_at(pilum_array a, bool transposed, pilum_array* out, pilum_place place);
#define pilum_eigh_vectors(a, transposed, out) \
  pilum_eigh_vectors_at((a), (transposed), (out), PILUM_HERE)

/* The eigenvalues of any square matrices, complex. */
pilum_status pilum_eigvals_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_eigvals(a, out) \
  pilum_eigvals_at((a), (out), PILUM_HERE)

/* The discrete Fourier transform along the last axis, in Fortran the first, as numpy.fft.fft; fftn takes any. */
pilum_status pilum_fft_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_fft(a, out) \
  pilum_fft_at((a), (out), PILUM_HERE)

/* Its inverse. */
pilum_status pilum_ifft_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_ifft(a, out) \
  pilum_ifft_at((a), (out), PILUM_HERE)

/* Of n real numbers the first n / 2 + 1 of fft's. */
pilum_status pilum_rfft_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_rfft(a, out) \
  pilum_rfft_at((a), (out), PILUM_HERE)

/* Back to n real numbers. */
pilum_status pilum_irfft_at(pilum_array a, int64_t n, pilum_array* out, pilum_place place);
#define pilum_irfft(a, n, out) \
  pilum_irfft_at((a), (n), (out), PILUM_HERE)

/* The discrete Fourier transform along these axes, as numpy.fft.fftn. */
pilum_status pilum_fftn_at(pilum_array a, pilum_axes axes, pilum_array* out, pilum_place place);
#define pilum_fftn(a, axes, out) \
  pilum_fftn_at((a), (axes), (out), PILUM_HERE)

/* Its inverse. */
pilum_status pilum_ifftn_at(pilum_array a, pilum_axes axes, pilum_array* out, pilum_place place);
#define pilum_ifftn(a, axes, out) \
  pilum_ifftn_at((a), (axes), (out), PILUM_HERE)

/* Each cell of a times all of b, side by side. */
pilum_status pilum_kron_at(pilum_array a, pilum_array b, pilum_array* out, pilum_place place);
#define pilum_kron(a, b, out) \
  pilum_kron_at((a), (b), (out), PILUM_HERE)

/* What goes straight from place (xp, fp) to place, at x. */
pilum_status pilum_interp_at(pilum_operand x, pilum_array xp, pilum_array fp, pilum_array* out, pilum_place place);
#define pilum_interp(x, xp, fp, out) \
  pilum_interp_at(PILUM_OPERAND(x), (xp), (fp), (out), PILUM_HERE)

/* Whether each cell is one of those. */
pilum_status pilum_isin_at(pilum_operand a, pilum_array among, pilum_array* out, pilum_place place);
#define pilum_isin(a, among, out) \
  pilum_isin_at(PILUM_OPERAND(a), (among), (out), PILUM_HERE)

/* What is in either array, sorted. */
pilum_status pilum_union1d_at(pilum_array a, pilum_array b, pilum_array* out, pilum_place place);
#define pilum_union1d(a, b, out) \
  pilum_union1d_at((a), (b), (out), PILUM_HERE)

/* What is in both, sorted. */
pilum_status pilum_intersect1d_at(pilum_array a, pilum_array b, pilum_array* out, pilum_place place);
#define pilum_intersect1d(a, b, out) \
  pilum_intersect1d_at((a), (b), (out), PILUM_HERE)

/* What is in the first alone, sorted. */
pilum_status pilum_setdiff1d_at(pilum_array a, pilum_array b, pilum_array* out, pilum_place place);
#define pilum_setdiff1d(a, b, out) \
  pilum_setdiff1d_at((a), (b), (out), PILUM_HERE)

/* ---- Shapes and dtypes ---- */

/* A view with the axes in this order; of all, reversed. */
pilum_status pilum_transpose_at(pilum_array a, pilum_axes axes, pilum_array* out, pilum_place place);
#define pilum_transpose(a, axes, out) \
  pilum_transpose_at((a), (axes), (out), PILUM_HERE)

/* A view with axes of extent 1 repeated, and axes put in front. */
pilum_status pilum_broadcast_to_at(pilum_array a, pilum_shape shape, pilum_array* out, pilum_place place);
#define pilum_broadcast_to(a, shape, out) \
  pilum_broadcast_to_at((a), (shape), (out), PILUM_HERE)

/* The same cells, row-major, in another shape; one extent may be -1: what is left. A view where numpy.reshape gives
 * one, else a copy. */
pilum_status pilum_reshape_at(pilum_array a, pilum_shape shape, pilum_array* out, pilum_place place);
#define pilum_reshape(a, shape, out) \
  pilum_reshape_at((a), (shape), (out), PILUM_HERE)

/* A new array with these cells, cast as C does (to bool: is not 0). */
pilum_status pilum_astype_at(pilum_array a, pilum_dtype dtype, pilum_array* out, pilum_place place);
#define pilum_astype(a, dtype, out) \
  pilum_astype_at((a), (dtype), (out), PILUM_HERE)

/* A new array with these cells. */
pilum_status pilum_copy_at(pilum_array a, pilum_array* out, pilum_place place);
#define pilum_copy(a, out) \
  pilum_copy_at((a), (out), PILUM_HERE)

/* ---- Writing: views of the same cells see it ---- */

/* target[...] = value: broadcast to its shape, cast to its dtype. */
pilum_status pilum_assign_at(pilum_array target, pilum_operand value, pilum_place place);
#define pilum_assign(target, value) \
  pilum_assign_at((target), PILUM_OPERAND(value), PILUM_HERE)

/* target += value. */
pilum_status pilum_add_assign_at(pilum_array target, pilum_operand value, pilum_place place);
#define pilum_add_assign(target, value) \
  pilum_add_assign_at((target), PILUM_OPERAND(value), PILUM_HERE)

/* target -= value. */
pilum_status pilum_subtract_assign_at(pilum_array target, pilum_operand value, pilum_place place);
#define pilum_subtract_assign(target, value) \
  pilum_subtract_assign_at((target), PILUM_OPERAND(value), PILUM_HERE)

/* target *= value. */
pilum_status pilum_multiply_assign_at(pilum_array target, pilum_operand value, pilum_place place);
#define pilum_multiply_assign(target, value) \
  pilum_multiply_assign_at((target), PILUM_OPERAND(value), PILUM_HERE)

/* target /= value. */
pilum_status pilum_divide_assign_at(pilum_array target, pilum_operand value, pilum_place place);
#define pilum_divide_assign(target, value) \
  pilum_divide_assign_at((target), PILUM_OPERAND(value), PILUM_HERE)

#pragma GCC visibility pop
#ifdef __cplusplus
}  /* extern "C" */
#endif

#endif
