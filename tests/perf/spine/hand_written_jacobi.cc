#include "tests/perf/spine/hand_written_jacobi.h"

#include <new>
#include <utility>

#include <omp.h>
#include <sys/mman.h>

#include "tests/perf/kernel/hand_written.h"

namespace pilum::perf {
namespace {

constexpr std::int64_t kLine = 8;  // doubles of a cache line

}  // namespace

void HandWrittenJacobi::Unmap::operator()(double* memory) const {
  ::munmap(memory, bytes);
}

HandWrittenJacobi::HandWrittenJacobi(std::int64_t n)
    : n_(n), pitch_((n + 2 + 2 * kLine - 1) / kLine * kLine + kLine), from_(make()), to_(make()) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n_ + 2; ++i) {
    for (std::int64_t j = 0; j < pitch_; ++j)
      from_.get()[i * pitch_ + j] = to_.get()[i * pitch_ + j] = i == 0 ? 40.0 : -273.15;
  }
}

HandWrittenJacobi::Grid HandWrittenJacobi::make() const {
  const std::size_t bytes = static_cast<std::size_t>((n_ + 2) * pitch_) * sizeof(double);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  return Grid(static_cast<double*>(memory), Unmap{bytes});
}

// Column 1 lies on a cache line: column 0 is the last cell of the one before.
double* HandWrittenJacobi::first_cell(const Grid& grid) const {
  return grid.get() + pitch_ + kLine;
}

void HandWrittenJacobi::run(int sweeps, bool streaming) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const double* in = first_cell(from_);
    double* out = first_cell(to_);
#pragma omp parallel
    {
      const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
      const std::int64_t first = n_ * thread / threads, last = n_ * (thread + 1) / threads;
      if (streaming) {
        jacobi_streaming(in, out, first, last, n_, pitch_, 0.2);
      } else {
        jacobi_plain(in, out, first, last, n_, pitch_, 0.2);
      }
    }
    std::swap(from_, to_);
  }
}

}  // namespace pilum::perf
