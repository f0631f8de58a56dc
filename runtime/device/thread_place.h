// Where the recording thread runs: beside the workers, not on the core of one.
#pragma once

#include <chrono>
#include <vector>

namespace pilum::device {

// Workers are pinned, a program's own thread is not: what it starts, as OpenMP's threads, would be pinned with it. But
// it is moved where it shares a worker's core, and may go where it likes from there. Of one thread.
class ThreadPlace {
 public:
  ThreadPlace() = default;
  // `own`: the core that is left to this thread. Moves it where needed, if that is one of its allowed cores.
  ThreadPlace(int own, std::vector<int> worker_cores) : own_(own), workers_(std::move(worker_cores)) { look(); }
  // The same again, at most once a millisecond; without need some nanoseconds.
  void look();

 private:
  using Clock = std::chrono::steady_clock;

  int own_ = -1;
  std::vector<int> workers_;
  Clock::time_point next_move_;
};

}  // namespace pilum::device
