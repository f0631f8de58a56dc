// Contents that tell their message from every other, for comparison after a transfer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace pilum::test {

inline std::vector<std::byte> make_pattern(std::uint64_t key, std::size_t bytes) {
  std::vector<std::byte> pattern(bytes);
  std::uint64_t state = key * 0x9e3779b97f4a7c15 + 0x1234567;
  for (std::size_t at = 0; at < bytes; at += sizeof(state)) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(pattern.data() + at, &state, bytes - at < sizeof(state) ? bytes - at : sizeof(state));
  }
  return pattern;
}

}  // namespace pilum::test
