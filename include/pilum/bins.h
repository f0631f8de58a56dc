// Numbers found among sorted ones, counted in bins, and read between places.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/export.h"

namespace pilum::numeric {

// Where each number of `v` would be put into `a`, one axis in order, so that it stays in order: int64, of v's shape;
// before cells that are equal ("left") or behind them ("right"). NaNs stand last, complex numbers as in sort. Each
// processor reads all of `a`. As numpy.searchsorted. ShapeError for an `a` of other axes, ValueError for another side.
PILUM_API Array searchsorted(const Array& a, const Operand& v, std::string_view side = "left",
                             std::source_location where = std::source_location::current());
// Whether each cell of `a` is one of those of `among`: bools, of a's shape (numpy.isin). NaN is none. `among` is sorted
// by one processor and read by each; many integers among those of a small range are marked, whose ends are waited for.
PILUM_API Array isin(const Operand& a, const Array& among);
// Which bin each number is in: i where bins[i - 1] <= x < bins[i], or with `right` bins[i - 1] < x <= bins[i]; the
// other way round of bins that fall. int64, of x's shape (numpy.digitize). ShapeError for bins of other axes,
// DTypeError of complex numbers; of bins that neither rise nor fall ValueError at the next wait.
PILUM_API Array digitize(const Operand& x, const Array& bins, bool right = false);

// The function that goes straight from place to place, which are (xp, fp), at x: float64, of complex fp complex128, of
// x's shape. Before the first place `left`, behind the last one `right`, or else what stands there; with a `period`, xp
// need not be in order and there are no ends. Each processor reads all places. As numpy.interp. ShapeError where xp and
// fp are not two lines as long, ValueError where they are empty and for a period of 0.
PILUM_API Array interp(const Operand& x, const Array& xp, const Array& fp, std::optional<double> left = {},
                       std::optional<double> right = {}, std::optional<double> period = {});

// How often each number 0, 1, … stands in `x`, integers along one axis: int64, of max(x) + 1 cells or `minlength`; or
// the sums of the weights beside them ({}: none are given), float64, added in order. The largest number is waited for,
// on every rank; who has the result's cells looks at all of `x`. As numpy.bincount. ShapeError for other axes or other
// weights, DTypeError for x of no integers, ValueError for negative ones and minlength.
PILUM_API Array bincount(const Array& x, std::int64_t minlength = 0,
                         std::source_location where = std::source_location::current());
PILUM_API Array bincount(const Array& x, const Array& weights, std::int64_t minlength = 0,
                         std::source_location where = std::source_location::current());

// Where the first bin begins and the last one ends: {0, 1}, a std::pair, or nothing.
class OptionalBinRange : public std::optional<std::pair<double, double>> {
 public:
  using optional::optional;
  OptionalBinRange(std::optional<std::pair<double, double>> range) : optional(range) {}
  template <Number T, Number U>
  OptionalBinRange(T first, U last) : optional(std::pair(static_cast<double>(first), static_cast<double>(last))) {}
};

// NumPy's arguments of these names.
struct HistogramOptions {
  OptionalBinRange range = {};        // of the bins; else from the least to the largest cell
  bool density = false;               // how many of all for a width of 1
  std::optional<Array> weights = {};  // of a's shape: they are added up in place of the cells' number
};

// Where the first bin begins and the last one ends.
struct BinRange {
  BinRange(double first, double last) : first(first), last(last) {}
  double first, last;
};

// How many cells are in each of so many bins of the same width, or in those between `edges` (one axis, in order), and
// the edges: [e0, e1), [e1, e2), … and the last one with its end (numpy.histogram). Counts are int64, of weights their
// dtype, of densities float64. Without a range, the least and the largest cell are waited for, on every rank.
// ValueError for no bins, a range that falls or is not finite, at the next wait for edges that fall; ShapeError for
// other weights or edges, DTypeError of complex cells.
PILUM_API std::pair<Array, Array> histogram(const Array& a, std::int64_t bins = 10,
                                            const HistogramOptions& options = {},
                                            std::source_location where = std::source_location::current());
// Between `range`'s ends: histogram(a, 20, {0, 1}).
inline std::pair<Array, Array> histogram(const Array& a, std::int64_t bins, const BinRange& range,
                                         std::source_location where = std::source_location::current()) {
  return histogram(a, bins, {.range = std::pair(range.first, range.last)}, where);
}
PILUM_API std::pair<Array, Array> histogram(const Array& a, const Array& edges, const HistogramOptions& options = {},
                                            std::source_location where = std::source_location::current());

// The same, of as many bins as a rule says: "sqrt", "sturges", "rice", "scott", "fd" (Freedman and Diaconis), "doane",
// "stone", or "auto", the narrower bins of "fd" and "sturges", but no more than twice those of "sqrt". What the rule
// asks of the cells is waited for, on every rank. ValueError for another name, and for weights.
PILUM_API std::pair<Array, Array> histogram(const Array& a, std::string_view rule, const HistogramOptions& options = {},
                                            std::source_location where = std::source_location::current());
// The edges alone (numpy.histogram_bin_edges).
PILUM_API Array histogram_bin_edges(const Array& a, std::int64_t bins = 10, OptionalBinRange range = {},
                                    std::source_location where = std::source_location::current());
PILUM_API Array histogram_bin_edges(const Array& a, std::string_view rule, OptionalBinRange range = {},
                                    std::source_location where = std::source_location::current());

// What histogram2d and histogramdd may be told.
struct GridOptions {
  std::vector<std::pair<double, double>> ranges = {};  // one for each axis; none: from the least to the largest number
  bool density = false;                                // how many of all for a volume of 1
  std::optional<Array> weights = {};                   // one for each point
};
struct GridHistogram {
  Array H;  // float64, an axis for each coordinate
  std::vector<Array> edges;
};
// How many points are in each cell of a grid: a row of `sample` (points, axes) is a point; so many bins along each
// axis, evenly spaced, or between given edges, one axis each, in order (numpy.histogramdd). Bins are as those of
// histogram. Without ranges the least and the largest numbers are waited for, on every rank. ShapeError for a sample of
// other axes, another number of bins, ranges or weights; ValueError for fewer bins than one, a range that falls or is
// not finite, at the next wait for edges that fall; DTypeError of complex numbers.
PILUM_API GridHistogram histogramdd(const Array& sample, const std::vector<std::int64_t>& bins,
                                    const GridOptions& options = {},
                                    std::source_location where = std::source_location::current());
namespace detail {
PILUM_API GridHistogram histogram_between(const Array& sample, const std::vector<Array>& edges,
                                          const GridOptions& options, std::source_location where);
PILUM_API GridHistogram histogram_of_two(const Array& x, const Array& y, std::int64_t x_bins, std::int64_t y_bins,
                                         const GridOptions& options, std::source_location where);
PILUM_API GridHistogram histogram_of_two(const Array& x, const Array& y, const Array& x_edges, const Array& y_edges,
                                         const GridOptions& options, std::source_location where);
}  // namespace detail
// A template, so that braces are numbers of bins.
template <std::same_as<std::vector<Array>> Edges>
GridHistogram histogramdd(const Array& sample, const Edges& edges, const GridOptions& options = {},
                          std::source_location where = std::source_location::current()) {
  return detail::histogram_between(sample, edges, options, where);
}
// Of points (x, y), two arrays along one axis (numpy.histogram2d): x goes along the first axis of H.
inline GridHistogram histogram2d(const Array& x, const Array& y, std::int64_t bins = 10,
                                 const GridOptions& options = {},
                                 std::source_location where = std::source_location::current()) {
  return detail::histogram_of_two(x, y, bins, bins, options, where);
}
inline GridHistogram histogram2d(const Array& x, const Array& y, std::pair<std::int64_t, std::int64_t> bins,
                                 const GridOptions& options = {},
                                 std::source_location where = std::source_location::current()) {
  return detail::histogram_of_two(x, y, bins.first, bins.second, options, where);
}
inline GridHistogram histogram2d(const Array& x, const Array& y, const Array& x_edges, const Array& y_edges,
                                 const GridOptions& options = {},
                                 std::source_location where = std::source_location::current()) {
  return detail::histogram_of_two(x, y, x_edges, y_edges, options, where);
}

}  // namespace pilum::numeric
