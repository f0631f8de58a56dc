// What is made of e^x: x = k ln 2 + r, |r| <= ln(2) / 2, and e^r = 1 + r + r^2 / 2 + r^3 P(r), whose P each width has
// of its own (function_wide.cc, function_narrow.cc).
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kExponential[] = {
    // x = k ln 2 + r; k times the first part of ln 2 is taken off exactly.
    {"reduce", "pair", R"(inline P reduce(F x, F& k) {
  k = FMA(x, K(LOG2_E), K(BIG + BIG / 2)) - K(BIG + BIG / 2);
  const F first = FMA(k, K(-LN2), x), r = FMA(k, K(-LN2_LOW), first);
  return P{r, FMA(k, K(-LN2_LOW), first - r)};
}
)"},
    // e^(r.h + r.l)
    {"exp_of_reduced", "pair rest_of_exp", R"(inline P exp_of_reduced(P r) {
  const P sum = ordered_sum(K(1), r.h);
  return P{sum.h, sum.l + FMA(r.h * r.h, FMA(r.h, rest_of_exp(r.h), K(0.5)), r.l)};
}
)"},
    // e^(x.h + x.l) = 2^k times that
    {"exponential", "reduce exp_of_reduced", R"(inline P exponential(P x, F& k) {
  const P r = reduce(x.h, k);
  return exp_of_reduced(ordered_sum(r.h, r.l + x.l));
}
)"},
    {"exp2", "exp_of_reduced clamp scale", R"(inline F exp2(F x) {
  x = clamp(x, K(-BIAS - DIGITS - 5), K(BIAS + 2));
  const F k = (x + K(BIG + BIG / 2)) - K(BIG + BIG / 2), f = x - k;
  P r = exact_product(f, K(LN2));
  r.l = FMA(f, K(LN2_LOW), r.l);
  const P all = exp_of_reduced(r);
  return scale(all.h + all.l, k);
}
)"},
    // e^x - 1 = 2^k (e^r - 1 + (1 - inverse)), inverse = 2^-k: what is in brackets. From 2^60 on 1 is all there is.
    {"expm1_parts", "reduce rest_of_exp power_of_two", R"(inline P expm1_parts(F x, F& k, F& inverse) {
  const P r = reduce(x, k);
  inverse = inverse_power_of_two(k > K(60) ? K(60) : k);
  const F most = K(1) - inverse;
  const P square = exact_product(r.h, r.h), line = ordered_sum(most, r.h), sum = ordered_sum(line.h, square.h * K(0.5));
  const F low = FMA(square.h * r.h, rest_of_exp(r.h), FMA(square.l, K(0.5), r.l));
  return ordered_sum(sum.h, (line.l + ((K(1) - most) - inverse)) + (sum.l + low));
}
)"},
    {"expm1", "expm1_parts clamp scale", R"(inline F expm1(F x) {
  F k, inverse;
  const P less = expm1_parts(clamp(x, K(-40), K(EXP_END)), k, inverse);
  return x == K(0) ? x : scale(less.h, k);
}
)"},
    // With E = e^x - 1: (E + E / (E + 1)) / 2.
    {"sinh", "expm1_parts pair_quotient clamp scale size_of copysign", R"(inline F sinh(F x) {
  F k, inverse;
  const P less = expm1_parts(clamp(size_of(x), K(0), K(EXP_END + 2)), k, inverse);
  P all = exact_sum(less.h, inverse);
  all = ordered_sum(all.h, all.l + less.l);
  const P other = pair_quotient(less, all), sum = ordered_sum(less.h, inverse * other.h);
  return copysign(scale(sum.h + (sum.l + FMA(inverse, other.l, less.l)), k - K(1)), x);
}
)"},
    {"cosh", "expm1_parts clamp scale size_of", R"(inline F cosh(F x) {
  F k, inverse;
  const P less = expm1_parts(clamp(size_of(x), K(0), K(EXP_END + 2)), k, inverse);
  P all = exact_sum(less.h, inverse);
  all = ordered_sum(all.h, all.l + less.l);
  const F other = K(1) / all.h, off = FMA(-other, all.l, FMA(-other, all.h, K(1)));
  const F small = inverse * inverse * other;
  const P sum = ordered_sum(all.h, small);
  return scale(sum.h + (sum.l + FMA(small, off, all.l)), k - K(1));
}
)"},
    // (e^2x - 1) / (e^2x + 1)
    {"tanh", "expm1_parts pair_quotient clamp size_of copysign", R"(inline F tanh(F x) {
  const F size = clamp(size_of(x), K(0), K(22));
  F k, inverse;
  const P less = expm1_parts(size + size, k, inverse);
  P more = exact_sum(less.h, inverse + inverse);
  more = ordered_sum(more.h, more.l + less.l);
  return copysign(pair_quotient(less, more).h, x);
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
    // |x|^y = e^(y log |x|), whose exponent is a pair. Where some x is not positive and finite, or some result no
    // normal number, no more than 2^70 of y counts, and there are ends.
    {"power", "mantissa_of precise_log_of_mantissa exponential power_of_two all_of clamp scale size_of with_power_ends",
     R"(inline F power(F x, F y) {
  F k;
  const F f = mantissa_of(size_of(x), k);
  const P log = precise_log_of_mantissa(P{f, K(-0.0)}, k);
  P product = exact_product(log.h, y);
  if (ALL_OF((x > K(0)) & (x < INFINITE) & (size_of(product.h) < K(EXP_END - 2)))) {
    const P all = exponential(P{product.h, FMA(log.l, y, product.l)}, k);
    return (all.h + all.l) * inverse_power_of_two(-k);
  }
  const F some = clamp(y, K(-0x1p70), K(0x1p70));
  product = exact_product(log.h, some);
  const F exponent = clamp(product.h, K(-EXP_END - 40), K(EXP_END));
  const P all = exponential(P{exponent, exponent == product.h ? FMA(log.l, some, product.l) : K(0)}, k);
  return with_power_ends(x, y, scale(all.h + all.l, k));
}
)"},
};

}  // namespace

std::span<const FunctionText> exponential_texts() {
  return kExponential;
}

}  // namespace pilum::kernel
