// What one rank does otherwise than the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/faults/program.h"

namespace pilum::faults {

struct Mutation {
  std::string kind = "none";
  std::string what;  // in words
  Program program;   // what the mutated rank does
  // Before the Runtime, on the mutated rank: a variable that it sets, or how it ends.
  std::optional<std::pair<std::string, std::string>> setting;
  enum class Start { Runs, Returns, IsAnotherProgram } start = Start::Runs;
};

// All kinds; those behind `stop` make the others wait until they report a stall.
[[nodiscard]] const std::vector<std::string_view>& mutation_kinds();

// Draws a mutation of this kind, or of any (`kind` empty; without stop and endless). 0 changes nothing.
[[nodiscard]] Mutation draw_mutation(const Program& program, const Size& size, std::uint64_t seed,
                                     std::string_view kind, bool in_one_process);

// The first place where the two make different calls; none where all calls are alike.
struct Difference {
  std::string first, second;                      // the calls, empty behind the end
  std::size_t first_place = 0, second_place = 0;  // of the steps; their sizes behind the end
};
[[nodiscard]] std::optional<Difference> find_difference(const Program& first, const Program& second);

}  // namespace pilum::faults
