// Sums of a window go across the ranks together.
#include "scheduler/plan/open_sums.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/scheduler/plans.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

Plan plan_of(const fakes::SimulatedRanks& machine, int rank, const std::function<void(const Cut&)>& program) {
  return plans_of(machine, rank, program).back();
}

// Up the tree and down again: rank 3 of four has one neighbour in it.
TEST(OpenSums, SumsThatFollowEachOtherAreOneMessage) {
  const Plan plan = plan_of(machine_of(4), 3, [](const Cut& cut) {
    const np::Array a = np::ones({1000, 8}), b = np::ones({900, 8});
    cut();
    const np::Array first = np::sum(a * a), second = np::sum(b), third = np::sum(a);
    cut();
  });
  EXPECT_EQ(sent(plan), (std::map<int, std::vector<std::size_t>>{{2, {24}}}));
  EXPECT_EQ(received(plan), sent(plan));
}

TEST(OpenSums, OneThatIsUsedGoesBeforeTheNext) {
  const Plan plan = plan_of(machine_of(2), 1, [](const Cut& cut) {
    const np::Array a = np::ones({1000, 8});
    cut();
    const np::Array first = np::sum(a * a), second = np::sum(a * first), third = np::sum(second * a),
                    fourth = np::sum(a);
    cut();
  });
  std::size_t bytes = 0;
  for (const Send* send : plan.all<Send>()) bytes += send->bytes;
  EXPECT_EQ(bytes, 32u);
  EXPECT_GE(plan.count<Send>(), 3u);
}

TEST(OpenSums, SumsOfOtherKindsGoApart) {
  const Plan plan = plan_of(machine_of(2), 1, [](const Cut& cut) {
    const np::Array a = np::ones({1000, 8}), c = np::ones({1000, 8}, np::float32);
    cut();
    const np::Array sum = np::sum(a * a), largest = np::max(a), other = np::sum(c), again = np::sum(a),
                    low = np::max(2.0 * a);
    cut();
  });
  EXPECT_EQ(sent(plan), (std::map<int, std::vector<std::size_t>>{{0, {4, 16, 16}}}));
}

TEST(OpenSums, OnOneRankEachIsThereAsSoonAsItIsComputed) {
  fakes::SimulatedRanks machine = machine_of(1, 2);
  machine.gpus = true;
  const Plan plan = plan_of(machine, 0, [](const Cut& cut) {
    const np::Array a = np::ones({1000, 8});
    cut();
    const np::Array first = np::sum(a * a), second = np::sum(a);
    cut();
  });
  EXPECT_EQ(plan.count<Copy>(), 0u);
}

// A sum that nobody keeps, or that is computed anew under the same name, among others; parts on some ranks alone.
TEST(OpenSums, AnyMixOfSumsHasTheValuesOfItsArrays) {
  const auto seed = static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed());
  for (const auto& [ranks, processors, on_gpus, mail] : {std::tuple{1, 1, false, 0},
                                                         {2, 1, false, 0},
                                                         {3, 2, false, 0},
                                                         {2, 1, true, 192 << 10},
                                                         {5, 1, true, 192 << 10},
                                                         {3, 1, true, 60 << 10},
                                                         {2, 2, true, 0}}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks of " << processors << (on_gpus ? " GPUs" : "") << ", seed "
                                    << seed);
    fakes::SimulatedRanks machine = machine_of(ranks, processors);
    machine.gpus = machine.share = on_gpus;
    machine.mail_bytes = mail;
    machine.split_bytes = 16;
    fakes::run_on_simulated_ranks(machine, [seed = seed](Session&) {
      std::mt19937_64 random(seed);
      for (int round = 0; round < 12; ++round) {
        const auto rows = static_cast<std::int64_t>(1 + random() % 40),
                   columns = static_cast<std::int64_t>(1 + random() % 9);
        const np::Array a = np::reshape(np::arange(static_cast<double>(rows * columns)), {rows, columns});
        const auto lo = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows));
        std::vector<np::Array> sums;
        std::vector<double> expected;
        double all_of_it = 0, last = 0;
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < columns; ++j) {
            all_of_it += static_cast<double>(i * columns + j);
            if (i >= lo) last += static_cast<double>(i * columns + j);
          }
        }
        for (int k = 0; k < 6; ++k) {
          switch (random() % 5) {
            case 0: sums.push_back(np::sum(a)), expected.push_back(all_of_it); break;
            case 1: sums.push_back(np::sum(a(slice(lo, {})))), expected.push_back(last); break;
            case 2: sums.push_back(np::max(a)), expected.push_back(static_cast<double>(rows * columns - 1)); break;
            case 3: static_cast<void>(np::sum(2.0 * a)); break;
            default:
              if (sums.empty()) break;
              sums.push_back(np::sum(0.0 * a + sums.back()));
              expected.push_back(static_cast<double>(rows * columns) * expected.back());
          }
        }
        for (std::size_t k = 0; k < sums.size(); ++k) ASSERT_EQ(sums[k].item<double>(), expected[k]) << k;
      }
    });
  }
}

}  // namespace
}  // namespace pilum::scheduler
