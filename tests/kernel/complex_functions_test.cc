// Functions of complex numbers: the special values of C's Annex G and of the array API standard 2025.12, and how far
// the results are from those of long double.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>

#include "runtime/kernel/ir/builder.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

using Complex = std::complex<double>;
using Narrow = std::complex<float>;
using Wide = std::complex<long double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;

template <class T>
constexpr DType kDTypeOf = std::is_same_v<T, Complex> ? DType::Complex128 : DType::Complex64;

// What a kernel makes of each of the numbers; of two ops the second operand is in `others`.
template <class T>
std::vector<T> values_of(Op op, const std::vector<T>& numbers, const std::vector<T>& others = {}) {
  const DType dtype = kDTypeOf<T>;
  const auto count = static_cast<std::int64_t>(numbers.size());
  Problem problem;
  problem.extent = {count};
  Builder builder(1);
  const auto add = [&](const std::vector<T>& cells, Access access) {
    problem.fields.push_back(Field::make(dtype, {count}));
    for (std::size_t k = 0; k < cells.size(); ++k)
      std::memcpy(problem.fields.back().cell({static_cast<std::int64_t>(k)}), &cells[k], sizeof(T));
    problem.bindings.push_back(Binding::identity(static_cast<int>(problem.fields.size()) - 1, 1));
    return builder.add_array({dtype, access, Inner::Contiguous, 1});
  };
  const ValueId a = builder.load(add(numbers, Access::Read));
  const ValueId value =
      others.empty() ? builder.unary(op, a) : builder.binary(op, a, builder.load(add(others, Access::Read)));
  builder.store(add({}, Access::Write), value);
  problem.kernel = builder.finish();
  std::vector<Field> fields = run_compiled(problem, kPlain);
  std::vector<T> values(numbers.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    std::memcpy(&values[k], fields.back().cell({static_cast<std::int64_t>(k)}), sizeof(T));
  return values;
}

enum class Signs { Of, Any };  // of what is written, or of what is said to be open

struct Special {
  Op op;
  Complex at, value;
  Signs signs = Signs::Of;
};

bool is_same(double got, double wanted, Signs signs) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (signs == Signs::Any) return std::fabs(got) == std::fabs(wanted);
  if (wanted == 0 || std::isinf(wanted)) return got == wanted && std::signbit(got) == std::signbit(wanted);
  return std::fabs(got - wanted) <= 4 * std::numeric_limits<double>::epsilon() * std::fabs(wanted);
}

