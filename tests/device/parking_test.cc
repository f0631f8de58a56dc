#include "runtime/device/parking.h"

#include <thread>

#include <gtest/gtest.h>

namespace pilum::device {
namespace {

TEST(Parking, AWakeBetweenPrepareAndSleepIsNotLost) {
  Parking parking(1);
  parking.prepare(0);
  parking.wake(1);
  parking.sleep(0);  // returns
}

TEST(Parking, ACancelledThreadIsNotWoken) {
  Parking parking(2);
  parking.prepare(0);
  parking.prepare(1);
  parking.cancel(1);
  parking.wake(1);
  parking.sleep(0);
}

TEST(Parking, TheLatestSleeperIsWokenFirst) {
  Parking parking(2);
  parking.prepare(0);
  parking.prepare(1);
  parking.wake(1);
  parking.sleep(1);
  parking.wake(1);
  parking.sleep(0);
}

// One thread hands tickets to another that sleeps whenever it sees none. A lost wake hangs (the test's time limit).
TEST(Parking, NoWakeIsLostBetweenTwoThreads) {
  constexpr int kTickets = 20000;
  Parking parking(1);
  std::atomic<int> offered{0}, taken{0};
  std::thread sleeper([&] {
    while (taken.load(std::memory_order_relaxed) < kTickets) {
      parking.prepare(0);
      if (taken.load(std::memory_order_relaxed) < offered.load(std::memory_order_relaxed)) {
        parking.cancel(0);
        taken.fetch_add(1, std::memory_order_release);
      } else {
        parking.sleep(0);
      }
    }
  });
  for (int i = 0; i < kTickets; ++i) {
    offered.fetch_add(1, std::memory_order_relaxed);
    parking.wake(1);
    while (i % 3 == 0 && taken.load(std::memory_order_acquire) <= i) std::this_thread::yield();
  }
  sleeper.join();
  EXPECT_EQ(taken, kTickets);
}

}  // namespace
}  // namespace pilum::device
