// Cells in order: sorted, where they stand in the order, and what stands at a place of it.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/export.h"

namespace pilum::numeric {

// A new array with the cells of each line along `axis` in order, of all cells along one axis without an axis
// ({}: numpy.sort, axis=None). NaNs stand last; 0.0 and -0.0 are equal, and keep their order. Complex numbers are in
// the order of their real parts, then of their imaginary ones; NaNs in the imaginary part, the real one, both stand
// last. IndexError for an axis that is not there, any of an array without axes.
PILUM_API Array sort(const Array& a, std::optional<Axis> axis = -1,
                     std::source_location where = std::source_location::current());
// Where these cells stand in the array: int64. Equal cells keep their order (numpy.argsort, kind="stable").
PILUM_API Array argsort(const Array& a, std::optional<Axis> axis = -1,
                        std::source_location where = std::source_location::current());
// By NumPy's kind, "quicksort", "mergesort", "heapsort" or "stable": all of these are stable here. ValueError for
// another word.
namespace detail {
PILUM_API void check_sort_kind(std::string_view kind, const char* function, std::source_location where);
}
inline Array sort(const Array& a, std::optional<Axis> axis, std::string_view kind,
                  std::source_location where = std::source_location::current()) {
  detail::check_sort_kind(kind, "sort", where);
  return sort(a, axis, where);
}
inline Array argsort(const Array& a, std::optional<Axis> axis, std::string_view kind,
                     std::source_location where = std::source_location::current()) {
  detail::check_sort_kind(kind, "argsort", where);
  return argsort(a, axis, where);
}
// The different cells of an array, sorted, along one axis; all NaNs are one (numpy.unique). Their number is waited for,
// on every rank.
PILUM_API Array unique(const Array& a, std::source_location where = std::source_location::current());
// The same, and how often each stands in the array: int64; but each NaN is one of its own (numpy.unique_counts).
PILUM_API std::pair<Array, Array> unique_counts(const Array& a,
                                                std::source_location where = std::source_location::current());

// What stands in the middle of the order of the cells, over all axes or those given, or the mean of both that do
// (numpy.median): of integers and bools float64, else the array's dtype; nan where a cell is nan, and of no cells;
// complex numbers are in the order of sort. Axes and errors as mean.
PILUM_API Array median(const Array& a, Axes axes = {}, bool keepdims = false,
                       std::source_location where = std::source_location::current());
// What stands at q times the way through the order of the cells, between two of them in proportion (numpy.quantile,
// method="linear"): 0.25 is the lower quartile. Of several q a new first axis has them. Of integers float64; of floats
// the array's dtype for one q, float64 for several; nan where a cell is nan. ValueError for q outside of 0 and 1 and
// for no cells, DTypeError of bools, axes as mean. percentile: q from 0 to 100 (numpy.percentile).
PILUM_API Array quantile(const Array& a, double q, Axes axes = {}, bool keepdims = false,
                         std::source_location where = std::source_location::current());
PILUM_API Array quantile(const Array& a, const std::vector<double>& q, Axes axes = {}, bool keepdims = false,
                         std::source_location where = std::source_location::current());
inline Array quantile(const Array& a, std::initializer_list<double> q, Axes axes = {}, bool keepdims = false,
                      std::source_location where = std::source_location::current()) {
  return quantile(a, std::vector<double>(q), axes, keepdims, where);
}
PILUM_API Array percentile(const Array& a, double q, Axes axes = {}, bool keepdims = false,
                           std::source_location where = std::source_location::current());
PILUM_API Array percentile(const Array& a, const std::vector<double>& q, Axes axes = {}, bool keepdims = false,
                           std::source_location where = std::source_location::current());
inline Array percentile(const Array& a, std::initializer_list<double> q, Axes axes = {}, bool keepdims = false,
                        std::source_location where = std::source_location::current()) {
  return percentile(a, std::vector<double>(q), axes, keepdims, where);
}

// The same of the cells that are not NaN (numpy.nanmedian, nanquantile, nanpercentile): nan where there are none.
PILUM_API Array nanmedian(const Array& a, Axes axes = {}, bool keepdims = false,
                          std::source_location where = std::source_location::current());
PILUM_API Array nanquantile(const Array& a, double q, Axes axes = {}, bool keepdims = false,
                            std::source_location where = std::source_location::current());
PILUM_API Array nanquantile(const Array& a, const std::vector<double>& q, Axes axes = {}, bool keepdims = false,
                            std::source_location where = std::source_location::current());
inline Array nanquantile(const Array& a, std::initializer_list<double> q, Axes axes = {}, bool keepdims = false,
                         std::source_location where = std::source_location::current()) {
  return nanquantile(a, std::vector<double>(q), axes, keepdims, where);
}
PILUM_API Array nanpercentile(const Array& a, double q, Axes axes = {}, bool keepdims = false,
                              std::source_location where = std::source_location::current());
PILUM_API Array nanpercentile(const Array& a, const std::vector<double>& q, Axes axes = {}, bool keepdims = false,
                              std::source_location where = std::source_location::current());
inline Array nanpercentile(const Array& a, std::initializer_list<double> q, Axes axes = {}, bool keepdims = false,
                           std::source_location where = std::source_location::current()) {
  return nanpercentile(a, std::vector<double>(q), axes, keepdims, where);
}

// Of a std::vector or std::array of other numbers.
#define PILUM_OF_LEVELS(function)                                                                  \
  template <detail::Numbers Q>                                                                     \
    requires(!std::same_as<Q, std::vector<double>>)                                                \
  Array function(const Array& a, const Q& q, Axes axes = {}, bool keepdims = false,                \
                 std::source_location where = std::source_location::current()) {                   \
    return function(a, std::vector<double>(q.data(), q.data() + q.size()), axes, keepdims, where); \
  }
PILUM_OF_LEVELS(quantile)
PILUM_OF_LEVELS(percentile)
PILUM_OF_LEVELS(nanquantile)
PILUM_OF_LEVELS(nanpercentile)
#undef PILUM_OF_LEVELS

// By another of NumPy's methods (numpy.quantile(…, method=…)): "lower", "higher" and "nearest" (to the even place) are
// cells, and keep the dtype; "midpoint" is halfway between two; "inverted_cdf", "averaged_inverted_cdf",
// "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased" and
// "normal_unbiased" are Hyndman and Fan's. ValueError for another word.
PILUM_API Array quantile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                         std::source_location where = std::source_location::current());
PILUM_API Array quantile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims,
                         std::string_view method, std::source_location where = std::source_location::current());
