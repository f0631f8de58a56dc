// The same work as a careful programmer writes it, compiled with -O3 -march=native.
#pragma once

#include <cstdint>

namespace pilum::perf {

// out = scale * (centre + north + south + west + east) for rows [first, last), n columns; pitch in elements.
void jacobi_plain(const double* in, double* out, std::int64_t first, std::int64_t last, std::int64_t n,
                  std::int64_t pitch, double scale);
// With non-temporal stores; out's rows start on 64 bytes.
void jacobi_streaming(const double* in, double* out, std::int64_t first, std::int64_t last, std::int64_t n,
                      std::int64_t pitch, double scale);
// The sum of n numbers, reassociated freely.
double sum(const double* in, std::int64_t n);

}  // namespace pilum::perf
