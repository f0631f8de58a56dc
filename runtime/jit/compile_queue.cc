#include "runtime/jit/compile_queue.h"

#include <system_error>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/jit/exit_gate.h"

namespace pilum::jit {

void Compilation::begin() const {
  State expected = State::Queued;
  if (!state_.compare_exchange_strong(expected, State::Compiling)) return;
  State end = State::Ready;
  try {
    const ExitGate::Inside inside(ExitGate::gate());
    if (!inside) throw RuntimeError("[jit] the process is ending: no kernel is compiled any more");
    compile();
    ExitGate::gate().close_at_exit();
  } catch (...) {
    error_ = std::current_exception();
    end = State::Failed;
  }
  {
    const std::lock_guard lock(mutex_);
    state_.store(end, std::memory_order_release);
  }
  changed_.notify_all();
}

void Compilation::wait() const {
  if (!done()) {
    begin();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done(); });
  }
  if (error_) std::rethrow_exception(error_);
}

CompileQueue::CompileQueue(int threads) : limit_(threads) {
  ExitGate::gate().watch_this_thread();
}

CompileQueue::~CompileQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CompileQueue::add(Line& line, std::shared_ptr<const Compilation> compilation) {
  const std::lock_guard lock(mutex_);
  if (limit_ <= 0) return;
  if (stopping_) return;  // said by a compilation that the destructor waits for
  line.push_back(std::move(compilation));
  if (idle_ < static_cast<int>(queue_.size() + last_.size()) && static_cast<int>(threads_.size()) < limit_) {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::system_error& error) {  // whoever waits for a kernel compiles it
      limit_ = static_cast<int>(threads_.size());
      log("jit").warn("only {} threads compile kernels: {}", limit_, error.code().message());
    }
  }
  work_.notify_one();
}

void CompileQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    work_.wait(lock, [this] { return stopping_ || !queue_.empty() || !last_.empty(); });
    --idle_;
    if (stopping_) return;
    Line& line = queue_.empty() ? last_ : queue_;
    const std::shared_ptr<const Compilation> next = std::move(line.front());
    line.pop_front();
    lock.unlock();
    next->begin();
    lock.lock();
  }
}

}  // namespace pilum::jit
