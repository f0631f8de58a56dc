// Random bits, and the product that makes numbers below a bound of them.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

// Philox 4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3",
// SC 2011. Of words of 64 bits the lower half counts in products, and what is above it in the others is never looked
// at: the words `x` and `z` are multiplied, `y` and `w` are added to what is left of the products. Kernels' compilers
// would not unroll a loop, which takes 1.4 times as long.
constexpr FunctionText kRandom[] = {
    {"philox", "", R"(inline void philox(U x, U y, U z, U w, U key, U& low, U& high) {
  const U half = KU(0xffffffffu);
  U k0 = key & half, k1 = key >> 32, p, q;
#define ROUND \
  p = KU(0xd2511f53u) * (x & half), q = KU(0xcd9e8d57u) * (z & half); \
  x = (q >> 32) ^ y ^ k0, z = (p >> 32) ^ w ^ k1, y = q, w = p; \
  k0 = (k0 + KU(0x9e3779b9u)) & half, k1 = (k1 + KU(0xbb67ae85u)) & half;
  ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND
#undef ROUND
  low = (x & half) | (y << 32);
  high = (z & half) | (w << 32);
}
)"},
    {"philox_low", "philox", R"(inline F philox_low(F a, F b, F c) {
  U low, high;
  philox((U)a, (U)a >> 32, (U)b, (U)b >> 32, (U)c, low, high);
  return (F)low;
}
)"},
    {"philox_high", "philox", R"(inline F philox_high(F a, F b, F c) {
  U low, high;
  philox((U)a, (U)a >> 32, (U)b, (U)b >> 32, (U)c, low, high);
  return (F)high;
}
)"},
    {"multiply_high", "", R"(inline F multiply_high(F a, F b) {
  const U half = KU(0xffffffffu), al = (U)a & half, ah = (U)a >> 32, bl = (U)b & half, bh = (U)b >> 32;
  const U first = al * bh + (al * bl >> 32), second = ah * bl + (first & half);
  return (F)(ah * bh + (first >> 32) + (second >> 32));
}
)"},
};

}  // namespace

std::span<const FunctionText> random_texts() {
  return kRandom;
}

}  // namespace pilum::kernel
