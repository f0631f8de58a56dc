#include "runtime/kernel/device/device_prelude.h"

namespace pilum::kernel {

std::string_view device_head() {
  return R"(
#ifdef __CUDACC_RTC__
#define __builtin_memcpy memcpy
#define __builtin_fabs(a) fabs(a)
#define __builtin_fma(a, b, c) __fma_rn(a, b, c)
#define __builtin_fmaf(a, b, c) __fmaf_rn(a, b, c)
#define __builtin_sqrt(a) __dsqrt_rn(a)
#define __builtin_sqrtf(a) __fsqrt_rn(a)
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000ll)
#define __builtin_nanf(text) __int_as_float(0x7fc00000)
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)
#define __builtin_inff() __int_as_float(0x7f800000)
// A number of 64 bits that no instruction holds is loaded from the bank of constants; put together of two words it takes
// two instructions, of which polynomials then have more than of arithmetic.
template <auto kValue> __constant__ decltype(kValue) in_bank = kValue;
template <auto kValue>
inline decltype(kValue) constant_of() {
  if constexpr (sizeof kValue == 8) {
    if constexpr ((__builtin_bit_cast(unsigned long, kValue) & 0xffffffff) != 0) return in_bank<kValue>;
  }
  return kValue;
}
#endif
)";
}

std::string_view device_place() {
  return R"(
// Where a thread is: its block in the grid, and itself in the block.
struct Index { unsigned x, y, z; };
struct Place { Index block, grid, thread, threads; };
inline Place my_place() {
  return {{blockIdx.x, blockIdx.y, blockIdx.z}, {gridDim.x, gridDim.y, gridDim.z}, {threadIdx.x, threadIdx.y, threadIdx.z},
          {blockDim.x, blockDim.y, blockDim.z}};
}
)";
}

std::string_view device_entry() {
  return "extern \"C\" __global__ void pilum_kernel(const __grid_constant__ Words call) { run(call, my_place()); }\n";
}

std::string_view device_types() {
  return R"(
typedef unsigned char u8;
typedef signed char i8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long i64;
typedef unsigned long u64;
typedef float f32;
typedef double f64;
)";
}

std::string_view device_digits() {
  return R"(
// The last digit of `left`, which has so many values; takes it off. 64-bit division takes several times the 32-bit one's.
inline i64 take_digit(i64& left, i64 values) {
  if (values == 1) return 0;
  const i64 rest = (left | values) >> 31 ? left / values : (i64)((u32)left / (u32)values);
  const i64 digit = left - rest * values;
  left = rest;
  return digit;
}
)";
}

std::string_view device_division() {
  return R"(
// 1 / b, rounded, by two steps of Newton from what the hardware knows of it: e, e * e and again e are what is left of the
// error. 0 where b is out of range, or 1 / b so near to the middle between two numbers that they may give the wrong one.
inline f64 reciprocal_for(f64 b) {
  u64 bits;
  __builtin_memcpy(&bits, &b, sizeof bits);
  f64 y;
#ifdef __CUDACC_RTC__
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(b));
#else
  u64 high;  // of as many digits
  y = 1.0 / b;
  __builtin_memcpy(&high, &y, sizeof high);
  high &= ~(u64)0xffffffff;
  __builtin_memcpy(&y, &high, sizeof y);
#endif
  f64 e = __builtin_fma(-b, y, 1.0);
  e = __builtin_fma(e, e, e);
  y = __builtin_fma(y, e, y);
  y = __builtin_fma(y, __builtin_fma(-b, y, 1.0), y);
  const u32 exponent = (u32)(bits >> 52) & 0x7ff;
  return exponent - (1023 - 256) <= 512 && ~bits << 12 ? y : 0.0;
}
__attribute__((noinline)) f64 divide_slowly(f64 a, f64 b) { return a / b; }
// a / b, rounded as that is; y is reciprocal_for(b). Each step halves what is left of the error: the first gives one of
// the two neighbours of a / b, from which, as a - b * q is exact, the second gives the nearest (Markstein, IBM J. Res.
// Dev. 34, 1990). Six operations, and as many for the divisor; the compiler's division takes 20, and where a is 0 three
// times as many.
inline f64 divide_by(f64 a, f64 b, f64 y) {
  u64 bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  const u32 exponent = (u32)(bits >> 52) & 0x7ff;
  const f64 q = a * y;
  if (y == 0.0 || exponent - (1023 - 700) > 1400) return a == 0.0 && y != 0.0 ? q : divide_slowly(a, b);
  const f64 r = __builtin_fma(__builtin_fma(-b, q, a), y, q);
  return __builtin_fma(__builtin_fma(-b, r, a), y, r);
}
)";
}

std::string_view device_memory_helpers() {
  return R"(
template <class T>
inline T scalar(u64 word) {
  T value;
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}
template <class T, bool kIsStruct = __is_class(T)>
struct Aliased { typedef T Cell __attribute__((may_alias)); };
template <class T>
struct Aliased<T, true> { typedef T Cell; };  // a struct says so itself
template <class T>
inline T& at(const char* cell) {  // wherever it lies; buffers have no type of their own
  return *(typename Aliased<T>::Cell*)cell;
}
template <class T, int N>
struct alignas(sizeof(T) * N) Pack { T x[N]; };
template <class T, int N>
inline Pack<T, N> load_pack(const char* cells) { return *(const Pack<T, N>*)cells; }
template <class T, int N>
inline void store_pack(char* cells, Pack<T, N> pack) { *(Pack<T, N>*)cells = pack; }
template <class T, int N>
inline void stream_pack(char* cells, Pack<T, N> pack) {
#ifdef __CUDACC_RTC__
  if constexpr (sizeof pack == 16) {
    __stcs((int4*)cells, *(int4*)&pack);
    return;
  } else if constexpr (sizeof pack == 8) {
    __stcs((int2*)cells, *(int2*)&pack);
    return;
  }
#endif
  store_pack(cells, pack);
}
)";
}

}  // namespace pilum::kernel
