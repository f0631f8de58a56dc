// Gray-Scott on a torus: one pass; rows wrap by their number, the first and last column are computed by themselves.
#include <utility>

#include "tests/perf/programs/by_hand/grid.h"
#include "tests/perf/programs/by_hand/rival.h"
#include "tests/perf/programs/by_hand/row_writer.h"

namespace pilum::by_hand {
namespace {

struct Rows {
  const double *low, *here, *high;
  double laplacian(std::int64_t left, std::int64_t j, std::int64_t right) const {
    return low[j] + high[j] + here[left] + here[right] - 4.0 * here[j];
  }
};

class Rolled {
 public:
  explicit Rolled(std::int64_t n)
      : n_(n), u_(make(1.0, 1.0)), v_(make(0.0, 0.5)), next_u_(make(1.0, 1.0)), next_v_(make(0.0, 0.5)) {}

  void step(Stores stores) {
#pragma omp parallel
    {
      RowWriter u_writer(stores, n_), v_writer(stores, n_);
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < n_; ++i) {
        const std::int64_t low = i == 0 ? n_ - 1 : i - 1, high = i == n_ - 1 ? 0 : i + 1;
        const Rows u{u_.row(low), u_.row(i), u_.row(high)}, v{v_.row(low), v_.row(i), v_.row(high)};
        double* __restrict new_u = u_writer.begin(next_u_.row(i));
        double* __restrict new_v = v_writer.begin(next_v_.row(i));
        update(u, v, new_u, new_v, n_ - 1, 0, 1);
#pragma omp simd
        for (std::int64_t j = 1; j < n_ - 1; ++j) update(u, v, new_u, new_v, j - 1, j, j + 1);
        update(u, v, new_u, new_v, n_ - 2, n_ - 1, 0);
        u_writer.end(n_);
        v_writer.end(n_);
      }
    }
    std::swap(u_, next_u_);
    std::swap(v_, next_v_);
  }
  std::vector<double> field(std::size_t number) const { return (number == 0 ? u_ : v_).cells(); }

 private:
  Grid make(double value, double spot) const {
    return Grid(n_, n_, 0, [=, n = n_](std::int64_t i, std::int64_t j) {
      const std::int64_t first = n / 2 - 2, last = n / 2 + 2;
      return i >= first && i < last && j >= first && j < last ? spot : value;
    });
  }

  [[gnu::always_inline]] static void update(const Rows& u, const Rows& v, double* __restrict new_u,
                                            double* __restrict new_v, std::int64_t left, std::int64_t j,
                                            std::int64_t right) {
    const double here_u = u.here[j], here_v = v.here[j], uvv = here_u * here_v * here_v;
    new_u[j] = here_u + (0.16 * u.laplacian(left, j, right) - uvv + 0.06 * (1.0 - here_u));
    new_v[j] = here_v + (0.08 * v.laplacian(left, j, right) + uvv - 0.122 * here_v);
  }

  std::int64_t n_;
  Grid u_, v_, next_u_, next_v_;
};

}  // namespace

Rival rolled(std::int64_t n) {
  return rival_of(std::make_shared<Rolled>(n));
}

}  // namespace pilum::by_hand
