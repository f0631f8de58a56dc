// What bodies for GPUs have of the standard library.
#include "runtime/kernel/body/device_body_prelude.h"

namespace pilum::kernel {

std::string_view body_std() {
  return R"(
namespace std {
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned uint32_t;
typedef unsigned long uint64_t;
typedef unsigned long size_t;
template <class T>
constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T>
constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
// As far as arithmetic goes; quotients are Smith's, as NumPy's are.
template <class T>
class complex {
 public:
  constexpr complex(T re = T(), T im = T()) : re_(re), im_(im) {}
  constexpr T real() const { return re_; }
  constexpr T imag() const { return im_; }
  constexpr complex operator-() const { return {-re_, -im_}; }
  friend constexpr complex operator+(complex a, complex b) { return {a.re_ + b.re_, a.im_ + b.im_}; }
  friend constexpr complex operator-(complex a, complex b) { return {a.re_ - b.re_, a.im_ - b.im_}; }
  friend constexpr complex operator*(complex a, complex b) {
    return {a.re_ * b.re_ - a.im_ * b.im_, a.re_ * b.im_ + a.im_ * b.re_};
  }
  friend constexpr complex operator/(complex a, complex b) {
    const T size_re = b.re_ < 0 ? -b.re_ : b.re_, size_im = b.im_ < 0 ? -b.im_ : b.im_;
    if (size_re == 0 && size_im == 0) return {a.re_ / size_re, a.im_ / size_im};
    if (size_re >= size_im) {
      const T ratio = b.im_ / b.re_, scale = T(1) / (b.re_ + b.im_ * ratio);
      return {(a.re_ + a.im_ * ratio) * scale, (a.im_ - a.re_ * ratio) * scale};
    }
    const T ratio = b.re_ / b.im_, scale = T(1) / (b.im_ + b.re_ * ratio);
    return {(a.re_ * ratio + a.im_) * scale, (a.im_ * ratio - a.re_) * scale};
  }
  friend constexpr bool operator==(complex a, complex b) { return a.re_ == b.re_ && a.im_ == b.im_; }
  complex& operator+=(complex b) { return *this = *this + b; }
  complex& operator-=(complex b) { return *this = *this - b; }
  complex& operator*=(complex b) { return *this = *this * b; }
  complex& operator/=(complex b) { return *this = *this / b; }

 private:
  T re_, im_;
};
template <class T>
constexpr T real(complex<T> a) { return a.real(); }
template <class T>
constexpr T imag(complex<T> a) { return a.imag(); }
template <class T>
constexpr complex<T> conj(complex<T> a) { return {a.real(), -a.imag()}; }
template <class T>
constexpr const T& clamp(const T& x, const T& low, const T& high) { return x < low ? low : high < x ? high : x; }
template <class To, class From>
constexpr To bit_cast(const From& from) { return __builtin_bit_cast(To, from); }

// <cmath>
#ifdef __CUDACC_RTC__
#define PILUM_MATH(name) ::name
#else
#define PILUM_MATH(name) __builtin_##name
#endif
template <class T>
concept integral = requires(T x) { x % 1; };
#define PILUM_OF_ONE(name)                                                  \
  inline double name(double x) { return PILUM_MATH(name)(x); }              \
  inline float name(float x) { return PILUM_MATH(name##f)(x); }             \
  inline double name(integral auto x) { return PILUM_MATH(name)((double)x); }
#define PILUM_OF_TWO(name)                                                  \
  inline double name(double x, double y) { return PILUM_MATH(name)(x, y); } \
  inline float name(float x, float y) { return PILUM_MATH(name##f)(x, y); }  \
  template <class T, class U>                                               \
  inline double name(T x, U y) { return PILUM_MATH(name)((double)x, (double)y); }
PILUM_OF_ONE(floor) PILUM_OF_ONE(ceil) PILUM_OF_ONE(trunc) PILUM_OF_ONE(round) PILUM_OF_ONE(rint)
PILUM_OF_ONE(sqrt) PILUM_OF_ONE(cbrt) PILUM_OF_ONE(fabs)
PILUM_OF_ONE(exp) PILUM_OF_ONE(exp2) PILUM_OF_ONE(expm1)
PILUM_OF_ONE(log) PILUM_OF_ONE(log2) PILUM_OF_ONE(log10) PILUM_OF_ONE(log1p)
PILUM_OF_ONE(sin) PILUM_OF_ONE(cos) PILUM_OF_ONE(tan) PILUM_OF_ONE(asin) PILUM_OF_ONE(acos) PILUM_OF_ONE(atan)
PILUM_OF_ONE(sinh) PILUM_OF_ONE(cosh) PILUM_OF_ONE(tanh)
PILUM_OF_ONE(asinh) PILUM_OF_ONE(acosh) PILUM_OF_ONE(atanh)
PILUM_OF_ONE(erf) PILUM_OF_ONE(erfc) PILUM_OF_ONE(tgamma) PILUM_OF_ONE(lgamma)
PILUM_OF_TWO(pow) PILUM_OF_TWO(atan2) PILUM_OF_TWO(hypot) PILUM_OF_TWO(fmod) PILUM_OF_TWO(copysign)
PILUM_OF_TWO(fmin) PILUM_OF_TWO(fmax)
#undef PILUM_OF_ONE
#undef PILUM_OF_TWO
inline double fma(double x, double y, double z) { return PILUM_MATH(fma)(x, y, z); }
inline float fma(float x, float y, float z) { return PILUM_MATH(fmaf)(x, y, z); }
inline double ldexp(double x, int power) { return PILUM_MATH(ldexp)(x, power); }
inline float ldexp(float x, int power) { return PILUM_MATH(ldexpf)(x, power); }
template <class T>
constexpr T abs(T x) {
  if constexpr (integral<T>) return x < 0 ? -x : x;
  else return fabs(x);
}
template <class T>
constexpr bool isnan(T x) { return x != x; }
template <class T>
constexpr bool isfinite(T x) { return x - x == 0; }
template <class T>
constexpr bool isinf(T x) { return x == x && x - x != 0; }
constexpr bool signbit(double x) { return bit_cast<uint64_t>(x) >> 63 != 0; }
constexpr bool signbit(float x) { return bit_cast<uint32_t>(x) >> 31 != 0; }

// <limits>
template <class T>
struct numeric_limits {  // of integers
  static constexpr T max() { return T(-1) > T(0) ? T(-1) : T((T(1) << (sizeof(T) * 8 - 2)) - 1 + (T(1) << (sizeof(T) * 8 - 2))); }
  static constexpr T min() { return T(-1) > T(0) ? T(0) : T(-max() - 1); }
  static constexpr T lowest() { return min(); }
};
template <>
struct numeric_limits<double> {
  static constexpr double max() { return 0x1.fffffffffffffp1023; }
  static constexpr double min() { return 0x1p-1022; }
  static constexpr double lowest() { return -max(); }
  static constexpr double epsilon() { return 0x1p-52; }
  static constexpr double infinity() { return bit_cast<double>(0x7ff0000000000000ul); }
  static constexpr double quiet_NaN() { return bit_cast<double>(0x7ff8000000000000ul); }
};
template <>
struct numeric_limits<float> {
  static constexpr float max() { return 0x1.fffffep127f; }
  static constexpr float min() { return 0x1p-126f; }
  static constexpr float lowest() { return -max(); }
  static constexpr float epsilon() { return 0x1p-23f; }
  static constexpr float infinity() { return bit_cast<float>(0x7f800000u); }
  static constexpr float quiet_NaN() { return bit_cast<float>(0x7fc00000u); }
};
namespace numbers {
constexpr double pi = 0x1.921fb54442d18p+1, e = 0x1.5bf0a8b145769p+1, sqrt2 = 0x1.6a09e667f3bcdp+0;
constexpr double ln2 = 0x1.62e42fefa39efp-1, ln10 = 0x1.26bb1bbb55516p+1, log2e = 0x1.71547652b82fep+0;
}  // namespace numbers

// <array>
template <class T, size_t kCount>
struct array {
  T cells[kCount];
  constexpr T& operator[](size_t place) { return cells[place]; }
  constexpr const T& operator[](size_t place) const { return cells[place]; }
  static constexpr size_t size() { return kCount; }
};
}  // namespace std
)";
}

}  // namespace pilum::kernel
