// The primary context of a GPU: the one that libraries of the process use too.
#pragma once

#include <cstdint>

#include "runtime/device/cuda_driver.h"

namespace pilum::device {

// Held from construction, where it is made current too, to destruction.
class CudaContext {
 public:
  CudaContext(const CudaCalls& cuda, CUdevice device);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  CUcontext handle() const { return context_; }

  // Current on the calling thread from now on.
  void make_current() const;

 private:
  const CudaCalls& cuda_;
  CUdevice device_;
  CUcontext context_ = nullptr;
  std::uint64_t serial_;  // of this object: a released context's address may come again
};

}  // namespace pilum::device
