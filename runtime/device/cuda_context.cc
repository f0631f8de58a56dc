#include "runtime/device/cuda_context.h"

#include <atomic>

namespace pilum::device {
namespace {

std::atomic<std::uint64_t> last_serial{0};
// Whose context this thread made current last. Nobody else in the process may leave another one current.
thread_local std::uint64_t current_serial = 0;

}  // namespace

CudaContext::CudaContext(const CudaCalls& cuda, CUdevice device)
    : cuda_(cuda), device_(device), serial_(++last_serial) {
  cuda_.call(&CudaDriver::cuDevicePrimaryCtxRetain, &context_, device_);
  const CUresult result = cuda_.attempt(&CudaDriver::cuCtxSetCurrent, context_);
  if (result == CUDA_SUCCESS) {
    current_serial = serial_;
    return;
  }
  static_cast<void>(cuda_.attempt(&CudaDriver::cuDevicePrimaryCtxRelease_v2, device_));
  cuda_.fail(&CudaDriver::cuCtxSetCurrent, result);
}

CudaContext::~CudaContext() {
  if (current_serial == serial_) {
    static_cast<void>(cuda_.attempt(&CudaDriver::cuCtxSetCurrent, nullptr));
    current_serial = 0;
  }
  static_cast<void>(cuda_.attempt(&CudaDriver::cuDevicePrimaryCtxRelease_v2, device_));
}

void CudaContext::make_current() const {
  if (current_serial == serial_) return;
  cuda_.call(&CudaDriver::cuCtxSetCurrent, context_);
  current_serial = serial_;
}

}  // namespace pilum::device
