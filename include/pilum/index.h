// What names cells and axes: the entries of array(…), and the axes of a reduction.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "pilum/operand.h"
#include "pilum/shape.h"
#include "pilum/slice.h"

namespace pilum::numeric {

// One entry of array(…): an integer, a slice, all, newaxis or ellipsis. Made implicitly.
class Index {
 public:
  enum class Kind : std::uint8_t { Absent, Position, Slice, All, NewAxis, Ellipsis };

  constexpr Index() = default;
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  constexpr Index(T position, std::source_location where = std::source_location::current())
      : kind_(Kind::Position),  // an unsigned number is never taken for a negative one
        position_(std::cmp_greater(position, INT64_MAX) ? INT64_MAX : static_cast<std::int64_t>(position)),
        where_(where) {}
  constexpr Index(slice range, std::source_location where = std::source_location::current())
      : kind_(Kind::Slice), range_(range), where_(where) {}
  constexpr Index(All, std::source_location where = std::source_location::current())
      : kind_(Kind::All), where_(where) {}
  constexpr Index(NewAxis, std::source_location where = std::source_location::current())
      : kind_(Kind::NewAxis), where_(where) {}
  constexpr Index(Ellipsis, std::source_location where = std::source_location::current())
      : kind_(Kind::Ellipsis), where_(where) {}

  template <std::same_as<char> T>
  constexpr Index(const T*, std::source_location = std::source_location::current()) {
    static_assert(detail::kNever<T>, "a text is no index: np::all stands for ':', np::slice(1, 3) for 1:3");
  }
  template <std::floating_point T>
  constexpr Index(T) {
    static_assert(detail::kNever<T>, "an index is an integer: static_cast<std::int64_t>(x) makes one");
  }
  template <Number T>
  constexpr Index(std::initializer_list<T>, std::source_location = std::source_location::current()) {
    static_assert(detail::kNever<T>,
                  "a list is no index: a(all, np::array({0, 2})) picks these cells, a number stands without braces");
  }
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
// pilum/creation.h
template <Numbers T>
std::shared_ptr<const Array> array_of(const T& numbers, std::source_location where);
}  // namespace detail

// One entry of array(…) where one of them at least is an array: of integers, or a mask; or a std::vector of integers.
// Made implicitly.
class AnyIndex {
 public:
  AnyIndex() = default;
  template <class T>
    requires std::convertible_to<const T&, Index>
  AnyIndex(const T& index, std::source_location where = std::source_location::current())
      : index_(index), where_(where) {}
  AnyIndex(const Array& array, std::source_location where = std::source_location::current())
      : array_(&array), where_(where) {}
  // Cells that are picked themselves, a(rows(mask), columns(mask)): a new array, which lives as long as this.
  template <class T>
    requires std::same_as<std::remove_cvref_t<T>, Selection>
  AnyIndex(T&& selection, std::source_location where = std::source_location::current())
      : picked_(std::make_shared<const Array>(std::forward<T>(selection).array())),
        array_(picked_.get()),
        where_(where) {}
  template <detail::Numbers T>
  AnyIndex(const T& numbers, std::source_location where = std::source_location::current())
      : picked_(detail::array_of(numbers, where)), array_(picked_.get()), where_(where) {}

  const Index& index() const { return index_; }
  const Array* array() const { return array_; }  // null: it is an Index
  std::source_location where() const { return where_; }

 private:
  Index index_;
  std::shared_ptr<const Array> picked_;
  const Array* array_ = nullptr;
  std::source_location where_;
};

// What stands between brackets where it is a std::vector of arrays: a[nonzero(mask)]. Made implicitly, lives as long as
// the call.
class IndexArrays {
 public:
  template <std::same_as<std::vector<Array>> List>
  IndexArrays(const List& arrays, std::source_location where = std::source_location::current())
      : arrays_(&arrays), where_(where) {}

  const std::vector<Array>& arrays() const { return *arrays_; }
  std::source_location where() const { return where_; }

