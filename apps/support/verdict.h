// A program's clock, and the verdict of its --check.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace app {

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline void print_elapsed(double seconds) {
  std::printf("Elapsed Time: %.3f ms\n", seconds * 1e3);
}

// Infinite where one is NaN and the other is not, or there are more of one.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (std::isnan(a[k]) && std::isnan(b[k])) continue;
    const double difference = a[k] == b[k] ? 0 : std::abs(a[k] - b[k]);
    largest = std::max(largest, std::isnan(difference) ? HUGE_VAL : difference);
  }
  return largest;
}

// Prints how far `what` is off, and how far it may be. Is it near enough?
inline bool is_within(const char* what, double difference, double bound) {
  const bool good = difference <= bound;  // NaN is not
  std::printf("%s: %s, off by %.3g, at most %.3g\n", good ? "Right" : "WRONG", what, difference, bound);
  return good;
}

}  // namespace app
