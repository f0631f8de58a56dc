#include "runtime/device/shared_work.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/device/jobs.h"

namespace pilum::device {
namespace {

std::unique_ptr<HostLane> lane_of(int workers) {
  HostLaneOptions options;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int worker = 0; worker < workers; ++worker) options.worker_cores.push_back(worker % cores);
  return make_host_lane(std::move(options));
}

void wait_for(const std::atomic<int>& number, int wanted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (number.load() < wanted && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  EXPECT_GE(number.load(), wanted) << "nobody came within 20 s";
}

TEST(SharedWork, EachPartRunsOnceAndIsSeen) {
  for (const int workers : {0, 1, 3}) {
    const auto lane = lane_of(workers);
    for (const std::int64_t parts : {0, 1, 2, 7, 100}) {
      std::vector<int> runs(static_cast<std::size_t>(parts));  // not atomic: what parts wrote is seen
      const SharingScope scope(lane.get());
      share_work(parts, [&](std::int64_t part) { ++runs[static_cast<std::size_t>(part)]; });
      EXPECT_EQ(runs, std::vector<int>(static_cast<std::size_t>(parts), 1)) << workers << " workers";
    }
  }
}

TEST(SharedWork, OthersTakePart) {
  const auto lane = lane_of(1);
  const SharingScope scope(lane.get());
  EXPECT_EQ(sharing_threads(), 2);
  std::atomic<int> here{0};
  // Neither part ends before the other has begun.
  share_work(2, [&](std::int64_t) {
    ++here;
    wait_for(here, 2);
  });
  EXPECT_EQ(here, 2);
}

TEST(SharedWork, WaitsForNobodyWhoHasNotBegun) {
  const auto lane = lane_of(1);
  std::atomic<int> started{0}, released{0};
  const auto blocker = make_job(1, [&](std::int64_t) {
    ++started;
    wait_for(released, 1);
  });
  lane->submit(blocker);
  wait_for(started, 1);
  int runs = 0;
  {
    const SharingScope scope(lane.get());
    share_work(5, [&](std::int64_t) { ++runs; });  // the only worker is busy
  }
  EXPECT_EQ(runs, 5);
  ++released;
  wait_for(blocker->done_count, 1);  // then the worker finds nothing left of the work, which is gone
}

TEST(SharedWork, AloneOutsideOfLanesAndInsideOfParts) {
  EXPECT_EQ(sharing_threads(), 1);
  const auto lane = lane_of(2);
  const SharingScope scope(lane.get());
  EXPECT_EQ(sharing_threads(), 3);
  std::atomic<int> inner{0};
  share_work(3, [&](std::int64_t) {
    EXPECT_EQ(sharing_threads(), 1);
    share_work(4, [&](std::int64_t) { ++inner; });
  });
  EXPECT_EQ(inner, 12);
  EXPECT_EQ(sharing_threads(), 3);
  {
    const SharingScope nobody(nullptr);
    EXPECT_EQ(sharing_threads(), 1);
  }
  EXPECT_EQ(sharing_threads(), 3);
}

TEST(SharedWork, ThrowsWhatAPartThrowsAfterAllHaveRun) {
  for (const int workers : {0, 2}) {
    const auto lane = lane_of(workers);
    const SharingScope scope(lane.get());
    std::atomic<int> runs{0};
    const auto share = [&] {
      share_work(20, [&](std::int64_t part) {
        ++runs;
        if (part == 3) throw std::out_of_range("part 3");
      });
    };
    EXPECT_THROW(share(), std::out_of_range);
    EXPECT_EQ(runs, 20);
    EXPECT_EQ(sharing_threads(), workers + 1);
  }
}

TEST(SharedWork, ManyShareOneLane) {
  const auto lane = lane_of(2);
  std::atomic<int> runs{0};
  const auto job = make_job(40, [&](std::int64_t) {
    const SharingScope scope(lane.get());
    for (int round = 0; round < 20; ++round) share_work(5, [&](std::int64_t) { ++runs; });
  });
  lane->submit(job);
  while (job->done_count == 0) lane->help();
  EXPECT_EQ(runs, 40 * 20 * 5);
}

}  // namespace
}  // namespace pilum::device
