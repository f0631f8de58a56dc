// exp and log, in both widths: one text for numbers, vectors and every machine. Branch-free, IEEE operations and
// explicit fma only, so the bits are the same everywhere. Largest errors seen are in tests/kernel/elementary_test.cc.
//
// exp: x = k ln2 + r, |r| <= ln2 / 2 (W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980,
// chapter 6). With fma, k * ln2_hi is subtracted exactly. exp(r) = 1 + r + r^2 P(r), where P minimises the relative
// error of the whole (Remez' exchange, computed for this file; 0.03 ulp in float64, 0.05 in float32). 1 + r is added
// with its rounding error kept (T. J. Dekker, Numerische Mathematik 18, 1971, Fast2Sum). 2^k is multiplied in two
// halves, so that overflow and subnormal results round as IEEE says. The addend 1.5 * 2^52 + 2046 rounds x / ln2 to an
// integer and leaves k + 2046 in the low bits: both halves' exponents, biased.
//
// Both are called most, and have texts of their own for that: exp by exp_of_reduced() (function_exponential.cc) takes a
// tenth to a fifth more, for what is left of r, and log2, which goes by twice_artanh(), 1.4 times what log does.
//
// A constant of float32 stands in every lane as (constant - F{}).
//
// log: x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2); s = f / (2 + f); log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2))).
// Algorithm and coefficients of fdlibm's e_log.c (K. C. Ng, Sun Microsystems, 1993) and, in float32, of FreeBSD's
// e_logf.c; the cases of 0, negatives, infinity and NaN are selected at the end.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kExpFloat64{"exp", "", R"(inline F exp(F x) {
  x = x < K(-746.0) ? K(-746.0) : x;
  x = x > K(710.0) ? K(710.0) : x;
  const F shifted = FMA(x, K(0x1.71547652b82fep0), K(0x1.80000000007fep52));
  const F k = shifted - K(0x1.80000000007fep52);
  const F r = FMA(k, K(-0x1.abc9e3b39803fp-56), FMA(k, K(-0x1.62e42fefa39efp-1), x));
  const F r2 = r * r, r4 = r2 * r2;
  const F p01 = FMA(r, K(0x1.55555555554fap-3), K(0x1.000000000000ap-1));
  const F p23 = FMA(r, K(0x1.1111111127be9p-7), K(0x1.555555555087dp-5));
  const F p45 = FMA(r, K(0x1.a01a012a56626p-13), K(0x1.6c16c1842a0e4p-10));
  const F p67 = FMA(r, K(0x1.71df2555820b7p-19), K(0x1.a0199a0c7067bp-16));
  const F p89 = FMA(r, K(0x1.ad7f6966eed54p-26), K(0x1.28ad72c46d724p-22));
  const F p = FMA(r4, FMA(r4, p89, FMA(r2, p67, p45)), FMA(r2, p23, p01));
  const F sum = K(1.0) + r;
  const F rest = (K(1.0) - sum) + r;
  const U exponents = __builtin_bit_cast(U, shifted);
  const U half = exponents >> 1;
  return (sum + FMA(r2, p, rest)) * __builtin_bit_cast(F, half << 52) * __builtin_bit_cast(F, (exponents - half) << 52);
}
)"};

constexpr FunctionText kExpFloat32{"exp", "", R"(inline F exp(F x) {
  x = x < (-104.0f - F{}) ? (-104.0f - F{}) : x;
  x = x > (89.0f - F{}) ? (89.0f - F{}) : x;
  const F shifted = FMA(x, (0x1.715476p0f - F{}), (0x1.8001fcp23f - F{}));
  const F k = shifted - (0x1.8001fcp23f - F{});
  const F r = FMA(k, (0x1.05c610p-29f - F{}), FMA(k, (-0x1.62e430p-1f - F{}), x));
  const F r2 = r * r;
  const F p01 = FMA(r, (0x1.555492p-3f - F{}), (0x1.fffffcp-2f - F{}));
  const F p23 = FMA(r, (0x1.1239e2p-7f - F{}), (0x1.5558f2p-5f - F{}));
  const F p = FMA(r2, FMA(r2, (0x1.6a2436p-10f - F{}), p23), p01);
  const F sum = (1.0f - F{}) + r;
  const F rest = ((1.0f - F{}) - sum) + r;
  const U exponents = __builtin_bit_cast(U, shifted);
  const U half = exponents >> 1;
  return (sum + FMA(r2, p, rest)) * __builtin_bit_cast(F, half << 23) * __builtin_bit_cast(F, (exponents - half) << 23);
}
)"};

