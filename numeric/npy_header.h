// The header of NumPy's file format (numpy.lib.format):
//
//   0   6         7         8              8 or 10 … or 12     8 + …
//   +---+---------+---------+-------------+---------------------------------------------------------+-------
//   |\x93NUMPY | major,minor | length, 2 (1.0) or 4 bytes (2.0, 3.0), little-endian | a Python dict, … \n | cells
//   +---+---------+---------+-------------+---------------------------------------------------------+-------
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "numeric/errors.h"

namespace pilum::numeric {

struct NpyHeader {
  DType dtype = DType::Float64;
  Shape shape;
  bool is_fortran = false;  // column-major
  bool is_big_endian = false;
  std::int64_t size = 0;  // bytes before the first cell
};

// NumPy's own limit is 10,000 characters.
constexpr std::int64_t kLongestNpyHeader = 10'240;

// The bytes that numpy.save writes.
[[nodiscard]] std::string make_npy_header(DType dtype, const Shape& shape, bool is_fortran);

// `bytes`: the file's first ones; `file_size` how many there are in all. Throws what is wrong with it.
[[nodiscard]] NpyHeader parse_npy_header(const Call& call, const std::string& path, std::span<const std::byte> bytes,
                                         std::int64_t file_size);

}  // namespace pilum::numeric
