#include "tests/random/run_own.h"

#include <functional>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace pilum::random_programs {
namespace {

namespace np = numeric;
using np::Array;

// What a function takes and gives.
enum class Kind { OfCells, OfArrays, LeastOfTwo, MostOfTwo };

// Calls use(function), of `kind` and as many arguments.
template <Kind kind, int arguments, class Use, class Function>
Array used(const Use& use, const Function& function) {
  return use.template operator()<kind, arguments>(function);
}

template <class Use>
Array with_function_of_one(std::int64_t which, const Use& use) {
  switch (which) {
    case 0: return used<Kind::OfCells, 1>(use, [](auto x) { return np::where(x > 0, x, -0.5 * x); });
    case 1: return used<Kind::OfCells, 1>(use, [](const Array& x) { return (x - 3) * x; });
    case 2: return used<Kind::OfCells, 1>(use, [](auto x) { return np::where(x % 2 == 0, x / 2, x * 3 + 1); });
    case 3: return used<Kind::OfCells, 1>(use, [](auto x) { return np::exp(np::minimum(x, 1)); });
    case 4: return used<Kind::OfCells, 1>(use, [](auto x) { return np::minimum(np::maximum(x, 0), 1.5); });
    default: return used<Kind::OfCells, 1>(use, [](auto x) { return (x > 0) & (x < 4); });
  }
}

template <class Use>
Array with_function_of_two(std::int64_t which, const Use& use) {
  const auto both = [](const auto& x, const auto& y) { return std::pair(np::minimum(x, y), np::maximum(x, y)); };
  switch (which) {
    case 6: return used<Kind::OfCells, 2>(use, [](auto x, auto y) { return np::where(x > y, x * y, x + y); });
    case 7: return used<Kind::OfCells, 2>(use, [](const auto& x, const auto& y) { return np::where(x < y, x, y); });
    case 8: return used<Kind::OfCells, 2>(use, [](auto x, auto y) { return np::abs(x - y) <= 0.5; });
    case 9: return used<Kind::OfCells, 2>(use, [](auto x, auto y) { return np::where(x == y, x, (x + y) / 2); });
    case 10: return used<Kind::LeastOfTwo, 2>(use, both);
    case 11: return used<Kind::MostOfTwo, 2>(use, both);
    case 12:
      return used<Kind::OfCells, 2>(use, [](auto x, auto y) {
        const Array least = np::minimum(x, y);
        return np::maximum(x, y) - least;
      });
    case 13: return used<Kind::OfCells, 2>(use, [](auto x, auto) { return np::where(x > 1, 1, x); });
    case 14: return used<Kind::OfCells, 2>(use, [](auto x, auto y) { return np::hypot(x, y); });
    case 15: return used<Kind::OfCells, 2>(use, [](auto x, auto y) { return np::floor_divide(x, y) + x % y; });
    case 16:
      return used<Kind::OfCells, 2>(use, [](auto x, auto y) {
        Array t = x * y;
        t += x;
        t *= y;
        return t;
      });
    case 17: return used<Kind::OfArrays, 2>(use, [](const Array& x, const Array& y) { return x - np::max(y); });
    default:
      return used<Kind::OfArrays, 2>(use, [](Array x, const Array& y) {
        for (int k = 0; k < 3; ++k) x = np::where(np::abs(x) < 2, x * x + y, x);
        return x;
      });
  }
}

template <class Use>
Array with_function_of_three(std::int64_t which, const Use& use) {
  switch (which) {
    case 19: return used<Kind::OfCells, 3>(use, [](auto x, auto y, auto z) { return np::where(x, y, z); });
    case 20: return used<Kind::OfCells, 3>(use, [](auto x, auto y, auto z) { return x * y + z; });
    case 21:
      return used<Kind::OfCells, 3>(use,
                                    [](auto x, auto y, auto z) { return np::where(x < y, np::where(x < z, x, z), y); });
    case 22: return used<Kind::OfCells, 3>(use, [](auto x, auto y, auto z) { return (x - y) * (z - y) > 0; });
    case 23: return used<Kind::OfCells, 3>(use, [](auto x, auto y, auto) { return np::where(x != 0, y - x, y); });
    default: throw std::logic_error("not an own function");
  }
}

template <class Use>
Array with_function(std::int64_t which, const Use& use) {
  if (which < 6) return with_function_of_one(which, use);
  return which < 19 ? with_function_of_two(which, use) : with_function_of_three(which, use);
}

const Array& array_of(const OwnArgument& argument) {
  return std::get<Array>(argument);
}

// `function`: np::vectorize's or np::reduction's. One argument at most is a number.
template <Kind kind, int arguments, class Function>
auto called(const Function& function, const std::vector<OwnArgument>& given) {
  const auto with = [&](std::size_t place, const auto& use) {
    if (const auto* real = std::get_if<double>(&given[place])) return use(*real);
    return use(std::get<std::int64_t>(given[place]));
  };
  const auto is_array = [&](std::size_t place) { return std::holds_alternative<Array>(given[place]); };
  if constexpr (arguments == 1) {
    return function(array_of(given.at(0)));
  } else if constexpr (arguments == 2) {
    if constexpr (kind != Kind::OfArrays) {
      if (!is_array(0)) return with(0, [&](auto x) { return function(x, array_of(given.at(1))); });
      if (!is_array(1)) return with(1, [&](auto y) { return function(array_of(given.at(0)), y); });
    }
    return function(array_of(given.at(0)), array_of(given.at(1)));
  } else {
    const auto x = [&]() -> const Array& { return array_of(given.at(0)); };
    const auto y = [&]() -> const Array& { return array_of(given.at(1)); };
    const auto z = [&]() -> const Array& { return array_of(given.at(2)); };
    if (!is_array(0)) return with(0, [&](auto number) { return function(number, y(), z()); });
    if (!is_array(1)) return with(1, [&](auto number) { return function(x(), number, z()); });
    if (!is_array(2)) return with(2, [&](auto number) { return function(x(), y(), number); });
    return function(x(), y(), z());
  }
}

struct Vectorize {
  const std::vector<OwnArgument>& given;

