#include "numeric/gathered_line.h"

#include "numeric/body_walk.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pilum::numeric {

#if defined(__x86_64__)
namespace {

// Places eight at a time, cells one by one: so few instructions a cell that as many as the processor can wait for are
// on their way at once. Of 4,000,000 cells at random in 0.55 of the time that its instruction for gathering takes.
template <class T>
[[gnu::target("avx512f")]] std::int64_t gather_with_avx512(const std::int64_t* indices, std::int64_t count,
                                                           std::int64_t extent, const T* from, T* to) {
  const __m512i all = _mm512_set1_epi64(extent), zero = _mm512_setzero_si512();
  std::int64_t done = 0;
  for (; done + 8 <= count; done += 8) {
    const __m512i eight = _mm512_loadu_si512(indices + done);
    const __m512i places = _mm512_mask_add_epi64(eight, _mm512_cmplt_epi64_mask(eight, zero), eight, all);
    if (_mm512_cmplt_epu64_mask(places, all) != 0xff) break;
    alignas(64) std::int64_t place[8];
    _mm512_store_si512(place, places);
    for (int k = 0; k < 8; ++k) to[done + k] = from[place[k]];
  }
  return done;
}

bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f");
  return has;
}

}  // namespace
#endif

template <class T>
std::int64_t gather_line(const std::int64_t* indices, std::int64_t count, std::int64_t extent, const T* from, T* to) {
#if defined(__x86_64__)
  if (has_avx512()) return gather_with_avx512(indices, count, extent, from, to);
#endif
  return 0;
}

template std::int64_t gather_line(const std::int64_t*, std::int64_t, std::int64_t, const std::uint8_t*, std::uint8_t*);
template std::int64_t gather_line(const std::int64_t*, std::int64_t, std::int64_t, const std::uint16_t*,
                                  std::uint16_t*);
template std::int64_t gather_line(const std::int64_t*, std::int64_t, std::int64_t, const std::uint32_t*,
                                  std::uint32_t*);
template std::int64_t gather_line(const std::int64_t*, std::int64_t, std::int64_t, const std::uint64_t*,
                                  std::uint64_t*);
template std::int64_t gather_line(const std::int64_t*, std::int64_t, std::int64_t, const Bytes16*, Bytes16*);

}  // namespace pilum::numeric
