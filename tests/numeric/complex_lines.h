// Lines of an array, as Fourier transforms are compared by.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "pilum/pilum.h"

namespace pilum {

using Complexes = std::vector<std::complex<double>>;

// Along this axis, one after the other.
inline std::vector<Complexes> lines_of(const numeric::Array& a, int axis) {
  const numeric::Array last = numeric::moveaxis(a, axis, -1);
  const auto n = static_cast<std::ptrdiff_t>(last.shape()[last.ndim() - 1]);
  const Complexes cells = last.astype(DType::Complex128).to_vector<std::complex<double>>();
  std::vector<Complexes> lines;
  for (auto first = cells.begin(); first != cells.end(); first += n) lines.emplace_back(first, first + n);
  return lines;
}

}  // namespace pilum
