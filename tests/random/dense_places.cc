// Orders, sets, and numbers found among others.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "tests/random/dense_axis.h"
#include "tests/random/dense_complex.h"
#include "tests/random/dense_lines.h"
#include "tests/random/dense_whole.h"

namespace pilum::random_programs {
namespace {

Dense line_of(std::vector<Cell> cells, DType dtype) {
  const auto count = static_cast<std::int64_t>(cells.size());
  return Dense{dtype, {count}, std::move(cells)};
}

Dense whole_numbers(const std::vector<std::int64_t>& numbers) {
  std::vector<Cell> cells;
  for (const std::int64_t number : numbers) cells.push_back(Cell{.integer = number});
  return line_of(std::move(cells), DType::Int64);
}

Dense lexsorted(const Dense& x, const Dense& y, int axis) {
  if (x.shape != y.shape) throw Invalid("keys of other shapes");
  const AxisOf at(x.shape, axis);
  Dense result{DType::Int64, x.shape};
  result.cells.resize(x.cells.size());
  for (std::int64_t outer = 0; outer < at.before; ++outer) {
    for (std::int64_t inner = 0; inner < at.after; ++inner) {
      std::vector<std::int64_t> order = places_from(0, at.extent);
      const auto before = [&](const Dense& key) {
        return [&](std::int64_t a, std::int64_t b) {
          return is_before(key.cells[at.place(outer, a, inner)], key.cells[at.place(outer, b, inner)], key.dtype);
        };
      };
      std::stable_sort(order.begin(), order.end(), before(x));
      std::stable_sort(order.begin(), order.end(), before(y));
      for (std::int64_t k = 0; k < at.extent; ++k)
        result.cells[at.place(outer, k, inner)] = Cell{.integer = order[static_cast<std::size_t>(k)]};
    }
  }
  return result;
}

Dense in_order(const WholeCall& call) {
  const AxisOf at(call.x.shape, call.axis);
  if (call.k >= at.extent) throw Invalid("a place that is not there");
  const DType dtype = call.x.dtype;
  const bool places = call.op == Op::Argpartition;
  return of_lines(call.x, at, places ? DType::Int64 : dtype, at.extent,
                  [&](const std::vector<Cell>& line) { return places ? order_of(line, dtype) : sorted(line, dtype); });
}

// How many of `among` are before each cell of `v`, or not behind it.
Dense places_among(const Dense& among, const Dense& v, bool and_equal) {
  const DType dtype = promoted(among, v);
  const Dense line = cast(among, dtype), wanted = cast(v, dtype);
  static_cast<void>(sorted(line.cells, dtype));  // the order of zeros
  Dense result{DType::Int64, v.shape};
  if (line.cells.size() * wanted.cells.size() > 1'000'000) throw Invalid("more cells than a test needs");
  for (Cell cell : wanted.cells) {
    std::int64_t count = 0;
    for (Cell other : line.cells) count += and_equal ? !is_before(cell, other, dtype) : is_before(other, cell, dtype);
    result.cells.push_back(Cell{.integer = count});
  }
  return result;
}

Dense digitized(const WholeCall& call) {
  if (is_complex(call.x.dtype) || is_complex(call.y.dtype)) throw Invalid("bins of complex numbers");
  for (Cell cell : call.y.cells) {
    if (is_nan(cell, call.y.dtype)) throw Invalid("bins that are NaN");
  }
  return places_among(call.y, call.x, call.k % 2 == 0);
}

bool has_nan(const Dense& a) {
  return std::any_of(a.cells.begin(), a.cells.end(), [&](Cell cell) {
    return is_complex(a.dtype) ? std::isnan(cell.floating + cell.imaginary) : is_nan(cell, a.dtype);
  });
}

bool are_equal(Cell a, Cell b, DType dtype) {
  return !is_before(a, b, dtype) && !is_before(b, a, dtype);
}

// The different cells, in order. Of NaNs one, unless each counts.
std::vector<Cell> different(const std::vector<Cell>& cells, DType dtype, bool one_nan) {
  std::vector<Cell> result;
  for (Cell cell : sorted(cells, dtype)) {
    const bool again = !result.empty() && are_equal(result.back(), cell, dtype) && (one_nan || !is_nan(cell, dtype));
    if (!again) result.push_back(cell);
  }
  return result;
}

bool contains(const std::vector<Cell>& cells, Cell cell, DType dtype) {
  return std::any_of(cells.begin(), cells.end(), [&](Cell other) { return are_equal(other, cell, dtype); });
}

Dense is_in(const Dense& x, const Dense& y) {
  if (has_nan(x) || has_nan(y)) throw Invalid("whether NaN is there");
  const DType dtype = promoted(x, y);
  const Dense cells = cast(x, dtype), among = cast(y, dtype);
  if (cells.cells.size() * among.cells.size() > 1'000'000) throw Invalid("more cells than a test needs");
  Dense result{DType::Bool, x.shape};
  for (Cell cell : cells.cells) result.cells.push_back(Cell{.integer = contains(among.cells, cell, dtype)});
  return result;
}

Dense set_of(const WholeCall& call) {
  const Dense &x = call.x, &y = call.y;
  if (has_nan(x) || has_nan(y)) throw Invalid("whether NaN is there");
  const DType dtype = promoted(x, y);
  const std::vector<Cell> a = different(cast(x, dtype).cells, dtype, true),
                          b = different(cast(y, dtype).cells, dtype, true);
  if (a.size() * b.size() > 1'000'000) throw Invalid("more cells than a test needs");
  if (call.op == Op::Setdiff1d) {
    std::vector<Cell> rest;
    for (Cell cell : different(x.cells, x.dtype, true)) {
      if (!contains(b, cast(cell, x.dtype, dtype), dtype)) rest.push_back(cell);
    }
    return line_of(std::move(rest), x.dtype);
  }
  std::vector<Cell> result;
  for (Cell cell : a) {
    const bool both = contains(b, cell, dtype);
    if (call.op == Op::Union1d || (call.op == Op::Intersect1d) == both) result.push_back(cell);
  }
  for (Cell cell : b) {
    if (call.op != Op::Intersect1d && !contains(a, cell, dtype)) result.push_back(cell);
  }
  return line_of(sorted(result, dtype), dtype);
}

Dense facts_of_set(const WholeCall& call) {
  const Dense& x = call.x;
  if (call.op != Op::Unique && has_nan(x)) throw Invalid("which NaN it is");
  const std::vector<Cell> values = different(x.cells, x.dtype, true);
  if (values.size() * x.cells.size() > 1'000'000) throw Invalid("more cells than a test needs");
  std::vector<std::int64_t> firsts(values.size(), -1), counts(values.size(), 0), inverse;
  for (std::size_t cell = 0; cell < x.cells.size() && call.op != Op::Unique; ++cell) {
    std::size_t value = 0;
    while (!are_equal(values[value], x.cells[cell], x.dtype)) ++value;
    if (firsts[value] < 0) firsts[value] = static_cast<std::int64_t>(cell);
    ++counts[value];
    inverse.push_back(static_cast<std::int64_t>(value));
  }
  switch (call.op) {
    case Op::Unique: return line_of(values, x.dtype);
    case Op::UniqueCounts: return whole_numbers(counts);
    case Op::UniqueIndices: return whole_numbers(firsts);
    default: {
      Dense result = whole_numbers(inverse);
      result.shape = x.shape;
      return result;
    }
  }
}

double real_number(Cell cell, DType dtype) {
  return cast(cell, dtype, DType::Float64).floating;
}

Dense interpolated(const Dense& x, const Dense& y) {
  if (is_complex(x.dtype)) throw Invalid("places that are complex");
  if (y.cells.empty()) throw Invalid("no places");
  const DType dtype = is_complex(y.dtype) ? DType::Complex128 : DType::Float64;
  const Dense heights = cast(y, dtype);
  Dense result{dtype, x.shape};
  const auto last = static_cast<double>(heights.cells.size() - 1);
  for (Cell cell : heights.cells) {
    if (!std::isfinite(cell.floating) || !std::isfinite(cell.imaginary)) throw Invalid("heights that are not finite");
  }
  for (Cell cell : x.cells) {
    const double at = real_number(cell, x.dtype);
    if (!std::isfinite(at)) throw Invalid("a place that is not finite");
    const double inside = std::clamp(at, 0.0, last);
    const auto low = static_cast<std::size_t>(std::floor(inside));
    const Cell a = heights.cells[low], b = heights.cells[std::min(low + 1, heights.cells.size() - 1)];
    const long double share = inside - std::floor(inside);
    const auto mixed = [&](double p, double q) {
      return static_cast<double>(p + share * (static_cast<long double>(q) - p));
    };
    Cell made{.floating = mixed(a.floating, b.floating)};
    if (is_complex(dtype)) made.imaginary = mixed(a.imaginary, b.imaginary);
    result.cells.push_back(made);
    result.tolerance.push_back(
        4 * epsilon_of(dtype) * (std::hypot(a.floating, a.imaginary) + std::hypot(b.floating, b.imaginary)) + 1e-300);
  }
  return result;
}

Dense counted(const WholeCall& call) {
  const Dense &x = call.x, &y = call.y;
  const bool weighs = call.op == Op::BincountWeights && !x.cells.empty();  // of none NumPy counts
  if (!is_integer(x.dtype) || x.dtype == DType::UInt64) throw Invalid("bins of other numbers");
  if (call.op == Op::BincountWeights && (x.cells.size() != y.cells.size() || is_complex(y.dtype)))
    throw Invalid("other weights");
  std::vector<std::int64_t> counts(static_cast<std::size_t>(call.k), 0);
  std::vector<double> sums(counts.size(), 0);
  for (std::size_t cell = 0; cell < x.cells.size(); ++cell) {
    const auto bin = static_cast<std::size_t>((x.cells[cell].integer % 7 + 7) % 7);
    if (bin >= counts.size()) counts.resize(bin + 1, 0), sums.resize(bin + 1, 0);
    ++counts[bin];
    if (weighs) sums[bin] += real_number(y.cells[cell], y.dtype);
  }
  if (!weighs) return whole_numbers(counts);
  std::vector<Cell> cells;
  for (const double sum : sums) cells.push_back(Cell{.floating = sum});
  return line_of(std::move(cells), DType::Float64);
}

Dense histogram_of(const Dense& x, std::int64_t bins) {
  if (is_complex(x.dtype) || x.dtype == DType::Bool || has_nan(x)) throw Invalid("bins of other numbers");
  std::vector<double> edges;
  for (std::int64_t k = 0; k < bins; ++k)
    edges.push_back(static_cast<double>(k) * (8.0 / static_cast<double>(bins)) + -4.0);
  edges.push_back(4);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins), 0);
  for (Cell cell : x.cells) {
    const double number = real_number(cell, x.dtype);
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      const bool is_last = bin + 1 == counts.size();
      const bool below = is_last ? number <= edges[bin + 1] : number < edges[bin + 1];
      counts[bin] += edges[bin] <= number && below;
    }
  }
  return whole_numbers(counts);
}

