// The shape of an array: up to 8 extents.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>

namespace pilum {

inline constexpr int kMaxAxes = 8;

// One extent between the braces of a Shape: an integer of any type, so that {v.size(), 3} is a shape.
struct Extent {
  template <std::integral T>
  constexpr Extent(T extent) : value(static_cast<std::int64_t>(extent)) {}
  template <std::floating_point T>
  constexpr Extent(T) : value(0) {
    static_assert(!std::floating_point<T>, "extents are integers: zeros({n / 2, 3}), or static_cast<std::int64_t>(x)");
  }
  std::int64_t value;
};

// Extents, one an axis, outermost first. Holds at most kMaxAxes; the functions that take a shape from a user
// (numeric/) check that before one is made. Unused entries are zero, so == compares whole values.
class Shape {
 public:
  constexpr Shape() = default;
  constexpr Shape(std::initializer_list<Extent> extents) {
    for (const Extent& extent : extents) push_back(extent.value);
  }
  // One axis, as NumPy takes zeros(5) for zeros((5,)).
  template <std::integral T>
  constexpr Shape(T extent) {
    push_back(static_cast<std::int64_t>(extent));
  }
  template <std::floating_point T>
  constexpr Shape(T extent) : Shape({Extent(extent)}) {}
  constexpr explicit Shape(std::span<const std::int64_t> extents) {
    for (std::int64_t extent : extents) push_back(extent);
  }

  constexpr int rank() const { return rank_; }
  constexpr std::int64_t operator[](int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  constexpr std::int64_t& operator[](int axis) { return extents_[static_cast<std::size_t>(axis)]; }
  constexpr const std::int64_t* begin() const { return extents_.data(); }
  constexpr const std::int64_t* end() const { return extents_.data() + rank_; }
  // Appends an axis. A ninth one is counted, not kept: rank() then says 9, and checks refuse the shape.
  constexpr void push_back(std::int64_t extent) {
    if (rank_ < kMaxAxes) extents_[static_cast<std::size_t>(rank_)] = extent;
    ++rank_;
  }
  // The product of the extents: 1 for a scalar's shape ().
  constexpr std::int64_t elements() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < rank_; ++axis) product *= extents_[static_cast<std::size_t>(axis)];
    return product;
  }
  bool operator==(const Shape&) const = default;

 private:
  int rank_ = 0;
  std::array<std::int64_t, kMaxAxes> extents_{};
};

// "(3, 4)", "(3,)", "()", as Python prints a tuple.
inline std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (int axis = 0; axis < shape.rank(); ++axis) {
    text += (axis ? ", " : "") + std::to_string(shape[axis]);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

// Prints the same.
template <class Traits, std::same_as<Shape> S>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const S& shape) {
  return out << to_string(shape);
}

}  // namespace pilum
