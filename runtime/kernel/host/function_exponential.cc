// What is made of e^x: x = k ln 2 + r, |r| <= ln(2) / 2, and polynomials of sinh(r) and cosh(r), from which all of them
// follow without cancellation. Coefficients: polynomials/elementary.sollya.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kExponential[] = {
    // The two of the reduced argument: sinh(r) and cosh(r) - 1. Largest relative errors 2^-61 and, of cosh, 2^-70.
    {"hyperbolic", "pair", R"(inline void hyperbolic(P r, P& sinh, P& cosh_less_one) {
  const P z = exact_product(r.h, r.h);
  const F z2 = z.h * z.h;
  const F s = FMA(z2, FMA(z2, K(0x1.af5f4c18a49e2p-26), FMA(z.h, K(0x1.71ddf8002e2d1p-19), K(0x1.a01a01b008173p-13))),
                  FMA(z.h, K(0x1.111111110f64ep-7), K(0x1.5555555555559p-3)));
  const F c = FMA(z2, FMA(z2, K(0x1.1f8bb8d09c445p-29), FMA(z.h, K(0x1.27e4cc25b11fp-22), K(0x1.a01a01ad77436p-16))),
                  FMA(z.h, K(0x1.6c16c16c1500bp-10), K(0x1.5555555555558p-5)));
  const F half = z.h * K(0.5);
  sinh = ordered_sum(r.h, FMA(r.h * z.h, s, FMA(half, r.l, r.l)));
  cosh_less_one = ordered_sum(half, FMA(z2, c, FMA(r.h, r.l, z.l * K(0.5))));
}
)"},
    // x + low = k ln 2 + r. The first part of ln 2 has 32 bits, so that k times it is exact.
    {"reduce_exponent", "pair", R"(inline P reduce_exponent(F x, F low, F& k) {
  const F shifted = FMA(x, K(0x1.71547652b82fep0), K(0x1.8p52));
  k = shifted - K(0x1.8p52);
  const F first = FMA(k, K(-0x1.62e42ffp-1), x);
  const P second = exact_product(k, K(0x1.718432a1b0e26p-35));
  const P r = exact_sum(first, second.h);
  return ordered_sum(r.h, r.l + (second.l + low));
}
)"},
    // e^(x + low) = 2^k times the pair, which is between 0.7 and 1.5; |x| < 2^20.
    {"exponential", "hyperbolic reduce_exponent pair_sum", R"(inline P exponential(F x, F low, F& k) {
  P sinh, cosh;
  hyperbolic(reduce_exponent(x, low, k), sinh, cosh);
  const P sum = pair_sum(cosh, sinh), all = ordered_sum(K(1), sum.h);
  return ordered_sum(all.h, all.l + sum.l);
}
)"},
    {"exp2", "hyperbolic clamp scale pair_sum", R"(inline F exp2(F x) {
  x = clamp(x, K(-1080), K(1030));
  const F k = (x + K(0x1.8p52)) - K(0x1.8p52), f = x - k;
  P r = exact_product(f, K(0x1.62e42fefa39efp-1)), sinh, cosh;
  r.l = FMA(f, K(0x1.abc9e3b39803fp-56), r.l);
  hyperbolic(r, sinh, cosh);
  const P sum = pair_sum(cosh, sinh), all = ordered_sum(K(1), sum.h);
  return scale(all.h + (all.l + sum.l), k);
}
)"},
    // e^x - 1 = 2^k (e^r - 1 + (1 - 2^-k)).
    {"expm1", "hyperbolic reduce_exponent clamp scale pair_sum power_of_two", R"(inline F expm1(F x) {
  F k;
  P sinh, cosh;
  hyperbolic(reduce_exponent(clamp(x, K(-50), K(720)), K(0), k), sinh, cosh);
  const P most = exact_sum(K(1), -inverse_power_of_two(k > K(100) ? K(100) : k));
  const P sum = pair_sum(most, pair_sum(sinh, cosh));
  const F result = scale(sum.h + sum.l, k);
  return x == K(0) ? x : result;
}
)"},
    // cosh(k ln 2 + r) = 2^k (c cosh(r) + s sinh(r)), sinh = 2^k (s cosh(r) + c sinh(r)), c, s = 1/2 + -2^(-2k - 1).
    {"hyperbolic_parts", "hyperbolic reduce_exponent pair_sum pair_product power_of_two",
     R"(inline void hyperbolic_parts(F size, P& sinh, P& cosh, F& k) {
  P sinh_r, cosh_r;
  hyperbolic(reduce_exponent(size, K(0), k), sinh_r, cosh_r);
  const P one = ordered_sum(K(1), cosh_r.h);
  cosh_r = ordered_sum(one.h, one.l + cosh_r.l);
  const F small = inverse_power_of_two(k > K(100) ? K(201) : k + k + K(1));
  const P c = ordered_sum(K(0.5), small), s = ordered_sum(K(0.5), -small);
  sinh = pair_sum(pair_product(cosh_r, s), pair_product(sinh_r, c));
  cosh = pair_sum(pair_product(cosh_r, c), pair_product(sinh_r, s));
}
)"},
    {"sinh", "hyperbolic_parts clamp scale size_of copysign", R"(inline F sinh(F x) {
  F k;
  P sinh, cosh;
  hyperbolic_parts(clamp(size_of(x), K(0), K(712)), sinh, cosh, k);
  return copysign(scale(sinh.h, k), x);
}
)"},
    {"cosh", "hyperbolic_parts clamp scale size_of", R"(inline F cosh(F x) {
  F k;
  P sinh, cosh;
  hyperbolic_parts(clamp(size_of(x), K(0), K(712)), sinh, cosh, k);
  return scale(cosh.h, k);
}
)"},
    {"tanh", "hyperbolic_parts pair_quotient clamp size_of copysign", R"(inline F tanh(F x) {
  F k;
  P sinh, cosh;
  hyperbolic_parts(clamp(size_of(x), K(0), K(25)), sinh, cosh, k);
  return copysign(pair_quotient(sinh, cosh).h, x);
}
)"},
};

}  // namespace

std::span<const FunctionText> exponential_texts() {
  return kExponential;
}

}  // namespace pilum::kernel
