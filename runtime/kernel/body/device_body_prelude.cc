#include "runtime/kernel/body/device_body_prelude.h"

namespace pilum::kernel {

std::string_view body_points() {
  return R"(
// The number of a float16, as pilum/half.h has it.
class half {
 public:
  half() = default;
  template <class T>
  constexpr explicit half(T number) : bits_(rounded((f64)number)) {}
  constexpr operator f32() const {
    const u32 sign = (bits_ & 0x8000u) << 16, exponent = bits_ >> 10 & 31u, fraction = bits_ & 0x3ffu;
    const u32 beyond = sign | 0x7f800000u | (fraction ? 0x400000u : 0u) | fraction << 13;
    if (exponent != 0)
      return __builtin_bit_cast(f32, exponent == 31 ? beyond : sign | (exponent + 112) << 23 | fraction << 13);
    const f32 size = (f32)fraction * 0x1p-24f;
    return sign ? -size : size;
  }
  constexpr u16 bits() const { return bits_; }
  static constexpr half from_bits(u16 bits) {
    half number{};
    number.bits_ = bits;
    return number;
  }
  constexpr half operator-() const { return from_bits((u16)(bits_ ^ 0x8000)); }
  constexpr half& operator+=(f32 other) { return *this = half(*this + other); }
  constexpr half& operator-=(f32 other) { return *this = half(*this - other); }
  constexpr half& operator*=(f32 other) { return *this = half(*this * other); }
  constexpr half& operator/=(f32 other) { return *this = half(*this / other); }

 private:
  static constexpr u16 rounded(f64 number) {
    const u64 bits = __builtin_bit_cast(u64, number), sign = bits >> 48 & 0x8000, size = bits & 0x7ffffffffffffffful;
    u64 result = (size - 0x3f00000000000000ul + 0x1fffffffffful + (size >> 42 & 1)) >> 42;
    if (size < 0x3f10000000000000ul)
      result = __builtin_bit_cast(u64, __builtin_bit_cast(f64, size) + 0x1p28) - __builtin_bit_cast(u64, 0x1p28);
    if (size >= 0x40effe0000000000ul) result = 0x7c00;
    if (size > 0x7ff0000000000000ul) result = 0x7e00 | (size >> 42 & 0x3ff);
    return (u16)(sign | result);
  }
  u16 bits_;
};

// A point of the launch's domain.
template <int Rank>
struct Point {
  i64 x[Rank];
  i64 operator[](int axis) const { return x[axis]; }
  static constexpr int rank() { return Rank; }
  operator i64() const requires(Rank == 1) { return x[0]; }
};

class Piece {
 public:
  constexpr Piece() {}
  template <int Rank>
  Piece(const Point<Rank>& point) : rank_(Rank) {
    for (int axis = 0; axis < Rank; ++axis) {
      lo_[axis] = point[axis];
      hi_[axis] = point[axis] + 1;
    }
  }
  constexpr int rank() const { return rank_; }
  constexpr i64 lo(int axis) const { return lo_[axis]; }
  constexpr i64 hi(int axis) const { return hi_[axis]; }
  constexpr i64 extent(int axis) const { return hi_[axis] - lo_[axis]; }
  constexpr i64 size() const {
    i64 product = 1;
    for (int axis = 0; axis < rank_; ++axis) product *= extent(axis) < 0 ? 0 : extent(axis);
    return product;
  }

 private:
  int rank_ = 0;
  i64 lo_[8] = {}, hi_[8] = {};
};
)";
}

std::string_view out_of_bounds_report() {
  return R"(
struct OutOfBounds {
  u64 state;
  i64 task, file, line, argument, rank, index[8], lo[8], hi[8];
  u64 zero, sink;
};
struct Refusal {
  OutOfBounds* report;
  i64 task, file, line;
};
// The first one is reported.
template <int Rank>
void refuse(const Refusal& refusal, int argument, const i64* index, const i64* lo, const i64* hi) {
  OutOfBounds& report = *refusal.report;
#ifdef __CUDACC_RTC__
  if (atomicCAS((unsigned long long*)&report.state, 0ull, 1ull) != 0) return;
#else
  if (report.state != 0) return;
#endif
  report.task = refusal.task;
  report.file = refusal.file;
  report.line = refusal.line;
  report.argument = argument;
  report.rank = Rank;
  for (int axis = 0; axis < Rank; ++axis) {
    report.index[axis] = index[axis];
    report.lo[axis] = lo[axis];
    report.hi[axis] = hi[axis];
  }
#ifdef __CUDACC_RTC__
  __threadfence_system();
#endif
  *(volatile u64*)&report.state = 2;
}
)";
}

