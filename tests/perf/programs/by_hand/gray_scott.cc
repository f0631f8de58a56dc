// Gray-Scott with ghost cells: both species in one pass, and each row's rims while it is in the cache.
#include <algorithm>
#include <utility>

#include "tests/perf/programs/by_hand/grid.h"
#include "tests/perf/programs/by_hand/rival.h"
#include "tests/perf/programs/by_hand/row_writer.h"

namespace pilum::by_hand {
namespace {

class GrayScott {
 public:
  explicit GrayScott(std::int64_t n)
      : n_(n), u_(make(1.0, 1.0)), v_(make(0.0, 0.25)), next_u_(make(1.0, 1.0)), next_v_(make(0.0, 0.25)) {
    for (std::int64_t i = 1; i <= n_; ++i) {
      write_rims(u_, i, u_.row(i) + 1);
      write_rims(v_, i, v_.row(i) + 1);
    }
  }

  void step(Stores stores) {
#pragma omp parallel
    {
      RowWriter u_writer(stores, n_), v_writer(stores, n_);
#pragma omp for schedule(static)
      for (std::int64_t i = 1; i <= n_; ++i) {
        const double *u = u_.row(i) + 1, *u_low = u_.row(i - 1) + 1, *u_high = u_.row(i + 1) + 1;
        const double *v = v_.row(i) + 1, *v_low = v_.row(i - 1) + 1, *v_high = v_.row(i + 1) + 1;
        double* __restrict new_u = u_writer.begin(next_u_.row(i) + 1);
        double* __restrict new_v = v_writer.begin(next_v_.row(i) + 1);
#pragma omp simd
        for (std::int64_t j = 0; j < n_; ++j) {
          const double uvv = u[j] * v[j] * v[j];
          const double lu = u_low[j] + u_high[j] + u[j - 1] + u[j + 1] - 4.0 * u[j];
          const double lv = v_low[j] + v_high[j] + v[j - 1] + v[j + 1] - 4.0 * v[j];
          new_u[j] = u[j] + (0.16 * lu - uvv + 0.06 * (1.0 - u[j]));
          new_v[j] = v[j] + (0.08 * lv + uvv - 0.122 * v[j]);
        }
        write_rims(next_u_, i, new_u);
        write_rims(next_v_, i, new_v);
        u_writer.end(n_);
        v_writer.end(n_);
      }
    }
    std::swap(u_, next_u_);
    std::swap(v_, next_v_);
  }
  std::vector<double> field(std::size_t number) const { return (number == 0 ? u_ : v_).cells(/*rim=*/1); }

 private:
  Grid make(double value, double spot) const {
    return Grid(n_ + 2, n_ + 2, 1, [=, n = n_](std::int64_t i, std::int64_t j) {
      const std::int64_t first = n / 3, last = n / 2;
      return i >= first && i < last && j >= first && j < last ? spot : value;
    });
  }

  // What the inner cells of row i are to the rims: its own two cells, and the first or last row of all, whose corners
  // nobody reads.
  void write_rims(Grid& grid, std::int64_t i, const double* inner) const {
    grid.row(i)[0] = inner[n_ - 1];
    grid.row(i)[n_ + 1] = inner[0];
    if (i == n_) std::copy_n(inner, n_, grid.row(0) + 1);
    if (i == 1) std::copy_n(inner, n_, grid.row(n_ + 1) + 1);
  }

  std::int64_t n_;
  Grid u_, v_, next_u_, next_v_;
};

}  // namespace

Rival gray_scott(std::int64_t n) {
  return rival_of(std::make_shared<GrayScott>(n));
}

}  // namespace pilum::by_hand
