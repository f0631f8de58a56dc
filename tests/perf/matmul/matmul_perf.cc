// Products of matrices, float64, against OpenBLAS called directly with as many threads, and a matrix by a vector
// against a loop that reads as much. What is compared runs in turn; medians are shown. matmul_perf [n] [rounds]
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <dlfcn.h>
#include <omp.h>

#include "pilum/pilum.h"
#include "tests/perf/samples.h"

namespace pilum::perf {
namespace {

namespace np = pilum::numeric;

using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*,
                       int);
struct OpenBlas {
  Dgemm dgemm = nullptr;
  void (*set_threads)(int) = nullptr;
};

OpenBlas load() {
  void* const library = dlopen(PILUM_OPENBLAS_LIBRARY, RTLD_NOW);
  if (!library) return {};
  return {reinterpret_cast<Dgemm>(dlsym(library, "cblas_dgemm")),
          reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"))};
}

double time_of(const std::function<void()>& work, int times) {
  const auto start = Clock::now();
  for (int k = 0; k < times; ++k) work();
  return seconds_since(start) / times;
}

// The medians of both, run in turn.
void compare(const char* what, const std::function<void()>& ours, const std::function<void()>& theirs, int times,
             int rounds, double work, const char* unit) {
  std::vector<double> a, b, ratios;
  for (int round = 0; round < rounds + 1; ++round) {
    const double mine = time_of(ours, times), other = time_of(theirs, times);
    if (round == 0) continue;  // the first one compiles and plans
    a.push_back(mine);
    b.push_back(other);
    ratios.push_back(other / mine);
  }
  const Spread mine = spread_of(a), other = spread_of(b), ratio = spread_of(ratios);
  std::printf("%-24s %10.1f us %8.1f %s; directly %10.1f us %8.1f %s; speed %.3f x (%.3f to %.3f)\n", what,
              mine.median * 1e6, work / mine.median * 1e-9, unit, other.median * 1e6, work / other.median * 1e-9, unit,
              ratio.median, ratio.low, ratio.high);
}

void compare_products(Runtime& runtime, const OpenBlas& library, std::int64_t n, int times, int rounds) {
  const np::Array a = np::arange(n * n, np::float64).reshape({n, n}) % 17.0;
  const np::Array b = np::arange(n * n, np::float64).reshape({n, n}) % 13.0;
  const auto left = a.to_vector<double>(), right = b.to_vector<double>();
  std::vector<double> product(static_cast<std::size_t>(n * n));
  np::Array c;
  const auto ours = [&] {
    for (int k = 0; k < times; ++k) c = np::matmul(a, b);
    runtime.wait();
  };
  const auto directly = [&] {
    library.set_threads(omp_get_max_threads());
    const int size = static_cast<int>(n);
    for (int k = 0; k < times; ++k) {
      library.dgemm(101, 111, 111, size, size, size, 1, left.data(), size, right.data(), size, 0, product.data(), size);
    }
    library.set_threads(1);
  };
  char name[64];
  std::snprintf(name, sizeof name, "matmul %ld^2, %d times", static_cast<long>(n), times);
  const auto cubed = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  compare(name, ours, directly, 1, rounds, 2 * cubed * times, "GFLOP/s");
  if (c.to_vector<double>() != product) std::printf("  WRONG: the products differ\n");
}

void compare_vector(Runtime& runtime, std::int64_t n, int rounds) {
  const np::Array a = np::arange(n * n, np::float64).reshape({n, n}) % 17.0 + 0.5;
  const np::Array x = np::arange(n, np::float64) % 13.0;
  const auto cells = a.to_vector<double>();
  const auto count = static_cast<std::int64_t>(cells.size());
  np::Array y;
  double sum = 0;
  const auto ours = [&] {
    y = np::matmul(a, x);
    runtime.wait();
  };
  const auto read = [&] {
    const double* const from = cells.data();
    double total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (std::int64_t k = 0; k < count; ++k) total += from[k];
    sum += total;
  };
  compare("A @ x", ours, read, 1, rounds, static_cast<double>(count) * 8, "GB/s");
  if (sum == 0) std::printf("nothing was read\n");
}

}  // namespace
}  // namespace pilum::perf

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  const pilum::perf::OpenBlas library = pilum::perf::load();
  if (!library.dgemm || !library.set_threads) {
    std::printf("there is no OpenBLAS\n");
    return 1;
  }
  const std::int64_t n = argc > 1 ? std::atol(argv[1]) : 4096;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  pilum::perf::compare_products(runtime, library, n, 1, rounds);
  for (const std::int64_t small : {512, 64, 32, 8}) pilum::perf::compare_products(runtime, library, small, 20, rounds);
  pilum::perf::compare_products(runtime, library, 64, 1000, rounds);
  pilum::perf::compare_vector(runtime, 2 * n, rounds);
}
