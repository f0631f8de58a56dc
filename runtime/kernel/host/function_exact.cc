// Functions whose results are exact, or rounded once: they need IEEE's operations and a float's bits.
#include "runtime/kernel/host/function_text.h"

namespace pilum::kernel {
namespace {

// Adding and taking off 2^52 leaves no place for what is behind the point; what is larger has nothing there.
constexpr FunctionText kExact[] = {
    {"rint", "", R"(inline F rint(F a) {
  const F size = FLOAT(BITS(a) & ~SIGN), whole = (size + K(BIG)) - K(BIG);
  return FLOAT((size < K(BIG) ? BITS(whole) : BITS(size)) | (BITS(a) & SIGN));
}
)"},
    {"floor", "rint", R"(inline F floor(F a) {
  const F whole = rint(a);
  return whole > a ? whole - K(1) : whole;
}
)"},
    {"ceil", "rint", R"(inline F ceil(F a) {
  const F whole = rint(a);
  return FLOAT(BITS(whole < a ? whole + K(1) : whole) | (BITS(a) & SIGN));
}
)"},
    {"trunc", "rint", R"(inline F trunc(F a) {
  const F size = FLOAT(BITS(a) & ~SIGN), whole = rint(size);
  return FLOAT(BITS(whole > size ? whole - K(1) : whole) | (BITS(a) & SIGN));
}
)"},
    {"copysign", "", R"(inline F copysign(F a, F b) { return FLOAT((BITS(a) & ~SIGN) | (BITS(b) & SIGN)); }
)"},
    // Of floats of one sign the bits are in the floats' order.
    {"nextafter", "", R"(inline F nextafter(F a, F b) {
  const U next = (a < b) ^ (a > K(0)) ? BITS(a) - KU(1) : BITS(a) + KU(1);
  const F moved = FLOAT(a == K(0) ? (BITS(b) & SIGN) | KU(1) : next);
  const F same_or_nan = a == b ? b : a + b;
  return (a < b) | (a > b) ? moved : same_or_nan;
}
)"},
    // A float as m 2^e, 1 <= |m| < 2; e + BIAS stands in the exponent's bits, and BIG's bits with those below are BIG +
    // it.
    {"split", "", R"(inline F split(F a, F& exponent) {
  const F size = FLOAT(BITS(a) & ~SIGN);
  const auto tiny = size < K(SMALLEST_NORMAL);
  const U word = BITS(tiny ? a * K(BIG) : a);
  const F biased = FLOAT(((word & EXPONENT) >> DIGITS) | BITS(K(BIG))) - K(BIG);
  exponent = biased - (tiny ? K(BIAS + DIGITS) : K(BIAS));
  return FLOAT((word & ~EXPONENT) | BITS(K(1)));
}
)"},
    // a 2^k for a whole k, |k| <= 2 BIAS, in two steps of half of it: rounded once where 1 <= |a| < 2. What is added to
    // k leaves k + 2 BIAS in the low bits: the exponents of both steps, biased.
    {"scale", "", R"(inline F scale(F a, F k) {
  const U exponents = BITS(k + K(BIG + BIG / 2 + 2 * BIAS)), half = exponents >> 1;
  return a * FLOAT(half << DIGITS) * FLOAT((exponents - half) << DIGITS);
}
)"},
    {"ldexp", "split scale", R"(inline F ldexp(F a, F b) {
  F exponent;
  const F part = split(a, exponent);
  F k = exponent + (b > K(5000) ? K(5000) : b < K(-5000) ? K(-5000) : b);
  k = k > K(BIAS + 1) ? K(BIAS + 1) : k < K(-BIAS - DIGITS - 2) ? K(-BIAS - DIGITS - 2) : k;
  return (a - a == K(0)) & (a != K(0)) ? scale(part, k) : a;
}
)"},
    {"frexp_mantissa", "split", R"(inline F frexp_mantissa(F a) {
  F exponent;
  const F part = split(a, exponent) * K(0.5);
  return (a - a == K(0)) & (a != K(0)) ? part : a;
}
)"},
    {"frexp_exponent", "split", R"(inline F frexp_exponent(F a) {
  F exponent;
  split(a, exponent);
  return (a - a == K(0)) & (a != K(0)) ? exponent + K(1) : K(0);
}
)"},
    // From here on to from_half(): by the processor where it is known to convert, else by integers; the same bits, but
    // for a NaN's payload on GPUs. Adding and taking off 2^(e + DIGITS - 10) leaves the 10 digits of a float16 behind
    // the first, whose place is e: at least -14, where digits are of 2^-24. From 65536 on there are none.
    {"round_half", "", R"(inline F round_half(F a) {
#if DIGITS == 23 && defined(__CUDACC_RTC__)
  u16 bits;
  F rounded;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(a));
  asm("cvt.f32.f16 %0, %1;" : "=f"(rounded) : "h"(bits));
  return rounded;
