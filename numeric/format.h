// Numbers as NumPy 1.24 to 2 print them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pilum/dtype.h"

namespace pilum::numeric {

// The texts of an array's cells, of equal width, as numpy.array2string makes them: floats have the fewest digits that
// tell them apart, at most 8 after the point, points aligned; all are scientific where one is 1e8 or more, below 1e-4,
// or 1,000 times another.
std::vector<std::string> format_cells(DType dtype, std::span<const std::byte> cells);

// The text of an array without axes, as str(numpy.float64(x)): all digits that tell it apart.
std::string format_scalar(DType dtype, std::span<const std::byte> cell);

}  // namespace pilum::numeric
