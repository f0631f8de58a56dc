// What small work costs, and plans that are made again: replayed iterations, small arrays, programs without repeats,
// any number of ranks. Prints a line a figure: name, measured, spread, what is asked for.
//   replay_perf [ROUNDS [small]]: "small" measures small operations that never repeat alone
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

#include "pilum/pilum.h"
#include "runtime/jit/jit.h"
#include "runtime/kernel/ir/builder.h"
#include "scheduler/session/session.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/perf/jacobi.h"
#include "tests/perf/samples.h"

namespace {

namespace np = pilum::numeric;
using np::all, np::slice;
using pilum::perf::Clock, pilum::perf::Jacobi, pilum::perf::seconds_since, pilum::perf::Spread, pilum::perf::spread_of;
using pilum::scheduler::Session;

void print(const char* name, std::vector<double> samples, const char* unit, const char* asked) {
  const Spread figure = spread_of(std::move(samples));
  std::printf("%-58s %9.3f %-4s (%.3f .. %.3f)  asked: %s\n", name, figure.median, unit, figure.low, figure.high,
              asked);
}

// The same by hand, on one core.
class Sweeps {
 public:
  explicit Sweeps(std::int64_t n) : n_(n), now_(static_cast<std::size_t>((n + 2) * (n + 2)), 1.0), next_(now_) {}
  void sweep() {
    const std::int64_t width = n_ + 2;
    for (std::int64_t row = 1; row <= n_; ++row) {
      const double* __restrict from = now_.data() + row * width;
      double* __restrict to = next_.data() + row * width;
      for (std::int64_t k = 1; k <= n_; ++k)
        to[k] = 0.2 * (from[k] + from[k - width] + from[k + 1] + from[k - 1] + from[k + width]);
    }
    std::swap(now_, next_);
  }
  double corner() const { return now_[static_cast<std::size_t>(n_ + 3)]; }

 private:
  std::int64_t n_;
  std::vector<double> now_, next_;
};

Session& session() {
  return static_cast<Session&>(pilum::scheduler::current_recorder("perf", std::source_location::current()));
}

void replayed_jacobi(pilum::Runtime& runtime, int rounds) {
  constexpr int kSweeps = 2000;
  Jacobi jacobi(100, 100);
  Sweeps by_hand(100);
  for (int i = 0; i < 100; ++i) jacobi.sweep();
  runtime.wait();
  std::vector<double> ours, hand, more;
  for (int round = 0; round < rounds; ++round) {
    auto start = Clock::now();
    for (int i = 0; i < kSweeps; ++i) jacobi.sweep();
    runtime.wait();
    ours.push_back(seconds_since(start) / kSweeps * 1e6);
    start = Clock::now();
    for (int i = 0; i < kSweeps; ++i) by_hand.sweep();
    hand.push_back(seconds_since(start) / kSweeps * 1e6);
    more.push_back(ours.back() - hand.back());
  }
  print("an iteration of jacobi -n 100, replayed", ours, "us", "-");
  print("  its sweep by hand, one core", hand, "us", by_hand.corner() != by_hand.corner() ? "nan" : "-");
  print("  what is more than the sweep", more, "us", "<= 4");
}

void small_array(pilum::Runtime& runtime, int rounds) {
  constexpr int kTimes = 20000;
  auto x = np::ones({1024}), y = np::ones({1024});
  const auto loop = [&](int times) {
    for (int i = 0; i < times; ++i) x += 2 * y;
    runtime.wait();
  };
  loop(500);
  std::vector<double> samples;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    loop(kTimes);
    samples.push_back(seconds_since(start) / kTimes * 1e6);
  }
  print("x += 2 * y on 1,024 float64, an iteration", samples, "us", "<= 1");
}