// Of points (x, y): their bins along each axis.
Dense grid_of(const Dense& x, const Dense& y, std::int64_t bins) {
  if (x.cells.size() != y.cells.size()) throw Invalid("points without a second coordinate");
  for (const DType dtype : {x.dtype, y.dtype}) {
    if (is_complex(dtype) || dtype == DType::Bool) throw Invalid("bins of other numbers");
  }
  Dense result{DType::Float64, {bins, 3}};
  result.cells.assign(static_cast<std::size_t>(bins * 3), Cell{.floating = 0});
  for (std::size_t point = 0; point < x.cells.size(); ++point) {
    const Dense row = histogram_of(Dense{x.dtype, {1}, {x.cells[point]}}, bins),
                column = histogram_of(Dense{y.dtype, {1}, {y.cells[point]}}, 3);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        result.cells[i * 3 + j].floating += static_cast<double>(row.cells[i].integer * column.cells[j].integer);
    }
  }
  return result;
}

Dense weighed_bins(const Dense& x, const Dense& weights, std::int64_t bins) {
  if (x.shape != weights.shape || !is_integer(weights.dtype)) throw Invalid("other weights");
  if (is_complex(x.dtype) || x.dtype == DType::Bool) throw Invalid("bins of other numbers");
  std::vector<std::int64_t> sums(static_cast<std::size_t>(bins), 0);
  for (std::size_t cell = 0; cell < x.cells.size(); ++cell) {
    const Dense bin = histogram_of(Dense{x.dtype, {1}, {x.cells[cell]}}, bins);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      if (bin.cells[k].integer != 0) sums[k] = integral(Op::Add, sums[k], weights.cells[cell].integer, weights.dtype);
    }
  }
  Dense result = whole_numbers(sums);
  result.dtype = weights.dtype;
  return result;
}

