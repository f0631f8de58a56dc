#include "tests/perf/programs/difference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace pilum::programs {

std::string difference_of(const std::vector<double>& ours, const std::vector<double>& by_hand, double tolerance) {
  if (ours.size() != by_hand.size()) {
    return std::to_string(ours.size()) + " cells, by hand " + std::to_string(by_hand.size());
  }
  double largest = 0, worst = -1;
  std::size_t where = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double apart =
        std::isfinite(ours[i]) && std::isfinite(by_hand[i]) ? std::abs(ours[i] - by_hand[i]) : INFINITY;
    largest = std::max(largest, std::abs(by_hand[i]));
    if (apart > worst) worst = apart, where = i;
  }
  if (worst < INFINITY && worst <= tolerance * largest) return {};
  char text[160];
  std::snprintf(text, sizeof text, "cell %zu is %.17g, by hand %.17g; the largest is %.3g, %.1e of it is allowed",
                where, ours[where], by_hand[where], largest, tolerance);
  return text;
}

}  // namespace pilum::programs