// Kernels that no cache has, one by one: from the IR to a function that can be called.
void compile_times(int rounds) {
  using namespace pilum::kernel;
  pilum::jit::JitOptions options;
  options.disk_cache = false;
  const auto jit = pilum::jit::make_jit(options);
  enum class Form { Elementwise, Stencil, Exponential, Logarithm };
  const auto make = [](Form form, double number) {
    const int rank = form == Form::Stencil ? 2 : 1;
    Builder builder(rank);
    const auto in =
        builder.add_array({pilum::DType::Float64, Access::Read, Inner::Contiguous, static_cast<std::int8_t>(rank)});
    const auto out =
        builder.add_array({pilum::DType::Float64, Access::Write, Inner::Contiguous, static_cast<std::int8_t>(rank)});
    ValueId value = builder.load(in);
    if (form == Form::Stencil) {
      for (const auto& [row, column] : {std::pair{-1, 0}, {0, 1}, {0, -1}, {1, 0}}) {
        Offset offset{};
        offset[0] = static_cast<std::int8_t>(row);
        offset[1] = static_cast<std::int8_t>(column);
        value = builder.binary(Op::Add, value, builder.load(in, offset));
      }
    }
    if (form == Form::Exponential) value = builder.unary(Op::Exp, value);
    if (form == Form::Logarithm) value = builder.unary(Op::Log, value);
    value = builder.binary(Op::Multiply, value, builder.constant(pilum::Scalar::of(number)));
    builder.store(out, builder.binary(Op::Add, value, builder.constant(pilum::Scalar::of(number + 1))));
    return builder.finish();
  };
  constexpr Form kForms[] = {Form::Elementwise, Form::Stencil, Form::Exponential, Form::Logarithm};
  options.form = pilum::jit::CodeForm::Baseline;
  const auto baseline = pilum::jit::make_jit(options);  // what an exponential runs first
  const auto jit_of = [&](Form form) { return form < Form::Exponential ? jit.get() : baseline.get(); };
  for (const Form form : kForms) (void)jit_of(form)->get_host(make(form, 0.5), {})->function();  // loads the compiler
  std::array<std::vector<double>, std::size(kForms)> times;
  for (int round = 0; round < rounds; ++round) {
    for (const Form form : kForms) {
      const Kernel kernel = make(form, 2.5 + round);
      const auto start = Clock::now();
      (void)jit_of(form)->get_host(kernel, {})->function();
      times[static_cast<std::size_t>(form)].push_back(seconds_since(start) * 1e3);
    }
  }
  print("a kernel compiled, elementwise", times[0], "ms", "<= 3");
  print("  a stencil", times[1], "ms", "<= 10");
  print("  an exponential, baseline tier", times[2], "ms", "<= 3");
  print("  a logarithm, baseline tier", times[3], "ms", "<= 3");
}

// Kernels that the folder has, by a Jit that knows none; the folder is looked at first, once.
void found_kernels(int rounds) {
  using namespace pilum::kernel;
  constexpr int kKernels = 100;
  std::string folder = (std::filesystem::temp_directory_path() / "pilum-perf-XXXXXX").string();
  if (!mkdtemp(folder.data())) return;
  pilum::jit::JitOptions options;
  options.cache_directory = folder;
  options.threads = 0;
  std::vector<double> folders, kernels;
  for (int round = -1; round < rounds; ++round) {  // the first one compiles
    std::vector<Kernel> wanted;
    for (int i = 0; i < kKernels; ++i) {
      Builder builder(1);
      const auto in = builder.add_array({pilum::DType::Float64, Access::Read, Inner::Contiguous, 1});
      const auto out = builder.add_array({pilum::DType::Float64, Access::Write, Inner::Contiguous, 1});
      builder.store(out, builder.binary(Op::Add, builder.load(in), builder.constant(pilum::Scalar::of(i + 0.5))));
      wanted.push_back(builder.finish());
    }
    const auto start = Clock::now();
    const auto jit = pilum::jit::make_jit(options);
    const double opened = seconds_since(start);
    for (const Kernel& kernel : wanted) (void)jit->get_host(kernel, {})->function();
    if (round < 0) continue;
    folders.push_back(opened * 1e6);
    kernels.push_back((seconds_since(start) - opened) / kKernels * 1e6);
  }
  std::filesystem::remove_all(folder);
  print("a kernel found in the cache folder", kernels, "us", "-");
  print("  the folder opened", folders, "us", "-");
}

