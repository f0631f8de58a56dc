// Conjugate gradient in three passes: w = A p with p.w; x and r with r.r; p. The residual's square is kept from step to
// step.
#include "tests/perf/programs/by_hand/grid.h"
#include "tests/perf/programs/by_hand/rival.h"

namespace pilum::by_hand {
namespace {

class ConjugateGradient {
 public:
  explicit ConjugateGradient(std::int64_t n)
      : n_(n), x_(n, n, 0, zero), r_(n, n, 0, zero), w_(n, n, 0, zero), p_(n + 2, n + 2, 1, zero) {
    restart();
  }

  void restart() {
    x_.fill(zero);
    r_.fill([](std::int64_t, std::int64_t) { return 1.0; });
    p_.fill([n = n_](std::int64_t i, std::int64_t j) {  // 0 around it
      return i >= 1 && i <= n && j >= 1 && j <= n ? 1.0 : 0.0;
    });
    rr_ = static_cast<double>(n_ * n_);
  }

  void step(Stores) {  // w is read again soon, the others are updated where they are
    const double alpha = rr_ / apply_matrix();
    const double rr = move_along(alpha);
    turn(rr / rr_);
    rr_ = rr;
  }
  std::vector<double> field(std::size_t) const { return x_.cells(); }

 private:
  static double zero(std::int64_t, std::int64_t) { return 0.0; }

  double apply_matrix() {
    double pw = 0;
#pragma omp parallel for schedule(static) reduction(+ : pw)
    for (std::int64_t i = 0; i < n_; ++i) {
      const double *low = p_.row(i) + 1, *here = p_.row(i + 1) + 1, *high = p_.row(i + 2) + 1;
      double *__restrict w = w_.row(i);
#pragma omp simd reduction(+ : pw)
      for (std::int64_t j = 0; j < n_; ++j) {
        w[j] = 4.0 * here[j] - low[j] - high[j] - here[j - 1] - here[j + 1];
        pw += here[j] * w[j];
      }
    }
    return pw;
  }

  double move_along(double alpha) {
    double rr = 0;
#pragma omp parallel for schedule(static) reduction(+ : rr)
    for (std::int64_t i = 0; i < n_; ++i) {
      const double *p = p_.row(i + 1) + 1, *w = w_.row(i);
      double *__restrict x = x_.row(i), *__restrict r = r_.row(i);
#pragma omp simd reduction(+ : rr)
      for (std::int64_t j = 0; j < n_; ++j) {
        x[j] += alpha * p[j];
        r[j] -= alpha * w[j];
        rr += r[j] * r[j];
      }
    }
    return rr;
  }

  void turn(double beta) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n_; ++i) {
      const double *r = r_.row(i);
      double *__restrict p = p_.row(i + 1) + 1;
#pragma omp simd
      for (std::int64_t j = 0; j < n_; ++j) p[j] = r[j] + beta * p[j];
    }
  }

  std::int64_t n_;
  Grid x_, r_, w_, p_;
  double rr_ = 0;
};

}  // namespace

Rival conjugate_gradient(std::int64_t n) {
  auto loops = std::make_shared<ConjugateGradient>(n);
  Rival rival = rival_of(loops);
  rival.restart = [loops] { loops->restart(); };
  rival.in_place = true;
  return rival;
}

}  // namespace pilum::by_hand