  template <Kind kind, int arguments, class Function>
  Array operator()(const Function& function) const {
    auto result = called<kind, arguments>(np::vectorize(function), given);
    if constexpr (kind == Kind::LeastOfTwo) {
      return std::get<0>(std::move(result));
    } else if constexpr (kind == Kind::MostOfTwo) {
      return std::get<1>(std::move(result));
    } else {
      return result;
    }
  }
};

struct Reduce {
  const OwnFold& fold;
  const std::vector<OwnArgument>& given;

  template <Kind kind, int arguments, class Function>
  Array operator()(const Function& function) const {
    if constexpr (kind == Kind::LeastOfTwo || kind == Kind::MostOfTwo) {
      throw std::logic_error("a fold of two arrays");
    } else {
      return called<kind, arguments>(over(made(function)), given);
    }
  }

 private:
  template <class Reduction>
  Reduction over(const Reduction& reduction) const {
    return !fold.axes.given() && !fold.keepdims ? reduction : reduction.over(fold.axes, fold.keepdims);
  }
  template <class Map, class Combine>
  auto from(const Map& map, Combine combine) const {
    if (!fold.identity) return np::reduction(map, combine);
    if (fold.identity->kind == Number::Kind::Floating) return np::reduction(map, combine, fold.identity->value);
    return np::reduction(map, combine, static_cast<std::int64_t>(fold.identity->value));
  }
  template <class Map>
  auto made(const Map& map) const {
    switch (fold.op) {
      case Op::Sum: return fold.by_function ? from(map, np::add) : from(map, std::plus<>());
      case Op::Prod: return fold.by_function ? from(map, np::multiply) : from(map, std::multiplies<>());
      case Op::Min: return from(map, np::minimum);
      case Op::Max: return from(map, np::maximum);
      case Op::All: return fold.by_function ? from(map, np::logical_and) : from(map, std::logical_and<>());
      case Op::Any: return fold.by_function ? from(map, np::logical_or) : from(map, std::logical_or<>());
      default: throw std::logic_error("not a fold of np::reduction");
    }
  }
};

}  // namespace

Array run_own(std::int64_t which, const std::vector<OwnArgument>& arguments) {
  return with_function(which, Vectorize{arguments});
}

Array run_own_fold(std::int64_t which, const OwnFold& fold, const std::vector<OwnArgument>& arguments) {
  return with_function(which, Reduce{fold, arguments});
}

}  // namespace pilum::random_programs
