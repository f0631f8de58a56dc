// Where shared data of GPUs lie, and that they were copied: what two ranks tell each other instead of the data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/gpu.h"

namespace pilum::scheduler {

// Of a transfer between GPUs' memories. It stays where it is while its messages fly.
struct SharedMessage {
  struct Offer {
    device::GpuShare share;
    std::uint64_t bytes = 0;
  } offer;
  std::byte taken{};
  bool is_receive = false;
};

}  // namespace pilum::scheduler
