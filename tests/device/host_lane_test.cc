#include "runtime/device/host_lane.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/device/jobs.h"

namespace pilum::device {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<HostLane> make_lane(int workers, HostLaneOptions options = {}) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int i = 0; i < workers; ++i) options.worker_cores.push_back(i % cores);
  return make_host_lane(std::move(options));
}

template <class Condition>
bool eventually(Condition condition) {
  for (auto deadline = std::chrono::steady_clock::now() + 20s; std::chrono::steady_clock::now() < deadline;) {
    if (condition()) return true;
    std::this_thread::sleep_for(100us);
  }
  return condition();
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(HostLane, EveryChunkRunsOnceThenDoneOnce) {
  for (int workers : {0, 1, 2, 4}) {
    const auto lane = make_lane(workers);
    std::vector<std::atomic<int>> runs(1000);
    int seen = 0;
    const auto job = make_job(
        1000, [&](std::int64_t chunk) { ++runs[static_cast<std::size_t>(chunk)]; },
        [&] {
          for (const auto& count : runs) seen += count;
        });
    lane->submit(job);
    while (lane->help()) {
    }
    ASSERT_TRUE(eventually([&] { return job->done_count == 1; })) << workers << " workers";
    EXPECT_EQ(seen, 1000);
    for (const auto& count : runs) EXPECT_EQ(count, 1);
    EXPECT_EQ(lane->workers(), workers);
  }
}

TEST(HostLane, IsSeenToSleep) {
  const auto lane = make_lane(2);
  EXPECT_TRUE(eventually([&] { return lane->all_asleep(); }));
  std::atomic<bool> held{true};
  const auto job = make_job(1, [&](std::int64_t) {
    while (held) std::this_thread::yield();
  });
  lane->submit_to_worker(job);
  EXPECT_TRUE(eventually([&] { return !lane->all_asleep(); }));
  held = false;
  EXPECT_TRUE(eventually([&] { return lane->all_asleep(); }));
  EXPECT_FALSE(make_lane(0)->all_asleep()) << "nobody is there";
}

TEST(HostLane, WithoutWorkersNothingRunsUntilSomebodyHelps) {
  const auto lane = make_lane(0);
  const auto job = make_job(2);
  EXPECT_TRUE(lane->idle());
  EXPECT_FALSE(lane->help());
  lane->submit(job);
  EXPECT_FALSE(lane->idle());
  EXPECT_EQ(job->runs, 0);
  EXPECT_TRUE(lane->help());
  EXPECT_EQ(job->runs, 1);
  EXPECT_FALSE(lane->idle());
  EXPECT_EQ(job->done_count, 0);
  EXPECT_TRUE(lane->help());
  EXPECT_TRUE(lane->idle());
  EXPECT_EQ(job->done_count, 1);
  EXPECT_FALSE(lane->help());
}

TEST(HostLane, JobsStartInOrderOfSubmission) {
  for (int workers : {0, 1, 3}) {
    std::mutex mutex;
    std::vector<int> chunks_left(200, 3);
    std::string broken;
    {
      const auto lane = make_lane(workers);
      for (int number = 0; number < 200; ++number) {
        lane->submit(make_job(3, [&, number](std::int64_t) {
          const std::lock_guard lock(mutex);
          --chunks_left[static_cast<std::size_t>(number)];
          // At most one chunk a thread has been handed out and not counted yet.
          int unseen = 0;
          for (int earlier = 0; earlier < number; ++earlier) unseen += chunks_left[static_cast<std::size_t>(earlier)];
          if (unseen > workers) broken = std::to_string(number);
        }));
      }
    }
    EXPECT_EQ(broken, "") << workers << " workers";
  }
}

TEST(HostLane, AJobMayStartBeforeAnEarlierOneIsDone) {
  const auto lane = make_lane(1);
  std::atomic<bool> release{false};
  const auto slow = make_job(1, [&](std::int64_t) {
    while (!release) std::this_thread::yield();
  });
  lane->submit(slow);
  ASSERT_TRUE(eventually([&] { return slow->runs == 1; }));
  const auto quick = make_job(1);
  lane->submit(quick);
  EXPECT_TRUE(lane->help());
  EXPECT_EQ(quick->done_count, 1);
  EXPECT_EQ(slow->done_count, 0);
  release = true;
  EXPECT_TRUE(eventually([&] { return slow->done_count == 1; }));
}

TEST(HostLane, WorkersAreNumberedAndOthersAreNot) {
  EXPECT_EQ(current_worker(), -1);
  std::mutex mutex;
  std::set<int> numbers;
  const auto lane = make_lane(2);
  std::atomic<int> here{0};
  // Each chunk waits for the other, so that both workers take one.
  const auto job = make_job(2, [&](std::int64_t) {
    ++here;
    while (here < 2) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    numbers.insert(current_worker());
  });
  lane->submit(job);
  ASSERT_TRUE(eventually([&] { return job->done_count == 1; }));
  EXPECT_EQ(numbers, (std::set{0, 1}));
}

TEST(HostLane, WorkersArePinned) {
  cpu_set_t seen;
  CPU_ZERO(&seen);
  const auto lane = make_lane(1);
  const auto job = make_job(1, [&](std::int64_t) { pthread_getaffinity_np(pthread_self(), sizeof seen, &seen); });
  lane->submit(job);
  ASSERT_TRUE(eventually([&] { return job->done_count == 1; }));
  EXPECT_EQ(CPU_COUNT(&seen), 1);
  EXPECT_TRUE(CPU_ISSET(0, &seen));
}

TEST(HostLane, ACoreThatRefusesAWorkerLeavesItUnpinned) {
  HostLaneOptions options;
  options.worker_cores = {100000};
  const auto lane = make_host_lane(std::move(options));
  const auto job = make_job(1);
  lane->submit(job);
  EXPECT_TRUE(eventually([&] { return job->done_count == 1; }));
}

TEST(HostLane, AnErrorIsReportedOnceBeforeDone) {
  for (int workers : {0, 2}) {
    std::atomic<int> errors{0}, errors_at_done{-1};
    HostLaneOptions options;
    options.on_error = [&](std::exception_ptr error) {
      EXPECT_THROW(std::rethrow_exception(error), std::runtime_error);
      ++errors;
    };
    const auto lane = make_lane(workers, std::move(options));
    const auto job =
        make_job(10, [](std::int64_t) { throw std::runtime_error("chunk"); }, [&] { errors_at_done = errors.load(); });
    lane->submit(job);
    while (lane->help()) {
    }
    ASSERT_TRUE(eventually([&] { return job->done_count == 1; }));
    EXPECT_EQ(job->runs, 10);
    EXPECT_EQ(errors, 1);
    EXPECT_EQ(errors_at_done, 1);
  }
}

TEST(HostLane, ErrorsOfDoneAndOfTheHookAreReported) {
  std::atomic<int> errors{0}, asked{0};
  HostLaneOptions options;
  options.on_error = [&](std::exception_ptr) { ++errors; };
  options.when_idle = [&]() -> bool {
    if (asked++ == 0) throw std::runtime_error("hook");
    return false;
  };
  const auto lane = make_lane(1, std::move(options));
  ASSERT_TRUE(eventually([&] { return errors == 1; }));
  lane->submit(make_job(1, {}, [] { throw std::runtime_error("done"); }));
  EXPECT_TRUE(eventually([&] { return errors == 2; }));
}

TEST(HostLane, TheDestructorFinishesWhatDoneSubmits) {
  for (int workers : {0, 1, 2}) {
    std::atomic<int> runs{0};
    {
      const auto lane = make_lane(workers);
      HostLane* to = lane.get();
      std::function<void()> next = [&runs, &next, to] {
        if (runs < 1000) to->submit(make_job(1, [&](std::int64_t) { ++runs; }, next));
      };
      lane->submit(make_job(1, [&](std::int64_t) { ++runs; }, next));
      while (runs < 10) lane->help();
      // `next` must outlive the jobs.
      while (runs < 1000) lane->help();
    }
    EXPECT_EQ(runs, 1000) << workers << " workers";
  }
  std::atomic<int> left{50};
  {
    const auto lane = make_lane(1);
    HostLane* to = lane.get();
    struct Chain {
      static void go(HostLane* lane, std::atomic<int>& left) {
        lane->submit(make_job(1, {}, [lane, &left] {
          if (--left > 0) go(lane, left);
        }));
      }
    };
    Chain::go(to, left);
  }
  EXPECT_EQ(left, 0);
}

TEST(HostLane, AJobIsReleasedWhenDone) {
  const auto lane = make_lane(1);
  std::weak_ptr<TestJob> gone;
  {
    const auto job = make_job(4);
    gone = job;
    lane->submit(job);
    ASSERT_TRUE(eventually([&] { return job->done_count == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return gone.expired(); }));
}

TEST(HostLane, IdleWorkersAskTheHookAgainAsLongAsItSaysSo) {
  std::atomic<int> asked{0};
  HostLaneOptions options;
  options.when_idle = [&] { return ++asked < 1000; };
  const auto lane = make_lane(1, std::move(options));
  EXPECT_TRUE(eventually([&] { return asked >= 1000; }));
}

TEST(HostLane, WakeMakesASleeperAskTheHook) {
  std::atomic<int> asked{0};
  HostLaneOptions options;
  options.when_idle = [&] {
    ++asked;
    return false;
  };
  const auto lane = make_lane(1, std::move(options));
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(1ms);  // asleep by now, or the wake is seen on the way
    const int before = asked;
    lane->wake();
    ASSERT_TRUE(eventually([&] { return asked > before; }));
  }
}

TEST(HostLane, IdleWorkersBurnNoCpu) {
  const auto lane = make_lane(2);
  lane->submit(make_job(2));
  std::this_thread::sleep_for(20ms);
  const double before = cpu_seconds();
  std::this_thread::sleep_for(500ms);
  EXPECT_LT(cpu_seconds() - before, 0.02 * 0.5);
}

TEST(HostLane, WorkEveryMillisecondKeepsNobodySpinning) {
  const auto lane = make_lane(2);
  const auto run_for = [&](int milliseconds) {
    for (int i = 0; i < milliseconds; ++i) {
      lane->submit(make_job(1));
      std::this_thread::sleep_for(1ms);
    }
  };
#ifdef PILUM_SANITIZE
  constexpr double kShare = 0.5;  // the instrumented code itself is slow
#else
  constexpr double kShare = 0.1;  // 50 µs of every millisecond on two workers would be just that
#endif
  run_for(50);
  double least = 1;  // of three: a busy machine takes a worker's core away while others wait for it
  for (int round = 0; round < 3; ++round) {
    const double before = cpu_seconds();
    run_for(200);
    least = std::min(least, cpu_seconds() - before);
  }
  EXPECT_LT(least, kShare * 0.2);
}

TEST(HostLaneDeathTest, AnErrorThatNobodyHandlesEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const auto lane = make_lane(0);
        lane->submit(make_job(1, [](std::int64_t) { throw std::runtime_error("chunk"); }));
        lane->help();
      },
      "the lane has no on_error");
}

}  // namespace
}  // namespace pilum::device