// The different parts along an axis, by their cells in turn; or how often each is there.
Dense different_parts(const WholeCall& call) {
  const Dense& x = call.x;
  const AxisOf at(x.shape, call.axis);
  if (x.cells.empty() || has_nan(x)) throw Invalid("parts of no cells, or NaNs");
  static_cast<void>(sorted(x.cells, x.dtype));  // the order of zeros
  const auto is_part_before = [&](std::int64_t a, std::int64_t b) {
    for (std::int64_t outer = 0; outer < at.before; ++outer) {
      for (std::int64_t inner = 0; inner < at.after; ++inner) {
        const Cell left = x.cells[at.place(outer, a, inner)], right = x.cells[at.place(outer, b, inner)];
        if (is_before(left, right, x.dtype)) return true;
        if (is_before(right, left, x.dtype)) return false;
      }
    }
    return false;
  };
  Places order = places_from(0, at.extent), firsts, counts;
  std::stable_sort(order.begin(), order.end(), is_part_before);
  for (const std::int64_t part : order) {
    if (firsts.empty() || is_part_before(firsts.back(), part)) firsts.push_back(part), counts.push_back(0);
    ++counts.back();
  }
  return call.op == Op::UniqueParts ? taken(x, at, firsts) : whole_numbers(counts);
}

