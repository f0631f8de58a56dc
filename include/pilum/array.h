// np::Array: a handle on an n-D array, and the operands and indices that it is used with.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "pilum/dtype.h"
#include "pilum/shape.h"
#include "pilum/slice.h"

namespace pilum::numeric {

using pilum::bool_;
using pilum::DType;
using pilum::float32;
using pilum::float64;
using pilum::int32;
using pilum::int64;
using pilum::Shape;

class Array;
struct ArrayState;   // numeric/array_state.h
struct ArrayAccess;  // the way to it, for numeric/

// bool, integers of any width, float, double; not characters.
template <class T>
concept Number = std::floating_point<T> ||
    (std::integral<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
     !std::same_as<T, char16_t> && !std::same_as<T, char32_t>);

namespace detail {

template <class>
inline constexpr bool kNever = false;

[[noreturn]] void refuse_large_number(std::uint64_t number, std::source_location where);

}  // namespace detail

// An argument of an operation: an array, or a number; and the line that it was written on. Made implicitly, lives as
// long as the call. Numbers are weak, as Python's are in NumPy 2: a bool, an int (of any width) or a float takes the
// dtype of the array it meets when that one's kind (bool < integer < floating) is at least its own. With float32,
// 0.2 is a float32; with int32, 2 is an int32 (and refused when it does not fit), 0.5 makes float64; with bool, 2
// makes int64.
class Operand {
 public:
  enum class Kind : std::uint8_t { Array, Bool, Integer, Floating };

  Operand(const Array& array, std::source_location where = std::source_location::current())
      : array_(&array), where_(where) {}
  template <Number T>
  Operand(T number, std::source_location where = std::source_location::current()) : where_(where) {
    if constexpr (std::same_as<T, bool>) {
      kind_ = Kind::Bool;
      integer_ = number;
    } else if constexpr (std::floating_point<T>) {
      kind_ = Kind::Floating;
      floating_ = static_cast<double>(number);
    } else {
      if (std::cmp_greater(number, INT64_MAX)) detail::refuse_large_number(static_cast<std::uint64_t>(number), where);
      kind_ = Kind::Integer;
      integer_ = static_cast<std::int64_t>(number);
    }
  }

  Kind kind() const { return kind_; }
  const Array& array() const { return *array_; }     // Kind::Array
  std::int64_t integer() const { return integer_; }  // Kind::Bool, Kind::Integer
  double floating() const { return floating_; }      // Kind::Floating
  std::source_location where() const { return where_; }

 private:
  Kind kind_ = Kind::Array;
  union {
    const Array* array_;
    std::int64_t integer_;
    double floating_;
  };
  std::source_location where_;
};

// One entry of array(…): an integer, a slice, all, newaxis or ellipsis. Made implicitly.
class Index {
 public:
  enum class Kind : std::uint8_t { Absent, Position, Slice, All, NewAxis, Ellipsis };

  constexpr Index() = default;
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  constexpr Index(T position, std::source_location where = std::source_location::current())
      : kind_(Kind::Position), position_(static_cast<std::int64_t>(position)), where_(where) {}
  constexpr Index(slice range, std::source_location where = std::source_location::current())
      : kind_(Kind::Slice), range_(range), where_(where) {}
  constexpr Index(All, std::source_location where = std::source_location::current())
      : kind_(Kind::All), where_(where) {}
  constexpr Index(NewAxis, std::source_location where = std::source_location::current())
      : kind_(Kind::NewAxis), where_(where) {}
  constexpr Index(Ellipsis, std::source_location where = std::source_location::current())
      : kind_(Kind::Ellipsis), where_(where) {}

  constexpr Kind kind() const { return kind_; }
  constexpr std::int64_t position() const { return position_; }
  constexpr const slice& range() const { return range_; }
  constexpr std::source_location where() const { return where_; }

 private:
  Kind kind_ = Kind::Absent;
  std::int64_t position_ = 0;
  slice range_{{}, {}};
  std::source_location where_;
};

namespace detail {
inline constexpr Index kAbsent{};
}

// Which axes a reduction folds, or the order that a transpose puts them in. Negative ones count from the last.
// {} or nothing: all of them (transpose: reversed).
class Axes {
 public:
  Axes() = default;
  Axes(int axis) : Axes({axis}) {}
  Axes(bool) = delete;  // sum(a, true): keepdims is the third argument
  Axes(std::initializer_list<int> axes) : count_(static_cast<int>(axes.size())) {
    int place = 0;
    for (int axis : axes) {
      if (place < kMaxAxes) axes_[place++] = axis;
    }
  }

  bool given() const { return count_ > 0; }
  int count() const { return count_; }  // may exceed what is kept: such a list is refused where it is used
  int operator[](int place) const { return axes_[place]; }

