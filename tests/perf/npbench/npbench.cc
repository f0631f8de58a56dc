// npbench_perf NAME FOLDER ROUNDS [WARM]: runs the program on the arrays FOLDER/in_*.npy and the numbers of
// FOLDER/numbers.txt, WARM times (2) and then ROUNDS times, each on copies of them, prints its times, and saves what it
// computed as FOLDER/out_*.npy. npbench.py makes the folder.
#include "tests/perf/npbench/npbench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace npbench {

namespace {

std::map<std::string, Program>& programs() {
  static std::map<std::string, Program> all;
  return all;
}

Inputs read_inputs(const std::filesystem::path& folder) {
  Inputs inputs;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().stem().string();
    if (name.starts_with("in_")) inputs.arrays.emplace(name.substr(3), np::load(file.path().string()));
  }
  std::ifstream numbers(folder / "numbers.txt");
  std::string name;
  double value = 0;
  while (numbers >> name >> value) inputs.numbers[name] = value;
  return inputs;
}

Inputs copy(const Inputs& inputs) {
  Inputs result;
  result.numbers = inputs.numbers;
  for (const auto& [name, array] : inputs.arrays) result.arrays.emplace(name, array.copy());
  return result;
}

int run(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 0, warm = argc > 4 ? std::atoi(argv[4]) : 2;
  if (rounds < 1 || warm < 0 || !programs().contains(argv[1])) {
    std::fputs("npbench_perf NAME FOLDER ROUNDS [WARM], where NAME is one of\n", stderr);
    for (const auto& [name, program] : programs()) std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  const Program program = programs().at(argv[1]);
  const std::filesystem::path folder = argv[2];
  const Inputs inputs = read_inputs(folder);
  std::vector<double> times;
  for (int round = -warm; round < rounds; ++round) {
    Inputs own = copy(inputs);
    runtime.wait();
    const auto start = std::chrono::steady_clock::now();
    const Outputs outputs = program(own);
    runtime.wait();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (round >= 0) times.push_back(1e3 * time.count());
    if (round == rounds - 1)
      for (const auto& [name, array] : outputs) np::save((folder / ("out_" + name + ".npy")).string(), array);
  }
  std::sort(times.begin(), times.end());
  if (runtime.rank() == 0)
    std::printf("%.4f ms (%.4f .. %.4f)\n", times[times.size() / 2], times.front(), times.back());
  return 0;
}

}  // namespace

Entry::Entry(const char* name, Program program) {
  programs()[name] = program;
}

}  // namespace npbench

int main(int argc, char** argv) {
  return npbench::run(argc, argv);
}
