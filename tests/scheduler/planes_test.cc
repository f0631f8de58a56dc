// Fields that share an array: which operations become one for each plane, and what is one task then.
#include "scheduler/analyze/planes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr std::int64_t kPlane = 64;

class PlanesTest : public testing::Test {
 protected:
  PlanesTest() : f_(np::ones({4, kPlane, kPlane})), g_(np::zeros({4, kPlane, kPlane})) { recorder_.begin_window(); }

  // Tasks over more than half of a plane's cells.
  static std::vector<const Task*> large(const std::vector<Task>& tasks) {
    std::vector<const Task*> found;
    for (const Task& task : tasks) {
      if (2 * task.domain.cells() > kPlane * kPlane) found.push_back(&task);
    }
    return found;
  }
  // Planes that are written to memory.
  static std::int64_t written(const std::vector<Task>& tasks) {
    std::int64_t cells = 0;
    for (const Task& task : tasks) {
      const auto kept = std::ranges::count_if(task.writes, &TaskWrite::kept);
      cells += static_cast<std::int64_t>(kept) * task.domain.cells();
    }
    return cells / (kPlane * kPlane);
  }

  WindowRecorder recorder_;
  np::Array f_, g_;
};

TEST_F(PlanesTest, AnUpdateOfAllThatReadsWhatIsMadeOfSomeIsOneTask) {
  const np::Array pressure = f_(0) * 0.4 + f_(1);
  f_ -= 0.1 * (f_ - pressure);
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(large(tasks).size(), 1u);
  EXPECT_EQ(tasks[0].domain, Rect::of({0, 0}, {kPlane, kPlane}));
}

TEST_F(PlanesTest, WhatIsStackedAndUpdatedIsWrittenOnce) {
  g_ = np::stack({f_(1), f_(0), f_(3), f_(2)});
  g_ += 0.5 * (f_ - g_);
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_EQ(large(tasks).size(), 1u);
  EXPECT_EQ(written(tasks), 4);
}

// A rank alone knows whether its names have ended: what is done to planes is the same for both, and where nobody wants
// the whole it is not written.
TEST_F(PlanesTest, OnRanksTheWholeIsWrittenWhereItsNameLives) {
  const auto tasks_of = [&](bool lives, bool updated) {
    recorder_.begin_window();
    np::Array kept;
    {
      np::Array flux = f_ * (f_(1) / f_(0));
      if (updated) flux(1) += f_(2);  // then its planes are written, else copied back
      g_ = f_ - 0.1 * flux;
      if (lives) kept = flux;
    }
    return recorder_.fuse_window(2);
  };
  for (const bool updated : {false, true}) {
    const std::vector<Task> dropped = tasks_of(false, updated), held = tasks_of(true, updated);
    EXPECT_EQ(large(dropped).size(), 1u);
    EXPECT_EQ(written(dropped), 4);
    EXPECT_EQ(written(held), 8);
    ASSERT_EQ(held.size(), dropped.size());
    for (std::size_t number = 0; number < held.size(); ++number) {
      EXPECT_EQ(held[number].domain, dropped[number].domain);
      EXPECT_EQ(held[number].reads.size(), dropped[number].reads.size()) << "what messages follow from";
    }
  }
}

TEST_F(PlanesTest, RolledPlanesAreReadThroughTheirStack) {
  {
    std::vector<np::Array> moved;
    for (int i = 0; i < 4; ++i) moved.push_back(np::roll(f_(i), {i - 1, 1}, {0, 1}));
    g_ = np::stack(moved);
  }
  {
    const np::Array density = np::sum(g_, 0);
    g_ += 0.5 * (0.25 * density - g_);
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  const std::vector<const Task*> main = large(tasks);
  ASSERT_EQ(main.size(), 1u);
  EXPECT_EQ(std::ranges::count_if(main[0]->writes, &TaskWrite::kept), 4);
}

// Of all of them, one after the other: each plane's pieces are copied after the plane before was read.
TEST_F(PlanesTest, RollsOfAllFieldsAreReadThrough) {
  {
    const np::Array first = f_(0) * 2.0;
    g_ = 0.25 * (np::roll(f_, 1, 1) + np::roll(f_, -1, 1) + np::roll(f_, 1, 2) + np::roll(f_, -1, 2)) + first;
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_EQ(large(tasks).size(), 1u);
  EXPECT_EQ(written(tasks), 4);
}

// A field of them is written again: each value is computed again where it is wanted, and none is written.
TEST_F(PlanesTest, FluxesThatAreRolledAreComputedAgain) {
  {
    np::Array flux = f_ * (f_(1) * 0.5);
    flux(1) += f_(3);
    flux(2) *= 0.5;
    g_ = f_ - 0.1 * (np::roll(flux, 1, 1) - np::roll(flux, -1, 1));
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_EQ(large(tasks).size(), 1u);
  EXPECT_EQ(written(tasks), 4);
}

TEST_F(PlanesTest, AFluxThatIsHeldIsWritten) {
  np::Array flux = f_ * (f_(1) * 0.5);
  flux(1) += f_(3);
  g_ = f_ - 0.1 * (np::roll(flux, 1, 1) - np::roll(flux, -1, 1));
  EXPECT_GE(written(recorder_.fuse_window()), 8);
}

// A product of few columns, again and again: each reads single fields of the one before.
TEST_F(PlanesTest, WhatReadsSingleFieldsGoesByPlanesToo) {
  {
    const np::Array turned = f_(0) * g_ + f_(1);
    g_ = turned(0) * f_ + turned(1);
  }
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_EQ(large(tasks).size(), 1u);
  EXPECT_EQ(written(tasks), 4);
}

// Nothing is gained where all of it is wanted in one task anyway.
TEST_F(PlanesTest, WhatIsOnlyUsedWholeStaysWhole) {
  f_ += 0.5 * g_;
  f_ *= 0.9;
  const std::vector<Task> tasks = recorder_.fuse_window();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].domain.rank, 3);
}

TEST_F(PlanesTest, WhatIsReadAcrossItsPlanesStaysWhole) {
  const np::Array first = f_(0) + 1.0;
  g_[all] = f_(slice({}, {}, -1)) + first;
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_EQ(tasks.back().domain.rank, 3);
}

// Each plane of the sum is made from plane 2 as it was.
TEST_F(PlanesTest, AnUpdateThatReadsAPlaneOfItsOwnForAllStaysWhole) {
  f_ += f_(2);
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_EQ(tasks.back().domain.rank, 3);
}

TEST_F(PlanesTest, SmallPlanesStayTogether) {
  np::Array small = np::ones({4, 7});
  recorder_.begin_window();
  const np::Array first = small(0) * 2.0;
  small += first;
  const std::vector<Task> tasks = recorder_.fuse_window();
  EXPECT_EQ(tasks.back().domain, Rect::of({0, 0}, {4, 7}));
}

}  // namespace
}  // namespace pilum::scheduler
