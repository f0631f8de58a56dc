#include "tests/random/drawn_machine.h"

#include <array>
#include <mutex>

#include "tests/random/dice.h"
#include "tests/random/run.h"

namespace pilum::random_programs {
namespace {

// 16 bytes to 256 KiB. Most are so small that arrays of a few cells are cut; any number, so that of arrays that hardly
// differ one is cut and another is not.
std::int64_t draw_split_bytes(Dice& dice) {
  const std::int64_t choice = dice.below(100);
  const std::int64_t octave = choice < 65 ? dice.below(5) : choice < 85 ? dice.between(5, 8) : dice.between(9, 13);
  return (std::int64_t{16} << octave) + dice.below(std::int64_t{16} << octave);
}

}  // namespace

fakes::SimulatedRanks draw_machine(std::uint64_t seed) {
  static constexpr std::array<int, 13> kRanks = {1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5, 5, 7};
  Dice dice(seed);
  fakes::SimulatedRanks machine{.ranks = dice.one_of(kRanks)};
  if (dice.percent(machine.ranks == 1 ? 75 : 25)) machine.processors_per_rank = static_cast<int>(dice.between(2, 3));
  if (dice.percent(20)) machine.workers = 1;
  machine.split_bytes = draw_split_bytes(dice);
  machine.message_bytes = machine.split_bytes;
  if (dice.percent(70)) machine.window = static_cast<int>(dice.percent(50) ? dice.between(1, 4) : dice.between(5, 20));
  if (dice.percent(40)) machine.plan_cache = static_cast<int>(dice.between(0, 5));
  machine.first_rank_forgets =
      dice.percent(8) && machine.plan_cache != 0;  // whether plans are kept at all must not differ
  machine.seed = seed;
  if (dice.percent(75)) machine.cache_bytes = 1;  // nothing fits it
  if (dice.percent(40)) machine.direct_after = dice.percent(50) ? 1 : 20;
  if (dice.percent(60)) machine.message_latency = 0;
  if (dice.percent(50)) machine.memory_bandwidth = 1e6;  // each pass costs more than any launch
  return machine;
}

fakes::SimulatedRanks with_gpus(fakes::SimulatedRanks machine) {
  Dice dice(machine.seed + 1);
  machine.gpus = true;
  machine.workers = 0;
  machine.messages_from_gpus = dice.percent(30);
  machine.share = dice.percent(50);
  if (dice.percent(40)) machine.mail_bytes = dice.between(0, 40 << 10) * machine.ranks;  // holds little, or nothing
  if (dice.percent(25)) machine.gpu_memory = 4096;
  return machine;
}

std::string to_string(const fakes::SimulatedRanks& machine) {
  return std::to_string(machine.ranks) + " ranks of " + std::to_string(machine.processors_per_rank) +
         (machine.gpus ? " GPUs" : "") + (machine.messages_from_gpus ? " that send" : "") +
         (machine.share ? ", shared" : "") + (machine.share ? ", mail of " + std::to_string(machine.mail_bytes) : "") +
         (machine.gpu_memory > 0 ? ", full" : "") + (machine.workers > 0 ? " with a worker" : "") + ", window " +
         std::to_string(machine.window) + ", split bytes " + std::to_string(machine.split_bytes) +
         (machine.message_latency > 0 ? "" : ", messages at once") +
         (machine.memory_bandwidth > 1e6 ? "" : ", slow memory") + ", cache " + std::to_string(machine.cache_bytes) +
         ", plans kept " + std::to_string(machine.plan_cache) + ", direct after " +
         std::to_string(machine.direct_after) + (machine.first_rank_forgets ? ", but one by rank 0" : "");
}

std::optional<std::string> execute_on(const fakes::SimulatedRanks& machine, const std::vector<Program>& programs,
                                      const std::vector<std::vector<Reading>>& expected) {
  std::mutex mutex;
  std::optional<std::string> failure;
  try {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      for (std::size_t place = 0; place < programs.size(); ++place) {
        auto text = difference(expected[place], run(programs[place]));
        const std::lock_guard lock(mutex);
        if (text && !failure) failure = "seed " + std::to_string(programs[place].seed) + ": " + *text;
      }
    });
  } catch (const std::exception& error) {
    return std::string("thrown: ") + error.what();
  }
  return failure;
}

Checker on_drawn_machines(int first_core, bool interpret, bool gpus) {
  const auto machine_of = [gpus](const Batch& batch) {
    const fakes::SimulatedRanks machine = draw_machine(batch.seed);
    return gpus ? with_gpus(machine) : machine;
  };
  return {.execute =
              [=](const Batch& batch, const auto& expected) {
                fakes::SimulatedRanks machine = machine_of(batch);
                machine.first_core = first_core;
                machine.interpret = machine.shares_cores = interpret;  // for many programs in little time
                return execute_on(machine, batch.programs, expected);
              },
          .describe = [=](const Batch& batch) { return to_string(machine_of(batch)); }};
}

}  // namespace pilum::random_programs
