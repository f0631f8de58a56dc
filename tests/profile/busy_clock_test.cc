#include "runtime/profile/busy_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace pilum::profile {
namespace {

using namespace std::chrono_literals;

double milliseconds(const BusyClock& clock) {
  return static_cast<double>(clock.nanoseconds()) * 1e-6;
}

TEST(BusyClock, CountsTheTimeInWhichSomebodyWorksOnce) {
  BusyClock clock;
  clock.switch_on();
  const auto start = std::chrono::steady_clock::now();
  {
    const BusyScope one(clock);
    const BusyScope another(clock);
    std::this_thread::sleep_for(20ms);
  }
  const double passed = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GE(milliseconds(clock), 20);
  EXPECT_LE(milliseconds(clock), passed);
}

TEST(BusyClock, StandsStillBetweenWork) {
  BusyClock clock;
  clock.switch_on();
  {
    const BusyScope work(clock);
  }
  const double before = milliseconds(clock);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(milliseconds(clock), before);
  clock.enter();
  clock.enter();
  clock.leave();
  std::this_thread::sleep_for(10ms);  // one is still at it
  clock.leave();
  EXPECT_GE(milliseconds(clock), before + 10);
}

TEST(BusyClock, OffCountsNothing) {
  BusyClock clock;
  {
    const BusyScope work(clock);
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(clock.nanoseconds(), 0);
}

TEST(BusyClock, ThreadsThatComeAndGoLeaveItStanding) {
  BusyClock clock;
  clock.switch_on();
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) const BusyScope work(clock);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto passed = std::chrono::steady_clock::now() - start;
  const std::int64_t counted = clock.nanoseconds();
  EXPECT_GT(counted, 0);
  EXPECT_LE(counted, std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  std::this_thread::sleep_for(1ms);
  EXPECT_EQ(clock.nanoseconds(), counted);
}

}  // namespace
}  // namespace pilum::profile
