// Copies of rows inside graphs.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/device/gpu.h"

namespace pilum::device {

// One line of bytes, and not several apart from each other.
bool is_line(const GpuCopy& copy);

// A kernel that copies, for what the driver's own copy in a graph cannot do: once it is made, it takes other addresses
// for a line only (cuGraphExecMemcpyNodeSetParams). The GPU must reach the memory of both sides.
struct CopyLaunch {
  explicit CopyLaunch(const GpuCopy& copy);
  CopyLaunch(const CopyLaunch&) = delete;
  CopyLaunch& operator=(const CopyLaunch&) = delete;

  std::array<std::uint64_t, 6> words;  // to, from, units in a row, rows, pitch of `to`, pitch of `from`
  GpuLaunch launch;                    // of `words`
};

}  // namespace pilum::device
