// sin, cos, tan, sinc: x = n pi/2 + r, |r| <= pi/4, with r as a pair. Coefficients: polynomials/elementary.sollya.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kTrigonometric[] = {
    // Beyond 2^30: x = m 2^e times seven words of the bits of 2/pi, those in front give whole turns (M. Payne and R.
    // Hanek,
    // SIGNUM Newsletter 18, 1983). 192 bits behind the point are made of it, of which at most 62 are zeros.
    {"reduce_far", "pair_product", R"(inline void reduce_far(F x, F& h, F& l, I& turns) {
  const u32 bits[40] = {
      2734261102u, 1313084713u, 4230436817u, 4113882560u, 3680671129u, 1011060801u, 4266746795u, 3736847713u,
      3072618042u, 1112396512u, 105459434u,  164729372u,  4263373596u, 2972297022u, 3900847605u, 784024708u,
      3919343654u, 3026157121u, 965858873u,  2203269620u, 2625920907u, 3187222587u, 536385535u,  3724908559u,
      4012839307u, 1510632735u, 1832287951u, 667617719u,  1330003814u, 2657085997u, 1965537991u, 3957715323u,
      1023883767u, 2320667370u, 1811636145u, 529358088u,  1443049542u, 4235946923u, 4040145952u, 2599695901u};
  const u64 word = BITS(x), m = (word & 0xffffffffffffful) | 0x10000000000000ul;
  const int exponent = (int)(word >> 52 & 0x7ff) - 1075;
  const int first = exponent < 2 ? 0 : (exponent - 2) >> 5, point = 32 * 8 - (exponent - 32 * first);
  u32 product[12] = {};  // with a word of zeros in front: `point` bits are behind the point
  for (int j = 0; j < 2; ++j) {
    const u64 digit = j ? m >> 32 : m & 0xffffffffu;
    u64 carry = 0;
    for (int i = 0; i < 7; ++i) {
      const u64 sum = digit * bits[first + 6 - i] + product[1 + i + j] + carry;
      product[1 + i + j] = (u32)sum;
      carry = sum >> 32;
    }
    product[8 + j] = (u32)carry;
  }
  const auto digits = [&](int at) {  // 32 bits from there
    const u64 two = product[at >> 5] | (u64)product[(at >> 5) + 1] << 32;
    return (u32)(two >> (at & 31));
  };
  const u32 sign = digits(point - 32) >> 31 ? 0xffffffffu : 0;  // from there on to the next quarter: 1 - what is behind it
  const P unit{0x1.921fb54442d18p0, 0x1.1a62633145c07p-54};
  P part{0.0, 0.0};
  f64 weight = 0x1p-32;
  for (int i = 1; i <= 6; ++i, weight *= 0x1p-32) {
    const P sum = exact_sum(part.h, (f64)(digits(point - 32 * i) ^ sign) * weight);
    part = ordered_sum(sum.h, sum.l + part.l);
  }
  part = pair_product(part, unit);
  const bool negative = (word >> 63) != (u64)(sign & 1);
  h = negative ? -part.h : part.h;
  l = negative ? -part.l : part.l;
  const i64 quarters = (digits(point) & 3) + (sign & 1);
  turns = word >> 63 ? -quarters : quarters;
}
)"},
    {"reduce_lanes", "#reduce_far", R"(inline void reduce_lanes(F x, M far, P& r, I& turns) {
#if VECTOR
  EI any = 0;
#if defined(__clang__)
  any = __builtin_reduce_or(far);
#else
  for (int i = 0; i < LANES; ++i) any |= far[i];
#endif
  if (!any) return;
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
  if (far) reduce_far(x, r.h, r.l, turns);
#endif
}
)"},
    // pi/2 in three parts of 53 bits (W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980): x
    // less
    // n of the first part is exact. The low bits of a float of 1.5 2^52 + n are those of n.
    {"reduce_angle", "pair reduce_lanes", R"(inline P reduce_angle(F x, I& turns) {
  const auto far = (x > K(0x1p30)) | (x < K(-0x1p30));
  const F shifted = FMA(x, K(0x1.45f306dc9c883p-1), K(0x1.8p52)), n = shifted - K(0x1.8p52);
  turns = __builtin_bit_cast(I, shifted);
  const F first = FMA(n, K(-0x1.921fb54442d18p0), x);
  const P second = exact_product(n, K(-0x1.1a62633145c07p-54));
  P r = exact_sum(first, second.h);
  r = ordered_sum(r.h, r.l + FMA(n, K(0x1.f1976b7ed8fbcp-110), second.l));
  reduce_lanes(x, far, r, turns);
  return r;
}
)"},
    {"sin_of_reduced", "pair", R"(inline P sin_of_reduced(P r) {
  const F z = r.h * r.h, z2 = z * z;
  const F s = FMA(z2, FMA(z2, FMA(z, K(0x1.5d8e3511cda67p-33), K(-0x1.ae5e5471f55p-26)),
                          FMA(z, K(0x1.71de355f05599p-19), K(-0x1.a01a019bf222ep-13))),
                  FMA(z, K(0x1.111111110f75dp-7), K(-0x1.5555555555548p-3)));
  return ordered_sum(r.h, FMA(r.h * z, s, FMA(z * K(-0.5), r.l, r.l)));
}
)"},
    {"cos_of_reduced", "pair", R"(inline P cos_of_reduced(P r) {
  const P z = exact_product(r.h, r.h);
  const F z2 = z.h * z.h;
  const F c = FMA(z2, FMA(z2, FMA(z.h, K(-0x1.8fa681e385241p-37), K(0x1.1ee9dbd0d86a6p-29)),
                          FMA(z.h, K(-0x1.27e4f7f19d4b2p-22), K(0x1.a01a019c8f3eep-16))),
                  FMA(z.h, K(-0x1.6c16c16c15016p-10), K(0x1.555555555554bp-5)));
  const P sum = ordered_sum(K(1), z.h * K(-0.5));
  return ordered_sum(sum.h, sum.l + FMA(z2, c, FMA(-r.h, r.l, z.l * K(-0.5))));
}
)"},
    {"sin", "reduce_angle sin_of_reduced cos_of_reduced size_of", R"(inline F sin(F x) {
  I turns;
  const P r = reduce_angle(x, turns);
  const F sine = sin_of_reduced(r).h, cosine = cos_of_reduced(r).h;
  const F part = (turns & KI(1)) != KI(0) ? cosine : sine;
  const F result = (turns & KI(2)) != KI(0) ? -part : part;
  const F size = size_of(x), finite = size < K(0x1p-27) ? x : result;
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
  const F size = size_of(x), finite = size < K(0x1p-27) ? x : result;
  return size < INFINITE ? finite : NOT_A_NUMBER;
}
)"},
    // sin(pi x): x = n/2 + f, exactly; and r = pi f as a pair.
    {"sin_of_half_turns", "sin_of_reduced cos_of_reduced", R"(inline P sin_of_half_turns(F x) {
  const F shifted = x + K(0x1.8p51), n = shifted - K(0x1.8p51), f = x - n;
  const I turns = __builtin_bit_cast(I, shifted);
  P r = exact_product(f, K(0x1.921fb54442d18p1));
  r.l = FMA(f, K(0x1.1a62633145c07p-53), r.l);
  const P sine = sin_of_reduced(r), cosine = cos_of_reduced(r);
  const auto odd = (turns & KI(1)) != KI(0), negative = (turns & KI(2)) != KI(0);
  const F h = odd ? cosine.h : sine.h, l = odd ? cosine.l : sine.l;
  return P{negative ? -h : h, negative ? -l : l};
}
)"},
    // Whole turns are taken off first, exactly.
    {"sinc", "sin_of_half_turns pair_quotient size_of rint", R"(inline F sinc(F x) {
  const F size = size_of(x), rest = size - K(2) * rint(size * K(0.5)), within = size < K(0x1p53) ? size : K(1);
  P angle = exact_product(within, K(0x1.921fb54442d18p1));
  angle.l = FMA(within, K(0x1.1a62633145c07p-53), angle.l);
  const F result = pair_quotient(sin_of_half_turns(rest), angle).h;
  const F finite = size < K(0x1p-30) ? K(1) : size < K(0x1p53) ? result : K(0);
  return size < INFINITE ? finite : NOT_A_NUMBER;
}
)"},
};

}  // namespace

std::span<const FunctionText> trigonometric_texts() {
  return kTrigonometric;
}

}  // namespace pilum::kernel