// 10,000 operations in an order, and on slices, that never repeat; kernels are found compiled, plans are not kept.
void different_operations(int rounds) {
  constexpr int kOperations = 10000;
  pilum::fakes::SimulatedRanks machine;
  machine.split_bytes = 256 * 1024;
  machine.plan_cache = 0;
  pilum::fakes::run_on_simulated_ranks(machine, [&](Session& session) {
    const auto program = [&] {
      std::vector<np::Array> arrays;
      for (int i = 0; i < 8; ++i) arrays.push_back(np::arange(200.0));
      std::uint64_t state = 7;
      const auto draw = [&](std::uint64_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::int64_t>((state >> 33) % below);
      };
      for (int i = 0; i < kOperations; i += 2) {  // two operations each
        const std::int64_t length = 20 + 20 * draw(8), from = draw(4), to = draw(4);
        np::Array& a = arrays[static_cast<std::size_t>(draw(8))];
        const np::Array& b = arrays[static_cast<std::size_t>(draw(8))];
        const auto target = a(slice(to, to + length));
        const auto source = b(slice(from, from + length));
        switch (draw(3)) {
          case 0: target[all] = source * 0.5; break;
          case 1: target[all] = source + 1.0; break;
          default: target[all] = np::abs(source); break;
        }
      }
      session.wait();
    };
    program();
    std::vector<double> samples;
    for (int round = 0; round < rounds; ++round) {
      const auto start = Clock::now();
      program();
      samples.push_back(seconds_since(start) / kOperations * 1e6);
    }
    print("10,000 different small operations, each", samples, "us", "<= 25");
  });
}

// Seconds for 40 sweeps on one rank; its part of the grid is as large whatever the number of ranks.
double sweep_seconds(int ranks, int kept) {
  pilum::fakes::SimulatedRanks machine;
  machine.ranks = ranks;
  machine.split_bytes = 256 * 1024;
  machine.plan_cache = kept;
  pilum::fakes::PlanningSession planning(machine, ranks / 2);
  Jacobi jacobi(std::int64_t{256} * ranks, 512);
  for (int i = 0; i < 60; ++i) jacobi.sweep();
  (void)planning.take_plan();
  const auto start = Clock::now();
  for (int i = 0; i < 40; ++i) jacobi.sweep();
  (void)planning.take_plan();
  return seconds_since(start);
}

void any_number_of_ranks(int rounds) {
  std::vector<double> planned, replayed;
  for (int round = 0; round < rounds; ++round) {
    planned.push_back(sweep_seconds(65536, 0) / sweep_seconds(4, 0));
    replayed.push_back(sweep_seconds(65536, -1) / sweep_seconds(4, -1));
  }
  print("planning a rank of 65,536 / of 4", planned, "x", "<= 1.2");
  print("replaying on a rank of 65,536 / of 4", replayed, "x", "<= 1.2");
}

// Iterations of a loop before the first one that nothing is planned for.
template <class Body>
int until_steady(Body body) {
  constexpr int kIterations = 200;
  int last = 0;
  long misses = session().plan_cache().misses;
  for (int i = 1; i <= kIterations; ++i) {
    body(i);
    if (const long now = session().plan_cache().misses; now != misses) {
      last = i;
      misses = now;
    }
  }
  return last;
}

void steady_state(pilum::Runtime& runtime) {
  runtime.wait();
  Jacobi jacobi(90, 90);
  const int short_body = until_steady([&](int) { jacobi.sweep(); });
  auto x = np::ones({5000});
  const int long_body = until_steady([&](int) {
    for (int k = 1; k <= 25; ++k) {
      x[all] = x * 1.0001;
      x(slice(k, {}))[all] = x(slice(0, -k)) * 0.5;
    }
  });
  const int with_value = until_steady([&](int i) {
    x[all] = x * 0.5;
    if (np::sum(x).item<double>() < -i) x[all] = x + 1.0;
  });
  print("iterations until steady state, body of 6 operations", {static_cast<double>(short_body)}, "", "<= 3");
  print("  body of 100 operations", {static_cast<double>(long_body)}, "", "<= 3");
  print("  a value read in each", {static_cast<double>(with_value)}, "", "<= 3");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 11;
  if (rounds < 1) {
    std::fprintf(stderr, "replay_perf: ROUNDS is 1 or more, not %s\n", argv[1]);
    return 2;
  }
  if (argc > 2 && std::string(argv[2]) == "small") {
    different_operations(rounds);
    return 0;
  }
  {
    pilum::Runtime runtime(argc, argv);
    replayed_jacobi(runtime, rounds);
    small_array(runtime, rounds);
    steady_state(runtime);
  }
  compile_times(rounds);
  found_kernels(rounds);
  different_operations(rounds);
  any_number_of_ranks(rounds);
}
