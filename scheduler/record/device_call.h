// A body that issues its work on a GPU itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/device/gpu.h"
#include "runtime/device/kept_work.h"
#include "runtime/jit/device_jit.h"
#include "runtime/kernel/body/device_body.h"
#include "scheduler/record/host_body.h"

namespace pilum::scheduler {

// Where a body's work is to be issued.
struct DeviceIssue {
  device::Gpu& gpu;
  device::Stream stream;
  jit::DeviceJit& jit;
  std::byte* scratch = nullptr;  // as many bytes as the body asks for
  std::int64_t scratch_bytes = 0;
  // Where kernels tell what they refuse (kernel::refusal_text()), and as whose.
  kernel::OutOfBoundsReport* report = nullptr;
  const char* task = nullptr;
  const char* file = nullptr;
  std::uint64_t line = 0;
  std::vector<device::KeptWork>* kept = nullptr;  // work is written down here instead, to be issued as a graph

  void launch(const device::GpuLaunch& work) const {
    kept ? kept->push_back(device::KeptLaunch(work)) : gpu.launch(stream, work);
  }
  void multiply(const device::GpuProduct& product) const {
    kept ? kept->push_back(device::GpuLibraryCall(product)) : gpu.multiply(stream, product);
  }
  void transform(const device::GpuTransformCall& call) const {
    kept ? kept->push_back(device::GpuLibraryCall(call))
         : gpu.transform(stream, call.transform, call.from, call.to, call.work);
  }
};

// One call, prepared, for all points of a launch. Where the body asks for scratch memory, that is the launch's last
// array.
struct DeviceCall : HostBody {
  std::int64_t scratch_bytes = 0;
};

// Its arrays, where the launch has them.
[[nodiscard]] std::vector<detail::BoundStore> bind_stores(const Launch& launch, const DeviceCall& call);

}  // namespace pilum::scheduler
