// A body that issues its work on a GPU itself.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/device/gpu.h"
#include "runtime/jit/device_jit.h"
#include "scheduler/record/host_body.h"

namespace pilum::scheduler {

// Where a body's work is to be issued.
struct DeviceIssue {
  device::Gpu& gpu;
  device::Stream stream;
  jit::DeviceJit& jit;
  std::byte* scratch = nullptr;  // as many bytes as the body asks for
};

// One call, prepared, for all points of a launch. Where the body asks for scratch memory, that is the launch's last
// array.
struct DeviceCall : HostBody {
  bool has_scratch = false;
};

}  // namespace pilum::scheduler
