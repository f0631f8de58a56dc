// Written by numeric/c_interface/generate.py from functions.txt.
#include "pilum/c_functions.h"

#include "numeric/c_interface/caller.h"
#include "pilum/bins.h"
#include "pilum/creation.h"
#include "pilum/fft.h"
#include "pilum/functions.h"
#include "pilum/linalg.h"
#include "pilum/linear_algebra.h"
#include "pilum/math.h"
#include "pilum/sets.h"

namespace np = pilum::numeric;
using pilum::c_interface::Caller, pilum::c_interface::make_array, pilum::c_interface::run,
    pilum::c_interface::turned;

pilum_status pilum_zeros_at(pilum_shape shape_, pilum_dtype dtype_, pilum_array* out_, pilum_place place_) {
  return make_array("zeros", place_, out_, [&](const Caller& call) {
    const auto shape = call.shape(shape_);
    const auto dtype = call.dtype(dtype_);
    const auto at = call.where();
    return np::zeros(shape, dtype.value_or(pilum::float64), at);
  });
}

pilum_status pilum_ones_at(pilum_shape shape_, pilum_dtype dtype_, pilum_array* out_, pilum_place place_) {
  return make_array("ones", place_, out_, [&](const Caller& call) {
    const auto shape = call.shape(shape_);
    const auto dtype = call.dtype(dtype_);
    const auto at = call.where();
    return np::ones(shape, dtype.value_or(pilum::float64), at);
  });
}

pilum_status pilum_empty_at(pilum_shape shape_, pilum_dtype dtype_, pilum_array* out_, pilum_place place_) {
  return make_array("empty", place_, out_, [&](const Caller& call) {
    const auto shape = call.shape(shape_);
    const auto dtype = call.dtype(dtype_);
    const auto at = call.where();
    return np::empty(shape, dtype.value_or(pilum::float64), at);
  });
}

pilum_status pilum_full_at(pilum_shape shape_, pilum_operand value_, pilum_dtype dtype_, pilum_array* out_,
    pilum_place place_) {
  return make_array("full", place_, out_, [&](const Caller& call) {
    const auto shape = call.shape(shape_);
    const auto value = call.operand("value", value_);
    const auto dtype = call.dtype(dtype_);
    return np::full(shape, value, dtype);
  });
}

pilum_status pilum_arange_at(pilum_operand start_, pilum_operand stop_, pilum_operand step_, pilum_dtype dtype_,
    pilum_array* out_, pilum_place place_) {
  return make_array("arange", place_, out_, [&](const Caller& call) {
    const auto start = call.operand("start", start_);
    const auto stop = call.operand("stop", stop_);
    const auto step = call.operand("step", step_);
    const auto dtype = call.dtype(dtype_);
    return np::arange(start, stop, step, dtype);
  });
}

pilum_status pilum_linspace_at(double start_, double stop_, int64_t count_, bool endpoint_, pilum_dtype dtype_,
    pilum_array* out_, pilum_place place_) {
  return make_array("linspace", place_, out_, [&](const Caller& call) {
    const auto start = start_;
    const auto stop = stop_;
    const auto count = count_;
    const auto endpoint = endpoint_;
    const auto dtype = call.dtype(dtype_);
    const auto at = call.where();
    return np::linspace(start, stop, count, endpoint, dtype.value_or(pilum::float64), at);
  });
}

pilum_status pilum_add_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("add", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a + b;
  });
}

pilum_status pilum_subtract_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("subtract", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a - b;
  });
}

pilum_status pilum_multiply_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("multiply", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a * b;
  });
}

pilum_status pilum_divide_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("divide", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a / b;
  });
}

pilum_status pilum_power_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("power", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::power(a, b);
  });
}

pilum_status pilum_negative_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("negative", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return -a;
  });
}

pilum_status pilum_abs_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("abs", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::abs(a);
  });
}

pilum_status pilum_sqrt_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("sqrt", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::sqrt(a);
  });
}

pilum_status pilum_exp_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("exp", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::exp(a);
  });
}

