// 64-bit hashes of what ranks must find alike, and of plans' keys. Not for secrets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pilum {

// Every bit of `word` changes about half of the result's: words that differ in one field cannot cancel in the next.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t hash, std::int64_t word) {
  return mix(hash, static_cast<std::uint64_t>(word));
}

// Of all bytes and their number, some 10 GB/s.
[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes);

}  // namespace pilum
