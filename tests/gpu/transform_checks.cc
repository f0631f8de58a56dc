// Fourier transforms on GPUs beside a plain one on the host, of lengths of many and few factors, along any axis.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "pilum/pilum.h"
#include "tests/gpu/library_check.h"
#include "tests/numeric/complex_lines.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;
using Complex = std::complex<double>;
using Count = std::optional<std::int64_t>;

// By Cooley and Tukey, for each prime factor of the count: each `stride`-th number from `first` on.
Complexes transform(const Complexes& numbers, std::size_t first, std::size_t stride, std::size_t count, double sign) {
  if (count == 1) return {numbers[first]};
  std::size_t factor = 2;
  while (count % factor != 0) ++factor;
  const std::size_t part = count / factor;
  std::vector<Complexes> parts;
  for (std::size_t p = 0; p < factor; ++p)
    parts.push_back(transform(numbers, first + p * stride, stride * factor, part, sign));
  Complexes roots(count), result(count);
  for (std::size_t k = 0; k < count; ++k)
    roots[k] = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count));
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t p = 0; p < factor; ++p) result[k] += parts[p][k % part] * roots[p * k % count];
  }
  return result;
}

Complexes transform(const Complexes& numbers, double sign) {
  return transform(numbers, 0, 1, numbers.size(), sign);
}

// -1 … 1, by chance.
Array numbers_of(const Shape& shape, DType dtype) {
  const auto draw = [&] { return np::random::default_rng(7).uniform(-1.0, 1.0, shape); };
  if (!is_complex(dtype)) return draw().astype(dtype);
  return (draw() + np::flip(draw()) * Complex(0, 1)).astype(dtype);
}

// All n numbers of which the first half is known, as NumPy takes it.
Complexes whole_line(Complexes half, std::size_t n) {
  half.resize(n / 2 + 1);
  half.front() = half.front().real();
  if (n % 2 == 0) half.back() = half.back().real();
  for (std::size_t i = half.size(); i < n; ++i) half.push_back(std::conj(half[n - i]));
  return half;
}

// The largest error beside the largest number, in units of what rounding each step leaves.
std::string difference(const char* name, const Array& found, int axis, const std::vector<Complexes>& wanted) {
  const bool is_single = found.dtype() == DType::Complex64 || found.dtype() == DType::Float32;
  const std::vector<Complexes> lines = lines_of(found, axis);
  if (lines.size() != wanted.size() || lines.front().size() != wanted.front().size())
    return std::string(name) + " has another shape; ";
  double error = 0, size = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (std::size_t k = 0; k < wanted[line].size(); ++k) {
      const double here = std::abs(lines[line][k] - wanted[line][k]);
      error = std::max(error, std::isnan(here) ? INFINITY : here);
      size = std::max(size, std::abs(wanted[line][k]));
    }
  }
  const double bound = (is_single ? 6e-8 : 1.1e-16) * 16 * (2 + std::log2(static_cast<double>(wanted.front().size())));
  if (error <= bound * size) return "";
  return std::string(name) + " has an error of " + std::to_string(error / size / bound) + " bounds; ";
}

std::string compare(const Array& a, int axis, Count count) {
  std::vector<Complexes> forward, backward, halves, reals;
  const std::vector<Complexes> lines = lines_of(a, axis);
  const auto extent = static_cast<std::int64_t>(lines.front().size());
  const std::int64_t n = count.value_or(extent), real_n = count.value_or(2 * extent - 2);
  for (const Complexes& line : lines) {
    Complexes cells = line;
    cells.resize(static_cast<std::size_t>(n));
    forward.push_back(transform(cells, -1));
    backward.push_back(transform(cells, 1));
    for (Complex& cell : backward.back()) cell /= static_cast<double>(n);
    halves.emplace_back(forward.back().begin(), forward.back().begin() + static_cast<std::ptrdiff_t>(n / 2 + 1));
    if (real_n < 1) continue;
    reals.push_back(transform(whole_line(line, static_cast<std::size_t>(real_n)), 1));
    for (Complex& cell : reals.back()) cell /= static_cast<double>(real_n);
  }
  std::string result = difference("fft", np::fft::fft(a, count, axis), axis, forward) +
                       difference("ifft", np::fft::ifft(a, count, axis), axis, backward);
  if (!is_complex(a.dtype())) result += difference("rfft", np::fft::rfft(a, count, axis), axis, halves);
  if (!reals.empty()) result += difference("irfft", np::fft::irfft(a, count, axis), axis, reals);
  return result + (lines_of(a, axis) == lines ? "" : "what is transformed was changed; ");
}

void check_lines(const std::string& what, const Shape& shape, int axis, Count count = {}) {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Complex64, DType::Complex128}) {
    check("fft, " + std::string(name(dtype)) + ": " + what,
          [&] { return compare(numbers_of(shape, dtype), axis, count); });
  }
}

void check_views() {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Complex64}) {
    const Array a = numbers_of({21, 30, 25}, dtype);
    const std::string type = "fft, " + std::string(name(dtype)) + ": ";
    check(type + "every second number", [&] { return compare(a(all, slice({}, {}, 2), all), 1, {}); });
    check(type + "rows that begin anywhere",
          [&] { return compare(a(slice(1, {}), slice(1, {}), slice(1, {})), 2, {}); });
    check(type + "backwards", [&] { return compare(a(slice({}, {}, -1), all, slice({}, {}, -1)), 2, {}); });
    check(type + "transposed", [&] { return compare(np::transpose(a), 0, {}); });
    check(type + "repeated", [&] { return compare(np::broadcast_to(numbers_of({5, 1}, dtype), {5, 6}), 1, {}); });
  }
}

std::string there_and_back() {
  const Array a = numbers_of({60, 70, 81}, DType::Float64);
  Array u = a;
  for (int round = 0; round < 20; ++round) u = np::fft::irfftn(np::fft::rfftn(u) * 2.0, {60, 70, 81}) / 2.0;
  const double error = np::max(np::abs(u - a)).item<double>();
  return error < 1e-13 ? "" : "an error of " + std::to_string(error * 1e16) + "e-16 after 20 rounds";
}

}  // namespace

void check_transforms() {
  for (const std::int64_t n : {1, 2, 3, 64, 1000, 1009, 4096}) check_lines(std::to_string(n) + " numbers", {9, n}, 1);
  check_lines("a line of 32,768", {32'768}, 0);
  check_lines("a line of 2 * 4,001", {2 * 4'001}, 0);
  check_lines("the first axis", {120, 37}, 0);
  check_lines("the middle axis, few batches", {3, 75, 40}, 1);
  check_lines("the middle axis, many batches", {70, 15, 6}, 1);
  check_lines("padded", {33, 50}, 1, 77);
  check_lines("cut", {33, 50}, 1, 31);
  check_views();
  check("fft: three axes there and back, 20 times", there_and_back);
}

}  // namespace pilum
