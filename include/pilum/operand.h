// What operations take: arrays and numbers, with the line that they were written on.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>

#include "pilum/half.h"

namespace pilum::numeric {

class Array;
class Selection;
struct ArrayAccess;  // the way to an array's state, for numeric/

// bool, integers of any width, half, float, double; not characters.
template <class T>
concept Number = pilum::detail::kIsFloating<T> ||
                 (std::integral<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                  !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>);

template <class T>
concept ComplexNumber = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

namespace detail {

template <class>
inline constexpr bool kNever = false;

template <class T>
concept ArrayLike = std::same_as<T, Array> || std::same_as<T, Selection>;

// An integer that is no bool.
template <class T>
concept Integer = Number<T> && std::integral<T> && !std::same_as<T, bool>;

// std::vector, std::array, std::span of numbers.
template <class T>
concept Numbers = requires(const T& range) {
  requires Number<std::remove_cvref_t<decltype(*range.data())>> ||
               ComplexNumber<std::remove_cvref_t<decltype(*range.data())>>;
  range.size();
};

}  // namespace detail

// An argument of an operation: an array, or a number; and the line that it was written on. Made implicitly, lives as
// long as the call. Numbers are weak, as Python's are in NumPy 2: a bool, an int (of any width) or a float takes the
// dtype of the array it meets when that one's kind (bool < integer < floating < complex) is at least its own. With
// float32, 0.2 is a float32, and std::complex of any width a complex64; with int32, 2 is an int32 (and refused when it
// does not fit), 0.5 makes float64; with bool, 2 makes int64. Integers of 2^63 and more are for floating arrays, and to
// be compared with. A temporary array (and one that is given by std::move) is gone once the operation is recorded, not
// at the end of the full expression: nobody can ask for its cells, so they need not be written to memory.
class Operand {
 public:
  enum class Kind : std::uint8_t { Array, Bool, Integer, Floating, Complex };

  Operand(const Array& array, std::source_location where = std::source_location::current())
      : array_(&array), where_(where) {}
  Operand(Array&& array, std::source_location where = std::source_location::current())
      : is_temporary_(true), array_(&array), where_(where) {}
  Operand(Selection&& selection, std::source_location where = std::source_location::current());
  Operand(const Selection& selection, std::source_location where = std::source_location::current());
  template <Number T>
  Operand(T number, std::source_location where = std::source_location::current()) : where_(where) {
    if constexpr (std::same_as<T, bool>) {
      kind_ = Kind::Bool;
      integer_ = number;
    } else if constexpr (pilum::detail::kIsFloating<T>) {
      kind_ = Kind::Floating;
      floating_ = static_cast<double>(number);
    } else {
      kind_ = Kind::Integer;
      integer_ = static_cast<std::int64_t>(number);
      large_ = std::cmp_greater(number, INT64_MAX);
    }
  }

  template <ComplexNumber T>
  Operand(T number, std::source_location where = std::source_location::current())
      : kind_(Kind::Complex), imaginary_(static_cast<double>(number.imag())), where_(where) {
    floating_ = static_cast<double>(number.real());
  }

  template <detail::Numbers T>
  Operand(const T&) {
    static_assert(detail::kNever<T>, "a container of numbers is not an array: np::array(numbers) makes one of it");
  }

  Kind kind() const { return kind_; }
  const Array& array() const { return *array_; }     // Kind::Array
  std::int64_t integer() const { return integer_; }  // Kind::Bool, Kind::Integer; 2^64 less where it is_large
  bool is_large() const { return large_; }           // Kind::Integer: 2^63 or more
  double floating() const { return floating_; }      // Kind::Floating, Kind::Complex: the real part
  double imaginary() const { return imaginary_; }    // Kind::Complex; 0 of others
  std::source_location where() const { return where_; }

 private:
  friend struct ArrayAccess;

  Kind kind_ = Kind::Array;
  bool large_ = false;
  bool is_temporary_ = false;  // Kind::Array
  union {
    const Array* array_;
    std::int64_t integer_;
    double floating_;
  };
  double imaginary_ = 0;
  std::source_location where_;
};

// A bound that is not there, {} in clip(a, {}, 1): Python's None.
struct NoBound {};

}  // namespace pilum::numeric
