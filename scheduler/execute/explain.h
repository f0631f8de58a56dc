// How instructions are named in what users read.
#pragma once

#include <cstdint>
#include <string>

#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// "[zeros] what went wrong. Recorded at app.cc:12"
[[nodiscard]] std::string explain(const Instruction& instruction, std::string what);
[[nodiscard]] std::string explain(const char* name, std::string what, const char* file, std::uint64_t line);
// "[zeros] at app.cc:12"
[[nodiscard]] std::string name_and_place(const Instruction& instruction);

}  // namespace pilum::scheduler
