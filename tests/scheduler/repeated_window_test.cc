// Windows that are recorded as one before: what follows is what was learnt, and nothing else does.
#include <gtest/gtest.h>

#include <functional>
#include <source_location>
#include <utility>

#include "pilum/pilum.h"
#include "scheduler/analyze/period.h"
#include "scheduler/record/task_launch.h"
#include "scheduler/session/repeated_round.h"
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
    repeated.begin_learning();
    std::vector<Operation> window = record([&] { round_of(x, y, 0.5, slice(1, -1), y); });
    for (const Operation& operation : window) {
      EXPECT_TRUE(repeated.learn(operation, loops));
      loops.add(operation);
      repeated.learn_hash(loops.last_hash());
    }
    count = window.size();
    EXPECT_TRUE(repeated.end_learning(window, {}, 1));
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
  std::vector<Operation> again, waiting;
  repeated.put_together(key, again, waiting);
  EXPECT_TRUE(waiting.empty());
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
    repeated.begin_learning();
    const std::vector<Operation> window = scale(learnt);
    for (const Operation& operation : window) {
      EXPECT_TRUE(repeated.learn(operation, loops));
      loops.add(operation);
      repeated.learn_hash(loops.last_hash());
    }
    ASSERT_TRUE(repeated.end_learning(window, {}, 2));
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

TEST_F(RepeatedWindowTest, DoesNotFollowWithStoresOfAnotherDtype) {
  (void)go_round();
  std::vector<Operation> window = record([&] { round_of(x, y, 0.5, slice(1, -1), y); });
  std::get<Elementwise>(window[0].what).output.store->dtype = DType::Float32;
  EXPECT_EQ(follow(window), 0u) << "what waits when a value is read follows from how large it is";
}

TEST_F(RepeatedWindowTest, OfAnotherLengthThanWasLearntIsNotKnown) {
  RepeatedWindow other;
  other.begin_learning();
  const std::vector<Operation> window = record([&] { round_of(x, y, 0.5, slice(1, -1), y); });
  EXPECT_TRUE(other.learn(window[0], loops));
  other.learn_hash(1);
  EXPECT_FALSE(other.end_learning(window, {}, 1));
  for_each_view(window[0], [](const View& view, bool) { EXPECT_EQ(view.store->window_index, -1); });
}

// Two windows a round, each ends where a value is read: of the first three operations in its middle wait.
class RepeatedRoundTest : public testing::Test {
 protected:
  RepeatedRoundTest() : planned(PlannedMachine{}), x(np::ones({30})), y(np::zeros({30})), w(np::ones({30})) {
    (void)record([] {});
    for (int i = 0; i < 3; ++i) {
      for (const Operation& operation : first(0.5)) loops.add(operation);
      for (const Operation& operation : second()) loops.add(operation);
    }
  }
  std::vector<Operation> record(const std::function<void()>& calls) {
    calls();
    return std::exchange(planned.recorder.operations, {});
  }
  // 6 operations, of which 3 have nothing to do with the sum.
  std::vector<Operation> first(double by) {
    return record([&] {
      y[all] = x * by;
      w[all] = y * by + 1.0;
      read = np::sum(y);
    });
  }
  std::vector<Operation> second() {
    return record([&] {
      x[all] = w + 1.0;
      read = np::sum(x);
    });
  }
  static std::vector<bool> waits_of_first(const std::vector<Operation>& window) {
    std::vector<bool> waits(window.size(), false);
    waits[2] = waits[3] = waits[4] = true;
    return waits;
  }
  const Store& wanted() { return *planned.recorder.operations.back().output()->store; }
  // A window of these behind those that wait, which are then those that wait for the next.
  void learn(std::vector<Operation> recorded, bool is_first) {
    repeated.begin_window(waiting);
    for (Operation& operation : recorded) {
      ASSERT_TRUE(repeated.learn(operation, loops));
      loops.add(operation);
      repeated.learn_hash(loops.last_hash());
      waiting.push_back(std::move(operation));
    }
    std::vector<Operation> window = std::exchange(waiting, {});
    const std::vector<bool> waits = is_first ? waits_of_first(window) : std::vector<bool>();
    const StoreRef sum = window.back().output()->store;
    ASSERT_TRUE(repeated.end_window(window, {0, sum.get(), waits.empty() ? 3u : 0u, is_first ? 7u : 8u, waits}));
    if (is_first) waiting = {window[2], window[3], window[4]};
  }
  void learn_round() {
    repeated.begin_learning(9, false);
    learn(first(0.5), true);
    EXPECT_FALSE(repeated.is_known());
    learn(second(), false);
    EXPECT_FALSE(repeated.is_known());
    learn(first(0.5), true);
    EXPECT_TRUE(repeated.is_known());
  }
  // How many follow; the first of them begins the window.
  std::size_t follow(const std::vector<Operation>& recorded) {
    std::size_t count = 0;
    for (const Operation& operation : recorded) {
      if (!(repeated.has_begun() ? repeated.follow(operation, loops) : repeated.begin(operation, waiting, 99, loops)))
        break;
      ++count;
    }
    return count;
  }
  static void expect_same_key(WindowKey key, const std::vector<Operation>& operations,
                              const std::vector<Operation>& later) {
    const auto expected = make_window_key(operations, later, 0);
    key.take_words();
    EXPECT_TRUE(expected->key == key.key);
    EXPECT_EQ(expected->key.hash, key.key.hash);
    EXPECT_TRUE(expected->stores == key.stores);
  }
  static void expect_no_numbers(const std::vector<Operation>& operations) {
    for (const Operation& operation : operations)
      for_each_view(operation, [](const View& view, bool) { EXPECT_EQ(view.store->window_index, -1); });
  }

