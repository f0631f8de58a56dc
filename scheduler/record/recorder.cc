#include "scheduler/record/recorder.h"

#include <string>
#include <utility>

#include "pilum/error.h"

namespace pilum::scheduler {
namespace {

[[noreturn]] void refuse_memory(const char* operation, std::source_location where) {
  throw RuntimeError("[" + std::string(operation) + "] this runtime does not expose its arrays' memory. Called at " +
                     where.file_name() + ":" + std::to_string(where.line()));
}

}  // namespace

constinit thread_local CurrentRecorder current_of_thread;

void Recorder::join(const View&, const StoreRef&, std::source_location) {}
void Recorder::separate(Store&) noexcept {}
Recorder::LentStore Recorder::lend(const LentBlock&, const Shape&, DType, const char* operation,
                                   std::source_location where) {
  refuse_memory(operation, where);
}
std::vector<LocalCells> Recorder::lock(const View&, const LocalRequest&, const char* operation,
                                       std::source_location where) {
  refuse_memory(operation, where);
}
void Recorder::unlock(Store&, const LocalRequest&) noexcept {}

NoRecording::NoRecording(const char* what) noexcept : outer_(std::exchange(current_of_thread.not_in, what)) {}
NoRecording::~NoRecording() {
  current_of_thread.not_in = outer_;
}

void check_may_record(const char* operation, std::source_location where) {
  if (!current_of_thread.not_in) [[likely]]
    return;
  throw RuntimeError("[" + std::string(operation) + "] arrays and their runtime cannot be used inside " +
                     current_of_thread.not_in +
                     ", whichever thread runs it: use its arguments there, and arrays before or after. Called at " +
                     where.file_name() + ":" + std::to_string(where.line()));
}

void refuse_recording(const char* operation, std::source_location where) {
  check_may_record(operation, where);
  throw RuntimeError("[" + std::string(operation) +
                     "] no pilum::Runtime is alive on this thread: make one first in main(), and use arrays on the "
                     "thread that made it. Called at " +
                     where.file_name() + ":" + std::to_string(where.line()));
}

Recorder* set_current_recorder(Recorder* recorder) noexcept {
  return std::exchange(current_of_thread.recorder, recorder);
}

}  // namespace pilum::scheduler
