! Every function and operator of the Fortran module; expected are literals. Runs on any number of ranks.
#include "pilum_lines.h"
program every_function
  use, intrinsic :: iso_c_binding, only: c_bool
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64, error_unit
  use pilum
  implicit none

  integer :: failures = 0
  type(pilum_runtime) :: runtime
  character(32) :: argument

  call pilum_runtime_create(runtime)
  call get_command_argument(1, argument)
  if (argument == 'stop') call stop_with_a_message()
  call test_creation()
  call test_operators()
  call test_functions()
  call test_elementwise()
  call test_reductions()
  call test_shapes()
  call test_products()
  call test_factors()
  call test_sets()
  call test_views()
  call test_memory()
  call test_errors()
  call test_handles()
  if (pilum_rank(runtime) < 0 .or. pilum_rank(runtime) >= pilum_ranks(runtime)) call fail('rank')
  if (pilum_cores(runtime) < 1) call fail('cores')
  call pilum_wait(runtime)
  if (pilum_live_arrays() /= 0) call fail('arrays were not let go of')
  if (failures == 0) print '(a, i0, a)', 'ranks ', pilum_ranks(runtime), ': all is well'
  call pilum_runtime_destroy(runtime)
  if (failures > 0) error stop

contains

  subroutine fail(what)
    character(*), intent(in) :: what
    failures = failures + 1
    write (error_unit, '(a)') what
  end subroutine

  ! The cells in the order of Fortran's memory, and the shape in Fortran's order.
  subroutine expect(array, shape, dtype, cells, what)
    type(pilum_array), intent(in) :: array
    integer, intent(in) :: shape(:), dtype
    real(real64), intent(in) :: cells(:)
    character(*), intent(in) :: what
    type(pilum_array) :: named
    real(real64) :: found(size(cells))
    named = array
    if (pilum_dtype(named) /= dtype) call fail(what // ': another dtype')
    if (size(pilum_shape(named)) /= size(shape)) then
      call fail(what // ': another number of axes')
    else if (any(pilum_shape(named) /= shape)) then
      call fail(what // ': another shape')
    end if
    if (pilum_size(named) /= size(cells)) then
      call fail(what // ': another number of cells')
      return
    end if
    call pilum_to_memory(pilum_astype(named, pilum_float64), found)
    if (any(found /= cells)) then
      call fail(what // ': other cells')
      write (error_unit, *) found
    end if
  end subroutine

  ! 0 1 2, then 3 4 5: of shape 3 × 2, as Fortran says.
  function table() result(out)
    type(pilum_array) :: out
    out = pilum_reshape(pilum_arange(0, 6), [3, 2])
    call pilum_return(out)
  end function

  function reals(cells) result(out)
    real(real64), intent(in) :: cells(:)
    type(pilum_array) :: out
    out = pilum_from_memory(cells)
    call pilum_return(out)
  end function

  subroutine test_creation()
    call expect(pilum_zeros([3, 2]), [3, 2], pilum_float64, [real(real64) :: 0, 0, 0, 0, 0, 0], 'zeros')
    call expect(pilum_zeros([2_int64], pilum_int32), [2], pilum_int32, [real(real64) :: 0, 0], 'zeros of int64')
    call expect(pilum_ones([2]), [2], pilum_float64, [real(real64) :: 1, 1], 'ones')
    call expect(pilum_full([2], 7), [2], pilum_int64, [real(real64) :: 7, 7], 'full')
    call expect(pilum_full([integer ::], .true.), [integer ::], pilum_bool, [real(real64) :: 1], 'full, no axes')
    call expect(pilum_arange(1, 4), [3], pilum_int64, [real(real64) :: 1, 2, 3], 'arange')
    call expect(pilum_arange(0, 1, 0.5d0, pilum_float32), [2], pilum_float32, [0d0, 0.5d0], 'arange of reals')
    call expect(pilum_linspace(1, 2, 3), [3], pilum_float64, [1d0, 1.5d0, 2d0], 'linspace')
    call expect(pilum_linspace(0., 2., 2, endpoint=.false.), [2], pilum_float64, [0d0, 1d0], 'linspace, no endpoint')
    if (any(pilum_shape(pilum_empty([4, 5])) /= [4, 5])) call fail('empty')
  end subroutine

  subroutine test_operators()
    type(pilum_array) :: a, b
    a = reals([1d0, -4d0, 9d0])
    b = reals([2d0, 2d0, -3d0])
    call expect(a + b, [3], pilum_float64, [3d0, -2d0, 6d0], '+')
    call expect(a - b, [3], pilum_float64, [-1d0, -6d0, 12d0], '-')
    call expect(10 - a, [3], pilum_float64, [9d0, 14d0, 1d0], 'number - array')
    call expect(-a, [3], pilum_float64, [-1d0, 4d0, -9d0], 'negative')
    call expect(0.5 * a + a * 0.5d0, [3], pilum_float64, [1d0, -4d0, 9d0], '*')
    call expect(a / b, [3], pilum_float64, [0.5d0, -2d0, -3d0], '/')
    call expect(a**2, [3], pilum_float64, [1d0, 16d0, 81d0], '**')
    call expect(2_int64**pilum_arange(0, 3), [3], pilum_int64, [1d0, 2d0, 4d0], 'number ** array')
    call expect(a == 9, [3], pilum_bool, [0d0, 0d0, 1d0], '==')
    call expect(a /= 9, [3], pilum_bool, [1d0, 1d0, 0d0], '/=')
    call expect(a < b, [3], pilum_bool, [1d0, 1d0, 0d0], '<')
    call expect(1 <= a, [3], pilum_bool, [1d0, 0d0, 1d0], '<=')
    call expect(a > b, [3], pilum_bool, [0d0, 0d0, 1d0], '>')
    call expect(a >= 1, [3], pilum_bool, [1d0, 0d0, 1d0], '>=')
    call expect(.true. + (a > b), [3], pilum_bool, [1d0, 1d0, 1d0], 'logical + array')
  end subroutine

  subroutine test_functions()
    type(pilum_array) :: a
    a = reals([1d0, -4d0, 9d0])
    call expect(pilum_add(a, 1), [3], pilum_float64, [2d0, -3d0, 10d0], 'add')
    call expect(pilum_subtract(a, 1), [3], pilum_float64, [0d0, -5d0, 8d0], 'subtract')
    call expect(pilum_multiply(a, 2), [3], pilum_float64, [2d0, -8d0, 18d0], 'multiply')
    call expect(pilum_divide(a, 2), [3], pilum_float64, [0.5d0, -2d0, 4.5d0], 'divide')
    call expect(pilum_power(a, 2), [3], pilum_float64, [1d0, 16d0, 81d0], 'power')
    call expect(pilum_negative(a), [3], pilum_float64, [-1d0, 4d0, -9d0], 'pilum_negative')
    call expect(pilum_abs(a), [3], pilum_float64, [1d0, 4d0, 9d0], 'abs')
    call expect(pilum_sqrt(pilum_abs(a)), [3], pilum_float64, [1d0, 2d0, 3d0], 'sqrt')
    call expect(pilum_exp(pilum_zeros([2])), [2], pilum_float64, [1d0, 1d0], 'exp')
    call expect(pilum_log(pilum_ones([2])), [2], pilum_float64, [0d0, 0d0], 'log')
    call expect(pilum_minimum(a, 0), [3], pilum_float64, [0d0, -4d0, 0d0], 'minimum')
    call expect(pilum_maximum(a, 0), [3], pilum_float64, [1d0, 0d0, 9d0], 'maximum')
    call expect(pilum_where(a < 0, 5, a), [3], pilum_float64, [1d0, 5d0, 9d0], 'where')
    call expect(pilum_equal(a, 1), [3], pilum_bool, [1d0, 0d0, 0d0], 'equal')
    call expect(pilum_not_equal(a, 1), [3], pilum_bool, [0d0, 1d0, 1d0], 'not_equal')
    call expect(pilum_less(a, 1), [3], pilum_bool, [0d0, 1d0, 0d0], 'less')
    call expect(pilum_less_equal(a, 1), [3], pilum_bool, [1d0, 1d0, 0d0], 'less_equal')
    call expect(pilum_greater(a, 1), [3], pilum_bool, [0d0, 0d0, 1d0], 'greater')
    call expect(pilum_greater_equal(a, 1), [3], pilum_bool, [1d0, 0d0, 1d0], 'greater_equal')
    call pilum_add_assign(a, 1)
    call pilum_subtract_assign(a, 2)
    call pilum_multiply_assign(a, 4)
    call pilum_divide_assign(a, 2)
    call expect(a, [3], pilum_float64, [0d0, -10d0, 16d0], 'in place')
  end subroutine

  subroutine test_elementwise()
    type(pilum_array) :: integers
    call expect(pilum_floor(reals([1.5d0, -1.5d0, 2.0d0])), [3], pilum_float64, [1.0d0, -2.0d0, 2.0d0], 'floor')
    call expect(pilum_ceil(reals([1.5d0, -1.5d0, 2.0d0])), [3], pilum_float64, [2.0d0, -1.0d0, 2.0d0], 'ceil')
    call expect(pilum_trunc(reals([1.5d0, -1.5d0, 2.0d0])), [3], pilum_float64, [1.0d0, -1.0d0, 2.0d0], 'trunc')
    call expect(pilum_rint(reals([1.5d0, 2.5d0, -3.0d0])), [3], pilum_float64, [2.0d0, 2.0d0, -3.0d0], 'rint')
    call expect(pilum_reciprocal(reals([2.0d0, -4.0d0, 0.5d0])), [3], pilum_float64, [0.5d0, -0.25d0, 2.0d0], 'reciprocal')
    call expect(pilum_square(reals([2.0d0, -3.0d0, 0.5d0])), [3], pilum_float64, [4.0d0, 9.0d0, 0.25d0], 'square')
    call expect(pilum_sign(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_float64, [1.0d0, -1.0d0, 0.0d0], 'sign')
    call expect(pilum_positive(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_float64, [2.0d0, -3.0d0, 0.0d0], 'positive')
    call expect(pilum_fabs(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_float64, [2.0d0, 3.0d0, 0.0d0], 'fabs')
    call expect(pilum_real_part(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_float64, [2.0d0, -3.0d0, 0.0d0], 'real_part')
    call expect(pilum_imag_part(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'imag_part')
    call expect(pilum_conj(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_float64, [2.0d0, -3.0d0, 0.0d0], 'conj')
    call expect(pilum_angle(reals([2.0d0, -3.0d0, 0.0d0]), .true.), [3], pilum_float64, [0.0d0, 180.0d0, 0.0d0], 'angle')
    call expect(pilum_signbit(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_bool, [0.0d0, 1.0d0, 0.0d0], 'signbit')
    call expect(pilum_isnan(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_bool, [0.0d0, 0.0d0, 0.0d0], 'isnan')
    call expect(pilum_isfinite(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_bool, [1.0d0, 1.0d0, 1.0d0], 'isfinite')
    call expect(pilum_isinf(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_bool, [0.0d0, 0.0d0, 0.0d0], 'isinf')
    call expect(pilum_isposinf(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_bool, [0.0d0, 0.0d0, 0.0d0], 'isposinf')
    call expect(pilum_isneginf(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_bool, [0.0d0, 0.0d0, 0.0d0], 'isneginf')
    call expect(pilum_nan_to_num(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_float64, [2.0d0, -3.0d0, 0.0d0], 'nan_to_num')
    call expect(pilum_frexp_mantissa(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_float64, &
      [0.5d0, -0.75d0, 0.0d0], 'frexp_mantissa')
    call expect(pilum_frexp_exponent(reals([2.0d0, -3.0d0, 0.0d0])), [3], pilum_int32, &
      [2.0d0, 2.0d0, 0.0d0], 'frexp_exponent')
    call expect(pilum_modf_part(reals([1.5d0, -3.25d0, 2.0d0])), [3], pilum_float64, [0.5d0, -0.25d0, 0.0d0], 'modf_part')
    call expect(pilum_modf_whole(reals([1.5d0, -3.25d0, 2.0d0])), [3], pilum_float64, [1.0d0, -3.0d0, 2.0d0], 'modf_whole')
    call expect(pilum_exp2(reals([0.0d0, 1.0d0, -1.0d0])), [3], pilum_float64, [1.0d0, 2.0d0, 0.5d0], 'exp2')
    call expect(pilum_expm1(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'expm1')
    call expect(pilum_log2(reals([1.0d0, 2.0d0, 8.0d0])), [3], pilum_float64, [0.0d0, 1.0d0, 3.0d0], 'log2')
    call expect(pilum_log10(reals([1.0d0, 10.0d0, 100.0d0])), [3], pilum_float64, [0.0d0, 1.0d0, 2.0d0], 'log10')
    call expect(pilum_log1p(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'log1p')
    call expect(pilum_cbrt(reals([1.0d0, -8.0d0, 27.0d0])), [3], pilum_float64, [1.0d0, -2.0d0, 3.0d0], 'cbrt')
    call expect(pilum_sin(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'sin')
    call expect(pilum_cos(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [1.0d0, 1.0d0, 1.0d0], 'cos')
    call expect(pilum_tan(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'tan')
    call expect(pilum_arcsin(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'arcsin')
    call expect(pilum_arccos(reals([1.0d0, 1.0d0, 1.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'arccos')
    call expect(pilum_arctan(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'arctan')
    call expect(pilum_sinh(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'sinh')
    call expect(pilum_cosh(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [1.0d0, 1.0d0, 1.0d0], 'cosh')
    call expect(pilum_tanh(reals([0.0d0, 0.0d0, 100.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 1.0d0], 'tanh')
    call expect(pilum_arcsinh(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'arcsinh')
    call expect(pilum_arccosh(reals([1.0d0, 1.0d0, 1.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'arccosh')
    call expect(pilum_arctanh(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'arctanh')
    call expect(pilum_sinc(reals([0.0d0, 1.0d0, 2.0d0])), [3], pilum_float64, [1.0d0, 0.0d0, 0.0d0], 'sinc')
    call expect(pilum_degrees(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'degrees')
    call expect(pilum_radians(reals([0.0d0, 0.0d0, 0.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'radians')
    call expect(pilum_erf(reals([0.0d0, 10.0d0, -10.0d0])), [3], pilum_float64, [0.0d0, 1.0d0, -1.0d0], 'erf')
    call expect(pilum_erfc(reals([0.0d0, -10.0d0, 40.0d0])), [3], pilum_float64, [1.0d0, 2.0d0, 0.0d0], 'erfc')
    call expect(pilum_gamma(reals([1.0d0, 3.0d0, 5.0d0])), [3], pilum_float64, [1.0d0, 2.0d0, 24.0d0], 'gamma')
    call expect(pilum_lgamma(reals([1.0d0, 2.0d0, 1.0d0])), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'lgamma')
    call expect(pilum_floor_divide(reals([7.0d0, -7.0d0, 9.0d0]), 2), [3], pilum_float64, &
      [3.0d0, -4.0d0, 4.0d0], 'floor_divide')
    call expect(pilum_remainder(reals([7.0d0, -7.0d0, 9.0d0]), 4), [3], pilum_float64, [3.0d0, 1.0d0, 1.0d0], 'remainder')
    call expect(pilum_fmod(reals([7.0d0, -7.0d0, 9.0d0]), 4), [3], pilum_float64, [3.0d0, -3.0d0, 1.0d0], 'fmod')
    call expect(pilum_float_power(reals([1.0d0, -4.0d0, 9.0d0]), 3), [3], pilum_float64, &
      [1.0d0, -64.0d0, 729.0d0], 'float_power')
    call expect(pilum_copysign(reals([7.0d0, -7.0d0, 9.0d0]), -1), [3], pilum_float64, [-7.0d0, -7.0d0, -9.0d0], 'copysign')
    call expect(pilum_nextafter(reals([4.0d0, 4.0d0, 4.0d0]), 4), [3], pilum_float64, [4.0d0, 4.0d0, 4.0d0], 'nextafter')
    call expect(pilum_fmin(reals([1.0d0, -4.0d0, 9.0d0]), 2), [3], pilum_float64, [1.0d0, -4.0d0, 2.0d0], 'fmin')
    call expect(pilum_fmax(reals([1.0d0, -4.0d0, 9.0d0]), 2), [3], pilum_float64, [2.0d0, 2.0d0, 9.0d0], 'fmax')
    call expect(pilum_heaviside(reals([1.0d0, -4.0d0, 0.0d0]), 0.5d0), [3], pilum_float64, [1.0d0, 0.0d0, 0.5d0], 'heaviside')
    call expect(pilum_hypot(reals([3.0d0, -3.0d0, 0.0d0]), 4), [3], pilum_float64, [5.0d0, 5.0d0, 4.0d0], 'hypot')
    call expect(pilum_arctan2(reals([0.0d0, 0.0d0, 0.0d0]), 1), [3], pilum_float64, [0.0d0, 0.0d0, 0.0d0], 'arctan2')
    call expect(pilum_logaddexp(reals([9999.0d0, -9999.0d0, 7.0d0]), -99999), [3], pilum_float64, &
      [9999.0d0, -9999.0d0, 7.0d0], 'logaddexp')
    call expect(pilum_logaddexp2(reals([3.0d0, 3.0d0, -20000.0d0]), 3), [3], pilum_float64, &
      [4.0d0, 4.0d0, 3.0d0], 'logaddexp2')
    call expect(pilum_ldexp(reals([1.0d0, -4.0d0, 9.0d0]), 2), [3], pilum_float64, [4.0d0, -16.0d0, 36.0d0], 'ldexp')
    call expect(pilum_round(reals([1.25d0, 2.5d0]), 1), [2], pilum_float64, [1.2d0, 2.5d0], 'round')
    integers = pilum_arange(0, 3)
    call expect(pilum_left_shift(integers, 2), [3], pilum_int64, [0.0d0, 4.0d0, 8.0d0], 'left_shift')
    call expect(pilum_right_shift(integers, 1), [3], pilum_int64, [0.0d0, 0.0d0, 1.0d0], 'right_shift')
    call expect(pilum_bitwise_and(integers, 3), [3], pilum_int64, [0.0d0, 1.0d0, 2.0d0], 'bitwise_and')
    call expect(pilum_bitwise_or(integers, 4), [3], pilum_int64, [4.0d0, 5.0d0, 6.0d0], 'bitwise_or')
    call expect(pilum_bitwise_xor(integers, 1), [3], pilum_int64, [1.0d0, 0.0d0, 3.0d0], 'bitwise_xor')
    call expect(pilum_gcd(integers, 4), [3], pilum_int64, [4.0d0, 1.0d0, 2.0d0], 'gcd')
    call expect(pilum_lcm(integers, 3), [3], pilum_int64, [0.0d0, 3.0d0, 6.0d0], 'lcm')
    call expect(pilum_invert(integers), [3], pilum_int64, [-1d0, -2d0, -3d0], 'invert')
    call expect(pilum_logical_not(integers), [3], pilum_bool, [1d0, 0d0, 0d0], 'logical_not')
    call expect(pilum_logical_and(integers, 1), [3], pilum_bool, [0d0, 1d0, 1d0], 'logical_and')
    call expect(pilum_logical_or(integers, 0), [3], pilum_bool, [0d0, 1d0, 1d0], 'logical_or')
    call expect(pilum_logical_xor(integers, 1), [3], pilum_bool, [1d0, 0d0, 0d0], 'logical_xor')
  end subroutine

  subroutine test_reductions()
    type(pilum_array) :: a
    integer(int64) :: total
    a = table()
    call pilum_item(pilum_sum(a), total)
    if (total /= 15) call fail('item of sum')
    call expect(pilum_sum(a, axes=[1]), [2], pilum_int64, [3d0, 12d0], 'sum along columns')
    call expect(pilum_sum(a, [2], keepdims=.true.), [3, 1], pilum_int64, [3d0, 5d0, 7d0], 'sum, keepdims')
    call expect(pilum_prod(a, [1]), [2], pilum_int64, [0d0, 60d0], 'prod')
    call expect(pilum_min(a, [1]), [2], pilum_int64, [0d0, 3d0], 'min')
    call expect(pilum_max(a, [1, 2]), [integer ::], pilum_int64, [5d0], 'max')
    call expect(pilum_mean(a, [2]), [3], pilum_float64, [1.5d0, 2.5d0, 3.5d0], 'mean')
  end subroutine

  subroutine test_shapes()
    type(pilum_array) :: a
    a = table()
    call expect(pilum_transpose(a), [2, 3], pilum_int64, [real(real64) :: 0, 3, 1, 4, 2, 5], 'transpose')
    a = pilum_reshape(pilum_arange(0, 24), [2, 3, 4])
    call expect(pilum_sum(pilum_transpose(a, [3, 1, 2]), [2, 3]), [4], pilum_int64, [15d0, 51d0, 87d0, 123d0], 'axes')
    a = pilum_broadcast_to(pilum_arange(0, 2), [2, 2])
    call expect(a, [2, 2], pilum_int64, [0d0, 1d0, 0d0, 1d0], 'broadcast_to')
    call expect(pilum_astype(pilum_arange(0, 2), pilum_bool), [2], pilum_bool, [0d0, 1d0], 'astype')
    a = table()
    call expect(pilum_copy(a), [3, 2], pilum_int64, [real(real64) :: 0, 1, 2, 3, 4, 5], 'copy')
  end subroutine

  subroutine test_products()
    type(pilum_array) :: a, v
    a = table()
    v = pilum_arange(1, 12, 9)
    call expect(pilum_matmul(a, v), [3], pilum_int64, [30d0, 41d0, 52d0], 'matmul by a vector')
    call expect(pilum_matmul(a, pilum_transpose(a)), [3, 3], pilum_int64, &
        [real(real64) :: 9, 12, 15, 12, 17, 22, 15, 22, 29], 'matmul')
    call expect(pilum_dot(a, v), [3], pilum_int64, [30d0, 41d0, 52d0], 'dot')
    call expect(pilum_tensordot(a, v, 1), [3], pilum_int64, [30d0, 41d0, 52d0], 'tensordot')
    call expect(pilum_vdot(v, v), [integer ::], pilum_int64, [101d0], 'vdot')
    call expect(pilum_outer(v, pilum_arange(3, 6)), [2, 3], pilum_int64, &
        [real(real64) :: 3, 30, 4, 40, 5, 50], 'outer')
    call expect(pilum_trace(a), [integer ::], pilum_int64, [4d0], 'trace')
    call expect(pilum_norm(pilum_arange(3, 5)), [integer ::], pilum_float64, [5d0], 'norm')
  end subroutine

  ! Without OpenBLAS or FFTW these are errors that say so.
  subroutine test_factors()
    type(pilum_array) :: a, b, t, line, out
    integer :: ierr
    a = pilum_reshape(reals([real(real64) :: 0, 4, 4, 0]), [2, 2])
    line = reals([real(real64) :: 3, 0, 0])
    out = pilum_inv(a, ierr)
    if (ierr == 0) then
      call expect(out, [2, 2], pilum_float64, [0d0, 0.25d0, 0.25d0, 0d0], 'inv')
      call expect(pilum_round(pilum_det(a), 9), [integer ::], pilum_float64, [-16d0], 'det')
      call expect(pilum_round(pilum_eigvalsh(a), 9), [2], pilum_float64, [-4d0, 4d0], 'eigvalsh')
      call expect(pilum_round(pilum_svdvals(a), 9), [2], pilum_float64, [4d0, 4d0], 'svdvals')
      b = reals([real(real64) :: 8, 4])
      call expect(pilum_solve(a, b), [2], pilum_float64, [1d0, 2d0], 'solve')
      ! Column by column: [[2, 0], [1, 1]].
      t = pilum_reshape(reals([real(real64) :: 2, 1, 0, 1]), [2, 2])
      call expect(pilum_solve(t, b), [2], pilum_float64, [4d0, 0d0], 'solve of a triangle')
      call expect(pilum_round(pilum_lstsq(a, b), 9), [2], pilum_float64, [1d0, 2d0], 'lstsq')
      call expect(pilum_round(pilum_pinv(a), 9), [2, 2], pilum_float64, [0d0, 0.25d0, 0.25d0, 0d0], 'pinv')
      call expect(pilum_matrix_power(t, 2), [2, 2], pilum_float64, [4d0, 3d0, 0d0, 1d0], 'matrix_power')
      call expect(pilum_cholesky(pilum_matmul(a, a)), [2, 2], pilum_float64, [4d0, 0d0, 0d0, 4d0], 'cholesky')
      call expect(pilum_round(pilum_matmul(pilum_qr_q(t), pilum_qr_r(t)), 9), [2, 2], pilum_float64, &
          [2d0, 1d0, 0d0, 1d0], 'qr')
      call expect(pilum_round(pilum_matmul(pilum_svd_vh(t), pilum_transpose(pilum_svd_vh(t))), 9), [2, 2], &
          pilum_float64, [1d0, 0d0, 0d0, 1d0], 'svd_vh')
      call expect(pilum_round(pilum_matmul(pilum_svd_u(t), pilum_transpose(pilum_svd_u(t))), 9), [2, 2], &
          pilum_float64, [1d0, 0d0, 0d0, 1d0], 'svd_u')
      call expect(pilum_round(pilum_power(pilum_eigh_vectors(a), 2), 9), [2, 2], pilum_float64, &
          [0.5d0, 0.5d0, 0.5d0, 0.5d0], 'eigh_vectors')
      call expect(pilum_sum(pilum_real_part(pilum_eigvals(t))), [integer ::], pilum_float64, [3d0], 'eigvals')
    else if (index(pilum_error_message(), 'OpenBLAS') == 0) then
      call fail('inv: ' // pilum_error_message())
    end if
    out = pilum_fftn(line, ierr=ierr)
    if (ierr == 0) then
      call expect(pilum_real_part(out), [3], pilum_float64, [3d0, 3d0, 3d0], 'fftn')
      call expect(pilum_real_part(pilum_ifftn(out)), [3], pilum_float64, [3d0, 0d0, 0d0], 'ifftn')
      call expect(pilum_real_part(pilum_fft(line)), [3], pilum_float64, [3d0, 3d0, 3d0], 'fft')
      call expect(pilum_real_part(pilum_ifft(pilum_fft(line))), [3], pilum_float64, [3d0, 0d0, 0d0], 'ifft')
      call expect(pilum_irfft(pilum_rfft(line), 3), [3], pilum_float64, [3d0, 0d0, 0d0], 'irfft of rfft')
    else if (index(pilum_error_message(), 'FFTW') == 0) then
      call fail('fftn: ' // pilum_error_message())
    end if
  end subroutine

  subroutine test_sets()
    type(pilum_array) :: a, b
    a = reals([real(real64) :: 1, 2, 4])
    b = reals([real(real64) :: 4, 1, 7])
    call expect(pilum_union1d(a, b), [4], pilum_float64, [real(real64) :: 1, 2, 4, 7], 'union1d')
    call expect(pilum_intersect1d(a, b), [2], pilum_float64, [1d0, 4d0], 'intersect1d')
    call expect(pilum_setdiff1d(a, b), [1], pilum_float64, [2d0], 'setdiff1d')
    call expect(pilum_isin(a, b), [3], pilum_bool, [1d0, 0d0, 1d0], 'isin')
    call expect(pilum_interp(3d0, a, b), [integer ::], pilum_float64, [4d0], 'interp')
    call expect(pilum_kron(a, b), [9], pilum_float64, [real(real64) :: 4, 1, 7, 8, 2, 14, 16, 4, 28], 'kron')
  end subroutine

  subroutine test_views()
    type(pilum_array) :: a, inner
    a = pilum_reshape(pilum_arange(0, 20), [5, 4])
    call expect(a%view(2, 3), [integer ::], pilum_int64, [11d0], 'a cell')
    call expect(a%view(-1, -1), [integer ::], pilum_int64, [19d0], 'the last cell')
    call expect(a%view(pilum_all, 2), [5], pilum_int64, [real(real64) :: 5, 6, 7, 8, 9], 'a column')
    call expect(a%view(1), [4], pilum_int64, [0d0, 5d0, 10d0, 15d0], 'a row')
    call expect(a%view(pilum_slice(2, 4), 1), [3], pilum_int64, [1d0, 2d0, 3d0], 'a slice')
    call expect(a%view(pilum_slice(2, -2), 1), [3], pilum_int64, [1d0, 2d0, 3d0], 'a slice from the end')
    call expect(a%view(pilum_slice(last=-1, step=2), 1), [3], pilum_int64, [0d0, 2d0, 4d0], 'a slice with a step')
    call expect(a%view(pilum_slice(step=-2), 1), [3], pilum_int64, [4d0, 2d0, 0d0], 'backwards')
    call expect(a%view(pilum_slice(4, 1, -1), 1), [4], pilum_int64, [3d0, 2d0, 1d0, 0d0], 'down to the first')
    call expect(a%view(pilum_slice(5_int64, 3_int64, -2_int64), 1), [2], pilum_int64, [4d0, 2d0], 'down to the third')
    call expect(a%view(pilum_slice(3, 2), 1), [0], pilum_int64, [real(real64) ::], 'an empty slice')
    call expect(a%view(pilum_ellipsis, pilum_new_axis, 4), [5, 1], pilum_int64, [15d0, 16d0, 17d0, 18d0, 19d0], 'a new axis')
    inner = a%view(pilum_slice(2, -2), pilum_slice(2, -2))
    call pilum_assign(inner, -1)
    call a%set(7, 1, pilum_all)
    call expect(a%view(pilum_all, 2), [5], pilum_int64, [7d0, -1d0, -1d0, -1d0, 9d0], 'writing')
  end subroutine

  subroutine test_memory()
    real(real64) :: cells(3, 2), back(3, 2)
    real(real32) :: single
    integer(int32) :: wide(4, 4), four(2, 2)
    integer(int64) :: long
    logical(c_bool) :: bits(2)
    logical :: bit
    type(pilum_array) :: a
    integer :: k
    cells = reshape([real(real64) :: 1, 2, 3, 4, 5, 6], [3, 2])
    a = pilum_from_memory(cells)
    if (any(pilum_shape(a) /= [3, 2])) call fail('from_memory: shape')
    call pilum_to_memory(a, back)
    if (any(back /= cells)) call fail('to_memory')
    wide = reshape([(k, k=1, 16)], [4, 4])
    call expect(pilum_from_memory(wide(1:3:2, 2:3)), [2, 2], pilum_int32, [5d0, 7d0, 9d0, 11d0], 'a section')
    call pilum_to_memory(pilum_zeros([2, 2], pilum_int32), wide(1:3:2, 2:3))
    four = wide(1:3:2, 2:3)
    if (any(four /= 0) .or. wide(2, 2) /= 6) call fail('to a section')
    call expect(pilum_from_memory([1_int64, 2_int64]), [2], pilum_int64, [1d0, 2d0], 'of int64')
    bits = [.true., .false.]
    a = pilum_from_memory(bits)
    bits = .false.
    call pilum_to_memory(a, bits)
    if (.not. bits(1) .or. bits(2)) call fail('bools')
    call pilum_item(a%view(1), bit)
    if (.not. bit) call fail('a logical')
    call pilum_item(pilum_full([integer ::], 0.5, pilum_float32), single)
    if (single /= 0.5) call fail('a real of 4 bytes')
    call pilum_item(three(), long)
    if (long /= 3) call fail('an integer of 8 bytes')
    call pilum_print(table())
  end subroutine

  function three() result(out)
    type(pilum_array) :: out
    out = pilum_full([integer ::], 3)
    call pilum_return(out)
  end function

  subroutine test_errors()
    type(pilum_array) :: a, b, none
    integer :: ierr
    a = pilum_zeros([3, 2])
    b = pilum_zeros([4])
    b = pilum_add(a, b, ierr)
    if (ierr /= pilum_shape_error) call fail('no shape error')
    if (index(pilum_error_message(), '(2, 3)') == 0) call fail('no shape in the message: ' // pilum_error_message())
    if (index(pilum_error_message(), 'Called at') /= 0) call fail('a line out of nowhere')
    b = a%view(0, ierr=ierr)
    if (ierr /= pilum_index_error) call fail('0 is an index')
    b = a%view(4, ierr=ierr)
    if (ierr /= pilum_index_error) call fail('4 is an index of 3')
    b = pilum_sum(a, [3], ierr=ierr)
    if (ierr /= pilum_index_error) call fail('3 is an axis of 2')
    b = pilum_sum(a, [0], ierr=ierr)
    if (ierr /= pilum_index_error) call fail('0 is an axis')
    b = pilum_add(none, 1, ierr)
    if (ierr /= pilum_handle_error) call fail('an array that was never made')
    b = pilum_add(a, 'text', ierr)
    if (ierr /= pilum_dtype_error) call fail('a text is a number')
    PILUM_LINE b = pilum_reshape(a, [5], ierr)
    if (ierr /= pilum_shape_error .or. index(pilum_error_message(), 'every_function.F90:') == 0) then
      call fail('no line: ' // pilum_error_message())
    end if
    b = pilum_add(a, 1, ierr)
    if (ierr /= pilum_ok) call fail('an error from before')
  end subroutine

  subroutine test_handles()
    type(pilum_array) :: a, b
    type(pilum_array), allocatable :: many(:)
    integer :: k
    if (pilum_live_arrays() /= 0) call fail('arrays from before')
    a = pilum_zeros([2])
    b = a
    call pilum_assign(b, 5)
    call expect(a, [2], pilum_float64, [5d0, 5d0], 'two names of one array')
    do k = 1, 100
      a = (a + b) * 0.5d0
    end do
    call expect(b, [2], pilum_float64, [5d0, 5d0], 'a name that stays')
    a = a
    if (pilum_live_arrays() /= 2) call fail('temporaries were not let go of')
    allocate (many(3))
    many(2) = a
    if (pilum_live_arrays() /= 3) call fail('an array of arrays')
    deallocate (many)
    call pilum_release(b)
    if (pilum_live_arrays() /= 1) call fail('released')
  end subroutine

  ! An operator has no ierr: the program ends here, with the message.
  subroutine stop_with_a_message()
    type(pilum_array) :: a
    PILUM_LINE a = pilum_zeros([3]) + pilum_zeros([4])
    print '(a)', 'this is never reached'
  end subroutine
end program
