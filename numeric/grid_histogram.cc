// Points counted in the cells of a grid: each axis finds its bins, and a cell's number is that of its bins row-major.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/record.h"
#include "numeric/reductions.h"
#include "numeric/search.h"
#include "numeric/shapes.h"
#include "pilum/bins.h"
#include "pilum/creation.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

using kernel::Fold;

// Before anything is recorded.
void check_bins(const Call& call, const std::vector<std::int64_t>& bins, const GridOptions& options) {
  for (std::size_t axis = 0; axis < bins.size(); ++axis) {
    if (bins[axis] < 1) fail<ValueError>(call, bins[axis], " bins along axis ", axis, ": give 1 or more");
  }
  if (!options.ranges.empty() && options.ranges.size() != bins.size())
    fail<ShapeError>(call, options.ranges.size(), " ranges for ", bins.size(), " axes: give one for each");
  for (const auto& [low, high] : options.ranges) {
    if (low > high) fail<ValueError>(call, "the range from ", low, " to ", high, " falls: give the lower end first");
    if (!std::isfinite(low) || !std::isfinite(high))
      fail<ValueError>(call, "the range from ", low, " to ", high, " is not finite: give other ends");
  }
}

void check_sample(const Call& call, const Array& sample, std::size_t axes, const GridOptions& options) {
  const Shape& shape = checked_state(call, sample).shape;
  refuse_complex(call, sample.dtype());
  if (shape.rank() != 2) fail<ShapeError>(call, "a sample of shape ", shape, ": give a row for each point");
  if (static_cast<std::size_t>(shape[1]) != axes)
    fail<ShapeError>(call, "bins for ", axes, " axes, and points of ", shape[1], " coordinates: give one for each");
  if (axes == 0 || axes > kMaxAxes) fail<ShapeError>(call, axes, " axes: give 1 to ", kMaxAxes);
  if (options.weights && checked_state(call, *options.weights).shape != Shape{shape[0]}) {
    fail<ShapeError>(call, "weights of shape ", options.weights->shape(), " for ", shape[0],
                     " points: give one for each");
  }
}

Array column_of(const Array& sample, std::int64_t axis, std::source_location where) {
  return part_of_axis(sample, 1, axis, 1).reshape(Shape{sample.shape()[0]}, where);
}

Array even_edges(const Call& call, const Array& sample, std::size_t axis, std::int64_t bins,
                 const GridOptions& options) {
  std::pair<double, double> ends(0, 1);
  if (!options.ranges.empty()) {
    ends = options.ranges[axis];
  } else if (sample.shape()[0] != 0) {
    const Array wide =
        column_of(sample, static_cast<std::int64_t>(axis), call.where).astype(DType::Float64, call.where);
    ends = {extremum(call, Fold::Minimum, wide, {}, false).item<double>(call.where),
            extremum(call, Fold::Maximum, wide, {}, false).item<double>(call.where)};
  }
  if (!std::isfinite(ends.first) || !std::isfinite(ends.second)) {
    fail<ValueError>(call, "the range from ", ends.first, " to ", ends.second, " of axis ", axis,
                     " is not finite: give ranges in the options");
  }
  if (ends.first == ends.second) ends.first -= 0.5, ends.second += 0.5;
  const bool own_ends = options.ranges.empty() && sample.shape()[0] != 0 && is_inexact(sample.dtype());
  const DType dtype = own_ends ? sample.dtype() : DType::Float64;
  if (dtype == DType::Float64) return linspace(ends.first, ends.second, bins + 1, true, dtype, call.where);
  const Array first = full({}, Operand(ends.first, call.where), dtype),
              last = full({}, Operand(ends.second, call.where), dtype);
  return linspace(Operand(first, call.where), Operand(last, call.where), bins + 1, true, dtype);
}

// Which bin of an axis each number is in, from 1 on: 0 and bins + 1 are beyond the ends. The last bin has its end.
Array bins_of(const Call& call, const Array& edges, bool are_even, const Array& numbers) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const std::int64_t bins = edges.size() - 1;
  const Array last = part_of_axis(edges, 0, bins, 1), below = edges_below(call, edges, numbers, are_even);
  const Array is_last = here(numbers) == here(last);
  return where(here(is_last), here(bins), here(below));
}

