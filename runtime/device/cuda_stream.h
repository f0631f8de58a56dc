// A stream of a GPU, and the marks made in it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "runtime/device/cuda_driver.h"

namespace pilum::device {

// Every mark is an event, until it is known to be reached; then the event serves another mark. Whoever waits for an
// event has been given what it stood for at that call, so it may be recorded anew at any time. The GPU's context is
// current at each call, and one thread at a time calls.
class CudaStream {
 public:
  CudaStream(const CudaCalls& cuda, int priority);
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  CUstream handle() const { return stream_; }

  // Numbers count from 1.
  [[nodiscard]] std::int64_t mark();
  [[nodiscard]] bool reached(std::int64_t number);
  // The event of a mark, null if the mark is known to be reached. Good for cuStreamWaitEvent before the next call here.
  [[nodiscard]] CUevent event_of(std::int64_t number) const;
  // Waits for all that was issued.
  void finish();

 private:
  [[nodiscard]] CUevent take_event();
  [[nodiscard]] bool is_done(CUevent event) const;
  void forget_until(std::int64_t number);  // these marks are reached

  const CudaCalls& cuda_;
  CUstream stream_ = nullptr;
  std::int64_t made_ = 0;
  std::deque<CUevent> pending_;  // of the last marks: the back one's number is made_
  std::vector<CUevent> free_;
};

}  // namespace pilum::device
