// Fourier transforms by cuFFT, where this machine has one.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "runtime/base/mutex.h"
#include "runtime/device/gpu.h"

namespace pilum::device {

// Why there are no transforms, with the remedy; empty: there are. Loads the library at the first call. Thread-safe.
[[nodiscard]] std::string find_fft_trouble();

class CudaFftPlan;

// Plans of one GPU, each made when a transform is first asked for, and kept. The GPU's context is current at each call,
// also at destruction. Throws pilum::RuntimeError in the name of `who`.
class CudaFft {
 public:
  explicit CudaFft(std::string who);
  ~CudaFft();
  CudaFft(const CudaFft&) = delete;
  CudaFft& operator=(const CudaFft&) = delete;

  // Any thread.
  std::size_t work_bytes(const GpuTransform& transform);
  // One thread at a time.
  void transform(CUstream stream, const GpuTransform& transform, std::byte* from, std::byte* to, std::byte* work);
  // What its calls read on the GPU, as long as this is held.
  std::shared_ptr<const void> hold(const GpuTransform& transform);
  // There are so many plans that forget() is wanted: while nothing runs, and by the thread that transforms.
  bool is_full();
  void forget();

 private:
  using Plan = std::shared_ptr<const CudaFftPlan>;

  Plan find(const GpuTransform& transform);

  const std::string who_;
  Mutex mutex_;  // not held while a plan is made: that takes long, and may wait for the GPU
  std::map<GpuTransform, Plan> plans_ PILUM_GUARDED_BY(mutex_);
};

}  // namespace pilum::device
