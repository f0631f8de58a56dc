// The inverse trigonometric functions. The polynomials of each width are in function_wide.cc and function_narrow.cc.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kInverse[] = {
    // The angle of the point (x, y), of sizes that are not both 0. With a <= b the two it is atan(a / b), or pi/4 +
    // atan((a - b) / (a + b)) where a > b / 2; pi/2 less that where y > x, and pi less all that where `left`.
    {"angle", "pair rest_of_arctan", R"(inline F angle(F y, F x, M left) {
  const auto steep = y > x;
  const F small = steep ? x : y, large = steep ? y : x;
  const auto middle = small > K(0.5) * large;
  const P sum = ordered_sum(large, small);
  const F a = middle ? small - large : small, b = middle ? sum.h : large;
  const F inverse = K(1) / b, t = a * inverse, z = t * t;
  const F t_low = FMA(-t, middle ? sum.l : K(0), FMA(-t, b, a)) * inverse;
  const F low = FMA(t * z, rest_of_arctan(z), FMA(t_low * z, K(-0.8), t_low));  // the derivative is 1 / (1 + z)
  // In eighths of a turn: what it is added to or taken from.
  const F first = middle ? K(1) : K(0), second = steep ? K(2) - first : first, third = left ? K(4) - second : second;
  const auto turned = steep ^ left;
  const P base = exact_product(third, K(0.5 * HALF_PI)), all = ordered_sum(base.h, turned ? -t : t);
  return all.h + (all.l + (FMA(third, K(0.5 * HALF_PI_LOW), base.l) + (turned ? -low : low)));
}
)"},
    {"arctan", "angle size_of copysign", R"(inline F arctan(F x) {
  const F size = size_of(x), within = size > K(0x1p60) ? K(0x1p60) : size;
  const F arc = angle(within, K(1), K(0) > K(0));
  return x == x ? copysign(size * K(BIG) < K(1) ? size : arc, x) : x;
}
)"},
    // Numbers of an extreme size are brought nearer to 1: those that differ too much to be so have an angle of 0, and
    // small ones are normal.
    {"arctan2", "angle size_of copysign", R"(inline F arctan2(F y, F x) {
  const F up = size_of(y), along = size_of(x), most = up > along ? up : along;
  const F factor = most > K(FAR_UP) ? K(1 / FAR_UP) : most < K(1) ? K(FAR_UP) : K(1);
  const auto left = (BITS(x) & SIGN) != KU(0);
  const F up_end = up == INFINITE ? K(1) : K(0), along_end = along == INFINITE ? K(1) : K(0);
  const F a = most == INFINITE ? up_end : up * factor;
  const F b = most == INFINITE ? along_end : most == K(0) ? K(1) : along * factor;
  const F arc = angle(a, b, left);
  return (y == y) & (x == x) ? copysign(arc, y) : y + x;
}
)"},
    // asin(t), t <= 1/2, as t and what is to be added; where |x| > 1/2 t = sqrt((1 - |x|) / 2), for asin(x) is
    // pi/2 - 2 asin(t).
    {"arcsin_parts", "pair_root rest_of_arcsin", R"(inline P arcsin_parts(F size, M large) {
  const F z = large ? FMA(size, K(-0.5), K(0.5)) : size * size;
  const P root = pair_root(P{z, K(-0.0)});
  const F t = large ? root.h : size;
  return P{t, FMA(t * z, rest_of_arcsin(z), large ? root.l : K(0))};
}
)"},
    {"arcsin", "arcsin_parts size_of copysign", R"(inline F arcsin(F x) {
  const F size = size_of(x), within = size <= K(1) ? size : K(1);
  const auto large = within > K(0.5);
  const P t = arcsin_parts(within, large), sum = ordered_sum(K(HALF_PI), K(-2) * t.h);
  const F far = sum.h + (sum.l + FMA(K(-2), t.l, K(HALF_PI_LOW))), arc = large ? far : t.h + t.l;
  return size <= K(1) ? copysign(size * K(BIG) < K(1) ? size : arc, x) : NOT_A_NUMBER;
}
)"},
    {"arccos", "arcsin_parts size_of copysign", R"(inline F arccos(F x) {
  const F size = size_of(x), within = size <= K(1) ? size : K(1);
  const auto large = within > K(0.5);
  const P t = arcsin_parts(within, large);
  // pi/2 - asin(x); of large ones 2 asin(t), or pi less that.
  const F base = large ? (x < K(0) ? K(2) : K(0)) : K(1), side = copysign(K(1), x), factor = large ? side + side : -side;
  const P sum = ordered_sum(base * K(HALF_PI), factor * t.h);
  return size <= K(1) ? sum.h + (sum.l + FMA(factor, t.l, base * K(HALF_PI_LOW))) : NOT_A_NUMBER;
}
)"},
};

}  // namespace

std::span<const FunctionText> inverse_texts() {
  return kInverse;
}

}  // namespace pilum::kernel
