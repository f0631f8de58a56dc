// How fast memory is: a copy, measured.
#pragma once

#include <memory>
#include <span>

#include "runtime/device/gpu.h"
#include "runtime/device/host_lane.h"
#include "runtime/jit/jit.h"

namespace pilum::scheduler {

// Bytes read and written a second by the fastest of a few copies of arrays that fit no cache, all lanes at once, by a
// kernel that streams, as those of large arrays do; takes about 0.1 s. 0: there was no memory for it.
[[nodiscard]] double measure_copy_speed(std::span<const std::unique_ptr<device::HostLane>> lanes, jit::Jit& jit);
// The same of GPUs, all at once, by the driver's copy.
[[nodiscard]] double measure_copy_speed(std::span<const std::unique_ptr<device::Gpu>> gpus);

}  // namespace pilum::scheduler
