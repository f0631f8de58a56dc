#include "runtime/profile/trace.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ostream>
#include <string_view>

#include <spdlog/fmt/fmt.h>

#include "pilum/error.h"
#include "runtime/base/log.h"

namespace pilum::profile {
namespace {

// A JSON string. Bytes beyond ASCII are taken for UTF-8.
std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// The format wants microseconds; three digits keep the nanoseconds.
std::string microseconds(std::int64_t nanoseconds) {
  return fmt::format("{}{}.{:03}", nanoseconds < 0 ? "-" : "", std::abs(nanoseconds) / 1000,
                     std::abs(nanoseconds) % 1000);
}

std::string metadata(const char* kind, int rank, int lane, std::string_view name) {
  return fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", kind, rank, lane,
                     quote(name));
}

std::string complete_event(const Span& span, int rank) {
  return fmt::format(R"({{"ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"dur":{}}})", quote(span.name),
                     quote(span.category), rank, span.lane, microseconds(span.start),
                     microseconds(span.end - span.start));
}

}  // namespace

void write_trace(std::ostream& out, const Recorder& recorder, int rank) {
  out << "{\"traceEvents\":[\n" << metadata("process_name", rank, 0, "rank " + std::to_string(rank));
  for (const auto& [lane, name] : recorder.lane_names()) out << ",\n" << metadata("thread_name", rank, lane, name);
  for (const Span& span : recorder.spans()) out << ",\n" << complete_event(span, rank);
  out << "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"spans dropped\":" << recorder.dropped();
  recorder.counters.for_each([&](const char* name, std::int64_t value) {
    out << ",\n" << quote(name) << ":" << value;
  });
  out << "}}\n";
}

void save_trace(const std::string& path, const Recorder& recorder, int rank) {
  std::ofstream file(path);
  if (file) write_trace(file, recorder, rank);
  file.close();
  if (!file) {
    throw RuntimeError("[profile] cannot write " + path + ": " + std::strerror(errno) +
                       ". Give PILUM_PROFILE (plaunch --profile) a file in a folder that exists and may be written");
  }
  if (recorder.dropped() > 0) {
    log("profile").warn("{} spans were dropped: {} holds the first ones", recorder.dropped(), path);
  }
}

std::string trace_path(const std::string& path, int rank, int ranks) {
  if (ranks == 1) return path;
  const std::string number = fmt::format(".{}", rank);
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.rfind('.');
  const bool has_ending = dot != std::string::npos && dot > (slash == std::string::npos ? 0 : slash + 1);
  return has_ending ? path.substr(0, dot) + number + path.substr(dot) : path + number;
}

}  // namespace pilum::profile
