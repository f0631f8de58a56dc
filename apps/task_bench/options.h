#pragma once

#include <cstddef>
#include <cstdint>

#include <CLI/CLI.hpp>
#include "apps/task_bench/pattern.h"

namespace metg {

struct Options {
  Graph graph{.pattern = Pattern::kStencil1d, .steps = 1000, .width = 8};
  std::int64_t iterations = 1000;
  std::size_t bytes = 16;
  int repetitions = 5;
  bool metg = false;
  bool json = false;
};

// Parsing fills `options` and checks them, alone and together: a mistake is a CLI::ParseError. Both outlive the
// parsing.
void add_options(CLI::App& app, Options& options);

}  // namespace metg