pilum_status pilum_log_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("log", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::log(a);
  });
}

pilum_status pilum_minimum_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("minimum", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::minimum(a, b);
  });
}

pilum_status pilum_maximum_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("maximum", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::maximum(a, b);
  });
}

pilum_status pilum_where_at(pilum_operand condition_, pilum_operand a_, pilum_operand b_, pilum_array* out_,
    pilum_place place_) {
  return make_array("where", place_, out_, [&](const Caller& call) {
    const auto condition = call.operand("condition", condition_);
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::where(condition, a, b);
  });
}

pilum_status pilum_floor_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("floor", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::floor(a);
  });
}

pilum_status pilum_ceil_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("ceil", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::ceil(a);
  });
}

pilum_status pilum_trunc_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("trunc", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::trunc(a);
  });
}

pilum_status pilum_rint_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("rint", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::rint(a);
  });
}

pilum_status pilum_reciprocal_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("reciprocal", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::reciprocal(a);
  });
}

pilum_status pilum_square_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("square", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::square(a);
  });
}

pilum_status pilum_sign_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("sign", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::sign(a);
  });
}

pilum_status pilum_positive_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("positive", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return +a;
  });
}

pilum_status pilum_fabs_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("fabs", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::fabs(a);
  });
}

pilum_status pilum_real_part_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("real_part", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::real(a);
  });
}

pilum_status pilum_imag_part_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("imag_part", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::imag(a);
  });
}

pilum_status pilum_conj_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("conj", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::conj(a);
  });
}

pilum_status pilum_angle_at(pilum_operand a_, bool deg_, pilum_array* out_, pilum_place place_) {
  return make_array("angle", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto deg = deg_;
    return np::angle(a, deg);
  });
}

pilum_status pilum_signbit_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("signbit", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::signbit(a);
  });
}

pilum_status pilum_isnan_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("isnan", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::isnan(a);
  });
}

pilum_status pilum_isfinite_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("isfinite", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::isfinite(a);
  });
}

pilum_status pilum_isinf_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("isinf", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::isinf(a);
  });
}

pilum_status pilum_isposinf_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("isposinf", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::isposinf(a);
  });
}

pilum_status pilum_isneginf_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("isneginf", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::isneginf(a);
  });
}

pilum_status pilum_nan_to_num_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("nan_to_num", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::nan_to_num(a);
  });
}

pilum_status pilum_frexp_mantissa_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("frexp_mantissa", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::frexp(a).first;
  });
}

pilum_status pilum_frexp_exponent_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("frexp_exponent", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::frexp(a).second;
  });
}

pilum_status pilum_modf_part_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("modf_part", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::modf(a).first;
  });
}

pilum_status pilum_modf_whole_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("modf_whole", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::modf(a).second;
  });
}

pilum_status pilum_exp2_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("exp2", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::exp2(a);
  });
}

pilum_status pilum_expm1_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("expm1", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::expm1(a);
  });
}

pilum_status pilum_log2_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("log2", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::log2(a);
  });
}

pilum_status pilum_log10_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("log10", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::log10(a);
  });
}

pilum_status pilum_log1p_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("log1p", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::log1p(a);
  });
}

pilum_status pilum_cbrt_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("cbrt", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::cbrt(a);
  });
}

pilum_status pilum_sin_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("sin", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::sin(a);
  });
}

pilum_status pilum_cos_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("cos", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::cos(a);
  });
}

pilum_status pilum_tan_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("tan", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::tan(a);
  });
}

pilum_status pilum_arcsin_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("arcsin", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::arcsin(a);
  });
}

pilum_status pilum_arccos_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("arccos", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::arccos(a);
  });
}

pilum_status pilum_arctan_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("arctan", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::arctan(a);
  });
}

pilum_status pilum_sinh_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("sinh", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::sinh(a);
  });
}

pilum_status pilum_cosh_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("cosh", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::cosh(a);
  });
}

pilum_status pilum_tanh_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("tanh", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::tanh(a);
  });
}