std::string_view body_cells_head() {
  return R"(
struct Bind;
template <class T>
constexpr bool kIsConst = false;
template <class T>
constexpr bool kIsConst<const T> = true;

// Of an array in a GPU's memory.
template <int Rank>
class DeviceCells {
 public:
  i64 lo(int axis) const { return lo_[axis]; }
  i64 hi(int axis) const { return hi_[axis]; }
  i64 stride(int axis) const { return stride_[axis]; }
  template <class Element>
  Element* first() const {
    i64 offset = 0;
    for (int axis = 0; axis < Rank; ++axis) offset += lo_[axis] * stride_[axis];
    return (Element*)origin_ + offset;
  }
)";
}

std::string_view body_cells(bool checked) {
  if (!checked) {
    return R"(
  template <class Element>
  Element& cell(const i64* place) const {
    i64 offset = 0;
    for (int axis = 0; axis < Rank; ++axis) offset += place[axis] * stride_[axis];
    return ((Element*)origin_)[offset];
  }
  void refuse_index(i64, i64, i64) const {}

 private:
  void set(const Refusal&, int) {}
)";
  }
  return R"(
  template <class Element>
  Element& cell(const i64* place) const {
    bool inside = true;
    i64 offset = 0;
    for (int axis = 0; axis < Rank; ++axis) {
      inside = inside && place[axis] >= lo_[axis] && place[axis] < hi_[axis];
      offset += place[axis] * stride_[axis];
    }
    if (inside) return ((Element*)origin_)[offset];
    refuse<Rank>(refusal_, number_, place, lo_, hi_);
    OutOfBounds& report = *refusal_.report;
    return *(Element*)(kIsConst<Element> ? &report.zero : &report.sink);
  }
  void refuse_index(i64 index, i64 axis, i64 extent) const { refuse<1>(refusal_, 0, &index, &axis, &extent); }

 private:
  void set(const Refusal& refusal, int number) {
    refusal_ = refusal;
    number_ = number;
  }
  Refusal refusal_;
  int number_;
)";
}

std::string_view body_cells_tail() {
  return R"(
  friend struct Bind;
  void* origin_;  // index 0
  i64 lo_[Rank + 1], hi_[Rank + 1], stride_[Rank + 1];
};

template <class T, int Rank, Access kAccess>
class Accessor : public ArrayAccessor<T, Rank, kAccess, DeviceCells<Rank>> {
  typedef ArrayAccessor<T, Rank, kAccess, DeviceCells<Rank>> Base;

 public:
  using Base::operator();
  typename Base::Element& operator()(const Point<Rank>& point) const {
    return this->cells_.template cell<typename Base::Element>(point.x);
  }
  // Of the library's bodies: an index that another array has is outside of this one's axis.
  void refuse_index(i64 index, i64 axis, i64 extent) const { this->cells_.refuse_index(index, axis, extent); }

 private:
  friend struct Bind;
};

struct Bind {
  template <class A>
  static void begin(A& array, i64 origin, const Refusal& refusal, int number) {
    array.cells_.origin_ = (void*)origin;
    array.cells_.set(refusal, number);
  }
  template <class A>
  static void axis(A& array, int axis, i64 stride, i64 lo, i64 hi) {
    array.cells_.stride_[axis] = stride;
    array.cells_.lo_[axis] = lo;
    array.cells_.hi_[axis] = hi;
  }
};
inline i64 clip(i64 x, i64 lo, i64 hi) { return x < lo ? lo : x < hi ? x : hi; }
)";
}

