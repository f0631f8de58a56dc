// The standard library's mutexes, known to clang's thread-safety analysis.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "runtime/base/thread_annotations.h"

namespace pilum {

class PILUM_CAPABILITY("mutex") Mutex {
 public:
  void lock() PILUM_ACQUIRE() { mutex_.lock(); }
  bool try_lock() PILUM_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void unlock() PILUM_RELEASE() { mutex_.unlock(); }

 private:
  friend class ConditionVariable;
  std::mutex mutex_;
};

class PILUM_CAPABILITY("mutex") SharedMutex {
 public:
  void lock() PILUM_ACQUIRE() { mutex_.lock(); }
  void unlock() PILUM_RELEASE() { mutex_.unlock(); }
  void lock_shared() PILUM_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() PILUM_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

// Holds any lock until its end; may let it go and take it again in between.
template <class Lockable>
class PILUM_SCOPED_CAPABILITY ScopedLock {
 public:
  explicit ScopedLock(Lockable& lockable) PILUM_ACQUIRE(lockable) : lockable_(lockable) { lockable_.lock(); }
  // Of one that this thread holds already, as after try_lock().
  ScopedLock(Lockable& lockable, std::adopt_lock_t) PILUM_REQUIRES(lockable) : lockable_(lockable) {}
  ~ScopedLock() PILUM_RELEASE() {
    if (held_) lockable_.unlock();
  }
  ScopedLock(const ScopedLock&) = delete;
  ScopedLock& operator=(const ScopedLock&) = delete;
  void lock() PILUM_ACQUIRE() {
    lockable_.lock();
    held_ = true;
  }
  void unlock() PILUM_RELEASE() {
    held_ = false;
    lockable_.unlock();
  }

 private:
  Lockable& lockable_;
  bool held_ = true;
};

// One reader among others.
class PILUM_SCOPED_CAPABILITY SharedLock {
 public:
  explicit SharedLock(SharedMutex& mutex) PILUM_ACQUIRE_SHARED(mutex) : mutex_(mutex) { mutex_.lock_shared(); }
  ~SharedLock() PILUM_RELEASE() { mutex_.unlock_shared(); }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class ConditionVariable {
 public:
  void notify_one() { condition_.notify_one(); }
  // Others get the mutex while this thread waits. What it returns is is_true()'s last answer.
  template <class Duration, class IsTrue>
  bool wait_for(Mutex& mutex, Duration timeout, IsTrue is_true) PILUM_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool answer = condition_.wait_for(lock, timeout, std::move(is_true));
    lock.release();  // who calls holds it still
    return answer;
  }

 private:
  std::condition_variable condition_;
};

}  // namespace pilum
