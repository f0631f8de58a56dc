// What operations of complex numbers mean: for oracles. Products and quotients are written out, as in C++ they treat
// infinities in a way of their own.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>
#include <type_traits>

#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel::test {

template <class T>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

template <class C>
C quotient(C a, C b) {
  const auto size_re = std::fabs(b.real()), size_im = std::fabs(b.imag());
  if (size_re == 0 && size_im == 0) return {a.real() / size_re, a.imag() / size_im};
  if (size_re >= size_im) {
    const auto ratio = b.imag() / b.real(), scale = 1 / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const auto ratio = b.real() / b.imag(), scale = 1 / (b.imag() + b.real() * ratio);
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

template <class C>
C pi() {
  return static_cast<typename C::value_type>(std::numbers::pi);
}

template <class C>
bool is_not_a_number(C a) {
  return std::isnan(a.real()) || std::isnan(a.imag());
}

// NumPy's order: pairs of numbers, the real one first. Where there is a NaN beside a real part, this does not decide.
template <class C>
bool complex_less(C a, C b) {
  if (a.real() == b.real()) return a.imag() < b.imag();
  return a.real() < b.real() && !std::isnan(a.imag()) && !std::isnan(b.imag());
}

template <class C>
bool complex_less_equal(C a, C b) {
  return complex_less(a, b) || a == b;
}

template <class C>
bool complex_compare(Op op, C a, C b) {
  switch (op) {
    case Op::Equal: return a == b;
    case Op::NotEqual: return a != b;
    case Op::Less: return complex_less(a, b);
    case Op::LessEqual: return complex_less_equal(a, b);
    case Op::Greater: return complex_less(b, a);
    case Op::GreaterEqual: return complex_less_equal(b, a);
    default: throw std::logic_error(std::string(name(op)) + " of complex numbers");
  }
}

// Cast is the number itself; of Real, Imaginary and Absolute the real part is what there is.
template <class C>
C complex_arithmetic(Op op, C a, C b) {
  switch (op) {
    case Op::Cast: return a;
    case Op::Real: return C(a.real());
    case Op::Imaginary: return C(a.imag());
    case Op::Conjugate: return {a.real(), -a.imag()};
    case Op::Absolute: return C(std::hypot(a.real(), a.imag()));
    case Op::Negate: return {-a.real(), -a.imag()};
    case Op::Sqrt: return std::sqrt(a);
    case Op::Exp: return std::exp(a);
    case Op::Log: return std::log(a);
    case Op::Sin: return std::sin(a);
    case Op::Cos: return std::cos(a);
    case Op::Sinh: return std::sinh(a);
    case Op::Cosh: return std::cosh(a);
    case Op::Tan: return std::tan(a);
    case Op::Tanh: return std::tanh(a);
    case Op::Arcsin: return std::asin(a);
    case Op::Arccos: return std::acos(a);
    case Op::Arctan: return std::atan(a);
    case Op::Arcsinh: return std::asinh(a);
    case Op::Arccosh: return std::acosh(a);
    case Op::Arctanh: return std::atanh(a);
    case Op::Exp2: return std::exp(a * static_cast<decltype(a.real())>(std::numbers::ln2));
    case Op::Expm1: return std::exp(a) - C(1);
    case Op::Log2: return std::log(a) / static_cast<decltype(a.real())>(std::numbers::ln2);
    case Op::Log10: return std::log10(a);
    case Op::Log1p: return std::log(a + C(1));
    case Op::Rint: return {std::nearbyint(a.real()), std::nearbyint(a.imag())};
    case Op::Sinc: return a == C(0) ? C(1) : std::sin(a * pi<C>()) / (a * pi<C>());
    case Op::Power: return b == C(0) ? C(1) : a == C(0) ? C(0) : std::pow(a, b);
    case Op::Add: return {a.real() + b.real(), a.imag() + b.imag()};
    case Op::Subtract: return {a.real() - b.real(), a.imag() - b.imag()};
    case Op::Multiply: return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    case Op::Divide: return quotient(a, b);
    case Op::Minimum: return is_not_a_number(a) || complex_less_equal(a, b) ? a : b;
    case Op::Maximum: return is_not_a_number(a) || complex_less_equal(b, a) ? a : b;
    case Op::Fmin: return is_not_a_number(b) || complex_less_equal(a, b) ? a : b;
    case Op::Fmax: return is_not_a_number(b) || complex_less_equal(b, a) ? a : b;
    default: throw std::logic_error(std::string(name(op)) + " of complex numbers");
  }
}

}  // namespace pilum::kernel::test
