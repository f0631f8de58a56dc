// Memory of an array, as a careful programmer allocates it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace pilum::by_hand {

// rows x columns doubles in padded rows on huge pages, of which the cell of `aligned_column` begins a cache line. The
// threads of OpenMP's static schedule touch their rows first. Grids begin at different places of a page, so that
// their rows are not all a multiple of 4 KiB apart.
class Grid {
 public:
  using Value = std::function<double(std::int64_t row, std::int64_t column)>;
  Grid(std::int64_t rows, std::int64_t columns, std::int64_t aligned_column, const Value& value);

  double* row(std::int64_t i) { return first_ + i * pitch_; }
  const double* row(std::int64_t i) const { return first_ + i * pitch_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::size_t bytes() const { return static_cast<std::size_t>(rows_ * pitch_) * sizeof(double); }
  void fill(const Value& value);
  // Its cells in row-major order, but for so many at each side.
  std::vector<double> cells(std::int64_t rim = 0) const;

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(double* memory) const;
  };

  std::int64_t rows_, columns_, pitch_;
  std::unique_ptr<double, Unmap> memory_;
  double* first_;
};

}  // namespace pilum::by_hand
