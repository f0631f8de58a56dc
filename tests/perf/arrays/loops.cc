#include "tests/perf/arrays/loops.h"

#include <algorithm>

#include "tests/perf/programs/by_hand/row_writer.h"

namespace pilum::by_hand {
namespace {

constexpr std::int64_t kRow = 4096;

// Calls write(to, i, cells) for each row of the result, of which `to` gets the cells from i on.
template <class Write>
void by_rows(Stores stores, double* out, std::int64_t cells, const Write& write) {
#pragma omp parallel
  {
    RowWriter writer(stores, kRow);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < cells; i += kRow) {
      const std::int64_t count = std::min(kRow, cells - i);
      write(writer.begin(out + i), i, count);
      writer.end(count);
    }
  }
}

}  // namespace

void add_product(Stores stores, double* out, const double* a, const double* b, const double* c, std::int64_t cells) {
  by_rows(stores, out, cells, [=](double* __restrict to, std::int64_t i, std::int64_t count) {
#pragma omp simd
    for (std::int64_t k = 0; k < count; ++k) to[k] = a[i + k] + b[i + k] * c[i + k];
  });
}

double read(const double* a, std::int64_t cells) {
  double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (std::int64_t i = 0; i < cells; i += kRow) {
    double sums[64] = {};
    const std::int64_t count = std::min(kRow, cells - i);
    std::int64_t k = 0;
    for (; k + 64 <= count; k += 64) {
#pragma omp simd
      for (int lane = 0; lane < 64; ++lane) sums[lane] += a[i + k + lane];
    }
    for (; k < count; ++k) sums[0] += a[i + k];
    for (const double sum : sums) total += sum;
  }
  return total;
}

void take(Stores stores, double* out, const double* a, const std::int64_t* places, std::int64_t cells) {
  by_rows(stores, out, cells, [=](double* __restrict to, std::int64_t i, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) to[k] = a[places[i + k]];
  });
}

}  // namespace pilum::by_hand
