#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/device/host_lane.h"
#include "tests/device/jobs.h"

namespace pilum::device {
namespace {

using Clock = std::chrono::steady_clock;

#ifdef PILUM_SANITIZE
constexpr int kScale = 1;
#else
constexpr int kScale = 10;
#endif

std::unique_ptr<HostLane> make_stressed_lane(int workers, std::function<void(std::exception_ptr)> on_error = {},
                                             int spin_microseconds = 50) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  HostLaneOptions options;
  for (int i = 0; i < workers; ++i) options.worker_cores.push_back(i % cores);
  options.on_error = std::move(on_error);
  options.spin_microseconds = spin_microseconds;
  return make_host_lane(std::move(options));
}

// Until the condition holds, helping if a lane is given; leaves the core to others when there is long nothing to do.
template <class Condition>
void wait_until(HostLane* lane, Condition condition) {
  for (int looks = 0; !condition(); ++looks) {
    if (lane && lane->help()) looks = 0;
    if (looks > 2000) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

TEST(HostLaneStress, ManyTinyJobs) {
  for (int workers : {1, 2, 4}) {
    std::atomic<int> runs{0}, done{0};
    const auto lane = make_stressed_lane(workers);
    const int jobs = 5000 * kScale;
    for (int i = 0; i < jobs; ++i) {
      lane->submit(make_job(1 + i % 3, [&](std::int64_t) { ++runs; }, [&] { ++done; }));
    }
    wait_until(lane.get(), [&] { return done == jobs; });
    EXPECT_EQ(runs, jobs / 3 * 6 + (jobs % 3 == 1 ? 1 : jobs % 3 == 2 ? 3 : 0));
    EXPECT_TRUE(lane->idle());
  }
}

// Submit and wait, so that workers go to sleep and wake at every possible moment.
TEST(HostLaneStress, PausesOfAnyLengthBetweenJobs) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto lane = make_stressed_lane(2);
  for (int i = 0; i < 100 * kScale; ++i) {
    const auto job = make_job(1 + static_cast<std::int64_t>(random() % 4));
    lane->submit(job);
    const bool help = random() % 2;
    wait_until(help ? lane.get() : nullptr, [&] { return job->done_count == 1; });
    for (const auto until = Clock::now() + std::chrono::nanoseconds(random() % 100000); Clock::now() < until;) {
    }
  }
}

// The worker falls asleep at the very moment of the next submission; a job that it misses hangs the test.
TEST(HostLaneStress, NoJobIsMissedByAWorkerThatFallsAsleep) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto lane = make_stressed_lane(1, {}, /*spin_microseconds=*/0);
  std::atomic<int> done{0};
  std::thread submitter([&] {
    cpu_set_t last;  // the worker is on core 0
    CPU_ZERO(&last);
    CPU_SET(std::thread::hardware_concurrency() - 1, &last);
    pthread_setaffinity_np(pthread_self(), sizeof last, &last);
    for (int i = 0; i < 200 * kScale; ++i) {
      lane->submit(make_job(1, {}, [&] { ++done; }));
      wait_until(nullptr, [&] { return done > i; });
      std::atomic<unsigned> delay{1 + static_cast<unsigned>(random() % 100)};
      while (delay.fetch_sub(1, std::memory_order_relaxed) > 1) {
      }
    }
  });
  submitter.join();
  EXPECT_EQ(done, 200 * kScale);
}

// What each job writes, plainly, the jobs that its done() submits read: the lane orders them.
TEST(HostLaneStress, DoneSeesAllChunksAndItsJobsSeeDone) {
  struct Chain {
    HostLane& lane;
    std::vector<int> cells = std::vector<int>(64, 0);
    std::atomic<int> rounds{0};
    int limit = 0;
    void step() {
      lane.submit(make_job(
          64, [this](std::int64_t chunk) { ++cells[static_cast<std::size_t>(chunk)]; },
          [this] {
            for (int cell : cells) ASSERT_EQ(cell, rounds + 1);
            if (++rounds < limit) step();
          }));
    }
  };
  const auto lane = make_stressed_lane(3);
  Chain chain{*lane};
  chain.limit = 200 * kScale;
  chain.step();
  wait_until(lane.get(), [&] { return chain.rounds == chain.limit; });
}

TEST(HostLaneStress, SeveralThreadsSubmitAndHelp) {
  constexpr int kThreads = 4;
  const int jobs = 1000 * kScale;
  std::atomic<int> done{0};
  std::atomic<std::int64_t> sum{0};
  const auto lane = make_stressed_lane(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < jobs; ++i) {
        lane->submit(make_job(3, [&](std::int64_t chunk) { sum += chunk; }, [&] { ++done; }));
        if (i % 4 == 0) lane->help();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  wait_until(lane.get(), [&] { return done == kThreads * jobs; });
  EXPECT_EQ(sum, std::int64_t{3} * kThreads * jobs);
}

TEST(HostLaneStress, ErrorsAreOnePerJob) {
  std::atomic<int> errors{0}, done{0};
  const int jobs = 300 * kScale;
  {
    const auto lane = make_stressed_lane(2, [&](std::exception_ptr) { ++errors; });
    for (int i = 0; i < jobs; ++i) {
      lane->submit(make_job(
          5,
          [](std::int64_t chunk) {
            if (chunk % 2 == 0) throw std::runtime_error("even");
          },
          [&] { ++done; }));
    }
  }
  EXPECT_EQ(errors, jobs);
  EXPECT_EQ(done, jobs);
}

TEST(HostLaneStress, LanesComeAndGo) {
  std::atomic<int> runs{0};
  for (int i = 0; i < 20 * kScale; ++i) {
    const auto lane = make_stressed_lane(i % 4);
    for (int k = 0; k < i % 3; ++k) lane->submit(make_job(2, [&](std::int64_t) { ++runs; }));
  }
  int expected = 0;
  for (int i = 0; i < 20 * kScale; ++i) expected += 2 * (i % 3);
  EXPECT_EQ(runs, expected);
}

}  // namespace
}  // namespace pilum::device
