// Polynomials, as numpy.polyval has them: the coefficient of the highest power first.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <vector>

#include "pilum/array.h"
#include "pilum/export.h"

namespace pilum::numeric {

// p[0] x^(n-1) + … + p[n-1] by Horner's rule, cell by cell, one fused kernel (numpy.polyval): of x's shape, the
// promoted dtype. Coefficients lie along the first axis of an array, whose others broadcast with x, or are numbers,
// which are weak. ShapeError for an array without axes.
PILUM_API Array polyval(const Array& p, const Operand& x);
PILUM_API Array polyval(const std::vector<double>& p, const Operand& x);
inline Array polyval(std::initializer_list<double> p, const Operand& x) {
  return polyval(std::vector<double>(p), x);
}
// The powers of the cells of `x`, one axis, side by side: x^(columns-1), …, x, 1, or with `increasing` 1, x, …; as many
// as cells unless said (numpy.vander). ShapeError for other axes, ValueError for a negative number of columns.
PILUM_API Array vander(const Array& x, std::optional<std::int64_t> columns = {}, bool increasing = false,
                       std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
