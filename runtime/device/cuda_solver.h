// Factors of matrices by cuSOLVER, where this machine has one.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/mutex.h"
#include "runtime/device/gpu.h"

namespace pilum::device {

// Why there are no factors, with the remedy; empty: there are. Loads the library at the first call. Thread-safe.
[[nodiscard]] std::string find_solver_trouble();

class CudaSolverHandle;

// Of one GPU, whose context is current at each call, also at destruction. Throws pilum::RuntimeError in the name of
// `who`.
class CudaSolver {
 public:
  explicit CudaSolver(std::string who);
  ~CudaSolver();
  CudaSolver(const CudaSolver&) = delete;
  CudaSolver& operator=(const CudaSolver&) = delete;

  // Of the GPU's memory. Any thread.
  std::size_t work_bytes(const GpuLapack& lapack);
  // One thread at a time. Where cuSOLVER works on the host meanwhile, it waits for the stream.
  void run(CUstream stream, const GpuLapack& lapack, const GpuLapackCells& cells);

 private:
  struct Room {
    std::size_t device = 0, host = 0;
  };
  Room find_room(const GpuLapack& lapack);

  const std::string who_;
  Mutex mutex_;
  // One asks for room, one runs: meanwhile others may ask.
  std::unique_ptr<CudaSolverHandle> asking_ PILUM_GUARDED_BY(mutex_), running_;
  std::map<GpuLapack, Room> rooms_ PILUM_GUARDED_BY(mutex_);
  std::vector<std::byte> host_work_;  // of run()
};

}  // namespace pilum::device