Array density_of(const Call& call, Array counts, const std::vector<Array>& edges) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Array all = sum(counts, {}, false, call.where);
  for (std::size_t axis = 0; axis < edges.size(); ++axis) {
    Shape flat;
    for (std::size_t k = 0; k < edges.size(); ++k) flat.push_back(k == axis ? edges[axis].size() - 1 : 1);
    const Array widths = diff(edges[axis], 1, 0, call.where).reshape(flat, call.where);
    counts = here(counts) / here(widths);
  }
  return here(counts) / here(all);
}

// `are_even`: the edges are known to rise, evenly apart.
GridHistogram counted(const Call& call, const Array& sample, std::vector<Array> edges, bool are_even,
                      const GridOptions& options) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  Shape whole, inside;
  for (const Array& line : edges) {
    inside.push_back(line.size() - 1);
    whole.push_back(line.size() + 1);
  }
  check_shape(call, whole, DType::Float64);
  const DType dtype = options.weights ? DType::Float64 : DType::Int64;  // numbers are added in any order
  const Array counts = zeros({whole.elements()}, dtype, call.where);
  if (sample.shape()[0] != 0) {
    Array place = zeros({sample.shape()[0]}, DType::Int64, call.where);
    for (std::size_t axis = 0; axis < edges.size(); ++axis) {
      const Array bin =
          bins_of(call, edges[axis], are_even, column_of(sample, static_cast<std::int64_t>(axis), call.where));
      const Array before = here(place) * here(whole[static_cast<int>(axis)]);
      place = here(before) + here(bin);
    }
    if (options.weights) {
      const Array weights = options.weights->astype(DType::Float64, call.where);
      add_at(counts, place, here(weights));
    } else {
      add_at(counts, place, here(1));
    }
  }
  Array grid = counts.astype(DType::Float64, call.where).reshape(whole, call.where);
  for (int axis = 0; axis < whole.rank(); ++axis) grid = part_of_axis(grid, axis, 1, inside[axis]);
  if (options.density) grid = density_of(call, grid, edges);
  return {grid.copy(call.where), std::move(edges)};
}

GridHistogram evenly(const Call& call, const Array& sample, const std::vector<std::int64_t>& bins,
                     const GridOptions& options) {
  check_bins(call, bins, options);
  check_sample(call, sample, bins.size(), options);
  std::vector<Array> edges;
  for (std::size_t axis = 0; axis < bins.size(); ++axis)
    edges.push_back(even_edges(call, sample, axis, bins[axis], options));
  return counted(call, sample, std::move(edges), /*are_even=*/true, options);
}

GridHistogram between(const Call& call, const Array& sample, const std::vector<Array>& edges,
                      const GridOptions& options) {
  check_sample(call, sample, edges.size(), options);
  for (const Array& line : edges) {
    const Shape& shape = checked_state(call, line).shape;
    refuse_complex(call, line.dtype());
    if (shape.rank() != 1 || shape[0] < 2)
      fail<ShapeError>(call, "edges of shape ", shape, ": give two or more along one axis");
  }
  return counted(call, sample, edges, /*are_even=*/false, options);
}

Array points_of(const Call& call, const Array& x, const Array& y) {
  const Shape &of_x = checked_state(call, x).shape, &of_y = checked_state(call, y).shape;
  if (of_x.rank() != 1 || of_x != of_y)
    fail<ShapeError>(call, "x of shape ", of_x, " and y of shape ", of_y, ": give two lines as long as each other");
  return stack({x, y}, 1, call.where);
}

}  // namespace

GridHistogram histogramdd(const Array& sample, const std::vector<std::int64_t>& bins, const GridOptions& options,
                          std::source_location where) {
  return evenly(Call{"histogramdd", where}, sample, bins, options);
}

namespace detail {

GridHistogram histogram_between(const Array& sample, const std::vector<Array>& edges, const GridOptions& options,
                                std::source_location where) {
  return between(Call{"histogramdd", where}, sample, edges, options);
}

GridHistogram histogram_of_two(const Array& x, const Array& y, std::int64_t x_bins, std::int64_t y_bins,
                               const GridOptions& options, std::source_location where) {
  const Call call{"histogram2d", where};
  check_bins(call, {x_bins, y_bins}, options);
  return evenly(call, points_of(call, x, y), {x_bins, y_bins}, options);
}

GridHistogram histogram_of_two(const Array& x, const Array& y, const Array& x_edges, const Array& y_edges,
                               const GridOptions& options, std::source_location where) {
  const Call call{"histogram2d", where};
  return between(call, points_of(call, x, y), {x_edges, y_edges}, options);
}

}  // namespace detail
}  // namespace pilum::numeric
