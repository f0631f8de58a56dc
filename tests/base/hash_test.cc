// Words and bytes that differ have hashes that differ.
#include "runtime/base/hash.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace pilum {
namespace {

TEST(Hash, PairsOfSmallNumbersDoNotCancel) {
  std::set<std::uint64_t> seen;
  std::size_t pairs = 0;
  for (std::int64_t offset = -40; offset <= 40; ++offset) {
    for (std::int64_t scale = -40; scale <= 40; ++scale, ++pairs) seen.insert(mix(mix(0, offset), scale));
  }
  EXPECT_EQ(seen.size(), pairs);
}

TEST(Hash, EveryByteCountsAndSoDoesTheirNumber) {
  std::mt19937_64 random(7);
  for (const std::size_t size : {1u, 7u, 8u, 31u, 32u, 33u, 64u, 100u, 1000u}) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    std::set<std::uint64_t> seen{hash_bytes(bytes)};
    for (std::size_t at = 0; at < size; ++at) {
      std::vector<std::byte> other = bytes;
      other[at] ^= std::byte{1};
      seen.insert(hash_bytes(other));
    }
    bytes.push_back(std::byte{0});
    seen.insert(hash_bytes(bytes));
    EXPECT_EQ(seen.size(), size + 2) << size;
  }
}

TEST(Hash, NoBytesAreSomething) {
  const std::byte zero{};
  EXPECT_NE(hash_bytes({}), hash_bytes(std::span(&zero, 1)));
}

}  // namespace
}  // namespace pilum
