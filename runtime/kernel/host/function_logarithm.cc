// What is made of log: x = 2^k m, sqrt(1/2) <= m < sqrt(2), log(m) = 2 artanh(s), s = (m - 1) / (m + 1). The
// polynomials of each width are in function_wide.cc and function_narrow.cc.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kLogarithm[] = {
    // m - 1 and k, of what is positive and finite.
    {"mantissa_of", "", R"(inline F mantissa_of(F x, F& k) {
  const auto tiny = x < K(SMALLEST_NORMAL);
  const U word = BITS(tiny ? x * K(4 * BIG) : x) - KU(HALF_ROOT);
  k = FLOAT((U)((__builtin_bit_cast(I, word) >> DIGITS) + __builtin_bit_cast(I, K(BIG + BIG / 2)))) - K(BIG + BIG / 2);
  k = k - (tiny ? K(DIGITS + 2) : K(0));
  return FLOAT((word & KU(((EU)1 << DIGITS) - 1)) + KU(HALF_ROOT)) - K(1);
}
)"},
    // 2 artanh(a / b), |a| < 0.18 |b|.
    {"twice_artanh", "pair rest_of_artanh", R"(inline P twice_artanh(P a, P b) {
  const F inverse = K(1) / b.h, s = a.h * inverse;
  const F rest = (FMA(-s, b.l, FMA(-s, b.h, a.h)) + a.l) * inverse, z = s * s;
  return ordered_sum(s + s, FMA(s * z, rest_of_artanh(z), rest + rest));
}
)"},
    // k ln 2 + part
    {"with_exponent", "pair", R"(inline P with_exponent(F k, P part) {
  const P sum = ordered_sum(k * K(SHORT_LN2), part.h);
  return P{sum.h, sum.l + FMA(k, K(SHORT_LN2_LOW), part.l)};
}
)"},
    // log(x.h + x.l) + more ln 2, x.h positive and finite: the second part is added to m - 1.
    {"log_of_pair", "mantissa_of twice_artanh with_exponent power_of_two clamp", R"(inline P log_of_pair(P x, F more) {
  F k;
  P f{mantissa_of(x.h, k), x.l};
  f.l = f.l * inverse_power_of_two(clamp(k, K(-BIAS + 1), K(BIAS - 1)));
  P below = ordered_sum(K(2), f.h);
  below.l = below.l + f.l;
  return with_exponent(k + more, twice_artanh(f, below));
}
)"},
    // What is right of positive finite numbers, and what log gives of the others.
    {"with_edges", "", R"(inline F with_edges(F x, F result) {
  const F other = x > K(0) ? x : NOT_A_NUMBER, edge = x == K(0) ? -INFINITE : other;
  return (x > K(0)) & (x < INFINITE) ? result : edge;
}
)"},
    {"log2", "mantissa_of twice_artanh with_edges", R"(inline F log2(F x) {
  F k;
  const F f = mantissa_of(x, k);
  const P part = twice_artanh(P{f, K(-0.0)}, ordered_sum(K(2), f)), product = exact_product(part.h, K(LOG2_E));
  const F low = FMA(part.l, K(LOG2_E), FMA(part.h, K(LOG2_E_LOW), product.l));
  const P sum = ordered_sum(k, product.h);
  return with_edges(x, sum.h + (sum.l + low));
}
)"},
    {"log10", "mantissa_of twice_artanh with_edges", R"(inline F log10(F x) {
  F k;
  const F f = mantissa_of(x, k);
  const P part = twice_artanh(P{f, K(-0.0)}, ordered_sum(K(2), f)), product = exact_product(part.h, K(LOG10_E));
  const F low = FMA(part.l, K(LOG10_E), FMA(part.h, K(LOG10_E_LOW), product.l));
  const P sum = ordered_sum(k * K(SHORT_LOG10_2), product.h);
  return with_edges(x, sum.h + (sum.l + FMA(k, K(SHORT_LOG10_2_LOW), low)));
}
)"},
    // log(1 + x.h + x.l), 1 + x.h > 0.
    {"log1p_of_pair", "log_of_pair", R"(inline P log1p_of_pair(P x) {
  const P sum = exact_sum(K(1), x.h);
  return log_of_pair(P{sum.h, sum.l + x.l}, K(-0.0));
}
)"},
    {"log1p", "log1p_of_pair with_edges size_of", R"(inline F log1p(F x) {
  const P all = log1p_of_pair(P{x, K(-0.0)});
  const F result = with_edges(K(1) + x, all.h + all.l);
  return size_of(x) < K(1 / (4 * BIG)) ? x : result;
}
)"},
    // log1p(|x| + (sqrt(x^2 + 1) - 1)); beyond 2^60 log(|x|) + ln 2.
    {"arcsinh", "log_of_pair pair_root size_of copysign", R"(inline F arcsinh(F x) {
  const F size = size_of(x);
  const auto is_far = size > K(0x1p60);
  const F within = is_far ? K(1) : size;
  const P square = exact_product(within, within), more = exact_sum(K(1), square.h);
  const P root = pair_root(ordered_sum(more.h, more.l + square.l));
  const P near = exact_sum(within, root.h - K(1)), sum = exact_sum(K(1), near.h);
  const P all = log_of_pair(P{is_far ? size : sum.h, is_far ? K(0) : sum.l + (near.l + root.l)}, is_far ? K(1) : K(0));
  const F result = size * K(BIG) < K(1) ? size : all.h + all.l;
  return copysign(size < INFINITE ? result : size, x);
}
)"},
    // log1p(x - 1 + sqrt(x^2 - 1))
    {"arccosh", "log_of_pair pair_root pair_sum", R"(inline F arccosh(F x) {
  const auto is_far = x > K(0x1p60);
  const F within = (x >= K(1)) & (x <= K(0x1p60)) ? x : K(1);
  const P square = exact_product(within, within), less = exact_sum(square.h, K(-1));
  const P root = pair_root(ordered_sum(less.h, less.l + square.l));
  const P near = pair_sum(exact_sum(within, K(-1)), root), sum = exact_sum(K(1), near.h);
  const P all = log_of_pair(P{is_far ? x : sum.h, is_far ? K(0) : sum.l + near.l}, is_far ? K(1) : K(0));
  const F finite = x < INFINITE ? all.h + all.l : x;
  return x >= K(1) ? finite : NOT_A_NUMBER;
}
)"},
    // log((1 + |x|) / (1 - |x|)) / 2, and that quotient is 2^k m: twice the artanh of (1 + |x| - 2^k (1 - |x|)) / (1 +
    // |x| +
    // 2^k (1 - |x|)).
    {"arctanh", "mantissa_of twice_artanh with_exponent power_of_two size_of copysign", R"(inline F arctanh(F x) {
  const F size = size_of(x), within = size < K(1) ? size : K(0);
  const P more = ordered_sum(K(1), within), less = ordered_sum(K(1), -within);
  F k;
  const F mantissa = mantissa_of(less.h, k) + K(1);
  const auto is_above = more.h > mantissa * K(0x1.6a09e667f3bcdp0);
  k = is_above ? K(1) - k : -k;
  const F factor = inverse_power_of_two(-k);
  const P b{less.h * factor, less.l * factor}, above = exact_sum(more.h, -b.h), below = exact_sum(more.h, b.h);
  const P part = twice_artanh(ordered_sum(above.h, above.l + (more.l - b.l)), P{below.h, below.l + (more.l + b.l)});
  const P all = with_exponent(k, part);
  const F result = size * K(BIG) < K(1) ? size : K(0.5) * (all.h + all.l);
  const F edge = size == K(1) ? INFINITE : NOT_A_NUMBER;
  return copysign(size < K(1) ? result : edge, x);
}
)"},
    // log(1 + f) + k ln 2, f = m - 1, of twice as many bits: s, its cube and the polynomial's first term are pairs.
    {"precise_log_of_mantissa", "pair precise_rest_of_artanh", R"(inline P precise_log_of_mantissa(P f, F k) {
  P below = ordered_sum(K(2), f.h);
  below.l = below.l + f.l;
  const F inverse = K(1) / below.h, s = f.h * inverse;
  const F rest = (FMA(-s, below.l, FMA(-s, below.h, f.h)) + f.l) * inverse;
  const P z = exact_product(s, s), factor = precise_rest_of_artanh(z.h);
  const P cube = exact_product(s, z.h), third = exact_product(cube.h, factor.h);
  const F third_low = FMA(cube.h, factor.l, FMA(FMA(s, z.l, cube.l), factor.h, third.l));
  const P part = ordered_sum(s + s, third.h), sum = ordered_sum(k * K(SHORT_LN2), part.h);
  const F low = part.l + FMA(rest, FMA(K(2), z.h, K(2)), third_low);
  return P{sum.h, sum.l + FMA(k, K(SHORT_LN2_LOW), low)};
}
)"},
    {"precise_log", "mantissa_of precise_log_of_mantissa power_of_two clamp", R"(inline P precise_log(P x) {
  F k;
  const F f = mantissa_of(x.h, k), low = x.l * inverse_power_of_two(clamp(k, K(-BIAS + 1), K(BIAS - 1)));
  const P log = precise_log_of_mantissa(P{f, low}, k);
  return ordered_sum(log.h, log.l);
}
)"},
    // log(1 + 2^k (x.h + x.l)). Of small numbers, for which a pair with 1 has no place, two terms of the series.
    {"log1p_of_power", "log1p_of_pair scale", R"(inline P log1p_of_power(P x, F k) {
  x = ordered_sum(x.h, x.l);
  x = P{scale(x.h, k), scale(x.l, k)};
  const P all = log1p_of_pair(x), two = ordered_sum(x.h, FMA(x.h * K(-0.5), x.h, x.l));
  const auto is_small = x.h < K(SMALL);
  return P{is_small ? two.h : all.h, is_small ? two.l : all.l};
}
)"},
    // The larger one + log1p(e^-d), d the distance, as pairs; that is a sum, so -0 and -inf give 0.
    {"logaddexp", "exponential log1p_of_power pair_sum", R"(inline F logaddexp(F a, F b) {
  const F large = a > b ? a : b, small = a > b ? b : a;
  const P distance = exact_sum(small, -large);
  const auto near = distance.h > K(-EXP_END - 40);
  F k;
  const P part = exponential(P{near ? distance.h : K(0), near ? distance.l : K(0)}, k);
  const F result = pair_sum(P{large, K(0)}, log1p_of_power(part, k)).h, finite = near ? result : large + K(0);
  return a == b ? a + K(LN2) : (a != a) | (b != b) ? a + b : finite;
}
)"},
    {"logaddexp2", "exponential log1p_of_power pair_product pair_sum", R"(inline F logaddexp2(F a, F b) {
  const F large = a > b ? a : b, small = a > b ? b : a;
  const P distance = exact_sum(small, -large);
  const auto near = distance.h > K(-BIAS - DIGITS - 5);
  const P scaled = pair_product(P{near ? distance.h : K(0), near ? distance.l : K(0)}, P{K(LN2), K(LN2_LOW)});
  F k;
  const P part = exponential(scaled, k), more = pair_product(log1p_of_power(part, k), P{K(LOG2_E), K(LOG2_E_LOW)});
  const F result = pair_sum(P{large, K(0)}, more).h, finite = near ? result : large + K(0);
  return a == b ? a + K(1) : (a != a) | (b != b) ? a + b : finite;
}
)"},
    // x = 2^3q w, 1/2 <= w < 4: of w^(-1/3) a polynomial has 14 bits, and a step of order four, in float32 two, all;
    // times w^2 and corrected by what is left of w. e/3 rounded is what stands in the low bits.
    {"cbrt", "split scale size_of copysign pair", R"(inline F cbrt(F x) {
  F exponent;
  const F m = size_of(split(x, exponent));
  const F q = FMA(exponent, K(0x1.5555555555555p-2), K(BIG + BIG / 2)) - K(BIG + BIG / 2), rest = exponent - K(3) * q;
  const F w = m * (rest > K(0.5) ? K(2) : rest < K(-0.5) ? K(0.5) : K(1));
  const F step = rest > K(0.5) ? K(0x1.965fea53d6e3dp-1) : rest < K(-0.5) ? K(0x1.428a2f98d728bp0) : K(1);
  const F first = FMA(FMA(FMA(FMA(K(0x1.d46f7d3355354p-6), m, K(-0x1.c51861064401ep-3)), m, K(0x1.6416505a6e46ap-1)), m,
                          K(-0x1.2c41e23e5eb7dp0)), m, K(0x1.ab85904419654p0)) * step;
  const F off = FMA(-w * first, first * first, K(1));
#if DIGITS == 52
  const F r = FMA(first * off, FMA(off, FMA(off, K(0x1.61f9add3c0ca4p-3), K(0x1.c71c71c71c71cp-3)), K(0x1.5555555555555p-2)), first);
#else
  const F r = FMA(first * off, K(0x1.5555555555555p-2), first);
#endif
  const F root = w * r * r;
  const P square = exact_product(root, root);
  const P cube = exact_product(square.h, root);
  const F left = (w - cube.h) - FMA(square.l, root, cube.l);
  const F result = scale(FMA(left * K(0x1.5555555555555p-2), r * r, root), q);
  return (x - x == K(0)) & (x != K(0)) ? copysign(result, x) : x;
}
)"},
};

}  // namespace

std::span<const FunctionText> logarithm_texts() {
  return kLogarithm;
}

}  // namespace pilum::kernel
