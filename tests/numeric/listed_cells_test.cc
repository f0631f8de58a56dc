// Cells that a program lists: those of the list, on any machine; and in loops numbers, with which plans are found
// again.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include "pilum/pilum.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/seeds.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;

// Under sanitizers the first three, which have of everything.
std::vector<fakes::SimulatedRanks> machines_of_lists() {
  std::vector<fakes::SimulatedRanks> machines = {
      {.split_bytes = 1 << 20},
      {.ranks = 3, .split_bytes = 16},
      {.split_bytes = 1 << 20, .gpus = true},
      {.direct_after = 1},
      {.processors_per_rank = 3, .split_bytes = 16},
      {.processors_per_rank = 3, .split_bytes = 16, .gpus = true},
      {.ranks = 2, .processors_per_rank = 2, .split_bytes = 16, .gpus = true},
  };
  if (fakes::kIsSanitized) machines.resize(3);
  return machines;
}

TEST(ListedCells, OfEachStepAreThoseOfThatStepAndPlansAreFoundAgain) {
  constexpr std::int64_t kRows = 12, kSteps = 200, kPrime = 1009;
  std::vector<std::int64_t> wanted(3 * kRows, 1);
  for (std::int64_t step = 0; step < kSteps; ++step) {
    for (std::size_t row = 0; row < kRows; ++row) {
      std::int64_t* const x = &wanted[3 * row];
      const std::int64_t turned[] = {step * x[0] - x[1], x[0] + 2 * step * x[1]};
      const std::int64_t moved[] = {turned[0] + step, turned[1] - 1, x[2] + step * step};
      for (std::size_t k = 0; k < 3; ++k) x[k] = ((moved[k] % kPrime) + kPrime) % kPrime;
    }
  }
  for (const fakes::SimulatedRanks& machine : machines_of_lists()) {
    SCOPED_TRACE(testing::Message() << machine.ranks << " ranks of " << machine.processors_per_rank << " processors, "
                                    << (machine.gpus ? "GPUs" : "cores"));
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      np::Array x = np::ones({kRows, 3}, np::int64);
      long missed = 0;
      for (std::int64_t step = 0; step < kSteps; ++step) {
        if (step == kSteps / 2) missed = session.plan_cache().misses;
        const np::Array turn = np::array({{step, std::int64_t{1}}, {std::int64_t{-1}, 2 * step}});
        x(np::all, np::slice(0, 2)) = np::matmul(x(np::all, np::slice(0, 2)), turn);
        x = (x + np::array({step, std::int64_t{-1}, step * step})) % kPrime;
      }
      EXPECT_EQ(x.to_vector<std::int64_t>(), wanted);
      session.flush();
      EXPECT_GT(session.plan_cache().hits, 3);
      EXPECT_LE(session.plan_cache().misses - missed, 2);
      if (machine.gpus && machine.split_bytes > 16) EXPECT_GT(session.profile().counters.graphs.get(), 0);
    });
  }
}

template <class T>
T random_cell(std::mt19937_64& draw) {
  const auto number = static_cast<std::int64_t>(draw());
  if constexpr (np::ComplexNumber<T>) {
    return T(static_cast<float>(number % 1000), static_cast<float>(number % 77));
  } else if constexpr (std::is_same_v<T, half>) {
    return half(static_cast<float>(number % 999));
  } else if constexpr (std::is_floating_point_v<T>) {
    return number % 5 == 0 ? T(-0.0) : static_cast<T>(number) / T(3);
  } else {
    return static_cast<T>(number);
  }
}

template <class T>
void expect_lists_of(std::mt19937_64& draw) {
  const std::vector<Shape> shapes = {{2}, {3}, {7}, {16}, {17}, {2, 2}, {1, 5}, {4, 4}, {3, 1, 2}, {2, 2, 2, 2}};
  for (const Shape& shape : shapes) {
    std::vector<T> cells(static_cast<std::size_t>(shape.elements()));
    for (T& cell : cells) cell = random_cell<T>(draw);
    const np::Array array = np::array(cells).reshape(shape);
    EXPECT_EQ(array.dtype(), dtype_of<T>);
    EXPECT_EQ(array.to_vector<T>(), cells) << dtype_of<T> << " of shape " << shape;
    const np::Array turned = np::array(cells).reshape(shape).T();
    EXPECT_EQ(turned.T().to_vector<T>(), cells) << dtype_of<T> << " of shape " << shape;
  }
}

TEST(ListedCells, OfEveryDtypeAndShapeAreThoseListed) {
  scheduler::for_each_seed(1, [](std::uint64_t seed) {
    for (const fakes::SimulatedRanks& machine : machines_of_lists()) {
      SCOPED_TRACE(testing::Message() << machine.ranks << " ranks of " << machine.processors_per_rank << " processors, "
                                      << (machine.gpus ? "GPUs" : "cores"));
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
        std::mt19937_64 draw(seed);  // the same on each rank
        expect_lists_of<std::int8_t>(draw);
        expect_lists_of<std::uint16_t>(draw);
        expect_lists_of<std::int32_t>(draw);
        expect_lists_of<std::uint64_t>(draw);
        expect_lists_of<half>(draw);
        expect_lists_of<float>(draw);
        expect_lists_of<double>(draw);
        expect_lists_of<std::complex<float>>(draw);
        expect_lists_of<std::complex<double>>(draw);
      });
    }
  });
}

// Nested lists, whose shape is that of the result.
TEST(ListedCells, OfNestedListsLieRowMajor) {
  for (const fakes::SimulatedRanks& machine : machines_of_lists()) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      const np::Array deep = np::array({{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {10, 11, 12}}});
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          for (int k = 0; k < 3; ++k) EXPECT_EQ(deep(i, j, k).item<std::int64_t>(), 6 * i + 3 * j + k + 1);
    });
  }
}

}  // namespace
}  // namespace pilum
