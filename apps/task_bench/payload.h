#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace metg {

struct Task {
  std::int64_t step = 0;
  std::int64_t point = 0;

  friend bool operator==(const Task&, const Task&) = default;
};

// What a task writes: its own (step, point), 16 bytes, over and over. Bytes need no alignment; what is left of them
// after whole pairs is not touched.
constexpr std::size_t kSmallestPayload = sizeof(Task);

void write_payload(std::span<std::byte> bytes, Task writer);

// Throws std::runtime_error, which says who read, what was expected and what was found, unless every pair is
// `expected`.
void check_payload(std::span<const std::byte> bytes, Task reader, Task expected);

}  // namespace metg
