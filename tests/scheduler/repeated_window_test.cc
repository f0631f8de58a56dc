// Windows that are recorded as one before: what follows is what was learnt, and nothing else does.
#include <gtest/gtest.h>

#include <functional>
#include <source_location>
#include <utility>

#include "pilum/pilum.h"
#include "scheduler/analyze/period.h"
#include "scheduler/record/task_launch.h"
#include "scheduler/session/repeated_window.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// A body of a loop.
void round_of(np::Array& x, np::Array& y, double by, const slice& part, const np::Array& from) {
  auto half = x * by;
  y(part)[all] = half(part) + 2.0;
  x[all] = np::maximum(from, half);
  y(0) = np::sum(y);
}

class RepeatedWindowTest : public testing::Test {
 protected:
  RepeatedWindowTest() : planned(PlannedMachine{}), x(np::ones({30})), y(np::zeros({30})), z(np::ones({30})) {
    (void)record([] {});
    for (int i = 0; i < 3; ++i) (void)go_round();  // ages are what they are in a loop
    repeated.begin_learning(0);
    std::vector<Operation> window = record([&] { round_of(x, y, 0.5, slice(1, -1), y); });
    for (const Operation& operation : window) {
      repeated.learn(operation, loops);
      loops.add(operation);
      repeated.learn_hash(loops.last_hash());
    }
    count = window.size();
    EXPECT_TRUE(repeated.end_learning(window));
    for (const Operation& operation : window)
      for_each_view(operation, [](const View& view, bool) { EXPECT_EQ(view.store->window_index, -1); });
  }
  std::vector<Operation> record(const std::function<void()>& calls) {
    calls();
    return std::exchange(planned.recorder.operations, {});
  }
  std::vector<Operation> go_round() {
    std::vector<Operation> window = record([&] { round_of(x, y, 0.5, slice(1, -1), y); });
    for (const Operation& operation : window) loops.add(operation);
    return window;
  }
  // How many follow.
  std::size_t follow(const std::vector<Operation>& window) {
    for (const Operation& operation : window) {
      if (!repeated.follow(operation, loops)) break;
    }
    return repeated.size();
  }

  PlannedRank planned;
  np::Array x, y, z;
  PeriodFinder loops;
  RepeatedWindow repeated;
  std::size_t count = 0;
};

TEST_F(RepeatedWindowTest, OfTheSameCallsHasTheirKeyAndTheirNumbers) {
  const std::vector<Operation> window = record([&] { round_of(x, y, 0.75, slice(1, -1), y); });
  EXPECT_EQ(follow(window), count);
  EXPECT_TRUE(repeated.is_complete());
  WindowKey key = repeated.take_key();
  EXPECT_EQ(repeated.size(), 0u);
  const std::vector<Operation> again = repeated.operations_with(key, count);
  key.take_words();
  for (const std::vector<Operation>& operations : {window, again}) {
    const auto wanted = make_window_key(operations, {}, 0);
    EXPECT_TRUE(wanted->key == key.key);
    EXPECT_EQ(wanted->key.hash, key.key.hash);
    EXPECT_TRUE(wanted->stores == key.stores);
    EXPECT_EQ(wanted->placed, key.placed);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Elementwise* recorded = window[i].elementwise();
    if (!recorded) continue;
    for (std::size_t k = 0; k < recorded->inputs.size(); ++k) {
      EXPECT_EQ(again[i].elementwise()->inputs[k].is_view(), recorded->inputs[k].is_view());
      EXPECT_EQ(again[i].elementwise()->inputs[k].scalar, recorded->inputs[k].scalar);
      EXPECT_EQ(repeated.operations()[i].elementwise()->inputs[k].scalar, recorded->inputs[k].scalar);
    }
  }
}

TEST_F(RepeatedWindowTest, ThatEndsEarlierGivesItsOperationsBack) {
  const std::vector<Operation> window = record([&] { round_of(x, y, 0.75, slice(1, -1), y); });
  const std::vector<Operation> some(window.begin(), window.begin() + 3);
  EXPECT_EQ(follow(some), 3u);
  const std::vector<Operation> back = repeated.take_operations();
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(repeated.size(), 0u);
  EXPECT_TRUE(make_window_key(back, {}, 0)->key == make_window_key(some, {}, 0)->key);
}

