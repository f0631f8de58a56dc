// Kernels that raise flags in memory, and wait for them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/device/gpu.h"
#include "runtime/device/graph_cut.h"

namespace pilum::device {

// The launch's words are the addresses of at most kMaxFlags flags, a thread each. It is good as long as this lives.
class FlagLaunch {
 public:
  // Of one graph's parts: who waits gives up after 100 s, and its GPU fails: then a GPU that it waits for has failed,
  // and would keep this one busy for ever.
  FlagLaunch(std::span<std::byte* const> flags, bool waits);
  // Between processes: who waits does so until the flag is raised, however long its process takes. Where `given_up`, 32
  // bits of pinned memory, is not 0, its GPU fails instead.
  FlagLaunch(const GpuFlag& flag, const std::byte* given_up);
  FlagLaunch(const FlagLaunch&) = delete;
  FlagLaunch& operator=(const FlagLaunch&) = delete;
  const GpuLaunch& launch() const { return launch_; }

 private:
  std::array<std::uint64_t, 1 + kMaxFlags> words_{};
  GpuLaunch launch_;
};

}  // namespace pilum::device