pilum_status pilum_arcsinh_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("arcsinh", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::arcsinh(a);
  });
}

pilum_status pilum_arccosh_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("arccosh", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::arccosh(a);
  });
}

pilum_status pilum_arctanh_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("arctanh", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::arctanh(a);
  });
}

pilum_status pilum_sinc_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("sinc", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::sinc(a);
  });
}

pilum_status pilum_degrees_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("degrees", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::degrees(a);
  });
}

pilum_status pilum_radians_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("radians", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::radians(a);
  });
}

pilum_status pilum_erf_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("erf", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::erf(a);
  });
}

pilum_status pilum_erfc_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("erfc", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::erfc(a);
  });
}

pilum_status pilum_gamma_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("gamma", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::gamma(a);
  });
}

pilum_status pilum_lgamma_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("lgamma", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::lgamma(a);
  });
}

pilum_status pilum_floor_divide_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("floor_divide", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::floor_divide(a, b);
  });
}

pilum_status pilum_remainder_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("remainder", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a % b;
  });
}

pilum_status pilum_fmod_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("fmod", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::fmod(a, b);
  });
}

pilum_status pilum_float_power_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("float_power", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::float_power(a, b);
  });
}

pilum_status pilum_copysign_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("copysign", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::copysign(a, b);
  });
}

pilum_status pilum_nextafter_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("nextafter", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::nextafter(a, b);
  });
}

pilum_status pilum_fmin_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("fmin", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::fmin(a, b);
  });
}

pilum_status pilum_fmax_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("fmax", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::fmax(a, b);
  });
}

pilum_status pilum_heaviside_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("heaviside", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::heaviside(a, b);
  });
}

pilum_status pilum_hypot_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("hypot", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::hypot(a, b);
  });
}

pilum_status pilum_arctan2_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("arctan2", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::arctan2(a, b);
  });
}

pilum_status pilum_logaddexp_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("logaddexp", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::logaddexp(a, b);
  });
}

pilum_status pilum_logaddexp2_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("logaddexp2", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::logaddexp2(a, b);
  });
}

pilum_status pilum_ldexp_at(pilum_operand a_, pilum_operand exponent_, pilum_array* out_, pilum_place place_) {
  return make_array("ldexp", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto exponent = call.operand("exponent", exponent_);
    return np::ldexp(a, exponent);
  });
}

pilum_status pilum_left_shift_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("left_shift", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a << b;
  });
}

pilum_status pilum_right_shift_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("right_shift", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a >> b;
  });
}

pilum_status pilum_bitwise_and_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("bitwise_and", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a & b;
  });
}

pilum_status pilum_bitwise_or_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("bitwise_or", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::bitwise_or(a, b);
  });
}

pilum_status pilum_bitwise_xor_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("bitwise_xor", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a ^ b;
  });
}

pilum_status pilum_gcd_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("gcd", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::gcd(a, b);
  });
}

pilum_status pilum_lcm_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("lcm", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::lcm(a, b);
  });
}

pilum_status pilum_round_at(pilum_operand a_, int64_t decimals_, pilum_array* out_, pilum_place place_) {
  return make_array("round", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto decimals = decimals_;
    return np::round(a, static_cast<int>(decimals));
  });
}

pilum_status pilum_invert_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("invert", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return ~a;
  });
}

pilum_status pilum_logical_not_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("logical_not", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::logical_not(a);
  });
}

pilum_status pilum_logical_and_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("logical_and", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::logical_and(a, b);
  });
}

pilum_status pilum_logical_or_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("logical_or", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::logical_or(a, b);
  });
}

pilum_status pilum_logical_xor_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("logical_xor", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::logical_xor(a, b);
  });
}

pilum_status pilum_equal_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("equal", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a == b;
  });
}

pilum_status pilum_not_equal_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("not_equal", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a != b;
  });
}

pilum_status pilum_less_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("less", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a < b;
  });
}

pilum_status pilum_less_equal_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("less_equal", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a <= b;
  });
}

