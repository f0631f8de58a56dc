#include "tests/random/reading.h"

#include <bit>
#include <cmath>
#include <sstream>

namespace pilum::random_programs {
namespace {

// Without a tolerance the bits count.
bool same(double a, double b, const double* tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (!tolerance) return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  return a == b || (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= *tolerance);
}

bool same(DType dtype, Cell expected, Cell observed, const double* tolerance) {
  if (!is_floating(dtype) && !is_complex(dtype)) return expected.integer == observed.integer;
  return same(expected.floating, observed.floating, tolerance) &&
         same(expected.imaginary, observed.imaginary, tolerance);
}

std::string text_of(DType dtype, Cell cell) {
  std::ostringstream out;
  out.precision(17);
  const auto write = [&](double x) { out << x << (x == 0 && std::signbit(x) ? " (negative)" : ""); };
  if (is_complex(dtype)) {
    write(cell.floating), out << " and i times ", write(cell.imaginary);
  } else if (is_floating(dtype)) {
    write(cell.floating);
  } else {
    out << cell.integer;
  }
  return out.str();
}

std::string place_of(std::size_t cell, const Extents& shape) {
  std::string text;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[axis]);
    text = std::to_string(cell % extent) + (text.empty() ? "" : ", ") + text;
    cell /= extent;
  }
  return "[" + text + "]";
}

std::string text_of(const Extents& shape) {
  std::string text;
  for (std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + ")";
}

}  // namespace

std::optional<std::string> difference(const Reading& expected, const Reading& observed) {
  if (expected.dtype != observed.dtype) {
    return expected.of + ": dtype " + name(observed.dtype) + ", expected " + name(expected.dtype);
  }
  if (expected.shape != observed.shape || expected.cells.size() != observed.cells.size()) {
    return expected.of + ": shape " + text_of(observed.shape) + " with " + std::to_string(observed.cells.size()) +
           " cells, expected " + text_of(expected.shape);
  }
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t cell = 0; cell < expected.cells.size(); ++cell) {
    const double* tolerance = expected.tolerance.empty() ? nullptr : &expected.tolerance[cell];
    if (same(expected.dtype, expected.cells[cell], observed.cells[cell], tolerance)) continue;
    if (wrong++ == 0) {
      first = place_of(cell, expected.shape) + " is " + text_of(expected.dtype, observed.cells[cell]) + ", expected " +
              text_of(expected.dtype, expected.cells[cell]);
    }
  }
  if (wrong == 0) return {};
  return expected.of + ": " + std::to_string(wrong) + " of " + std::to_string(expected.cells.size()) +
         " cells of shape " + text_of(expected.shape) + " are wrong; " + first;
}

std::optional<std::string> difference(const std::vector<Reading>& expected, const std::vector<Reading>& observed) {
  for (std::size_t place = 0; place < expected.size() && place < observed.size(); ++place) {
    if (auto text = difference(expected[place], observed[place])) return text;
  }
  if (expected.size() == observed.size()) return {};
  return std::to_string(observed.size()) + " values were read, expected " + std::to_string(expected.size());
}

}  // namespace pilum::random_programs
