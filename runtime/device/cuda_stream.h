// A stream of a GPU, and the events made in it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "runtime/device/cuda_driver.h"

namespace pilum::device {

// An event has a number. CUDA's event stands for it until it is known to be completed, then for another number. Whoever
// waits for one has been given what it stood for at that call, so it may be recorded anew at any time. The GPU's
// context is current at each call, and one thread at a time calls.
class CudaStream {
 public:
  CudaStream(const CudaCalls& cuda, int priority);
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  CUstream handle() const { return stream_; }

  // Numbers count from 1.
  [[nodiscard]] std::int64_t record_event();
  [[nodiscard]] bool completed(std::int64_t number);
  // CUDA's event of this number, null if it is known to be completed. Good for cuStreamWaitEvent before the next call
  // here.
  [[nodiscard]] CUevent cuda_event_of(std::int64_t number) const;
  // Waits for all that was issued.
  void finish();

 private:
  [[nodiscard]] CUevent take_event();
  [[nodiscard]] bool is_done(CUevent event) const;
  void forget_until(std::int64_t number);  // these are completed

  const CudaCalls& cuda_;
  CUstream stream_ = nullptr;
  std::int64_t made_ = 0;
  std::deque<CUevent> pending_;  // of the last events: the back one's number is made_
  std::vector<CUevent> free_;
};

}  // namespace pilum::device
