// Mixing of words into hashes that are the same on every machine and in every run.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

inline std::uint64_t hash_node(std::uint64_t hash, const Node& node) {
  const auto word = [](auto value, int shift) {
    return static_cast<std::uint64_t>(static_cast<std::uint16_t>(value)) << shift;
  };
  const std::uint64_t offsets = [&] {
    std::uint64_t bits;
    static_assert(sizeof node.offset == sizeof bits);
    std::memcpy(&bits, node.offset.data(), sizeof bits);
    return bits;
  }();
  hash = mix(hash, word(node.op, 0) | word(node.dtype, 8) | word(node.a, 16) | word(node.b, 32) | word(node.c, 48));
  hash = mix(hash, word(node.argument, 0) | word(static_cast<std::uint8_t>(node.axis), 16));
  hash = mix(hash, offsets);
  return mix(hash, node.bits);
}

}  // namespace pilum::kernel
