// Kernels' texts for GPUs, run by the emulated one.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/fakes/emulated_gpu.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {

struct DeviceRun {
  std::vector<std::int64_t> chunk;       // empty: the whole box
  std::vector<std::int64_t> chunk_step;  // by array, bytes
  int threads = 256;
};

std::shared_ptr<const device::GpuImage> image_of(const std::string& text);
std::vector<Field> run_on_device(const Problem& problem, const DeviceRun& run = {});

}  // namespace pilum::kernel::test
