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
    // erfc(x), x >= 0 or NaN: (1 + 5/4 x) e^(x^2) erfc(x) is between 0.7 and 1.02 and a polynomial of degree 23 of
    // t = (x - 4) / (x + 4); relative error 2^-59. One division gives both quotients; what is left of the second, of
    // e^(-x^2) and of the polynomial's first two terms is carried along. Largest error seen 0.9 ulp.
    {"erfc_of_size", "pair inverse_of scale", R"(inline F erfc_of_size(F x) {
  x = x > K(28) ? K(28) : x;
  const F a = x + K(4), b = FMA(x, K(1.25), K(1));
  const F inverse = inverse_of(FLOAT(BITS(a * b) & ~KU(1))), near_a = b * inverse, near_b = a * inverse;
  const F rest_a = FMA(-near_a, x - (a - K(4)), FMA(-near_a, a, K(1)));
  const F rest_b = FMA(-near_b, FMA(x, K(1.25), K(1) - b), FMA(-near_b, b, K(1)));
  const F t = FMA(K(-8), FMA(near_a, rest_a, near_a), K(1)), t2 = t * t;
  F even = FMA(t2, K(0x1.48fbea98ee29p-30), K(-0x1.9d73d772c070bp-27)), odd = FMA(t2, K(0x1.94f0a318f5342p-31), K(-0x1.183d77e0d0226p-27));
  even = FMA(t2, even, K(0x1.e26db14f46498p-25)), odd = FMA(t2, odd, K(0x1.0fbe3a47b57f1p-24));
  even = FMA(t2, even, K(0x1.4ae49fefd3b2ep-24)), odd = FMA(t2, odd, K(-0x1.01c4796762b91p-21));
  even = FMA(t2, even, K(-0x1.8c94c65b122c4p-18)), odd = FMA(t2, odd, K(0x1.ca6dc8e9fe955p-19));
  even = FMA(t2, even, K(0x1.675e37b743064p-14)), odd = FMA(t2, odd, K(-0x1.0bd20181d7428p-16));
  even = FMA(t2, even, K(-0x1.f92bddf5ec2e5p-12)), odd = FMA(t2, odd, K(-0x1.8e1c08dded73fp-14));
  even = FMA(t2, even, K(-0x1.19d64a7d17b93p-7)), odd = FMA(t2, odd, K(0x1.74f0b7679c7a1p-9));
  even = FMA(t2, even, K(-0x1.e6ebea385c05p-6)), odd = FMA(t2, odd, K(0x1.2daea1b0bfa8fp-6));
  even = FMA(t2, even, K(-0x1.6d2b9718416a1p-6)), odd = FMA(t2, odd, K(0x1.1e0b7eee0af53p-5));
  even = FMA(t2, even, K(0x1.7753493bb8317p-4)), odd = FMA(t2, odd, K(-0x1.37e2dd5cbdc18p-6));
  const P slope = ordered_sum(K(-0x1.79ade603e57edp-3), t * FMA(t, odd, even)), line = exact_product(t, slope.h);
  P factor = ordered_sum(K(0x1.a4dcc1e8d51fep-1), line.h);
  factor.l = factor.l + (FMA(t, slope.l, line.l) + K(0x1.92c3bbda9443bp-55));
  const P square = exact_product(x, x);
  const F shifted = FMA(square.h, K(-0x1.71547652b82fep0), K(0x1.8p52)), k = shifted - K(0x1.8p52);
  const F first = FMA(k, K(-0x1.62e42ffp-1), -square.h), second = k * K(-0x1.718432a1b0e26p-35);
  const F r = first - second, r2 = r * r, rest_r = ((first - r) - second) - square.l;
  F p = FMA(r, K(0x1.ad7f6966eed54p-26), K(0x1.28ad72c46d724p-22));
  p = FMA(r, p, K(0x1.71df2555820b7p-19)), p = FMA(r, p, K(0x1.a0199a0c7067bp-16));
  p = FMA(r, p, K(0x1.a01a012a56626p-13)), p = FMA(r, p, K(0x1.6c16c1842a0e4p-10));
  p = FMA(r, p, K(0x1.1111111127be9p-7)), p = FMA(r, p, K(0x1.555555555087dp-5));
  p = FMA(r, p, K(0x1.55555555554fap-3)), p = FMA(r, p, K(0x1.000000000000ap-1));
  const P line_r = ordered_sum(K(1), r);
  P power = ordered_sum(line_r.h, FMA(r2, p, line_r.l));
  power.l = FMA(power.h, rest_r, power.l);
  const P product = exact_product(power.h, factor.h);
  const F low = FMA(product.h, rest_b, FMA(power.l, factor.h, FMA(power.h, factor.l, product.l)));
  const P all = exact_product(product.h, near_b);
  return scale(all.h + FMA(low, near_b, all.l), k);
}
)"},
    {"erf", "erf_near erfc_of_size size_of copysign", R"(inline F erf(F x) {
  const F size = size_of(x);
  const F far = K(1) - erfc_of_size(size);
  return copysign(size < K(0.75) ? erf_near(size).h : far, x);
}
)"},
    // Of both signs from one: a kernel that has erfc(-x) beside erfc(x) computes it once (erfc_of_negated(x) is
    // erfc(-x)).
    {"erfc", "erfc_of_size size_of", R"(inline F erfc(F x) {
  const F far = erfc_of_size(size_of(x));
  return x < K(0) ? K(2) - far : far;
}
inline F erfc_of_negated(F x) {
  const F far = erfc_of_size(size_of(x));
  return x > K(0) ? K(2) - far : far;
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
     "stirling raise_to_eight precise_log exponential pair_quotient pair_product sin_of_turns clamp scale size_of "
     "copysign",
     R"(inline F gamma(F x) {
  const auto low = x < K(0.5);
  const F within = clamp(x, K(-190), K(180));
  const P mirrored = exact_sum(K(1), -within);
  P y{low ? mirrored.h : within, low ? mirrored.l : K(0)};
  const P product = raise_to_eight(y), log = stirling(y, precise_log(y));
  F k;
  const P upper = pair_quotient(exponential(log, k), product);
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
    {"log_gamma", "stirling raise_to_eight precise_log pair_quotient pair_product sin_of_turns clamp size_of",
     R"(inline F log_gamma(F x) {
  const auto low = x < K(0);
  const auto huge = x > K(0x1p60);
  const F within = clamp(x, K(-0x1p60), K(0x1p60));
  const P mirrored = exact_sum(K(1), -within);
  P y{low ? mirrored.h : within, low ? mirrored.l : K(0)};
  const P product = raise_to_eight(y);
  const P log = precise_log(P{huge & (x < INFINITE) ? x : y.h, huge ? K(0) : y.l}), far = stirling(y, log);
  const P sine = sin_of_turns(within);
  const auto whole = rint(x) == x;
  const P size{sine.h < K(0) ? -sine.h : sine.h, sine.h < K(0) ? -sine.l : sine.l};
  const P mirror = pair_quotient(pair_product(product, P{K(0x1.921fb54442d18p1), K(0x1.1a62633145c07p-53)}),
                                 P{whole ? K(1) : size.h, whole ? K(0) : size.l});
  const auto tiny = size_of(x) < K(0x1p-60);
  const F passed_h = low ? mirror.h : product.h, passed_l = low ? mirror.l : product.l;
  const P passed = precise_log(P{tiny ? size_of(x) : passed_h, tiny ? K(0) : passed_l});
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