pilum_status pilum_greater_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("greater", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a > b;
  });
}

pilum_status pilum_greater_equal_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("greater_equal", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a >= b;
  });
}

pilum_status pilum_sum_at(pilum_array a_, pilum_axes axes_, bool keepdims_, pilum_array* out_, pilum_place place_) {
  return make_array("sum", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto keepdims = keepdims_;
    const auto at = call.where();
    return np::sum(a, axes, keepdims, at);
  });
}

pilum_status pilum_prod_at(pilum_array a_, pilum_axes axes_, bool keepdims_, pilum_array* out_, pilum_place place_) {
  return make_array("prod", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto keepdims = keepdims_;
    const auto at = call.where();
    return np::prod(a, axes, keepdims, at);
  });
}

pilum_status pilum_min_at(pilum_array a_, pilum_axes axes_, bool keepdims_, pilum_array* out_, pilum_place place_) {
  return make_array("min", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto keepdims = keepdims_;
    const auto at = call.where();
    return np::min(a, axes, keepdims, at);
  });
}

pilum_status pilum_max_at(pilum_array a_, pilum_axes axes_, bool keepdims_, pilum_array* out_, pilum_place place_) {
  return make_array("max", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto keepdims = keepdims_;
    const auto at = call.where();
    return np::max(a, axes, keepdims, at);
  });
}

pilum_status pilum_mean_at(pilum_array a_, pilum_axes axes_, bool keepdims_, pilum_array* out_, pilum_place place_) {
  return make_array("mean", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto keepdims = keepdims_;
    const auto at = call.where();
    return np::mean(a, axes, keepdims, at);
  });
}

pilum_status pilum_matmul_at(pilum_array a_, pilum_array b_, pilum_array* out_, pilum_place place_) {
  return make_array("matmul", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto at = call.where();
    return np::matmul(a, b, at);
  });
}

pilum_status pilum_dot_at(pilum_array a_, pilum_array b_, pilum_array* out_, pilum_place place_) {
  return make_array("dot", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto at = call.where();
    return np::dot(a, b, at);
  });
}

pilum_status pilum_vdot_at(pilum_array a_, pilum_array b_, pilum_array* out_, pilum_place place_) {
  return make_array("vdot", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto at = call.where();
    return np::vdot(a, b, at);
  });
}

pilum_status pilum_outer_at(pilum_array a_, pilum_array b_, pilum_array* out_, pilum_place place_) {
  return make_array("outer", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto at = call.where();
    return np::outer(a, b, at);
  });
}

pilum_status pilum_tensordot_at(pilum_array a_, pilum_array b_, int64_t axes_, pilum_array* out_,
    pilum_place place_) {
  return make_array("tensordot", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto axes = axes_;
    const auto at = call.where();
    return np::tensordot(a, b, static_cast<int>(axes), at);
  });
}

pilum_status pilum_trace_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("trace", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::trace(a, 0, 0, 1, at);
  });
}

pilum_status pilum_norm_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("norm", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::norm(a, {}, {}, false, at);
  });
}

pilum_status pilum_inv_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("inv", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::linalg::inv(a, at);
  });
}

pilum_status pilum_det_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("det", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::linalg::det(a, at);
  });
}

pilum_status pilum_eigvalsh_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("eigvalsh", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::linalg::eigvalsh(a, "L", at);
  });
}

pilum_status pilum_svdvals_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("svdvals", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::linalg::svdvals(a, at);
  });
}

pilum_status pilum_solve_at(pilum_array a_, pilum_array b_, bool transposed_, pilum_array* out_, pilum_place place_) {
  return make_array("solve", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto transposed = transposed_;
    const auto at = call.where();
    return turned(np::linalg::solve(turned(a, transposed), turned(b, transposed), at), transposed);
  });
}

pilum_status pilum_pinv_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("pinv", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::linalg::pinv(a, 1e-15, at);
  });
}

