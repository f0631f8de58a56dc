// Memory of an emulated GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace pilum::fakes {

// An allocation with its edges:  | kEdge | bytes | kEdge |
class EmulatedBlock {
 public:
  EmulatedBlock(std::size_t bytes, bool fill) : bytes_(bytes) {
    const std::size_t all = (bytes + 2 * kEdge + kEdge - 1) / kEdge * kEdge;
    memory_ = static_cast<std::byte*>(std::aligned_alloc(kEdge, all));
    if (!memory_) throw std::bad_alloc();
    std::memset(memory_, kEdgeByte, kEdge);
    std::memset(data() + bytes_, kEdgeByte, kEdge);
    if (fill) std::memset(data(), kFreshByte, bytes_);
  }
  ~EmulatedBlock() { std::free(memory_); }
  EmulatedBlock(const EmulatedBlock&) = delete;
  EmulatedBlock& operator=(const EmulatedBlock&) = delete;

  std::byte* data() const { return memory_ + kEdge; }
  std::size_t bytes() const { return bytes_; }
  bool edges_are_whole() const {
    const auto whole = [](const std::byte* edge) {
      return std::all_of(edge, edge + kEdge, [](std::byte byte) { return byte == std::byte{kEdgeByte}; });
    };
    return whole(memory_) && whole(data() + bytes_);
  }
  void spoil() { std::memset(data(), kFreshByte, bytes_); }

 private:
  static constexpr std::size_t kEdge = 256;  // keeps the alignment
  static constexpr int kEdgeByte = 0xa5, kFreshByte = 0xff;
  std::size_t bytes_;
  std::byte* memory_;
};

}  // namespace pilum::fakes
