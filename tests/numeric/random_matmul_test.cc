// Random products of matrices against three loops, on random machines: dtypes, shapes with 0 and 1, batches that
// broadcast, views of every kind. Cells are small whole numbers. PILUM_RANDOM_SEED and PILUM_RANDOM_COUNT choose.
#include <cstdlib>
#include <random>
#include <span>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/numeric/naive_matmul.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::ellipsis;
using np::slice;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n)); }

 private:
  std::mt19937_64 engine_;
};

std::int64_t draw_extent(Dice& dice) {
  constexpr std::int64_t kExtents[] = {0, 1, 1, 2, 3, 5, 8, 31, 32, 33, 40, 65};
  return kExtents[dice.below(std::size(kExtents))];
}

// An array of this shape, all of a new one's or some of its cells in another order.
Array draw_array(Dice& dice, const Shape& shape, DType dtype) {
  const auto numbers = [&](const Shape& of) {
    return ((np::arange(of.elements()) * (1 + dice.below(5)) + dice.below(9)) % 9 - 4).reshape(of).astype(dtype);
  };
  const int rank = shape.rank(), row = rank - 2, column = rank - 1;
  Shape larger = shape;
  switch (dice.below(6)) {
    case 0: std::swap(larger[row], larger[column]); return np::swapaxes(numbers(larger), -1, -2);
    case 1: larger[row] = 2 * shape[row]; return numbers(larger)(ellipsis, slice({}, {}, 2), all);
    case 2: larger[column] = 3 * shape[column]; return numbers(larger)(ellipsis, slice({}, {}, 3));
    case 3: return numbers(larger)(ellipsis, slice({}, {}, -1), slice({}, {}, -1));
    case 4:
      larger[row] += 2;
      larger[column] += 3;
      return numbers(larger)(ellipsis, slice(1, -1), slice(2, shape[column] + 2));
    default: return numbers(larger);
  }
}

struct Case {
  Shape a, b, batch;
};

Case draw_shapes(Dice& dice) {
  Case drawn;
  const std::int64_t m = draw_extent(dice), n = draw_extent(dice);
  const std::int64_t depth = dice.below(12) == 0 ? 1025 + dice.below(1200) : draw_extent(dice);
  const int batches = static_cast<int>(dice.below(3)), of_a = static_cast<int>(dice.below(batches + 1));
  for (int axis = 0; axis < batches; ++axis) {
    const std::int64_t extent = 1 + dice.below(3);
    const bool in_a = axis >= batches - of_a;
    const bool a_repeats = in_a && dice.below(3) == 0;
    if (in_a) drawn.a.push_back(a_repeats ? 1 : extent);
    drawn.b.push_back(in_a && !a_repeats && dice.below(3) == 0 ? 1 : extent);
    drawn.batch.push_back(extent);
  }
  for (const std::int64_t extent : {m, depth}) drawn.a.push_back(extent);
  for (const std::int64_t extent : {depth, n}) drawn.b.push_back(extent);
  return drawn;
}

void check_one(Dice& dice, std::span<const DType> dtypes) {
  const auto draw_dtype = [&] { return dtypes[static_cast<std::size_t>(dice.below(std::ssize(dtypes)))]; };
  const Case drawn = draw_shapes(dice);
  const DType of_a = draw_dtype(), of_b = dice.below(3) ? of_a : draw_dtype();
  const Array a = draw_array(dice, drawn.a, of_a), b = draw_array(dice, drawn.b, of_b);
  SCOPED_TRACE(testing::Message() << drawn.a << " " << of_a << " by " << drawn.b << " " << of_b);
  const Array c = np::matmul(a, b);
  ASSERT_EQ(c.dtype(), promote(of_a, of_b));
  std::vector<double> expected = test::naive_matmul(test::dense_of<double>(a), test::dense_of<double>(b), drawn.batch);
  if (c.dtype() == DType::Bool) {
    for (double& cell : expected) cell = cell != 0;
  }
  // What reads it: as it is, or fused with the next operation.
  if (dice.below(2) && c.dtype() != DType::Bool) {
    for (double& cell : expected) cell = 2 * cell + 1;
    ASSERT_EQ((c * 2 + 1).astype<double>().to_vector<double>(), expected);
  } else {
    ASSERT_EQ(c.astype<double>().to_vector<double>(), expected);
  }
}

std::int64_t setting(const char* name, std::int64_t otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

TEST(RandomMatmul, IsThreeLoopsOnEveryMachine) {
  const std::int64_t first = setting("PILUM_RANDOM_SEED", 1), count = setting("PILUM_RANDOM_COUNT", 24);
  for (std::int64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(testing::Message() << "PILUM_RANDOM_SEED=" << seed);
    Dice machines(static_cast<std::uint64_t>(seed));
    fakes::SimulatedRanks machine;
    machine.seed = static_cast<std::uint64_t>(seed);
    machine.ranks = static_cast<int>(1 + machines.below(4));
    machine.processors_per_rank = static_cast<int>(1 + machines.below(2));
    machine.workers = static_cast<int>(machines.below(3));
    machine.window = static_cast<int>(machines.below(3) * 4);
    machine.interpret = true;
    fakes::run_on_simulated_ranks(machine, [seed](scheduler::Session&) {
      Dice dice(static_cast<std::uint64_t>(seed) + 1000003);
      constexpr DType kDTypes[] = {DType::Bool, DType::Int32, DType::Int64, DType::Float32, DType::Float64};
      for (int k = 0; k < 12 && !testing::Test::HasFailure(); ++k) check_one(dice, kDTypes);
    });
    if (testing::Test::HasFailure()) return;
  }
}

// Of numbers that GPUs multiply, and a few that they do not.
TEST(RandomMatmul, IsThreeLoopsOnGpus) {
  const std::int64_t first = setting("PILUM_RANDOM_SEED", 1), count = setting("PILUM_RANDOM_COUNT", 24) / 3;
  for (std::int64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(testing::Message() << "PILUM_RANDOM_SEED=" << seed);
    Dice machines(static_cast<std::uint64_t>(seed) + 77);
    fakes::SimulatedRanks machine;
    machine.gpus = true;
    machine.seed = static_cast<std::uint64_t>(seed);
    machine.ranks = static_cast<int>(1 + machines.below(2));
    machine.processors_per_rank = static_cast<int>(1 + machines.below(machine.ranks == 1 ? 4 : 2));
    machine.peers = machines.below(4) > 0;
    machine.share = machines.below(2);
    machine.multiplies = machines.below(4) > 0;
    machine.window = static_cast<int>(machines.below(3) * 4);
    fakes::run_on_simulated_ranks(machine, [seed](scheduler::Session&) {
      Dice dice(static_cast<std::uint64_t>(seed) + 2000003);
      constexpr DType kDTypes[] = {DType::Float64, DType::Float32, DType::Int32};
      for (int k = 0; k < 6 && !testing::Test::HasFailure(); ++k) check_one(dice, kDTypes);
    });
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace pilum
