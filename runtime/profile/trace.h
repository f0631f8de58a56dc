// A recorder's timeline as a file for chrome://tracing or ui.perfetto.dev.
#pragma once

#include <iosfwd>
#include <string>

#include "runtime/profile/recorder.h"

namespace pilum::profile {

// Chrome's trace event format, JSON: the rank is the process, the lane the thread, counters stand under "otherData".
void write_trace(std::ostream& out, const Recorder& recorder, int rank);
// The same into a file. Throws pilum::RuntimeError with the path when it cannot be written.
void save_trace(const std::string& path, const Recorder& recorder, int rank);
// Every rank writes its own: "run.json" is "run.3.json" on rank 3 of several, itself on the only one.
std::string trace_path(const std::string& path, int rank, int ranks);

}  // namespace pilum::profile
