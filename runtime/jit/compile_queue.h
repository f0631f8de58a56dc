// Compiling in the background, or by whoever cannot wait.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace pilum::jit {

// Something compiled once: Queued → Compiling → Ready | Failed. Whoever moves it out of Queued compiles it. Any thread
// may call; const, as one is shared by all who use what comes of it.
class Compilation {
 public:
  Compilation() = default;
  virtual ~Compilation() = default;
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  // Ready or failed.
  bool done() const { return state_.load(std::memory_order_acquire) >= State::Ready; }
  // Compiles, unless somebody has begun.
  void begin() const;
  // Waits for the end; compiles here if nobody has begun. Throws what compile() threw.
  void wait() const;

 protected:
  // Called once. What it writes is seen by all who saw done().
  virtual void compile() const = 0;

 private:
  enum class State : int { Queued, Compiling, Ready, Failed };

  mutable std::atomic<State> state_{State::Queued};
  mutable std::exception_ptr error_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
};

// Threads that compile what is submitted, first come, first served, but what can wait last; they are started as they
// are needed. The destructor waits for what is being compiled and leaves the rest. Thread-safe.
class CompileQueue {
 public:
  // threads: 0 leaves everything to Compilation::wait().
  explicit CompileQueue(int threads);
  ~CompileQueue();

  void submit(std::shared_ptr<const Compilation> compilation) { add(queue_, std::move(compilation)); }
  void submit_last(std::shared_ptr<const Compilation> compilation) { add(last_, std::move(compilation)); }

 private:
  using Line = std::deque<std::shared_ptr<const Compilation>>;

  void add(Line& line, std::shared_ptr<const Compilation> compilation);
  void run();

  std::mutex mutex_;  // guards what follows
  int limit_;         // of threads; fewer where the system does not give more
  std::condition_variable work_;
  Line queue_, last_;
  std::vector<std::thread> threads_;
  int idle_ = 0;
  bool stopping_ = false;
};

}  // namespace pilum::jit