#elif DIGITS == 23 && defined(__clang__) && defined(__F16C__) && VECTOR
  typedef _Float16 H __attribute__((vector_size(2 * LANES)));
  return __builtin_convertvector(__builtin_convertvector(a, H), F);
#else
  const U exponent = BITS(a) & EXPONENT;
  const U least = KU((EU)(BIAS - 14) << DIGITS), largest = KU((EU)(BIAS + 16) << DIGITS);
  const U place = exponent < least ? least : exponent > largest ? largest : exponent;
  const F size = FLOAT(BITS(a) & ~SIGN), step = FLOAT(place + KU((EU)(DIGITS - 10) << DIGITS));
  const F rounded = (size + step) - step;
  return FLOAT(BITS(rounded > K(65504) ? INFINITE : rounded) | (BITS(a) & SIGN));
#endif
}
)"},
    // Of float32 alone: the bits of the nearest float16, to the even one. Below 2^-14 adding 0.5 rounds to digits of
    // 2^-24; above, the exponent moves by the difference of the biases, 112.
    {"to_half", "", R"(inline U to_half(F a) {
#if defined(__CUDACC_RTC__)
  u16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(a));
  return bits;
#elif defined(__clang__) && defined(__F16C__) && VECTOR
  typedef _Float16 H __attribute__((vector_size(2 * LANES)));
  return __builtin_convertvector(__builtin_bit_cast(u16v, __builtin_convertvector(a, H)), U);
#else
  const I size = (I)(BITS(a) & ~SIGN);
  const I normal = (size - KI(0x38000000) + KI(0xfff) + ((size >> 13) & KI(1))) >> 13;
  const I small = (I)BITS(FLOAT((U)size) + K(0.5f)) - KI(0x3f000000);
  const I nan = ((size >> 13) & KI(0x3ff)) | KI(0x7e00);
  const I beyond = size > KI(0x7f800000) ? nan : KI(0x7c00);
  const I finite = size < KI(0x38800000) ? small : normal;
  return (U)(size < KI(0x477ff000) ? finite : beyond) | ((BITS(a) & SIGN) >> 16);
