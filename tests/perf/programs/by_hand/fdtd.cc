// Three fields on a staggered grid, where they are: a pass for both electric fields, one for the magnetic.
#include "tests/perf/programs/by_hand/grid.h"
#include "tests/perf/programs/by_hand/rival.h"

namespace pilum::by_hand {
namespace {

class Fdtd {
 public:
  explicit Fdtd(std::int64_t n)
      : n_(n), ex_(n, n, 0, zero), ey_(n, n, 0, zero), hz_(n, n, 0, [n](std::int64_t i, std::int64_t j) {
          return i >= n / 4 && i < n / 2 && j >= n / 4 && j < n / 2 ? 2.0 : 1.0;
        }) {}

  void step(Stores) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n_; ++i) {
      double *__restrict ex = ex_.row(i), *__restrict ey = ey_.row(i);
      const double *hz = hz_.row(i), *low = hz_.row(i == 0 ? 0 : i - 1);  // the first row of ey stays
      ey[0] -= 0.5 * (hz[0] - low[0]);
#pragma omp simd
      for (std::int64_t j = 1; j < n_; ++j) {
        ey[j] -= 0.5 * (hz[j] - low[j]);
        ex[j] -= 0.5 * (hz[j] - hz[j - 1]);
      }
    }
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n_ - 1; ++i) {
      double *__restrict hz = hz_.row(i);
      const double *ex = ex_.row(i), *ey = ey_.row(i), *high = ey_.row(i + 1);
#pragma omp simd
      for (std::int64_t j = 0; j < n_ - 1; ++j) hz[j] -= 0.7 * (ex[j + 1] - ex[j] + high[j] - ey[j]);
    }
  }
  std::vector<double> field(std::size_t number) const { return (number == 0 ? ex_ : number == 1 ? ey_ : hz_).cells(); }

 private:
  static double zero(std::int64_t, std::int64_t) { return 0.0; }

  std::int64_t n_;
  Grid ex_, ey_, hz_;
};

}  // namespace

Rival fdtd(std::int64_t n) {
  Rival rival = rival_of(std::make_shared<Fdtd>(n));
  rival.in_place = true;
  return rival;
}

}  // namespace pilum::by_hand