  PlannedRank planned;
  np::Array x, y, w, read;
  PeriodFinder loops;
  RepeatedRound repeated;
  std::vector<Operation> waiting;
};

TEST_F(RepeatedRoundTest, IsKnownWhenAWindowComesAgain) {
  learn_round();
  ASSERT_EQ(waiting.size(), 3u);
  expect_no_numbers(waiting);
}

TEST_F(RepeatedRoundTest, HasEachWindowsKeyAndHandsOnWhatWaits) {
  learn_round();
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    // What has waited was recorded the first time, and is handed on from there on.
    std::vector<Operation> before = waiting, window = second();
    if (round > 0) {
      EXPECT_EQ(repeated.size(), 3u);
      EXPECT_FALSE(repeated.has_begun());
    }
    EXPECT_EQ(follow(window), window.size());
    EXPECT_TRUE(waiting.empty());
    ASSERT_TRUE(repeated.is_complete());
    const Store& sum = *window.back().output()->store;
    EXPECT_TRUE(repeated.window().was_cut_for(sum, 3));
    EXPECT_FALSE(repeated.window().was_cut_for(sum, 0));
    EXPECT_FALSE(repeated.window().was_cut_for(*window.front().output()->store, 3));
    WindowKey key = repeated.take_key();
    if (round == 0) window.insert(window.begin(), before.begin(), before.end());
    if (round == 0) expect_same_key(key, window, {});
    repeated.go_on(key);
    expect_no_numbers(window);

    std::vector<Operation> next = first(0.25 * round);
    EXPECT_EQ(repeated.size(), 0u);
    EXPECT_EQ(follow(next), next.size());
    ASSERT_TRUE(repeated.is_complete());
    EXPECT_TRUE(repeated.window().keeps_some());
    key = repeated.take_key();
    expect_no_numbers(next);
    EXPECT_EQ(repeated.window().operations().size(), next.size() - 3);
    expect_same_key(key, {next[0], next[1], next.back()}, {next[2], next[3], next[4]});
    repeated.go_on(key);
    EXPECT_EQ(repeated.window().operations()[0].elementwise()->inputs[1].scalar,
              next[2].elementwise()->inputs[1].scalar)
        << "the numbers of what waits are handed on, too";
  }
}

TEST_F(RepeatedRoundTest, GivesBackWhatItWasHanded) {
  learn_round();
  EXPECT_EQ(follow(second()), 3u);
  WindowKey before = repeated.take_key();
  repeated.go_on(before);
  const std::vector<Operation> window = first(0.75);
  EXPECT_EQ(follow(window), window.size());
  before = repeated.take_key();
  repeated.go_on(before);
  const std::vector<Operation> handed = repeated.take_operations();
  ASSERT_EQ(handed.size(), 3u);
  expect_no_numbers(handed);
  EXPECT_TRUE(make_window_key(handed, {}, 0)->key == make_window_key({window[2], window[3], window[4]}, {}, 0)->key);
  EXPECT_EQ(handed[0].elementwise()->inputs[1].scalar, window[2].elementwise()->inputs[1].scalar);
  EXPECT_EQ(repeated.size(), 0u);
}

TEST_F(RepeatedRoundTest, GivesBackAWindowThatIsPlannedAnewAndWhatWaits) {
  learn_round();
  EXPECT_EQ(follow(second()), 3u);
  WindowKey before = repeated.take_key();
  repeated.go_on(before);
  const std::vector<Operation> window = first(0.75);
  EXPECT_EQ(follow(window), window.size());
  const WindowKey key = repeated.take_key();
  std::vector<Operation> operations, later;
  repeated.put_together(key, operations, later);
  EXPECT_EQ(operations.size(), window.size() - 3);
  ASSERT_EQ(later.size(), 3u);
  EXPECT_TRUE(make_window_key(operations, later, 0)->key ==
              make_window_key({window[0], window[1], window.back()}, {window[2], window[3], window[4]}, 0)->key);
}

TEST_F(RepeatedRoundTest, IsEnteredAtAnyWindow) {
  learn_round();
  EXPECT_EQ(follow(second()), 3u);
  const std::vector<Operation> back = repeated.take_operations();
  EXPECT_EQ(back.size(), 6u);
  for (const Operation& operation : first(0.5)) loops.add(operation);  // cut otherwise: nothing waits
  for (const Operation& operation : second()) loops.add(operation);
  const std::vector<Operation> window = first(0.5);
  EXPECT_EQ(follow(window), window.size()) << "not the window that was expected next";
  (void)repeated.take_operations();
  waiting = {window[2]};
  EXPECT_EQ(follow(second()), 0u) << "less has waited";
  EXPECT_EQ(waiting.size(), 1u);
}

}  // namespace
}  // namespace pilum::scheduler
