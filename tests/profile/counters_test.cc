#include "runtime/profile/counters.h"

#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pilum::profile {
namespace {

TEST(Counters, TextLeavesZerosOut) {
  Counters counters;
  EXPECT_EQ(to_string(counters), "nothing");
  counters.launches.add(2);
  counters.bytes_sent.add(4096);
  EXPECT_EQ(to_string(counters), "launches 2, bytes sent 4096");
}

TEST(Counters, EveryMemberIsListedUnderItsOwnName) {
  Counters counters;
  std::set<std::string> names;
  counters.for_each([&](const char* name, std::int64_t) { names.insert(name); });
  EXPECT_EQ(names.size(), sizeof counters / sizeof(Counter));
}

TEST(Counters, ThreadsLoseNothing) {
  Counter sum, most;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10000; ++i) sum.add(), most.raise_to(t * 10000 + i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum.get(), 40000);
  EXPECT_EQ(most.get(), 39999);
}

}  // namespace
}  // namespace pilum::profile
