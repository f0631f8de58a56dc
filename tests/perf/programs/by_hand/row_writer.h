// How a loop writes the rows of a grid that it does not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "tests/perf/programs/by_hand/stores.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace pilum::by_hand {

// A thread's: it computes a row where begin() says, and end() sees to it that the row is in the grid.
class RowWriter {
 public:
  RowWriter(Stores stores, std::int64_t longest_row) {
#if defined(__AVX__)
    if (stores == Stores::Plain) return;
    const std::size_t lines = static_cast<std::size_t>(longest_row) / kLine + 2;
    buffer_.reset(static_cast<double*>(std::aligned_alloc(kLine * sizeof(double), lines * kLine * sizeof(double))));
#endif
  }
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  ~RowWriter() {
#if defined(__AVX__)
    if (buffer_) _mm_sfence();
#endif
  }

  double* begin(double* row) {
    row_ = row;
    if (!buffer_) return row;
    return buffer_.get() + place_in_line();
  }
  void end(std::int64_t cells) {
    if (buffer_) stream(buffer_.get() + place_in_line(), row_, cells);
  }

 private:
  static constexpr std::size_t kLine = 8;  // doubles of a cache line
  struct Free {
    void operator()(double* memory) const { std::free(memory); }
  };

  std::size_t place_in_line() const { return reinterpret_cast<std::uintptr_t>(row_) / sizeof(double) % kLine; }

  // Both begin at the same place of a cache line.
  static void stream([[maybe_unused]] const double* from, [[maybe_unused]] double* to,
                     [[maybe_unused]] std::int64_t cells) {
#if defined(__AVX__)
    std::int64_t j = 0;
    while (j < cells && reinterpret_cast<std::uintptr_t>(to + j) % (kLine * sizeof(double)) != 0) to[j] = from[j], ++j;
#if defined(__AVX512F__)
    for (; j + 8 <= cells; j += 8) _mm512_stream_pd(to + j, _mm512_load_pd(from + j));
#else
    for (; j + 4 <= cells; j += 4) _mm256_stream_pd(to + j, _mm256_load_pd(from + j));
#endif
    for (; j < cells; ++j) to[j] = from[j];
#endif
  }

  std::unique_ptr<double, Free> buffer_;
  double* row_ = nullptr;
};

}  // namespace pilum::by_hand
