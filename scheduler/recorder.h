// The floor's front door: what numeric/ calls.
#pragma once

#include <cstddef>
#include <source_location>
#include <vector>

#include "scheduler/operation.h"

namespace pilum::scheduler {

// Takes operations, on one thread. Arguments are already checked: a bad one is a bug (PILUM_CHECK).
// An error of the execution is thrown, once known, by the next call; it is final.
class Recorder {
 public:
  virtual ~Recorder() = default;

  // A store without a value. No array memory is taken.
  [[nodiscard]] virtual StoreRef make_store(const Shape& shape, DType dtype, const char* operation,
                                            std::source_location where) = 0;
  // Finds out whether a user's task can run, before anything of it is recorded. Throws pilum::ValueError for a body for
  // GPUs that does not compile, pilum::RuntimeError where it cannot be compiled.
  virtual void check(const TaskLaunch&) {}
  // Appends; analysis may follow for the operations before it, never for this one.
  virtual void record(Operation&& operation) = 0;
  // The last handle is gone: the value is not needed after what is recorded so far.
  virtual void drop(Store& store) noexcept = 0;
  // The view's cells, row-major, on every rank. Executes all that is recorded.
  [[nodiscard]] virtual std::vector<std::byte> fetch(const View& view, const char* operation,
                                                     std::source_location where) = 0;
  // Executes all that is recorded.
  virtual void wait() = 0;
};

// This thread's recorder; throws pilum::RuntimeError when no Runtime is alive on this thread.
[[nodiscard]] Recorder& current_recorder(const char* operation, std::source_location where);
// Returns the one set before.
Recorder* set_current_recorder(Recorder* recorder) noexcept;

// A user's handle on a store: counts as long as a value may be asked for.
class Handle {
 public:
  Handle() = default;
  explicit Handle(StoreRef store) : store_(std::move(store)) {
    if (store_) ++store_->handles;
  }
  Handle(const Handle& other) : Handle(other.store_) {}
  Handle(Handle&& other) noexcept : store_(std::move(other.store_)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(store_, other.store_);
    return *this;
  }
  ~Handle() {
    if (store_ && --store_->handles == 0 && store_->recorder) store_->recorder->drop(*store_);
  }
  const StoreRef& store() const { return store_; }

 private:
  StoreRef store_;
};

}  // namespace pilum::scheduler