pilum_status pilum_lstsq_at(pilum_array a_, pilum_array b_, bool transposed_, pilum_array* out_, pilum_place place_) {
  return make_array("lstsq", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto transposed = transposed_;
    const auto at = call.where();
    return turned(np::linalg::lstsq(turned(a, transposed), turned(b, transposed), {}, at).x, transposed);
  });
}

pilum_status pilum_cholesky_at(pilum_array a_, bool transposed_, pilum_array* out_, pilum_place place_) {
  return make_array("cholesky", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto transposed = transposed_;
    const auto at = call.where();
    return turned(np::linalg::cholesky(turned(a, transposed), false, at), transposed);
  });
}

pilum_status pilum_matrix_power_at(pilum_array a_, int64_t n_, pilum_array* out_, pilum_place place_) {
  return make_array("matrix_power", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto n = n_;
    const auto at = call.where();
    return np::linalg::matrix_power(a, n, at);
  });
}

pilum_status pilum_qr_q_at(pilum_array a_, bool transposed_, pilum_array* out_, pilum_place place_) {
  return make_array("qr_q", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto transposed = transposed_;
    const auto at = call.where();
    return turned(np::linalg::qr(turned(a, transposed), "reduced", at).Q, transposed);
  });
}

pilum_status pilum_qr_r_at(pilum_array a_, bool transposed_, pilum_array* out_, pilum_place place_) {
  return make_array("qr_r", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto transposed = transposed_;
    const auto at = call.where();
    return turned(np::linalg::qr_r(turned(a, transposed), at), transposed);
  });
}

pilum_status pilum_svd_u_at(pilum_array a_, bool transposed_, pilum_array* out_, pilum_place place_) {
  return make_array("svd_u", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto transposed = transposed_;
    const auto at = call.where();
    return turned(np::linalg::svd(turned(a, transposed), false, at).U, transposed);
  });
}

pilum_status pilum_svd_vh_at(pilum_array a_, bool transposed_, pilum_array* out_, pilum_place place_) {
  return make_array("svd_vh", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto transposed = transposed_;
    const auto at = call.where();
    return turned(np::linalg::svd(turned(a, transposed), false, at).Vh, transposed);
  });
}

pilum_status pilum_eigh_vectors_at(pilum_array a_, bool transposed_, pilum_array* out_, pilum_place place_) {
  return make_array("eigh_vectors", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto transposed = transposed_;
    const auto at = call.where();
    return turned(np::linalg::eigh(turned(a, transposed), "L", at).eigenvectors, transposed);
  });
}

pilum_status pilum_eigvals_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("eigvals", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::linalg::eigvals(a, at);
  });
}

pilum_status pilum_fft_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("fft", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::fft::fft(a, {}, -1, "backward", at);
  });
}

pilum_status pilum_ifft_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("ifft", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::fft::ifft(a, {}, -1, "backward", at);
  });
}

pilum_status pilum_rfft_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("rfft", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return np::fft::rfft(a, {}, -1, "backward", at);
  });
}

pilum_status pilum_irfft_at(pilum_array a_, int64_t n_, pilum_array* out_, pilum_place place_) {
  return make_array("irfft", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto n = n_;
    const auto at = call.where();
    return np::fft::irfft(a, n, -1, "backward", at);
  });
}

pilum_status pilum_fftn_at(pilum_array a_, pilum_axes axes_, pilum_array* out_, pilum_place place_) {
  return make_array("fftn", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto at = call.where();
    return np::fft::fftn(a, {}, axes, "backward", at);
  });
}

pilum_status pilum_ifftn_at(pilum_array a_, pilum_axes axes_, pilum_array* out_, pilum_place place_) {
  return make_array("ifftn", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto at = call.where();
    return np::fft::ifftn(a, {}, axes, "backward", at);
  });
}

pilum_status pilum_kron_at(pilum_array a_, pilum_array b_, pilum_array* out_, pilum_place place_) {
  return make_array("kron", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto at = call.where();
    return np::kron(a, b, at);
  });
}

