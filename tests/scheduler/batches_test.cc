// What is done as one: the tiny ones that stand beside each other, and nothing goes earlier than it may, or no message
// later than it could.
#include "scheduler/memo/batches.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "tests/scheduler/random_seeds.h"

namespace pilum::scheduler {
namespace {

using Predecessors = std::vector<std::vector<int>>;

Instruction copy_of(std::int64_t rows, std::size_t bytes) {
  Copy copy;
  copy.extent[0] = rows;
  copy.itemsize = bytes;
  return {copy, {}, 0, "", {}};
}
Instruction tiny() {
  return copy_of(1, 64);
}
Instruction long_one() {
  return copy_of(1, 512 * 1024);
}
Instruction message(bool sent) {
  if (sent) return {Send{1, {0, 0}, nullptr, 8, StoreId{0}}, {}, 0, "", {}};
  return {Receive{1, {0, 0}, nullptr, 8, StoreId{0}}, {}, 0, "", {}};
}

std::vector<Batch> batches_of(const std::vector<Instruction>& items, const Predecessors& predecessors) {
  std::vector<const Instruction*> pointers;
  for (const Instruction& item : items) pointers.push_back(&item);
  return make_batches(pointers, predecessors);
}

std::vector<int> counts(const std::vector<Batch>& batches) {
  std::vector<int> found;
  for (const Batch& batch : batches) found.push_back(batch.count);
  return found;
}

// What each comes after, by whatever way.
std::vector<std::set<int>> closure(const Predecessors& predecessors) {
  std::vector<std::set<int>> all(predecessors.size());
  for (std::size_t i = 0; i < predecessors.size(); ++i) {
    for (const int before : predecessors[i]) {
      all[i].insert(before);
      all[i].insert(all[static_cast<std::size_t>(before)].begin(), all[static_cast<std::size_t>(before)].end());
    }
  }
  return all;
}

TEST(Batches, TinyItemsBesideEachOtherAreOne) {
  EXPECT_EQ(counts(batches_of({tiny(), tiny(), tiny()}, {{}, {}, {0}})), std::vector<int>{3});
  EXPECT_EQ(counts(batches_of({tiny(), long_one(), tiny(), tiny()}, {{}, {}, {1}, {0}})), (std::vector<int>{1, 1, 2}));
}

TEST(Batches, ARunOfThemEndsAfterSomeMicroseconds) {
  const std::vector<Batch> batches = batches_of(std::vector<Instruction>(1000, tiny()), Predecessors(1000));
  EXPECT_GT(batches.size(), 10u);
  EXPECT_LT(batches.size(), 100u);
}

TEST(Batches, WhatIsInChunksIsOneOfItsOwn) {
  const std::vector<Batch> batches = batches_of({tiny(), copy_of(4, 1 << 20), tiny()}, {{}, {0}, {1}});
  ASSERT_EQ(counts(batches), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(batches[1].chunks, 4);
  EXPECT_EQ(batches[1].before, 1);
  EXPECT_EQ(batches[2].before, 4);
  EXPECT_EQ(batches[1].dependents, std::vector<int>{2});
}

// The rim is sent while the interior, which a second tiny item waits for, is computed.
TEST(Batches, WhatAMessageWaitsForDoesNotWaitForMore) {
  const std::vector<Instruction> items = {long_one(), tiny(), tiny(), message(true)};
  EXPECT_EQ(counts(batches_of(items, {{}, {0}, {}, {2}})), (std::vector<int>{1, 1, 1, 1}));
  EXPECT_EQ(counts(batches_of(items, {{}, {}, {}, {2}})), (std::vector<int>{1, 2, 1}));
}

// Reading after a message that arrives does not keep back what does not come after it.
TEST(Batches, WhatComesAfterAMessageIsNotWithWhatDoesNot) {
  const std::vector<Instruction> items = {message(false), tiny(), tiny(), tiny()};
  EXPECT_EQ(counts(batches_of(items, {{}, {0}, {}, {2}})), (std::vector<int>{1, 1, 2}));
}

TEST(Batches, OfRandomPlansComeAfterEachOtherAsTheirItemsDo) {
  for (const std::uint64_t seed : random_seeds(300)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    const bool has_messages = seed % 2 == 0;
    std::vector<Instruction> items;
    Predecessors predecessors;
    for (int i = 0; i < 60; ++i) {
      const int kind = pick(10);
      const bool is_message = has_messages && kind == 0;
      items.push_back(is_message  ? message(pick(2) == 0)
                      : kind == 1 ? long_one()
                      : kind == 2 ? copy_of(3, 1 << 20)
                                  : copy_of(1, static_cast<std::size_t>(1 + pick(8000))));
      std::vector<int>& before = predecessors.emplace_back();
      for (int k = std::max(0, i - 8); k < i; ++k)
        if (pick(5) == 0) before.push_back(k);
    }
    const auto is_a = [&]<class Kind>(int item, Kind*) {
      return std::holds_alternative<Kind>(items[static_cast<std::size_t>(item)].what);
    };
    const auto sent = [&](int item) { return is_a(item, static_cast<Send*>(nullptr)); };
    const auto received = [&](int item) { return is_a(item, static_cast<Receive*>(nullptr)); };
    const std::vector<std::set<int>> after = closure(predecessors);
    const std::vector<Batch> batches = batches_of(items, predecessors);

    // Each item once, in order.
    std::vector<int> batch_of;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      ASSERT_EQ(batches[b].first, static_cast<int>(batch_of.size()));
      ASSERT_GE(batches[b].count, 1);
      batch_of.resize(batch_of.size() + static_cast<std::size_t>(batches[b].count), static_cast<int>(b));
      if (batches[b].count == 1) continue;
      for (int i = batches[b].first; i < batches[b].first + batches[b].count; ++i) {
        EXPECT_FALSE(sent(i) || received(i)) << i;
        EXPECT_LT(std::get<Copy>(items[static_cast<std::size_t>(i)].what).bytes(), 100'000) << i;
      }
    }
    ASSERT_EQ(batch_of.size(), items.size());

    // They come after each other where an item of one does after an item of the other, and by no other reason.
    Predecessors of_batches(batches.size());
    std::vector<std::int64_t> chunks_before(batches.size(), 0);
    for (std::size_t b = 0; b < batches.size(); ++b) {
      for (const int dependent : batches[b].dependents) {
        ASSERT_GT(dependent, static_cast<int>(b));
        of_batches[static_cast<std::size_t>(dependent)].push_back(static_cast<int>(b));
        chunks_before[static_cast<std::size_t>(dependent)] += batches[b].chunks;
      }
    }
    Predecessors wanted(batches.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (const int before : predecessors[i]) {
        if (batch_of[i] != batch_of[static_cast<std::size_t>(before)])
          wanted[static_cast<std::size_t>(batch_of[i])].push_back(batch_of[static_cast<std::size_t>(before)]);
      }
    }
    ASSERT_EQ(closure(of_batches), closure(wanted));
    for (std::size_t b = 0; b < batches.size(); ++b) EXPECT_EQ(batches[b].before, chunks_before[b]) << b;
    if (!has_messages) continue;

    // No item waits for a message that it need not wait for, and none that a message waits for is kept by another.
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Batch& batch = batches[static_cast<std::size_t>(batch_of[i])];
      for (int other = batch.first; other < batch.first + batch.count; ++other) {
        for (const int before : after[static_cast<std::size_t>(other)]) {
          EXPECT_TRUE(before >= batch.first || after[i].contains(before))
              << i << " waits for " << before << " on behalf of " << other;
        }
      }
      for (const int before : predecessors[i]) {
        const Batch& kept = batches[static_cast<std::size_t>(batch_of[static_cast<std::size_t>(before)])];
        if (sent(static_cast<int>(i)) || received(static_cast<int>(i))) {
          EXPECT_EQ(before, kept.first + kept.count - 1) << i << " waits for what is behind " << before;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pilum::scheduler
