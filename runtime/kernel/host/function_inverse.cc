// The inverse trigonometric functions, by the angle of a point, and hypot. Coefficients: polynomials/elementary.sollya.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kInverse[] = {
    // The angle of (x, y), both >= 0 and not both 0, neither far from 1: with a <= b the two,
    // atan(a / b), or pi/4 + atan((a - b) / (a + b)) where a / b > tan(pi/8); then pi/2 less that where y > x, and pi
    // less
    // that where `left`.
    {"angle", "pair_sum pair_quotient", R"(inline P angle(P y, P x, M left) {
  const auto steep = (y.h > x.h) | ((y.h == x.h) & (y.l > x.l));
  const P a{steep ? x.h : y.h, steep ? x.l : y.l}, b{steep ? y.h : x.h, steep ? y.l : x.l};
  const auto middle = a.h > b.h * K(0x1.a827999fcef32p-2);
  const P above = pair_sum(a, P{-b.h, -b.l}), below = pair_sum(a, b);
  const P t = pair_quotient(P{middle ? above.h : a.h, middle ? above.l : a.l},
                            P{middle ? below.h : b.h, middle ? below.l : b.l});
  const F z = t.h * t.h, z2 = z * z, z4 = z2 * z2;
  const F p01 = FMA(z, K(0x1.99999999998c5p-3), K(-0x1.5555555555555p-2));
  const F p23 = FMA(z, K(0x1.c71c71c3da31bp-4), K(-0x1.249249248bea1p-3));
  const F p45 = FMA(z, K(0x1.3b13a3ac561b5p-4), K(-0x1.745d16c306ea3p-4));
  const F p67 = FMA(z, K(0x1.e1c89f2a3bfp-5), K(-0x1.1110186731402p-4));
  const F p89 = FMA(z, K(0x1.7ff0ea9834876p-5), K(-0x1.ae3cd5ddb2f5cp-5));
  const F p1011 = FMA(z, K(0x1.d0e6c51554719p-6), K(-0x1.4706b578d5ac8p-5));
  const F low = FMA(z4, FMA(z2, p67, p45), FMA(z2, p23, p01));
  const F high = FMA(z4, K(-0x1.861a0fa737de1p-7), FMA(z2, p1011, p89));
  const F p = FMA(z4 * z4, high, low);
  const P arc = ordered_sum(t.h, FMA(t.h * z, p, FMA(-t.l, z, t.l)));
  // In quarters of pi: what it is added to or taken from.
  const F first = middle ? K(1) : K(0), second = steep ? K(2) - first : first, third = left ? K(4) - second : second;
  const F sign = (steep ? K(-1) : K(1)) * (left ? K(-1) : K(1));
  P base = exact_product(third, K(0x1.921fb54442d18p-1));
  base.l = FMA(third, K(0x1.1a62633145c07p-55), base.l);
  const P signed_arc{arc.h * sign, arc.l * sign};
  return pair_sum(base, signed_arc);
}
)"},
    {"arctan", "angle size_of copysign", R"(inline F arctan(F x) {
  const F size = size_of(x);
  const auto far = size > K(0x1p60);
  const P arc = angle(P{far ? K(1) : size, K(0)}, P{far ? K(0) : K(1), K(0)}, K(0) > K(0));
  return copysign(size > K(0x1p-28) ? arc.h : size, x);
}
)"},
    // Numbers of an extreme size are brought nearer to 1; those that differ too much to be so have an angle of 0.
    {"arctan2", "angle size_of copysign", R"(inline F arctan2(F y, F x) {
  const F up = size_of(y), along = size_of(x), most = up > along ? up : along;
  const F factor = most > K(0x1p900) ? K(0x1p-200) : most < K(0x1p-900) ? K(0x1p200) : K(1);
  const auto left = (BITS(x) & SIGN) != KU(0);
  const F up_end = up == INFINITE ? K(1) : K(0), along_end = along == INFINITE ? K(1) : K(0);
  const F a = most == INFINITE ? up_end : up * factor;
  const F b = most == INFINITE ? along_end : most == K(0) ? K(1) : along * factor;
  const F arc = angle(P{a, K(0)}, P{b, K(0)}, left).h;
  return (y == y) & (x == x) ? copysign(arc, y) : y + x;
}
)"},
    // sqrt(1 - x^2), |x| <= 1.
    {"other_leg", "pair_root pair", R"(inline P other_leg(F x) {
  const P square = exact_product(x, x), rest = exact_sum(K(1), -square.h);
  return pair_root(ordered_sum(rest.h, rest.l - square.l));
}
)"},
    {"arcsin", "angle other_leg size_of copysign", R"(inline F arcsin(F x) {
  const F size = size_of(x), within = size <= K(1) ? size : K(1);
  const F arc = angle(P{within, K(0)}, other_leg(within), K(0) > K(0)).h;
  const F result = copysign(size < K(0x1p-28) ? size : arc, x);
  return size <= K(1) ? result : NOT_A_NUMBER;
}
)"},
    {"arccos", "angle other_leg size_of", R"(inline F arccos(F x) {
  const F size = size_of(x), within = size <= K(1) ? size : K(1);
  const F arc = angle(other_leg(within), P{within, K(0)}, x < K(0)).h;
  return size <= K(1) ? arc : NOT_A_NUMBER;
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

std::span<const FunctionText> inverse_texts() {
  return kInverse;
}

}  // namespace pilum::kernel
