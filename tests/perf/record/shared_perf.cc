// What recording costs through a shared library, by a program with the public headers. Built twice: with the library in
// it, and beside it. `shared_perf --against OTHER` asserts that it executes at most 1.05 times the instructions that
// OTHER does, and tells the time of both.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include "pilum/array.h"
#include "pilum/creation.h"
#include "pilum/math.h"
#include "tests/perf/record/recording.h"

namespace np = pilum::numeric;
using np::all, np::slice;

namespace {

// Counts the instructions that this thread executes while it lives: the processor stops after each of them, and the
// signal's handler counts. That says what a call through a library's door costs wherever the code happens to lie; the
// time of the same instructions differs by a tenth from one layout to the next.
class InstructionCount {
 public:
  InstructionCount() noexcept {
    counted_ = 0;
    struct sigaction action{};
    action.sa_handler = [](int) { counted_ = counted_ + 1; };
    sigaction(SIGTRAP, &action, &before_);
    set_trap_flag();
  }
  ~InstructionCount() {
    clear_trap_flag();
    sigaction(SIGTRAP, &before_, nullptr);
  }
  InstructionCount(const InstructionCount&) = delete;
  InstructionCount& operator=(const InstructionCount&) = delete;

  static std::int64_t counted() noexcept { return counted_; }

 private:
  // On the stack below the red zone of whom it is inlined into.
  static void set_trap_flag() noexcept {
    asm volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
                     : "memory", "cc");
  }
  static void clear_trap_flag() noexcept {
    asm volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
                     : "memory", "cc");
  }

  struct sigaction before_{};
  static inline volatile std::int64_t counted_ = 0;  // NOLINT(readability-identifier-naming): it is private
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of one operation of Jacobi's sweep.
struct Cost {
  double instructions;
  double nanoseconds;  // of processor time, the least of five rounds
};

Cost cost() {
  const pilum::test::Recording recording;
  const np::Array grid = np::zeros({1002, 1002});
  const auto center = grid(slice(1, -1), slice(1, -1));
  const auto north = grid(slice(0, -2), slice(1, -1));
  const auto east = grid(slice(1, -1), slice(2, {}));
  const auto west = grid(slice(1, -1), slice(0, -2));
  const auto south = grid(slice(2, {}), slice(1, -1));
  constexpr int kSweeps = 4'000, kCountedSweeps = 8, kOperations = 6;
  const auto sweep = [&] {
    const auto average = center + north + east + west + south;
    const auto work = 0.2 * average;
    center[all] = work;
  };
  Cost cost{.instructions = 0, .nanoseconds = 1e9};
  for (int round = 0; round < 5; ++round) {
    const double start = thread_seconds();
    for (int k = 0; k < kSweeps; ++k) sweep();
    cost.nanoseconds = std::min(cost.nanoseconds, (thread_seconds() - start) * 1e9 / (kSweeps * kOperations));
  }
  {
    const InstructionCount count;
    for (int k = 0; k < kCountedSweeps; ++k) sweep();
  }
  cost.instructions = static_cast<double>(InstructionCount::counted()) / (kCountedSweeps * kOperations);
  return cost;
}

Cost ask(const std::string& program) {
  std::FILE* answer = popen(program.c_str(), "r");
  Cost cost{};
  if (!answer || std::fscanf(answer, "%lf %lf", &cost.instructions, &cost.nanoseconds) != 2 || pclose(answer) != 0) {
    std::fprintf(stderr, "%s gives no figures\n", program.c_str());
    std::exit(1);
  }
  return cost;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr double kAllowed = 1.05;
  if (argc != 3 || std::string_view(argv[1]) != "--against") {
    const Cost own = cost();
    std::printf("%.2f %.2f\n", own.instructions, own.nanoseconds);
    return 0;
  }
  const Cost own = ask(argv[0]), other = ask(argv[2]);
  const double ratio = own.instructions / other.instructions;
  std::printf(
      "%.1f instructions an operation, %.1f where the library is in the program: %.3f times (%.1f and %.1f ns)\n",
      own.instructions, other.instructions, ratio, own.nanoseconds, other.nanoseconds);
  return other.instructions > 0 && ratio <= kAllowed ? 0 : 1;
}
