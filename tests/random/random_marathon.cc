// Random programs on random machines, as many as wanted: by hand, for nights.
//   random_marathon [--count N] [--seed N] [--seconds N] [--jobs N] [--limit SECONDS] [--interpret] [--gpus] [--ranks
//   PROGRAM]
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "CLI/CLI.hpp"
#include "tests/random/drawn_machine.h"
#include "tests/random/real_ranks.h"

namespace pilum::random_programs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSlow = 10;  // seconds of a batch that is told about: what takes long may be a mistake too

struct Options {
  std::int64_t count = 10'000;
  std::uint64_t seed = 0;
  double seconds = 1e9;
  int jobs = 1;
  int limit = 60;
  bool go_on = false;
  bool interpret = false;
  bool gpus = false;
  std::string ranks;
};

// In memory that all jobs share.
struct Tally {
  std::atomic<std::int64_t> next = 0;  // the first program that nobody has taken
  std::atomic<std::int64_t> programs = 0, cells = 0, failures = 0;
  std::atomic<bool> stop = false;
};

Tally& make_shared_tally() {
  void* memory = mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  return *new (memory) Tally;
}

std::optional<std::string> check_simulated(const Options& options, std::uint64_t seed, int count, int first_core,
                                           Tally& tally) {
  Checker checker = on_drawn_machines(first_core, options.interpret, options.gpus);
  checker.on_success = [&](const Batch& batch, std::int64_t cells) {
    tally.programs += static_cast<std::int64_t>(batch.programs.size());
    tally.cells += cells * draw_machine(batch.seed).ranks;
  };
  return first_failure(seed, count, count, checker);
}

std::optional<std::string> check_real(const Options& options, std::uint64_t seed, int count, Tally& tally) {
  const RealRanks outcome = run_on_real_ranks(options.ranks, draw_settings(seed), seed, count, options.limit);
  if (outcome.failure) return outcome.failure;
  tally.programs += count;
  tally.cells += outcome.cells;
  return {};
}

// One of the processes: batch after batch, until there are none, or time is over, or one has failed.
void be_job(const Options& options, int job, Tally& tally, Clock::time_point start) {
  const int cores = static_cast<int>(std::max(2U, std::thread::hardware_concurrency()));
  const int size = options.ranks.empty() ? 16 : 60;
  while (!tally.stop && std::chrono::duration<double>(Clock::now() - start).count() < options.seconds) {
    const std::int64_t first = tally.next.fetch_add(size);
    if (first >= options.count) return;
    const int count = static_cast<int>(std::min<std::int64_t>(size, options.count - first));
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(first);
    const Clock::time_point began = Clock::now();
    const auto failure = options.ranks.empty() ? check_simulated(options, seed, count, job % (cores - 1), tally)
                                               : check_real(options, seed, count, tally);
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    if (seconds > kSlow) {
      std::cout << "seed " + std::to_string(seed) + ": " + std::to_string(seconds) + " s for " + std::to_string(count) +
                       " programs\n"
                << std::flush;
    }
    if (!failure) continue;
    ++tally.failures;
    if (!options.go_on) tally.stop = true;
    std::cout << "program " + std::to_string(first) + " or after it: " + *failure + "\n" << std::flush;
  }
}

void print(const Options& options, const Tally& tally, double seconds) {
  const auto programs = static_cast<double>(tally.programs);
  std::printf("%lld programs, %lld cells compared, %lld failures, %.0f s, %.1f programs a second and job\n",
              static_cast<long long>(tally.programs), static_cast<long long>(tally.cells),
              static_cast<long long>(tally.failures), seconds, programs / seconds / options.jobs);
  std::fflush(stdout);
}

int run_marathon(const Options& options) {
  std::printf("--seed %llu\n", static_cast<unsigned long long>(options.seed));
  std::fflush(stdout);
  setenv("PILUM_RANDOM_SECONDS", std::to_string(options.limit).c_str(), 1);
  Tally& tally = make_shared_tally();
  const Clock::time_point start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::vector<pid_t> jobs;
  for (int job = 0; job < options.jobs; ++job) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no child process");
    if (child == 0) {
      be_job(options, job, tally, start);
      std::cout.flush();
      _exit(EXIT_SUCCESS);
    }
    jobs.push_back(child);
  }
  double printed = 0;
  bool sound = true;
  while (!jobs.empty()) {
    int status = 0;
    if (waitpid(jobs.back(), &status, WNOHANG) == jobs.back()) {
      sound = sound && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
      jobs.pop_back();
      continue;
    }
    usleep(20'000);
    if (elapsed() < printed + 30) continue;
    print(options, tally, printed = elapsed());
  }
  print(options, tally, elapsed());
  if (!sound) std::puts("a job ended by itself");
  return sound && tally.failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace pilum::random_programs

int main(int argc, char** argv) {
  pilum::random_programs::Options options;
  options.seed = std::random_device{}();
  CLI::App app("Random programs on random machines, against a naive oracle");
  app.add_option("--count", options.count, "Programs")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "The first program's; the others follow it (random)");
  app.add_option("--seconds", options.seconds, "Starts nothing new after these");
  app.add_option("--jobs", options.jobs, "Processes at once")->check(CLI::PositiveNumber);
  app.add_option("--limit", options.limit,
                 "Seconds after which a batch, or a program of real ranks, counts as hanging");
  app.add_flag("--interpret", options.interpret, "Simulated ranks interpret their kernels: nothing is compiled");
  app.add_flag("--gpus", options.gpus, "Simulated ranks have emulated GPUs");
  app.add_flag("--go-on", options.go_on, "After a failure too");
  app.add_option("--ranks", options.ranks, "random_programs_ranks: runs it under mpirun, with settings that are drawn");
  CLI11_PARSE(app, argc, argv);
  return pilum::random_programs::run_marathon(options);
}
