#include "runtime/profile/busy_clock.h"

#include "runtime/profile/recorder.h"

namespace pilum::profile {

void BusyClock::enter() {
  const std::lock_guard lock(mutex_);
  if (working_++ == 0) since_ = now();  // not while it waited for the lock: that time may be counted already
}

void BusyClock::leave() {
  const std::lock_guard lock(mutex_);
  if (--working_ == 0) sum_ += now() - since_;
}

std::int64_t BusyClock::nanoseconds() const {
  const std::lock_guard lock(mutex_);
  return sum_;
}

}  // namespace pilum::profile
