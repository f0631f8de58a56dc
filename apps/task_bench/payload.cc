#include "apps/task_bench/payload.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace metg {
namespace {

std::string describe(Task task) {
  return "(step " + std::to_string(task.step) + ", point " + std::to_string(task.point) + ")";
}

[[noreturn, gnu::cold]] void report(Task reader, Task expected, Task found, std::size_t at) {
  throw std::runtime_error("[metg] task " + describe(reader) + " reads " + describe(expected) + ", found " +
                           describe(found) + " at byte " + std::to_string(at));
}

}  // namespace

void write_payload(std::span<std::byte> bytes, Task writer) {
  for (std::size_t at = 0; at + sizeof(Task) <= bytes.size(); at += sizeof(Task)) {
    std::memcpy(bytes.data() + at, &writer, sizeof(Task));
  }
}

void check_payload(std::span<const std::byte> bytes, Task reader, Task expected) {
  for (std::size_t at = 0; at + sizeof(Task) <= bytes.size(); at += sizeof(Task)) {
    Task found;
    std::memcpy(&found, bytes.data() + at, sizeof(Task));
    if (found != expected) report(reader, expected, found, at);
  }
}

}  // namespace metg
