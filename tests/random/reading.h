// What a program reads: the cells of one view at one moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/random/program.h"

namespace pilum::random_programs {

// An element: integers and bools in `integer`, floats in `floating` (a float32 as the double of its value), the parts
// of complex numbers in `floating` and `imaginary`.
struct Cell {
  union {
    std::int64_t integer;
    double floating;
  };
  double imaginary = 0;
};

struct Reading {
  std::string of;  // the statement's text
  DType dtype = DType::Float64;
  Extents shape;
  std::vector<Cell> cells;
  std::vector<double> tolerance;  // a cell's largest error, of each part; empty: the cells are exact
};

// What is different: nothing, or the first cell of which that holds. Floats are the same when their bits are, or when
// both are NaN, or when they differ by the expected one's tolerance at most.
std::optional<std::string> difference(const Reading& expected, const Reading& observed);
std::optional<std::string> difference(const std::vector<Reading>& expected, const std::vector<Reading>& observed);

}  // namespace pilum::random_programs