// The first of the least cells, or of the largest, that is no NaN.
Dense place_of_number(const WholeCall& call) {
  const Dense& x = call.x;
  const AxisOf at(x.shape, call.axis);
  if (is_complex(x.dtype) || at.extent == 0) throw Invalid("the order of complex numbers, or of nothing");
  const auto find = [&](const std::vector<Cell>& line) -> std::vector<Cell> {
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (is_nan(line[k], x.dtype)) continue;
      const bool is_better = !best || (call.op == Op::Nanargmin ? is_before(line[k], line[*best], x.dtype)
                                                                : is_before(line[*best], line[k], x.dtype));
      if (is_better) best = k;
    }
    if (!best) throw Invalid("NaNs alone");
    return {Cell{.integer = static_cast<std::int64_t>(*best)}};
  };
  return without_axis(of_lines(x, at, DType::Int64, 1, find), at);
}

// Cells of a line, or halfway between two of them.
Dense quantiles_by(const WholeCall& call) {
  constexpr double kShares[] = {0.25, 0.5, 0.9};
  const Dense& x = call.x;
  const AxisOf at(x.shape, call.axis);
  if (is_complex(x.dtype) || x.dtype == DType::Bool || at.extent == 0 || has_nan(x))
    throw Invalid("quantiles of other cells");
  const bool is_middle = call.k % 4 == 3;
  const DType dtype = is_middle && !is_floating(x.dtype) ? DType::Float64 : x.dtype;
  const double place = static_cast<double>(at.extent - 1) * kShares[call.k / 4];
  const auto low = static_cast<std::size_t>(std::floor(place)), high = static_cast<std::size_t>(std::ceil(place));
  const auto pick = [&](const std::vector<Cell>& line) -> std::vector<Cell> {
    const std::vector<Cell> order = sorted(line, x.dtype);
    switch (call.k % 4) {
      case 0: return {order[low]};
      case 1: return {order[high]};
      case 2: return {order[static_cast<std::size_t>(std::nearbyint(place))]};
      default: break;
    }
    const double a = real_number(order[low], x.dtype), b = real_number(order[high], x.dtype);
    if (!(std::abs(a) < 0x1p50) || !(std::abs(b) < 0x1p50)) throw Invalid("numbers far out");
    // Half the way up from the lower one, or down from the higher one: half of a distance is exact, but for its own
    // rounding.
    const Dense way = compute({.op = Op::Subtract}, {number_like(b, dtype), number_like(a, dtype)});
    const double half = way.cells[0].floating / 2;
    return {compute({.op = Op::Subtract}, {number_like(b, dtype), number_like(half, dtype)}).cells[0]};
  };
  return without_axis(of_lines(x, at, dtype, 1, pick), at);
}

