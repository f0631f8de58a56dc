// For builds without the CUDA Toolkit's headers.
#include "pilum/error.h"
#include "runtime/device/gpu.h"

namespace pilum::device {
namespace {

constexpr const char* kTrouble = "built without CUDA: no CUDA Toolkit of version 12.4 or later was found";

}  // namespace

GpuList list_gpus() {
  return {{}, kTrouble};
}

std::unique_ptr<Gpu> open_gpu(const GpuInfo& info) {
  throw RuntimeError("[GPU " + std::to_string(info.ordinal) + "] it cannot be opened: " + kTrouble);
}

}  // namespace pilum::device
