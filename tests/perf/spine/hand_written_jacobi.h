// The Jacobi sweep as a careful programmer writes it with OpenMP.
#pragma once

#include <cstdint>
#include <memory>

namespace pilum::perf {

// Two grids with padded, aligned rows on huge pages, touched first by the threads that use them; all cores.
class HandWrittenJacobi {
 public:
  explicit HandWrittenJacobi(std::int64_t n);
  void run(int sweeps, bool streaming);

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(double* memory) const;
  };
  using Grid = std::unique_ptr<double, Unmap>;
  Grid make() const;
  double* first_cell(const Grid& grid) const;  // (1, 1)

  std::int64_t n_, pitch_;
  Grid from_, to_;
};

}  // namespace pilum::perf
