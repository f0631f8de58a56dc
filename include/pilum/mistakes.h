// Calls that a NumPy user may write and that do not compile: each says what to write instead.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "pilum/array.h"

namespace pilum::numeric {
// zeros(n, n)
template <detail::Integer T, detail::Integer U, class... More>
Array zeros(T, U, More...) {
  static_assert(detail::kNever<T>, "a shape of several extents stands in braces: write zeros({n, m}) for zeros(n, m)");
  return Array();
}
template <detail::Integer T, detail::Integer U, class... More>
Array ones(T, U, More...) {
  static_assert(detail::kNever<T>, "a shape of several extents stands in braces: write ones({n, m}) for ones(n, m)");
  return Array();
}
template <detail::Integer T, detail::Integer U, class... More>
Array empty(T, U, More...) {
  static_assert(detail::kNever<T>, "a shape of several extents stands in braces: write empty({n, m}) for empty(n, m)");
  return Array();
}
template <detail::Integer T, detail::Integer U, Number V, class... More>
Array full(T, U, V, More...) {
  static_assert(detail::kNever<T>,
                "a shape of several extents stands in braces: write full({n, m}, value) for full(n, m, value)");
  return Array();
}
template <detail::Integer T, detail::Integer U, class... More>
Array broadcast_to(const Array&, T, U, More...) {
  static_assert(detail::kNever<T>, "a shape of several extents stands in braces: write broadcast_to(a, {n, m})");
  return Array();
}
template <detail::Integer T, detail::Integer U, class... More>
Array reshape(const Array&, T, U, More...) {
  static_assert(detail::kNever<T>,
                "a shape of several extents stands in braces: write reshape(a, {n, m}), or a.reshape(n, m)");
  return Array();
}

// array(1, 2, 3)
template <Number T, Number U, Number... More>
Array array(T, U, More...) {
  static_assert(detail::kNever<T>, "the cells of an array stand in braces: write array({1, 2, 3}) for array(1, 2, 3)");
  return Array();
}

// sum(a, 0, 1)
template <detail::Integer T>
Array sum(const Array&, const Axes&, T) {
  static_assert(detail::kNever<T>, "several axes stand in braces: write sum(a, {0, 1}) for sum(a, 0, 1)");
  return Array();
}
template <detail::Integer T>
Array prod(const Array&, const Axes&, T) {
  static_assert(detail::kNever<T>, "several axes stand in braces: write prod(a, {0, 1}) for prod(a, 0, 1)");
  return Array();
}
template <detail::Integer T>
Array min(const Array&, const Axes&, T) {
  static_assert(detail::kNever<T>, "several axes stand in braces: write min(a, {0, 1}) for min(a, 0, 1)");
  return Array();
}
template <detail::Integer T>
Array max(const Array&, const Axes&, T) {
  static_assert(detail::kNever<T>, "several axes stand in braces: write max(a, {0, 1}) for max(a, 0, 1)");
  return Array();
}
template <detail::Integer T>
Array mean(const Array&, const Axes&, T) {
  static_assert(detail::kNever<T>, "several axes stand in braces: write mean(a, {0, 1}) for mean(a, 0, 1)");
  return Array();
}

// sum(a, np::float32)
#define PILUM_REFUSE_DTYPE(fold)                                                                                      \
  template <std::same_as<DType> T>                                                                                    \
  Array fold(const Array&, T) {                                                                                       \
    static_assert(detail::kNever<T>,                                                                                  \
                  "a dtype is an option: write " #fold "(a, {.dtype = np::float32}) for " #fold "(a, np::float32)");  \
    return Array();                                                                                                   \
  }                                                                                                                   \
  template <std::same_as<DType> T>                                                                                    \
  Array fold(const Array&, const Axes&, T) {                                                                          \
    static_assert(detail::kNever<T>, "a dtype is an option: write " #fold "(a, 0, {.dtype = np::float32}) for " #fold \
                                     "(a, 0, np::float32)");                                                          \
    return Array();                                                                                                   \
  }
PILUM_REFUSE_DTYPE(sum)
PILUM_REFUSE_DTYPE(prod)
PILUM_REFUSE_DTYPE(mean)
PILUM_REFUSE_DTYPE(var)
PILUM_REFUSE_DTYPE(std)
#undef PILUM_REFUSE_DTYPE

// total += a.sum() of a number
template <Number T>
T& operator+=(T& number, const Array&) {
  static_assert(detail::kNever<T>, "a sum is an array: write total += a.sum().item<double>(), which waits for it");
  return number;
}
template <Number T>
T& operator-=(T& number, const Array&) {
  static_assert(detail::kNever<T>, "a sum is an array: write total -= a.sum().item<double>(), which waits for it");
  return number;
}

// average(a, 0, w)
template <detail::Integer T>
Array average(const Array&, T, const Array&) {
  static_assert(detail::kNever<T>, "the weights come before the axis: write average(a, w, 0) for average(a, 0, w)");
  return Array();
}

// take(a, places, {}, "wrap")
template <std::same_as<char> T>
Array take(const Array&, const Operand&, std::optional<Axis>, const T*) {
  static_assert(detail::kNever<T>,
                "what becomes of places outside is IndexMode's: write take(a, places, {}, np::IndexMode::Wrap)");
  return Array();
}

// concatenate(a, b)
template <std::same_as<Array> B, class... More>
Array concatenate(const Array&, const B&, const More&...) {
  static_assert(detail::kNever<B>, "the arrays stand in braces: write concatenate({a, b}) for concatenate(a, b)");
  return Array();
}
template <std::same_as<Array> B, class... More>
Array stack(const Array&, const B&, const More&...) {
  static_assert(detail::kNever<B>, "the arrays stand in braces: write stack({a, b}) for stack(a, b)");
  return Array();
}
template <std::same_as<Array> B, class... More>
Array vstack(const Array&, const B&, const More&...) {
  static_assert(detail::kNever<B>, "the arrays stand in braces: write vstack({a, b}) for vstack(a, b)");
  return Array();
}
template <std::same_as<Array> B, class... More>
Array hstack(const Array&, const B&, const More&...) {
  static_assert(detail::kNever<B>, "the arrays stand in braces: write hstack({a, b}) for hstack(a, b)");
  return Array();
}

// max(0.0, a)
template <Number T, std::same_as<Array> A>
Array min(T, const A&) {
  static_assert(detail::kNever<T>, "min folds one array: the smaller one of each cell and a number is minimum(a, 0.0)");
  return Array();
}
template <Number T, std::same_as<Array> A>
Array max(T, const A&) {
  static_assert(detail::kNever<T>, "max folds one array: the larger one of each cell and a number is maximum(a, 0.0)");
  return Array();
}

// transpose(a, 1, 0)
template <detail::Integer T, detail::Integer U, class... More>
Array transpose(const Array&, T, U, More...) {
  static_assert(detail::kNever<T>, "several axes stand in braces: write transpose(a, {1, 0}), or a.transpose(1, 0)");
  return Array();
}

// min({a, b})
template <std::same_as<Array> A>
Array min(std::initializer_list<A>) {
  static_assert(detail::kNever<A>, "min folds one array: the smaller cells of two are minimum(a, b)");
  return Array();
}
template <std::same_as<Array> A>
Array max(std::initializer_list<A>) {
  static_assert(detail::kNever<A>, "max folds one array: the larger cells of two are maximum(a, b)");
  return Array();
}

// pad(a, 1, 1e3)
template <std::floating_point T, class Widths>
Array pad(const Array&, const Widths&, T, std::source_location = std::source_location::current()) {
  static_assert(detail::kNever<T>, "the value stands behind the mode: write pad(a, 1, \"constant\", 0.5)");
  return Array();
}

// unique(a, true)
template <std::same_as<bool> T, class... More>
Array unique(const Array&, T, const More&...) {
  static_assert(detail::kNever<T>,
                "return_index and its kin: write unique_all(a), whose members are values, indices, inverse_indices and "
                "counts, or unique_counts(a), unique_inverse(a)");
  return Array();
}

}  // namespace pilum::numeric

// auto [n, m] = a.shape()
template <class T>
  requires std::same_as<T, pilum::Shape>
struct std::tuple_size<T> {
  static_assert(pilum::numeric::detail::kNever<T>,
                "how many axes there are is no part of the type: write n = a.shape()[0], m = a.shape()[1]");
  static constexpr std::size_t value = 0;
};

// auto [x, y] = indices({4, 5})
template <class T>
  requires std::same_as<T, pilum::numeric::Array>
struct std::tuple_size<T> {
  static_assert(pilum::numeric::detail::kNever<T>,
                "how many cells an array has is no part of its type: write x = a(0), y = a(1)");
  static constexpr std::size_t value = 0;
};

// auto [left, right] = split(a, 2)
template <class Allocator>
struct std::tuple_size<std::vector<pilum::numeric::Array, Allocator>> {
  static_assert(
      pilum::numeric::detail::kNever<Allocator>,
      "how many arrays a vector has is no part of its type: write auto parts = np::split(a, 2), then parts[0]");
  static constexpr std::size_t value = 0;
};
