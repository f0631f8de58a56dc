// What np::vectorize and np::reduction return.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pilum/array.h"
#include "pilum/error.h"
#include "pilum/export.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric::detail {

// The shape that all broadcast to; those that are null are numbers.
PILUM_API Shape common_shape_of(const char* name, std::source_location where, const Array* const* arrays,
                                std::size_t count);
// What a function returned, of the shape that its arguments have.
PILUM_API Array shaped_result(const char* name, std::source_location where, const Operand& result, const Shape& shape);
// In a catch: throws what was thrown, with the function's name and the line of its call.
[[noreturn]] PILUM_API void rethrow_from(const char* name, std::source_location where);

template <class T>
concept OwnArgument = ArrayLike<T> || Number<T>;

template <class T>
inline constexpr bool kIsTuple = false;
template <class... T>
inline constexpr bool kIsTuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool kIsTuple<std::pair<A, B>> = true;
template <class T, std::size_t count>
inline constexpr bool kIsTuple<std::array<T, count>> = true;

template <class Function>
class Vectorized {
 public:
  Vectorized(Function function, const char* name) : function_(std::move(function)), name_(name) {}

  using Where = std::source_location;
  template <OwnArgument A>
  auto operator()(const A& a, Where where = Where::current()) const {
    return call(where, a);
  }
  template <OwnArgument A, OwnArgument B>
  auto operator()(const A& a, const B& b, Where where = Where::current()) const {
    return call(where, a, b);
  }
  template <OwnArgument A, OwnArgument B, OwnArgument C>
  auto operator()(const A& a, const B& b, const C& c, Where where = Where::current()) const {
    return call(where, a, b, c);
  }
  template <OwnArgument A, OwnArgument B, OwnArgument C, OwnArgument D>
  auto operator()(const A& a, const B& b, const C& c, const D& d, Where where = Where::current()) const {
    return call(where, a, b, c, d);
  }
  template <OwnArgument A, OwnArgument B, OwnArgument C, OwnArgument D, OwnArgument E>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e, Where where = Where::current()) const {
    return call(where, a, b, c, d, e);
  }
  template <OwnArgument A, OwnArgument B, OwnArgument C, OwnArgument D, OwnArgument E, OwnArgument F>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e, const F& f,
                  Where where = Where::current()) const {
    return call(where, a, b, c, d, e, f);
  }

  template <class... Arguments>
  auto call(Where where, const Arguments&... arguments) const {
    static_assert(
        std::is_invocable_v<const Function&, decltype(as_argument(arguments, Shape(), where))...>,
        "the function is called with as many arguments, each an np::Array or a number: it takes them by value "
        "or by const reference");
    const Array* const arrays[] = {address_of(arguments)...};
    const Shape shape = common_shape_of(name_, where, arrays, sizeof...(Arguments));
    try {
      return shaped(function_(as_argument(arguments, shape, where)...), shape, where);
    } catch (const Error&) {
      rethrow_from(name_, where);
    }
  }

 private:
  static const Array* address_of(const Array& array) { return &array; }
  static const Array* address_of(const Selection& selection) { return &selection.array(); }
  template <Number T>
  static const Array* address_of(const T&) {
    return nullptr;
  }
  static Array as_argument(const Array& array, const Shape& shape, Where where) {
    return array.shape() == shape ? array : broadcast_to(array, shape, where);
  }
  static Array as_argument(const Selection& selection, const Shape& shape, Where where) {
    return as_argument(selection.array(), shape, where);
  }
  template <Number T>
  static T as_argument(const T& number, const Shape&, Where) {
    return number;
  }

  template <class Result>
  auto shaped(Result result, const Shape& shape, Where where) const {
    if constexpr (kIsTuple<Result>) {
      return std::apply([&](auto... one) { return std::tuple(shaped(std::move(one), shape, where)...); },
                        std::move(result));
    } else {
      static_assert(OwnArgument<Result> && !std::same_as<Result, Selection>,
                    "the function returns an np::Array, a number, or a std::tuple of these");
      return shaped_result(name_, where, Operand(std::move(result), where), shape);
    }
  }

  Function function_;
  const char* name_;
};

enum class OwnFold : std::uint8_t { Sum, Product, Minimum, Maximum, All, Any };

using BinaryFunction = Array (*)(const Operand&, const Operand&);
[[noreturn]] PILUM_API void refuse_combine(std::source_location where);

template <class Combine>
OwnFold fold_of(const Combine& combine, std::source_location where) {
  if constexpr (std::same_as<Combine, BinaryFunction>) {
    constexpr std::pair<BinaryFunction, OwnFold> kFolds[] = {{add, OwnFold::Sum},         {multiply, OwnFold::Product},
                                                             {minimum, OwnFold::Minimum}, {maximum, OwnFold::Maximum},
                                                             {logical_and, OwnFold::All}, {logical_or, OwnFold::Any}};
    for (const auto& [function, fold] : kFolds) {
      if (combine == function) return fold;
    }
    refuse_combine(where);
  } else if constexpr (std::same_as<Combine, std::plus<>>) {
    return OwnFold::Sum;
  } else if constexpr (std::same_as<Combine, std::multiplies<>>) {
    return OwnFold::Product;
  } else if constexpr (std::same_as<Combine, std::logical_and<>>) {
    return OwnFold::All;
  } else if constexpr (std::same_as<Combine, std::logical_or<>>) {
    return OwnFold::Any;
  } else {
    static_assert(kNever<Combine>,
                  "np::reduction combines by std::plus<>(), std::multiplies<>(), std::logical_and<>(), "
                  "std::logical_or<>(), np::minimum or np::maximum");
    return OwnFold::Sum;
  }
}

// The fold of an array, from `identity` on where there is one.
PILUM_API Array fold_from(Array&& mapped, OwnFold fold, const std::optional<Operand>& identity, const Axes& axes,
                          bool keepdims, std::source_location where);

template <class Map>
class Reduction {
 public:
  Reduction(Map map, OwnFold fold, std::optional<Operand> identity)
      : map_(std::move(map), "reduction"), fold_(fold), identity_(identity) {}

  // The same over these axes; with `keepdims` they stay, with extent 1.
  Reduction over(Axes axes, bool keepdims = false) const {
    Reduction copy = *this;
    copy.axes_ = axes;
    copy.keepdims_ = keepdims;
    return copy;
  }

  using Where = std::source_location;
  template <OwnArgument A>
  Array operator()(const A& a, Where where = Where::current()) const {
    return fold(where, map_.call(where, a));
  }
  template <OwnArgument A, OwnArgument B>
  Array operator()(const A& a, const B& b, Where where = Where::current()) const {
    return fold(where, map_.call(where, a, b));
  }
  template <OwnArgument A, OwnArgument B, OwnArgument C>
  Array operator()(const A& a, const B& b, const C& c, Where where = Where::current()) const {
    return fold(where, map_.call(where, a, b, c));
  }
  template <OwnArgument A, OwnArgument B, OwnArgument C, OwnArgument D>
  Array operator()(const A& a, const B& b, const C& c, const D& d, Where where = Where::current()) const {
    return fold(where, map_.call(where, a, b, c, d));
  }

 private:
  Array fold(Where where, Array&& mapped) const {
    return fold_from(std::move(mapped), fold_, identity_, axes_, keepdims_, where);
  }

  Vectorized<Map> map_;
  OwnFold fold_;
  std::optional<Operand> identity_;
  Axes axes_;
  bool keepdims_ = false;
};

}  // namespace pilum::numeric::detail
