// What is made of log: x = 2^k m, sqrt(1/2) <= m < sqrt(2), log(m) = 2 artanh(s), s = (m - 1) / (m + 1), as a pair.
// Coefficients: polynomials/elementary.sollya.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kLogarithm[] = {
    // log(m) and k, of x.h + x.l, which is positive and finite. Largest relative error 2^-64.
    {"logarithm", "pair clamp", R"(inline P logarithm(P x, F& k) {
  const auto tiny = x.h < K(0x1p-1022);
  const U word = BITS(tiny ? x.h * K(0x1p54) : x.h) - KU(0x3fe6a09e00000000ul);
  k = FLOAT((U)((__builtin_bit_cast(I, word) >> 52) + KI(0x4338000000000000l))) - K(0x1.8p52);
  const F scale = FLOAT(BITS(K(BIG + BIAS) - clamp(k, K(-1000), K(1000))) << DIGITS);
  k = k - (tiny ? K(54) : K(0));
  const F whole = FLOAT((word & KU(0xffffffffffffful)) + KU(0x3fe6a09e00000000ul)) - K(1);
  const P f = exact_sum(whole, x.l * scale);
  P below = exact_sum(K(2), f.h);
  below.l = below.l + f.l;
  const F inverse = K(1) / below.h, s = f.h * inverse;
  const F rest = FMA(-s, below.l, FMA(-s, below.h, f.h) + f.l) * inverse;
  const P z = exact_product(s, s);
  const F z2 = z.h * z.h, z4 = z2 * z2;
  const F p12 = FMA(z.h, K(0x1.249249245000ep-2), K(0x1.9999999999c5p-2));
  const F p34 = FMA(z.h, K(0x1.745ce78265a8cp-3), K(0x1.c71c722f4d752p-3));
  const F p56 = FMA(z.h, K(0x1.0eae34feda53fp-3), K(0x1.3b213187774c7p-3));
  const F p78 = FMA(z.h, K(-0x1.8d92f0d86398cp-2), K(0x1.32b7e5a4de523p-3));
  const F p = FMA(z4, FMA(z4, K(0x1.ab8c5a82fc548p1), FMA(z2, p78, p56)), FMA(z2, p34, p12));
  const P factor = ordered_sum(K(0x1.5555555555555p-1), z.h * p);
  const P cube = exact_product(s, z.h);  // s^3, and s^3 times the factor
  const P third = exact_product(cube.h, factor.h);
  const F third_low = FMA(cube.h, factor.l, FMA(FMA(s, z.l, cube.l), factor.h, third.l));
  const P sum = ordered_sum(s + s, third.h);
  return ordered_sum(sum.h, sum.l + FMA(rest, FMA(K(2), z.h, K(2)), third_low));
}
)"},
    // log of a sum of two, with k ln 2.
    {"natural", "logarithm", R"(inline P natural(P x) {
  F k;
  const P part = logarithm(x, k);
  const P sum = ordered_sum(k * K(0x1.62e42ffp-1), part.h);
  return ordered_sum(sum.h, sum.l + FMA(k, K(-0x1.718432a1b0e26p-35), part.l));
}
)"},
    // What is right of positive finite numbers, and what log gives of the others.
    {"with_edges", "", R"(inline F with_edges(F x, F result) {
  const F other = x > K(0) ? x : NOT_A_NUMBER, edge = x == K(0) ? -INFINITE : other;
  return (x > K(0)) & (x < INFINITE) ? result : edge;
}
)"},
    {"log2", "logarithm with_edges pair_product pair_sum", R"(inline F log2(F x) {
  F k;
  const P part = pair_product(logarithm(P{x, K(0)}, k), P{K(0x1.71547652b82fep0), K(0x1.777d0ffda0d24p-56)});
  return with_edges(x, pair_sum(P{k, K(0)}, part).h);
}
)"},
    {"log10", "logarithm with_edges pair_product pair_sum", R"(inline F log10(F x) {
  F k;
  const P part = pair_product(logarithm(P{x, K(0)}, k), P{K(0x1.bcb7b1526e50ep-2), K(0x1.95355baaafad3p-57)});
  const P whole{k * K(0x1.3441350ap-2), k * K(-0x1.0c0219dc1da99p-39)};
  return with_edges(x, pair_sum(whole, part).h);
}
)"},
    // log(1 + x.h + x.l), 1 + x.h > 0. Below 2^-40 two terms are enough, where 1 + x has no place for all of a pair.
    {"log1p_of_pair", "natural size_of", R"(inline P log1p_of_pair(P x) {
  P sum = exact_sum(K(1), x.h);
  sum.l = sum.l + x.l;
  const P all = natural(ordered_sum(sum.h, sum.l)), two = ordered_sum(x.h, FMA(x.h * K(-0.5), x.h, x.l));
  const auto small = size_of(x.h) < K(0x1p-40);
  return P{small ? two.h : all.h, small ? two.l : all.l};
}
)"},
    {"log1p", "log1p_of_pair with_edges size_of", R"(inline F log1p(F x) {
  const F result = with_edges(K(1) + x, log1p_of_pair(P{x, K(0)}).h);
  return size_of(x) < K(0x1p-54) ? x : result;
}
)"},
    // Beyond 2^60: log(2 |x|) = log(|x| / 2) + 2 ln 2. Else log1p(|x| + (sqrt(x^2 + 1) - 1)).
    {"arcsinh", "log1p_of_pair natural pair_root pair_sum size_of copysign", R"(inline F arcsinh(F x) {
  const F size = size_of(x), within = size < K(0x1p60) ? size : K(1);
  P square = exact_product(within, within);
  const P sum = exact_sum(K(1), square.h);
  const P root = pair_root(ordered_sum(sum.h, sum.l + square.l));
  const P near = exact_sum(within, root.h - K(1));
  const P inner = log1p_of_pair(ordered_sum(near.h, near.l + root.l));
  const P far = natural(P{size < K(0x1p60) ? K(1) : size, K(0)});
  const P beyond = pair_sum(far, P{K(0x1.62e42fefa39efp-1), K(0x1.abc9e3b39803fp-56)});
  const F result = size < K(0x1p60) ? inner.h : beyond.h;
  const F finite = size < K(0x1p-28) ? size : result;
  return copysign(size < INFINITE ? finite : size, x);
}
)"},
    {"arccosh", "log1p_of_pair natural pair_root pair_sum", R"(inline F arccosh(F x) {
  const F within = (x >= K(1)) & (x < K(0x1p60)) ? x : K(1);
  const P square = exact_product(within, within);
  const P less = exact_sum(square.h, K(-1));
  const P root = pair_root(ordered_sum(less.h, less.l + square.l));
  const P near = pair_sum(exact_sum(within, K(-1)), root);
  const P inner = log1p_of_pair(near);
  const P far = natural(P{(x >= K(0x1p60)) & (x < INFINITE) ? x : K(1), K(0)});
  const P beyond = pair_sum(far, P{K(0x1.62e42fefa39efp-1), K(0x1.abc9e3b39803fp-56)});
  const F finite = x < K(0x1p60) ? inner.h : x < INFINITE ? beyond.h : x;
  return x >= K(1) ? finite : NOT_A_NUMBER;
}
)"},
    // log1p(2 |x| / (1 - |x|)) / 2.
    {"arctanh", "log1p_of_pair pair_quotient size_of copysign", R"(inline F arctanh(F x) {
  const F size = size_of(x), within = size < K(1) ? size : K(0);
  const P ratio = pair_quotient(P{within + within, K(0)}, exact_sum(K(1), -within));
  const F inner = log1p_of_pair(ratio).h * K(0.5);
  const F small = size < K(0x1p-28) ? size : inner;
  const F edge = size == K(1) ? INFINITE : NOT_A_NUMBER;
  return copysign(size < K(1) ? small : edge, x);
}
)"},
    // The larger one + log1p(e^-d), d the distance, as pairs; that is a sum, so -0 and -inf give 0.
    {"logaddexp", "exponential log1p_of_pair pair_sum power_of_two",
     R"(inline F logaddexp(F a, F b) {
  const F large = a > b ? a : b, small = a > b ? b : a;
  const P distance = exact_sum(small, -large);
  const auto near = distance.h > K(-800);
  F k;
  const P part = exponential(near ? distance.h : K(-800), near ? distance.l : K(0), k);
  const F power = inverse_power_of_two(k < K(-1000) ? K(1000) : -k);
  const P sum = pair_sum(P{large, K(0)}, log1p_of_pair(P{part.h * power, part.l * power}));
  const F result = near ? sum.h : large + K(0);
  return a == b ? a + K(0x1.62e42fefa39efp-1) : (a != a) | (b != b) ? a + b : result;
}
)"},
    {"logaddexp2", "exponential log1p_of_pair pair_product pair_sum power_of_two",
     R"(inline F logaddexp2(F a, F b) {
  const F large = a > b ? a : b, small = a > b ? b : a;
  const P distance = exact_sum(small, -large);
  const auto near = distance.h > K(-1100);
  const P ln2{K(0x1.62e42fefa39efp-1), K(0x1.abc9e3b39803fp-56)}, log2_e{K(0x1.71547652b82fep0), K(0x1.777d0ffda0d24p-56)};
  const P scaled = pair_product(P{near ? distance.h : K(-1100), near ? distance.l : K(0)}, ln2);
  F k;
  const P part = exponential(scaled.h, scaled.l, k);
  const F power = inverse_power_of_two(k < K(-1000) ? K(1000) : -k);
  const P more = pair_product(log1p_of_pair(P{part.h * power, part.l * power}), log2_e);
  const P sum = pair_sum(P{large, K(0)}, more);
  const F result = near ? sum.h : large + K(0);
  return a == b ? a + K(1) : (a != a) | (b != b) ? a + b : result;
}
)"},
    // `part` is |x|^y where |x| is neither 0 nor infinite; else, and of signs, what the C standard says.
    {"with_power_ends", "size_of rint", R"(inline F with_power_ends(F x, F y, F part) {
  const F size = size_of(x), end = (size == K(0)) ^ (y < K(0)) ? K(0) : INFINITE;
  const F positive = (size == K(0)) | (size == INFINITE) ? end : part;
  const auto negative = (BITS(x) & SIGN) != KU(0), broken = rint(y) != y, odd = rint(y * K(0.5)) != y * K(0.5);
  const F with_sign = negative & odd & (rint(y) == y) ? -positive : positive;
  const F real = negative & broken & (size > K(0)) & (size < INFINITE) ? NOT_A_NUMBER : with_sign;
  const F result = (x == x) & (y == y) ? real : x + y;
  return (x == K(1)) | (y == K(0)) ? K(1) : result;
}
)"},
    // |x|^y = e^(y log |x|), whose exponent is a pair. Beyond 2^70 no y makes a difference.
    {"power", "natural exponential pair_product clamp scale size_of with_power_ends", R"(inline F power(F x, F y) {
  const F size = size_of(x);
  const P log = natural(P{(size > K(0)) & (size < INFINITE) ? size : K(1), K(0)});
  const P product = pair_product(log, P{clamp(y, K(-0x1p70), K(0x1p70)), K(0)});
  const auto near = size_of(product.h) < K(800);
  F k;
  const P part = exponential(clamp(product.h, K(-800), K(800)), near ? product.l : K(0), k);
  return with_power_ends(x, y, scale(part.h, k));
}
)"},
    // x = 2^3q w, 1/2 <= w < 4: of w^(-1/3) a polynomial has 14 bits and a step of order four all; times w^2 and
    // corrected
    // by what is left of w. e/3 rounded is what stands in the low bits.
    {"cbrt", "split scale size_of copysign pair", R"(inline F cbrt(F x) {
  F exponent;
  const F m = size_of(split(x, exponent));
  const F q = FMA(exponent, K(0x1.5555555555555p-2), K(0x1.8p52)) - K(0x1.8p52), rest = exponent - K(3) * q;
  const F w = m * (rest > K(0.5) ? K(2) : rest < K(-0.5) ? K(0.5) : K(1));
  const F step = rest > K(0.5) ? K(0x1.965fea53d6e3dp-1) : rest < K(-0.5) ? K(0x1.428a2f98d728bp0) : K(1);
  const F first = FMA(FMA(FMA(FMA(K(0x1.d46f7d3355354p-6), m, K(-0x1.c51861064401ep-3)), m, K(0x1.6416505a6e46ap-1)), m,
                          K(-0x1.2c41e23e5eb7dp0)), m, K(0x1.ab85904419654p0)) * step;
  const F off = FMA(-w * first, first * first, K(1));
  const F r = FMA(first * off, FMA(off, FMA(off, K(0x1.61f9add3c0ca4p-3), K(0x1.c71c71c71c71cp-3)), K(0x1.5555555555555p-2)), first);
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