const Special kSpecial[] = {
    {Op::Arccos, {0, 0}, {kPi / 2, -0.0}},
    {Op::Arccos, {-0.0, 0}, {kPi / 2, -0.0}},
    {Op::Arccos, {0, kNan}, {kPi / 2, kNan}},
    {Op::Arccos, {2, kInf}, {kPi / 2, -kInf}},
    {Op::Arccos, {2, kNan}, {kNan, kNan}},
    {Op::Arccos, {-kInf, 1}, {kPi, -kInf}},
    {Op::Arccos, {kInf, 1}, {0, -kInf}},
    {Op::Arccos, {-kInf, kInf}, {3 * kPi / 4, -kInf}},
    {Op::Arccos, {kInf, kInf}, {kPi / 4, -kInf}},
    {Op::Arccos, {kInf, kNan}, {kNan, kInf}, Signs::Any},
    {Op::Arccos, {kNan, 1}, {kNan, kNan}},
    {Op::Arccos, {kNan, kInf}, {kNan, -kInf}},
    {Op::Arccos, {kNan, kNan}, {kNan, kNan}},
    {Op::Arccos, {2, 0}, {0, -1.3169578969248167}},
    {Op::Arccos, {2, -0.0}, {0, 1.3169578969248167}},
    {Op::Arccos, {-2, 0}, {kPi, -1.3169578969248167}},
    {Op::Arccosh, {0, 0}, {0, kPi / 2}},
    {Op::Arccosh, {2, kInf}, {kInf, kPi / 2}},
    {Op::Arccosh, {0, kNan}, {kNan, kPi / 2}, Signs::Any},
    {Op::Arccosh, {2, kNan}, {kNan, kNan}},
    {Op::Arccosh, {-kInf, 1}, {kInf, kPi}},
    {Op::Arccosh, {kInf, 1}, {kInf, 0}},
    {Op::Arccosh, {-kInf, kInf}, {kInf, 3 * kPi / 4}},
    {Op::Arccosh, {kInf, kInf}, {kInf, kPi / 4}},
    {Op::Arccosh, {-kInf, kNan}, {kInf, kNan}},
    {Op::Arccosh, {kNan, kInf}, {kInf, kNan}},
    {Op::Arccosh, {kNan, 1}, {kNan, kNan}},
    {Op::Arccosh, {-2, -0.0}, {1.3169578969248167, -kPi}},
    {Op::Arcsinh, {0, 0}, {0, 0}},
    {Op::Arcsinh, {-0.0, 0}, {-0.0, 0}},
    {Op::Arcsinh, {2, kInf}, {kInf, kPi / 2}},
    {Op::Arcsinh, {2, kNan}, {kNan, kNan}},
    {Op::Arcsinh, {kInf, 1}, {kInf, 0}},
    {Op::Arcsinh, {kInf, kInf}, {kInf, kPi / 4}},
    {Op::Arcsinh, {kInf, kNan}, {kInf, kNan}},
    {Op::Arcsinh, {kNan, 0}, {kNan, 0}},
    {Op::Arcsinh, {kNan, 1}, {kNan, kNan}},
    {Op::Arcsinh, {kNan, kInf}, {kInf, kNan}, Signs::Any},
    {Op::Arcsinh, {0, 2}, {1.3169578969248167, kPi / 2}},
    {Op::Arcsinh, {-0.0, 2}, {-1.3169578969248167, kPi / 2}},
    {Op::Arcsin, {0, -0.0}, {0, -0.0}},
    {Op::Arcsin, {2, 0}, {kPi / 2, 1.3169578969248167}},
    {Op::Arcsin, {2, -0.0}, {kPi / 2, -1.3169578969248167}},
    {Op::Arcsin, {1, kInf}, {0, kInf}},
    {Op::Arcsin, {kInf, 1}, {kPi / 2, kInf}},
    {Op::Arcsin, {0, kNan}, {0, kNan}},
    {Op::Arctanh, {0, 0}, {0, 0}},
    {Op::Arctanh, {0, kNan}, {0, kNan}},
    {Op::Arctanh, {1, 0}, {kInf, 0}},
    {Op::Arctanh, {2, kInf}, {0, kPi / 2}},
    {Op::Arctanh, {2, kNan}, {kNan, kNan}},
    {Op::Arctanh, {kInf, 1}, {0, kPi / 2}},
    {Op::Arctanh, {kInf, kInf}, {0, kPi / 2}},
    {Op::Arctanh, {kInf, kNan}, {0, kNan}},
    {Op::Arctanh, {kNan, 1}, {kNan, kNan}},
    {Op::Arctanh, {kNan, kInf}, {0, kPi / 2}, Signs::Any},
    {Op::Arctanh, {2, 0}, {0.54930614433405484, kPi / 2}},
    {Op::Arctanh, {2, -0.0}, {0.54930614433405484, -kPi / 2}},
    {Op::Arctanh, {0x1p1000, 0x1p1000}, {0x1p-1001, kPi / 2}},
    {Op::Arctan, {0, 2}, {kPi / 2, 0.54930614433405484}},
    {Op::Arctan, {-0.0, 2}, {-kPi / 2, 0.54930614433405484}},
    {Op::Arctan, {kInf, kInf}, {kPi / 2, 0}},
    {Op::Tanh, {0, 0}, {0, 0}},
    {Op::Tanh, {2, kInf}, {kNan, kNan}},
    {Op::Tanh, {0, kInf}, {0, kNan}},
    {Op::Tanh, {2, kNan}, {kNan, kNan}},
    {Op::Tanh, {0, kNan}, {0, kNan}},
    {Op::Tanh, {kInf, 1}, {1, 0}},
    {Op::Tanh, {-kInf, 1}, {-1, 0}},
    {Op::Tanh, {kInf, kInf}, {1, 0}, Signs::Any},
    {Op::Tanh, {kInf, kNan}, {1, 0}, Signs::Any},
    {Op::Tanh, {kNan, 0}, {kNan, 0}},
    {Op::Tanh, {kNan, 1}, {kNan, kNan}},
    {Op::Tanh, {800, 1}, {1, 0}},
    {Op::Tan, {0, -0.0}, {0, -0.0}},
    {Op::Tan, {1, kInf}, {0, 1}},
    {Op::Tan, {kInf, 2}, {kNan, kNan}},
    {Op::Expm1, {0, 0}, {0, 0}},
    {Op::Expm1, {-0.0, -0.0}, {-0.0, -0.0}},
    {Op::Expm1, {2, kInf}, {kNan, kNan}},
    {Op::Expm1, {2, kNan}, {kNan, kNan}},
    {Op::Expm1, {kInf, 0}, {kInf, 0}},
    {Op::Expm1, {-kInf, 1}, {-1, 0}},
    {Op::Expm1, {kInf, 2}, {-kInf, kInf}},
    {Op::Expm1, {-kInf, kInf}, {-1, 0}, Signs::Any},
    {Op::Expm1, {kInf, kInf}, {kInf, kNan}, Signs::Any},
    {Op::Expm1, {-kInf, kNan}, {-1, 0}, Signs::Any},
    {Op::Expm1, {kInf, kNan}, {kInf, kNan}, Signs::Any},
    {Op::Expm1, {kNan, 0}, {kNan, 0}},
    {Op::Expm1, {kNan, 1}, {kNan, kNan}},
    {Op::Log1p, {-1, 0}, {-kInf, 0}},
    {Op::Log1p, {2, kInf}, {kInf, kPi / 2}},
    {Op::Log1p, {2, kNan}, {kNan, kNan}},
    {Op::Log1p, {-kInf, 1}, {kInf, kPi}},
    {Op::Log1p, {kInf, 1}, {kInf, 0}},
    {Op::Log1p, {-kInf, kInf}, {kInf, 3 * kPi / 4}},
    {Op::Log1p, {kInf, kInf}, {kInf, kPi / 4}},
    {Op::Log1p, {kInf, kNan}, {kInf, kNan}},
    {Op::Log1p, {kNan, 1}, {kNan, kNan}},
    {Op::Log1p, {kNan, kInf}, {kInf, kNan}},
    {Op::Log1p, {0, -0.0}, {0, -0.0}},
    {Op::Log2, {8, 0}, {3, 0}},
    {Op::Log2, {0, 0}, {-kInf, 0}},
    {Op::Log2, {0x1p1023, 0x1p1023}, {1023.5, kPi / 4 / std::numbers::ln2}},
    {Op::Log10, {1000, 0}, {3, 0}},
    {Op::Log10, {-0.0, 0}, {-kInf, kPi / std::numbers::ln10}},
    {Op::Exp2, {3, 0}, {8, 0}},
    {Op::Exp2, {-kInf, 1}, {0, 0}},
    {Op::Exp2, {kInf, 0}, {kInf, 0}},
    {Op::Exp2, {kInf, kNan}, {kInf, kNan}, Signs::Any},
    {Op::Sinc, {0, 0}, {1, 0}, Signs::Any},
    {Op::Sinc, {2, 0}, {0, 0}, Signs::Any},
    {Op::Rint, {2.5, -0.5}, {2, -0.0}},
};

