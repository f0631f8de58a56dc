#include "tests/perf/record/recording.h"

#include "tests/perf/record/appending_recorder.h"

namespace pilum::test {

Recording::Recording() : recorder_(std::make_unique<AppendingRecorder>()) {}
Recording::~Recording() = default;

}  // namespace pilum::test
