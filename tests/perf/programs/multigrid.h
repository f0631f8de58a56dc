// Poisson's equation by multigrid, as a NumPy user writes it: strided slices between the grids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tests/scheduler/array_programs.h"

namespace pilum::programs {

namespace np = pilum::numeric;
using np::all, np::slice, np::Array;
using scheduler::programs::around, scheduler::programs::kIn, scheduler::programs::kButFirst,
    scheduler::programs::kButLast;

// -Δu = f on the unit square, u = 0 around it; n x n cells of points at their corners. V-cycles with two sweeps of
// damped Jacobi before and two after, down to 4 x 4 cells, where eight sweeps are all. (Briggs, Henson, McCormick: A
// Multigrid Tutorial, 2000.)
class MultigridPoisson {
 public:
  // Arrays of a grid's size that a V-cycle reads or writes on that grid, each pass by itself: four sweeps read u and f
  // and write u; the residual reads u and f and writes the coarser f; the correction reads u and the coarser u and
  // writes u.
  static constexpr double kArrays = 4 * 3 + 2.25 + 2.25;

  // Throws std::invalid_argument where n is no power of two, or less than 8.
  explicit MultigridPoisson(std::int64_t n) {
    if (n < 8 || (n & (n - 1)) != 0) throw std::invalid_argument("multigrid: its size is a power of two, at least 8");
    for (std::int64_t cells = n; cells >= 4; cells /= 2) {
      const np::Shape shape{cells + 1, cells + 1};
      const double width = 1 / static_cast<double>(cells);
      levels_.push_back({np::zeros(shape), np::zeros(shape), np::zeros(shape), width * width});
    }
    const Array& f = levels_.front().f;
    f(kIn, kIn) = 1.0;
    f(slice(n / 4, n / 2), slice(n / 4, n / 2)) = -2.0;
  }

  void cycle() const { cycle(0); }
  Array u() const { return levels_.front().u; }

 private:
  struct Level {
    Array u, f, r;
    double h2;  // width of a cell, squared
  };

  static void smooth(const Level& level) {
    auto inner = level.u(kIn, kIn);
    inner += 0.2 * (around(level.u) - 4.0 * inner + level.h2 * level.f(kIn, kIn));
  }

  // The residual, weighted fully, is the coarser grid's f.
  static void restrict_residual(const Level& fine, const Level& coarse) {
    const Array& r = fine.r;
    r(kIn, kIn) = fine.f(kIn, kIn) + (around(fine.u) - 4.0 * fine.u(kIn, kIn)) / fine.h2;
    const slice at(2, -2, 2), before(1, -2, 2), behind(3, {}, 2);
    coarse.f(kIn, kIn) = 0.25 * r(at, at) + 0.125 * (r(before, at) + r(behind, at) + r(at, before) + r(at, behind)) +
                         0.0625 * (r(before, before) + r(before, behind) + r(behind, before) + r(behind, behind));
  }

  // The coarser grid's u, interpolated linearly along both axes.
  static void correct(const Level& fine, const Level& coarse) {
    const slice even({}, {}, 2), odd(1, {}, 2), left(0, -1, 2), right(2, {}, 2);
    auto error = np::zeros(fine.u.shape());
    error(even, even) = coarse.u;
    error(odd, even) = 0.5 * (coarse.u(kButLast) + coarse.u(kButFirst));
    error(all, odd) = 0.5 * (error(all, left) + error(all, right));
    auto u = fine.u;
    u += error;
  }

  void cycle(std::size_t number) const {
    const Level& level = levels_[number];
    if (number + 1 == levels_.size()) {
      for (int sweep = 0; sweep < 8; ++sweep) smooth(level);
      return;
    }
    const Level& coarse = levels_[number + 1];
    smooth(level), smooth(level);
    restrict_residual(level, coarse);
    coarse.u[all] = 0.0;
    cycle(number + 1);
    correct(level, coarse);
    smooth(level), smooth(level);
  }

  std::vector<Level> levels_;
};

}  // namespace pilum::programs
