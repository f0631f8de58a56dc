// A program whose Runtime begins and ends in the way of its argument: lifecycle HOW [RANK]
//   twice         two Runtimes, one after the other, each sums an array
//   once RANK     two Runtimes, but rank RANK returns after the first
//   never RANK    rank RANK returns before its Runtime
//   late RANK     rank RANK makes its Runtime 7 s after the others
//   threads       a second Runtime in a second thread
//   nested        a second Runtime while the first one lives
//   scan          prints what the cells of a long line come to
//   fork          a child uses the parent's arrays, then the parent goes on
//   fork_ends     a child leaves the Runtime's scope and returns from main
//   print HOW2    prints to three streams, not flushed, then: throw, terminate, unwind
//   sleep         does some work and sleeps
//   exit          calls std::exit(0) after its Runtime's end
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <pilum/pilum.h>

namespace np = pilum::numeric;
using np::slice;

namespace {

std::string how, second;

int launched_rank() {
  const char* text = std::getenv("OMPI_COMM_WORLD_RANK");
  return text ? std::atoi(text) : 0;
}

void leave_pid() {
  const char* folder = std::getenv("PIDS");
  if (!folder) return;
  const std::string path = std::string(folder) + "/" + std::to_string(launched_rank());
  std::ofstream(path + ".new") << getpid() << '\n';
  std::filesystem::rename(path + ".new", path);
}

// A line so long that scans of it are cut where several cores share them.
void print_scan(const pilum::Runtime& runtime) {
  const auto sums = np::cumsum(np::ones({200000}));
  const double last = sums(-1).item<double>();
  if (runtime.rank() == 0) std::printf("%d cores, the last of the sums: %.0f\n", runtime.cores(), last);
}

// A stencil over all ranks and a sum of it.
double work() {
  auto line = np::arange(300000, pilum::float64);
  auto left = line(slice(0, -2)), right = line(slice(2, {}));
  for (int i = 0; i < 10; ++i) line(slice(1, -1)) = 0.5 * (left + right);
  return np::sum(line).item<double>();
}

void run_once(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  const double sum = work();
  if (runtime.rank() == 0)
    std::printf("%d ranks over %s: sum %.0f\n", runtime.ranks(), runtime.transport().c_str(), sum);
}

void make_in_another_thread() {
  std::thread([] {
    try {
      pilum::Runtime second;
      std::printf("there are two\n");
    } catch (const pilum::RuntimeError& error) {
      std::printf("refused: %s\n", error.what());
    }
  }).join();
}

template <class Use>
void try_in_child(const char* name, Use use) {
  try {
    use();
    std::printf("child: %s was allowed\n", name);
  } catch (const pilum::RuntimeError& error) {
    std::printf("child: %s refused: %s\n", name, error.what());
  }
}

void fork_and_use(pilum::Runtime& runtime) {
  auto array = np::ones({1000});
  auto other = array + 1;
  runtime.wait();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    try_in_child("add", [&] { auto sum = array + other; });
    try_in_child("zeros", [] { auto zeros = np::zeros({3}); });
    try_in_child("item", [&] { static_cast<void>(np::sum(array).item<double>()); });
    try_in_child("wait", [&] { runtime.wait(); });
    try_in_child("Runtime", [] { pilum::Runtime another; });
    {
      auto copy = array;
    }
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child ended with %d, parent: %g\n", status, np::sum(array + other).item<double>());
}

void print_and_fail(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
  pilum::Runtime runtime(argc, argv);
  work();
  std::cout << "of cout\n";
  std::clog << "of clog\n";
  std::printf("of printf\n");
  if (runtime.rank() != runtime.ranks() - 1) {
    while (true) work();
  }
  if (second == "terminate") std::terminate();
  throw std::runtime_error("the input file is empty");
}

}  // namespace

int main(int argc, char** argv) {
  how = argc > 1 ? argv[1] : "";
  second = argc > 2 ? argv[2] : "";
  const bool is_one = launched_rank() == std::atoi(second.c_str());
  leave_pid();
  if (how == "never" && is_one) return 0;
  if (how == "late" && is_one) std::this_thread::sleep_for(std::chrono::seconds(7));
  if (how == "print" && second == "unwind") {
    try {
      print_and_fail(argc, argv);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "main: %s\n", error.what());
      return 1;
    }
  }
  if (how == "print") print_and_fail(argc, argv);
  if (how == "threads" || how == "nested" || how == "fork" || how == "fork_ends" || how == "sleep") {
    pilum::Runtime runtime(argc, argv);
    if (how == "threads") make_in_another_thread();
    if (how == "nested") {
      try {
        pilum::Runtime inner;
      } catch (const pilum::RuntimeError& error) {
        std::printf("refused: %s\n", error.what());
      }
    }
    if (how == "fork") fork_and_use(runtime);
    if (how == "sleep") {
      std::printf("sum %.0f\n", work());
      std::fflush(stdout);
      while (true) work(), std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (how == "fork_ends") {
      auto array = np::ones({1000}) + 1;
      std::fflush(stdout);
      const pid_t child = fork();
      if (child != 0) {
        int status = 0;
        waitpid(child, &status, 0);
        std::printf("child ended with %d, parent: %g\n", status, np::sum(array).item<double>());
      }
    } else {
      const double sum = work();
      if (runtime.rank() == 0) std::printf("sum %.0f\n", sum);
    }
    return 0;
  }
  if (how == "scan") {
    const pilum::Runtime runtime(argc, argv);
    print_scan(runtime);
    return 0;
  }
  run_once(argc, argv);
  if (how == "once" && is_one) return 0;
  if (how == "exit") std::exit(0);
  if (how == "twice" || how == "once") run_once(argc, argv);
}
