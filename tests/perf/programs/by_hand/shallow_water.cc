// Shallow water by Lax-Friedrichs' scheme: one pass; a thread keeps the fluxes of the rows that it is between, so that
// those of a cell are computed once.
#include <algorithm>
#include <utility>
#include <vector>

#include "tests/perf/programs/by_hand/grid.h"
#include "tests/perf/programs/by_hand/rival.h"
#include "tests/perf/programs/by_hand/row_writer.h"

#include <omp.h>

namespace pilum::by_hand {
namespace {

struct Fluxes {
  explicit Fluxes(std::int64_t n) : u(count(n)), v(count(n)), uv(count(n)) {}
  static std::size_t count(std::int64_t n) { return static_cast<std::size_t>(n); }
  void compute(const double* h, const double* hu, const double* hv, std::int64_t n) {
    double* __restrict fu = u.data(), * __restrict fv = v.data(), * __restrict fuv = uv.data();
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) {
      const double speed = hu[j] / h[j], other_speed = hv[j] / h[j], pressure = 4.9 * h[j] * h[j];
      fu[j] = hu[j] * speed + pressure;
      fv[j] = hv[j] * other_speed + pressure;
      fuv[j] = hv[j] * speed;
    }
  }
  std::vector<double> u, v, uv;
};

class ShallowWater {
 public:
  explicit ShallowWater(std::int64_t n)
      : n_(n),
        h_(make(1.0, 1.1)),
        hu_(make(0.0, 0.0)),
        hv_(make(0.0, 0.0)),
        next_h_(make(1.0, 1.1)),
        next_hu_(make(0.0, 0.0)),
        next_hv_(make(0.0, 0.0)) {}

  void step(Stores stores) {
#pragma omp parallel
    {
      const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num(), inner = n_ - 2;
      compute_rows(1 + inner * thread / threads, 1 + inner * (thread + 1) / threads, stores);
    }
    std::swap(h_, next_h_);
    std::swap(hu_, next_hu_);
    std::swap(hv_, next_hv_);
  }
  std::vector<double> field(std::size_t number) const { return (number == 0 ? h_ : number == 1 ? hu_ : hv_).cells(); }

 private:
  Grid make(double value, double spot) const {
    return Grid(n_, n_, 1, [=, n = n_](std::int64_t i, std::int64_t j) {
      return i >= n / 4 && i < n / 2 && j >= n / 4 && j < n / 2 ? spot : value;
    });
  }

  void compute_rows(std::int64_t first, std::int64_t last, Stores stores) {
    if (first >= last) return;
    Fluxes low(n_), here(n_), high(n_);
    RowWriter h_writer(stores, n_), hu_writer(stores, n_), hv_writer(stores, n_);
    const auto compute = [this](Fluxes& fluxes, std::int64_t i) {
      fluxes.compute(h_.row(i), hu_.row(i), hv_.row(i), n_);
    };
    compute(low, first - 1);
    compute(here, first);
    for (std::int64_t i = first; i < last; ++i) {
      compute(high, i + 1);
      double* new_h = h_writer.begin(next_h_.row(i) + 1);
      double* new_hu = hu_writer.begin(next_hu_.row(i) + 1);
      double* new_hv = hv_writer.begin(next_hv_.row(i) + 1);
      update(i, low, here, high, new_h, new_hu, new_hv);
      write_rims(next_h_, i, new_h);
      write_rims(next_hu_, i, new_hu);
      write_rims(next_hv_, i, new_hv);
      h_writer.end(n_ - 2);
      hu_writer.end(n_ - 2);
      hv_writer.end(n_ - 2);
      std::swap(low, here);
      std::swap(here, high);
    }
  }

  void update(std::int64_t i, const Fluxes& fluxes_low, const Fluxes& fluxes, const Fluxes& fluxes_high,
              double* __restrict new_h, double* __restrict new_hu, double* __restrict new_hv) const {
    const double *h = h_.row(i) + 1, *h_low = h_.row(i - 1) + 1, *h_high = h_.row(i + 1) + 1;
    const double *hu = hu_.row(i) + 1, *hu_low = hu_.row(i - 1) + 1, *hu_high = hu_.row(i + 1) + 1;
    const double *hv = hv_.row(i) + 1, *hv_low = hv_.row(i - 1) + 1, *hv_high = hv_.row(i + 1) + 1;
    const double *fu = fluxes.u.data() + 1, *fuv = fluxes.uv.data() + 1;
    const double *fuv_low = fluxes_low.uv.data() + 1, *fuv_high = fluxes_high.uv.data() + 1;
    const double *fv_low = fluxes_low.v.data() + 1, *fv_high = fluxes_high.v.data() + 1;
#pragma omp simd
    for (std::int64_t j = 0; j < n_ - 2; ++j) {
      new_h[j] =
          0.25 * (h_low[j] + h_high[j] + h[j - 1] + h[j + 1]) - 0.05 * (hu[j + 1] - hu[j - 1] + hv_high[j] - hv_low[j]);
      new_hu[j] = 0.25 * (hu_low[j] + hu_high[j] + hu[j - 1] + hu[j + 1]) -
                  0.05 * (fu[j + 1] - fu[j - 1] + fuv_high[j] - fuv_low[j]);
      new_hv[j] = 0.25 * (hv_low[j] + hv_high[j] + hv[j - 1] + hv[j + 1]) -
                  0.05 * (fuv[j + 1] - fuv[j - 1] + fv_high[j] - fv_low[j]);
    }
  }

  // What the inner cells of row i are to the rims, which repeat them.
  void write_rims(Grid& grid, std::int64_t i, const double* inner) const {
    const auto write = [&](double* row) {
      row[0] = inner[0];
      row[n_ - 1] = inner[n_ - 3];
    };
    write(grid.row(i));
    for (const std::int64_t rim : {std::int64_t{0}, n_ - 1}) {
      if (i != (rim == 0 ? 1 : n_ - 2)) continue;
      std::copy_n(inner, n_ - 2, grid.row(rim) + 1);
      write(grid.row(rim));
    }
  }

  std::int64_t n_;
  Grid h_, hu_, hv_, next_h_, next_hu_, next_hv_;
};

}  // namespace

Rival shallow_water(std::int64_t n) {
  return rival_of(std::make_shared<ShallowWater>(n));
}

}  // namespace pilum::by_hand
