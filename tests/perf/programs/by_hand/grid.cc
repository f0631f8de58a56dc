#include "tests/perf/programs/by_hand/grid.h"

#include <new>

#include <sys/mman.h>

namespace pilum::by_hand {
namespace {

constexpr std::int64_t kLine = 8;  // doubles of a cache line
constexpr std::int64_t kPage = 512;

double* map(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<double*>(memory);
}

// Where the next grid begins in its first page: nine lines behind the one before.
std::int64_t next_begin() {
  static std::int64_t begin = 0;
  begin = (begin + 9 * kLine) % kPage;
  return begin;
}

}  // namespace

void Grid::Unmap::operator()(double* memory) const {
  ::munmap(memory, bytes);
}

Grid::Grid(std::int64_t rows, std::int64_t columns, std::int64_t aligned_column, const Value& value)
    : rows_(rows), columns_(columns), pitch_((columns + kLine - 1) / kLine * kLine + kLine) {
  const std::size_t bytes = static_cast<std::size_t>(rows * pitch_ + kPage + kLine) * sizeof(double);
  memory_ = {map(bytes), Unmap{bytes}};
  first_ = memory_.get() + next_begin() + (kLine - aligned_column % kLine) % kLine;
  fill(value);
}

void Grid::fill(const Value& value) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < rows_; ++i) {
    for (std::int64_t j = 0; j < columns_; ++j) row(i)[j] = value(i, j);
  }
}

std::vector<double> Grid::cells(std::int64_t rim) const {
  std::vector<double> cells;
  cells.reserve(static_cast<std::size_t>((rows_ - 2 * rim) * (columns_ - 2 * rim)));
  for (std::int64_t i = rim; i < rows_ - rim; ++i) cells.insert(cells.end(), row(i) + rim, row(i) + columns_ - rim);
  return cells;
}

}  // namespace pilum::by_hand
