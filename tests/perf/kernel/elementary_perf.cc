// Nanoseconds a cell of each function that kernels call, on one core, of cells in its first cache: the kernel alone,
// the median of some rounds. elementary_perf [ROUNDS] [FUNCTION ...]; beside it numpy_elementary.py.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/jit/jit.h"
#include "runtime/kernel/ir/builder.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::kernel {
namespace {

constexpr std::size_t kCells = 1024;

template <class T>
double nanoseconds_of(jit::Jit& jit, Op op, int rounds) {
  Builder builder(1);
  std::vector<std::vector<T>> cells;
  std::mt19937_64 random(1);
  const auto add = [&](Access access) {
    // Where all functions are defined; of arccosh, which is not, what is beside it.
    std::uniform_real_distribution<double> between(op == Op::Arccosh ? 1.05 : 0.05, op == Op::Arccosh ? 9.0 : 0.95);
    cells.emplace_back(kCells);
    for (T& cell : cells.back()) cell = static_cast<T>(between(random));
    return builder.add_array({dtype_of<T>, access, Inner::Contiguous, 1});
  };
  const ValueId a = builder.load(add(Access::Read));
  const ValueId value = arity(op) == 2 ? builder.binary(op, a, builder.load(add(Access::Read))) : builder.unary(op, a);
  builder.store(add(Access::Write), value);
  BoundArray arrays[3] = {};
  for (std::size_t i = 0; i < cells.size(); ++i) arrays[i].base = reinterpret_cast<char*>(cells[i].data());
  KernelCall call{};
  call.extent[0] = kCells;
  call.arrays = arrays;
  const auto code = jit.get_host(builder.finish(), {});
  const auto function = code->function();
  std::vector<double> times;
  for (int round = -1; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 400; ++i) function(&call);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    if (round >= 0) times.push_back(time.count() / 400 / kCells);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[static_cast<std::size_t>(rounds / 2)];
}

int run(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 9;
  const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  jit::JitOptions options;
  options.disk_cache = false;
  options.threads = 0;
  options.form = jit::CodeForm::Optimized;
  const std::unique_ptr<jit::Jit> jit = jit::make_jit(options);
  for (int i = 0; i < static_cast<int>(Op::Select); ++i) {
    const Op op = static_cast<Op>(i);
    if (!is_elementary(op) && op != Op::Power) continue;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name(op)) == wanted.end()) continue;
    std::printf("%-12s %7.3f %7.3f\n", name(op), nanoseconds_of<double>(*jit, op, rounds),
                nanoseconds_of<float>(*jit, op, rounds));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace pilum::kernel

int main(int argc, char** argv) {
  return pilum::kernel::run(argc, argv);
}
