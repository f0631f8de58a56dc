#include "runtime/device/thread_place.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <functional>
#include <thread>
#include <vector>

namespace pilum::device {
namespace {

std::vector<int> allowed_cores() {
  cpu_set_t set;
  pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

// On a thread of its own, whose core is nobody else's business.
void on_a_thread(const std::function<void(const std::vector<int>&)>& test) {
  std::thread([&] { test(allowed_cores()); }).join();
}

TEST(ThreadPlace, MovesOffAWorkersCoreAndLeavesAllCoresAllowed) {
  on_a_thread([](const std::vector<int>& cores) {
    if (cores.size() < 2) return;
    for (const int own : {cores[0], cores[1]}) {
      std::vector<int> others;
      for (const int core : cores) {
        if (core != own) others.push_back(core);
      }
      // The system may move it again at once, where the core is busy.
      bool moved = false;
      for (int attempt = 0; attempt < 100 && !moved; ++attempt) {
        const ThreadPlace place(own, others);
        moved = sched_getcpu() == own;
      }
      EXPECT_TRUE(moved);
      EXPECT_EQ(allowed_cores(), cores);
    }
  });
}

TEST(ThreadPlace, StaysWhereTheCoreIsNotAllowed) {
  on_a_thread([](const std::vector<int>& cores) {
    if (cores.size() < 2) return;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<std::size_t>(cores[1]), &only);
    ASSERT_EQ(pthread_setaffinity_np(pthread_self(), sizeof only, &only), 0);
    const ThreadPlace place(cores[0], {cores[1]});
    EXPECT_EQ(sched_getcpu(), cores[1]);
    EXPECT_EQ(allowed_cores(), std::vector{cores[1]});
  });
}

TEST(ThreadPlace, WithoutWorkersThereIsNothingToAvoid) {
  on_a_thread([](const std::vector<int>& cores) {
    ThreadPlace nowhere;
    nowhere.look();
    ThreadPlace alone(cores[0], {});
    alone.look();
    EXPECT_EQ(allowed_cores(), cores);
  });
}

}  // namespace
}  // namespace pilum::device
