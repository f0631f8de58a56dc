// The error functions and the gamma function. Coefficients: polynomials/special.sollya.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kSpecial[] = {
    // erf(x), |x| <= 3/4: 2/sqrt(pi) x + x^3 P(x^2).
    {"erf_near", "pair", R"(inline P erf_near(F x) {
  const P square = exact_product(x, x), cube = exact_product(square.h, x);
  const F z = square.h;
  const F p0_0 = FMA(z, K(-0x1.b82ce3125a8fcp-6), K(0x1.ce2f21a04259ep-4));
  const F p0_1 = FMA(z, K(-0x1.c02db13458031p-11), K(0x1.565bcd03d6b0bp-8));
  const F p0_2 = FMA(z, K(-0x1.f4c5fd6604127p-17), K(0x1.f9a2b17fc9704p-14));
  const F p0_3 = FMA(z, K(-0x1.5656524b3c71fp-23), K(0x1.b910039f7a31bp-20));
  const F z2 = z * z;
  const F p1_0 = FMA(z2, p0_1, p0_0);
  const F p1_1 = FMA(z2, p0_3, p0_2);
  const F z4 = z2 * z2;
  const F p2_0 = FMA(z4, p1_1, p1_0);
  const F z8 = z4 * z4;
  const F p3_0 = FMA(z8, K(0x1.8a52a2835b827p-27), p2_0);
  const F p = FMA(z, p3_0, K(-0x1.812746b0379e2p-2));
  const P line = exact_product(x, K(0x1.20dd750429b6dp0));
  const P rest = exact_product(cube.h, p);
  const F low = FMA(FMA(x, square.l, cube.l), p, rest.l);
  const P sum = ordered_sum(line.h, rest.h);
  return ordered_sum(sum.h, sum.l + (low + FMA(x, K(0x1.1ae3a914fed8p-56), line.l)));
}
)"},
    // erfc(x) = 2^k times the pair, 3/4 <= x <= 28: (1 + 2 x) e^(x^2) erfc(x) is smooth, and a polynomial of
    // t = (x - 4) / (x + 4).
    {"erfc_far", "exponential pair_product pair_quotient", R"(inline P erfc_far(F x, F& k) {
  const F t = (x - K(4)) / (x + K(4));
  const F p0_0 = FMA(t, K(0x1.f7f5df66fd7bep-7), K(-0x1.1df1ad154a28ep-3));
  const F p0_1 = FMA(t, K(-0x1.9ddb23c3e9108p-4), K(0x1.16ecefcfa538bp-4));
  const F p0_2 = FMA(t, K(-0x1.0fb06dfe48b05p-4), K(0x1.7fee004e127ap-4));
  const F p0_3 = FMA(t, K(-0x1.0962388545a54p-6), K(0x1.3079edf67b346p-5));
  const F p0_4 = FMA(t, K(-0x1.8d4a999b088b4p-11), K(0x1.49c672896ad2fp-8));
  const F p0_5 = FMA(t, K(0x1.3be034b068211p-13), K(-0x1.a1df28d2c41bep-13));
  const F p0_6 = FMA(t, K(-0x1.7882465595996p-17), K(-0x1.9958b4ed595e5p-16));
  const F p0_7 = FMA(t, K(0x1.38ba525e42fffp-22), K(0x1.7f2112b2b9503p-18));
  const F p0_8 = FMA(t, K(0x1.4f4086c732f68p-24), K(-0x1.ba8c5802287b7p-21));
  const F p0_9 = FMA(t, K(-0x1.6099540358e89p-26), K(0x1.d377a1b80d7c3p-24));
  const F p0_10 = FMA(t, K(0x1.7395ade4935dap-29), K(-0x1.c9a161e8c8256p-27));
  const F t2 = t * t;
  const F p1_0 = FMA(t2, p0_1, p0_0);
  const F p1_1 = FMA(t2, p0_3, p0_2);
  const F p1_2 = FMA(t2, p0_5, p0_4);
  const F p1_3 = FMA(t2, p0_7, p0_6);
  const F p1_4 = FMA(t2, p0_9, p0_8);
  const F p1_5 = FMA(t2, K(0x1.1bec4df847247p-30), p0_10);
  const F t4 = t2 * t2;
  const F p2_0 = FMA(t4, p1_1, p1_0);
  const F p2_1 = FMA(t4, p1_3, p1_2);
  const F p2_2 = FMA(t4, p1_5, p1_4);
  const F t8 = t4 * t4;
  const F p3_0 = FMA(t8, p2_1, p2_0);
  const F t16 = t8 * t8;
  const F p4_0 = FMA(t16, p2_2, p3_0);
  P scaled = ordered_sum(K(0x1.3ba5916e9fd7fp0), t * p4_0);
  scaled.l = scaled.l + K(-0x1.aa900e39da91p-55);
  const P square = exact_product(x, x);
  const P above = pair_product(scaled, exponential(-square.h, -square.l, k));
  return pair_quotient(above, ordered_sum(x + x, K(1)));
}
)"},
    {"erf", "erf_near erfc_far clamp scale size_of copysign", R"(inline F erf(F x) {
  const F size = size_of(x);
  F k;
  const P far = erfc_far(clamp(size, K(0.75), K(6)), k);
  const P rest = exact_sum(K(1), scale(-far.h, k));
  const F result = size < K(0.75) ? erf_near(size < K(0.75) ? size : K(0)).h : rest.h + (rest.l - scale(far.l, k));
  return copysign(x == x ? result : x, x);
}
)"},
    {"erfc", "erf_near erfc_far clamp scale size_of pair_sum", R"(inline F erfc(F x) {
  const F size = size_of(x);
  F k;
  const P far = erfc_far(clamp(size, K(0.75), K(28)), k), near = erf_near(size < K(0.75) ? x : K(0));
  const P less = pair_sum(P{K(1), K(0)}, P{-near.h, -near.l});
  const F small = scale(far.h, k);
  const P rest = exact_sum(K(2), -small);
  const F beyond = x < K(0) ? rest.h + (rest.l - scale(far.l, k)) : small;
  const F result = size < K(0.75) ? less.h : beyond;
  return x == x ? result : x;
}
)"},
    // log(gamma(y)) = (y - 1/2) log(y) - y + log(2 pi) / 2 + W(1 / y^2) / y, y >= 8 (Stirling); `log` is log(y).
    {"stirling", "pair_product pair_sum", R"(inline P stirling(P y, P log) {
  const F first = K(1) / y.h;
  const P inverse = ordered_sum(first, FMA(-first, y.l, FMA(-first, y.h, K(1))) * first);
  const F u = first * first;
  const F p0_0 = FMA(u, K(0x1.a01a01a010144p-11), K(-0x1.6c16c16c16c12p-9));
  const F p0_1 = FMA(u, K(0x1.b951bbe0aafc5p-11), K(-0x1.3813811bdcf1ap-11));
  const F p0_2 = FMA(u, K(0x1.a26db95c4eb07p-8), K(-0x1.f69c3441f0eabp-10));
  const F p0_3 = FMA(u, K(0x1.c660739776d59p-4), K(-0x1.c772069797b75p-6));
  const F u2 = u * u;
  const F p1_0 = FMA(u2, p0_1, p0_0);
  const F p1_1 = FMA(u2, p0_3, p0_2);
  const F u4 = u2 * u2;
  const F p2_0 = FMA(u4, p1_1, p1_0);
  P series = ordered_sum(K(0x1.5555555555555p-4), u * p2_0);
  series.l = series.l + K(0x1.5555555555555p-58);
  const P most = pair_product(pair_sum(y, P{K(-0.5), K(0)}), log);
  const P less = pair_sum(most, P{-y.h, -y.l});
  return pair_sum(pair_sum(less, P{K(0x1.d67f1c864beb5p-1), K(-0x1.65b5a1b7ff5dfp-55)}), pair_product(series, inverse));
}
)"},
    // Moves y > 0 up to 8 or beyond; returns the product of what was passed: gamma(y) of before is that of now less it.
    {"raise_to_eight", "pair_product pair_sum", R"(inline P raise_to_eight(P& y) {
  P product{K(1), K(0)};
  for (int i = 0; i < 8; ++i) {
    const auto low = y.h < K(8);
    const P longer = pair_product(product, y), next = pair_sum(y, P{K(1), K(0)});
    product = P{low ? longer.h : product.h, low ? longer.l : product.l};
    y = P{low ? next.h : y.h, low ? next.l : y.l};
  }
  return product;
}
)"},
    // sin(pi x) of any finite x: whole turns are taken off first, exactly.
    {"sin_of_turns", "sin_of_half_turns rint",
     R"(inline P sin_of_turns(F x) { return sin_of_half_turns(x - K(2) * rint(x * K(0.5))); }
)"},
    // Below 1/2: pi / (sin(pi x) gamma(1 - x)).
    {"gamma",
     "stirling raise_to_eight natural exponential pair_quotient pair_product sin_of_turns clamp scale size_of copysign",
     R"(inline F gamma(F x) {
  const auto low = x < K(0.5);
  const F within = clamp(x, K(-190), K(180));
  const P mirrored = exact_sum(K(1), -within);
  P y{low ? mirrored.h : within, low ? mirrored.l : K(0)};
  const P product = raise_to_eight(y), log = stirling(y, natural(y));
  F k;
  const P upper = pair_quotient(exponential(log.h, log.l, k), product);
  const P mirror = pair_product(sin_of_turns(size_of(x) < K(0x1p60) ? x : K(0.25)), upper);
  const F lower = pair_quotient(P{K(0x1.921fb54442d18p1), K(0x1.1a62633145c07p-53)}, mirror).h;
  const F result = scale(low ? lower : upper.h, low ? -k : k);
  const F inner = size_of(x) < K(0x1p-60) ? K(1) / x : result;
  const F finite = (x < K(0)) & (rint(x) == x) ? NOT_A_NUMBER : inner;
  return x == x ? finite : x;
}
)"},
    // Around its zeros at 1 and 2 the Taylor series; beyond 2^60 x (log(x) - 1) is all that counts, below
    // 2^-60 log(1 / |x|). Of negative numbers log(pi / |sin(pi x)|) - lgamma(1 - x).
    {"log_gamma", "stirling raise_to_eight natural pair_quotient pair_product sin_of_turns clamp size_of",
     R"(inline F log_gamma(F x) {
  const auto low = x < K(0);
  const auto huge = x > K(0x1p60);
  const F within = clamp(x, K(-0x1p60), K(0x1p60));
  const P mirrored = exact_sum(K(1), -within);
  P y{low ? mirrored.h : within, low ? mirrored.l : K(0)};
  const P product = raise_to_eight(y);
  const P log = natural(P{huge & (x < INFINITE) ? x : y.h, huge ? K(0) : y.l}), far = stirling(y, log);
  const P sine = sin_of_turns(within);
  const auto whole = rint(x) == x;
  const P size{sine.h < K(0) ? -sine.h : sine.h, sine.h < K(0) ? -sine.l : sine.l};
  const P mirror = pair_quotient(pair_product(product, P{K(0x1.921fb54442d18p1), K(0x1.1a62633145c07p-53)}),
                                 P{whole ? K(1) : size.h, whole ? K(0) : size.l});
  const auto tiny = size_of(x) < K(0x1p-60);
  const F passed_h = low ? mirror.h : product.h, passed_l = low ? mirror.l : product.l;
  const P passed = natural(P{tiny ? size_of(x) : passed_h, tiny ? K(0) : passed_l});
  const F sign = low ? K(-1) : K(1);
  const F away = pair_sum(P{far.h * sign, far.l * sign}, P{passed.h * -sign, passed.l * -sign}).h;
  const F a = x - K(1), b = x - K(2);
  const F p0_0 = FMA(a, K(-0x1.9a4d55beab2d7p-2), K(0x1.a51a6625307d3p-1));
  const F p0_1 = FMA(a, K(-0x1.a8b9c17aa6149p-3), K(0x1.151322ac7d848p-2));
  const F p0_2 = FMA(a, K(-0x1.2703a1dcea3aep-3), K(0x1.5b40cb100c306p-3));
  const F p0_3 = FMA(a, K(-0x1.c806706d57db4p-4), K(0x1.010b36af86397p-3));
  const F p0_4 = FMA(a, K(-0x1.748c33114c6d6p-4), K(0x1.9a01e385d5f8fp-4));
  const F p0_5 = FMA(a, K(-0x1.3b1d971fc5985p-4), K(0x1.556ad63243bc4p-4));
  const F a2 = a * a;
  const F p1_0 = FMA(a2, p0_1, p0_0);
  const F p1_1 = FMA(a2, p0_3, p0_2);
  const F p1_2 = FMA(a2, p0_5, p0_4);
  const F a4 = a2 * a2;
  const F p2_0 = FMA(a4, p1_1, p1_0);
  const F a8 = a4 * a4;
  const F p3_0 = FMA(a8, p1_2, p2_0);
  const P one = ordered_sum(K(-0x1.2788cfc6fb619p-1), FMA(a, p3_0, K(0x1.6cb90701fbfabp-58)));
  const F q0_0 = FMA(b, K(-0x1.13e001a557607p-4), K(0x1.4a34cc4a60fa6p-2));
  const F q0_1 = FMA(b, K(-0x1.e404fc218f5f2p-8), K(0x1.51322ac7d8483p-6));
  const F q0_2 = FMA(b, K(-0x1.38ac5c2bf8e08p-10), K(0x1.7add6eadb6c3p-9));
  const F q0_3 = FMA(b, K(-0x1.d3fd4c76d2fc8p-13), K(0x1.0b36af86396e9p-11));
  const F q0_4 = FMA(b, K(-0x1.78de5bd7c81efp-15), K(0x1.a127b0f17d65ap-14));
  const F b2 = b * b;
  const F q1_0 = FMA(b2, q0_1, q0_0);
  const F q1_1 = FMA(b2, q0_3, q0_2);
  const F b4 = b2 * b2;
  const F q2_0 = FMA(b4, q1_1, q1_0);
  const F b8 = b4 * b4;
  const F q3_0 = FMA(b8, q0_4, q2_0);
  const P two = ordered_sum(K(0x1.b0ee6072093cep-2), FMA(b, q3_0, K(0x1.6cb90701fbfabp-58)));
  const F at_one = FMA(one.h, a, one.l * a), at_two = FMA(two.h, b, two.l * b);
  const F near = size_of(a) < K(0x1p-5) ? at_one : size_of(b) < K(0x1p-5) ? at_two : away;
  const P most = pair_product(P{log.h - K(1), log.l}, P{x * K(0x1p-60), K(0)});
  const F result = huge ? most.h * K(0x1p60) : tiny ? -passed.h : near;
  const F finite = (x <= K(0)) & whole ? INFINITE : result;
  const F all = size_of(x) == INFINITE ? INFINITE : finite;
  return x == x ? all : x;
}
)"},
};

}  // namespace

std::span<const FunctionText> special_texts() {
  return kSpecial;
}

}  // namespace pilum::kernel
