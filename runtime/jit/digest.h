// 128-bit digests: names of cached files, and whether their bytes are whole. Not for secrets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pilum::jit {

struct Digest {
  std::uint64_t high = 0, low = 0;
  bool operator==(const Digest&) const = default;
};

Digest digest(std::string_view bytes);
// 32 hexadecimal digits.
std::string to_string(const Digest& digest);

}  // namespace pilum::jit
