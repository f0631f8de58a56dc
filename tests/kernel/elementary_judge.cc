#include "tests/kernel/elementary_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <mpfr.h>

namespace pilum::kernel::test {
namespace {

constexpr mpfr_prec_t kBits = 256;

// A number of MPFR's that ends with its scope.
class Real {
 public:
  explicit Real(double value = 0, mpfr_prec_t bits = kBits) {
    mpfr_init2(value_, bits);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

void logaddexp(mpfr_ptr result, mpfr_ptr a, mpfr_ptr b, bool two) {
  const auto exp = two ? mpfr_exp2 : mpfr_exp;
  const auto log = two ? mpfr_log2 : mpfr_log;
  if (mpfr_nan_p(a) || mpfr_nan_p(b)) {
    mpfr_set_nan(result);
    return;
  }
  if (mpfr_cmp(a, b) < 0) std::swap(a, b);
  Real part(0, 4 * kBits), one(1);
  mpfr_sub(part, b, a, MPFR_RNDN);
  if (mpfr_nan_p(part)) {  // of infinities
    mpfr_set(result, a, MPFR_RNDN);
    return;
  }
  exp(part, part, MPFR_RNDN);
  mpfr_add(part, part, one, MPFR_RNDN);
  log(part, part, MPFR_RNDN);
  mpfr_add(result, a, part, MPFR_RNDN);
}

void evaluate(Op op, mpfr_ptr result, mpfr_ptr a, mpfr_ptr b) {
  constexpr mpfr_rnd_t kNearest = MPFR_RNDN;
  switch (op) {
    case Op::Exp: mpfr_exp(result, a, kNearest); return;
    case Op::Log: mpfr_log(result, a, kNearest); return;
    case Op::Exp2: mpfr_exp2(result, a, kNearest); return;
    case Op::Expm1: mpfr_expm1(result, a, kNearest); return;
    case Op::Log2: mpfr_log2(result, a, kNearest); return;
    case Op::Log10: mpfr_log10(result, a, kNearest); return;
    case Op::Log1p: mpfr_log1p(result, a, kNearest); return;
    case Op::Cbrt: mpfr_cbrt(result, a, kNearest); return;
    case Op::Sin: mpfr_sin(result, a, kNearest); return;
    case Op::Cos: mpfr_cos(result, a, kNearest); return;
    case Op::Tan: mpfr_tan(result, a, kNearest); return;
    case Op::Arcsin: mpfr_asin(result, a, kNearest); return;
    case Op::Arccos: mpfr_acos(result, a, kNearest); return;
    case Op::Arctan: mpfr_atan(result, a, kNearest); return;
    case Op::Sinh: mpfr_sinh(result, a, kNearest); return;
    case Op::Cosh: mpfr_cosh(result, a, kNearest); return;
    case Op::Tanh: mpfr_tanh(result, a, kNearest); return;
    case Op::Arcsinh: mpfr_asinh(result, a, kNearest); return;
    case Op::Arccosh: mpfr_acosh(result, a, kNearest); return;
    case Op::Arctanh: mpfr_atanh(result, a, kNearest); return;
    case Op::Erf: mpfr_erf(result, a, kNearest); return;
    case Op::Erfc: mpfr_erfc(result, a, kNearest); return;
    case Op::Gamma: mpfr_gamma(result, a, kNearest); return;
    case Op::LogGamma: {
      int sign;
      mpfr_lgamma(result, &sign, a, kNearest);
      return;
    }
    case Op::Power: mpfr_pow(result, a, b, kNearest); return;
    case Op::Hypot: mpfr_hypot(result, a, b, kNearest); return;
    case Op::Arctan2: mpfr_atan2(result, a, b, kNearest); return;
    case Op::LogAddExp: return logaddexp(result, a, b, /*two=*/false);
    case Op::LogAddExp2: return logaddexp(result, a, b, /*two=*/true);
    case Op::Sinc: {
      if (mpfr_zero_p(a)) {
        mpfr_set_ui(result, 1, kNearest);
        return;
      }
      Real angle(0, 1400), sine(0, kBits);
      mpfr_const_pi(angle, kNearest);
      mpfr_mul(angle, angle, a, kNearest);
      mpfr_integer_p(a) ? mpfr_set_zero(sine, 1) : static_cast<void>(mpfr_sin(sine, angle, kNearest));
      mpfr_div(result, sine, angle, kNearest);
      return;
    }
    default: throw std::logic_error("no elementary function");
  }
}

template <class T>
double error_of(Op op, T a, T b, T got) {
  Real exact, x(a), y(b), difference(0);
  evaluate(op, exact, x, y);
  mpfr_ptr value = exact;
  T rounded;
  if constexpr (sizeof(T) == 8) {
    rounded = mpfr_get_d(value, MPFR_RNDN);
  } else {
    rounded = mpfr_get_flt(value, MPFR_RNDN);
  }
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isnan(got)) return HUGE_VAL;
  using Limits = std::numeric_limits<T>;
  if (std::isinf(got) || mpfr_inf_p(value)) return got == rounded ? 0 : HUGE_VAL;
  mpfr_sub_d(difference, value, static_cast<double>(got), MPFR_RNDN);
  long exponent = Limits::min_exponent;
  const auto at_least = [&](mpfr_ptr number) {
    if (mpfr_regular_p(number)) exponent = std::max<long>(exponent, mpfr_get_exp(number));
  };
  at_least(value);
  if (op == Op::LogGamma && a < 0) exponent = std::max(exponent, 1L);
  if (op == Op::LogAddExp || op == Op::LogAddExp2) at_least(a > b ? x : y);
  mpfr_mul_2si(difference, difference, Limits::digits - exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDN));
}

}  // namespace

bool judge_available() {
  return true;
}

double error_in_ulps(Op op, double a, double b, double got) {
  return error_of(op, a, b, got);
}
double error_in_ulps(Op op, float a, float b, float got) {
  return error_of(op, a, b, got);
}

}  // namespace pilum::kernel::test
