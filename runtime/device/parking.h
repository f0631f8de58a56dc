// Where idle threads sleep until somebody has work for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/device/spin_lock.h"

namespace pilum::device {

// Sleeping places, one a thread. No wake is lost: a thread that wants to sleep calls prepare(), looks for work once
// more, and then either cancel()s or sleep()s; a thread that brings work makes it visible and then calls wake(). Either
// the first sees the work or the second sees the sleeper. A waker chooses whom it wakes, latest sleeper first (its
// cache is the warmest), and takes it off the list, so several wakers do not pay for one sleeper.
class Parking {
 public:
  explicit Parking(int threads) : places_(std::make_unique<Place[]>(static_cast<std::size_t>(threads))) {}

  void prepare(int thread);
  void cancel(int thread);
  void sleep(int thread);
  // Wakes at most `most` threads. An atomic operation and no more when nobody sleeps.
  void wake(int most);
  // A glance.
  int sleepers() const { return count_.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) Place {
    std::atomic<std::uint32_t> awake{1};
  };
  SpinLock lock_;
  std::vector<int> sleepers_ PILUM_GUARDED_BY(lock_);
  std::atomic<int> count_{0};  // of sleepers_
  std::unique_ptr<Place[]> places_;
};

}  // namespace pilum::device
