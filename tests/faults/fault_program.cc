// A drawn program, of which one rank does something else.
//
//   fault_program PROGRAM MUTATION RANK [KIND] [--extent N] [--two-axes] [--report PREFIX]
//   fault_program --list PROGRAM MUTATIONS [KIND] …     for MUTATION = first:last, a line of JSON each
//   fault_program --show PROGRAM MUTATION RANK …        the mutated rank's calls
//   fault_program --kinds
//
// Rank 0 prints what it reads. Every rank writes what it read to PREFIX.RANK at its end, the mutated one the time
// (CLOCK_MONOTONIC) to PREFIX.mutated when it comes to the first call that the others do not make.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "pilum/pilum.h"
#include "tests/faults/mutation.h"
#include "tests/faults/options.h"
#include "tests/faults/run.h"

namespace {

using namespace pilum::faults;

// As mpirun and srun say it; a rank that never starts a Runtime has no other way to know.
int own_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return 0;
}

void write_time(const std::string& path) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::ofstream(path) << now.tv_sec << '.' << std::to_string(1000000000 + now.tv_nsec).substr(1) << '\n';
}

int run_as_rank(const Options& options) {
  const Program program = draw_program(options.program, options.size);
  Mutation mutation = draw_mutation(program, options.size, options.mutation, options.kind, /*in_one_process=*/false);
  const bool mutated = own_rank() == options.rank && options.mutation != 0;
  const std::string mark = options.report + ".mutated";
  if (mutated && mutation.start != Mutation::Start::Runs) {
    if (!options.report.empty()) write_time(mark);
    if (mutation.start == Mutation::Start::IsAnotherProgram) execl("/bin/true", "true", nullptr);
    return 0;
  }
  if (mutated && mutation.setting) {
    if (!options.report.empty()) write_time(mark);
    setenv(mutation.setting->first.c_str(), mutation.setting->second.c_str(), 1);
  }
  pilum::Runtime runtime;
  Surroundings surroundings{.runtime = &runtime};
  if (runtime.rank() == 0) surroundings.seen = &std::cout;
  if (const auto difference = find_difference(program, mutation.program);
      mutated && difference && !options.report.empty()) {
    surroundings.mutation_place = difference->second_place;
    surroundings.before_mutation = [&] { write_time(mark); };
  }
  const std::string text = run(mutated ? mutation.program : program, options.size, surroundings);
  if (!options.report.empty()) std::ofstream(options.report + "." + std::to_string(runtime.rank())) << text;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "--kinds") {
    for (const std::string_view kind : mutation_kinds()) std::cout << kind << '\n';
    return 0;
  }
  if (!arguments.empty() && arguments[0] == "--list") {
    list_mutations({arguments.begin() + 1, arguments.end()}, /*in_one_process=*/false);
    return 0;
  }
  if (!arguments.empty() && arguments[0] == "--show") {
    const Options options = read_options({arguments.begin() + 1, arguments.end()});
    const Mutation mutation = draw_mutation(draw_program(options.program, options.size), options.size, options.mutation,
                                            options.kind, /*in_one_process=*/false);
    for (const Step& step : mutation.program) std::cout << text_of(step) << '\n';
    return 0;
  }
  return run_as_rank(read_options(arguments));
}
