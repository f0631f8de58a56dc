#include "scheduler/recorder.h"

#include <string>

#include "pilum/error.h"

namespace pilum::scheduler {
namespace {

thread_local Recorder* current = nullptr;

}  // namespace

Recorder& current_recorder(const char* operation, std::source_location where) {
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
