// When a GPU's streams came where, for timelines.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/device/cuda_driver.h"

namespace pilum::device {

// CUDA tells how long after another event one was reached, to half a microsecond. So there is one whose time on the
// host's clock is known: made on a stream of its own and waited for, anew each second, for clocks drift apart and long
// times are told less exactly. The GPU's context is current at each call, and one thread at a time calls.
class CudaTimes {
 public:
  explicit CudaTimes(const CudaCalls& cuda) : cuda_(cuda) {}
  ~CudaTimes();
  CudaTimes(const CudaTimes&) = delete;
  CudaTimes& operator=(const CudaTimes&) = delete;

  // As Gpu::mark_time() and take_time().
  [[nodiscard]] std::int64_t mark(CUstream stream);
  [[nodiscard]] std::optional<std::int64_t> take(std::int64_t mark);

 private:
  struct Origin {
    CUevent event = nullptr;
    std::int64_t time = 0;  // nanoseconds of the steady clock
    int marks = 0;          // that count from it
  };
  struct Mark {
    CUevent event = nullptr;
    std::size_t origin = 0;
  };
  [[nodiscard]] CUevent take_event();
  [[nodiscard]] std::size_t find_origin();

  const CudaCalls& cuda_;
  CUstream stream_ = nullptr;
  std::vector<Origin> origins_;  // the last one is in use; others until their marks are taken
  std::unordered_map<std::int64_t, Mark> marks_;
  std::int64_t made_ = 0;
  std::vector<CUevent> free_;
};

}  // namespace pilum::device
