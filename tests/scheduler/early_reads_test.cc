// Halos of one store that several tasks of a window read: they set out together.
#include "scheduler/plan/early_reads.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/scheduler/plans.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::slice;

fakes::SimulatedRanks two_gpus(bool of_one_rank) {
  fakes::SimulatedRanks machine = machine_of(of_one_rank ? 1 : 2, of_one_rank ? 2 : 1);
  machine.gpus = true;
  machine.cache_bytes = machine.split_bytes;
  return machine;
}

// Two tasks over columns of their own, each of which reads a row from the other side of the cut; `between` is recorded
// after the first.
Plan plan_of_two(bool of_one_rank, const std::function<void(const np::Array&)>& between) {
  const auto differences = [](const np::Array& a, const slice& columns) {
    return np::sum(a(slice(1, {}), columns) * a(slice(0, -1), columns));
  };
  return plans_of(two_gpus(of_one_rank), 0,
                  [&](const Cut& cut) {
                    np::Array a = np::ones({64, 64});
                    for (int round = 0; round < 3; ++round) {
                      a += 1.0;
                      cut();
                      const np::Array first = differences(a, slice(0, 20));
                      between(a);
                      const np::Array second = differences(a, slice(20, 64));
                      cut();
                    }
                  })
      .back();
}

struct HaloOrder {
  int before = 0, behind = 0;  // messages, by the first launch
};
HaloOrder halo_order_of(const Plan& plan, bool of_one_rank) {
  HaloOrder order;
  bool launched = false;
  for (const Instruction& instruction : plan.instructions) {
    const auto* copy = std::get_if<Copy>(&instruction.what);
    const auto* send = std::get_if<Send>(&instruction.what);
    // Two sums are of 16 bytes; what is sent is copied together before.
    const bool is_halo = of_one_rank ? copy && copy->bytes() > 16 : send && send->bytes > 16;
    launched = launched || std::holds_alternative<Launch>(instruction.what);
    if (is_halo) ++(launched ? order.behind : order.before);
  }
  return order;
}

TEST(EarlyReads, HalosOfLaterTasksComeWithTheFirst) {
  for (const bool of_one_rank : {true, false}) {
    const HaloOrder order = halo_order_of(plan_of_two(of_one_rank, [](const np::Array&) {}), of_one_rank);
    EXPECT_EQ(order.before, 1);  // of the GPU whose first row is read
    EXPECT_EQ(order.behind, 0);
  }
}

// The task that writes a store reads it before.
TEST(EarlyReads, HalosOfTheTaskThatWritesComeWithTheFirst) {
  for (const bool of_one_rank : {true, false}) {
    const auto average = [](np::Array a) {
      a(slice(1, -1), slice(20, 40)) = a(slice(2, {}), slice(20, 40)) + a(slice(0, -2), slice(20, 40));
    };
    const HaloOrder order = halo_order_of(plan_of_two(of_one_rank, average), of_one_rank);
    EXPECT_EQ(order.before, of_one_rank ? 2 : 1) << "each way one";
    EXPECT_GE(order.behind, 1) << "what it wrote";
  }
}

TEST(EarlyReads, WhatIsWrittenBetweenComesAfterwards) {
  for (const bool of_one_rank : {true, false}) {
    const HaloOrder order =
        halo_order_of(plan_of_two(of_one_rank, [](np::Array a) { a(slice({}), slice(30, 50)) = 3.0; }), of_one_rank);
    EXPECT_EQ(order.before, 1);
    EXPECT_GE(order.behind, 1);
  }
}

}  // namespace
}  // namespace pilum::scheduler
