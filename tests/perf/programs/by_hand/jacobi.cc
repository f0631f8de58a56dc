// Five points, from one grid to the other.
#include <utility>

#include "tests/perf/programs/by_hand/grid.h"
#include "tests/perf/programs/by_hand/rival.h"
#include "tests/perf/programs/by_hand/row_writer.h"

namespace pilum::by_hand {
namespace {

class Jacobi {
 public:
  explicit Jacobi(std::int64_t n) : n_(n), grid_(n + 2, n + 2, 1, initial), next_(n + 2, n + 2, 1, initial) {}

  void step(Stores stores) {
#pragma omp parallel
    {
      RowWriter writer(stores, n_);
#pragma omp for schedule(static)
      for (std::int64_t i = 1; i <= n_; ++i) {
        const double *low = grid_.row(i - 1) + 1, *here = grid_.row(i) + 1, *high = grid_.row(i + 1) + 1;
        double* __restrict out = writer.begin(next_.row(i) + 1);
#pragma omp simd
        for (std::int64_t j = 0; j < n_; ++j) out[j] = 0.2 * (here[j] + low[j] + high[j] + here[j - 1] + here[j + 1]);
        writer.end(n_);
      }
    }
    std::swap(grid_, next_);
  }
  std::vector<double> field(std::size_t) const { return grid_.cells(); }

 private:
  static double initial(std::int64_t i, std::int64_t) { return i == 0 ? 40.0 : 0.0; }

  std::int64_t n_;
  Grid grid_, next_;
};

}  // namespace

Rival jacobi(std::int64_t n) {
  return rival_of(std::make_shared<Jacobi>(n));
}

}  // namespace pilum::by_hand
