// Discrete Fourier transforms as sums, in long double.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/random/dense_axis.h"
#include "tests/random/dense_complex.h"
#include "tests/random/dense_whole.h"

namespace pilum::random_programs {
namespace {

using Value = std::complex<long double>;

// Of an array, with the sum of the sizes of what each cell is made of.
struct Spectrum {
  Extents shape;
  std::vector<Value> cells;
};

Spectrum spectrum_of(const Dense& x) {
  const DType wide = DType::Complex128;
  Spectrum result{x.shape, {}};
  for (Cell cell : x.cells) {
    const Cell number = cast(cell, x.dtype, wide);
    if (!(std::abs(number.floating) < 1e15 && std::abs(number.imaginary) < 1e15))
      throw Invalid("numbers near overflow");
    result.cells.emplace_back(number.floating, number.imaginary);
  }
  return result;
}

// sum over j of x_j exp(sign 2 pi i j k / n), for k = 0 … count - 1.
std::vector<Value> summed(const std::vector<Value>& line, int sign, std::int64_t count) {
  const auto n = static_cast<std::int64_t>(line.size());
  std::vector<Value> result;
  for (std::int64_t k = 0; k < count; ++k) {
    Value sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const long double angle =
          2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) / static_cast<long double>(n);
      sum += line[static_cast<std::size_t>(j)] * Value(std::cos(angle), sign * std::sin(angle));
    }
    result.push_back(sum);
  }
  return result;
}

// Of half a line that stands for numbers whose transform is real: with the conjugates behind it.
std::vector<Value> completed(std::vector<Value> half, std::int64_t n) {
  half.resize(static_cast<std::size_t>(n / 2 + 1));
  half[0] = half[0].real();
  if (n % 2 == 0) half.back() = half.back().real();
  std::vector<Value> line(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k)
    line[static_cast<std::size_t>(k)] =
        k <= n / 2 ? half[static_cast<std::size_t>(k)] : std::conj(half[static_cast<std::size_t>(n - k)]);
  return line;
}

enum class Kind { Complex, ToHalf, FromHalf };

Spectrum along(const Spectrum& x, int axis, int sign, std::int64_t n, Kind kind) {
  const AxisOf at(x.shape, axis);
  if (n < 1 || n > 512) throw Invalid("a transform of so many");
  Spectrum result{x.shape, {}};
  const std::int64_t count = kind == Kind::ToHalf ? n / 2 + 1 : n;
  result.shape[at.axis] = count;
  result.cells.resize(static_cast<std::size_t>(count_of(result.shape)));
  if (static_cast<double>(result.cells.size()) * static_cast<double>(n) > 1e6)
    throw Invalid("more cells than a test needs");
  const AxisOf to(result.shape, axis);
  for (std::int64_t outer = 0; outer < at.before; ++outer) {
    for (std::int64_t inner = 0; inner < at.after; ++inner) {
      std::vector<Value> line;
      for (std::int64_t k = 0; k < at.extent; ++k) line.push_back(x.cells[at.place(outer, k, inner)]);
      if (kind == Kind::FromHalf) {
        line = completed(line, n);
      } else {
        line.resize(static_cast<std::size_t>(n));
      }
      const std::vector<Value> made = summed(line, sign, count);
      for (std::int64_t k = 0; k < count; ++k)
        result.cells[to.place(outer, k, inner)] = made[static_cast<std::size_t>(k)];
    }
  }
  return result;
}

