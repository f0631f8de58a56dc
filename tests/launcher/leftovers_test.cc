#include "launcher/leftovers.h"

#include <gtest/gtest.h>

namespace pilum::launcher {
namespace {

TEST(Leftovers, SegmentsHaveOpenMpisNames) {
  EXPECT_EQ(segment_name("vm", 0, "1864630273", "2"), "vader_segment.vm.0.6f240001.2");
  EXPECT_EQ(segment_name("node7", 1000, "1", "0"), "vader_segment.node7.1000.1.0");
}

TEST(Leftovers, WithoutAJobThereIsNone) {
  EXPECT_EQ(segment_name("vm", 0, nullptr, "0"), "");
  EXPECT_EQ(segment_name("vm", 0, "../../etc", "0"), "");
  EXPECT_EQ(segment_name("vm", 0, "1", "0/.."), "");
}

}  // namespace
}  // namespace pilum::launcher