std::string_view body_access_types() {
  return R"(
template <class T>
struct Plain { typedef T Type; };
template <class T>
struct Plain<const T> { typedef T Type; };
template <class T, int Rank>
struct Read : detail::Accessor<typename Plain<T>::Type, Rank, detail::Access::Read> {};
template <class T, int Rank>
struct Write : detail::Accessor<T, Rank, detail::Access::Write> {};
template <class T, int Rank>
struct ReadWrite : detail::Accessor<T, Rank, detail::Access::ReadWrite> {};
template <class T, int Rank>
struct Reduce : detail::Accessor<T, Rank, detail::Access::Reduce> {};
)";
}

std::string_view body_signature() {
  return R"(
// What a function takes, without references and const. Types are passed on by deduction: then compilers name them, not
// the way to them.
template <class T>
struct Hold { typedef T Type; };
template <class T>
struct Bare : Hold<T> {};
template <class T>
struct Bare<const T> : Hold<T> {};
template <class T>
struct Bare<T&> : Bare<T> {};
struct Missing {};
template <int Number, class... P>
struct At : Hold<Missing> {};
template <class First, class... P>
struct At<0, First, P...> : Bare<First> {};
template <int Number, class First, class... P>
struct At<Number, First, P...> : At<Number - 1, P...> {};
template <class Function>
struct Taken;
template <class Result, class... P>
struct Taken<Result (*)(P...)> {
  static constexpr int kCount = sizeof...(P);
  template <int Number>
  using Place = At<Number, P...>;
  template <int Number>
  using Value = typename At<Number, P...>::Type;
};
template <class Result, class... P>
struct Taken<Result (*)(P...) noexcept> : Taken<Result (*)(P...)> {};

template <class A, class B>
constexpr bool kSame = false;
template <class A>
constexpr bool kSame<A, A> = true;
template <class T>
struct Canonical { typedef T Type; };
template <class T, int Rank>
struct Canonical<Read<const T, Rank>> { typedef Read<T, Rank> Type; };

enum Kind { kOther, kBool, kInteger, kFloating, kNothing };
template <class T>
constexpr int kKind = kOther;
template <> constexpr int kKind<bool> = kBool;
template <> constexpr int kKind<char> = kInteger;
template <> constexpr int kKind<signed char> = kInteger;
template <> constexpr int kKind<unsigned char> = kInteger;
template <> constexpr int kKind<short> = kInteger;
template <> constexpr int kKind<unsigned short> = kInteger;
template <> constexpr int kKind<int> = kInteger;
template <> constexpr int kKind<unsigned> = kInteger;
template <> constexpr int kKind<long> = kInteger;
template <> constexpr int kKind<unsigned long> = kInteger;
template <> constexpr int kKind<long long> = kInteger;
template <> constexpr int kKind<unsigned long long> = kInteger;
template <> constexpr int kKind<float> = kFloating;
template <> constexpr int kKind<double> = kFloating;
template <> constexpr int kKind<Missing> = kNothing;
template <int Rank> constexpr int kKind<Point<Rank>> = kNothing;
template <class T, int Rank> constexpr int kKind<Read<T, Rank>> = kNothing;
template <class T, int Rank> constexpr int kKind<Write<T, Rank>> = kNothing;
template <class T, int Rank> constexpr int kKind<ReadWrite<T, Rank>> = kNothing;
template <class T, int Rank> constexpr int kKind<Reduce<T, Rank>> = kNothing;
template <class T, int kind, u64 bytes>
constexpr bool kFits = sizeof(T) == bytes && kKind<T> != kNothing &&
                       (kind == kOther || kKind<T> == kOther || kind == kKind<T>);

// Never defined: a compiler that misses it names what the text has at this place, and pilum reads that.
template <int Number, class Text>
struct Mismatch;
template <int Number, bool fits, class T>
constexpr u64 check(const Hold<T>&) {
  if constexpr (!fits) return sizeof(Mismatch<Number, T>);
  return 0;
}
template <int Count>
struct Parameters {};

template <class T>
inline T value(const i64* words) {
  alignas(T) char bytes[sizeof(T)];
  __builtin_memcpy(bytes, words, sizeof(T));
  return *(const T*)bytes;
}
)";
}

}  // namespace pilum::kernel
