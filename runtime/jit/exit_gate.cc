#include "runtime/jit/exit_gate.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

namespace pilum::jit {
namespace {

// A compilation may begin another one.
thread_local int times_inside = 0;

}  // namespace

ExitGate& ExitGate::gate() {
  static auto* const gate = new ExitGate;  // outlives all statics
  return *gate;
}

ExitGate::Inside::Inside(ExitGate& gate) : gate_(gate) {
  if (times_inside++ > 0) return;
  gate_.inside_.fetch_add(1, std::memory_order_seq_cst);
  allowed_ = !gate_.closed_.load(std::memory_order_seq_cst) || gate_.closer_ == std::this_thread::get_id();
  if (allowed_ && gate_.compilations_ == 0) gate_.close_at_exit();  // the compiler itself is loaded by the first
}

ExitGate::Inside::~Inside() {
  if (--times_inside > 0) return;
  if (gate_.inside_.fetch_sub(1, std::memory_order_seq_cst) == 1) gate_.inside_.notify_all();
}

void ExitGate::watch_this_thread() {
  // exit() runs the thread's own destructors before all handlers; of another thread they say nothing about the process.
  struct Closer {
    ~Closer() { gate().close(); }
  };
  if (getpid() == static_cast<pid_t>(syscall(SYS_gettid))) {
    static thread_local const Closer closer;
    static_cast<void>(closer);
  }
}

void ExitGate::close_at_exit() {
  const int done = ++compilations_;
  if (done <= 64 || (done & (done - 1)) == 0) static_cast<void>(std::atexit([] { gate().close(); }));
}

void ExitGate::close() {
  if (getpid() != process_) return;  // a child of fork() has none of the threads, and perhaps their locks
  if (closed_.load()) return;
  closer_ = std::this_thread::get_id();
  closed_.store(true, std::memory_order_seq_cst);
  const int own = times_inside > 0 ? 1 : 0;
  for (int inside = inside_.load(std::memory_order_seq_cst); inside > own; inside = inside_.load())
    inside_.wait(inside);
}

}  // namespace pilum::jit
