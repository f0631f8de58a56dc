// Normal numbers of Philox's bits by G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates",
// 1958: of one counter come a radius and an angle, and of them two numbers, the cosine's and the sine's.
//
// The radius is the root of -2 log(u), u = k 2^-63 with all 53 digits however small it is. k = 2^e (1 + f), sqrt(1/2)
// <= 1 + f < sqrt(2); -2 log(1 + f) = -2 f + f^2 + f^3 Q(f), Q interpolated at Chebyshev's points (2.4e-16 of the
// logarithm off). No case of `log` occurs here. A quotient, as `log` has it, would need fewer products, but a vector's
// root and quotient take turns.
// The angle is h turns, -1/2 <= h < 1/2. Its cosine is the sine of v = 1/4 - |h| turns, its sine that of 1/4 - |v| with
// h's sign: one odd polynomial for both, 2e-16 off.
//
// A vector's lanes mostly are cells that follow each other, eight pairs of which are a vector's width. Three such
// vectors of pairs are computed at once: each step waits for the one before it, so that one vector alone leaves units
// idle (2.0 ns a cell; of two 1.6, of three 1.3). Of these 48 cells, what the call does not ask for is kept for the
// next ones (`Pairs`), whatever cell it begins with. Lanes that do not follow each other, or are of several draws or
// keys, draw their pair alone.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kNormal[] = {
    // Of each of N vectors of counters both numbers. Each step is written for all N before the next one, for neither
    // the kernels' compilers nor the processor's window reach so far; no loops, for they would not be unrolled.
    {"normal_pairs", "", R"(#define EACH(...) { constexpr int i = 0; __VA_ARGS__ } \
  if constexpr (N > 1) { constexpr int i = 1; __VA_ARGS__ } \
  if constexpr (N > 2) { constexpr int i = 2; __VA_ARGS__ }
#define ROUND(r) EACH(const U p = KU(0xd2511f53u) * (x[i] & half), q = KU(0xcd9e8d57u) * (z[i] & half); \
  x[i] = (q >> 32) ^ y[i] ^ keys[2 * r]; z[i] = (p >> 32) ^ w[i] ^ keys[2 * r + 1]; y[i] = q; w[i] = p;)
