// Schemes of several stages: which arrays their tasks move.
#include "scheduler/analyze/stages.h"

#include <gtest/gtest.h>

#include <set>

#include "pilum/pilum.h"
#include "scheduler/record/task_launch.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::Array;

constexpr std::int64_t kSide = 256;

Array neighbours(const Array& u, std::int64_t far = 1) {
  return np::roll(u, far, 0) + np::roll(u, -far, 0) + np::roll(u, far, 1) + np::roll(u, -far, 1) - 4.0 * u;
}

class Stages : public testing::Test {
 protected:
  Stages() : u_(np::ones({kSide, kSide})), v_(np::ones({kSide, kSide})) { recorder_.begin_window(); }

  // Arrays that tasks over nearly all points read and write.
  int moved() {
    int arrays = 0;
    for (const Task& task : recorder_.fuse_window()) {
      if (2 * task.domain.cells() < kSide * kSide) continue;
      std::set<const Store*> read;
      for (const Argument& argument : task.reads) read.insert(argument.store().get());
      arrays += static_cast<int>(read.size());
      for (const TaskWrite& write : task.writes) arrays += write.kept;
    }
    return arrays;
  }

  WindowRecorder recorder_;
  Array u_, v_;
};

// Reads u, writes k1; u, k1, k2; u, k2, k3; u, k1, k2, k3, u.
TEST_F(Stages, OfRungeAndKuttasFourthOrderReadTheSlopes) {
  {
    const Array k1 = neighbours(u_), k2 = neighbours(u_ + 0.05 * k1);
    const Array k3 = neighbours(u_ + 0.05 * k2), k4 = neighbours(u_ + 0.1 * k3);
    u_ = u_ + 0.1 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  EXPECT_EQ(moved(), 2 + 3 + 3 + 5);
}

// What is made of a stage's values at their own points waits for the next one, where others are computed again.
TEST_F(Stages, ValuesOfTwoSpeciesWaitForTheStageThatReadsThem) {
  {
    const auto f = [](const Array& a, const Array& b) { return 0.1 * neighbours(a) - a * b * b; };
    const auto g = [](const Array& a, const Array& b) { return 0.2 * neighbours(b) + a * b * b; };
    const Array a1 = f(u_, v_), b1 = g(u_, v_);
    const Array a2 = f(u_ + 0.5 * a1, v_ + 0.5 * b1), b2 = g(u_ + 0.5 * a1, v_ + 0.5 * b1);
    u_ = u_ + a2;
    v_ = v_ + b2;
  }
  EXPECT_EQ(moved(), 4 + 6);
}

// A flux of the predictor's values, read where they are and beside: all of it is computed again, the predictor too.
TEST_F(Stages, OfMacCormackAreOnePass) {
  {
    const Array flux = u_ * u_ * v_;
    const Array predicted = u_ - 0.1 * (np::roll(flux, -1, 1) - flux);
    const Array again = predicted * predicted * v_;
    u_ = 0.5 * (u_ + predicted - 0.1 * (again - np::roll(again, 1, 1)));
  }
  EXPECT_EQ(moved(), 3);
}

// The second equation's flux is recorded behind the first one's second stage, but made with what it is made of.
TEST_F(Stages, WhatTheNextOneReadsIsMadeInItsOwn) {
  {
    const auto half = [](const Array& a) { return 0.5 * (a + np::roll(a, -1, 1)); };
    const Array a = half(u_), b = half(v_);
    const Array next = u_ - 0.1 * (a - np::roll(a, 1, 1));
    const Array flux = np::tanh(a * b) / np::cosh(1.0 + b * b);  // of too much to compute it twice
    v_ = v_ - 0.1 * (flux - np::roll(flux, 1, 1));
    u_ = next;
  }
  EXPECT_EQ(moved(), 4 + 3);
}

// What is made of rolls and rolled again is computed again where it is read, each part as its own pieces say.
TEST_F(Stages, OfValuesThatAreComputedAgainAreOnePass) {
  {
    const auto half = [](const Array& a) { return 0.5 * (a + np::roll(a, -1, 1)); };
    const Array a = half(u_), b = half(v_);
    const Array next = u_ - 0.1 * (a - np::roll(a, 1, 1));
    const Array flux = a * b / (1.0 + b * b);
    v_ = v_ - 0.1 * (flux - np::roll(flux, 1, 1));
    u_ = next;
  }
  EXPECT_EQ(moved(), 4);
}
TEST_F(Stages, OfALimiterAreOnePass) {
  {
    Array sum = np::zeros({kSide, kSide});
    for (int axis = 0; axis < 2; ++axis) {
      const Array left = u_ - np::roll(u_, 1, axis), right = np::roll(u_, -1, axis) - u_;
      const Array slope = np::where(left * right > 0.0, np::minimum(left, right), 0.0), face = u_ + 0.4 * slope;
      sum += face - np::roll(face, 1, axis);
    }
    u_ = u_ - 0.2 * sum;
  }
  EXPECT_EQ(moved(), 2);
}

// Two directions of one stage read u once; each face, of too much to compute it twice, is written and read.
TEST_F(Stages, OfFacesInTwoDirectionsReadTheirSourceOnce) {
  {
    Array sum = np::zeros({kSide, kSide});
    for (int axis = 0; axis < 2; ++axis) {
      const Array beside = np::roll(u_, 1, axis);
      const Array face = np::tanh(u_ * beside) / np::cosh(1.0 + beside * beside) + np::exp(u_ - np::roll(u_, -2, axis));
      sum += face - np::roll(face, 1, axis);
    }
    u_ = u_ - 0.2 * sum;
  }
  EXPECT_EQ(moved(), 3 + 4);
}

// `f = np::roll(f, 1); f += …`: never made, read from where it was and written where it comes to.
TEST_F(Stages, OfWhatIsRolledAndOverwrittenAreOnePass) {
  {
    u_ = np::roll(np::roll(u_, 1, 0), -1, 1);
    v_ = np::roll(v_, 2, 1);
    const Array sum = u_ + v_;
    u_ += 0.1 * (0.5 * sum - u_);
    v_ += 0.1 * (0.5 * sum - v_);
  }
  EXPECT_EQ(moved(), 4);
}

// Neighbours two away along three axes: strips for six rims, which are the inside's kernel.
TEST_F(Stages, OfNeighboursTwoCellsAwayHaveSixRims) {
  Array cube = np::ones({32, 32, 32});
  recorder_.begin_window();
  {
    Array change = -7.5 * cube;
    for (int axis = 0; axis < 3; ++axis)
      change += np::roll(cube, 1, axis) + np::roll(cube, -2, axis) + np::roll(cube, 2, axis);
    cube = cube + 0.05 * change;
  }
  std::int64_t cells = 0;
  int of_neighbours = 0;
  for (const Task& task : recorder_.fuse_window()) {
    if (task.reads.size() != 1 || std::get<Offsets>(task.reads[0].footprint.cells).at.size() == 1) continue;
    ++of_neighbours;
    cells += task.domain.cells();
  }
  EXPECT_EQ(of_neighbours, 7);
  EXPECT_EQ(cells, 32 * 32 * 32);
}

TEST_F(Stages, OfNeighboursOneTwoAndThreeCellsAwayAreOnePass) {
  {
    u_ = u_ + 0.1 * neighbours(u_, 1) - 0.01 * neighbours(u_, 2) + 0.001 * neighbours(u_, 3);
  }
  EXPECT_EQ(moved(), 2);
}

TEST_F(Stages, BeginWhereAValueIsReadBesideItsPoint) {
  {
    const Array one = u_ * 2.0;
    const Array other = one + v_;
    v_ = other + np::roll(one, 1, 0);
  }
  std::vector<Operation> operations = recorder_.operations;
  std::vector<WindowStore> stores = collect_stores(operations, {}, machine::Machine());
  const scheduler::Stages stages = find_stages(operations, stores);
  EXPECT_EQ(stages.earliest.front(), 0);
  EXPECT_EQ(stages.latest.front(), 0) << "it is read beside";
  EXPECT_EQ(stages.earliest[1], 0);
  EXPECT_EQ(stages.latest[1], stages.latest.back()) << "nobody reads the sum before";
  EXPECT_GT(stages.latest.back(), 0);
  for (WindowStore& store : stores) store.store->window_index = -1;
}

}  // namespace
}  // namespace pilum::scheduler
