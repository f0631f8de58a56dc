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

/* ---- Shapes and dtypes ---- */

/* A view with the axes in this order; of all, reversed. */
pilum_status pilum_transpose_at(pilum_array a, pilum_axes axes, pilum_array* out, pilum_place place);
#define pilum_transpose(a, axes, out) \
  pilum_transpose_at((a), (axes), (out), PILUM_HERE)

/* A view with axes of extent 1 repeated, and axes put in front. */
pilum_status pilum_broadcast_to_at(pilum_array a, pilum_shape shape, pilum_array* out, pilum_place place);
#define pilum_broadcast_to(a, shape, out) \
  pilum_broadcast_to_at((a), (shape), (out), PILUM_HERE)

/* The same cells, row-major, in another shape; one extent may be -1: what is left. A view where only axes of extent
 * 1 come or go, else a copy. */
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
