// Convolutions and correlations by short weights, computed directly; and operations of all pairs of cells.
#pragma once

#include <initializer_list>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/export.h"
#include "pilum/math.h"

namespace pilum::numeric {

// What cells are weighted by: an array, or numbers, which are weak (see Operand): {1, -2, 1}, {{0, 1}, {1, 0}}.
class Weights {
 public:
  Weights(Array array) : array_(std::move(array)) {}
  Weights(std::initializer_list<double> numbers) : numbers_(numbers), shape_{numbers.size()} {}
  Weights(const std::vector<double>& numbers) : numbers_(numbers), shape_{numbers.size()} {}
  Weights(std::initializer_list<std::initializer_list<double>> rows)
      : shape_{rows.size(), rows.size() == 0 ? 0 : rows.begin()->size()} {
    for (const auto& row : rows) {
      is_ragged_ |= row.size() != rows.begin()->size();
      numbers_.insert(numbers_.end(), row);
    }
  }

 private:
  friend struct WeightsAccess;
  Array array_;  // empty: the numbers count
  std::vector<double> numbers_;
  Shape shape_;
  bool is_ragged_ = false;
};

// The sum of each cell and its neighbours, weighted: out[x] = sum over k of a[x + k] weights[k], where all of them are
// cells of `a`. Of any number of axes; out has weights' extents less 1 fewer cells an axis. The promoted dtype, in
// which sums go through the weights row-major, the same bits on any machine. One kernel of views of `a`, so that
// nothing but out is written; two operations a weight, hence for few weights. ShapeError where `weights` has no cells,
// other axes, or more cells along one than `a`.
PILUM_API Array stencil(const Array& a, const Weights& weights,
                        std::source_location where = std::source_location::current());

// Of two arrays of one axis (numpy.convolve, numpy.correlate); the shorter one is what cells are weighted by. `mode` is
// "full", "same" (the longer one's extent) or "valid" (no cells beyond the ends). Cells near the ends are computed
// apart, from copies of as many cells. Correlations take the conjugate of a complex second array. ShapeError for other
// axes or no cells, ValueError for another mode.
PILUM_API Array convolve(const Array& a, const Weights& v, std::string_view mode = "full",
                         std::source_location where = std::source_location::current());
PILUM_API Array correlate(const Array& a, const Weights& v, std::string_view mode = "valid",
                          std::source_location where = std::source_location::current());

// Of two axes, weighted by the second array (scipy.signal.convolve2d, correlate2d). `boundary` says what is beyond the
// ends: "fill" (`fillvalue`), "wrap" (the other end) or "symm" (cells mirrored at the ends). "same" has a's shape;
// "valid" takes weights that are larger along no axis, or ShapeError.
PILUM_API Array convolve2d(const Array& a, const Weights& weights, std::string_view mode = "full",
                           std::string_view boundary = "fill", double fillvalue = 0,
                           std::source_location where = std::source_location::current());
PILUM_API Array correlate2d(const Array& a, const Weights& weights, std::string_view mode = "full",
                            std::string_view boundary = "fill", double fillvalue = 0,
                            std::source_location where = std::source_location::current());

// function(a[i…], b[j…]) of all pairs of cells, of shape a.shape + b.shape: outer(np::add, a, b) is numpy.add.outer(a,
// b). ShapeError for more than 8 axes.
PILUM_API Array outer(Array (*function)(const Operand&, const Operand&), const Array& a, const Array& b,
                      std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
