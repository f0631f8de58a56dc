// Single operations of many kinds against the bytes that they must move: operations_perf CELLS [PART OF A NAME]. A row
// of each: the median and the least of nine times in milliseconds, and the gigabytes a second of its arguments and
// results.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pilum/pilum.h"
#include "tests/perf/samples.h"

namespace pilum::perf {
namespace {

namespace np = numeric;
using np::all, np::slice;

class Operations {
 public:
  Operations(Runtime& runtime, std::int64_t cells, std::string part)
      : runtime_(runtime), n_(cells), part_(std::move(part)) {
    runtime_.wait();
  }

  void run() {
    few_columns();
    matrices();
    functions();
    arrangements();
  }

 private:
  // `cells`: float64 that are read and written.
  void row(const std::string& name, double cells, const std::function<void()>& operation) {
    if (name.find(part_) == std::string::npos) return;
    std::vector<double> samples;
    for (int round = 0; round < 9; ++round) {
      const auto start = Clock::now();
      operation();
      runtime_.wait();
      samples.push_back(seconds_since(start));
    }
    const Spread seconds = spread_of(samples);
    std::printf("%-44s %9.3f %9.3f %8.1f\n", name.c_str(), 1e3 * seconds.median, 1e3 * seconds.low,
                8e-9 * cells / seconds.median);
  }

  // Points, vectors and weights as particle codes have them.
  void few_columns() {
    const auto n = static_cast<double>(n_);
    auto rng = np::random::default_rng(1);
    auto points = rng.random({n_, 3}), others = rng.random({n_, 3}), weights = rng.random(n_), result = rng.random(n_);
    auto coordinates = rng.random({3, n_});
    const auto by_row = np::expand_dims(weights, 1);
    const auto places = np::arange(n_ - 1, -1, -1);
    row("(N, 3) * (N, 1)", 7 * n, [&] { others[all] = points * by_row; });
    row("sqrt(sum(p * p, 1))", 4 * n, [&] { result[all] = np::sqrt(np::sum(points * points, 1)); });
    row("max(p, 1)", 4 * n, [&] { result[all] = np::max(points, 1); });
    row("vecdot(p, q)", 7 * n, [&] { result[all] = np::vecdot(points, others); });
    row("p / sqrt(sum(p * p, 1))", 9 * n,
        [&] { others[all] = points / np::expand_dims(np::sqrt(np::sum(points * points, 1)), 1); });
    row("sqrt(sum(c * c, 0)), c (3, N)", 4 * n, [&] { result[all] = np::sqrt(np::sum(coordinates * coordinates, 0)); });
    row("mean(p, 0)", 3 * n, [&] { held_ = np::mean(points, 0); });
    row("max(p, 0)", 3 * n, [&] { held_ = np::max(points, 0); });
    row("argmin(p, 1)", 4 * n, [&] { held_ = np::argmin(points, 1); });
    row("cumsum(p, 1)", 6 * n, [&] { others[all] = np::cumsum(points, 1); });
    row("p @ A, A (3, 3)", 6 * n, [&] { others[all] = np::matmul(points, np::eye(3)); });
    row("p.T into c", 6 * n, [&] { coordinates[all] = points.T(); });
    row("c.T into p", 6 * n, [&] { others[all] = coordinates.T(); });
    row("take(p, backwards, 0)", 7 * n, [&] { held_ = np::take(points, places, 0); });
    row("repeat(p, 2, 0)", 9 * n, [&] { held_ = np::repeat(points, 2, 0); });
    row("p.reshape(3 N) + 1", 6 * n, [&] { held_ = points.reshape({3 * n_}) + 1; });
  }

  void matrices() {
    constexpr std::int64_t kSide = 3000;
    constexpr double kCells = kSide * kSide;
    auto rng = np::random::default_rng(2);
    auto a = rng.random({kSide, kSide}), b = rng.random({kSide, kSide});
    auto line = rng.random(kSide);
    row("sum(m, 0)", kCells, [&] { held_ = np::sum(a, 0); });
    row("sum(m, 1)", kCells, [&] { held_ = np::sum(a, 1); });
    row("argmax(m, 0)", kCells, [&] { held_ = np::argmax(a, 0); });
    row("argmax(m, 1)", kCells, [&] { held_ = np::argmax(a, 1); });
    row("cumsum(m, 1)", 2 * kCells, [&] { b[all] = np::cumsum(a, 1); });
    row("m - mean(m, 0)", 3 * kCells, [&] { b[all] = a - np::mean(a, 0); });
    row("softmax of rows", 3 * kCells, [&] {
      const np::Array powers = np::exp(a - np::max(a, 1, true));
      b[all] = powers / np::sum(powers, 1, true);
    });
    row("m.T copied", 2 * kCells, [&] { b[all] = a.T(); });
    row("m[:, ::2] copied", kCells, [&] { b(all, slice(0, {}, 2)) = a(all, slice(0, {}, 2)); });
    row("m * line", 2 * kCells, [&] { b[all] = a * line; });
    row("trace(m)", kSide, [&] { held_ = np::trace(a); });
  }

  void functions() {
    const auto n = static_cast<double>(n_);
    auto rng = np::random::default_rng(3);
    auto a = rng.random(n_), b = rng.random(n_);
    auto whole = rng.integers(0, 100, {n_});
    row("a + b", 3 * n, [&] { b[all] = a + b; });
    row("a % 0.3", 2 * n, [&] { b[all] = np::remainder(a, 0.3); });
    row("a // 0.3", 2 * n, [&] { b[all] = np::floor_divide(a, 0.3); });
    row("int64 % 7", 2 * n, [&] { whole[all] = np::remainder(whole, 7); });
    row("sin", 2 * n, [&] { b[all] = np::sin(a); });
    row("a ** 2.5", 2 * n, [&] { b[all] = np::power(a, 2.5); });
    row("cumsum", 2 * n, [&] { b[all] = np::cumsum(a); });
    row("median", n, [&] { held_ = np::median(a); });
    row("histogram of 10", n, [&] { held_ = np::histogram(a, 10).first; });
  }

  void arrangements() {
    const auto n = static_cast<double>(n_);
    auto rng = np::random::default_rng(4);
    auto a = rng.random(n_), b = rng.random(n_);
    row("tile(a, 2)", 3 * n, [&] { held_ = np::tile(a, {2}); });
    row("repeat(a, 2)", 3 * n, [&] { held_ = np::repeat(a, 2); });
    row("roll", 2 * n, [&] { b[all] = np::roll(a, 5); });
    row("concatenate", 4 * n, [&] { held_ = np::concatenate({a, b}); });
    row("stack, last axis", 4 * n, [&] { held_ = np::stack({a, b}, 1); });
  }

  Runtime& runtime_;
  const std::int64_t n_;
  const std::string part_;
  np::Array held_ = np::zeros(1);  // a result that nobody holds is not computed
};

}  // namespace
}  // namespace pilum::perf

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  pilum::perf::Operations(runtime, argc > 1 ? std::atoll(argv[1]) : 4000000, argc > 2 ? argv[2] : "").run();
}
