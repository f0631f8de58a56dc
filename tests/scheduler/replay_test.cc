// Replayed plans, by several threads at once.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <thread>

#include "pilum/pilum.h"
#include "scheduler/memo/plan_template.h"
#include "scheduler/plan/plan_builder.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

constexpr int kSteps = 3000;

// Each point counts its steps, and checks that its neighbours have done just as many before.
auto make_counting_task() {
  return task("count", [](Piece piece, Read<std::int64_t, 1> in, Write<std::int64_t, 1> out, std::int64_t step) {
    for (std::int64_t p = piece.lo(0); p < piece.hi(0); ++p) {
      for (std::int64_t k = std::max(p - 1, in.lo(0)); k < std::min(p + 2, in.hi(0)); ++k) {
        if (in(k) != step) throw std::runtime_error("a neighbour is at another step");
      }
      out(p) = step + 1;
    }
  });
}

std::vector<std::int64_t> count_steps(std::int64_t width) {
  auto now = np::zeros({width}, int64), next = np::zeros({width}, int64);
  const auto count = make_counting_task();
  for (std::int64_t step = 0; step < kSteps; ++step) {
    count({width}, read(now, halo(1, 1)), write(next), step);
    std::swap(now, next);
  }
  return now.to_vector<std::int64_t>();
}

TEST(Replay, ThreadsThatShareStepsSeeTheStepsBefore) {
  for (const int workers : {0, 1, 3}) {
    for (const std::int64_t width : {1, 2, 7}) {
      SCOPED_TRACE(testing::Message() << workers << " workers, " << width << " points");
      fakes::run_on_simulated_ranks({.workers = workers}, [&](Session&) {
        EXPECT_EQ(count_steps(width), std::vector<std::int64_t>(static_cast<std::size_t>(width), kSteps));
      });
    }
  }
}

TEST(Replay, RanksThatShareStepsSeeTheStepsBefore) {
  for (const int workers : {0, 2}) {
    fakes::run_on_simulated_ranks({.ranks = 3, .workers = workers}, [&](Session& session) {
      EXPECT_EQ(count_steps(8), std::vector<std::int64_t>(8, kSteps));
      EXPECT_GT(session.plan_cache().hits, 10);
    });
  }
}

// Two chains that know nothing of each other, and one task that takes long: what is ready behind it is done meanwhile.
TEST(Replay, WhatIsReadyIsNotKeptByWhatIsNot) {
  fakes::run_on_simulated_ranks({.workers = 2}, [&](Session& session) {
    auto slow = np::zeros({1}, int64), fast = np::zeros({1}, int64);
    std::atomic<int> running{0}, together{0};
    const auto wait_a_little = task("slow", [&](Piece, ReadWrite<std::int64_t, 1> x) {
      ++running;
      for (int i = 0; i < 200 && together == 0; ++i) std::this_thread::sleep_for(std::chrono::microseconds(50));
      --running;
      ++x(0);
    });
    const auto look = task("fast", [&](Piece, ReadWrite<std::int64_t, 1> x) {
      if (running > 0) ++together;
      ++x(0);
    });
    for (int step = 0; step < 300; ++step) {
      wait_a_little({1}, read_write(slow));
      look({1}, read_write(fast));
    }
    EXPECT_EQ(slow.to_vector<std::int64_t>().front(), 300);
    EXPECT_EQ(fast.to_vector<std::int64_t>().front(), 300);
    EXPECT_GT(together, 0);
    EXPECT_GT(session.plan_cache().hits, 2);
  });
}

TEST(Replay, ABodyThatThrowsInAReplayedPlanEndsTheRunWithItsName) {
  try {
    fakes::run_on_simulated_ranks({.workers = 1}, [&](Session& session) {
      auto x = np::zeros({4}, int64);
      const auto fragile = task("fragile", [](Piece piece, ReadWrite<std::int64_t, 1> cells, std::int64_t step) {
        if (step == 2000) throw std::runtime_error("it broke");
        for (std::int64_t p = piece.lo(0); p < piece.hi(0); ++p) ++cells(p);
      });
      for (std::int64_t step = 0; step < kSteps; ++step) fragile({4}, read_write(x), step);
      session.wait();
      ADD_FAILURE() << "nothing was thrown";
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("[fragile] it broke"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("replay_test.cc"), std::string::npos) << error.what();
  }
}

// A body of a loop may have been planned behind others of its window; played again, it is a window of its own.
TEST(Replay, NumbersItsMessagesFromZero) {
  std::array<std::byte, 64> memory{};
  Block block;
  block.data = memory.data();
  block.bytes = memory.size();
  PlanTrace trace;
  trace.begin({}, {&block});
  Plan plan;
  for (const std::uint32_t number : {7u, 8u}) {
    plan.instructions.push_back({Send{2, {3, number}, memory.data(), 8, StoreId{0}}, {}, 0, "send", {}});
    const Touch touch{&block, byte_range(0, 8), false};
    trace.emitted(plan, std::span(&touch, 1), 0);
    plan.instructions.push_back({Receive{1, {3, number - 3}, memory.data() + 8, 8, StoreId{0}}, {}, 0, "receive", {}});
    const Touch taken{&block, byte_range(8, 16), true};
    trace.emitted(plan, std::span(&taken, 1), 0);
  }
  trace.end();
  const PlanTemplate replay(trace);
  ASSERT_EQ(replay.items().size(), 4u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(std::get<Send>(replay.items()[2 * i].instruction.what).tag.message, i);
    EXPECT_EQ(std::get<Receive>(replay.items()[2 * i + 1].instruction.what).tag.message, i);
  }
}

}  // namespace
}  // namespace pilum::scheduler
