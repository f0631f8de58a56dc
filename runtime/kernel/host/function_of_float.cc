// What float32 takes of float64: its arithmetic has 29 bits more than are kept, so that nothing has to be computed in
// pairs (function_pairs.cc). What is left of the error, 2^-40 at most, is far below a bit of float32: results are those
// of the exact numbers, rounded, but for one in some thousands that lies near to the middle between two.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

constexpr FunctionText kOfFloat[] = {
    // (e^2x - 1) / (e^2x + 1); of small numbers x - x^3 / 3, whose second part is less than half of the last bit.
    {"tanh_of_float", "exp clamp size_of copysign", R"(inline F tanh_of_float(F x) {
  const F size = size_of(x), e = exp(clamp(size + size, K(0), K(50)));
  return size < K(0x1p-13) ? x : copysign((e - K(1)) / (e + K(1)), x);
}
)"},
    {"sinh_of_float", "exp clamp size_of copysign", R"(inline F sinh_of_float(F x) {
  const F size = size_of(x), e = exp(clamp(size, K(0), K(100))), square = size * size;
  const F small = FMA(size * square, FMA(square, K(0x1.1111111111111p-7), K(0x1.5555555555555p-3)), size);
  return copysign(size < K(0x1p-5) ? small : K(0.5) * (e - K(1) / e), x);
}
)"},
    {"cosh_of_float", "exp clamp size_of", R"(inline F cosh_of_float(F x) {
  const F e = exp(clamp(size_of(x), K(0), K(100)));
  return K(0.5) * (e + K(1) / e);
}
)"},
    {"expm1_of_float", "exp clamp size_of", R"(inline F expm1_of_float(F x) {
  const F all = exp(clamp(x, K(-50), K(100))) - K(1);
  const F small = FMA(x * x, FMA(x, K(0x1.5555555555555p-3), K(0.5)), x);
  return x == K(0) ? x : size_of(x) < K(0x1p-10) ? small : all;
}
)"},
    // 1 + x is exact where it counts.
    {"log1p_of_float", "log size_of", R"(inline F log1p_of_float(F x) {
  const F all = log(K(1) + x);
  return size_of(x) < K(0x1p-26) ? x : all;
}
)"},
    {"log2_of_float", "log", R"(inline F log2_of_float(F x) { return log(x) * K(0x1.71547652b82fep0); }
)"},
    {"log10_of_float", "log", R"(inline F log10_of_float(F x) { return log(x) * K(0x1.bcb7b1526e50ep-2); }
)"},
    {"exp2_of_float", "exp clamp", R"(inline F exp2_of_float(F x) {
  return exp(clamp(x, K(-200), K(200)) * K(0x1.62e42fefa39efp-1));
}
)"},
    // As power, without pairs: |y log(x)| < 128 where the result is in range.
    {"power_of_float", "exp log clamp size_of with_power_ends", R"(inline F power_of_float(F x, F y) {
  const F size = size_of(x), logarithm = log((size > K(0)) & (size < INFINITE) ? size : K(1));
  return with_power_ends(x, y, exp(clamp(logarithm * clamp(y, K(-0x1p70), K(0x1p70)), K(-800), K(800))));
}
)"},
};

}  // namespace

std::span<const FunctionText> of_float_texts() {
  return kOfFloat;
}

}  // namespace pilum::kernel
