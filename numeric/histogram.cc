// Numbers that are counted, by themselves or in bins.
#include <cmath>
#include <utility>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/bin_width.h"
#include "numeric/block_counts.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "numeric/reductions.h"
#include "numeric/search.h"
#include "numeric/shapes.h"
#include "pilum/bins.h"
#include "pilum/creation.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

using kernel::Fold;

// Itself where it has the dtype: what is only read need not be copied.
Array in_dtype(const Call& call, const Array& a, DType dtype) {
  return a.dtype() == dtype ? a : a.astype(dtype, call.where);
}

// The checked numbers' count; the cell at `place` of the result is that of number `place`.
std::int64_t cells_of_count(const Call& call, const Array& x, std::int64_t minlength) {
  const Shape& shape = checked_state(call, x).shape;
  if (shape.rank() != 1) fail<ShapeError>(call, "shape ", shape, ": give numbers along one axis, as of ravel()");
  if (is_inexact(x.dtype()))
    fail<DTypeError>(call, "the numbers are ", x.dtype(), ", and integers are counted: cast them with astype(int64)");
  if (minlength < 0) fail<ValueError>(call, "minlength is ", minlength, ": give 0 or more");
  if (x.size() == 0) return minlength;
  const Array numbers = x.dtype() == DType::Bool ? x.astype(DType::UInt8, call.where) : x;
  const auto end = [&](Fold fold) { return in_dtype(call, extremum(call, fold, numbers, {}, false), DType::Int64); };
  const Array low = end(Fold::Minimum), high = end(Fold::Maximum);  // both, before one is waited for
  const auto least = low.item<std::int64_t>(call.where), largest = high.item<std::int64_t>(call.where);
  if (least < 0) fail<ValueError>(call, "the number ", least, " is negative: count x - np::min(x), or np::abs(x)");
  return std::max(minlength, largest + 1);
}

// A cell's number in a range from the least to the largest one, and a bit more where they are the same.
std::pair<double, double> range_of_bins(const Call& call, const Array& a, const HistogramOptions& options) {
  std::pair<double, double> ends(0, 1);
  if (options.range) {
    ends = *options.range;
    if (ends.first > ends.second)
      fail<ValueError>(call, "the range from ", ends.first, " to ", ends.second, " falls: give the lower end first");
  } else if (a.size() != 0) {
    const Array wide = in_dtype(call, a, DType::Float64);
    ends = {extremum(call, Fold::Minimum, wide, {}, false).item<double>(call.where),
            extremum(call, Fold::Maximum, wide, {}, false).item<double>(call.where)};
  }
  if (!std::isfinite(ends.first) || !std::isfinite(ends.second)) {
    fail<ValueError>(call, "the range from ", ends.first, " to ", ends.second,
                     " is not finite: give one in the options, as {.range = {0, 1}}");
  }
  return ends;
}

// Whether edges differ at both ends, where they are nearest to each other in their own digits.
template <class T>
bool edges_differ(double low, double high, double bins) {
  const T first = static_cast<T>(low), last = static_cast<T>(high), step = (last - first) / static_cast<T>(bins);
  return static_cast<T>(first + step) > first && static_cast<T>(last - step) < last;
}

bool is_wide_enough(double low, double high, double bins, DType dtype) {
  return dtype == DType::Float64 ? edges_differ<double>(low, high, bins) : edges_differ<float>(low, high, bins);
}

// Those in no bin are counted before the first one and behind the last one, where not block by block.
Array count_in_bins(const Call& call, const Array& a, const Array& edges, bool are_even,
                    const HistogramOptions& options) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const std::int64_t bins = edges.size() - 1;
  const Array cells = ravel(a, call.where);
  if (are_even && !options.weights) {
    if (const auto counts = count_in_even_bins(call, cells, edges)) return *counts;
  }
  const Array last = part_of_axis(edges, 0, bins, 1);
  const Array bin = edges_below(call, edges, cells, are_even);
  const Array is_last = here(cells) == here(last);
  const Array place = where(here(is_last), here(bins), here(bin));
  const DType dtype = options.weights ? options.weights->dtype() : DType::Int64;
  const Array counts = zeros({bins + 2}, dtype == DType::Bool ? DType::Int64 : dtype, call.where);
  if (cells.size() == 0) return part_of_axis(counts, 0, 1, bins);
  if (options.weights) {
    const Array weights = in_dtype(call, ravel(*options.weights, call.where), counts.dtype());
    add_at(counts, place, here(weights));
  } else {
    add_at(counts, place, here(1));
  }
  return part_of_axis(counts, 0, 1, bins);
}

// `are_even`: the edges are known to rise, evenly apart.
std::pair<Array, Array> counted(const Call& call, const Array& a, const Array& edges, bool are_even,
                                const HistogramOptions& options) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Array counts = count_in_bins(call, a, edges, are_even, options);
  if (!options.density) return {counts, edges};
  const Array widths = diff(edges, 1, 0, call.where).astype(DType::Float64, call.where);
  const Array wide = is_inexact(counts.dtype()) ? counts : counts.astype(DType::Float64, call.where);
  const Array by_width = here(wide) / here(widths);
  const Array all = total(call, counts, total_dtype(counts.dtype()), {}, false);
  return {here(by_width) / here(all), edges};
}

