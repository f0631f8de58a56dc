// Keeps what is recorded, for the stages that take a window.
#pragma once

#include <vector>

#include "runtime/base/check.h"
#include "scheduler/analyze/fuser.h"
#include "scheduler/analyze/window.h"
#include "scheduler/record/recorder.h"

namespace pilum::scheduler {

// This thread's recorder while it lives; it must outlive the arrays. Nothing is run.
class WindowRecorder final : public Recorder {
 public:
  WindowRecorder() : before_(set_current_recorder(this)) {}
  ~WindowRecorder() override { set_current_recorder(before_); }

  StoreRef make_store(const Shape& shape, DType dtype, const char* operation, std::source_location where) override {
    auto* store = new Store;
    store->id = StoreId{next_id_++};
    store->shape = shape;
    store->dtype = dtype;
    store->operation = operation;
    store->where = where;
    store->recorder = this;
    return StoreRef(store);
  }
  void record(Operation&& operation) override { operations.push_back(std::move(operation)); }
  void drop(Store&) noexcept override {}
  std::vector<std::byte> fetch(const View&, const char*, std::source_location) override {
    PILUM_CHECK(false, "nothing is run here");
    return {};
  }
  void wait(std::source_location) override {}

  // Forgets what was recorded so far: it belongs to an earlier window.
  void begin_window() { operations.clear(); }
  // The tasks of the window, and its stores.
  std::vector<Task> fuse_window(int processors = 1, const std::vector<Operation>& used_later = {},
                                FusionNotes* notes = nullptr) {
    machine::Machine machine;
    machine.kind = kind;
    machine.ranks = processors;
    machine.split_bytes = machine.cache_bytes = 64;
    machine.memory_bytes = memory_bytes;
    machine.memory_bandwidth = memory_bandwidth;
    stores = collect_stores(operations, used_later, machine);
    std::vector<Task> tasks = fuse(operations, stores, machine, notes);
    for (WindowStore& store : stores) store.store->window_index = -1;
    return tasks;
  }

  std::vector<Operation> operations;
  std::vector<WindowStore> stores;
  machine::ProcessorKind kind = machine::ProcessorKind::Cpu;
  std::int64_t memory_bytes = 0;  // of the machine
  double memory_bandwidth = machine::Machine{}.memory_bandwidth;

 private:
  Recorder* before_;
  std::int64_t next_id_ = 0;
};

}  // namespace pilum::scheduler
