// Several launches as one: kernels that wait for nothing of each other, side by side.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernel/device/emit_device.h"

namespace pilum::kernel {

// One of them, of a kernel whose text is emit_device()'s or a utility's.
struct BundledLaunch {
  int text = 0;  // its number in the bundle's text
  DeviceShape shape;
  std::span<const std::uint64_t> words;
};

// Threads of a bundle's block. A launch has at most so many, and exactly so many where its threads wait for each other.
inline constexpr std::uint32_t kBundleThreads = 256;
// Words that describe a launch, beside its own; of a bundle before them.
inline constexpr std::size_t kBundleRecord = 9, kBundleHead = 1;
// A launch's argument may have 32,764 bytes (CUDA 12.1).
inline constexpr std::size_t kBundleWords = 4000;

// Cells of shared memory, up to 16 bytes each, that the texts of a bundle have together at most.
inline constexpr std::size_t kBundleSharedCells = 2560;
[[nodiscard]] std::size_t shared_cells(const std::string& text);

// True where launches of the text and of this shape may be in a bundle.
[[nodiscard]] bool fits_a_bundle(const std::string& text, const DeviceShape& shape);
// A text whose entry runs launches of all of these, for an argument of so many words.
[[nodiscard]] std::string emit_bundle(std::span<const std::string* const> texts, std::size_t words);
// Replaces the contents of `words`, as many as the text was made for.
DeviceShape pack_bundle(std::span<const BundledLaunch> launches, std::size_t size, std::vector<std::uint64_t>& words);

}  // namespace pilum::kernel