#define LOGARITHM(a, b) EACH(l[i] = FMA(l[i], s[i], K(a)); m[i] = FMA(m[i], s[i], K(b));)
#define SINES(a) EACH(c[i] = FMA(c[i], v[i] * v[i], K(a)); d[i] = FMA(d[i], t[i] * t[i], K(a));)
template <int N>
inline void normal_pairs(const U* counter, U draw, const U* keys, F* even, F* odd) {
  const U half = KU(0xffffffffu);
  U x[N], y[N], z[N], w[N], e[N];
  F f[N], s[N], l[N], m[N], v[N], t[N], c[N], d[N];
  EACH(x[i] = counter[i]; y[i] = counter[i] >> 32; z[i] = draw; w[i] = draw >> 32;)
  ROUND(0)
  ROUND(1)
  ROUND(2)
  ROUND(3)
  ROUND(4)
  ROUND(5)
  ROUND(6)
  ROUND(7)
  ROUND(8)
  ROUND(9)
  EACH(const F k = TO_F((I)(((x[i] & half) | (y[i] << 32) | KU(1)) & KU(0x7ffffffffffffffful)));
       const U bits = BITS(k);
       e[i] = (bits - KU(0x3fe6a09e667f3bcdul)) >> 52;
       f[i] = FLOAT(bits - (e[i] << 52)) - K(1);
       s[i] = f[i] * f[i];
       l[i] = K(-0x1.01222c85de607p-3);
       m[i] = K(0x1.df8e50eeeefa9p-5);)
  EACH(const F turns = TO_F((I)((z[i] & half) | (w[i] << 32)));
       v[i] = FMA(FLOAT(BITS(turns) & ~SIGN), K(-0x1p-64), K(0.25));
       t[i] = FLOAT(BITS(K(0.25) - FLOAT(BITS(v[i]) & ~SIGN)) | (BITS(turns) & SIGN));
       c[i] = K(-0x1.62903d02bb153p-1);
       d[i] = K(-0x1.62903d02bb153p-1);)
  LOGARITHM(-0x1.e643bc14a2e75p-4, 0x1.0f29d34fba3cep-3)
  SINES(0x1.e89f6fe44fe7bp+1)
  LOGARITHM(-0x1.0fe1f233085edp-3, 0x1.f2a052102c0b3p-4)
  SINES(-0x1.e30631bdf732dp+3)
  LOGARITHM(-0x1.3b334da8db2f8p-3, 0x1.2512094d1f847p-3)
  SINES(0x1.5078327046959p+5)
  LOGARITHM(-0x1.745b8863c1881p-3, 0x1.555037c2edd6cp-3)
  SINES(-0x1.32d2cce1ea145p+6)
  LOGARITHM(-0x1.c71c7be3a2234p-3, 0x1.9999b57e3af66p-3)
  SINES(0x1.466bc677522bdp+6)
  LOGARITHM(-0x1.24924914cf6ecp-2, 0x1.ffffffb5eec02p-3)
  SINES(-0x1.4abbce625bd83p+5)
  LOGARITHM(-0x1.99999999ac261p-2, 0x1.555555557c71fp-2)
  SINES(0x1.921fb54442d17p+2)
  LOGARITHM(-0x1.5555555555539p-1, 0x1.fffffffffff5ap-2)
  EACH(const F n = FLOAT(e[i] | KU(0x4330000000000000ul)) - K(0x1.000000000003fp52);
       const F q = FMA(FMA(FMA(m[i], f[i], l[i]), f[i], K(1)), f[i], K(-2));
       const F radius = ROOT(FMA(q, f[i], n * K(-0x1.62e42fefa39efp0)));
       even[i] = radius * (c[i] * v[i]);
       odd[i] = radius * (d[i] * t[i]);)
}
#undef EACH
#undef ROUND
#undef LOGARITHM
#undef SINES
// What each round takes of the key.
inline void schedule(U key, U* keys) {
  U k0 = key & KU(0xffffffffu), k1 = key >> 32;
  for (int round = 0; round < 10; ++round) {
    keys[2 * round] = k0;
    keys[2 * round + 1] = k1;
    k0 = (k0 + KU(0x9e3779b9u)) & KU(0xffffffffu);
    k1 = (k1 + KU(0xbb67ae85u)) & KU(0xffffffffu);
  }
}
)"},
    {"standard_normal", "normal_pairs", R"(#if VECTOR
static_assert(LANES == 8, "as many int64 as fill 64 bytes");
// Of cells first, ..., first + starts + 6 of a draw the numbers; of none where starts is 0.
struct Pairs {
  U draw{}, key{}, keys[20];
  EU first = 0, starts = 0;
  E numbers[56];
};
inline bool any_bit(U a) {
#if defined(__clang__)
  return __builtin_reduce_or(a) != 0;
#else
  EU all = 0;
  for (int i = 0; i < LANES; ++i) all |= a[i];
  return all != 0;
#endif
}
inline F numbers_at(const E* place) {
  F numbers;
  __builtin_memcpy(&numbers, place, sizeof numbers);
  return numbers;
}
inline void put_pairs(E* place, F even, F odd) {
  const F first = __builtin_shufflevector(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
  const F second = __builtin_shufflevector(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
  __builtin_memcpy(place, &first, sizeof first);
  __builtin_memcpy(place + 8, &second, sizeof second);
}
inline F standard_normal(I a, I b, I c, Pairs& pairs) {
  const U lanes = {0, 1, 2, 3, 4, 5, 6, 7}, cells = (U)a, draw = (U)b, key = (U)c;
  const EU cell = cells[0];
  const U jumps = cells ^ (lanes + cell), others = (draw ^ pairs.draw) | (key ^ pairs.key);
  if (cell - pairs.first < pairs.starts && !any_bit(jumps | others)) return numbers_at(pairs.numbers + (cell - pairs.first));
  if (any_bit(others) || pairs.starts == 0) {
    pairs.draw = draw;
    pairs.key = key;
    pairs.starts = 0;
    schedule(key, pairs.keys);
  }
  // What is kept is of cells, draw and key that the lanes have in common.
  if (any_bit(jumps | (draw ^ (draw[0] - U{})) | (key ^ (key[0] - U{})))) {
    const U counter = cells >> 1;
    F even, odd;
    normal_pairs<1>(&counter, draw, pairs.keys, &even, &odd);
    const M is_odd = (cells & KU(1)) != KU(0);
    return is_odd ? odd : even;
  }
  // The cells go on after those that there are, whose last eight are kept, or begin anew.
  const bool goes_on = pairs.starts != 0 && cell - pairs.first - pairs.starts < 7;
  const EU last = pairs.first + pairs.starts - 1;
  const U counter = ((goes_on ? last + 8 : cell) >> 1) + lanes, counters[] = {counter, counter + KU(8), counter + KU(16)};
  F even[3], odd[3];
  normal_pairs<3>(counters, draw, pairs.keys, even, odd);
  E* to = pairs.numbers;
  if (goes_on) {
    const F before = numbers_at(pairs.numbers + (last - pairs.first));
    __builtin_memcpy(to, &before, sizeof before);
    to += 8;
  }
  put_pairs(to, even[0], odd[0]);
  put_pairs(to + 16, even[1], odd[1]);
  put_pairs(to + 32, even[2], odd[2]);
  pairs.first = goes_on ? last : cell & ~(EU)1;
  pairs.starts = goes_on ? 49 : 41;
  return numbers_at(pairs.numbers + (cell - pairs.first));
}
#else
inline F standard_normal(I a, I b, I c) {
  const U counter = (U)a >> 1;
  U keys[20];
  schedule((U)c, keys);
  F even, odd;
  normal_pairs<1>(&counter, (U)b, keys, &even, &odd);
  return a & 1 ? odd : even;
}
#endif
)"},
};

}  // namespace

std::span<const FunctionText> normal_texts() {
  return kNormal;
}

}  // namespace pilum::kernel
