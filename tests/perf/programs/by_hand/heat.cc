// Seven points in three dimensions, from a to b and back.
#include "tests/perf/programs/by_hand/grid.h"
#include "tests/perf/programs/by_hand/rival.h"
#include "tests/perf/programs/by_hand/row_writer.h"

namespace pilum::by_hand {
namespace {

// A plane is n rows of the grid.
class Heat {
 public:
  explicit Heat(std::int64_t n) : n_(n), a_(make()), b_(make()) {}

  void step(Stores stores) {
    sweep(a_, b_, stores);
    sweep(b_, a_, stores);
  }
  std::vector<double> field(std::size_t) const { return a_.cells(); }

 private:
  Grid make() const {
    return Grid(n_ * n_, n_, 1, [n = n_](std::int64_t row, std::int64_t k) {
      const std::int64_t i = row / n, j = row % n;
      return i >= n / 3 && i < n / 2 && j > 0 && j < n - 1 && k > 0 && k < n - 1 ? 1.0 : 0.25;
    });
  }

  void sweep(const Grid& from, Grid& to, Stores stores) const {
#pragma omp parallel
    {
      RowWriter writer(stores, n_);
#pragma omp for schedule(static)
      for (std::int64_t i = 1; i < n_ - 1; ++i) {
        for (std::int64_t j = 1; j < n_ - 1; ++j) {
          const std::int64_t row = i * n_ + j;
          const double *here = from.row(row) + 1, *below = from.row(row - n_) + 1, *above = from.row(row + n_) + 1;
          const double *low = from.row(row - 1) + 1, *high = from.row(row + 1) + 1;
          double* __restrict out = writer.begin(to.row(row) + 1);
#pragma omp simd
          for (std::int64_t k = 0; k < n_ - 2; ++k) {
            out[k] = 0.125 * (above[k] + below[k] + high[k] + low[k] + here[k + 1] + here[k - 1]) + 0.25 * here[k];
          }
          writer.end(n_ - 2);
        }
      }
    }
  }

  std::int64_t n_;
  Grid a_, b_;
};

}  // namespace

Rival heat(std::int64_t n) {
  return rival_of(std::make_shared<Heat>(n));
}

}  // namespace pilum::by_hand
