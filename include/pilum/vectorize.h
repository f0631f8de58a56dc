// Functions of the user's own, of cells: np::vectorize, and folds of them: np::reduction.
#pragma once

#include <source_location>
#include <utility>

#include "pilum/detail/own_function.h"

namespace pilum::numeric {

// A function of cells as one of arrays (numpy.vectorize), to be called with arrays and numbers that broadcast:
//
//   const auto f = np::vectorize([](auto x, auto y) { return np::where(x > y, x * y, x + y); });
//   np::Array z = f(a, b);
//
// `function` is called once a call, with an np::Array of the common shape for each array and with the numbers as they
// are (which stay weak, see Operand): its operations are recorded, and fuse as if they stood where f is called. It
// returns an Array or a number, or a std::tuple, std::pair or std::array of these, which comes as a std::tuple of
// arrays. What it returns gets the common shape. It must not write to its arguments, and `if` asks for no cell:
// np::where(condition, a, b) does.
//
// Errors name the line in the function, and then `name` and the line of the call. ShapeError where the arguments do not
// broadcast, or a result does not to their shape. Each operation costs what it costs elsewhere, below 0.3 microseconds.
template <class Function>
auto vectorize(Function function, const char* name = "") {
  return detail::Vectorized<Function>(std::move(function), name);
}

// A fold of what `map` makes of cells (CuPy's ReductionKernel): the two are one kernel, and what map makes is not kept.
//
//   const auto distance = np::reduction([](auto x, auto y) { return np::square(x - y); }, std::plus<>());
//   np::Array all_of_them = distance(a, b), of_rows = distance.over(1)(a, b), kept = distance.over({0, 1}, true)(a, b);
//
// `combine` is one of the folds that there are: std::plus<>, std::multiplies<>, std::logical_and<>, std::logical_or<>,
// or np::add, multiply, minimum, maximum, logical_and, logical_or (ValueError for another function of arrays). Dtypes
// and axes are those of sum, prod, min, max, all, any. `identity` is the value that folds start from, as NumPy's
// `initial`: of no cells it is the result.
template <class Map, class Combine>
auto reduction(Map map, Combine combine, std::source_location where = std::source_location::current()) {
  return detail::Reduction<Map>(std::move(map), detail::fold_of(combine, where), {});
}
template <class Map, class Combine, Number T>
auto reduction(Map map, Combine combine, T identity, std::source_location where = std::source_location::current()) {
  return detail::Reduction<Map>(std::move(map), detail::fold_of(combine, where), Operand(identity, where));
}

}  // namespace pilum::numeric
