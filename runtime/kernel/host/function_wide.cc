// What float64's elementary functions have of its own: polynomials (coefficients: polynomials/elementary.sollya), the
// way of large angles to small ones, and functions that float32 takes of it. What each is for is said where it is
// called.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kWideTexts[] = {
    // (e^r - 1 - r - r^2 / 2) / r^3, |r| < 0.3468.
    {"rest_of_exp", "", R"(inline F rest_of_exp(F r) {
  const F r2 = r * r, r4 = r2 * r2;
  const F p01 = FMA(r, K(0x1.5555555553af2p-5), K(0x1.555555555553ep-3));
  const F p23 = FMA(r, K(0x1.6c16c17a09aaap-10), K(0x1.1111111118dp-7));
  const F p45 = FMA(r, K(0x1.a019b373e84fdp-16), K(0x1.a01a0171bba7p-13));
  const F p67 = FMA(r, K(0x1.289794c081787p-22), K(0x1.71de972ed5754p-19));
  return FMA(r4, FMA(r4, K(0x1.ae49c16646d0fp-26), FMA(r2, p67, p45)), FMA(r2, p23, p01));
}
)"},
    // (2 artanh(s) - 2 s) / s^3 of z = s^2, |s| < 0.1716; and with its first term as a pair.
    {"rest_of_artanh", "", R"(inline F rest_of_artanh(F z) {
  const F z2 = z * z;
  const F p01 = FMA(z, K(0x1.999999997ff2bp-2), K(0x1.5555555555592p-1));
  const F p23 = FMA(z, K(0x1.c71c5214811cdp-3), K(0x1.24924941e0829p-2));
  const F p45 = FMA(z, K(0x1.39a1e2daf37a4p-3), K(0x1.74663d04574f6p-3));
  return FMA(z2, FMA(z2, FMA(z2, K(0x1.2f041b8e6ae83p-3), p45), p23), p01);
}
)"},
    {"precise_rest_of_artanh", "pair", R"(inline P precise_rest_of_artanh(F z) {
  const F z2 = z * z, z4 = z2 * z2;
  const F p12 = FMA(z, K(0x1.249249245000ep-2), K(0x1.9999999999c5p-2));
  const F p34 = FMA(z, K(0x1.745ce78265a8cp-3), K(0x1.c71c722f4d752p-3));
  const F p56 = FMA(z, K(0x1.0eae34feda53fp-3), K(0x1.3b213187774c7p-3));
  const F p78 = FMA(z, K(-0x1.8d92f0d86398cp-2), K(0x1.32b7e5a4de523p-3));
  const F p = FMA(z4, FMA(z4, K(0x1.ab8c5a82fc548p1), FMA(z2, p78, p56)), FMA(z2, p34, p12));
  return ordered_sum(K(0x1.5555555555555p-1), z * p);
}
)"},
    // (sin(r) - r) / r^3 and (cos(r) - 1 + z / 2) / z^2 of z = r^2, |r| <= pi/4.
    {"rest_of_sin", "", R"(inline F rest_of_sin(F z) {
  const F z2 = z * z;
  return FMA(z2, FMA(z2, FMA(z, K(0x1.5d8e3511cda67p-33), K(-0x1.ae5e5471f55p-26)),
                     FMA(z, K(0x1.71de355f05599p-19), K(-0x1.a01a019bf222ep-13))),
             FMA(z, K(0x1.111111110f75dp-7), K(-0x1.5555555555548p-3)));
}
)"},
    {"rest_of_cos", "", R"(inline F rest_of_cos(F z) {
  const F z2 = z * z;
  return FMA(z2, FMA(z2, FMA(z, K(-0x1.8fa681e385241p-37), K(0x1.1ee9dbd0d86a6p-29)),
                     FMA(z, K(-0x1.27e4f7f19d4b2p-22), K(0x1.a01a019c8f3eep-16))),
             FMA(z, K(-0x1.6c16c16c15016p-10), K(0x1.555555555554bp-5)));
}
)"},
    // (atan(t) - t) / t^3 of z = t^2, |t| <= 1/2.
    {"rest_of_arctan", "", R"(inline F rest_of_arctan(F z) {
  const F z2 = z * z, z4 = z2 * z2;
  const F p01 = FMA(z, K(0x1.99999999990dcp-3), K(-0x1.5555555555552p-2));
  const F p23 = FMA(z, K(0x1.c71c71ab030c4p-4), K(-0x1.249249245394ap-3));
  const F p45 = FMA(z, K(0x1.3b1360d6d7227p-4), K(-0x1.745d139176818p-4));
  const F p67 = FMA(z, K(0x1.e182f3d94ddfp-5), K(-0x1.110c72e5b7d22p-4));
  const F p89 = FMA(z, K(0x1.77fe6dd868ccep-5), K(-0x1.ac734c9858a0ap-5));
  const F p1011 = FMA(z, K(0x1.83b826ed8866ap-6), K(-0x1.3022ac5ba3501p-5));
  const F low = FMA(z4, FMA(z2, p67, p45), FMA(z2, p23, p01));
  return FMA(z4 * z4, FMA(z4, K(-0x1.124fb41beb4e2p-7), FMA(z2, p1011, p89)), low);
}
)"},
    // (asin(t) - t) / t^3 of z = t^2, |t| <= 1/2.
    {"rest_of_arcsin", "", R"(inline F rest_of_arcsin(F z) {
  const F z2 = z * z, z4 = z2 * z2;
  const F p01 = FMA(z, K(0x1.333333332e133p-4), K(0x1.5555555555577p-3));
  const F p23 = FMA(z, K(0x1.f1c71a95002fbp-6), K(0x1.6db6db721247bp-5));
  const F p45 = FMA(z, K(0x1.1c49f077d5bc7p-6), K(0x1.6e8bdedebf9dfp-6));
  const F p67 = FMA(z, K(0x1.75859dad05d79p-7), K(0x1.ca1f8af1f0a3ap-7));
  const F p89 = FMA(z, K(0x1.e5fbe88dfba57p-9), K(0x1.613c1e6ed73f2p-7));
  const F p1011 = FMA(z, K(-0x1.57fad0deac45ep-6), K(0x1.639a894e228e8p-6));
  const F low = FMA(z4, FMA(z2, p67, p45), FMA(z2, p23, p01));
  return FMA(z4 * z4, FMA(z4, K(0x1.0b45e9f72edb3p-5), FMA(z2, p1011, p89)), low);
}
)"},
    // Beyond 2^30: x = m 2^e times seven words of the bits of 2/pi, those in front give whole turns (M. Payne and R.
    // Hanek, SIGNUM Newsletter 18, 1983). 192 bits behind the point are made of it, of which at most 62 are zeros.
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
    {"hypot", "pair_sum pair_root size_of", R"(inline F hypot(F a, F b) {
  const F x = size_of(a), y = size_of(b), large = x > y ? x : y;
  const auto far = large > K(0x1p500), near = large < K(0x1p-500);
  const F factor = far ? K(0x1p-600) : near ? K(0x1p600) : K(1), back = far ? K(0x1p600) : near ? K(0x1p-600) : K(1);
  const F u = x * factor, v = y * factor;
  const P root = pair_root(pair_sum(exact_product(u, u), exact_product(v, v)));
  const F result = (root.h + root.l) * back;
  const F finite = (x < INFINITE) & (y < INFINITE) ? result : a + b;
  return (x == INFINITE) | (y == INFINITE) ? INFINITE : finite;
}
)"},
};

}  // namespace

std::span<const FunctionText> wide_texts() {
  return kWideTexts;
}

}  // namespace pilum::kernel
