#include "runtime/base/hash.h"

#include <array>
#include <cstring>

namespace pilum {

std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  constexpr std::size_t kLanes = 4;  // independent multiplications, so that their latencies overlap
  constexpr std::size_t kBlock = kLanes * sizeof(std::uint64_t);
  std::array<std::uint64_t, kLanes> lanes{1, 2, 3, 4};
  const auto add_block = [&lanes](const std::byte* block) {
    std::array<std::uint64_t, kLanes> words;
    std::memcpy(words.data(), block, kBlock);
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = mix(lanes[lane], words[lane]);
  };
  std::size_t at = 0;
  for (; at + kBlock <= bytes.size(); at += kBlock) add_block(bytes.data() + at);
  std::array<std::byte, kBlock> last{};
  if (at < bytes.size()) {
    std::memcpy(last.data(), bytes.data() + at, bytes.size() - at);
    add_block(last.data());
  }
  std::uint64_t hash = mix(0, static_cast<std::uint64_t>(bytes.size()));
  for (const std::uint64_t lane : lanes) hash = mix(hash, lane);
  return hash;
}

}  // namespace pilum
