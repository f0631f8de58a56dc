// Draws have the same cells on any number of ranks, processors and GPUs, wherever arrays are cut; and are not kept.
#include <iterator>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/kernel/scalar_functions.h"
#include "tests/numeric/emulated_gpus.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::slice;

const fakes::SimulatedRanks kAllMachines[] = {
    {.ranks = 1},
    {.ranks = 3, .processors_per_rank = 2, .split_bytes = 56, .window = 3},
    {.ranks = 2, .processors_per_rank = 2, .split_bytes = 24, .gpus = true, .direct_after = 256},
    {.ranks = 1, .processors_per_rank = 3, .split_bytes = 8, .direct_after = 256},
    {.ranks = 2, .split_bytes = 24},
    {.ranks = 3, .split_bytes = 40, .window = 1},
    {.ranks = 1, .gpus = true},
};

// Under sanitizers the first three, which have of everything.
const std::span kMachines(kAllMachines, fakes::kIsSanitized ? 3 : std::size(kAllMachines));

using Cells = std::vector<double>;

void append(Cells& cells, const np::Array& array) {
  const Cells more = array.astype(float64).to_vector<double>();
  cells.insert(cells.end(), more.begin(), more.end());
}

// One of each, of odd shapes; some in kernels with other work, some through views.
Cells draw_everything() {
  auto rng = np::random::default_rng(20261123);
  Cells cells;
  append(cells, rng.random({7, 11, 3}));
  append(cells, rng.random(101, float32));
  append(cells, rng.normal(np::arange(13, float64), 2.0, {5, 13}) + 1);
  append(cells, rng.standard_normal({33, 2}, float32));
  append(cells, rng.integers(-9, 10, {4, 17}));
  append(cells, rng.integers(0, 5, 37, int32));
  append(cells, rng.standard_exponential({1, 50}).T());
  auto grid = np::zeros({9, 9});
  grid(slice(2, -2), slice(1, {})) = rng.uniform(-1, 1, {5, 8});
  append(cells, grid);
  append(cells, rng.random({6, 10})(slice({}, {}, 2), slice(3, 9)));
  for (int step = 0; step < 5; ++step) append(cells, rng.random(31) * 2);
  append(cells, rng.random());
  append(cells, rng.standard_gamma(np::arange(1, 18) * 0.25, {6, 17}) * 2);
  append(cells, rng.poisson(np::arange(12).reshape({12, 1}), {12, 9}).T());
  append(cells, rng.binomial(40, np::linspace(0.0, 1.0, 61)) - 1);
  append(cells, rng.beta(0.5, 3.0, 45));
  append(cells, rng.gamma(2.0));
  append(cells, rng.laplace(np::arange(13, float64), 2.0, {5, 13}));
  append(cells, rng.gumbel(1.0, 2.0, 51));
  append(cells, rng.triangular(0.0, np::arange(1, 8), 9.0, {6, 7}));
  append(cells, rng.wald(2.0, 3.0, {7, 7}));
  append(cells, rng.standard_t(np::arange(1, 18), {6, 17}));
  append(cells, rng.vonmises(0.5, np::arange(19), {3, 19}));
  append(cells, rng.hypergeometric(20, np::arange(30, 41), 12, {5, 11}));
  append(cells, rng.negative_binomial(3, 0.25, 45));
  append(cells, rng.zipf(2.5, {3, 14}));
  append(cells, rng.logseries(np::linspace(0.0, 0.99, 40)));
  append(cells, rng.dirichlet(np::array({0.5, 2.0, 1.0}), 23));
  append(cells, rng.multinomial(30, np::array({0.5, 0.25, 0.25}), {4, 5}));
  append(cells, rng.permuted(np::arange(60).reshape({6, 10}), 1));
  append(cells, rng.permutation(97));
  auto rows = np::arange(60).reshape({20, 3});
  rng.shuffle(rows);
  append(cells, rows);
  append(cells, rng.choice(np::arange(33), {4, 5}, /*replace=*/false));
  append(cells, rng.choice(5, 40, true, np::array({0.1, 0.2, 0.3, 0.15, 0.25})));
  return cells;
}

TEST(RandomMachines, EveryMachineDrawsTheSameBits) {
  Cells expected;
  for (const fakes::SimulatedRanks& machine : kMachines) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      const Cells drawn = draw_everything();
      if (expected.empty()) expected = drawn;  // of the first machine, which has one rank
      EXPECT_EQ(drawn, expected) << machine.ranks << " ranks, GPUs: " << machine.gpus << ", rank " << session.rank();
    });
  }
}

TEST(RandomMachines, CellsAreTheOraclesOnEveryMachine) {
  for (const fakes::SimulatedRanks& machine : kMachines) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      const Cells drawn = np::random::default_rng(3).random({5, 31}).to_vector<double>();
      for (std::uint32_t i = 0; i < 155; ++i) {
        const auto words = kernel::test::philox({i, 0, 0, 0}, {3, 0});
        const std::uint64_t bits = words[0] | std::uint64_t{words[1]} << 32;
        ASSERT_EQ(drawn[i], static_cast<double>((bits ^ 1ul << 63) >> 11) * 0x1p-53) << i;
      }
    });
  }
}

TEST(RandomMachines, GpusRefuseAParameterAsCoresDo) {
  const auto says = [](int gpus, auto draw) {
    try {
      on_emulated_gpus(gpus,
                       [&] { static_cast<void>(np::sum(draw(np::random::default_rng(1))).template item<double>()); });
    } catch (const ValueError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  using testing::HasSubstr;
  const auto poisson = [](auto rng) { return rng.poisson(np::array({1.0, -2.0})) * 1.0; };
  EXPECT_THAT(says(1, poisson), HasSubstr("[poisson] lam is -2: give 0 or more, to 9.2e18 at most. Recorded at"));
  EXPECT_THAT(says(2, poisson), HasSubstr("lam is -2"));
  EXPECT_THAT(says(1, [](auto rng) { return rng.beta(np::array({1.0, 2.0}), np::array({0.5, 0.0})); }),
              HasSubstr("[beta] b is 0: give a positive one"));
  EXPECT_THAT(says(1, [](auto rng) { return rng.hypergeometric(2, np::array({1, 2, 3}), 5) * 1.0; }),
              HasSubstr("nsample is 5 of 3: give as many as ngood and nbad at most"));
}

}  // namespace
}  // namespace pilum