TEST_F(RepeatedWindowTest, IsToTheFinderOfLoopsAsIfItWereLookedAt) {
  PeriodFinder other = loops;
  const std::vector<Operation> window = record([&] { round_of(x, y, 0.75, slice(1, -1), y); });
  std::vector<std::uint64_t> touched;
  std::vector<std::uint64_t> hashes;
  std::vector<std::pair<Store*, std::uint64_t>> before;
  for (const Operation& operation : window)
    for_each_view(operation,
                  [&](const View& view, bool) { before.emplace_back(view.store.get(), view.store->touched); });
  for (const Operation& operation : window) {
    other.add(operation);
    hashes.push_back(other.last_hash());
  }
  for (const auto& [store, was] : before) touched.push_back(store->touched);
  for (const auto& [store, was] : before) store->touched = was;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(repeated.follow(window[i], loops));
    EXPECT_EQ(loops.last_hash(), hashes[i]) << i;
  }
  EXPECT_EQ(loops.count(), other.count());
  EXPECT_EQ(loops.period(), other.period());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].first->touched, touched[i]);
}

TEST_F(RepeatedWindowTest, IsLeftAtTheFirstCallThatDiffers) {
  const auto follows = [&](const slice& part, const np::Array& from) {
    (void)go_round();
    const std::size_t followed = follow(record([&] { round_of(x, y, 0.5, part, from); }));
    for (const Operation& operation : repeated.take_operations())
      for_each_view(operation, [](const View& view, bool) { EXPECT_EQ(view.store->window_index, -1); });
    return followed;
  };
  EXPECT_EQ(follows(slice(0, -2), y), 1u) << "other cells";
  const std::size_t followed = follows(slice(1, -1), z);
  EXPECT_GT(followed, 1u);
  EXPECT_LT(followed, count) << "another array, where that array was";
  (void)go_round();
  EXPECT_EQ(follow(record([&] { y[all] = x + 1.0; })), 0u) << "another call";
}

TEST_F(RepeatedWindowTest, TellsNumbersFromArraysWithoutAxes) {
  const np::Array one = np::sum(z);
  (void)record([] {});
  const auto where = std::source_location::current();  // of all calls
  const auto scale = [&](const np::Operand& by) { return record([&] { x[all] = by * one; }); };
  const np::Operand number(2.0, where), array(one, where);
  for (const bool learns_number : {true, false}) {
    const np::Operand &learnt = learns_number ? number : array, &other = learns_number ? array : number;
    for (int i = 0; i < 3; ++i) {
      for (const Operation& operation : scale(learnt)) loops.add(operation);
    }
    repeated.begin_learning(0);
    const std::vector<Operation> window = scale(learnt);
    for (const Operation& operation : window) {
      repeated.learn(operation, loops);
      loops.add(operation);
      repeated.learn_hash(loops.last_hash());
    }
    ASSERT_TRUE(repeated.end_learning(window));
    EXPECT_EQ(follow(scale(other)), 0u);
    EXPECT_EQ(follow(scale(learnt)), window.size());
    (void)repeated.take_operations();
  }
}

TEST_F(RepeatedWindowTest, DoesNotFollowWithStoresOfAnotherAge) {
  const std::vector<Operation> window = record([&] { round_of(x, y, 0.5, slice(1, -1), y); });
  for (const Operation& operation : record([&] { z[all] = z + 1.0; })) loops.add(operation);
  EXPECT_EQ(follow(window), 0u) << "x was touched earlier than it is in the loop";
}

TEST_F(RepeatedWindowTest, OfAnotherLengthThanWasLearntIsNotKnown) {
  RepeatedWindow other;
  other.begin_learning(0);
  const std::vector<Operation> window = record([&] { round_of(x, y, 0.5, slice(1, -1), y); });
  other.learn(window[0], loops);
  other.learn_hash(1);
  EXPECT_FALSE(other.end_learning(window));
  EXPECT_FALSE(other.is_known());
  for_each_view(window[0], [](const View& view, bool) { EXPECT_EQ(view.store->window_index, -1); });
}

}  // namespace
}  // namespace pilum::scheduler
