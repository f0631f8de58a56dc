// The main job, as programs that measure it write it.
#pragma once

#include <cstdint>

#include "pilum/pilum.h"

namespace pilum::perf {

// rows x columns points inside a grid of (rows + 2) x (columns + 2), hot above, cold at the other sides.
struct Jacobi {
  using slice = numeric::slice;

  Jacobi(std::int64_t rows, std::int64_t columns, DType dtype = float64)
      : grid(numeric::zeros({rows + 2, columns + 2}, dtype)),
        center(grid(slice(1, -1), slice(1, -1))),
        north(grid(slice(0, -2), slice(1, -1))),
        east(grid(slice(1, -1), slice(2, {}))),
        west(grid(slice(1, -1), slice(0, -2))),
        south(grid(slice(2, {}), slice(1, -1))) {
    grid(numeric::all, 0) = -273.15;
    grid(numeric::all, -1) = -273.15;
    grid(-1, numeric::all) = -273.15;
    grid(0, numeric::all) = 40.0;
  }
  void sweep() {
    auto average = center + north + east + west + south;
    auto work = 0.2 * average;
    center[numeric::all] = work;
  }

  numeric::Array grid, center, north, east, west, south;
};

}  // namespace pilum::perf
