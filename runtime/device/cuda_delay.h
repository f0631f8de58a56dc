// Makes a GPU late at random, for tests: what merely happens to be in order where GPUs are quick comes out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>

#include "runtime/device/gpu.h"

namespace pilum::device {

// A GPU is late for a while, then not: some GPUs of a machine lag behind the others. PILUM_TEST_GPU_DELAY is the
// longest delay of a piece of work in microseconds; unset: there is none.
class CudaDelay {
 public:
  explicit CudaDelay(int gpu);
  // The kernel that a stream is to run before its next piece of work, if any; good until the next call.
  [[nodiscard]] std::optional<GpuLaunch> draw();

 private:
  std::uint64_t longest_ = 0;  // nanoseconds
  std::minstd_rand random_;
  bool late_ = false;
  std::array<std::uint64_t, 1> words_{};
};

}  // namespace pilum::device
