#include "apps/task_bench/compute.h"

#include <gtest/gtest.h>

namespace metg {
namespace {

TEST(Compute, EveryIterationCounts) {
  EXPECT_EQ(compute(0), 64 * 65 / 2);         // 1 + 2 + … + 64
  EXPECT_EQ(compute(1), 64 * 65 / 4.0 + 64);  // each halved, plus one
  EXPECT_EQ(compute(2), 64 * 65 / 8.0 + 64 * 1.5);
}

TEST(Compute, NumbersStayFinite) {
  EXPECT_NEAR(compute(1'000'000), 2.0 * kKernelWidth, 1e-9);
}

}  // namespace
}  // namespace metg
