#include "numeric/short_sort.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pilum::numeric {

#if defined(__x86_64__)
namespace {

bool has_vectors() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt");
  return has;
}

[[gnu::target("avx512f,popcnt")]] std::uint32_t mask_of_less(const __m512i& keys, std::uint64_t key) {
  return _mm512_cmplt_epu64_mask(keys, _mm512_set1_epi64(static_cast<long long>(key)));
}
[[gnu::target("avx512f,popcnt")]] std::uint32_t mask_of_less(const __m512i& keys, std::uint32_t key) {
  return _mm512_cmplt_epu32_mask(keys, _mm512_set1_epi32(static_cast<int>(key)));
}
[[gnu::target("avx512f,popcnt")]] std::uint32_t mask_of_equal(const __m512i& keys, std::uint64_t key) {
  return _mm512_cmpeq_epi64_mask(keys, _mm512_set1_epi64(static_cast<long long>(key)));
}
[[gnu::target("avx512f,popcnt")]] std::uint32_t mask_of_equal(const __m512i& keys, std::uint32_t key) {
  return _mm512_cmpeq_epi32_mask(keys, _mm512_set1_epi32(static_cast<int>(key)));
}

// A key's place is how many are less, and how many of those on its left are equal. Bit k of a mask is the k-th key's.
template <class Key>
[[gnu::target("avx512f,popcnt")]] void rank_with_avx512(const Key* keys, std::int64_t count, std::uint8_t* places) {
  constexpr std::int64_t kLanes = 64 / sizeof(Key);
  __m512i all[kMostInShortLine / kLanes];
  const std::int64_t vectors = (count + kLanes - 1) / kLanes;
  for (std::int64_t v = 0; v < vectors; ++v) all[v] = _mm512_load_si512(keys + kLanes * v);
  const std::uint32_t counted = ~std::uint32_t{0} >> (kMostInShortLine - count);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t left = (std::uint32_t{1} << i) - 1;
    std::uint32_t before = 0;
    for (std::int64_t v = 0; v < vectors; ++v) {
      const std::uint32_t on_left = left >> (kLanes * v);
      before |= (mask_of_less(all[v], keys[i]) | (mask_of_equal(all[v], keys[i]) & on_left)) << (kLanes * v);
    }
    places[i] = static_cast<std::uint8_t>(_mm_popcnt_u32(before & counted));
  }
}

template <class Key>
bool rank(const Key* keys, std::int64_t count, std::uint8_t* places) {
  if (!has_vectors()) return false;
  if (count > 0) rank_with_avx512(keys, count, places);
  return true;
}

}  // namespace

bool rank_keys(const std::uint64_t* keys, std::int64_t count, std::uint8_t* places) {
  return rank(keys, count, places);
}
bool rank_keys(const std::uint32_t* keys, std::int64_t count, std::uint8_t* places) {
  return rank(keys, count, places);
}
#else
bool rank_keys(const std::uint64_t*, std::int64_t, std::uint8_t*) {
  return false;
}
bool rank_keys(const std::uint32_t*, std::int64_t, std::uint8_t*) {
  return false;
}
#endif

}  // namespace pilum::numeric
