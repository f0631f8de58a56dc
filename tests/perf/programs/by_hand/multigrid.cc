// The V-cycle of multigrid.h: residuals are weighted row by row as they are computed, errors added where they are
// interpolated.
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/perf/programs/by_hand/grid.h"
#include "tests/perf/programs/by_hand/rival.h"
#include "tests/perf/programs/by_hand/row_writer.h"

#include <omp.h>

namespace pilum::by_hand {
namespace {

struct Level {
  explicit Level(std::int64_t cells)
      : n(cells),
        h2(1 / (static_cast<double>(cells) * static_cast<double>(cells))),
        u(make()),
        next_u(make()),
        f(make()) {}
  Grid make() const {
    return Grid(n + 1, n + 1, 1, [](std::int64_t, std::int64_t) { return 0.0; });
  }

  std::int64_t n;
  double h2;
  Grid u, next_u, f;
};

// Three rows of the residual, of which two are neighbours of the next coarse row, too.
class ResidualRows {
 public:
  explicit ResidualRows(const Level& level) : level_(level) {
    for (auto& row : rows_) row.assign(static_cast<std::size_t>(level.n + 1), 0.0);
  }
  // Of the row that the number modulo 3 tells.
  void compute(std::int64_t i) {
    const double *u = level_.u.row(i), *low = level_.u.row(i - 1), *high = level_.u.row(i + 1), *f = level_.f.row(i);
    const double factor = 1 / level_.h2;
    double* __restrict r = row(i);
#pragma omp simd
    for (std::int64_t j = 1; j < level_.n; ++j) {
      r[j] = f[j] + (low[j] + high[j] + u[j - 1] + u[j + 1] - 4.0 * u[j]) * factor;
    }
  }
  double* row(std::int64_t i) { return rows_[i % 3].data(); }

 private:
  const Level& level_;
  std::vector<double> rows_[3];
};

class Multigrid {
 public:
  explicit Multigrid(std::int64_t n) {
    for (std::int64_t cells = n; cells >= 4; cells /= 2) levels_.emplace_back(cells);
    levels_.front().f.fill([n](std::int64_t i, std::int64_t j) {
      if (i >= n / 4 && i < n / 2 && j >= n / 4 && j < n / 2) return -2.0;
      return i > 0 && i < n && j > 0 && j < n ? 1.0 : 0.0;
    });
  }

  void step(Stores stores) { cycle(0, stores); }
  std::vector<double> field(std::size_t) const { return levels_.front().u.cells(); }

 private:
  void cycle(std::size_t number, Stores stores) {
    Level& level = levels_[number];
    if (level.u.bytes() < kCached) stores = Stores::Plain;
    if (number + 1 == levels_.size()) {
      for (int sweep = 0; sweep < 8; ++sweep) smooth(level, stores);
      return;
    }
    Level& coarse = levels_[number + 1];
    smooth(level, stores), smooth(level, stores);
    restrict_residual(level, coarse);
    cycle(number + 1, stores);
    correct(level, coarse);
    smooth(level, stores), smooth(level, stores);
  }

  static void smooth(Level& level, Stores stores) {
    const std::int64_t inner = level.n - 1;
#pragma omp parallel if (level.n > kAlone)
    {
      RowWriter writer(stores, inner);
#pragma omp for schedule(static)
      for (std::int64_t i = 1; i <= inner; ++i) {
        const double *u = level.u.row(i) + 1, *low = level.u.row(i - 1) + 1, *high = level.u.row(i + 1) + 1;
        const double* f = level.f.row(i) + 1;
        double* __restrict next = writer.begin(level.next_u.row(i) + 1);
#pragma omp simd
        for (std::int64_t j = 0; j < inner; ++j) {
          next[j] = u[j] + 0.2 * (low[j] + high[j] + u[j - 1] + u[j + 1] - 4.0 * u[j] + level.h2 * f[j]);
        }
        writer.end(inner);
      }
    }
    std::swap(level.u, level.next_u);
  }

  // The coarser u becomes 0 on the way.
  static void restrict_residual(const Level& fine, Level& coarse) {
    const std::int64_t inner = coarse.n - 1;
#pragma omp parallel if (fine.n > kAlone)
    {
      const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
      const std::int64_t first = 1 + inner * thread / threads, last = 1 + inner * (thread + 1) / threads;
      ResidualRows residual(fine);
      if (first < last) residual.compute(2 * first - 1);
      for (std::int64_t i = first; i < last; ++i) {
        residual.compute(2 * i);
        residual.compute(2 * i + 1);
        const double *low = residual.row(2 * i - 1), *here = residual.row(2 * i), *high = residual.row(2 * i + 1);
        double* __restrict f = coarse.f.row(i), * __restrict u = coarse.u.row(i);
#pragma omp simd
        for (std::int64_t j = 1; j <= inner; ++j) {
          const std::int64_t at = 2 * j;
          f[j] = 0.25 * here[at] + 0.125 * (low[at] + high[at] + here[at - 1] + here[at + 1]) +
                 0.0625 * (low[at - 1] + low[at + 1] + high[at - 1] + high[at + 1]);
          u[j] = 0.0;
        }
      }
    }
  }

  static void correct(Level& fine, const Level& coarse) {
    const std::int64_t half = coarse.n;
#pragma omp parallel for schedule(static) if (fine.n > kAlone)
    for (std::int64_t i = 1; i < fine.n; ++i) {
      double* __restrict u = fine.u.row(i);
      const double *low = coarse.u.row(i / 2), *high = coarse.u.row((i + 1) / 2);  // the same of an even row
      // Cell 0 is a rim, and so is what is added there.
#pragma omp simd
      for (std::int64_t j = 0; j < half; ++j) {
        const double here = 0.5 * (low[j] + high[j]), next = 0.5 * (low[j + 1] + high[j + 1]);
        u[2 * j] += here;
        u[2 * j + 1] += 0.5 * (here + next);
      }
    }
  }

  static constexpr std::size_t kCached = std::size_t{8} << 20;  // grids that are not written past the caches
  static constexpr std::int64_t kAlone = 32;                    // a thread is as fast as several, or faster
  std::vector<Level> levels_;
};

}  // namespace

Rival multigrid(std::int64_t n) {
  return rival_of(std::make_shared<Multigrid>(n));
}

}  // namespace pilum::by_hand