 private:
  const std::vector<Array>* arrays_;
  std::source_location where_;
};

namespace detail {

inline constexpr Index kAbsent{};
inline const AnyIndex kNoIndex{};

template <class T>
concept IndexWord =
    std::same_as<T, slice> || std::same_as<T, All> || std::same_as<T, NewAxis> || std::same_as<T, Ellipsis>;

}  // namespace detail

// a[all, 0] is a[0] in C++20: the comma drops what stands before it.
template <class T, class U>
  requires(detail::IndexWord<T> || detail::IndexWord<U>)
constexpr auto operator,(const T&, const U&) {
  static_assert(detail::kNever<T>, "several indices stand between parentheses: write a(i, j) for Python's a[i, j]");
  return Index();
}

// What is taken from the number of cells before it divides (var, std). Made implicitly.
class Ddof {
 public:
  template <std::integral T>
  constexpr Ddof(T count) : count_(static_cast<int>(count)) {
    static_assert(!std::same_as<T, bool>, "keepdims stands behind ddof: write var(a, axes, 0, true)");
  }
  constexpr operator int() const { return count_; }

 private:
  int count_ = 0;
};

// An integer, or an enumerator of the program's that stands for one; no dtype, nor other word of this library.
template <class T>
concept AxisNumber = std::integral<T> || (std::is_enum_v<T> && std::is_convertible_v<T, int>);

// Along which axis. Negative ones count from the last. Made implicitly, of an integer.
class Axis {
 public:
  template <AxisNumber T>
  constexpr Axis(T axis) : axis_(static_cast<int>(axis)) {
    static_assert(!std::same_as<T, bool>, "an axis is an integer, and what is true or false stands behind it");
  }
  constexpr operator int() const { return axis_; }

 private:
  int axis_ = 0;
};

// Which axes a reduction folds, or the order that a transpose puts them in. Negative ones count from the last.
// {} or nothing: all of them (transpose: reversed). Of a list that the program makes an empty one is none of them, as
// NumPy's axis=(): np::sum(a, axes) with a std::vector<int>.
class Axes {
 public:
  Axes() = default;
  template <AxisNumber T>
    requires(!std::same_as<T, bool>)
  Axes(T axis) : Axes({static_cast<int>(axis)}) {
    is_number_ = true;
  }
  // For g++ 12, which takes {.ddof = 1} for the number 1, and does not where that would be explicit.
  explicit Axes(int axis) : Axes({axis}) { is_number_ = true; }
  template <std::same_as<bool> T>
  Axes(T) {
    static_assert(detail::kNever<T>, "keepdims stands behind the axes: write sum(a, {}, true) to fold all of them");
  }
  template <std::floating_point T>
  Axes(T) {
    static_assert(detail::kNever<T>,
                  "an axis is an integer: the larger one of each cell and a number is np::maximum(a, 0.0)");
  }
  template <detail::ArrayLike T>
  Axes(const T&) {
    static_assert(detail::kNever<T>, "an axis is an integer: the larger cells of two arrays are np::maximum(a, b)");
  }
  Axes(std::initializer_list<int> axes) : Axes(std::span(axes.begin(), axes.size())) {}
  template <std::same_as<std::vector<int>> List>  // a template, so that braces are no list of it
  Axes(const List& axes) : Axes(std::span<const int>(axes)) {}
  explicit Axes(std::span<const int> axes) : given_(true), count_(static_cast<int>(axes.size())) {
    int place = 0;
    for (int axis : axes) {
      if (place < kMaxAxes) axes_[place++] = axis;
    }
  }

  bool given() const { return given_; }
  bool is_number() const { return is_number_; }  // one axis, not as a list
  int count() const { return count_; }           // may exceed what is kept: such a list is refused where it is used
  int operator[](int place) const { return axes_[place]; }

 private:
  bool given_ = false, is_number_ = false;
  int count_ = 0;
  int axes_[kMaxAxes] = {};
};

}  // namespace pilum::numeric
