#include "tests/random/dense_complex.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace pilum::random_programs {
namespace {

constexpr long double kPi = std::numbers::pi_v<long double>;

template <class T>
struct Complex {
  T re, im;
};

template <class T>
Complex<T> product(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// NumPy's loops: Smith's quotient, and the reciprocal, which is not that of 1.
template <class T>
Complex<T> quotient(Complex<T> a, Complex<T> b) {
  const T re = std::fabs(b.re), im = std::fabs(b.im);
  if (re >= im) {
    if (re == 0 && im == 0) return {a.re / re, a.im / re};
    const T ratio = b.im / b.re, scale = 1 / (b.re + b.im * ratio);
    return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
  }
  const T ratio = b.re / b.im, scale = 1 / (b.im + b.re * ratio);
  return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}

template <class T>
Complex<T> inverse(Complex<T> a) {
  if (std::fabs(a.im) <= std::fabs(a.re)) {
    const T ratio = a.im / a.re, size = a.re + a.im * ratio;
    return {1 / size, -ratio / size};
  }
  const T ratio = a.re / a.im, size = a.re * ratio + a.im;
  return {ratio / size, -1 / size};
}

template <class T>
T finite(T x) {
  return std::isnan(x) ? 0 : std::clamp(x, std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max());
}

std::complex<long double> sinc(std::complex<long double> z) {
  if (z == 0.0L) return 1;
  const long double turn = std::remainder(z.real(), 2.0L), height = z.imag() * kPi;
  const long double folded = std::fabs(turn) > 0.5L ? std::copysign(1 - std::fabs(turn), turn) : turn;
  const long double s = std::sin(folded * kPi), c = std::cos(turn * kPi);
  return std::complex<long double>(s * std::cosh(height), c * std::sinh(height)) / (z * kPi);
}

std::complex<long double> elementary(Op op, std::complex<long double> z) {
  switch (op) {
    case Op::Sqrt: return std::sqrt(z);
    case Op::Exp: return std::exp(z);
    case Op::Log: return std::log(z);
    case Op::Sin: return std::sin(z);
    case Op::Cos: return std::cos(z);
    case Op::Sinh: return std::sinh(z);
    case Op::Cosh: return std::cosh(z);
    case Op::Tan: return std::tan(z);
    case Op::Tanh: return std::tanh(z);
    case Op::Arcsin: return std::asin(z);
    case Op::Arccos: return std::acos(z);
    case Op::Arctan: return std::atan(z);
    case Op::Arcsinh: return std::asinh(z);
    case Op::Arccosh: return std::acosh(z);
    case Op::Arctanh: return std::atanh(z);
    case Op::Log2: return std::log(z) / std::numbers::ln2_v<long double>;
    case Op::Log10: return std::log(z) / std::numbers::ln10_v<long double>;
    case Op::Log1p: {
      const long double x = z.real(), y = z.imag();
      const bool is_near = std::fabs(x) < 0.25L && std::fabs(y) < 0.25L;
      const std::complex<long double> far = std::log(z + 1.0L);
      return {is_near ? std::log1p(x * (2 + x) + y * y) / 2 : far.real(), far.imag()};
    }
    case Op::Exp2: return std::exp(z * std::numbers::ln2_v<long double>);
    case Op::Expm1: {
      const long double half = std::sin(z.imag() / 2);
      return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half, std::exp(z.real()) * std::sin(z.imag())};
    }
    case Op::Sinc: return sinc(z);
    default: throw Invalid("an operation of complex numbers");
  }
}

template <class T>
Complex<T> computed(Op op, Complex<T> a, Complex<T> b) {
  switch (op) {
    case Op::Add: return {a.re + b.re, a.im + b.im};
    case Op::Subtract: return {a.re - b.re, a.im - b.im};
    case Op::Multiply: return product(a, b);
    case Op::Divide: return quotient(a, b);
    case Op::Negative: return {-a.re, -a.im};
    case Op::Conj: return {a.re, -a.im};
    case Op::Reciprocal: return inverse(a);
    case Op::Rint: return {std::nearbyint(a.re), std::nearbyint(a.im)};
    case Op::NanToNum: return {finite(a.re), finite(a.im)};
    case Op::Real: return {a.re, 0};
    case Op::Imag: return {a.im, 0};
    case Op::Sign: {
      if (std::isinf(a.re) || std::isinf(a.im)) throw Invalid("the sign of what is infinite");
      const T size = static_cast<T>(std::hypot(static_cast<long double>(a.re), static_cast<long double>(a.im)));
      if (size == 0) return {0, 0};
      return {a.re / size, a.im / size};
    }
    case Op::Abs:
      return {static_cast<T>(std::hypot(static_cast<long double>(a.re), static_cast<long double>(a.im))), 0};
    case Op::Angle:
      return {static_cast<T>(std::atan2(static_cast<long double>(a.im), static_cast<long double>(a.re))), 0};
    default: break;
  }
  if (!std::isfinite(a.re) || !std::isfinite(a.im)) throw Invalid("a function of what is not finite");
  const std::complex<long double> result = elementary(op, {a.re, a.im});
  return {static_cast<T>(result.real()), static_cast<T>(result.imag())};
}

template <class T>
Cell cell_of(Op op, Cell a, Cell b) {
  const auto of = [](Cell cell) { return Complex<T>{static_cast<T>(cell.floating), static_cast<T>(cell.imaginary)}; };
  const Complex<T> result = computed(op, of(a), of(b));
  return Cell{.floating = result.re, .imaginary = result.im};
}

double unit_of(double size, DType part) {
  if (part == DType::Float64) return std::nextafter(size, HUGE_VAL) - size;
  const auto narrow = static_cast<float>(size);
  return static_cast<double>(std::nextafterf(narrow, HUGE_VALF)) - narrow;
}

}  // namespace

