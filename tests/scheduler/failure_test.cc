#include "scheduler/execute/failure.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/scheduler/failure_text.h"

namespace pilum::scheduler {
namespace {

std::exception_ptr error_of(const char* text) {
  return std::make_exception_ptr(std::invalid_argument(text));
}

TEST(Failure, IsTheFirst) {
  Failure failure;
  EXPECT_EQ(text_of(failure), "");
  EXPECT_FALSE(failure.failed());
  failure.fail(error_of("one"));
  failure.fail(error_of("two"));
  EXPECT_TRUE(failure.failed());
  EXPECT_THROW(failure.check(), std::invalid_argument);  // as it was thrown
}

TEST(Failure, IsFinalAndSaysThatItWasBefore) {
  Failure failure;
  failure.fail(error_of("one"));
  EXPECT_FALSE(failure.told());
  EXPECT_EQ(text_of(failure), "one");
  EXPECT_TRUE(failure.told());
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(text_of(failure), "[Runtime] this runtime failed earlier and cannot go on: one");
}

TEST(Failure, ThatWasThrownElsewhereIsOneOfBefore) {
  Failure failure;
  failure.fail(error_of("one"), /*told=*/true);
  EXPECT_EQ(text_of(failure), "[Runtime] this runtime failed earlier and cannot go on: one");
}

TEST(Failure, OfAnInstructionHasItsNameAndLine) {
  Failure failure;
  Instruction instruction;
  instruction.name = "zeros";
  instruction.where = std::source_location::current();
  const auto line = std::to_string(instruction.where.line());
  failure.fail(instruction, "it broke.");
  const std::string text = text_of(failure);
  EXPECT_EQ(text.rfind("[zeros] it broke. Recorded at ", 0), 0u) << text;
  EXPECT_TRUE(text.ends_with("failure_test.cc:" + line)) << text;
}

TEST(Failure, OfAUsersMistakeIsOfTheMistakesKind) {
  const Instruction instruction{.name = "take"};
  const auto thrown = [&](const std::exception& error) {
    auto failure = std::make_unique<Failure>();
    failure->fail(instruction, error);
    return failure;
  };
  EXPECT_THROW(thrown(IndexError("index 9 is outside"))->check(), IndexError);
  EXPECT_THROW(thrown(ValueError("lam is -1"))->check(), ValueError);
  EXPECT_THROW(thrown(ShapeError("of another shape"))->check(), ShapeError);
  EXPECT_THROW(thrown(DTypeError("of another dtype"))->check(), DTypeError);
  EXPECT_THROW(thrown(std::invalid_argument("it broke"))->check(), RuntimeError);
  EXPECT_EQ(text_of(*thrown(IndexError("index 9 is outside"))).rfind("[take] index 9 is outside", 0), 0u);
}

TEST(Failure, ASuspicionIsNoneUntilItIsSaidToBe) {
  Failure failure;
  failure.suspect(comm::SizeMismatch("8 bytes for 4", 1, {0, 3}), nullptr);
  failure.suspect(comm::SizeMismatch("another", 2, {0, 4}), nullptr);
  EXPECT_TRUE(failure.is_suspicious());
  EXPECT_FALSE(failure.failed());
  failure.check();
  failure.fail_suspicion();
  EXPECT_TRUE(failure.failed());
  EXPECT_EQ(text_of(failure), "8 bytes for 4");
}

TEST(Failure, IsToldOnceToWhomItConcernsAndMayBeAskedForThere) {
  Failure failure;
  int told = 0;
  failure.set_on_failure([&] {
    ++told;
    EXPECT_TRUE(failure.failed());
    EXPECT_FALSE(failure.told());
  });
  failure.suspect(comm::SizeMismatch("8 bytes for 4", 1, {0, 3}), nullptr);
  EXPECT_EQ(told, 0);
  failure.fail_suspicion();
  EXPECT_EQ(told, 1);
  failure.fail(error_of("another"));
  EXPECT_EQ(text_of(failure), "8 bytes for 4");
  EXPECT_EQ(told, 1);
}

TEST(Failure, OfManyThreadsIsToldOnce) {
  for (int round = 0; round < 50; ++round) {
    Failure failure;
    std::atomic<int> told{0};
    failure.set_on_failure([&told] { ++told; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&failure] { failure.fail(error_of("it broke")); });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(told, 1);
  }
}

TEST(Failure, WhatIsKnownMeanwhileComesBeforeASuspicion) {
  Failure failure;
  failure.suspect(comm::SizeMismatch("8 bytes for 4", 1, {0, 3}), nullptr);
  failure.fail(error_of("the ranks' calls differ"));
  failure.fail_suspicion();
  EXPECT_EQ(text_of(failure), "the ranks' calls differ");
}

}  // namespace
}  // namespace pilum::scheduler
