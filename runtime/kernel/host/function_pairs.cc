// Numbers as pairs of floats, high and low: about 106 bits. Sums by T. J. Dekker (Numerische Mathematik 18, 1971) and
// D. E. Knuth (TAOCP 2, 4.2.2); products and quotients by fused multiply-adds, whose rests are exact.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kPairs[] = {
    {"pair", "", R"(struct P { F h, l; };
// a + b, |a| >= |b| or a is 0.
inline P ordered_sum(F a, F b) {
  const F sum = a + b;
  return P{sum, b - (sum - a)};
}
inline P exact_sum(F a, F b) {
  const F sum = a + b, part = sum - a;
  return P{sum, (a - (sum - part)) + (b - part)};
}
inline P exact_product(F a, F b) {
  const F product = a * b;
  return P{product, FMA(a, b, -product)};
}
)"},
    {"pair_sum", "pair", R"(inline P pair_sum(P a, P b) {
  const P sum = exact_sum(a.h, b.h);
  return ordered_sum(sum.h, sum.l + (a.l + b.l));
}
)"},
    {"pair_product", "pair", R"(inline P pair_product(P a, P b) {
  const P product = exact_product(a.h, b.h);
  return ordered_sum(product.h, FMA(a.h, b.l, FMA(a.l, b.h, product.l)));
}
)"},
    {"pair_quotient", "pair", R"(inline P pair_quotient(P a, P b) {
  const F inverse = K(1) / b.h, quotient = a.h * inverse;
  const F rest = FMA(-quotient, b.l, FMA(-quotient, b.h, a.h) + a.l);
  return ordered_sum(quotient, rest * inverse);
}
)"},
    {"pair_root", "pair", R"(inline P pair_root(P a) {
  const F root = ROOT(a.h), rest = FMA(-root, root, a.h) + a.l;
  return P{root, root == K(0) ? K(0) : rest / (root + root)};
}
)"},
    // 1 / x, 2^-256 <= |x| <= 2^256, whose last bit is 0: then the second step on GPUs rounds right (device_prelude.cc,
    // reciprocal_for), and the compiler's division with its branch for what is out of range is not needed.
    {"inverse_of", "", R"(inline F inverse_of(F x) {
#if defined(__CUDACC_RTC__)
  F y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  F e = FMA(-x, y, K(1));
  e = FMA(e, e, e);
  y = FMA(y, e, y);
  return FMA(y, FMA(-x, y, K(1)), y);
#else
  return K(1) / x;
#endif
}
)"},
    {"clamp", "", R"(inline F clamp(F x, F low, F high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
)"},
    // As compilers know it where they do: of x and -x it is one value.
    {"size_of", "", R"(inline F size_of(F x) {
#if defined(__clang__)
  return __builtin_elementwise_abs(x);
#elif defined(__CUDACC_RTC__)
  return __builtin_fabs(x);
#else
  return FLOAT(BITS(x) & ~SIGN);
#endif
}
)"},
    // What ALL_OF calls of vectors; of numbers, whose masks are bools in both widths, it is the mask.
    {"all_of", "", R"(#if VECTOR
inline bool all_of(M mask) {
#if defined(__clang__)
  return __builtin_reduce_and(mask);
#else
  EI all = -1;
  for (int i = 0; i < LANES; ++i) all &= mask[i];
  return all;
#endif
}
#endif
)"},
    // 2^-k for a whole k in [-1022, 1022]: 2^52 + BIAS - k has the biased exponent in its low bits.
    {"power_of_two", "", R"(inline F inverse_power_of_two(F k) { return FLOAT(BITS(K(BIG + BIAS) - k) << DIGITS); }
)"},
};

}  // namespace

std::span<const FunctionText> pair_texts() {
  return kPairs;
}

}  // namespace pilum::kernel
