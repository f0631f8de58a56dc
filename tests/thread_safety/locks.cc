// What clang must take, and with MISTAKE what it must refuse: one each.
#include <mutex>

#include "runtime/base/mutex.h"
#include "runtime/device/spin_lock.h"

namespace pilum {

class Account {
 public:
  void pay(int sum) {
    const ScopedLock lock(mutex_);
    add(sum);
  }
  bool try_pay(int sum) {
    if (!mutex_.try_lock()) return false;
    const ScopedLock lock(mutex_, std::adopt_lock);
    add(sum);
    return true;
  }
  void pay_twice(int sum) {
    ScopedLock lock(mutex_);
    add(sum);
    lock.unlock();
    lock.lock();
    add(sum);
  }
  void wait() {
    const ScopedLock lock(mutex_);
    paid_.wait_for(mutex_, std::chrono::seconds(1), [this]() PILUM_REQUIRES(mutex_) { return sum_ > 0; });
  }
  int rate() const {
    const SharedLock lock(rate_mutex_);
    return rate_;
  }
  void set_rate(int rate) {
    const ScopedLock lock(rate_mutex_);
    rate_ = rate;
  }
  void spin() {
    const ScopedLock lock(spin_lock_);
    ++spins_;
  }

#if MISTAKE == 1
  int touches_without_its_lock() { return sum_; }
#elif MISTAKE == 2
  void calls_without_the_lock_that_is_required() { add(1); }
#elif MISTAKE == 3
  void keeps_the_lock() { mutex_.lock(); }
#elif MISTAKE == 4
  void holds_another_lock() {
    const ScopedLock lock(spin_lock_);
    add(1);
  }
#elif MISTAKE == 5
  void touches_after_unlock() {
    ScopedLock lock(mutex_);
    lock.unlock();
    add(1);
  }
#elif MISTAKE == 6
  void writes_as_a_reader() {
    const SharedLock lock(rate_mutex_);
    rate_ = 1;
  }
#elif MISTAKE == 7
  void ignores_that_the_lock_was_not_to_be_had() {
    if (!mutex_.try_lock()) add(1);
  }
#elif MISTAKE == 8
  void locks_twice() {
    const ScopedLock lock(mutex_);
    const ScopedLock again(mutex_);
  }
#elif MISTAKE == 9
  void asks_in_a_lambda_without_the_lock() {
    const ScopedLock lock(mutex_);
    paid_.wait_for(mutex_, std::chrono::seconds(1), [this] { return sum_ > 0; });
  }
#elif MISTAKE == 10
  void spins_without_its_lock() { ++spins_; }
#endif

 private:
  void add(int sum) PILUM_REQUIRES(mutex_) { sum_ += sum; }

  Mutex mutex_;
  ConditionVariable paid_;
  int sum_ PILUM_GUARDED_BY(mutex_) = 0;
  mutable SharedMutex rate_mutex_;
  int rate_ PILUM_GUARDED_BY(rate_mutex_) = 0;
  device::SpinLock spin_lock_;
  int spins_ PILUM_GUARDED_BY(spin_lock_) = 0;
};

}  // namespace pilum
