// sin, cos, tan: x = n pi/2 + r, |r| <= pi/4, with r as a pair. The polynomials of each width, and its way from large
// angles to r, are in function_wide.cc and function_narrow.cc.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kTrigonometric[] = {
    {"reduce_lanes", "#reduce_far all_of", R"(inline void reduce_lanes(F x, M far, P& r, I& turns) {
  if (ALL_OF(!far)) return;
#if VECTOR
  for (int i = 0; i < LANES; ++i) {
    if (!far[i]) continue;
    E h, l;
    EI turn;
    reduce_far(x[i], h, l, turn);
    r.h[i] = h;
    r.l[i] = l;
    turns[i] = turn;
  }
#else
  reduce_far(x, r.h, r.l, turns);
#endif
}
)"},
    // pi/2 in three parts (W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980): x less n of
    // the first part is exact. The low bits of a float of 1.5 BIG + n are those of n.
    {"reduce_angle", "pair reduce_lanes", R"(inline P reduce_angle(F x, I& turns) {
  const F shifted = FMA(x, K(0x1.45f306dc9c883p-1), K(BIG + BIG / 2)), n = shifted - K(BIG + BIG / 2);
  turns = __builtin_bit_cast(I, shifted);
  const F first = FMA(n, K(-HALF_PI), x);
  const P second = exact_product(n, K(-HALF_PI_LOW));
  P r = exact_sum(first, second.h);
  r = ordered_sum(r.h, r.l + FMA(n, K(-HALF_PI_LAST), second.l));
  reduce_lanes(x, (x > K(FAR_ANGLE)) | (x < K(-FAR_ANGLE)), r, turns);
  return r;
}
)"},
    {"sin_of_reduced", "pair rest_of_sin", R"(inline P sin_of_reduced(P r) {
  const F z = r.h * r.h;
  return ordered_sum(r.h, FMA(r.h * z, rest_of_sin(z), FMA(z * K(-0.5), r.l, r.l)));
}
)"},
    {"cos_of_reduced", "pair rest_of_cos", R"(inline P cos_of_reduced(P r) {
  const P z = exact_product(r.h, r.h), sum = ordered_sum(K(1), z.h * K(-0.5));
  return ordered_sum(sum.h, sum.l + FMA(z.h * z.h, rest_of_cos(z.h), FMA(-r.h, r.l, z.l * K(-0.5))));
}
)"},
    {"sin", "reduce_angle sin_of_reduced cos_of_reduced size_of", R"(inline F sin(F x) {
  I turns;
  const P r = reduce_angle(x, turns);
  const F sine = sin_of_reduced(r).h, cosine = cos_of_reduced(r).h;
  const F part = (turns & KI(1)) != KI(0) ? cosine : sine;
  const F result = (turns & KI(2)) != KI(0) ? -part : part;
  const F size = size_of(x), finite = size < K(SMALL) ? x : result;
  return size < INFINITE ? finite : NOT_A_NUMBER;
}
)"},
    {"cos", "reduce_angle sin_of_reduced cos_of_reduced size_of", R"(inline F cos(F x) {
  I turns;
  const P r = reduce_angle(x, turns);
  const F sine = sin_of_reduced(r).h, cosine = cos_of_reduced(r).h;
  const F part = (turns & KI(1)) != KI(0) ? sine : cosine;
  const F result = ((turns + KI(1)) & KI(2)) != KI(0) ? -part : part;
  return size_of(x) < INFINITE ? result : NOT_A_NUMBER;
}
)"},
    {"tan", "reduce_angle sin_of_reduced cos_of_reduced pair_quotient size_of", R"(inline F tan(F x) {
  I turns;
  const P r = reduce_angle(x, turns), sine = sin_of_reduced(r), cosine = cos_of_reduced(r);
  const auto odd = (turns & KI(1)) != KI(0);
  const P above{odd ? -cosine.h : sine.h, odd ? -cosine.l : sine.l};
  const P below{odd ? sine.h : cosine.h, odd ? sine.l : cosine.l};
  const F result = pair_quotient(above, below).h;
  const F size = size_of(x), finite = size < K(SMALL) ? x : result;
  return size < INFINITE ? finite : NOT_A_NUMBER;
}
)"},
};

}  // namespace

std::span<const FunctionText> trigonometric_texts() {
  return kTrigonometric;
}

}  // namespace pilum::kernel
