#include "runtime/device/parking.h"

#include <algorithm>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/mutex.h"

namespace pilum::device {
namespace {

// Not std::atomic::wait: libstdc++ 12 yields the core for a while before it sleeps, and we have spun already.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  static_assert(sizeof word == sizeof(std::uint32_t));
  syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

}  // namespace

void Parking::prepare(int thread) {
  const ScopedLock lock(lock_);
  places_[static_cast<std::size_t>(thread)].awake.store(0, std::memory_order_relaxed);
  sleepers_.push_back(thread);
  // Reads what the last wake() wrote to count_: the work that it announced is seen by who looks after this.
  count_.fetch_add(1, std::memory_order_acq_rel);
}

void Parking::cancel(int thread) {
  const ScopedLock lock(lock_);
  if (std::erase(sleepers_, thread)) count_.fetch_sub(1, std::memory_order_acq_rel);
}

void Parking::sleep(int thread) {
  std::atomic<std::uint32_t>& awake = places_[static_cast<std::size_t>(thread)].awake;
  while (awake.load(std::memory_order_acquire) == 0) futex(awake, FUTEX_WAIT, 0);
}

void Parking::wake(int most) {
  // A read-modify-write, not a load: it comes before or after a sleeper's in prepare(), and whichever is later sees
  // what the other thread did before.
  if (count_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
  for (; most > 0; --most) {
    int thread = -1;
    {
      const ScopedLock lock(lock_);
      if (sleepers_.empty()) return;
      thread = sleepers_.back();
      sleepers_.pop_back();
      count_.fetch_sub(1, std::memory_order_acq_rel);
    }
    std::atomic<std::uint32_t>& awake = places_[static_cast<std::size_t>(thread)].awake;
    awake.store(1, std::memory_order_release);
    futex(awake, FUTEX_WAKE, 1);
  }
}

}  // namespace pilum::device
