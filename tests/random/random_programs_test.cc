// Random programs give NumPy's values on every simulated machine.
#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <set>
#include <string_view>
#include <utility>

#include "tests/random/check.h"
#include "tests/random/dense.h"
#include "tests/random/dense_fold.h"
#include "tests/random/dice.h"
#include "tests/random/draw.h"
#include "tests/random/drawn_machine.h"
#include "tests/random/own_functions.h"

namespace pilum::random_programs {
namespace {

constexpr std::uint64_t kSeed = 20'000;  // the same in all configurations: their kernels recur
constexpr int kCount = 96;
constexpr int kCountOnDrawn = 640;  // each batch on a machine of its own
constexpr int kBatch = 8;

// The machine with what each batch draws: where arrays are cut, and how late messages are.
Checker on(fakes::SimulatedRanks machine) {
  return {[machine](const Batch& batch, const std::vector<std::vector<Reading>>& expected) {
    fakes::SimulatedRanks drawn = machine;
    Dice dice(batch.seed);
    drawn.split_bytes = std::int64_t{16} << dice.below(5);
    drawn.message_bytes = drawn.split_bytes;
    if (dice.percent(60)) drawn.cache_bytes = 1;  // nothing fits it
    if (dice.percent(50)) drawn.memory_bandwidth = 1e6;
    drawn.seed = batch.seed;
    return execute_on(drawn, batch.programs, expected);
  }};
}

struct Configuration {
  const char* name;
  fakes::SimulatedRanks machine;
};

std::string name_of(const testing::TestParamInfo<Configuration>& info) {
  return info.param.name;
}
void PrintTo(const Configuration& configuration, std::ostream* out) {
  *out << configuration.name;
}

class RandomPrograms : public testing::TestWithParam<Configuration> {};

TEST_P(RandomPrograms, GiveNumPysValues) {
  const auto failure = first_failure(seed_or(kSeed), count_or(kCount), kBatch, on(GetParam().machine));
  EXPECT_FALSE(failure) << *failure;
}

INSTANTIATE_TEST_SUITE_P(
    Machines, RandomPrograms,
    testing::Values(
        Configuration{"OneProcessor", {.ranks = 1}}, Configuration{"OneProcessorWindow3", {.ranks = 1, .window = 3}},
        Configuration{"Direct", {.ranks = 1, .direct_after = 1}},
        Configuration{"DirectWindow17", {.ranks = 1, .window = 17, .direct_after = 1}},
        Configuration{"DirectSometimes", {.ranks = 1, .window = 5, .workers = 1, .direct_after = 20}},
        Configuration{"OneRankOf3Direct", {.ranks = 1, .processors_per_rank = 3, .window = 17, .direct_after = 1}},
        Configuration{"Ranks2Direct", {.ranks = 2, .window = 5, .direct_after = 1}},
        Configuration{"Ranks3DirectSometimes", {.ranks = 3, .window = 17, .direct_after = 10}},
        Configuration{"OneRankOf3", {.ranks = 1, .processors_per_rank = 3}},
        Configuration{"OneRankOf3Window17Worker", {.ranks = 1, .processors_per_rank = 3, .window = 17, .workers = 1}},
        Configuration{"OneRankOf3NoCache", {.ranks = 1, .processors_per_rank = 3, .plan_cache = 0}},
        Configuration{"Ranks2", {.ranks = 2}},
        Configuration{"Ranks2CacheOfOne", {.ranks = 2, .window = 17, .plan_cache = 1}},
        Configuration{"Ranks2Window3", {.ranks = 2, .window = 3}},
        Configuration{"Ranks3Window17", {.ranks = 3, .window = 17}},
        Configuration{"Ranks3Worker", {.ranks = 3, .workers = 1}}, Configuration{"Ranks4", {.ranks = 4}},
        Configuration{"Ranks4Window3", {.ranks = 4, .window = 3}}, Configuration{"Ranks7", {.ranks = 7}},
        Configuration{"Ranks7Window17", {.ranks = 7, .window = 17}},
        Configuration{"Ranks2Of2", {.ranks = 2, .processors_per_rank = 2}},
        Configuration{"Ranks2Of2Window3Worker", {.ranks = 2, .processors_per_rank = 2, .window = 3, .workers = 1}},
        Configuration{"Ranks2Of2Window17", {.ranks = 2, .processors_per_rank = 2, .window = 17}}),
    name_of);

// Emulated GPUs: the kernels' CUDA text compiled for the host, streams in any order that the marks allow. A fifth of
// the programs, for the compiler takes its time.
class RandomProgramsOnGpus : public RandomPrograms {};

TEST_P(RandomProgramsOnGpus, GiveNumPysValues) {
  const auto failure = first_failure(seed_or(kSeed), count_or(kCount) / 5, kBatch, on(GetParam().machine));
  EXPECT_FALSE(failure) << *failure;
}

INSTANTIATE_TEST_SUITE_P(
    Machines, RandomProgramsOnGpus,
    testing::Values(
        Configuration{"OneGpu", {.ranks = 1, .gpus = true}},
        Configuration{"OneGpuDirect", {.ranks = 1, .window = 5, .gpus = true, .direct_after = 1}},
        Configuration{"Gpus2Direct",
                      {.ranks = 1, .processors_per_rank = 2, .window = 5, .gpus = true, .direct_after = 1}},
        Configuration{"Ranks2OfOneGpuDirect", {.ranks = 2, .window = 9, .gpus = true, .direct_after = 4}},
        Configuration{"Ranks3OfSharedGpuDirect",
                      {.ranks = 3, .window = 6, .gpus = true, .direct_after = 2, .share = true}},
        Configuration{"Gpus2NoGraphs", {.ranks = 1, .processors_per_rank = 2, .gpus = true, .graph_after = 0}},
        Configuration{"Gpus3Window17", {.ranks = 1, .processors_per_rank = 3, .window = 17, .gpus = true}},
        Configuration{"Gpus2WithoutPeers", {.ranks = 1, .processors_per_rank = 2, .gpus = true, .peers = false}},
        Configuration{"Ranks2OfOneGpu", {.ranks = 2, .gpus = true}},
        Configuration{"Ranks2OfMessagesFromGpus", {.ranks = 2, .window = 17, .gpus = true, .messages_from_gpus = true}},
        Configuration{"Ranks2OfGpus2Window3", {.ranks = 2, .processors_per_rank = 2, .window = 3, .gpus = true}},
        Configuration{"Ranks2OfSharedGpus2",
                      {.ranks = 2, .processors_per_rank = 2, .window = 17, .gpus = true, .share = true}},
        Configuration{"Ranks3OfOneFullGpu", {.ranks = 3, .window = 17, .gpus = true, .gpu_memory = 2048}},
        Configuration{"Ranks2OfFullGpusMessages",
                      {.ranks = 2, .window = 17, .gpus = true, .messages_from_gpus = true, .gpu_memory = 2048}},
        Configuration{"Ranks3OfSharedFullGpus",
                      {.ranks = 3, .window = 17, .gpus = true, .share = true, .gpu_memory = 2048}}),
    name_of);

// What a program has of operations and creations, in a text.
struct Drawn {
  std::set<Op> ops;
  std::set<Create::Kind> creations;
  int complex = 0;  // arrays
  int masked = 0, put = 0;
  bool masked_by_chosen = false, masked_by_array = false;
  std::set<std::int64_t> own;            // functions of the user's own
  std::set<Op> own_folds, chosen_folds;  // of np::reduction; of cells that a mask chooses
  std::set<std::pair<Op, std::string_view>> said;