void check_cells(const Call& call, const Array& a, const HistogramOptions& options) {
  const Shape& shape = checked_state(call, a).shape;
  refuse_complex(call, a.dtype());
  if (!options.weights) return;
  const Shape& weights = checked_state(call, *options.weights).shape;
  if (weights != shape)
    fail<ShapeError>(call, "weights of shape ", weights, " for cells of shape ", shape, ": give one for each cell");
}

}  // namespace

Array bincount(const Array& x, std::int64_t minlength, std::source_location where) {
  const Call call{"bincount", where};
  const std::int64_t count = cells_of_count(call, x, minlength);
  if (const auto counts = count_by_blocks(call, x, count)) return *counts;
  const Array out = zeros({count}, DType::Int64, where);
  if (x.size() != 0) add_at(out, in_dtype(call, x, DType::Int64), Operand(1, where));
  return out;
}

Array bincount(const Array& x, const Array& weights, std::int64_t minlength, std::source_location where) {
  const Call call{"bincount", where};
  if (!ArrayAccess::state(weights)) return bincount(x, minlength, where);  // {}, as NumPy's None
  if (checked_state(call, weights).shape != checked_state(call, x).shape) {
    fail<ShapeError>(call, "weights of shape ", weights.shape(), " for numbers of shape ", x.shape(),
                     ": give one for each number");
  }
  refuse_complex(call, weights.dtype());
  const std::int64_t count = cells_of_count(call, x, minlength);
  if (x.size() == 0) return zeros({count}, DType::Int64, where);
  const Array out = zeros({count}, DType::Float64, where);
  const Array heavy = in_dtype(call, weights, DType::Float64);
  add_at(out, in_dtype(call, x, DType::Int64), Operand(heavy, where));
  return out;
}

namespace {

// Evenly spaced. `asks`: the ends are cells of the array, and the edges computed in its dtype.
Array even_edges(const Call& call, const Array& a, std::int64_t bins, std::pair<double, double> ends, bool asks) {
  const std::source_location where = call.where;
  auto [low, high] = ends;
  if (low == high) low -= 0.5, high += 0.5;
  const DType dtype = is_inexact(a.dtype()) ? a.dtype() : DType::Float64;
  if (!is_wide_enough(low, high, static_cast<double>(bins), dtype)) {
    fail<ValueError>(call, "from ", low, " to ", high, " there is no room for ", bins, " bins of ", dtype,
                     ": give fewer, or a wider range");
  }
  if (!asks) return linspace(low, high, bins + 1, true, dtype, where);  // computed in float64, as of numbers
  const Array first = full({}, Operand(low, where), dtype), last = full({}, Operand(high, where), dtype);
  return linspace(Operand(first, where), Operand(last, where), bins + 1, true, dtype);
}

Array edges_of(const Call& call, const Array& a, std::int64_t bins, const HistogramOptions& options) {
  check_cells(call, a, options);
  if (bins < 1) fail<ValueError>(call, bins, " bins: give 1 or more");
  return even_edges(call, a, bins, range_of_bins(call, a, options), !options.range && a.size() != 0);
}

Array edges_by_rule(const Call& call, const Array& a, std::string_view rule, const HistogramOptions& options) {
  check_cells(call, a, options);
  check_bin_rule(call, rule);
  if (options.weights) fail<ValueError>(call, "\"", rule, "\" knows no weights: give a number of bins");
  auto [low, high] = range_of_bins(call, a, options);
  if (low == high) low -= 0.5, high += 0.5;
  Array cells = ravel(a, call.where);
  if (options.range && a.size() != 0) {
    const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
    const Array above = here(cells) >= here(low), below = here(cells) <= here(high);
    cells = compress(here(above) & here(below), cells, 0, call.where);
  }
  const std::int64_t bins = bins_by_rule(call, cells, rule, {low, high});
  return even_edges(call, a, bins, {low, high}, !options.range && a.size() != 0);
}

}  // namespace

std::pair<Array, Array> histogram(const Array& a, std::int64_t bins, const HistogramOptions& options,
                                  std::source_location where) {
  const Call call{"histogram", where};
  return counted(call, a, edges_of(call, a, bins, options), /*are_even=*/true, options);
}

std::pair<Array, Array> histogram(const Array& a, std::string_view rule, const HistogramOptions& options,
                                  std::source_location where) {
  const Call call{"histogram", where};
  return counted(call, a, edges_by_rule(call, a, rule, options), /*are_even=*/true, options);
}

Array histogram_bin_edges(const Array& a, std::int64_t bins, OptionalBinRange range, std::source_location where) {
  return edges_of(Call{"histogram_bin_edges", where}, a, bins, {.range = range});
}

Array histogram_bin_edges(const Array& a, std::string_view rule, OptionalBinRange range, std::source_location where) {
  return edges_by_rule(Call{"histogram_bin_edges", where}, a, rule, {.range = range});
}

std::pair<Array, Array> histogram(const Array& a, const Array& edges, const HistogramOptions& options,
                                  std::source_location where) {
  const Call call{"histogram", where};
  check_cells(call, a, options);
  const Shape& shape = checked_state(call, edges).shape;
  refuse_complex(call, edges.dtype());
  if (shape.rank() != 1 || shape[0] < 1) fail<ShapeError>(call, "edges of shape ", shape, ": give them along one axis");
  return counted(call, a, edges, /*are_even=*/false, options);
}

}  // namespace pilum::numeric
