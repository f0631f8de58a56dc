// Random bits for bodies on the host, as the kernels' Philox gives them.
#pragma once

#include <array>
#include <cstdint>

namespace pilum::numeric {

// Philox 4x32-10 (Salmon et al., SC 2011) of the counter low + 2^64 high, as Op::PhiloxLow and PhiloxHigh.
inline std::array<std::uint64_t, 2> philox(std::uint64_t low, std::uint64_t high, std::uint64_t key) {
  const auto lower = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  std::uint32_t x = lower(low), y = lower(low >> 32), z = lower(high), w = lower(high >> 32);
  std::uint32_t key_low = lower(key), key_high = lower(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53} * x, q = std::uint64_t{0xCD9E8D57} * z;
    x = lower(q >> 32) ^ y ^ key_low;
    z = lower(p >> 32) ^ w ^ key_high;
    y = lower(q);
    w = lower(p);
    key_low += 0x9E3779B9;
    key_high += 0xBB67AE85;
  }
  return {x | std::uint64_t{y} << 32, z | std::uint64_t{w} << 32};
}

// The bits of one cell of a draw, as many as are asked for: words 2k and 2k + 1 are Philox of the cell's number + 2^48
// k, so that those of all cells differ while there are fewer than 2^48 cells. The first two are what kernels draw.
class PhiloxStream {
 public:
  PhiloxStream(std::uint64_t seed, std::uint64_t draw, std::uint64_t cell) : seed_(seed), draw_(draw), cell_(cell) {}

  std::uint64_t next() {
    if (used_ == 2) {
      words_ = philox(cell_, draw_, seed_);
      cell_ += std::uint64_t{1} << 48;
      used_ = 0;
    }
    return words_[used_++];
  }
  // In [0, 1), and in (0, 1].
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double positive() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

 private:
  std::uint64_t seed_, draw_, cell_;
  std::array<std::uint64_t, 2> words_{};
  unsigned used_ = 2;
};

}  // namespace pilum::numeric
