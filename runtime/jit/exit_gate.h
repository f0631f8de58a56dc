// Keeps threads that compile from meeting the end of the process.
#pragma once

#include <unistd.h>

#include <atomic>
#include <thread>

namespace pilum::jit {

// Statics end with the process, LLVM's and ours; a program may call exit() while other threads compile, or load the
// compiler. From then on no other thread begins a compilation, and the exit waits for those that have begun.
// Thread-safe.
class ExitGate {
 public:
  // Holds the gate open: the process does not end while it lives.
  class Inside {
   public:
    explicit Inside(ExitGate& gate);
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    // No: the process is ending, and by another thread.
    [[nodiscard]] explicit operator bool() const { return allowed_; }

   private:
    ExitGate& gate_;
    bool allowed_ = true;
  };

  static ExitGate& gate();
  // The main thread's end closes the gate before any static ends, those too that another thread is just making: it
  // loads the compiler. Does nothing on other threads.
  void watch_this_thread();
  // For threads that call exit() otherwise. Exit handlers run in the reverse order, and many statics are made when they
  // are first needed. So the gate is registered before the first compilation and anew after each: after each of the
  // first, then after ever fewer, when there is little new.
  void close_at_exit();

 private:
  void close();

  const pid_t process_ = getpid();
  std::atomic<int> inside_{
      0};  // threads; a count and not a lock, for they enter with locks held and take others inside
  std::atomic<bool> closed_{false};
  std::thread::id closer_;  // written before closed_
  std::atomic<int> compilations_{0};
};

}  // namespace pilum::jit
