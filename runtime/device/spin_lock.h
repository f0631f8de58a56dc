// A lock for short sections, which ends with a plain store.
#pragma once

#include <atomic>

#include <sched.h>

#include "runtime/base/thread_annotations.h"

namespace pilum::device {

// Tells the core that this is a waiting loop.
inline void pause_core() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

// Spins, then yields: the holder may have lost its core. Cheaper than std::mutex here, because a waiter that sleeps for
// such a short section pays two system calls, and so does the holder that wakes it.
class PILUM_CAPABILITY("spin lock") SpinLock {
 public:
  void lock() noexcept PILUM_ACQUIRE() {
    for (int tries = 0; locked_.exchange(true, std::memory_order_acquire);) {
      while (locked_.load(std::memory_order_relaxed)) {
        if (++tries % kTriesBeforeYield) {
          pause_core();
        } else {
          sched_yield();
        }
      }
    }
  }
  bool try_lock() noexcept PILUM_TRY_ACQUIRE(true) {
    return !locked_.load(std::memory_order_relaxed) && !locked_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept PILUM_RELEASE() { locked_.store(false, std::memory_order_release); }

 private:
  static constexpr int kTriesBeforeYield = 64;
  std::atomic<bool> locked_{false};
};

}  // namespace pilum::device
