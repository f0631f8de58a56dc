#include "runtime/device/null_lane.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/device/jobs.h"

namespace pilum::device {
namespace {

TEST(NullLane, RecordsLabelsAndChunksAndRunsNothing) {
  NullLane lane;
  const auto job = make_job(7, {}, {}, "stencil");
  lane.submit(job);
  lane.submit(make_job(1, {}, {}, "edge"));
  lane.submit(make_job(1, {}, {}, "edge"));
  EXPECT_EQ(job->runs, 0);
  EXPECT_EQ(job->done_count, 1);
  EXPECT_EQ(lane.records(), (std::vector<NullLane::Record>{{"stencil", 7}, {"edge", 1}, {"edge", 1}}));
  EXPECT_EQ(lane.count("edge"), 2);
  EXPECT_FALSE(lane.help());
  EXPECT_TRUE(lane.idle());
}

TEST(NullLane, JobsSubmittedByDoneFollowWithoutRecursion) {
  NullLane lane;
  int depth = 0, deepest = 0, left = 100000;
  std::function<void()> next = [&] {
    deepest = std::max(deepest, ++depth);
    if (--left > 0) lane.submit(make_job(1, {}, next));
    --depth;
  };
  lane.submit(make_job(1, {}, next));
  EXPECT_EQ(left, 0);
  EXPECT_EQ(deepest, 1);
  EXPECT_EQ(lane.records().size(), 100000u);
}

TEST(NullLane, AnErrorOfDoneLeavesSubmit) {
  NullLane lane;
  EXPECT_THROW(lane.submit(make_job(1, {}, [] { throw std::runtime_error("no"); })), std::runtime_error);
  const auto job = make_job(1);
  lane.submit(job);
  EXPECT_EQ(job->done_count, 1);
}

}  // namespace
}  // namespace pilum::device
