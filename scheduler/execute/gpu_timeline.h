// When GPUs did what, for a profile.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "runtime/device/gpu.h"
#include "runtime/profile/recorder.h"

namespace pilum::scheduler {

// Spans of what is issued to GPUs' streams, from the moment at which a stream comes to it until the one at which it has
// done it. Where the recorder is off nothing is marked. A queue is a stream of a GPU, as of GpuQueue, and a lane of the
// timeline, behind those of threads.
class GpuTimeline {
 public:
  explicit GpuTimeline(profile::Recorder& recorder) : recorder_(recorder) {}
  void set_gpus(const std::vector<device::Gpu*>& gpus);

  // Before and after what is issued to the queue. `category` and `name` live until it is done.
  [[nodiscard]] std::int64_t begin(int queue);
  void end(int queue, std::int64_t begun, const char* category, const char* name);
  // The spans of what is done by now; to be called whenever something is known to be.
  void collect();

 private:
  struct Pending {
    const char *category, *name;
    std::int64_t begun, end;  // the GPU's marks
  };
  struct Queue {
    device::Gpu* gpu;
    device::Stream stream;
    int lane;
    std::deque<Pending> pending;
  };

  profile::Recorder& recorder_;
  std::vector<Queue> queues_;
};

}  // namespace pilum::scheduler
