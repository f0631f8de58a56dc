#include "tests/random/dense_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/random/dense_axis.h"
#include "tests/random/dense_fold.h"
#include "tests/random/dense_functions.h"
#include "tests/random/naive_draws.h"

namespace pilum::random_programs {
namespace {

double rounded(double value, DType dtype) {
  return dtype == DType::Float32 ? static_cast<float>(value) : value;
}

// Where the middle, or a share of the way, lies between two cells of a line in order; `dtype` is the result's.
double between(double low, double high, double share, DType dtype) {
  if (!std::isfinite(low) || !std::isfinite(high)) throw Invalid("a quantile of what is infinite");
  const double distance = rounded(high - low, dtype);
  const double between = share >= 0.5 ? high - rounded(distance * rounded(1 - share, dtype), dtype)
                                      : low + rounded(distance * rounded(share, dtype), dtype);
  if (dtype == DType::Float16 && rounded_half(between) != between) throw Invalid("steps that are rounded");
  return rounded(between, dtype);
}

double quantile_of(const std::vector<Cell>& line, DType from, DType dtype, Op op, double q) {
  const bool skips = op == Op::NanMedian || op == Op::NanQuantile;
  std::vector<double> numbers;
  for (Cell cell : sorted(line, from)) {
    if (!is_nan(cell, from)) numbers.push_back(cast(cell, from, DType::Float64).floating);
  }
  if (numbers.empty() || (!skips && numbers.size() < line.size())) return std::numeric_limits<double>::quiet_NaN();
  for (const double number : numbers) {
    if (!is_floating(from) && std::fabs(number) > 0x1p50) throw Invalid("integers that double does not hold");
  }
  if (op == Op::Median || op == Op::NanMedian) {
    const double low = numbers[(numbers.size() - 1) / 2], high = numbers[numbers.size() / 2];
    if (numbers.size() % 2 == 0 && dtype == DType::Float16) return rounded_half((low + high) / 2);
    return numbers.size() % 2 ? low : rounded(rounded(low + high, dtype) / 2, dtype);
  }
  const double place = static_cast<double>(numbers.size() - 1) * q;
  const auto low = static_cast<std::size_t>(place);
  if (low + 1 >= numbers.size()) return numbers.back();
  return between(numbers[low], numbers[low + 1], place - static_cast<double>(low), dtype);
}

Dense quantiles(const Expression& expression, const Dense& a, const AxisOf& at) {
  const bool is_median = expression.op == Op::Median || expression.op == Op::NanMedian;
  if (is_complex(a.dtype)) throw Invalid("the middle of complex numbers");
  if (a.dtype == DType::Bool && !is_median) throw Invalid("quantiles of bools");
  if (at.extent == 0) throw Invalid("quantiles of nothing");
  const DType dtype = is_floating(a.dtype) ? a.dtype : DType::Float64;
  return without_axis(
      of_lines(a, at, dtype, 1,
               [&](const std::vector<Cell>& line) -> std::vector<Cell> {
                 return {Cell{.floating = quantile_of(line, a.dtype, dtype, expression.op, expression.number.value)}};
               }),
      at);
}

// One cell after the other. Longer lines go by blocks, whose sums have other last bits.
Dense cumulated(Op op, const Dense& a, const AxisOf& at) {
  constexpr std::int64_t kBlock = 1024;
  if (a.dtype == DType::Float16)  // each rounded once (docs/numpy.md)
    return cast(cumulated(op, cast(a, DType::Float32), at), DType::Float16);
  const bool whole = a.dtype == DType::Bool || is_integer(a.dtype);
  if (!whole && at.extent > kBlock) throw Invalid("a scan of blocks");
  const Dense cells = cast(a, !whole ? a.dtype : is_unsigned(a.dtype) ? DType::UInt64 : DType::Int64);
  std::vector<Dense> sums;
  for (std::int64_t k = 0; k < at.extent; ++k) {
    Dense next = taken(cells, at, {k});
    if (k > 0) next = compute({.op = op == Op::Cumsum ? Op::Add : Op::Multiply}, {sums.back(), next});
    sums.push_back(std::move(next));
  }
  return sums.empty() ? cells : joined(sums, at);
}

Dense difference(const Dense& a, const Dense& b) {
  return compute({.op = a.dtype == DType::Bool ? Op::NotEqual : Op::Subtract}, {a, b});
}

Dense slope(const Dense& a, const AxisOf& at) {
  if (a.dtype == DType::Bool) throw Invalid("slopes of bools");
  if (at.extent < 2) throw Invalid("slopes of one cell");
  const Dense cells = is_floating(a.dtype) || is_complex(a.dtype) ? a : cast(a, DType::Float64);
  const std::int64_t last = at.extent - 1;
  const auto rise = [&](std::int64_t from, std::int64_t to, std::int64_t count) {
    const Dense run = dense({Number::Kind::Floating, static_cast<double>(to - from)});
    const Dense high = taken(cells, at, places_from(to, count)), low = taken(cells, at, places_from(from, count));
    return compute({.op = Op::Divide}, {difference(high, low), run});
  };
  return joined({rise(0, 1, 1), rise(0, 2, at.extent - 2), rise(last - 1, last, 1)}, at);
}

Dense area(const Dense& a, const AxisOf& at) {
  const std::int64_t count = at.extent - 1;
  if (count < 1) throw Invalid("the area below one cell");
  Dense cells = compute({.op = Op::Add}, {taken(a, at, places_from(1, count)), taken(a, at, places_from(0, count))});
  cells = compute({.op = Op::Multiply}, {dense({Number::Kind::Floating, 1}), cells});
  cells = compute({.op = Op::Divide}, {cells, dense({Number::Kind::Floating, 2})});
  return reduce({.op = Op::Sum, .axes = {static_cast<int>(at.axis)}}, cells);
}

Dense rolled(const Dense& a, const AxisOf& at, std::int64_t shift) {
  Places places;
  for (std::int64_t k = 0; k < at.extent; ++k) places.push_back(((k - shift) % at.extent + at.extent) % at.extent);
  return taken(a, at, places);
}

// Where the first of the least cells stands, or of the largest, or the first NaN.
Dense place_of_extreme(Op op, const Dense& a, const AxisOf& at) {
  if (is_complex(a.dtype)) throw Invalid("the order of complex numbers");
  if (at.extent == 0) throw Invalid("the least of nothing");
  const auto find = [&](const std::vector<Cell>& line) -> std::vector<Cell> {
    std::size_t best = 0;
    for (std::size_t k = 0; k < line.size() && !is_nan(line[best], a.dtype); ++k) {
      const bool is_better =
          op == Op::Argmin ? is_before(line[k], line[best], a.dtype) : is_before(line[best], line[k], a.dtype);
      if (is_nan(line[k], a.dtype) || is_better) best = k;
    }
    return {Cell{.integer = static_cast<std::int64_t>(best)}};
  };
  return without_axis(of_lines(a, at, DType::Int64, 1, find), at);
}

// Of indices of any shape, which takes the axis's place.
Dense taken_wrapped(const Dense& a, const Dense& indices, const AxisOf& at) {
  if (!is_integer(indices.dtype)) throw Invalid("indices that are no integers");
  if (at.extent == 0) throw Invalid("indices into nothing");
  Places places;
  for (Cell cell : indices.cells) {
    const __int128 index =
        indices.dtype == DType::UInt64 ? static_cast<__int128>(static_cast<std::uint64_t>(cell.integer)) : cell.integer;
    if (index > INT64_MAX) throw Invalid("an index beyond all");
    places.push_back(static_cast<std::int64_t>((index % at.extent + at.extent) % at.extent));
  }
  Dense result = taken(a, at, places);
  result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(at.axis));
  result.shape.insert(result.shape.begin() + static_cast<std::ptrdiff_t>(at.axis), indices.shape.begin(),
                      indices.shape.end());
  if (result.shape.size() > 5 || count_of(result.shape) > 100'000) throw Invalid("more cells than a test needs");
  return result;
}

// In the order of a generator's first draw.
Dense permuted(const Dense& a, const AxisOf& at, std::int64_t seed) {
  const Create order{
      .kind = Create::Kind::Permutation, .shape = {at.extent}, .salt = seed, .first = static_cast<double>(at.extent)};
  Places places;
  for (Cell cell : drawn_cells(order, at.extent)) places.push_back(cell.integer);
  return taken(a, at, places);
}

// Five cells, with replacement.
Dense chosen(const Dense& a, const AxisOf& at, std::int64_t seed) {
  if (at.extent == 0) throw Invalid("a choice of nothing");
  const Create draw{
      .kind = Create::Kind::ChoiceAgain, .shape = {5}, .salt = seed, .first = static_cast<double>(at.extent)};
  Places places;
  for (Cell cell : drawn_cells(draw, 5)) places.push_back(cell.integer);
  return taken(a, at, places);
}

}  // namespace

Dense compute_along_axis(const Expression& expression, const std::vector<Dense>& arguments) {
  const Dense& a = arguments[0];
  for (const Dense& argument : arguments) {
    if (argument.weak) throw Invalid("an axis of a number");
    if (!argument.tolerance.empty()) throw Invalid("an inexact value as an input");
  }
  const AxisOf at(a.shape, expression.axes.at(0));
  switch (expression.op) {
    case Op::Sort:
      return of_lines(a, at, a.dtype, at.extent, [&](const std::vector<Cell>& line) { return sorted(line, a.dtype); });
    case Op::Argsort:
      return of_lines(a, at, DType::Int64, at.extent,
                      [&](const std::vector<Cell>& line) { return order_of(line, a.dtype); });
    case Op::Argmin:
    case Op::Argmax: return place_of_extreme(expression.op, a, at);
    case Op::Take: return taken_wrapped(a, arguments.at(1), at);
    case Op::Cumsum:
    case Op::Cumprod: return cumulated(expression.op, a, at);
    case Op::Diff:
      return difference(taken(a, at, places_from(1, at.extent - 1)), taken(a, at, places_from(0, at.extent - 1)));
    case Op::Gradient: return slope(a, at);
    case Op::Trapezoid: return area(a, at);
    case Op::Roll: return rolled(a, at, static_cast<std::int64_t>(expression.number.value));
    case Op::Permuted:
    case Op::Shuffled: return permuted(a, at, static_cast<std::int64_t>(expression.number.value));
    case Op::Chosen: return chosen(a, at, static_cast<std::int64_t>(expression.number.value));
    case Op::Concatenate: return concatenated(a, arguments.at(1), at);
    default: return quantiles(expression, a, at);
  }
}

}  // namespace pilum::random_programs