pilum_status pilum_interp_at(pilum_operand x_, pilum_array xp_, pilum_array fp_, pilum_array* out_,
    pilum_place place_) {
  return make_array("interp", place_, out_, [&](const Caller& call) {
    const auto x = call.operand("x", x_);
    const auto xp = call.array("xp", xp_);
    const auto fp = call.array("fp", fp_);
    return np::interp(x, xp, fp);
  });
}

pilum_status pilum_isin_at(pilum_operand a_, pilum_array among_, pilum_array* out_, pilum_place place_) {
  return make_array("isin", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto among = call.array("among", among_);
    return np::isin(a, among);
  });
}

pilum_status pilum_union1d_at(pilum_array a_, pilum_array b_, pilum_array* out_, pilum_place place_) {
  return make_array("union1d", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto at = call.where();
    return np::union1d(a, b, at);
  });
}

pilum_status pilum_intersect1d_at(pilum_array a_, pilum_array b_, pilum_array* out_, pilum_place place_) {
  return make_array("intersect1d", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto at = call.where();
    return np::intersect1d(a, b, at);
  });
}

pilum_status pilum_setdiff1d_at(pilum_array a_, pilum_array b_, pilum_array* out_, pilum_place place_) {
  return make_array("setdiff1d", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto b = call.array("b", b_);
    const auto at = call.where();
    return np::setdiff1d(a, b, at);
  });
}

pilum_status pilum_transpose_at(pilum_array a_, pilum_axes axes_, pilum_array* out_, pilum_place place_) {
  return make_array("transpose", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto at = call.where();
    return np::transpose(a, axes, at);
  });
}

pilum_status pilum_broadcast_to_at(pilum_array a_, pilum_shape shape_, pilum_array* out_, pilum_place place_) {
  return make_array("broadcast_to", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto shape = call.shape(shape_);
    const auto at = call.where();
    return np::broadcast_to(a, shape, at);
  });
}

pilum_status pilum_reshape_at(pilum_array a_, pilum_shape shape_, pilum_array* out_, pilum_place place_) {
  return make_array("reshape", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto shape = call.shape(shape_);
    const auto at = call.where();
    return np::reshape(a, shape, at);
  });
}

pilum_status pilum_astype_at(pilum_array a_, pilum_dtype dtype_, pilum_array* out_, pilum_place place_) {
  return make_array("astype", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto dtype = call.dtype(dtype_);
    const auto at = call.where();
    return a.astype(dtype.value_or(a.dtype()), at);
  });
}

pilum_status pilum_copy_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("copy", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return a.copy(at);
  });
}

pilum_status pilum_assign_at(pilum_array target_, pilum_operand value_, pilum_place place_) {
  return run("assign", place_, [&](const Caller& call) {
    const auto target = call.array("target", target_);
    const auto value = call.operand("value", value_);
    const auto at = call.where();
    target[np::Index(np::ellipsis, at)] = value;
  });
}

pilum_status pilum_add_assign_at(pilum_array target_, pilum_operand value_, pilum_place place_) {
  return run("add_assign", place_, [&](const Caller& call) {
    const auto target = call.array("target", target_);
    const auto value = call.operand("value", value_);
    np::Array{target} += value;
  });
}

pilum_status pilum_subtract_assign_at(pilum_array target_, pilum_operand value_, pilum_place place_) {
  return run("subtract_assign", place_, [&](const Caller& call) {
    const auto target = call.array("target", target_);
    const auto value = call.operand("value", value_);
    np::Array{target} -= value;
  });
}

pilum_status pilum_multiply_assign_at(pilum_array target_, pilum_operand value_, pilum_place place_) {
  return run("multiply_assign", place_, [&](const Caller& call) {
    const auto target = call.array("target", target_);
    const auto value = call.operand("value", value_);
    np::Array{target} *= value;
  });
}

pilum_status pilum_divide_assign_at(pilum_array target_, pilum_operand value_, pilum_place place_) {
  return run("divide_assign", place_, [&](const Caller& call) {
    const auto target = call.array("target", target_);
    const auto value = call.operand("value", value_);
    np::Array{target} /= value;
  });
}