constexpr FunctionText kLogFloat64{"log", "", R"(inline F log(F x) {
  const auto tiny = x < K(0x1p-1022);
  const U word = __builtin_bit_cast(U, tiny ? x * K(0x1p54) : x) - (0x3fe6a09e00000000ul - U{});
  const I exponent = __builtin_bit_cast(I, word) >> 52;
  const F k = (__builtin_bit_cast(F, exponent + (0x4338000000000000l - I{})) - K(0x1.8p52)) -
              (tiny ? K(54.0) : K(0.0));
  const F f = __builtin_bit_cast(F, (word & (0xffffffffffffful - U{})) + (0x3fe6a09e00000000ul - U{})) - K(1.0);
  const F half_square = K(0.5) * f * f;
  const F s = f / (K(2.0) + f);
  const F z = s * s, w = z * z;
  const F even = w * FMA(w, FMA(w, K(1.531383769920937332e-01), K(2.222219843214978396e-01)),
                         K(3.999999999940941908e-01));
  const F odd = z * FMA(w, FMA(w, FMA(w, K(1.479819860511658591e-01), K(1.818357216161805012e-01)),
                               K(2.857142874366239149e-01)), K(6.666666666666735130e-01));
  const F finite = FMA(s, half_square + (odd + even), k * K(1.90821492927058770002e-10)) - half_square + f +
                   k * K(6.93147180369123816490e-01);
  const F other = x > K(0.0) ? x : (__builtin_nan("") - F{});
  const F edge = x == K(0.0) ? (-__builtin_inf() - F{}) : other;
  return (x > K(0.0)) & (x < (__builtin_inf() - F{})) ? finite : edge;
}
)"};

constexpr FunctionText kLogFloat32{"log", "", R"(inline F log(F x) {
  const auto tiny = x < (0x1p-126f - F{});
  const U word = __builtin_bit_cast(U, tiny ? x * (0x1p25f - F{}) : x) - (0x3f3504f3u - U{});
  const I exponent = __builtin_bit_cast(I, word) >> 23;
  const F k = (__builtin_bit_cast(F, exponent + (0x4b400000 - I{})) - (0x1.8p23f - F{})) -
              (tiny ? (25.0f - F{}) : (0.0f - F{}));
  const F f = __builtin_bit_cast(F, (word & (0x7fffffu - U{})) + (0x3f3504f3u - U{})) - (1.0f - F{});
  const F half_square = (0.5f - F{}) * f * f;
  const F s = f / ((2.0f - F{}) + f);
  const F z = s * s, w = z * z;
  const F even = w * FMA(w, (0xf89e26.0p-26f - F{}), (0xccce13.0p-25f - F{}));
  const F odd = z * FMA(w, (0x91e9ee.0p-25f - F{}), (0xaaaaaa.0p-24f - F{}));
  const F finite = FMA(s, half_square + (odd + even), k * (9.0580006145e-06f - F{})) - half_square + f +
                   k * (6.9313812256e-01f - F{});
  const F other = x > (0.0f - F{}) ? x : (__builtin_nanf("") - F{});
  const F edge = x == (0.0f - F{}) ? (-__builtin_inff() - F{}) : other;
  return (x > (0.0f - F{})) & (x < (__builtin_inff() - F{})) ? finite : edge;
}
)"};

constexpr FunctionText kNarrowExpLog[] = {kExpFloat32, kLogFloat32};
constexpr FunctionText kWideExpLog[] = {kExpFloat64, kLogFloat64};

}  // namespace

std::span<const FunctionText> narrow_exp_log_texts() {
  return kNarrowExpLog;
}
std::span<const FunctionText> wide_exp_log_texts() {
  return kWideExpLog;
}

}  // namespace pilum::kernel
