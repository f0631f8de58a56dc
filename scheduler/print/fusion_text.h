// What fused and why not, as text for users.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scheduler/record/fused_group.h"

namespace pilum::scheduler {

// "808 B", "13.4 kB", "1.23 GB": in powers of 1,000, as bandwidths are given.
[[nodiscard]] std::string decimal_bytes(std::int64_t bytes);
// "subtract (program.cc:3)"
[[nodiscard]] std::string to_text(const Call& call);
// Two indented lines: calls by line, and what the group moves.
[[nodiscard]] std::string to_text(const FusedGroup& group);
// "a new group begins because subtract (program.cc:3) reads at other points what multiply (program.cc:2) writes"
[[nodiscard]] std::string to_text(std::span<const Refusal> refusals);
// "the window ends because the program reads a value: item (program.cc:5)"
[[nodiscard]] std::string to_text(const WindowEnd& end);

}  // namespace pilum::scheduler