  void add(const Expression& expression) {
    ops.insert(expression.op);
    if (expression.op == Op::Own) own.insert(static_cast<std::int64_t>(expression.number.value));
    if (is_reduction(expression.op)) add_fold(expression);
    for (const Expression& argument : expression.arguments) add(argument);
  }
  void add_fold(const Expression& fold) {
    const FoldSays& says = fold.says;
    if (says.by_reduction) own_folds.insert(fold.op);
    if (fold.arguments.size() > 1) chosen_folds.insert(fold.op);
    if (says.initial) said.emplace(fold.op, "initial");
    if (says.dtype) said.emplace(fold.op, "dtype");
    if (says.skips_nans) said.emplace(fold.op, "nan");
    if (says.ddof != 0) said.emplace(fold.op, "ddof");
  }
  void add(const Statement& statement) {
    if (const auto* create = std::get_if<Create>(&statement.what)) {
      creations.insert(create->kind);
      complex += is_complex(create->dtype);
    }
    if (const auto* bind = std::get_if<Bind>(&statement.what)) add(bind->value);
    if (const auto* assign = std::get_if<Assign>(&statement.what)) add(assign->value);
    if (const auto* assign = std::get_if<MaskedAssign>(&statement.what)) {
      ++masked;
      masked_by_chosen |= assign->is_chosen;
      masked_by_array |= !assign->is_chosen && assign->value.op == Op::Leaf;
    }
    put += std::holds_alternative<Put>(statement.what);
    if (const auto* loop = std::get_if<Loop>(&statement.what)) {
      for (const Statement& inner : loop->block) add(inner);
    }
  }
};

// What of all that may be drawn is not among it, as text. Elementary functions are rare: most of them.
std::string missing(const Drawn& drawn) {
  std::string text;
  int functions = 0;
  for (int number = 0; number <= static_cast<int>(Op::CountNonzero); ++number) {
    const Op op = static_cast<Op>(number);
    functions += is_inexact(op) && drawn.ops.contains(op);
    if (!is_inexact(op) && !drawn.ops.contains(op)) text += " operation " + std::to_string(number);
  }
  if (functions <= 15) text += " functions";
  for (int kind = 0; kind <= static_cast<int>(Create::Kind::WeightedChoiceOnce); ++kind) {
    if (!drawn.creations.contains(static_cast<Create::Kind>(kind))) text += " creation " + std::to_string(kind);
  }
  if (std::ssize(drawn.own) < count_own_functions()) text += " own functions";
  if (drawn.own_folds.size() < 6) text += " own folds";
  if (drawn.chosen_folds.size() < 9) text += " folds of chosen cells";
  // initial: Sum, Prod, Min, Max; dtype and nan: Sum, Prod, Mean, Var, Std; ddof: Var, Std
  if (drawn.said.size() < 4 + 5 + 5 + 2) text += " what folds are told";
  if (drawn.complex <= 100) text += " complex";
  if (drawn.masked <= 100) text += " masked";
  if (!drawn.masked_by_chosen || !drawn.masked_by_array) text += " masked arrays";
  if (drawn.put <= 30) text += " put";
  return text;
}

TEST(Drawer, DrawsEveryOperation) {
  Drawn drawn;
  std::string left = "all";
  for (std::uint64_t seed = 0; seed < 6'000 && !left.empty(); ++seed) {
    for (const Statement& statement : draw_program(kSeed + seed).statements) drawn.add(statement);
    if (seed % 50 == 49) left = missing(drawn);
  }
  EXPECT_EQ(left, "") << "is never drawn";
}

// Of no cells 8 × 10⁹ are folded: the oracle would hold them all.
TEST(Oracle, RefusesAFoldOfNoCellsIntoBillions) {
  const Dense nothing{DType::Float64, {2000, 2000, 0, 2000}};
  EXPECT_THROW((void)reduce(Expression{.op = Op::Sum, .axes = {2}}, nothing), Invalid);
}

// Seed 506471: it said complex128.
TEST(Oracle, HalvesAndAComplexNumberAreComplex64) {
  const Dense halves{DType::Float16, {1}, {Cell{.floating = 1}}};
  const Dense sum = compute(Expression{.op = Op::Add}, {halves, dense(Number{Number::Kind::Complex, 1, 1})});
  EXPECT_EQ(sum.dtype, DType::Complex64);
}

TEST(RandomMachines, GiveNumPysValues) {
  const auto failure = first_failure(seed_or(kSeed), count_or(kCountOnDrawn), kBatch, on_drawn_machines());
  EXPECT_FALSE(failure) << *failure;
}

TEST(FreshPrograms, GiveNumPysValues) {
  const std::uint64_t seed = seed_or(std::random_device{}());
  std::cout << "PILUM_RANDOM_SEED=" << seed << '\n' << std::flush;
  const auto failure = first_failure(seed, count_or(240), kBatch, on_drawn_machines());
  EXPECT_FALSE(failure) << *failure;
}

}  // namespace
}  // namespace pilum::random_programs
