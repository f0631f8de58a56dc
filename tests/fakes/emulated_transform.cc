#include "tests/fakes/emulated_transform.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <utility>
#include <vector>

namespace pilum::fakes {
namespace {

using device::GpuLines;
using device::GpuTransform;
using device::TransformKind;
using Complex = std::complex<double>;

std::size_t span_of(const GpuTransform& transform, const GpuLines& lines, std::int64_t cells, std::size_t bytes) {
  return static_cast<std::size_t>((transform.lines - 1) * lines.distance + (transform.rows - 1) * lines.row +
                                  (cells - 1) * lines.step + 1) *
         bytes;
}

template <class T>
T& cell_at(std::byte* first, const GpuLines& lines, std::int64_t line, std::int64_t cell) {
  return reinterpret_cast<T*>(first)[line * lines.distance + cell * lines.step];
}

// All `count` numbers that a line stands for.
template <class From>
std::vector<Complex> read_line(const GpuTransform& transform, std::byte* from, std::int64_t line) {
  std::vector<Complex> numbers(static_cast<std::size_t>(transform.count));
  for (std::int64_t i = 0; i < transform.cells_read(); ++i)
    numbers[static_cast<std::size_t>(i)] = Complex(cell_at<From>(from, transform.from, line, i));
  for (std::int64_t i = transform.cells_read(); i < transform.count; ++i)
    numbers[static_cast<std::size_t>(i)] = std::conj(numbers[static_cast<std::size_t>(transform.count - i)]);
  return numbers;
}

template <class To>
void write_sum(const Complex& sum, To& cell) {
  if constexpr (requires { cell.imag(); }) {
    cell = To(sum);
  } else {
    cell = static_cast<To>(sum.real());
  }
}

template <class From, class To>
void run_lines(const GpuTransform& transform, std::byte* from, std::byte* to) {
  const bool is_back = transform.kind == TransformKind::Backward || transform.kind == TransformKind::ToReal;
  const auto count = static_cast<std::size_t>(transform.count);
  std::vector<Complex> roots(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double turn = static_cast<double>(i) / static_cast<double>(count);
    roots[i] = std::polar(1.0, (is_back ? 2 : -2) * std::numbers::pi * turn);
  }
  for (std::int64_t line = 0; line < transform.lines; ++line) {
    const std::vector<Complex> numbers = read_line<From>(transform, from, line);
    for (std::int64_t k = 0; k < transform.cells_written(); ++k) {
      Complex sum;
      std::size_t place = 0;
      for (std::size_t i = 0; i < count; ++i, place = (place + static_cast<std::size_t>(k)) % count)
        sum += numbers[i] * roots[place];
      write_sum(sum, cell_at<To>(to, transform.to, line, k));
    }
  }
}

// The ends of lines, whose imaginary parts are to be 0.
template <class Cell>
bool has_real_ends(const GpuTransform& transform, std::byte* from) {
  for (std::int64_t line = 0; line < transform.lines; ++line) {
    if (cell_at<Cell>(from, transform.from, line, 0).imag() != 0) return false;
    if (transform.count % 2 == 0 && cell_at<Cell>(from, transform.from, line, transform.count / 2).imag() != 0)
      return false;
  }
  return true;
}

template <class Cell>
void spoil_lines(const GpuTransform& transform, std::byte* from) {
  for (std::int64_t line = 0; line < transform.lines; ++line) {
    for (std::int64_t i = 0; i < transform.cells_read(); ++i)
      std::memset(static_cast<void*>(&cell_at<Cell>(from, transform.from, line, i)), 0xff, sizeof(Cell));
  }
}

// Each row is a line; then each column, where it is written.
template <class Real>
void run_planes(const GpuTransform& transform, std::byte* from, std::byte* to) {
  using Number = std::complex<Real>;
  const bool reads_real = transform.reads_real();
  for (std::int64_t plane = 0; plane < transform.lines; ++plane) {
    std::byte* const first = from + static_cast<std::size_t>(plane * transform.from.distance) * transform.bytes_read();
    auto* const written = reinterpret_cast<Number*>(to) + plane * transform.to.distance;
    GpuTransform rows = transform, columns = transform;
    rows.rows = columns.rows = 1;
    rows.lines = transform.rows;
    rows.from.distance = transform.from.row;
    rows.to.distance = transform.to.row;
    reads_real ? run_lines<Real, Number>(rows, first, reinterpret_cast<std::byte*>(written))
               : run_lines<Number, Number>(rows, first, reinterpret_cast<std::byte*>(written));
    columns.kind = reads_real ? TransformKind::Forward : transform.kind;
    columns.count = transform.rows;
    columns.lines = 1;
    columns.from = columns.to = {transform.to.row, 1};
    for (std::int64_t k = 0; k < transform.cells_written(); ++k) {
      auto* const column = reinterpret_cast<std::byte*>(written + k * transform.to.step);
      run_lines<Number, Number>(columns, column, column);
    }
  }
}

template <class Real>
const char* run_of(const GpuTransform& transform, std::byte* from, std::byte* to) {
  using Number = std::complex<Real>;
  if (transform.rows > 1) {
    run_planes<Real>(transform, from, to);
    return nullptr;
  }
  switch (transform.kind) {
    case TransformKind::Forward:
    case TransformKind::Backward: run_lines<Number, Number>(transform, from, to); return nullptr;
    case TransformKind::ToComplex: run_lines<Real, Number>(transform, from, to); return nullptr;
    case TransformKind::ToReal: break;
  }
  if (!has_real_ends<Number>(transform, from)) return "ends of lines that are not real";
  run_lines<Number, Real>(transform, from, to);
  spoil_lines<Number>(transform, from);
  return nullptr;
}

}  // namespace

std::size_t bytes_spanned_from(const GpuTransform& transform) {
  return span_of(transform, transform.from, transform.cells_read(), transform.bytes_read());
}

std::size_t bytes_spanned_to(const GpuTransform& transform) {
  return span_of(transform, transform.to, transform.cells_written(), transform.bytes_written());
}

std::size_t emulated_work_bytes(const GpuTransform& transform) {
  return transform.count % 4 == 0 ? 0 : static_cast<std::size_t>(transform.count * transform.lines) * 8 + 24;
}

const char* find_transform_trouble(const GpuTransform& transform, const std::byte* from, const std::byte* to,
                                   const std::byte* work) {
  const auto is_aligned = [&](const std::byte* data) {
    return reinterpret_cast<std::uintptr_t>(data) % transform.complex_bytes() == 0;
  };
  const auto overlap = [](const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
  };
  const std::size_t bytes_from = bytes_spanned_from(transform), bytes_to = bytes_spanned_to(transform),
                    bytes_work = emulated_work_bytes(transform);
  if (transform.count < 2 || transform.lines < 1 || transform.rows < 1) return "a transform of too few cells";
  if (transform.rows > 1 && transform.kind == TransformKind::ToReal) return "planes of real numbers";
  for (const GpuLines& lines : {transform.from, transform.to}) {
    if (std::min(lines.step, lines.distance) < 1) return "lines that are not apart";
    if (transform.rows > 1 && (lines.row < 1 || lines.row % lines.step != 0)) return "rows that no cell step leads to";
  }
  if (!is_aligned(from) || !is_aligned(to) || !is_aligned(work)) return "cells that are not aligned";
  if (overlap(from, bytes_from, to, bytes_to)) return "a transform in place";
  if (overlap(work, bytes_work, to, bytes_to) || overlap(work, bytes_work, from, bytes_from))
    return "a transform that works where its cells are";
  return nullptr;
}

const char* run_transform(const GpuTransform& transform, std::byte* from, std::byte* to, std::byte* work) {
  if (const std::size_t bytes = emulated_work_bytes(transform); bytes > 0) std::memset(work, 0xff, bytes);
  return transform.is_double ? run_of<double>(transform, from, to) : run_of<float>(transform, from, to);
}

}  // namespace pilum::fakes
