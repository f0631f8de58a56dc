// Elementary functions: one text for numbers, vectors and every machine. Branch-free, IEEE operations and explicit
// fma only, so the bits are the same everywhere. Largest errors seen are in tests/kernel/elementary_test.cc.
//
// exp: x = k ln2 + r, |r| <= ln2 / 2 (W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980,
// chapter 6). With fma, k * ln2_hi is subtracted exactly. exp(r) = 1 + r + r^2 P(r), where P minimises the relative
// error of the whole (Remez' exchange, computed for this file; 0.03 ulp in float64, 0.05 in float32). 1 + r is added
// with its rounding error kept (T. J. Dekker, Numerische Mathematik 18, 1971, Fast2Sum). 2^k is multiplied in two
// halves, so that overflow and subnormal results round as IEEE says. The addend 1.5 * 2^52 + 2046 rounds x / ln2 to an
// integer and leaves k + 2046 in the low bits: both halves' exponents, biased.
//
// log: x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2); s = f / (2 + f); log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2))).
// Algorithm and coefficients of fdlibm's e_log.c (K. C. Ng, Sun Microsystems, 1993) and, in float32, of FreeBSD's
// e_logf.c; the cases of 0, negatives, infinity and NaN are selected at the end.
#include "runtime/kernel/host_elementary.h"

namespace pilum::kernel {
namespace {

constexpr std::string_view kExpFloat64 = R"(
template <class F, class I, class U>
inline F exp_f64(F x) {
  x = x < splat<F>(-746.0) ? splat<F>(-746.0) : x;
  x = x > splat<F>(710.0) ? splat<F>(710.0) : x;
  const F shifted = fma(x, splat<F>(0x1.71547652b82fep0), splat<F>(0x1.80000000007fep52));
  const F k = shifted - splat<F>(0x1.80000000007fep52);
  const F r = fma(k, splat<F>(-0x1.abc9e3b39803fp-56), fma(k, splat<F>(-0x1.62e42fefa39efp-1), x));
  const F r2 = r * r, r4 = r2 * r2;
  const F p01 = fma(r, splat<F>(0x1.55555555554fap-3), splat<F>(0x1.000000000000ap-1));
  const F p23 = fma(r, splat<F>(0x1.1111111127be9p-7), splat<F>(0x1.555555555087dp-5));
  const F p45 = fma(r, splat<F>(0x1.a01a012a56626p-13), splat<F>(0x1.6c16c1842a0e4p-10));
  const F p67 = fma(r, splat<F>(0x1.71df2555820b7p-19), splat<F>(0x1.a0199a0c7067bp-16));
  const F p89 = fma(r, splat<F>(0x1.ad7f6966eed54p-26), splat<F>(0x1.28ad72c46d724p-22));
  const F p = fma(r4, fma(r4, p89, fma(r2, p67, p45)), fma(r2, p23, p01));
  const F sum = splat<F>(1.0) + r;
  const F rest = (splat<F>(1.0) - sum) + r;
  const U exponents = bits<U>(shifted);
  const U half = exponents >> 1;
  return (sum + fma(r2, p, rest)) * bits<F>(half << 52) * bits<F>((exponents - half) << 52);
}
)";

constexpr std::string_view kExpFloat32 = R"(
template <class F, class I, class U>
inline F exp_f32(F x) {
  x = x < splat<F>(-104.0f) ? splat<F>(-104.0f) : x;
  x = x > splat<F>(89.0f) ? splat<F>(89.0f) : x;
  const F shifted = fma(x, splat<F>(0x1.715476p0f), splat<F>(0x1.8001fcp23f));
  const F k = shifted - splat<F>(0x1.8001fcp23f);
  const F r = fma(k, splat<F>(0x1.05c610p-29f), fma(k, splat<F>(-0x1.62e430p-1f), x));
  const F r2 = r * r;
  const F p01 = fma(r, splat<F>(0x1.555492p-3f), splat<F>(0x1.fffffcp-2f));
  const F p23 = fma(r, splat<F>(0x1.1239e2p-7f), splat<F>(0x1.5558f2p-5f));
  const F p = fma(r2, fma(r2, splat<F>(0x1.6a2436p-10f), p23), p01);
  const F sum = splat<F>(1.0f) + r;
  const F rest = (splat<F>(1.0f) - sum) + r;
  const U exponents = bits<U>(shifted);
  const U half = exponents >> 1;
  return (sum + fma(r2, p, rest)) * bits<F>(half << 23) * bits<F>((exponents - half) << 23);
}
)";