 private:
  int count_ = 0;
  int axes_[kMaxAxes] = {};
};

// A handle on an n-D array, as numpy.ndarray. Copying one copies the handle: both name the same cells, as two Python
// names do. Indexing gives views, which alias the array they were taken from; no data moves.
//
//   name = array        makes `name` another array (Python's name = array)
//   name(…) = value     writes cells            (Python's name[…] = value); name[all] = value writes all of a 1st axis
//   name += value       writes cells            (as in NumPy: in place, views see it)
//
// Operations are recorded and run later; a value is waited for by item, to_vector and printing alone. One operation
// reads all its inputs before it writes: x(slice(1, {})) = x(slice(0, -1)) shifts, as in NumPy.
//
// Errors are thrown at the call and change nothing; their texts name the operation, the shapes and the source line.
// Arrays belong to the thread of their pilum::Runtime. Once that has ended they may still be destroyed and asked for
// shape and dtype; any other use throws pilum::RuntimeError. A default-made or moved-from Array is empty: it can be
// assigned and destroyed, any other use throws pilum::ValueError.
class Array {
 public:
  Array() = default;
  Array(const Array& other) noexcept;
  Array(Array&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  ~Array() {
    if (state_) release();
  }
  template <Number T>
  Array(T) {
    static_assert(detail::kNever<T>,
                  "a number is not an array: np::array(5.0) or np::full(shape, 5.0) make one; "
                  "name[all] = 5.0 or name(...) = 5.0 writes into an array that there is");
  }

  Array& operator=(const Array& other) & noexcept {
    Array copy(other);
    std::swap(state_, copy.state_);
    return *this;
  }
  Array& operator=(Array&& other) & noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  template <Number T>
  Array& operator=(T) & {
    static_assert(detail::kNever<T>,
                  "`name = number` would make the name a number, as in Python, and leave the array as it is: "
                  "write name[all] = number or name(...) = number to set its cells");
    return *this;
  }

  // a(…) = value, a[…] = value: writes the view's cells. The value is broadcast to the view's shape and cast to its
  // dtype, as NumPy's setitem (floating to integer truncates). Throws ShapeError where it does not broadcast,
  // ValueError for a number that the dtype cannot hold, and for a view made by broadcast_to.
  void operator=(const Operand& value) &&;

  // In place, computed in the dtype that the operation gives and cast back. Throws DTypeError where that is a cast to a
  // lower kind (int += float, int /= anything, bool += int), ShapeError where the value does not broadcast to the
  // array.
  Array& operator+=(const Operand& value);
  Array& operator-=(const Operand& value);
  Array& operator*=(const Operand& value);
  Array& operator/=(const Operand& value);

  // A view: Python's a[i, j:k:step, ...]. An integer drops its axis, newaxis adds one of extent 1, ellipsis stands for
  // as many `all` as fit, axes left out are taken whole. Negative numbers count from the end; slices are clamped as in
  // Python. Throws IndexError (out of range, too many indices, two ellipses), ValueError (a step of 0), ShapeError
  // (more than 8 axes).
  Array operator()(const Index& i0 = detail::kAbsent, const Index& i1 = detail::kAbsent,
                   const Index& i2 = detail::kAbsent, const Index& i3 = detail::kAbsent,
                   const Index& i4 = detail::kAbsent, const Index& i5 = detail::kAbsent,
                   const Index& i6 = detail::kAbsent, const Index& i7 = detail::kAbsent,
                   std::source_location where = std::source_location::current()) const {
    const Index* const indices[] = {&i0, &i1, &i2, &i3, &i4, &i5, &i6, &i7};
    return view(indices, where);
  }
  Array operator[](const Index& index) const {
    const Index* const indices[] = {&index, &detail::kAbsent};
    return view(indices, index.where());
  }

  // Of an empty Array: (), float64, 0, 0.
  const Shape& shape() const noexcept;
  DType dtype() const noexcept;
  int ndim() const noexcept { return shape().rank(); }
  std::int64_t size() const noexcept;  // the number of cells

  // Views with the axes reversed, or in the order given: axis k of the result is axis axes[k] of this array. As
  // numpy.transpose. Throws ValueError unless `axes` names every axis once.
  Array T(std::source_location where = std::source_location::current()) const { return transpose({}, where); }
  Array transpose(Axes axes = {}, std::source_location where = std::source_location::current()) const;

  // The same cells, row-major, in another shape; one extent may be -1: what is left. A view where the shapes differ by
  // axes of extent 1 only; otherwise a COPY (numpy.reshape gives a view more often). Throws ShapeError where the number
  // of cells differs.
  Array reshape(Shape shape, std::source_location where = std::source_location::current()) const;

  // A new array with these cells; astype casts them as C++ does (to bool: is not 0). As ndarray.astype, ndarray.copy.
  Array astype(DType dtype, std::source_location where = std::source_location::current()) const;
  Array copy(std::source_location where = std::source_location::current()) const;

  // The only cell (of an array of size 1), or all of them in row-major order. T must be the dtype's C++ type: bool,
  // std::int32_t, std::int64_t, float, double; DTypeError otherwise. Waits for the value; on every rank.
  template <class T>
  T item(std::source_location where = std::source_location::current()) const {
    check_one_cell(where);
    return *reinterpret_cast<const T*>(fetch(dtype_of<T>, "item", where).data());
  }
  template <class T>
  std::vector<T> to_vector(std::source_location where = std::source_location::current()) const {
    const std::vector<std::byte> bytes = fetch(dtype_of<T>, "to_vector", where);
    const T* cells = reinterpret_cast<const T*>(bytes.data());
    return std::vector<T>(cells, cells + bytes.size() / sizeof(T));
  }

 private:
  friend struct ArrayAccess;
  explicit Array(ArrayState* state) : state_(state) {}
  void release() noexcept;
  Array view(const Index* const (&indices)[8], std::source_location where) const;
  Array view(const Index* const (&indices)[2], std::source_location where) const;
  void check_one_cell(std::source_location where) const;
  std::vector<std::byte> fetch(DType dtype, const char* operation, std::source_location where) const;

  ArrayState* state_ = nullptr;
};

// An array and the line it was written on, for functions that take no number. Made implicitly.
struct Located {
  Located(const Array& array, std::source_location where = std::source_location::current())
      : array(array), where(where) {}
  const Array& array;
  std::source_location where;
};

// Prints as NumPy does (precision 8, 75 columns, above 1,000 cells only the corners). Waits for the value; of a large
// array only the corners are fetched. On every rank.
std::ostream& operator<<(std::ostream& out, const Located& array);

}  // namespace pilum::numeric
