// Folds whose results meet other arrays.
#include <map>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/plans.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// The result would be cut as what is made of its shifted view, which is not where its pieces are. Found by a random
// program (seed 3857963044): the owners missed cells.
TEST(Allreduce, AResultThatIsWantedElsewhereIsThereAllTheSame) {
  for (const auto& [ranks, processors] : {std::pair{1, 3}, {3, 2}, {4, 1}}) {
    for (const std::int64_t split : {16, 32}) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks of " << processors << ", split at " << split);
      fakes::run_on_simulated_ranks(
          {.ranks = ranks, .processors_per_rank = processors, .split_bytes = split}, [](Session&) {
            auto a = np::reshape(np::arange(5.0), {1, 5});
            auto largest = np::max(a(slice({}, {}, -1), all) + 2.0 * a(all, slice({}, {}, -1)), 0, /*keepdims=*/true);
            auto c = np::reshape(np::arange(12.0), {2, 6});
            auto product = np::maximum(largest(all, slice(1, {})), np::sqrt(c(slice(1, {}), slice(4, 0, -1)))) *
                           c(slice(0, {}, -1), slice(1, 5));
            auto last = np::max(np::maximum(a(all, slice(-4, {})), c(slice(-1, {}), slice(2, {}))) -
                                np::where(product < largest(all, slice(1, {})), a(slice({}, {}, -1), slice(-2, {}, -1)),
                                          largest(all, slice({}, -1))));
            EXPECT_EQ(largest.to_vector<double>(), (std::vector<double>{8, 7, 6, 5, 4}));
            EXPECT_EQ(product.to_vector<double>(), (std::vector<double>{7, 12, 15, 16}));
            EXPECT_EQ(last.item<double>(), 6);
          });
    }
  }
}

fakes::SimulatedRanks gpus(int ranks, int each) {
  fakes::SimulatedRanks machine = machine_of(ranks, each);
  machine.gpus = machine.share = true;
  return machine;
}

Plan plan_of_sum(const fakes::SimulatedRanks& machine) {
  return plans_of(machine, 0,
                  [](const Cut& cut) {
                    const np::Array a = np::ones({1000, 8});
                    cut();
                    const np::Array sum = np::sum(a * a);
                    cut();
                  })
      .back();
}

// A chain from one to the next took a way between GPUs for each of them.
TEST(Allreduce, GpusFoldTheirSharesSideBySideAndEachFoldsAllOfThem) {
  const Plan plan = plan_of_sum(gpus(1, 4));
  std::map<int, InstructionId> shares;  // by GPU: one chunk each, so that they are folded as they are computed
  int results = 0;
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    const Instruction& instruction = plan.instructions[i];
    if (std::holds_alternative<Launch>(instruction.what)) {
      for (const auto& [gpu, ready] : shares) EXPECT_THAT(instruction.after, testing::Not(testing::Contains(ready)));
      shares[instruction.processor] = InstructionId{plan.first.value + static_cast<std::int64_t>(i)};
    } else if (std::holds_alternative<FoldParts>(instruction.what)) {
      ++results;
      for (const auto& [gpu, ready] : shares) EXPECT_THAT(instruction.after, testing::Contains(ready)) << "GPU " << gpu;
    }
  }
  EXPECT_EQ(shares.size(), 4u);
  EXPECT_EQ(results, 4);
  EXPECT_TRUE(plan.all<Copy>().empty());
}

// Their results went through one block: each sum waited for the one before.
TEST(Allreduce, SumsOfOnePlanDoNotWaitForEachOther) {
  const Plan plan = plans_of(gpus(1, 2), 0, [](const Cut& cut) {
                      const np::Array a = np::ones({1000, 8}), b = np::ones({900, 8});
                      cut();
                      const np::Array first = np::sum(a * a), second = np::sum(b * b);
                      cut();
                    }).back();
  std::map<std::int64_t, std::set<std::int64_t>> before;  // by instruction, all that it comes after, directly or not
  std::vector<std::int64_t> launches;
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    const std::int64_t id = plan.first.value + static_cast<std::int64_t>(i);
    for (const InstructionId after : plan.instructions[i].after) {
      before[id].insert(after.value);
      before[id].insert(before[after.value].begin(), before[after.value].end());
    }
    if (std::holds_alternative<Launch>(plan.instructions[i].what)) launches.push_back(id);
  }
  ASSERT_EQ(launches.size(), 4u);
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    const auto& ids = before[plan.first.value + static_cast<std::int64_t>(i)];
    const bool of_first = ids.contains(launches[0]) || ids.contains(launches[1]);
    const bool of_second = ids.contains(launches[2]) || ids.contains(launches[3]);
    EXPECT_FALSE(of_first && of_second) << "instruction " << i;
  }
}

// Shares that cover a part of the result, or nothing at all; results too large for each processor to fold.
TEST(Allreduce, SharesOfAnySizeGiveTheWholeSum) {
  for (const bool on_gpus : {false, true}) {
    for (const auto& [ranks, processors] : {std::pair{1, 2}, {1, 5}, {2, 2}, {2, 3}, {5, 1}}) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks of " << processors << (on_gpus ? " GPUs" : ""));
      fakes::SimulatedRanks machine = machine_of(ranks, processors);
      machine.split_bytes = 16;
      machine.gpus = machine.share = on_gpus;
      fakes::run_on_simulated_ranks(machine, [](Session&) {
        for (const std::int64_t rows : {1, 3, 40}) {
          for (const std::int64_t columns : {1, 7, 9000}) {
            const np::Array a = np::reshape(np::arange(static_cast<double>(rows * columns)), {rows, columns}) + 1.0;
            const auto n = static_cast<double>(rows * columns);
            EXPECT_EQ(np::sum(a).item<double>(), n * (n + 1) / 2);
            const std::vector<double> down = np::sum(a, 0).to_vector<double>(),
                                      across = np::max(a, 1).to_vector<double>();
            for (std::int64_t column = 0; column < columns; ++column) {
              double sum = 0;
              for (std::int64_t row = 0; row < rows; ++row) sum += static_cast<double>(row * columns + column + 1);
              ASSERT_EQ(down[static_cast<std::size_t>(column)], sum);
            }
            for (std::int64_t row = 0; row < rows; ++row)
              ASSERT_EQ(across[static_cast<std::size_t>(row)], static_cast<double>((row + 1) * columns));
          }
        }
      });
    }
  }
}

}  // namespace
}  // namespace pilum::scheduler