constexpr std::string_view kLogFloat64 = R"(
template <class F, class I, class U>
inline F log_f64(F x) {
  const auto tiny = x < splat<F>(0x1p-1022);
  const U word = bits<U>(tiny ? x * splat<F>(0x1p54) : x) - splat<U>(0x3fe6a09e00000000ul);
  const I exponent = bits<I>(word) >> 52;
  const F k = (bits<F>(exponent + splat<I>(0x4338000000000000l)) - splat<F>(0x1.8p52)) -
              (tiny ? splat<F>(54.0) : splat<F>(0.0));
  const F f = bits<F>((word & splat<U>(0xffffffffffffful)) + splat<U>(0x3fe6a09e00000000ul)) - splat<F>(1.0);
  const F half_square = splat<F>(0.5) * f * f;
  const F s = f / (splat<F>(2.0) + f);
  const F z = s * s, w = z * z;
  const F even = w * fma(w, fma(w, splat<F>(1.531383769920937332e-01), splat<F>(2.222219843214978396e-01)),
                         splat<F>(3.999999999940941908e-01));
  const F odd = z * fma(w, fma(w, fma(w, splat<F>(1.479819860511658591e-01), splat<F>(1.818357216161805012e-01)),
                               splat<F>(2.857142874366239149e-01)), splat<F>(6.666666666666735130e-01));
  const F finite = fma(s, half_square + (odd + even), k * splat<F>(1.90821492927058770002e-10)) - half_square + f +
                   k * splat<F>(6.93147180369123816490e-01);
  const F other = x > splat<F>(0.0) ? x : splat<F>(__builtin_nan(""));
  const F edge = x == splat<F>(0.0) ? splat<F>(-__builtin_inf()) : other;
  return (x > splat<F>(0.0)) & (x < splat<F>(__builtin_inf())) ? finite : edge;
}
)";

constexpr std::string_view kLogFloat32 = R"(
template <class F, class I, class U>
inline F log_f32(F x) {
  const auto tiny = x < splat<F>(0x1p-126f);
  const U word = bits<U>(tiny ? x * splat<F>(0x1p25f) : x) - splat<U>(0x3f3504f3u);
  const I exponent = bits<I>(word) >> 23;
  const F k = (bits<F>(exponent + splat<I>(0x4b400000)) - splat<F>(0x1.8p23f)) -
              (tiny ? splat<F>(25.0f) : splat<F>(0.0f));
  const F f = bits<F>((word & splat<U>(0x7fffffu)) + splat<U>(0x3f3504f3u)) - splat<F>(1.0f);
  const F half_square = splat<F>(0.5f) * f * f;
  const F s = f / (splat<F>(2.0f) + f);
  const F z = s * s, w = z * z;
  const F even = w * fma(w, splat<F>(0xf89e26.0p-26f), splat<F>(0xccce13.0p-25f));
  const F odd = z * fma(w, splat<F>(0x91e9ee.0p-25f), splat<F>(0xaaaaaa.0p-24f));
  const F finite = fma(s, half_square + (odd + even), k * splat<F>(9.0580006145e-06f)) - half_square + f +
                   k * splat<F>(6.9313812256e-01f);
  const F other = x > splat<F>(0.0f) ? x : splat<F>(__builtin_nanf(""));
  const F edge = x == splat<F>(0.0f) ? splat<F>(-__builtin_inff()) : other;
  return (x > splat<F>(0.0f)) & (x < splat<F>(__builtin_inff())) ? finite : edge;
}
)";

}  // namespace

std::string_view elementary_text(Op op, DType dtype) {
  const bool wide = dtype == DType::Float64;
  if (op == Op::Exp) return wide ? kExpFloat64 : kExpFloat32;
  return wide ? kLogFloat64 : kLogFloat32;
}

}  // namespace pilum::kernel
