#include "runtime/machine/print.h"

#include <vector>

#include <gtest/gtest.h>

namespace pilum::machine {
namespace {

TEST(Print, BytesHaveOneDigitBehindThePointUnlessWhole) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(64 << 10), "64 KiB");
  EXPECT_EQ(format_bytes(1536 << 10), "1.5 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{24} << 30), "24 GiB");
}

TEST(Print, CoresAreRangesWhateverTheirOrder) {
  EXPECT_EQ(format_cores(std::vector{3, 0, 1, 8, 2}), "cores 0-3,8");
  EXPECT_EQ(format_cores(std::vector{2, 2}), "core 2");
  EXPECT_EQ(format_cores(std::vector<int>{}), "no cores");
}

TEST(Print, ATopologyNamesItsDomains) {
  const HostTopology host{"box", {{0, {0, 1}, 1 << 30}, {1, {2, 3}, 2u << 30}}, 3u << 30, 32 << 20};
  EXPECT_EQ(
      to_string(host),
      "box: 4 cores, 3 GiB available, 32 MiB cache a domain; domain 0: cores 0-1, 1 GiB; domain 1: cores 2-3, 2 GiB");
}

TEST(Print, AMachineShowsWhatPlansDependOn) {
  EXPECT_EQ(to_string(Machine{.ranks = 4, .processors_per_rank = 2}),
            "ranks 4, processors a rank 2 (cpu), memory 20.0 GB/s a processor, messages 2.0 us and 8.0 GB/s, "
            "split from 256 KiB, cache 32 MiB a processor");
}

}  // namespace
}  // namespace pilum::machine
