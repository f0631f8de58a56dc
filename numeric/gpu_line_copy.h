// Lines of cells copied on a GPU: from where an array has them to where they lie as is wanted, or back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "scheduler/record/device_call.h"

namespace pilum::numeric {

// Lines of an array are numbered by axes, the last one fastest.
struct LineAxis {
  std::int64_t extent = 1, step = 0;  // in cells
};

struct LineCopy {
  std::size_t cell_bytes = 0;  // 4, 8 or 16, or of a complex number
  std::byte* array = nullptr;  // line 0
  std::int64_t cells = 0, cell_step = 0;
  std::span<const LineAxis> axes;  // one or more, but no more than kMaxAxes
  std::byte* lines = nullptr;      // line `first`: cells so many apart, and lines
  std::int64_t step = 1, distance = 1;
  std::int64_t first = 0, count = 0;
  bool to_array = false;  // the other way round
};

void copy_lines(const LineCopy& copy, const scheduler::DeviceIssue& where);

// To `lines`, of complex numbers, which are multiplied by `scale`; the imaginary part of a line's first one, and of the
// last one of an even number of real ones, is 0.
void copy_half_lines(const LineCopy& copy, bool is_even, double scale, const scheduler::DeviceIssue& where);

// The kernels: of cells that are moved, and of complex numbers as copy_half_lines() has them.
[[nodiscard]] const std::string& line_copy_text(std::size_t cell_bytes);
[[nodiscard]] const std::string& half_line_copy_text(std::size_t cell_bytes);

}  // namespace pilum::numeric
