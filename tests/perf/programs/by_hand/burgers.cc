// Burgers' equations: both velocities in one pass, from grids to others. The rims stay 1.
#include <utility>

#include "tests/perf/programs/by_hand/grid.h"
#include "tests/perf/programs/by_hand/rival.h"
#include "tests/perf/programs/by_hand/row_writer.h"

namespace pilum::by_hand {
namespace {

class Burgers {
 public:
  explicit Burgers(std::int64_t n) : n_(n), u_(make()), v_(make()), next_u_(make()), next_v_(make()) {}

  void step(Stores stores) {
    const double dx = 2.0 / static_cast<double>(n_ - 1), dt = 0.0009 * dx * dx / kNu;
    const double advection = dt / dx, diffusion = kNu * dt / (dx * dx);
#pragma omp parallel
    {
      RowWriter u_writer(stores, n_), v_writer(stores, n_);
#pragma omp for schedule(static)
      for (std::int64_t i = 1; i < n_ - 1; ++i) {
        const double *u = u_.row(i) + 1, *u_low = u_.row(i - 1) + 1, *u_high = u_.row(i + 1) + 1;
        const double *v = v_.row(i) + 1, *v_low = v_.row(i - 1) + 1, *v_high = v_.row(i + 1) + 1;
        double* __restrict new_u = u_writer.begin(next_u_.row(i) + 1);
        double* __restrict new_v = v_writer.begin(next_v_.row(i) + 1);
#pragma omp simd
        for (std::int64_t j = 0; j < n_ - 2; ++j) {
          const double along = advection * u[j], across = advection * v[j];
          new_u[j] = u[j] - along * (u[j] - u[j - 1]) - across * (u[j] - u_low[j]) +
                     diffusion * (u[j + 1] + u[j - 1] + u_high[j] + u_low[j] - 4.0 * u[j]);
          new_v[j] = v[j] - along * (v[j] - v[j - 1]) - across * (v[j] - v_low[j]) +
                     diffusion * (v[j + 1] + v[j - 1] + v_high[j] + v_low[j] - 4.0 * v[j]);
        }
        u_writer.end(n_ - 2);
        v_writer.end(n_ - 2);
      }
    }
    std::swap(u_, next_u_);
    std::swap(v_, next_v_);
  }
  std::vector<double> field(std::size_t number) const { return (number == 0 ? u_ : v_).cells(); }

 private:
  Grid make() const {
    return Grid(n_, n_, 1, [n = n_](std::int64_t i, std::int64_t j) {
      return i >= n / 4 && i < n / 2 && j >= n / 4 && j < n / 2 ? 2.0 : 1.0;
    });
  }

  static constexpr double kNu = 0.01;
  std::int64_t n_;
  Grid u_, v_, next_u_, next_v_;
};

}  // namespace

Rival burgers(std::int64_t n) {
  return rival_of(std::make_shared<Burgers>(n));
}

}  // namespace pilum::by_hand