#endif
}
)"},
    {"from_half", "", R"(inline F from_half(U a) {
#if defined(__CUDACC_RTC__)
  F wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"((u16)a));
  return wide;
#elif defined(__clang__) && defined(__F16C__) && VECTOR
  typedef _Float16 H __attribute__((vector_size(2 * LANES)));
  return __builtin_convertvector(__builtin_bit_cast(H, __builtin_convertvector(a, u16v)), F);
#else
  const I size = (I)(a & KU(0x7fff));
  const I normal = (size << 13) + KI(0x38000000);
  const I beyond = (normal + KI(0x38000000)) | (size > KI(0x7c00) ? KI(0x400000) : KI(0));
  const I small = (I)BITS(TO_F(size) * K(0x1p-24f));
  const I bits = size < KI(0x400) ? small : size < KI(0x7c00) ? normal : beyond;
  return FLOAT((U)bits | ((a & KU(0x8000)) << 16));
#endif
}
)"},
    {"fmin", "", R"(inline F fmin(F a, F b) { return (a <= b) | (b != b) ? a : b; }
)"},
    {"fmax", "", R"(inline F fmax(F a, F b) { return (a >= b) | (b != b) ? a : b; }
)"},
    {"heaviside", "", R"(inline F heaviside(F a, F b) {
  const F side = a < K(0) ? K(0) : a > K(0) ? K(1) : a;
  return a == K(0) ? b : side;
}
)"},
    // a less b times the quotient's whole part, which is exact where that is a float: a float can hold what is left,
    // and an fma rounds once. A quotient that was rounded up to a whole number is one too many. Others are the C
    // library's, whose fmod is exact too, on GPUs as well.
    {"rest_of", "trunc copysign all_of", R"(inline F rest_of(F a, F b) {
  const F quotient = a / b;
  const F rest = FMA(-trunc(quotient), b, a);
  const F moved = (rest != K(0)) & ((rest < K(0)) ^ (a < K(0))) ? rest + copysign(b, a) : rest;
  F result = copysign(moved, a);
  const M near = (quotient < K(BIG)) & (quotient > K(-BIG)) & (b - b == K(0));
  if (ALL_OF(near)) return result;
#if VECTOR
  for (int i = 0; i < LANES; ++i) {
    if (!near[i]) result[i] = FMOD(a[i], b[i]);
  }
#else
  result = FMOD(a, b);
#endif
  return result;
}
)"},
    // numpy.remainder: with the divisor's sign.
    {"modulo", "rest_of", R"(inline F modulo(F a, F b) {
  const F zero{}, rest = rest_of(a, b);
  const F moved = (rest < K(0)) ^ (b < K(0)) ? rest + b : rest;
  return rest == K(0) ? (b < K(0) ? -zero : zero) : moved;
}
)"},
    // numpy.floor_divide: the quotient without the rest, which is nearly whole, and made so.
    {"floor_divide", "rest_of floor copysign", R"(inline F floor_divide(F a, F b) {
  const F rest = rest_of(a, b), quotient = (a - rest) / b;
  const F moved = (rest != K(0)) & ((rest < K(0)) ^ (b < K(0))) ? quotient - K(1) : quotient;
  const F below = floor(moved);
  const F whole = moved - below > K(0.5) ? below + K(1) : below;
  const F signed_zero = moved == K(0) ? copysign(K(0), a / b) : whole;
  return b == K(0) ? a / b : signed_zero;
}
)"},
};

// a / b, rounded towards 0, as processors have no vectors of. Doubles' quotient is a whole number where a / b is one,
// and else farther from the next one than it is rounded: that is 1/a of it at least, and a is less than 2^52.
constexpr FunctionText kQuotient{"quotient_of", "", R"(inline F quotient_of(F a, F b) {
#if VECTOR
  typedef double D __attribute__((vector_size(8 * LANES)));
#if WIDTH <= 32
  return __builtin_convertvector(__builtin_convertvector(a, D) / __builtin_convertvector(b, D), F);
#elif defined(__clang__)
  const U below = KU((E)-1 < (E)0 ? 1ul << 52 : 0ul), limit = below + KU(1ul << 52);
  const auto near = ((U)a + below < limit) & ((U)b + below < limit);
  if (__builtin_reduce_and(near))
    return __builtin_convertvector(__builtin_convertvector(a, D) / __builtin_convertvector(b, D), F);
#endif
#endif
  return a / b;
}
)"};

