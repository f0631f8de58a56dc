// NumPy itself, as the judge: runs a Python script and gives its lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pilum/dtype.h"
#include "pilum/shape.h"

namespace pilum::numeric {

// Whether there is a Python with NumPy here.
bool numpy_available();
bool numpy_is_older_than(int major, int minor);

// What the script prints, line by line. It finds numpy as np, with NumPy 2's promotion, and these functions:
//   cells(hex, dtype, *shape)   an array of these bytes
//   show(f)                     prints "dtype shape hex" of the array f(), or "error" where it throws
//   text(x)                     prints str(x) on one line, line breaks as |
std::vector<std::string> run_numpy(const std::string& script);

// A line of show() with each NaN as a word: which bits a NaN has that arithmetic makes is the processor's affair.
std::string with_one_nan(const std::string& line);

// "cells('0102', 'int32', 2, 3)"
std::string python_array(const std::vector<std::byte>& bytes, DType dtype, const Shape& shape);
std::string to_hex(const std::vector<std::byte>& bytes);

}  // namespace pilum::numeric
