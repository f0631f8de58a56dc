// What the emulated compiler and the emulated GPU agree on.
#pragma once

#include <cstdint>

namespace pilum::fakes {

// The argument of `extern "C" const char* pilum_emulated_launch(const EmulatedLaunch*)`, which every image has: it runs
// all blocks and returns null or what went wrong. Drawn again in the text of emulated_compiler.cc.
struct EmulatedLaunch {
  std::uint32_t grid[3], block[3];
  const std::uint64_t* words;
  std::uint32_t reversed;  // the last block and thread first
};
using EmulatedEntry = const char* (*)(const EmulatedLaunch*);
inline constexpr const char* kEmulatedEntry = "pilum_emulated_launch";

}  // namespace pilum::fakes