TEST(ComplexFunctions, HaveTheStandardsSpecialValues) {
  for (const Special& one : kSpecial) {
    const Complex got = values_of<Complex>(one.op, {one.at})[0];
    const auto is_value = [&](double re, double im) {
      return is_same(got.real(), re, one.signs) && is_same(got.imag(), im, one.signs);
    };
    EXPECT_TRUE(is_value(one.value.real(), one.value.imag()))
        << name(one.op) << " of " << one.at << " is " << got << ", not " << one.value;
    // On the other side of the real axis the conjugate.
    const Complex below = values_of<Complex>(one.op, {std::conj(one.at)})[0];
    EXPECT_TRUE(is_same(below.real(), got.real(), one.signs) && is_same(below.imag(), -got.imag(), one.signs))
        << name(one.op) << " of " << std::conj(one.at) << " is " << below;
  }
}

Wide exact(Op op, Wide z) {
  const long double x = z.real(), y = z.imag();
  constexpr long double kLn2 = std::numbers::ln2_v<long double>, kLongPi = std::numbers::pi_v<long double>;
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
    case Op::Exp2: return std::exp2(x) * Wide(std::cos(y * kLn2), std::sin(y * kLn2));
    case Op::Expm1: {
      const long double half = std::sin(y / 2);
      return {std::expm1(x) * std::cos(y) - 2 * half * half, std::exp(x) * std::sin(y)};
    }
    case Op::Log2: return std::log(z) / kLn2;
    case Op::Log10: return std::log(z) / std::numbers::ln10_v<long double>;
    case Op::Log1p:
      if (std::fabs(x) + std::fabs(y) > 0.25L) return std::log(z + 1.0L);
      return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
    case Op::Sinc: {
      const long double turn = std::remainder(x, 2.0L);
      const long double s = std::sin(kLongPi * (std::fabs(turn) > 0.5L ? std::copysign(1.0L, turn) - turn : turn));
      return Wide(s * std::cosh(kLongPi * y), std::cos(kLongPi * turn) * std::sinh(kLongPi * y)) / (kLongPi * z);
    }
    default: throw std::logic_error("no function");
  }
}