// No divisor is 0 or -1 when it comes to a division, for that would trap.
constexpr FunctionText kInteger[] = {
    kQuotient,
    {"modulo", "quotient_of", R"(inline F modulo(F a, F b) {
  const F divisor = (b == K(0)) | (b == K(-1)) ? K(1) : b, rest = a - quotient_of(a, divisor) * divisor;
  return (rest != K(0)) & ((rest ^ divisor) < K(0)) ? rest + divisor : rest;
}
)"},
    {"rest_of", "quotient_of", R"(inline F rest_of(F a, F b) {
  const F divisor = (b == K(0)) | (b == K(-1)) ? K(1) : b;
  return a - quotient_of(a, divisor) * divisor;
}
)"},
    {"floor_divide", "quotient_of", R"(inline F floor_divide(F a, F b) {
  const F divisor = (b == K(0)) | (b == K(-1)) ? K(1) : b, quotient = quotient_of(a, divisor);
  const F rest = a - quotient * divisor;
  const F below = (rest != K(0)) & ((rest ^ divisor) < K(0)) ? quotient - K(1) : quotient;
  const F negative = b == K(-1) ? -a : below;
  return b == K(0) ? K(0) : negative;
}
)"},
    {"left_shift", "", R"(inline F left_shift(F a, F b) {
  const F shifted = (F)((U)a << ((U)b & KU(WIDTH - 1)));
  return (b < K(0)) | (b >= K(WIDTH)) ? K(0) : shifted;
}
)"},
    {"right_shift", "", R"(inline F right_shift(F a, F b) {
  return a >> ((b < K(0)) | (b >= K(WIDTH)) ? K(WIDTH - 1) : b);
}
)"},
    // b >= 0; of others any value.
    {"power_of_numbers", "", R"(inline F power_of_numbers(F a, F b) {
  U result = 1, base = (U)a;
  for (U left = (U)b; left; left >>= 1) {
    if (left & 1) result *= base;
    base *= base;
  }
  return (F)result;
}
)"},
    {"power", "#power_of_numbers", R"(inline F power(F a, F b) {
#if VECTOR
  F result = a;
  for (int i = 0; i < LANES; ++i) result[i] = power_of_numbers(a[i], b[i]);
  return result;
#else
  return power_of_numbers(a, b);
#endif
}
)"},
    {"gcd_of_numbers", "", R"(inline F gcd_of_numbers(F a, F b) {
  U x = a < 0 ? -(U)a : (U)a, y = b < 0 ? -(U)b : (U)b;
  while (y) {
    const U rest = x % y;
    x = y;
    y = rest;
  }
  return (F)x;
}
)"},
    {"gcd", "#gcd_of_numbers", R"(inline F gcd(F a, F b) {
#if VECTOR
  F result = a;
  for (int i = 0; i < LANES; ++i) result[i] = gcd_of_numbers(a[i], b[i]);
  return result;
#else
  return gcd_of_numbers(a, b);
#endif
}
)"},
    {"lcm", "gcd", R"(inline F lcm(F a, F b) {
  const F divisor = gcd(a, b), size = a < K(0) ? -a : a;
  const U part = (U)size / (divisor == K(0) ? KU(1) : (U)divisor);
  return (F)(part * (U)(b < K(0) ? -b : b));
}
)"},
};

// A divisor is not 0 when it comes to a division.
constexpr FunctionText kUnsigned[] = {
    kQuotient,
    {"modulo", "quotient_of", R"(inline F modulo(F a, F b) {
  const F divisor = b == K(0) ? K(1) : b;
  return b == K(0) ? K(0) : a - quotient_of(a, divisor) * divisor;
}
)"},
    {"rest_of", "modulo", R"(inline F rest_of(F a, F b) { return modulo(a, b); }
)"},
    {"floor_divide", "quotient_of", R"(inline F floor_divide(F a, F b) {
  return b == K(0) ? K(0) : quotient_of(a, b == K(0) ? K(1) : b);
}
)"},
    {"left_shift", "", R"(inline F left_shift(F a, F b) { return b >= K(WIDTH) ? K(0) : a << (b & K(WIDTH - 1)); }
)"},
    {"right_shift", "", R"(inline F right_shift(F a, F b) { return b >= K(WIDTH) ? K(0) : a >> (b & K(WIDTH - 1)); }
)"},
    {"gcd_of_numbers", "", R"(inline F gcd_of_numbers(F a, F b) {
  while (b) {
    const F rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
)"},
    {"lcm", "gcd", R"(inline F lcm(F a, F b) {
  const F divisor = gcd(a, b);
  return a / (divisor == K(0) ? K(1) : divisor) * b;
}
)"},
};

}  // namespace

std::span<const FunctionText> exact_texts() {
  return kExact;
}
std::span<const FunctionText> integer_texts() {
  return kInteger;
}
std::span<const FunctionText> unsigned_texts() {
  return kUnsigned;
}

}  // namespace pilum::kernel
