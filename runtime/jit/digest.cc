#include "runtime/jit/digest.h"

#include <cstring>

namespace pilum::jit {
namespace {

constexpr std::uint64_t kOdd[] = {0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u, 0xD6E8FEB86659FD93u};

// The high and low halves of the product, folded: every input bit reaches every output bit.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

Digest digest(std::string_view bytes) {
  std::uint64_t high = kOdd[0] ^ bytes.size(), low = kOdd[1] + bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    std::uint64_t words[2] = {};
    std::memcpy(words, bytes.data() + at, std::min<std::size_t>(16, bytes.size() - at));
    high = fold(high ^ words[0], kOdd[2] ^ words[1]) + low;
    low = fold(low ^ words[1], kOdd[3] ^ words[0]) ^ (high << 17 | high >> 47);
  }
  return {fold(high ^ kOdd[2], low ^ kOdd[0]), fold(low ^ kOdd[3], high ^ kOdd[1])};
}

std::string to_string(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t word : {digest.high, digest.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[word >> shift & 15];
  }
  return text;
}

}  // namespace pilum::jit
