// The programs of programs.h: milliseconds a step, beside those of a copy of the bytes that a step must move at least
// (each array that is read or written, once), and on the cores of one rank beside the same loops by hand (by_hand/).
// programs_perf NAME [SIZE] [ROUNDS] [STEPS A ROUND]. Fails where the results of both differ.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/perf/programs/contest.h"
#include "tests/perf/programs/programs.h"
#include "tests/perf/programs/quiet.h"

namespace np = pilum::numeric;
using np::all, np::slice;
using pilum::programs::Contest, pilum::programs::Program;

namespace {

constexpr double kRound = 20;  // milliseconds at least, against loops by hand

double milliseconds(pilum::Runtime& runtime, const std::function<void()>& step, int steps) {
  runtime.wait();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) step();
  runtime.wait();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / steps;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

double most(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

bool arrays_live_on_cores() {
  const auto array = np::ones({1000});
  const np::Local local = array.local();
  return !local.empty() && local[0].memory() == np::MemoryKind::Host;
}

struct Figures {
  std::vector<double> steps, of_a_copy, by_hand, against_by_hand;
};

Figures measure(pilum::Runtime& runtime, Program& program, Contest* contest, int rounds, int count) {
  const auto cells = static_cast<std::int64_t>(program.bytes / 16);
  auto from = np::ones({cells}), to = np::zeros({cells});
  const auto copy = [&] {  // each by itself: several would be one pass
    to[all] = from;
    runtime.wait();
  };
  if (contest != nullptr) {
    const int long_enough = contest->warm_up(kRound);
    if (count == 0) count = long_enough;
  } else {
    (void)milliseconds(runtime, program.step, 40);  // plans, kernels and graphs are made
  }
  if (count == 0) count = 10;
  (void)milliseconds(runtime, copy, 4);
  Figures figures;
  for (int round = 0; round < rounds; ++round) {
    if (contest != nullptr) {
      const pilum::programs::Round times = contest->run(count);
      figures.steps.push_back(times.program);
      figures.by_hand.push_back(times.by_hand);
      figures.against_by_hand.push_back(times.by_hand / times.program);
    } else {
      figures.steps.push_back(milliseconds(runtime, program.step, count));
    }
    if (contest != nullptr) pilum::programs::wait_until_quiet();
    figures.of_a_copy.push_back(milliseconds(runtime, copy, std::min(count, 100)) / figures.steps.back());
  }
  return figures;
}

int run(pilum::Runtime& runtime, const std::string& name, std::int64_t size, int rounds, int count) {
  Program program = pilum::programs::make_program(name, size);
  std::unique_ptr<Contest> contest;
  if (program.by_hand && runtime.ranks() == 1 && arrays_live_on_cores())
    contest = make_contest(runtime, name, size, program);
  const Figures figures = measure(runtime, program, contest.get(), rounds, count);
  if (runtime.rank() == 0) {
    std::printf("%-20s %6lld  %9.3f ms a step (%.3f .. %.3f), of a copy's speed %.2f", name.c_str(),
                static_cast<long long>(size), median(figures.steps), least(figures.steps), most(figures.steps),
                median(figures.of_a_copy));
    if (contest) {
      std::printf(", against OpenMP %.2f (%.2f .. %.2f; %.3f ms, %s stores)", median(figures.against_by_hand),
                  least(figures.against_by_hand), most(figures.against_by_hand), median(figures.by_hand),
                  contest->stores());
    }
    std::puts("");
  }
  const std::string difference = contest ? contest->difference() : std::string();
  if (difference.empty()) return 0;
  std::fprintf(stderr, "programs_perf: %s %lld does not compute what its loops by hand do: %s\n", name.c_str(),
               static_cast<long long>(size), difference.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (const char* unfit = pilum::programs::unfit_environment()) {
    std::fprintf(stderr, "programs_perf: %s\n", unfit);
    return 2;
  }
  pilum::Runtime runtime(argc, argv);
  const std::string name = argc > 1 ? argv[1] : "heat";
  const std::int64_t size = argc > 2 ? std::atoll(argv[2]) : (name == "heat" || name == "far_heat" ? 256 : 4096);
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5, steps = argc > 4 ? std::atoi(argv[4]) : 0;
  try {
    return run(runtime, name, size, std::max(rounds, 1), std::max(steps, 0));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "programs_perf: %s\n", error.what());
    return 2;
  }
}
