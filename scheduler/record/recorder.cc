#include "scheduler/record/recorder.h"

#include <string>
#include <utility>

#include "pilum/error.h"

namespace pilum::scheduler {
namespace {

// Looked at by each call: reached without asking the loader where this thread has them.
[[gnu::tls_model("initial-exec")]] constinit thread_local Recorder* current = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local const char* not_in = nullptr;

[[noreturn]] void refuse_memory(const char* operation, std::source_location where) {
  throw RuntimeError("[" + std::string(operation) + "] this runtime does not expose its arrays' memory. Called at " +
                     where.file_name() + ":" + std::to_string(where.line()));
}

}  // namespace

Recorder::LentStore Recorder::lend(const LentBlock&, const Shape&, DType, const char* operation,
                                   std::source_location where) {
  refuse_memory(operation, where);
}
std::vector<LocalCells> Recorder::lock(const View&, const LocalRequest&, const char* operation,
                                       std::source_location where) {
  refuse_memory(operation, where);
}
void Recorder::unlock(Store&, const LocalRequest&) noexcept {}

NoRecording::NoRecording(const char* what) noexcept : outer_(std::exchange(not_in, what)) {}
NoRecording::~NoRecording() {
  not_in = outer_;
}

void check_may_record(const char* operation, std::source_location where) {
  if (!not_in) [[likely]]
    return;
  throw RuntimeError("[" + std::string(operation) + "] arrays and their runtime cannot be used inside " + not_in +
                     ", whichever thread runs it: use its arguments there, and arrays before or after. Called at " +
                     where.file_name() + ":" + std::to_string(where.line()));
}

Recorder& current_recorder(const char* operation, std::source_location where) {
  check_may_record(operation, where);
  if (!current) {
    throw RuntimeError("[" + std::string(operation) +
                       "] no pilum::Runtime is alive on this thread: make one first in main(), and use arrays on the "
                       "thread that made it. Called at " +
                       where.file_name() + ":" + std::to_string(where.line()));
  }
  return *current;
}

Recorder* set_current_recorder(Recorder* recorder) noexcept {
  return std::exchange(current, recorder);
}

}  // namespace pilum::scheduler
