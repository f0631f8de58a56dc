// Fourier transforms of lines, and of planes, in a GPU's memory.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace pilum::device {

// Sums without a factor: of complex numbers with exponents of the sign - or +, of real ones the first half of the
// former, and back from there.
enum class TransformKind : std::uint8_t { Forward, Backward, ToComplex, ToReal };

// Cells from one of a line to the next, and from line to line: above 0. Of planes, whose rows are lines, `distance` is
// from plane to plane, and `row`, a multiple of `step`, from row to row.
struct GpuLines {
  std::int64_t step = 1, distance = 1, row = 0;
  auto operator<=>(const GpuLines&) const = default;
};

struct GpuTransform {
  TransformKind kind = TransformKind::Forward;
  bool is_double = true;
  std::int64_t count = 0;  // of a line, its real numbers or all of its complex ones: 2 or more
  std::int64_t lines = 1;  // or planes
  GpuLines from, to;
  std::int64_t rows = 1;  // of each plane, 2 or more: along the rows, then across them; not of ToReal. 1: of lines
  auto operator<=>(const GpuTransform&) const = default;

  bool reads_real() const { return kind == TransformKind::ToComplex; }
  bool writes_real() const { return kind == TransformKind::ToReal; }
  std::int64_t cells_read() const { return writes_real() ? count / 2 + 1 : count; }  // of a line
  std::int64_t cells_written() const { return reads_real() ? count / 2 + 1 : count; }
  std::size_t complex_bytes() const { return is_double ? 16 : 8; }
  std::size_t bytes_read() const { return reads_real() ? complex_bytes() / 2 : complex_bytes(); }  // of a cell
  std::size_t bytes_written() const { return writes_real() ? complex_bytes() / 2 : complex_bytes(); }
};

}  // namespace pilum::device
