// Windows that taper off, for spectra. Names and meaning are NumPy's.
#pragma once

#include <cstdint>
#include <source_location>

#include "pilum/array.h"
#include "pilum/export.h"

namespace pilum::numeric {

// Of m points, from end to end, largest in the middle (numpy.bartlett, blackman, hamming, hanning): float64, no cells
// for m below 1, one cell of 1 for m = 1.
PILUM_API Array bartlett(std::int64_t m, std::source_location where = std::source_location::current());
PILUM_API Array blackman(std::int64_t m, std::source_location where = std::source_location::current());
PILUM_API Array hamming(std::int64_t m, std::source_location where = std::source_location::current());
PILUM_API Array hanning(std::int64_t m, std::source_location where = std::source_location::current());
// Kaiser's, of shape `beta`: i0(beta sqrt(1 - t^2)) / i0(beta) for t from -1 to 1 (numpy.kaiser).
PILUM_API Array kaiser(std::int64_t m, double beta, std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
