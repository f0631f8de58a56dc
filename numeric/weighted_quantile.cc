// Quantiles of cells that count more or less: each is the first cell, in their order, by which the weights so far are
// that share of all (numpy.quantile with weights).
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/folded_lines.h"
#include "numeric/sorted_places.h"
#include "numeric/weights.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/scan.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

struct Asked {
  std::vector<double> q;
  double whole;
  bool is_list;
  std::string_view method;
  bool skips_nans;
};

// Lines in order, and for each cell the share of the weights up to it, 1 at the end.
struct OrderedLines {
  Array cells, shares;
};

Array last_of(const Array& lines) {
  return part_of_axis(lines, lines.ndim() - 1, lines.shape()[lines.ndim() - 1] - 1, 1);
}

// Waits: as NumPy, which looks at weights before it weighs.
void check_weights(const Call& call, const Array& weights, const Array& sums, const Array& counts) {
  const Operand w(weights, call.where), sum(sums, call.where);
  const Array negative = max(w < Operand(0, call.where), {}, false, call.where);
  const Array finite =
      (sum > Operand(0, call.where)) & (sum < Operand(std::numeric_limits<double>::infinity(), call.where));
  const Array all_finite =
      min(Operand(finite, call.where) | Operand(logical_not(Operand(counts, call.where)), call.where), {}, false,
          call.where);
  const Array trouble = where(Operand(negative, call.where), Operand(2, call.where),
                              where(Operand(all_finite, call.where), Operand(0, call.where), Operand(1, call.where)));
  const auto found = trouble.item<std::int64_t>(call.where);
  if (found == 2) fail<ValueError>(call, "a weight is negative: give 0 or more");
  if (found == 1)
    fail<ValueError>(call, "the weights of a line are nan or infinite, or all 0: give each line a finite one above 0");
}

OrderedLines ordered(const Call& call, const Array& lines, const Array& weights, bool skips_nans) {
  const std::source_location where = call.where;
  const Array order = argsort(lines, -1, where);
  const Array cells = take_along_axis(lines, order, -1, where);
  Array heavy = take_along_axis(weights, order, -1, where);
  Array counts = ones({}, DType::Bool, where);  // whether a line has cells that count
  if (skips_nans && is_floating(cells.dtype())) {
    const Array is_nan = isnan(Operand(cells, where));
    heavy = numeric::where(Operand(is_nan, where), Operand(0, where), Operand(heavy, where));
    counts = logical_not(Operand(part_of_axis(is_nan, is_nan.ndim() - 1, 0, 1), where));
  }
  const Array sums = cumsum(heavy, -1, DType::Float64, where);
  const Array all = last_of(sums);
  check_weights(call, weights, all, counts);
  return {cells, Operand(sums, where) / Operand(all, where)};
}

// Cells without any weight before the first one that has some are none.
Array at_share(const Call& call, const OrderedLines& lines, double share) {
  const std::source_location where = call.where;
  const int last = lines.cells.ndim() - 1;
  const Operand shares(lines.shares, where);
  const Array before = (shares < Operand(share, where)) | (shares == Operand(0, where));
  const Array count = sum(before, last, /*keepdims=*/true, where);
  const Array place = minimum(Operand(count, where), Operand(lines.cells.shape()[last] - 1, where));
  return take_along_axis(lines.cells, place, -1, where);
}

Array weighted_quantiles(const Call& call, const Array& a, const Array& weights, const Axes& axes, bool keepdims,
                         const Asked& asked) {
  const std::source_location where = call.where;
  if (checked_state(call, a).dtype() == DType::Bool) {
    const Array numbers = a.astype(DType::UInt8, where);
    return weighted_quantiles(call, numbers, weights, axes, keepdims, asked).astype(DType::Bool, where);
  }
  if (method_of(call, asked.method) != Method::InvertedCdf)
    fail<ValueError>(call, "the method \"", asked.method, "\" takes no weights: \"inverted_cdf\" alone does");
  refuse_complex(call, a.dtype());
  refuse_complex(call, checked_state(call, weights).dtype());
  const std::vector<double> shares = shares_of(call, asked.q, asked.whole);
  const Array fitting = weights_along(call, a, weights, axes);
  const FoldedLines folded = fold_to_lines(call, a, axes, keepdims);
  if (folded.lines.shape()[folded.lines.ndim() - 1] == 0)
    fail<ValueError>(call, "shape ", a.shape(), " has no cells to take a quantile of: check shape() first");
  Shape shape = folded.kept;
  if (asked.is_list) {
    shape = Shape{std::ssize(shares)};
    for (const std::int64_t extent : folded.kept) shape.push_back(extent);
  }
  if (shape.elements() == 0) return empty(shape, a.dtype(), where);
  const Array heavy = fold_to_lines(call, fitting, axes, false).lines.astype(DType::Float64, where);
  const OrderedLines lines = ordered(call, folded.lines, heavy, asked.skips_nans);
  const Array last = last_of(lines.cells);
  std::vector<Array> each;
  for (const double share : shares) {
    Array found = at_share(call, lines, share);
    if (is_floating(a.dtype()) && !asked.skips_nans) {
      const Array is_lost = isnan(Operand(last, where));
      found = numeric::where(Operand(is_lost, where), Operand(last, where), Operand(found, where));
    }
    each.push_back(found);
  }
  return (asked.is_list ? stack(each, 0, where) : each.front()).reshape(shape, where);
}

}  // namespace

Array quantile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method, const Array& weights,
               std::source_location where) {
  return weighted_quantiles(Call{"quantile", where}, a, weights, axes, keepdims, {{q}, 1, false, method, false});
}

Array quantile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::string_view method,
               const Array& weights, std::source_location where) {
  return weighted_quantiles(Call{"quantile", where}, a, weights, axes, keepdims, {q, 1, true, method, false});
}

Array percentile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method, const Array& weights,
                 std::source_location where) {
  return weighted_quantiles(Call{"percentile", where}, a, weights, axes, keepdims, {{q}, 100, false, method, false});
}

Array percentile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::string_view method,
                 const Array& weights, std::source_location where) {
  return weighted_quantiles(Call{"percentile", where}, a, weights, axes, keepdims, {q, 100, true, method, false});
}

Array nanquantile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method, const Array& weights,
                  std::source_location where) {
  return weighted_quantiles(Call{"nanquantile", where}, a, weights, axes, keepdims, {{q}, 1, false, method, true});
}

Array nanquantile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::string_view method,
                  const Array& weights, std::source_location where) {
  return weighted_quantiles(Call{"nanquantile", where}, a, weights, axes, keepdims, {q, 1, true, method, true});
}

Array nanpercentile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method, const Array& weights,
                    std::source_location where) {
  return weighted_quantiles(Call{"nanpercentile", where}, a, weights, axes, keepdims, {{q}, 100, false, method, true});
}

Array nanpercentile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::string_view method,
                    const Array& weights, std::source_location where) {
  return weighted_quantiles(Call{"nanpercentile", where}, a, weights, axes, keepdims, {q, 100, true, method, true});
}

}  // namespace pilum::numeric