DType part_of(DType dtype) {
  return dtype == DType::Complex64 ? DType::Float32 : dtype == DType::Complex128 ? DType::Float64 : dtype;
}

DType complex_of(DType part) {
  return part == DType::Float32 || part == DType::Float16 ? DType::Complex64 : DType::Complex128;
}

Cell complex_cell(Op op, Cell a, Cell b, DType dtype) {
  const bool same = a.floating == b.floating && a.imaginary == b.imaginary;
  if (op == Op::Equal) return Cell{.integer = same};
  if (op == Op::NotEqual) return Cell{.integer = !same};
  return dtype == DType::Complex64 ? cell_of<float>(op, a, b) : cell_of<double>(op, a, b);
}

DType dtype_of_complex_result(Op op, DType dtype) {
  if (op == Op::Equal || op == Op::NotEqual) return DType::Bool;
  return op == Op::Abs || op == Op::Real || op == Op::Imag || op == Op::Angle ? part_of(dtype) : dtype;
}

bool is_inexact_of_complex(Op op) {
  return op == Op::Abs || op == Op::Sign || op == Op::Sqrt || is_inexact(op);
}

double complex_tolerance(Op op, Cell result, DType dtype) {
  const double size = std::hypot(result.floating, result.imaginary);
  if (!std::isfinite(size)) return 0;
  const bool is_real = op == Op::Abs || op == Op::Angle;
  return (is_real ? 2 : 8) * unit_of(size, part_of(dtype));
}

ComplexProduct complex_product(const std::vector<Cell>& cells, DType dtype) {
  const bool narrow = dtype == DType::Complex64;
  std::complex<long double> result = 1;
  double size = 1, exponents = 0;
  for (Cell cell : cells) {
    if (!std::isfinite(cell.floating) || !std::isfinite(cell.imaginary)) throw Invalid("a product of what is infinite");
    const double reach = std::fabs(cell.floating) + std::fabs(cell.imaginary);
    if (reach != 0) exponents += std::fabs(std::log2(reach)) + 2;
    size *= reach;
    result = {result.real() * cell.floating - result.imag() * cell.imaginary,
              result.real() * cell.imaginary + result.imag() * cell.floating};
  }
  if (exponents > (narrow ? 60 : 500)) throw Invalid("a product near overflow");
  const double epsilon = narrow ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const auto rounded = [&](long double x) { return narrow ? static_cast<float>(x) : static_cast<double>(x); };
  return {Cell{.floating = rounded(result.real()), .imaginary = rounded(result.imag())},
          (2 * static_cast<double>(cells.size()) + 2) * epsilon * size};
}

}  // namespace pilum::random_programs
