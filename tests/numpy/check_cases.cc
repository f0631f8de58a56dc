#include "tests/numpy/check_cases.h"

#include <fstream>
#include <iostream>
#include <optional>

#include "tests/numpy/compare.h"
#include "tests/random/last_words.h"

namespace pilum::numpy_suite {
namespace {

constexpr std::int64_t kMostShown = 40;

std::string heading(const CaseFile& cases, const Case& test) {
  return "seed " + cases.seed + ", case " + std::to_string(test.id) + ", " + test.function;
}

std::string again(const CaseFile& cases, const Case& test) {
  return "  again: tests/numpy/generate.py --seed " + cases.seed + " --case " + std::to_string(test.id) +
         " CASES && run_cases CASES\n";
}

}  // namespace

void add_options(CLI::App& options, Choice& choice) {
  options.add_option("file", choice.file, "what generate.py wrote");
  options.add_option("--case", choice.only, "this one alone");
  options.add_option("--part", choice.part, "those whose number leaves this, divided by --parts");
  options.add_option("--parts", choice.parts);
}

bool check_cases(const CaseFile& cases, const Choice& choice, int rank) {
  std::int64_t count = 0, failures = 0;
  for (const Case& test : cases.cases) {
    if (!choice.takes(test)) continue;
    ++count;
    const std::string call = heading(cases, test) + "\n  " + to_string(test) + "\n";
    std::optional<random_programs::LastWords> words;  // of the process: simulated ranks are threads
    if (rank == 0) words.emplace(call);
    const auto failure = run(test);
    if (failure && ++failures <= kMostShown)
      std::cerr << heading(cases, test) + ": " + *failure + "\n  " + to_string(test) + "\n" + again(cases, test);
  }
  std::cerr << "rank " + std::to_string(rank) + ": seed " + cases.seed + ", " + std::to_string(count) + " cases, " +
                   std::to_string(failures) + " failures\n";
  return failures == 0 && count > 0;
}

std::optional<CaseFile> read_file(const std::string& name) {
  std::ifstream file(name);
  if (file) return read_cases(file);
  std::cerr << "SKIPPED: there is no " << name << ", for NumPy 2 was not there to write it\n";
  return {};
}

}  // namespace pilum::numpy_suite
