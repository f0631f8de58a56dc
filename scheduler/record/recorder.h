// The floor's front door: what numeric/ calls.
#pragma once

#include <cstddef>
#include <source_location>
#include <vector>

#include "runtime/device/gpu_skill.h"
#include "scheduler/record/lent.h"
#include "scheduler/record/operation.h"

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
  // `other`, a new store which was given the view's cells, row-major, is those cells from now on: what is written to
  // one of the two is read from both.
  virtual void join(const View& view, const StoreRef& other, std::source_location where);
  // No longer; before anything else is recorded.
  virtual void separate(Store& other) noexcept;
  // The view's cells, row-major, on every rank. Executes all that is recorded.
  [[nodiscard]] virtual std::vector<std::byte> fetch(const View& view, const char* operation,
                                                     std::source_location where) = 0;
  // A store whose cells are those of the ranks' blocks, in place; its axis k is the array's axis order[k], so that
  // neighbours along the last one lie side by side. By all ranks; throws pilum::ValueError on all alike where a block
  // is in trouble, or where they make no array.
  struct LentStore {
    StoreRef store;
    AxisOrder order{};
  };
  [[nodiscard]] virtual LentStore lend(const LentBlock& block, const Shape& shape, DType dtype, const char* operation,
                                       std::source_location where);
  // Where this rank's cells of the view are, by its processors, once all that is recorded is done. By all ranks. Until
  // unlock() the store is not to be recorded with, and stays where it is. The cells that are written are the store's
  // value.
  [[nodiscard]] virtual std::vector<LocalCells> lock(const View& view, const LocalRequest& request,
                                                     const char* operation, std::source_location where);
  virtual void unlock(Store& store, const LocalRequest& request) noexcept;
  // What shares the work: how many processors of all ranks, whether they are GPUs, and how many cores there are. Alike
  // on all ranks.
  struct Processors {
    int count = 1;
    bool are_gpus = false;
    int cores = 1;
    int ranks = 1;
    std::int64_t split_bytes = 0;  // arrays below this are not cut
  };
  [[nodiscard]] virtual Processors processors() const { return {}; }
  // Whether this rank's processors are GPUs that have the skill; the first time it may load a library.
  [[nodiscard]] virtual bool gpus_have(device::GpuSkill) { return false; }
  // Executes all that is recorded; lent memory has the cells' values then.
  virtual void wait(std::source_location where = std::source_location::current()) = 0;
};

// Of this thread. Looked at by each call: reached without asking the loader where they are.
struct CurrentRecorder {
  Recorder* recorder = nullptr;
  const char* not_in = nullptr;  // NoRecording's
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local CurrentRecorder current_of_thread;
[[noreturn, gnu::cold]] void refuse_recording(const char* operation, std::source_location where);

// This thread's recorder; throws pilum::RuntimeError when no Runtime is alive on this thread.
[[nodiscard]] inline Recorder& current_recorder(const char* operation, std::source_location where) {
  if (!current_of_thread.recorder || current_of_thread.not_in) [[unlikely]]
    refuse_recording(operation, where);
  return *current_of_thread.recorder;
}
// Returns the one set before.
Recorder* set_current_recorder(Recorder* recorder) noexcept;

// While one lives, this thread has no recorder: what runs is a function of the user's that must not record. `what`: "a
// task's body", for the error.
class NoRecording {
 public:
  explicit NoRecording(const char* what) noexcept;
  ~NoRecording();
  NoRecording(const NoRecording&) = delete;
  NoRecording& operator=(const NoRecording&) = delete;

 private:
  const char* outer_;
};
// Throws pilum::RuntimeError inside such a function.
void check_may_record(const char* operation, std::source_location where);

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
