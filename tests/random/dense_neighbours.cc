// Products of vectors, places in orders, and images whose cells are weighted with their neighbours.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <optional>

#include "tests/random/dense_axis.h"
#include "tests/random/dense_complex.h"
#include "tests/random/dense_fold.h"
#include "tests/random/dense_lines.h"
#include "tests/random/dense_whole.h"

namespace pilum::random_programs {
namespace {

using Line = std::vector<Cell>;

// The sum of products of as many cells, of arrays of `dtype`: how far it may be off as products of matrices say.
struct Summed {
  Cell value;
  double tolerance;
};

Summed summed(const Line& a, const Line& b, DType dtype) {
  if (!is_complex(dtype)) {
    const auto count = static_cast<std::int64_t>(a.size());
    const Dense number = multiplied(Dense{dtype, {count}, a}, Dense{dtype, {count}, b});
    return {number.cells[0], number.tolerance.empty() ? 0 : number.tolerance[0]};
  }
  std::complex<long double> sum = 0;
  long double size = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const std::complex<long double> p(a[k].floating, a[k].imaginary), q(b[k].floating, b[k].imaginary);
    sum += p * q, size += std::abs(p) * std::abs(q);
  }
  return {Cell{.floating = static_cast<double>(sum.real()), .imaginary = static_cast<double>(sum.imag())},
          static_cast<double>(a.size() + 4) * epsilon_of(part_of(dtype)) * static_cast<double>(size) + 1e-300};
}

void add(Dense& result, const Summed& summed) {
  result.cells.push_back(summed.value);
  result.tolerance.push_back(summed.tolerance);
}

Dense without_idle_tolerance(Dense value) {
  const bool exact = std::all_of(value.tolerance.begin(), value.tolerance.end(), [](double off) { return off == 0; });
  if (exact && !is_complex(value.dtype)) value.tolerance.clear();
  return value;
}

Line conjugated(Line line) {
  for (Cell& cell : line) cell.imaginary = -cell.imaginary;
  return line;
}

Dense product_of_all(const Dense& x, const Dense& y) {
  if (x.cells.size() != y.cells.size()) throw Invalid("lines of other lengths");
  check_finite(x), check_finite(y);
  const DType dtype = promoted(x, y);
  const Line a = cast(x, dtype).cells;
  Dense result{dtype};
  add(result, summed(is_complex(dtype) ? conjugated(a) : a, cast(y, dtype).cells, dtype));
  return without_idle_tolerance(std::move(result));
}

// Each row of each matrix by the vector that goes with it.
Dense rows_by_vectors(const Dense& x, const Dense& y) {
  if (x.shape.size() < 2 || y.shape.empty() || x.shape.back() != y.shape.back())
    throw Invalid("matrices and vectors that do not fit");
  check_finite(x), check_finite(y);
  const DType dtype = promoted(x, y);
  const Dense a = cast(x, dtype), b = cast(y, dtype);
  const std::int64_t length = x.shape.back(), rows = x.shape[x.shape.size() - 2];
  const Extents of_matrices(x.shape.begin(), x.shape.end() - 2), of_vectors(y.shape.begin(), y.shape.end() - 1);
  Dense result{dtype, broadcast(of_matrices, of_vectors)};
  const std::vector<std::size_t> matrices = broadcast_places(of_matrices, result.shape),
                                 vectors = broadcast_places(of_vectors, result.shape);
  result.shape.push_back(rows);
  if (count_of(result.shape) * std::max<std::int64_t>(length, 1) > 200'000)
    throw Invalid("more products than a test needs");
  const auto line = [=](const Dense& from, std::int64_t place) {
    const auto first = from.cells.begin() + place * length;
    return Line(first, first + length);
  };
  for (std::size_t batch = 0; batch < matrices.size(); ++batch) {
    const Line vector = line(b, static_cast<std::int64_t>(vectors[batch]));
    for (std::int64_t row = 0; row < rows; ++row)
      add(result, summed(line(a, static_cast<std::int64_t>(matrices[batch]) * rows + row), vector, dtype));
  }
  return without_idle_tolerance(std::move(result));
}

Dense percentile(Op op, const Dense& x, int axis, double share) {
  const Op quantile = op == Op::NanPercentile ? Op::NanQuantile : Op::Quantile;
  return compute_along_axis({.op = quantile, .number = {Number::Kind::Floating, share / 100}, .axes = {axis}}, {x});
}

// Both along a new axis in front, in float64.
Dense percentiles(const Dense& x, int axis) {
  if (is_floating(x.dtype) && x.dtype != DType::Float64) throw Invalid("places that are wider than cells");
  std::vector<Dense> parts;
  for (const double share : {25.0, 90.0}) {
    parts.push_back(percentile(Op::Percentile, x, axis, share));
    parts.back().shape.insert(parts.back().shape.begin(), 1);
  }
  return joined(parts, AxisOf(parts[0].shape, 0));
}

// Where a cell beyond the ends is taken from; nothing: it is `fill`.
std::optional<std::int64_t> place_beyond(std::int64_t at, std::int64_t extent, std::int64_t boundary) {
  if (at >= 0 && at < extent) return at;
  if (boundary == 0) return {};
  if (boundary == 1) return at < 0 ? at + extent : at - extent;
  return at < 0 ? -1 - at : 2 * extent - 1 - at;
}

// Cells of more axes as rows of the first one.
Dense as_image(const Dense& x) {
  if (x.shape.empty() || x.cells.empty()) throw Invalid("an image of nothing");
  Dense image = x;
  image.shape = {x.shape[0], count_of(x.shape) / x.shape[0]};
  return image;
}

// Each cell of the image and those around it by the weights, which a convolution turns around.
Dense weighted_image(const WholeCall& call) {
  const bool correlates = call.op == Op::Correlate2d;
  const std::int64_t k = call.k;
  const Dense x = as_image(call.x);
  const Dense& y = call.y;
  const DType dtype = promoted(x, y);
  if (dtype == DType::Bool || dtype == DType::Float16) throw Invalid("steps that are rounded");
  const std::array window{2 + k % 2, 3 - k % 2};
  if (y.cells.empty()) throw Invalid("weights of nothing");
  std::array<std::int64_t, 2> first{};  // the place of the first cell in the full result
  Dense result{dtype, {0, 0}};
  for (const std::size_t side : {0, 1}) {
    const std::int64_t extent = x.shape[side], width = window.at(side);
    const std::int64_t same = correlates ? width / 2 : (width - 1) / 2, way = k % 3;
    const bool has_value_beyond = k / 3 % 3 == 0 && way < 2;  // else cells are looked up once around at most
    if (!has_value_beyond && (extent < 2 || extent < width)) throw Invalid("an image without insides");
    first.at(side) = way == 0 ? 0 : way == 1 ? same : width - 1;
    result.shape[side] = way == 0 ? extent + width - 1 : way == 1 ? extent : extent - width + 1;
  }
  check_finite(x), check_finite(y);
  const Dense image = cast(x, dtype), weights = cast(y, dtype);
  const Cell fill = cast(Cell{.integer = k % 2}, DType::Int64, dtype);
  const auto from = [&](std::size_t side, std::int64_t at, std::int64_t weight) {
    const std::int64_t place = at + first.at(side);
    return place_beyond(correlates ? place - window.at(side) + 1 + weight : place - weight, x.shape[side], k / 3 % 3);
  };
  for (std::int64_t i = 0; i < result.shape[0]; ++i) {
    for (std::int64_t j = 0; j < result.shape[1]; ++j) {
      Line cells, by;
      for (std::int64_t p = 0; p < window[0]; ++p) {
        for (std::int64_t q = 0; q < window[1]; ++q) {
          const auto row = from(0, i, p), column = from(1, j, q);
          const bool is_inside = row && column;
          cells.push_back(is_inside ? image.cells.at(static_cast<std::size_t>(*row * x.shape[1] + *column)) : fill);
          by.push_back(weights.cells.at(static_cast<std::size_t>(p * window[1] + q) % weights.cells.size()));
        }
      }
      if (correlates && is_complex(dtype)) by = conjugated(by);
      add(result, summed(cells, by, dtype));
    }
  }
  return without_idle_tolerance(std::move(result));
}

}  // namespace

Dense products_and_neighbours(const WholeCall& call) {
  static constexpr std::array<double, 5> kShares = {0, 12.5, 50, 90, 100};
  const auto& [op, x, y, axis, k] = call;
  switch (op) {
    case Op::Vdot: return product_of_all(x, y);
    case Op::Matvec: return rows_by_vectors(x, y);
    case Op::Vecmat: {  // of which the matrices' axes are exchanged
      Dense vectors = x;
      if (is_complex(x.dtype)) vectors.cells = conjugated(x.cells);
      return rows_by_vectors(y, vectors);
    }
    case Op::Percentile:
    case Op::NanPercentile: return percentile(op, x, axis, kShares.at(static_cast<std::size_t>(k % 5)));
    case Op::Percentiles: return percentiles(x, axis);
    default: return weighted_image(call);
  }
}

}  // namespace pilum::random_programs
