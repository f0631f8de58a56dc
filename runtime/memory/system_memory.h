// Blocks of memory from the operating system, and what sanitizers are told about them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pilum::memory {

inline constexpr std::int64_t kAlignment = 64;      // of every block
inline constexpr std::int64_t kBigBlock = 1 << 20;  // from here on: own mapping, on huge pages
inline constexpr std::int64_t kHugePage = 2 << 20;
inline constexpr std::int64_t kPage = 4096;

// Null when the system refuses. `bytes` is a multiple of kAlignment, for big blocks of kPage. Big blocks start on a
// huge page's border; their pages are zero and nobody's until they are touched, by the thread (and so on the NUMA
// domain) that touches them first. The contents of others are undefined.
[[nodiscard]] void* map_block(std::int64_t bytes) noexcept;
void unmap_block(void* block, std::int64_t bytes) noexcept;

// Under AddressSanitizer: a touch of poisoned memory is reported. Otherwise nothing.
void poison(void* start, std::int64_t bytes) noexcept;
void unpoison(void* start, std::int64_t bytes) noexcept;

}  // namespace pilum::memory
