#include "tests/perf/kernel/hand_written.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace pilum::perf {

void jacobi_plain(const double* in, double* out, std::int64_t first, std::int64_t last, std::int64_t n,
                  std::int64_t pitch, double scale) {
  for (std::int64_t i = first; i < last; ++i) {
    const double* __restrict c = in + i * pitch;
    double* __restrict o = out + i * pitch;
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) {
      o[j] = scale * (c[j] + c[j - pitch] + c[j + pitch] + c[j - 1] + c[j + 1]);
    }
  }
}

void jacobi_streaming(const double* in, double* out, std::int64_t first, std::int64_t last, std::int64_t n,
                      std::int64_t pitch, double scale) {
#if defined(__AVX512F__)
  const __m512d factor = _mm512_set1_pd(scale);
  for (std::int64_t i = first; i < last; ++i) {
    const double* c = in + i * pitch;
    double* o = out + i * pitch;
    std::int64_t j = 0;
    for (; j + 8 <= n; j += 8) {
      __m512d sum = _mm512_add_pd(_mm512_loadu_pd(c + j), _mm512_loadu_pd(c + j - pitch));
      sum = _mm512_add_pd(sum, _mm512_loadu_pd(c + j + pitch));
      sum = _mm512_add_pd(sum, _mm512_loadu_pd(c + j - 1));
      sum = _mm512_add_pd(sum, _mm512_loadu_pd(c + j + 1));
      _mm512_stream_pd(o + j, _mm512_mul_pd(sum, factor));
    }
    for (; j < n; ++j) o[j] = scale * (c[j] + c[j - pitch] + c[j + pitch] + c[j - 1] + c[j + 1]);
  }
  _mm_sfence();
#elif defined(__AVX__)
  const __m256d factor = _mm256_set1_pd(scale);
  for (std::int64_t i = first; i < last; ++i) {
    const double* c = in + i * pitch;
    double* o = out + i * pitch;
    std::int64_t j = 0;
    for (; j + 4 <= n; j += 4) {
      __m256d sum = _mm256_add_pd(_mm256_loadu_pd(c + j), _mm256_loadu_pd(c + j - pitch));
      sum = _mm256_add_pd(sum, _mm256_loadu_pd(c + j + pitch));
      sum = _mm256_add_pd(sum, _mm256_loadu_pd(c + j - 1));
      sum = _mm256_add_pd(sum, _mm256_loadu_pd(c + j + 1));
      _mm256_stream_pd(o + j, _mm256_mul_pd(sum, factor));
    }
    for (; j < n; ++j) o[j] = scale * (c[j] + c[j - pitch] + c[j + pitch] + c[j - 1] + c[j + 1]);
  }
  _mm_sfence();
#else
  jacobi_plain(in, out, first, last, n, pitch, scale);
#endif
}

double sum(const double* in, std::int64_t n) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (std::int64_t i = 0; i < n; ++i) total += in[i];
  return total;
}

}  // namespace pilum::perf
