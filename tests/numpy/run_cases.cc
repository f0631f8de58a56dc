// Runs the cases that generate.py wrote as what plaunch made of this process.
//   run_cases FILE [--case N] [--part K --parts N]    --functions lists what it can call
#include <iostream>

#include "tests/numpy/call.h"
#include "tests/numpy/check_cases.h"

namespace pilum::numpy_suite {
namespace {

int run_all(const Choice& choice) {
  const auto cases = read_file(choice.file);
  if (!cases) return kSkipped;
  Runtime runtime;
  const bool good = check_cases(*cases, choice, runtime.rank());
  runtime.wait();
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace pilum::numpy_suite

int main(int argc, char** argv) {
  using namespace pilum::numpy_suite;
  CLI::App options("Cases that NumPy judged");
  Choice choice;
  bool lists = false;
  add_options(options, choice);
  options.add_flag("--functions", lists, "prints the functions that can be called");
  CLI11_PARSE(options, argc, argv);
  if (!lists) return run_all(choice);
  for (const auto& [name, function] : functions()) std::cout << name << "\n";
  return EXIT_SUCCESS;
}
