// Step 11 of "CFD Python": the pressure goes from grid to grid instead of being copied, each row with its rims; then
// both velocities in one pass.
#include <algorithm>
#include <utility>

#include "tests/perf/programs/by_hand/grid.h"
#include "tests/perf/programs/by_hand/rival.h"
#include "tests/perf/programs/by_hand/row_writer.h"

namespace pilum::by_hand {
namespace {

class Cavity {
 public:
  explicit Cavity(std::int64_t n)
      : n_(n), u_(make()), v_(make()), next_u_(make()), next_v_(make()), p_(make()), next_p_(make()), b_(make()) {}

  void step(Stores stores) {
    compute_sources(stores);
    for (int sweep = 0; sweep < 10; ++sweep) sweep_pressure(stores);
    move(stores);
  }
  std::vector<double> field(std::size_t number) const { return (number == 0 ? u_ : number == 1 ? v_ : p_).cells(); }

 private:
  Grid make() const {
    return Grid(n_, n_, 1, [](std::int64_t, std::int64_t) { return 0.0; });
  }

  void compute_sources(Stores stores) {
    const double half = 1 / (2 * dx_), per_dt = 1 / dt_;
#pragma omp parallel
    {
      RowWriter writer(stores, n_);
#pragma omp for schedule(static)
      for (std::int64_t i = 1; i < n_ - 1; ++i) {
        const double *u = u_.row(i) + 1, *u_low = u_.row(i - 1) + 1, *u_high = u_.row(i + 1) + 1;
        const double *v = v_.row(i) + 1, *v_low = v_.row(i - 1) + 1, *v_high = v_.row(i + 1) + 1;
        double *__restrict b = writer.begin(b_.row(i) + 1);
#pragma omp simd
        for (std::int64_t j = 0; j < n_ - 2; ++j) {
          const double ux = (u[j + 1] - u[j - 1]) * half, vy = (v_high[j] - v_low[j]) * half;
          const double uy = (u_high[j] - u_low[j]) * half, vx = (v[j + 1] - v[j - 1]) * half;
          b[j] = kRho * ((ux + vy) * per_dt - ux * ux - 2.0 * uy * vx - vy * vy);
        }
        writer.end(n_ - 2);
      }
    }
  }

  void sweep_pressure(Stores stores) {
    const double factor = dx_ * dx_ / 4;
#pragma omp parallel
    {
      RowWriter writer(stores, n_);
#pragma omp for schedule(static)
      for (std::int64_t i = 1; i < n_ - 1; ++i) {
        const double *p = p_.row(i) + 1, *low = p_.row(i - 1) + 1, *high = p_.row(i + 1) + 1, *b = b_.row(i) + 1;
        double *__restrict next = writer.begin(next_p_.row(i) + 1);
#pragma omp simd
        for (std::int64_t j = 0; j < n_ - 2; ++j) {
          next[j] = 0.25 * (p[j + 1] + p[j - 1] + high[j] + low[j]) - factor * b[j];
        }
        double *row = next_p_.row(i);  // the last row of all is 0
        row[0] = next[0];
        row[n_ - 1] = next[n_ - 3];
        if (i == 1) {
          std::copy_n(next, n_ - 2, next_p_.row(0) + 1);
          next_p_.row(0)[0] = row[0];
          next_p_.row(0)[n_ - 1] = row[n_ - 1];
        }
        writer.end(n_ - 2);
      }
    }
    std::swap(p_, next_p_);
  }

  void move(Stores stores) {
    const double advection = dt_ / dx_, pressure = dt_ / (2 * kRho * dx_), diffusion = kNu * dt_ / (dx_ * dx_);
#pragma omp parallel
    {
      RowWriter u_writer(stores, n_), v_writer(stores, n_);
#pragma omp for schedule(static)
      for (std::int64_t i = 1; i < n_ - 1; ++i) {
        const double *u = u_.row(i) + 1, *u_low = u_.row(i - 1) + 1, *u_high = u_.row(i + 1) + 1;
        const double *v = v_.row(i) + 1, *v_low = v_.row(i - 1) + 1, *v_high = v_.row(i + 1) + 1;
        const double *p = p_.row(i) + 1, *p_low = p_.row(i - 1) + 1, *p_high = p_.row(i + 1) + 1;
        double *__restrict new_u = u_writer.begin(next_u_.row(i) + 1);
        double *__restrict new_v = v_writer.begin(next_v_.row(i) + 1);
#pragma omp simd
        for (std::int64_t j = 0; j < n_ - 2; ++j) {
          const double along = u[j] * advection, across = v[j] * advection;
          new_u[j] = u[j] - along * (u[j] - u[j - 1]) - across * (u[j] - u_low[j]) - pressure * (p[j + 1] - p[j - 1]) +
                     diffusion * (u[j + 1] + u[j - 1] + u_high[j] + u_low[j] - 4.0 * u[j]);
          new_v[j] = v[j] - along * (v[j] - v[j - 1]) - across * (v[j] - v_low[j]) - pressure * (p_high[j] - p_low[j]) +
                     diffusion * (v[j + 1] + v[j - 1] + v_high[j] + v_low[j] - 4.0 * v[j]);
        }
        u_writer.end(n_ - 2);
        v_writer.end(n_ - 2);
      }
    }
    std::fill_n(next_u_.row(n_ - 1), n_, 1.0);  // the lid; the other rims are 0
    std::swap(u_, next_u_);
    std::swap(v_, next_v_);
  }

  static constexpr double kRho = 1, kNu = 0.1;
  std::int64_t n_;
  double dx_ = 2.0 / static_cast<double>(n_ - 1), dt_ = 0.001 * dx_;
  Grid u_, v_, next_u_, next_v_, p_, next_p_, b_;
};

}  // namespace

Rival cavity(std::int64_t n) {
  return rival_of(std::make_shared<Cavity>(n));
}

}  // namespace pilum::by_hand
