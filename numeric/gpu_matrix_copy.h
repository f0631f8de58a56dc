// A matrix copied on a GPU, between where an array has it and where LAPACK wants it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "scheduler/record/device_call.h"

namespace pilum::numeric {

enum class MatrixPart : std::uint8_t {
  Whole,
  Lower,
  Upper,
  Identity
};  // zeros elsewhere; no cell is read for the last

// Its first cell, and the steps, in cells, from row to row and from column to column.
struct MatrixPlace {
  std::byte* first = nullptr;
  std::int64_t row = 0, column = 0;
  MatrixPlace transposed() const { return {first, column, row}; }
};

struct MatrixCopy {
  std::size_t cell_bytes = 0;  // 4, 8 or 16
  MatrixPlace from, to;
  std::int64_t rows = 0, columns = 0;
  MatrixPart part = MatrixPart::Whole;
  // The identity's 1; or what all cells are where `info`, an int, is not 0.
  std::array<std::uint64_t, 2> filling{};
  const std::byte* info = nullptr;
};

void copy_matrix(const MatrixCopy& copy, const scheduler::DeviceIssue& where);
// The kernel.
[[nodiscard]] const std::string& matrix_copy_text(std::size_t cell_bytes);

}  // namespace pilum::numeric
