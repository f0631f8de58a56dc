// The functions of floating numbers, and those of rounding.
#include "pilum/functions.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "numeric/elementwise.h"
#include "pilum/creation.h"
#include "pilum/dtype_info.h"

namespace pilum::numeric {
namespace {

using kernel::Op;

Rule floating_rule(Operands operands, Op op) {
  const DType floating = function_dtype(operands);
  return Rule{op, floating, floating};
}

Array floating_binary(const char* name, Op op, const Operand& a, const Operand& b) {
  const Call call{name, a.where()};
  const Operand* const operands[] = {&a, &b};
  const Shape shape = common_shape(call, operands, recorder_of(call));
  return record_new(call, floating_rule(operands, op), operands, shape);
}

// Integers and bools are whole as they are.
Array rounded(const char* name, Op op, const Operand& a) {
  const Call call{name, a.where()};
  const DType dtype = dtype_of_operand(call, a);
  refuse_complex(call, dtype);
  const Operand* const operands[] = {&a};
  return record_new(call, Rule{is_floating(dtype) ? op : Op::Cast, dtype, dtype}, operands);
}

// The operand as an array of floats.
Array held_floating(const Call& call, const Operand& a) {
  const Array x = held(call, a);
  refuse_complex(call, x.dtype());
  return is_floating(x.dtype()) ? x : x.astype(function_dtype(x.dtype()), call.where);
}

// The factor as NumPy has it in each width.
Array times(const char* name, const Operand& a, double wide, float narrow) {
  const Call call{name, a.where()};
  const DType dtype = dtype_of_operand(call, a);
  refuse_complex(call, dtype);
  const DType result = function_dtype(dtype), compute = wide_of(result);
  const Operand factor(compute == DType::Float32 ? narrow : wide, call.where);
  const Operand* const operands[] = {&a, &factor};
  return record_new(call, Rule{Op::Multiply, compute, result}, operands);
}

// SciPy's functions: what NumPy has float16 of is float64.
Array special_function(const char* name, Op op, const Operand& a) {
  const Call call{name, a.where()};
  const DType dtype = function_dtype(dtype_of_operand(call, a));
  const DType wide = dtype == DType::Float16 ? DType::Float64 : dtype;
  const Operand* const operands[] = {&a};
  return record_new(call, Rule{op, wide, wide}, operands);
}

// The function of each part.
template <class Function>
Array of_parts(const Call& call, const Operand& a, const Function& function) {
  const Array x = held(call, a);
  const Operand number(x, call.where);
  const Array re = real(number), im = imag(number);
  return join_parts(call, function(Operand(re, call.where)), function(Operand(im, call.where)));
}

double power_of_ten(int exponent) {
  double power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

Rule fmin_rule(const Call&, Operands operands) {
  const DType dtype = common_dtype(operands);
  return Rule{is_inexact(dtype) ? Op::Fmin : dtype == DType::Bool ? Op::And : Op::Minimum, dtype, dtype};
}

Rule fmax_rule(const Call&, Operands operands) {
  const DType dtype = common_dtype(operands);
  return Rule{is_inexact(dtype) ? Op::Fmax : dtype == DType::Bool ? Op::Or : Op::Maximum, dtype, dtype};
}

}  // namespace

Array floor(const Operand& a) {
  return rounded("floor", Op::Floor, a);
}
Array ceil(const Operand& a) {
  return rounded("ceil", Op::Ceil, a);
}
Array trunc(const Operand& a) {
  return rounded("trunc", Op::Trunc, a);
}
Array rint(const Operand& a) {
  return floating_function("rint", Op::Rint, a);
}

Array round(const Operand& a, int decimals) {
  const Call call{"round", a.where()};
  const DType dtype = dtype_of_operand(call, a);
  if (is_complex(dtype)) return of_parts(call, a, [=](const Operand& part) { return round(part, decimals); });
  if (is_integer(dtype) && decimals >= 0) return rounded("round", Op::Rint, a);
  if (decimals == 0) return floating_function("round", Op::Rint, a);
  const Operand ten(power_of_ten(std::abs(decimals)), call.where);
  const Array scaled = decimals > 0 ? a * ten : a / ten;
  const Array whole = floating_function("round", Op::Rint, Operand(scaled, call.where));
  const Operand again(whole, call.where);
  const Array result = decimals > 0 ? again / ten : again * ten;
  return is_integer(dtype) ? result.astype(dtype, call.where) : result;
}

Array copysign(const Operand& a, const Operand& b) {
  return floating_binary("copysign", Op::Copysign, a, b);
}

Array signbit(const Operand& a) {
  const Call call{"signbit", a.where()};
  const Array x = held(call, a);
  refuse_complex(call, x.dtype());
  const Operand cell(x, call.where), zero(0, call.where), one(1, call.where);
  return is_floating(x.dtype()) ? Operand(copysign(one, cell), call.where) < zero : cell < zero;
}

Array nextafter(const Operand& a, const Operand& b) {
  return floating_binary("nextafter", Op::Nextafter, a, b);
}

Array ldexp(const Operand& a, const Operand& exponent) {
  const Call call{"ldexp", a.where()};
  const Operand* const operands[] = {&a, &exponent};
  const Shape shape = common_shape(call, operands, recorder_of(call));
  const DType of_exponent = dtype_of_operand(call, exponent);
  if (is_floating(of_exponent)) {
    fail<DTypeError>(call, "the exponents are ", of_exponent,
                     ", not integers: cast them with astype(int64), or write a * np::exp2(exponent)");
  }
  const DType dtype = floating_rule(Operands(operands).first(1), Op::Ldexp).compute;
  return record_new(call, Rule{Op::Ldexp, dtype, dtype}, operands, shape);
}

std::pair<Array, Array> frexp(const Operand& a) {
  const Call call{"frexp", a.where()};
  const Array x = held_floating(call, a);
  const Operand cell(x, call.where);
  const Operand* const operands[] = {&cell};
  Array mantissa = record_new(call, Rule{Op::FrexpMantissa, x.dtype(), x.dtype()}, operands);
  Array exponent = record_new(call, Rule{Op::FrexpExponent, x.dtype(), DType::Int32}, operands);
  return {std::move(mantissa), std::move(exponent)};
}

std::pair<Array, Array> modf(const Operand& a) {
  const Call call{"modf", a.where()};
  const Array x = held_floating(call, a);
  const Operand cell(x, call.where), zero(0, call.where);
  Array whole = trunc(cell);
  const Array infinite = isinf(cell), rest = cell - Operand(whole, call.where);
  const Array part = where(Operand(infinite, call.where), zero, Operand(rest, call.where));
  return {copysign(Operand(part, call.where), cell), std::move(whole)};
}

Array isposinf(const Operand& a) {
  const Call call{"isposinf", a.where()};
  const Array x = held(call, a);
  refuse_complex(call, x.dtype());
  const Operand cell(x, call.where);
  return is_floating(x.dtype()) ? cell == Operand(std::numeric_limits<double>::infinity(), call.where) : cell != cell;
}

Array isneginf(const Operand& a) {
  const Call call{"isneginf", a.where()};
  const Array x = held(call, a);
  refuse_complex(call, x.dtype());
  const Operand cell(x, call.where);
  return is_floating(x.dtype()) ? cell == Operand(-std::numeric_limits<double>::infinity(), call.where) : cell != cell;
}

Array nan_to_num(const Operand& a, double nan, std::optional<double> posinf, std::optional<double> neginf) {
  const Call call{"nan_to_num", a.where()};
  const Array x = held(call, a);
  if (is_complex(x.dtype()))
    return of_parts(call, a, [&](const Operand& part) { return nan_to_num(part, nan, posinf, neginf); });
  if (!is_floating(x.dtype())) return x.copy(call.where);
  const double largest = finfo(x.dtype(), call.where).max;
  const Operand cell(x, call.where);
  const auto replaced = [&](const Array& where_so, double by, const Array& otherwise) {
    return where(Operand(where_so, call.where), Operand(by, call.where), Operand(otherwise, call.where));
  };
  const Array above = replaced(isposinf(cell), posinf.value_or(largest), x);
  const Array both = replaced(isneginf(cell), neginf.value_or(-largest), above);
  return replaced(isnan(cell), nan, both);
}

Array fmin(const Operand& a, const Operand& b) {
  return record_binary("fmin", fmin_rule, a, b);
}
Array fmax(const Operand& a, const Operand& b) {
  return record_binary("fmax", fmax_rule, a, b);
}
Array heaviside(const Operand& a, const Operand& b) {
  return floating_binary("heaviside", Op::Heaviside, a, b);
}
Array fabs(const Operand& a) {
  refuse_complex(Call{"fabs", a.where()}, dtype_of_operand(Call{"fabs", a.where()}, a));
  return floating_function("fabs", Op::Absolute, a);
}

Array exp2(const Operand& a) {
  return floating_function("exp2", Op::Exp2, a);
}
Array expm1(const Operand& a) {
  return floating_function("expm1", Op::Expm1, a);
}
Array log2(const Operand& a) {
  return floating_function("log2", Op::Log2, a);
}
Array log10(const Operand& a) {
  return floating_function("log10", Op::Log10, a);
}
Array log1p(const Operand& a) {
  return floating_function("log1p", Op::Log1p, a);
}
Array cbrt(const Operand& a) {
  return floating_function("cbrt", Op::Cbrt, a);
}
Array logaddexp(const Operand& a, const Operand& b) {
  return floating_binary("logaddexp", Op::LogAddExp, a, b);
}
Array logaddexp2(const Operand& a, const Operand& b) {
  return floating_binary("logaddexp2", Op::LogAddExp2, a, b);
}

Array sin(const Operand& a) {
  return floating_function("sin", Op::Sin, a);
}
Array cos(const Operand& a) {
  return floating_function("cos", Op::Cos, a);
}
Array tan(const Operand& a) {
  return floating_function("tan", Op::Tan, a);
}
Array arcsin(const Operand& a) {
  return floating_function("arcsin", Op::Arcsin, a);
}
Array arccos(const Operand& a) {
  return floating_function("arccos", Op::Arccos, a);
}
Array arctan(const Operand& a) {
  return floating_function("arctan", Op::Arctan, a);
}
Array arctan2(const Operand& y, const Operand& x) {
  return floating_binary("arctan2", Op::Arctan2, y, x);
}
Array hypot(const Operand& a, const Operand& b) {
  return floating_binary("hypot", Op::Hypot, a, b);
}
Array sinh(const Operand& a) {
  return floating_function("sinh", Op::Sinh, a);
}
Array cosh(const Operand& a) {
  return floating_function("cosh", Op::Cosh, a);
}
Array tanh(const Operand& a) {
  return floating_function("tanh", Op::Tanh, a);
}
Array arcsinh(const Operand& a) {
  return floating_function("arcsinh", Op::Arcsinh, a);
}
Array arccosh(const Operand& a) {
  return floating_function("arccosh", Op::Arccosh, a);
}
Array arctanh(const Operand& a) {
  return floating_function("arctanh", Op::Arctanh, a);
}
Array sinc(const Operand& a) {
  const Call call{"sinc", a.where()};
  const DType dtype = dtype_of_operand(call, a), wide = is_inexact(dtype) ? dtype : DType::Float64;
  const Operand* const operands[] = {&a};
  return record_new(call, Rule{Op::Sinc, wide, wide}, operands);
}

Array degrees(const Operand& a) {
  return times("degrees", a, 180 / std::numbers::pi, 180 / std::numbers::pi_v<float>);
}
Array radians(const Operand& a) {
  return times("radians", a, std::numbers::pi / 180, std::numbers::pi_v<float> / 180);
}

Array erf(const Operand& a) {
  return special_function("erf", Op::Erf, a);
}
Array erfc(const Operand& a) {
  return special_function("erfc", Op::Erfc, a);
}
Array gamma(const Operand& a) {
  return special_function("gamma", Op::Gamma, a);
}
Array lgamma(const Operand& a) {
  return special_function("lgamma", Op::LogGamma, a);
}

}  // namespace pilum::numeric
