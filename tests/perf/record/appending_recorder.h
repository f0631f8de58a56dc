// A recorder that does nothing with what is recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

#include "scheduler/record/recorder.h"

namespace pilum::test {

// Keeps a window of operations, as the scheduler does, and computes nothing.
class AppendingRecorder final : public scheduler::Recorder {
 public:
  AppendingRecorder() : before_(scheduler::set_current_recorder(this)) { window_.reserve(kWindow); }
  ~AppendingRecorder() override { scheduler::set_current_recorder(before_); }

  scheduler::StoreRef make_store(const Shape& shape, DType dtype, const char* operation,
                                 std::source_location where) override {
    auto* store = new scheduler::Store;
    store->id = StoreId{next_++};
    store->shape = shape;
    store->dtype = dtype;
    store->operation = operation;
    store->where = where;
    store->recorder = this;
    return scheduler::StoreRef(store);
  }
  void record(scheduler::Operation&& operation) override {
    if (window_.size() == kWindow) window_.clear();
    window_.push_back(std::move(operation));
  }
  void drop(scheduler::Store&) noexcept override {}
  std::vector<std::byte> fetch(const scheduler::View&, const char*, std::source_location) override { return {}; }
  void wait(std::source_location) override {}

 private:
  static constexpr std::size_t kWindow = 512;
  scheduler::Recorder* before_;
  std::int64_t next_ = 0;
  std::vector<scheduler::Operation> window_;
};

}  // namespace pilum::test