Dense nonzero_places(const Dense& x, bool coordinates) {
  if (x.shape.empty()) throw Invalid("no axes");
  std::vector<std::int64_t> places;
  for (std::size_t cell = 0; cell < x.cells.size(); ++cell) {
    if (!is_true(x.cells[cell], x.dtype)) continue;
    if (!coordinates) {
      places.push_back(static_cast<std::int64_t>(cell));
      continue;
    }
    std::vector<std::int64_t> at;
    auto rest = static_cast<std::int64_t>(cell);
    for (std::size_t axis = x.shape.size(); axis-- > 0; rest /= x.shape[axis]) at.push_back(rest % x.shape[axis]);
    places.insert(places.end(), at.rbegin(), at.rend());
  }
  Dense result = whole_numbers(places);
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  if (coordinates) result.shape = {static_cast<std::int64_t>(places.size()) / rank, rank};
  return result;
}

std::int64_t rest_of(Cell cell, std::int64_t divisor) {
  return (cell.integer % divisor + divisor) % divisor;
}

Dense indices_of(const WholeCall& call) {
  const Dense &x = call.x, &y = call.y;
  if (!is_integer(x.dtype) || !is_integer(y.dtype) || x.dtype == DType::UInt64 || y.dtype == DType::UInt64)
    throw Invalid("indices of other numbers");
  Dense result{DType::Int64, broadcast(x.shape, y.shape)};
  const std::vector<std::size_t> of_x = broadcast_places(x.shape, result.shape),
                                 of_y = broadcast_places(y.shape, result.shape);
  for (std::size_t cell = 0; cell < of_x.size(); ++cell) {
    const Cell a = x.cells[of_x[cell]], b = y.cells[of_y[cell]];
    const std::int64_t index = call.op == Op::RavelIndex ? rest_of(a, 3) * 4 + rest_of(b, 4)
                               : call.k % 2 == 0         ? rest_of(a, 12) / 4
                                                         : rest_of(a, 12) % 4;
    result.cells.push_back(Cell{.integer = index});
  }
  return result;
}

}  // namespace

Dense places_and_sets(const WholeCall& call) {
  switch (call.op) {
    case Op::Lexsort: return lexsorted(call.x, call.y, call.axis);
    case Op::Partition:
    case Op::Argpartition: return in_order(call);
    case Op::Searchsorted: return places_among(call.x, call.y, call.k % 2 != 0);
    case Op::IsIn: return is_in(call.x, call.y);
    case Op::Digitize: return digitized(call);
    case Op::Interp: return interpolated(call.x, call.y);
    case Op::Bincount:
    case Op::BincountWeights: return counted(call);
    case Op::Histogram: return histogram_of(call.x, call.k + 1);
    case Op::Unique:
    case Op::UniqueCounts:
    case Op::UniqueIndices:
    case Op::UniqueInverse: return facts_of_set(call);
    case Op::UniqueParts:
    case Op::UniquePartCounts: return different_parts(call);
    case Op::Nanargmin:
    case Op::Nanargmax: return place_of_number(call);
    case Op::ArgminAll:
    case Op::ArgmaxAll:
      return compute_along_axis({.op = call.op == Op::ArgminAll ? Op::Argmin : Op::Argmax, .axes = {0}},
                                {raveled(compute({.op = Op::Multiply}, {call.x, dense({Number::Kind::Integer, 2})}))});
    case Op::QuantileBy: return quantiles_by(call);
    case Op::Histogram2d: return grid_of(call.x, call.y, call.k + 1);
    case Op::HistogramWeights: return weighed_bins(call.x, call.y, call.k + 1);
    case Op::Flatnonzero: return nonzero_places(call.x, false);
    case Op::Argwhere: return nonzero_places(call.x, true);
    case Op::RavelIndex:
    case Op::UnravelIndex: return indices_of(call);
    default: return set_of(call);
  }
}

}  // namespace pilum::random_programs
