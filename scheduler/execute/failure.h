// The failure that ends everything.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "runtime/base/mutex.h"
#include "runtime/comm/communicator.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Keeps the first failure of what is in flight. check() throws it, from the second time on as one of before: it is
// final. Any thread calls it; failed() costs a load.
// A suspicion is not yet a failure: a message had another size than its receive. What waits for it waits on, so that
// the ranks' calls can be compared: that tells more.
class Failure {
 public:
  // Called at the first failure, by who tells it. Set before anything runs.
  void set_on_failure(std::function<void()> on_failure) { on_failure_ = std::move(on_failure); }
  // `told`: who calls throws it himself.
  void fail(std::exception_ptr error, bool told = false);
  void fail(const Instruction& instruction, const std::string& what);
  // Of the error's kind where that tells of a user's mistake, else a RuntimeError.
  void fail(const Instruction& instruction, const std::exception& error);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  void check() {
    if (failed()) [[unlikely]]
      throw_it();
  }
  bool told();  // the failure was thrown

  // `waiting`: the instruction that waits for the message, where that is known.
  void suspect(const comm::SizeMismatch& mismatch, const Instruction* waiting);
  bool is_suspicious() const { return suspicious_.load(std::memory_order_acquire); }
  // It is the failure after all.
  void fail_suspicion();

 private:
  [[noreturn]] void throw_it();

  Mutex mutex_;
  std::exception_ptr error_ PILUM_GUARDED_BY(mutex_);
  std::exception_ptr suspicion_ PILUM_GUARDED_BY(mutex_);
  bool told_ PILUM_GUARDED_BY(mutex_) = false;
  std::function<void()> on_failure_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> suspicious_{false};
};

}  // namespace pilum::scheduler
