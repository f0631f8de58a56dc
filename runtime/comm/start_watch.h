// Says what a rank waits for that does not get on at its start.
#pragma once

#include <chrono>
#include <thread>

#include "runtime/base/mutex.h"

namespace pilum::comm {

// While one lives, a thread looks after some seconds, and prints a line: a rank that never comes makes the others wait
// in MPI without a word. Where it can be seen that a rank has ended (mpirun on this node), it says which and ends the
// process, and so the job. Under plaunch, which sees them all and says it better, and without other ranks, it does
// nothing.
class StartWatch {
 public:
  explicit StartWatch(std::chrono::seconds timeout = std::chrono::seconds(5));
  ~StartWatch();
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;

 private:
  void watch(std::chrono::seconds timeout);

  Mutex mutex_;
  ConditionVariable ended_;
  bool over_ PILUM_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace pilum::comm
