// What float32's elementary functions have of its own: polynomials (coefficients: polynomials/narrow.sollya), the way
// of large angles to small ones, and float64's part of those that are computed in it and rounded. What each is for is
// said where it is called, or in function_wide.cc.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kNarrowTexts[] = {
    {"rest_of_exp", "", R"(inline F rest_of_exp(F r) {
  const F p01 = FMA(r, K(0x1.5554f2p-5), K(0x1.555556p-3)), p23 = FMA(r, K(0x1.6d412cp-10), K(0x1.11100cp-7)), r2 = r * r;
  return FMA(r2, FMA(r2, K(0x1.a22dbcp-13), p23), p01);
}
)"},
    {"rest_of_artanh", "", R"(inline F rest_of_artanh(F z) {
  return FMA(z * z, FMA(z, K(0x1.ec1e3cp-3), K(0x1.23f1ap-2)), FMA(z, K(0x1.999bd4p-2), K(0x1.555554p-1)));
}
)"},
    {"precise_rest_of_artanh", "pair", R"(inline P precise_rest_of_artanh(F z) {
  const F p = FMA(z * z, FMA(z, K(0x1.b6a044p-2), K(0x1.a1a6f2p-3)), FMA(z, K(0x1.251286p-2), K(0x1.99983p-2)));
  return ordered_sum(K(0x1.555556p-1), z * p);
}
)"},
    {"rest_of_sin", "", R"(inline F rest_of_sin(F z) {
  return FMA(z * z, FMA(z, K(0x1.77e1f8p-19), K(-0x1.a04866p-13)), FMA(z, K(0x1.111164p-7), K(-0x1.555556p-3)));
}
)"},
    {"rest_of_cos", "", R"(inline F rest_of_cos(F z) {
  return FMA(z * z, K(0x1.99e91p-16), FMA(z, K(-0x1.6c0c2ap-10), K(0x1.55554ap-5)));
}
)"},
    {"rest_of_arctan", "", R"(inline F rest_of_arctan(F z) {
  const F z2 = z * z, p01 = FMA(z, K(0x1.999744p-3), K(-0x1.555552p-2)), p23 = FMA(z, K(0x1.c07266p-4), K(-0x1.24503p-3));
  return FMA(z2, FMA(z2, FMA(z, K(0x1.3fd504p-5), K(-0x1.480d2ep-4)), p23), p01);
}
)"},
    {"rest_of_arcsin", "", R"(inline F rest_of_arcsin(F z) {
  const F z2 = z * z, p01 = FMA(z, K(0x1.33389ep-4), K(0x1.55554cp-3)), p23 = FMA(z, K(0x1.04af34p-5), K(0x1.6caab6p-5));
  return FMA(z2, FMA(z2, FMA(z, K(0x1.33d432p-5), K(0x1.d7924cp-7)), p23), p01);
}
)"},
    // As float64's, from 2^16 on, where 64 bits are enough: two of them of quarters.
    {"reduce_far", "", R"(inline void reduce_far(F x, F& h, F& l, I& turns) {
  const u32 bits[7] = {2734261102u, 1313084713u, 4230436817u, 4113882560u, 3680671129u, 1011060801u, 4266746795u};
  const u32 word = BITS(x);
  const u64 m = (word & 0x7fffff) | 0x800000;
  const int exponent = (int)(word >> 23 & 0xff) - 150;
  const int first = exponent < 2 ? 0 : (exponent - 2) >> 5, point = 32 - (exponent - 32 * first);  // -1 to 39
  const u64 third = m * bits[first + 2] + (m * bits[first + 3] >> 32), second = m * bits[first + 1] + (third >> 32);
  const u64 top = m * bits[first] + (second >> 32), rest = second << 32 | (third & 0xffffffff);
  const u64 quarters = top << (62 - point) | rest >> (point + 2);
  const f64 angle = (f64)(i64)(quarters << 2) * 0x1.921fb54442d18p-64;
  const i32 turn = (i32)(quarters >> 62) + (i32)(quarters >> 61 & 1);
  const f64 with_sign = word >> 31 ? -angle : angle;
  h = (f32)with_sign;
  l = (f32)(with_sign - h);
  turns = word >> 31 ? -turn : turn;
}
)"},
};
constexpr FunctionText kOfFloat[] = {
    // The squares are exact, and their sum's error is far below a bit of float32.
    {"hypot_of_float", "size_of", R"(inline F hypot_of_float(F a, F b) {
  const F root = ROOT(FMA(a, a, b * b));
  return (size_of(a) == INFINITE) | (size_of(b) == INFINITE) ? INFINITE : root;
}
)"},
};

}  // namespace

std::span<const FunctionText> narrow_texts() {
  return kNarrowTexts;
}
std::span<const FunctionText> of_float_texts() {
  return kOfFloat;
}

}  // namespace pilum::kernel