PILUM_API Array percentile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                           std::source_location where = std::source_location::current());
PILUM_API Array percentile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims,
                           std::string_view method, std::source_location where = std::source_location::current());
PILUM_API Array nanquantile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                            std::source_location where = std::source_location::current());
PILUM_API Array nanquantile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims,
                            std::string_view method, std::source_location where = std::source_location::current());
PILUM_API Array nanpercentile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                              std::source_location where = std::source_location::current());
PILUM_API Array nanpercentile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims,
                              std::string_view method, std::source_location where = std::source_location::current());

// Of an array of places, which is waited for, on every rank: its axes come first (numpy.quantile with an array).
// float64 where the method is not one of cells. DTypeError of places that are no real numbers. Templates, so that
// braces are places.
namespace detail {
PILUM_API Array quantile_at(const Array& a, const Array& q, const Axes& axes, bool keepdims, std::string_view method,
                            std::source_location where);
PILUM_API Array percentile_at(const Array& a, const Array& q, const Axes& axes, bool keepdims, std::string_view method,
                              std::source_location where);
PILUM_API Array nanquantile_at(const Array& a, const Array& q, const Axes& axes, bool keepdims, std::string_view method,
                               std::source_location where);
PILUM_API Array nanpercentile_at(const Array& a, const Array& q, const Axes& axes, bool keepdims,
                                 std::string_view method, std::source_location where);
}  // namespace detail
template <detail::ArrayLike Places>
Array quantile(const Array& a, const Places& q, Axes axes = {}, bool keepdims = false,
               std::string_view method = "linear", std::source_location where = std::source_location::current()) {
  return detail::quantile_at(a, q, axes, keepdims, method, where);
}
template <detail::ArrayLike Places>
Array percentile(const Array& a, const Places& q, Axes axes = {}, bool keepdims = false,
                 std::string_view method = "linear", std::source_location where = std::source_location::current()) {
  return detail::percentile_at(a, q, axes, keepdims, method, where);
}
template <detail::ArrayLike Places>
Array nanquantile(const Array& a, const Places& q, Axes axes = {}, bool keepdims = false,
                  std::string_view method = "linear", std::source_location where = std::source_location::current()) {
  return detail::nanquantile_at(a, q, axes, keepdims, method, where);
}
template <detail::ArrayLike Places>
Array nanpercentile(const Array& a, const Places& q, Axes axes = {}, bool keepdims = false,
                    std::string_view method = "linear", std::source_location where = std::source_location::current()) {
  return detail::nanpercentile_at(a, q, axes, keepdims, method, where);
}

// With a weight for each cell, one array of them or one of the axes that are folded, in the order in which they are
// given: the first cell, in their order, by which the weights add up to q of all (numpy.quantile with weights), by
// "inverted_cdf", the one method that takes weights. The array's dtype. The weights are looked at, which is waited for,
// on every rank: ValueError for a negative one, and for a line whose weights are nan, infinite or all 0; for another
// method. ShapeError for weights that do not fit.
PILUM_API Array quantile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                         const Array& weights, std::source_location where = std::source_location::current());
PILUM_API Array quantile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims,
                         std::string_view method, const Array& weights,
                         std::source_location where = std::source_location::current());
PILUM_API Array percentile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                           const Array& weights, std::source_location where = std::source_location::current());
PILUM_API Array percentile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims,
                           std::string_view method, const Array& weights,
                           std::source_location where = std::source_location::current());
PILUM_API Array nanquantile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                            const Array& weights, std::source_location where = std::source_location::current());
PILUM_API Array nanquantile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims,
                            std::string_view method, const Array& weights,
                            std::source_location where = std::source_location::current());
PILUM_API Array nanpercentile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                              const Array& weights, std::source_location where = std::source_location::current());
PILUM_API Array nanpercentile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims,
                              std::string_view method, const Array& weights,
                              std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
