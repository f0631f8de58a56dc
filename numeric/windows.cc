#include "pilum/windows.h"

#include <numbers>

#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

// The points as 1 - m, 3 - m, …, m - 1.
template <class Formula>
Array window(std::int64_t m, std::source_location where, const Formula& formula) {
  if (m < 1) return empty({0}, DType::Float64, where);
  if (m == 1) return ones({1}, DType::Float64, where);
  const Array points =
      arange(Operand(static_cast<double>(1 - m), where), Operand(static_cast<double>(m), where), Operand(2.0, where));
  return formula(points, static_cast<double>(m - 1));
}

// first + second cos(pi n / last) + third cos(2 pi n / last).
Array of_cosines(std::int64_t m, double first, double second, double third, std::source_location where) {
  return window(m, where, [&](const Array& points, double last) {
    const auto here = [&](const auto& operand) { return Operand(operand, where); };
    const auto wave = [&](double turns, double size) {
      const Array scaled = here(points) * here(turns * std::numbers::pi);
      const Array angle = here(scaled) / here(last);
      return Array(here(cos(here(angle))) * here(size));
    };
    Array result = here(wave(1, second)) + here(first);
    if (third != 0) result = here(result) + here(wave(2, third));
    return result;
  });
}

}  // namespace

Array bartlett(std::int64_t m, std::source_location where) {
  return window(m, where, [&](const Array& points, double last) {
    const Array share = abs(Operand(points, where));
    const Array slope = Operand(share, where) / Operand(last, where);
    return Array(Operand(1.0, where) - Operand(slope, where));
  });
}

Array blackman(std::int64_t m, std::source_location where) {
  return of_cosines(m, 0.42, 0.5, 0.08, where);
}

Array hamming(std::int64_t m, std::source_location where) {
  return of_cosines(m, 0.54, 0.46, 0, where);
}

Array hanning(std::int64_t m, std::source_location where) {
  return of_cosines(m, 0.5, 0.5, 0, where);
}

Array kaiser(std::int64_t m, double beta, std::source_location where) {
  return window(m, where, [&](const Array& points, double last) {
    const auto here = [&](const auto& operand) { return Operand(operand, where); };
    const Array share = here(points) / here(last);
    const Array left = here(1.0) - here(Array(here(share) * here(share)));
    const Array curve = i0(here(Array(here(beta) * here(sqrt(here(left))))));
    return Array(here(curve) / here(i0(here(beta))));
  });
}

}  // namespace pilum::numeric
