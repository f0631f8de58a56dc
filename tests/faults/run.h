// Does what a program says, through Pilum's public interface.
#pragma once

#include <functional>
#include <iosfwd>
#include <source_location>
#include <string>
#include <vector>

#include "tests/faults/program.h"

namespace pilum {
class Runtime;
}

namespace pilum::faults {

struct Surroundings {
  Runtime* runtime = nullptr;  // whose wait() is called; or else, with the call's line
  std::function<void(std::source_location)> wait;
  std::ostream* seen = nullptr;           // gets each value as it is read, and is flushed
  std::function<void()> before_mutation;  // called in front of step `mutation_place`
  std::size_t mutation_place = 0;
};

// All that the program read, as text, and every array's cells at the end; empty where the program returned early.
[[nodiscard]] std::string run(const Program& program, const Size& size, const Surroundings& surroundings);

// The source line of each step.
[[nodiscard]] std::vector<int> lines_of(const Program& program);

}  // namespace pilum::faults