// Near 0, 1 and i, near the axes, and far away.
template <class T>
std::vector<std::complex<T>> points(std::uint64_t seed, std::size_t count, double reach) {
  std::mt19937_64 random(seed);
  const auto drawn = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const auto sized = [&] { return std::exp2(drawn(-40, reach)) * (random() % 2 ? 1 : -1); };
  std::vector<std::complex<T>> all;
  while (all.size() < count) {
    double x = drawn(-3, 3), y = drawn(-3, 3);
    switch (random() % 6) {
      case 0: x = sized(), y = sized(); break;
      case 1: x = 1 + sized() / 1e3, y = sized() / 1e3; break;
      case 2: x = sized() / 1e3, y = -1 + sized() / 1e3; break;
      case 3: y = sized(); break;
      case 4: x = sized(); break;
      default: break;
    }
    if (std::fabs(x) < std::exp2(reach) && std::fabs(y) < std::exp2(reach))
      all.emplace_back(static_cast<T>(x), static_cast<T>(y));
  }
  return all;
}

template <class T>
long double unit_of(long double size) {
  const T rounded = static_cast<T>(std::fabs(size));
  const T next = std::nextafter(rounded, std::numeric_limits<T>::infinity());
  return std::max<long double>(static_cast<long double>(next) - rounded, std::numeric_limits<T>::min());
}

// In units of the last place of the result's size; and of the worse of its parts, each by itself.
struct Errors {
  long double of_size = 0, of_parts = 0;
  Complex at_size, at_part;
};
template <class T>
Errors errors_of(Op op, double reach) {
  Errors errors;
  const auto z = points<T>(static_cast<std::uint64_t>(op), 20'000, reach);
  const auto got = values_of(op, z);
  for (std::size_t k = 0; k < z.size(); ++k) {
    const Wide wanted = exact(op, Wide(z[k]));
    const long double size = std::abs(wanted);
    if (!std::isfinite(static_cast<T>(2 * size)) || size < 16 * std::numeric_limits<T>::min()) continue;
    const long double re = std::fabs(got[k].real() - wanted.real()), im = std::fabs(got[k].imag() - wanted.imag());
    const long double whole = std::max(re, im) / unit_of<T>(size);
    const long double part = std::max(re / unit_of<T>(wanted.real()), im / unit_of<T>(wanted.imag()));
    if (!(whole <= errors.of_size)) errors.of_size = whole, errors.at_size = Complex(z[k]);
    if (!(part <= errors.of_parts)) errors.of_parts = part, errors.at_part = Complex(z[k]);
  }
  return errors;
}

// `part`: 0 where digits of a part are lost, of which the size says nothing.
struct Bound {
  Op op;
  double reach, size, part;
};
// (measured: at most 3.9 of the size, of the inverse functions 3.3 of each part)
constexpr Bound kBounds[] = {
    {Op::Sqrt, 30, 4, 4},    {Op::Exp, 8, 4, 4},      {Op::Log, 30, 4, 0},     {Op::Sin, 8, 4, 4},
    {Op::Cos, 8, 4, 4},      {Op::Sinh, 8, 4, 4},     {Op::Cosh, 8, 4, 4},     {Op::Tan, 8, 5, 6},
    {Op::Tanh, 8, 5, 6},     {Op::Arcsin, 60, 4, 4},  {Op::Arccos, 60, 4, 4},  {Op::Arctan, 60, 4, 4},
    {Op::Arcsinh, 60, 4, 4}, {Op::Arccosh, 60, 4, 4}, {Op::Arctanh, 60, 4, 4}, {Op::Exp2, 9, 4, 0},
    {Op::Expm1, 8, 4, 0},    {Op::Log2, 30, 4, 0},    {Op::Log10, 30, 4, 0},   {Op::Log1p, 30, 4, 0},
    {Op::Sinc, 6, 8, 0},
};

TEST(ComplexFunctions, AreNearThoseOfLongDouble) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double has no digits more";
  for (const Bound& bound : kBounds) {
    const auto check = [&](const char* what, const Errors& errors) {
      RecordProperty(std::string(name(bound.op)) + what, std::to_string(errors.of_size));
      EXPECT_LE(errors.of_size, bound.size) << name(bound.op) << what << " at " << errors.at_size;
      if (bound.part > 0) {
        EXPECT_LE(errors.of_parts, bound.part) << name(bound.op) << what << " at " << errors.at_part;
      }
      if (std::getenv("PILUM_TEST_SAY"))
        std::printf("%-10s %-6s %.2Lf of the size (%g, %g), %.2Lf of a part (%g, %g)\n", name(bound.op), what,
                    errors.of_size, errors.at_size.real(), errors.at_size.imag(), errors.of_parts,
                    errors.at_part.real(), errors.at_part.imag());
    };
    check(" wide", errors_of<double>(bound.op, bound.reach));
    check(" narrow", errors_of<float>(bound.op, std::min(bound.reach, 6.0)));
  }
}

