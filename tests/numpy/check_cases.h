// All cases of a file, run as one rank; what the programs take on their command lines.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "tests/numpy/case.h"

namespace pilum::numpy_suite {

struct Choice {
  std::string file;
  std::int64_t only = -1;
  std::int64_t part = 0, parts = 1;

  bool takes(const Case& test) const { return only >= 0 ? test.id == only : test.id % parts == part; }
};

void add_options(CLI::App& options, Choice& choice);

// Runs those chosen, on this thread's recorder; says which fail and how to see them again, and how many there were.
// Whether all gave what NumPy gave, and there were any.
bool check_cases(const CaseFile& cases, const Choice& choice, int rank);

// Nothing, with a line about it, where the file was not written because NumPy is missing.
std::optional<CaseFile> read_file(const std::string& name);

inline constexpr int kSkipped = 77;  // the exit status

}  // namespace pilum::numpy_suite