// The factor of all cells, and how far they may be off: of any of the sums the sizes of all that is added.
Dense made(const Dense& x, const Spectrum& spectrum, bool is_real, bool forward, double n, std::int64_t way,
           double lines) {
  const bool single = x.dtype == DType::Float32 || x.dtype == DType::Float16 || x.dtype == DType::Complex64;
  const DType real = single ? DType::Float32 : DType::Float64, dtype = is_real ? real : complex_of(real);
  const bool divides = way == 1 ? forward : way == 0 ? !forward : false;
  const double factor = way == 2 ? 1 / std::sqrt(n) : divides ? 1 / n : 1;
  double size = 0;
  for (const Value& cell : spectrum_of(x).cells) size += static_cast<double>(std::abs(cell));
  if (size * factor > 1e30) throw Invalid("numbers near overflow");
  const double bound = (2 * std::log2(n) + 8) * epsilon_of(real) * factor * size * lines + 1e-300;
  Dense result{dtype, spectrum.shape};
  for (const Value& cell : spectrum.cells) {
    Cell number{.floating = static_cast<double>(cell.real()) * factor};
    if (!is_real) number.imaginary = static_cast<double>(cell.imag()) * factor;
    result.cells.push_back(number);
    result.tolerance.push_back(bound);
  }
  return result;
}

Dense of_one_axis(const WholeCall& call) {
  const Dense& x = call.x;
  const AxisOf at(x.shape, call.axis);
  const bool half = call.op == Op::Irfft || call.op == Op::Hfft, real = call.op == Op::Rfft || call.op == Op::Ihfft;
  if (real && is_complex(x.dtype)) throw Invalid("complex numbers as real ones");
  if (at.extent == 0) throw Invalid("a line of nothing");
  const std::int64_t n = call.k > 0 ? call.k : half ? 2 * (at.extent - 1) : at.extent;
  const bool forward = call.op == Op::Fft || call.op == Op::Rfft || call.op == Op::Hfft;
  Spectrum spectrum = spectrum_of(x);
  if (call.op == Op::Hfft) {
    // What the numbers would be of which this is the inverse's half.
    spectrum = along(spectrum, call.axis, -1, n, Kind::FromHalf);
  } else if (call.op == Op::Irfft) {
    spectrum = along(spectrum, call.axis, 1, n, Kind::FromHalf);
  } else {
    spectrum = along(spectrum, call.axis, forward ? -1 : 1, n, real ? Kind::ToHalf : Kind::Complex);
  }
  return made(x, spectrum, half, forward, static_cast<double>(n), call.k % 3, half ? 2 : 1);
}

Dense of_all_axes(const WholeCall& call) {
  const Dense& x = call.x;
  const auto rank = static_cast<int>(x.shape.size());
  if (rank == 0 || x.cells.empty()) throw Invalid("no axes");
  const bool to_half = call.op == Op::Rfftn, from_half = call.op == Op::Irfftn;
  if (to_half && is_complex(x.dtype)) throw Invalid("complex numbers as real ones");
  const bool forward = call.op == Op::Fftn || to_half;
  const int sign = forward ? -1 : 1;
  Spectrum spectrum = spectrum_of(x);
  double n = 1;
  if (to_half) spectrum = along(spectrum, -1, sign, x.shape.back(), Kind::ToHalf);
  for (int axis = 0; axis < rank - (to_half || from_half); ++axis) {
    spectrum = along(spectrum, axis, sign, x.shape[static_cast<std::size_t>(axis)], Kind::Complex);
    n *= static_cast<double>(x.shape[static_cast<std::size_t>(axis)]);
  }
  const std::int64_t last = from_half ? 2 * (x.shape.back() - 1) : x.shape.back();
  if (from_half) spectrum = along(spectrum, -1, sign, last, Kind::FromHalf);
  if (to_half || from_half) n *= static_cast<double>(last);
  return made(x, spectrum, from_half, forward, n, call.k % 3, from_half ? 2 : 1);
}

Dense shifted(const WholeCall& call) {
  const AxisOf at(call.x.shape, call.axis);
  const std::int64_t half = call.op == Op::Fftshift ? at.extent - at.extent / 2 : at.extent / 2;
  Places places = places_from(half, at.extent - half);
  const Places front = places_from(0, half);
  places.insert(places.end(), front.begin(), front.end());
  return taken(call.x, at, places);
}

}  // namespace

Dense fourier(const WholeCall& call) {
  if (call.op == Op::Fftshift || call.op == Op::Ifftshift) return shifted(call);
  return call.op <= Op::Ihfft ? of_one_axis(call) : of_all_axes(call);
}

}  // namespace pilum::random_programs