// By squares from the exponent's last bit on; those of 1, 2 and 3 are no longer than they must be.
Complex numpys_power(Complex a, int n) {
  const auto times = [](Complex x, Complex y) {
    return Complex(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
  };
  Complex result = 1, squares = a;
  for (int rest = n; rest > 0; rest /= 2) {
    if (rest % 2) result = times(result, squares);
    squares = times(squares, squares);
  }
  return result;
}

TEST(ComplexFunctions, WholePowersAreNumPysProducts) {
  for (int n = 0; n < 100; ++n) {
    const std::vector<Complex> a = points<double>(static_cast<std::uint64_t>(n), 50, 3);
    const std::vector<Complex> got = values_of(Op::Power, a, std::vector<Complex>(a.size(), Complex(n)));
    for (std::size_t k = 0; k < a.size(); ++k) {
      const Complex wanted = numpys_power(a[k], n);
      if (!std::isfinite(std::abs(wanted))) continue;
      EXPECT_EQ(got[k], wanted) << a[k] << " to the power of " << n;
    }
  }
}

TEST(ComplexFunctions, PowersHaveNumPysSpecialValues) {
  const std::vector<Complex> a = {0, 0, 0, 0, {0, -0.0}, {kInf, 0}, {kNan, 1}, {2, 3}, {2, 0}};
  const std::vector<Complex> b = {0, 1, -1, {0, 1}, {1, 1}, 0, 0, -1, {0, 0}};
  const std::vector<Complex> wanted = {1, 0, {kNan, kNan}, {kNan, kNan}, 0, 1, 1, {2.0 / 13, -3.0 / 13}, 1};
  const std::vector<Complex> got = values_of(Op::Power, a, b);
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_TRUE(is_same(got[k].real(), wanted[k].real(), Signs::Of) &&
                is_same(got[k].imag(), wanted[k].imag(), Signs::Any))
        << a[k] << " to the power of " << b[k] << " is " << got[k];
  }
}

// The error is that of the exponent's size.
TEST(ComplexFunctions, PowersAreNearThoseOfLongDouble) {
  const std::vector<Complex> a = points<double>(1, 10'000, 3), b = points<double>(2, 10'000, 3);
  const std::vector<Complex> got = values_of(Op::Power, a, b);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Wide exponent = Wide(b[k]) * std::log(Wide(a[k])), wanted = std::exp(exponent);
    if (!std::isfinite(static_cast<double>(2 * std::abs(wanted))) || std::abs(wanted) < 1e-300L) continue;
    EXPECT_LE(std::abs(Wide(got[k]) - wanted), (4 + 3 * std::abs(exponent)) * unit_of<double>(std::abs(wanted)))
        << a[k] << " to the power of " << b[k];
  }
}

}  // namespace
}  // namespace pilum::kernel::test
