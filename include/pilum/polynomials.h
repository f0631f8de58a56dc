// Polynomials, as numpy.polyval has them: the coefficient of the highest power first.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <utility>
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

// The coefficients of the polynomial of degree `deg` with the least sum of squares of y - p(x), by lstsq
// (numpy.polyfit): x of one axis, y of one or two, whose columns have a polynomial each. ShapeError where they do not
// fit, ValueError for a negative degree.
PILUM_API Array polyfit(const Array& x, const Array& y, int deg,
                        std::source_location where = std::source_location::current());
// The derivative, `m` times, and the integral with 0 at 0 (numpy.polyder, polyint). The sum and the difference of two
// (numpy.polyadd, polysub). Coefficients are of one axis, ShapeError for others; ValueError for a negative m.
PILUM_API Array polyder(const Array& p, int m = 1, std::source_location where = std::source_location::current());
PILUM_API Array polyint(const Array& p, int m = 1, std::source_location where = std::source_location::current());
PILUM_API Array polyadd(const Array& a, const Array& b, std::source_location where = std::source_location::current());
PILUM_API Array polysub(const Array& a, const Array& b, std::source_location where = std::source_location::current());
// The integral with k[0], k[1], … at 0: of each time one, or one for all. ValueError for fewer than times.
PILUM_API Array polyint(const Array& p, int m, const std::vector<double>& k,
                        std::source_location where = std::source_location::current());
// The product, without zeros in front (numpy.polymul; convolve(a, b) waits for nothing), and the quotient and what is
// left, without what is nearly 0 in front (polydiv; floating): the coefficients are waited for, on every rank.
// ShapeError for other axes, ValueError of a division of or by no coefficients.
PILUM_API Array polymul(const Array& a, const Array& b, std::source_location where = std::source_location::current());
PILUM_API std::pair<Array, Array> polydiv(const Array& u, const Array& v,
                                          std::source_location where = std::source_location::current());
// The polynomial that is 0 at these places, one axis, the coefficient of the highest power 1; or a square matrix's
// characteristic polynomial (numpy.poly): floating, of complex places always complex. ShapeError for others.
PILUM_API Array poly(const Array& zeros, std::source_location where = std::source_location::current());
// Where a polynomial is 0, always complex: the eigenvalues of its companion matrix (numpy.roots). The coefficients are
// waited for, on every rank. ShapeError for other axes.
PILUM_API Array roots(const Array& p, std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
