// What both programs that run mutations are asked for, and how they describe them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/faults/program.h"

namespace pilum::faults {

struct Options {
  std::uint64_t program = 1, mutation = 0;
  int rank = 0;
  std::string kind;
  Size size;
  std::string report;
};

// PROGRAM MUTATION RANK [KIND] [--extent N] [--two-axes] [--report PREFIX]
[[nodiscard]] Options read_options(const std::vector<std::string>& arguments);

// PROGRAM FIRST:LAST [KIND] …: a line of JSON for each of these mutations: its kind, in words, the first calls that
// differ and their source lines (0: the program's end).
void list_mutations(const std::vector<std::string>& arguments, bool in_one_process);

}  // namespace pilum::faults
