// What stands between the parentheses of array(…): integers, slices, all, newaxis, ellipsis.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <source_location>

#include "pilum/operand.h"

namespace pilum::numeric {

// Python's start:stop:step. {} leaves a side open: slice(1, {}) is [1:], slice({}, -1) is [:-1],
// slice({}, {}, -1) is [::-1], and slice(3) is [:3], as Python's slice(3). Negative bounds count from the end; a step
// of 0 is refused where it is used.
struct slice {
  using Bound = std::optional<std::int64_t>;
  constexpr explicit slice(Bound stop) : stop(stop), step(1) {}
  constexpr slice(Bound start, Bound stop, std::int64_t step = 1) : start(start), stop(stop), step(step) {}
  Bound start;
  Bound stop;
  std::int64_t step;
};

class Axes;
struct FoldOptions;

// ':', and numpy.all (statistics.h): np::all(a > 0), np::all(a > 0, axis, keepdims).
struct All {
  template <detail::ArrayLike A>
  auto operator()(const A& a, std::source_location where = std::source_location::current()) const {
    return all_cells(a, {}, false, where);
  }
  template <detail::ArrayLike A, class Which = Axes>
  auto operator()(const A& a, const Which& axes, bool keepdims = false,
                  std::source_location where = std::source_location::current()) const {
    return all_cells(a, axes, keepdims, where);
  }
  template <detail::ArrayLike A, class Which = Axes, class Options = FoldOptions>  // fold_options.h
  auto operator()(const A& a, const Which& axes, const Options& options,
                  std::source_location where = std::source_location::current()) const
    requires std::same_as<Options, FoldOptions>
  {
    return all_cells(a, axes, options, where);
  }
  Array operator()(const Array& a, const FoldOptions& options,
                   std::source_location where = std::source_location::current()) const;  // fold_options.h
  Array operator()(const Selection& a, const FoldOptions& options,
                   std::source_location where = std::source_location::current()) const;
};
struct NewAxis {};
struct Ellipsis {};

inline constexpr All all{};            // ':', a whole axis
inline constexpr NewAxis newaxis{};    // a new axis of extent 1
inline constexpr Ellipsis ellipsis{};  // '...', as many ':' as are missing

}  // namespace pilum::numeric
