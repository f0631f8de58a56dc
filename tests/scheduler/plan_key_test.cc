// Keys of windows: what must be told apart is, and what comes again is found.
#include <array>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "runtime/base/dtype_visit.h"
#include "scheduler/memo/plan_cache.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// Two arrays that are there, and a window of them; keys compare as values.
struct Arrays {
  np::Array x, y;
  std::vector<np::Array> more;
};
using Recorded = std::function<void(Arrays&)>;

PlanKey key_of(const PlannedMachine& machine, const Recorded& before, const Recorded& record, std::size_t body = 0,
               const Recorded& later = {}) {
  PlannedRank planned(machine);
  Arrays arrays{np::ones({60}), np::zeros({60})};
  arrays.y += arrays.x;
  (void)planned.plan();
  if (before) before(arrays);
  (void)planned.plan();
  record(arrays);
  std::vector<Operation> operations = std::exchange(planned.recorder.operations, {});
  if (later) later(arrays);
  auto window = make_window_key(operations, std::exchange(planned.recorder.operations, {}), body);
  EXPECT_TRUE(window);
  window->take_states();
  for (const StoreRef& store : window->stores) EXPECT_EQ(store->window_index, -1);
  PlanKey key = window->key;
  for (StoreSnapshot& state : key.states) {
    for (auto& local : state.local)
      for (auto& instance : local.instances) instance.book = nullptr;  // a session's own
  }
  return key;
}

// The body that others are compared with; one line for all, for the line is of the key.
void change(Arrays& a, const slice& to, const slice& from, double by) {
  a.y(to) = a.x(from) * by;
}
void plain(Arrays& a) {
  change(a, slice(0, 60), slice(0, 60), 2.0);
}

struct Difference {
  const char* name;
  Recorded record;
  Recorded before;
  PlannedMachine machine = {.ranks = 3};
  std::size_t body = 0;
  Recorded later;
};
void PrintTo(const Difference& difference, std::ostream* out) {
  *out << difference.name;
}
class Keys : public testing::TestWithParam<Difference> {};

TEST_P(Keys, TellWindowsApartThatNeedPlansOfTheirOwn) {
  const PlanKey common = key_of({.ranks = 3}, {}, plain);
  const Difference& one = GetParam();
  const PlanKey other = key_of(one.machine, one.before, one.record, one.body, one.later);
  EXPECT_FALSE(other == common);
  EXPECT_TRUE(key_of(one.machine, one.before, one.record, one.body, one.later) == other);
}

INSTANTIATE_TEST_SUITE_P(
    Windows, Keys,
    testing::Values(
        Difference{"AnotherExtent", [](Arrays& a) { change(a, slice(0, 59), slice(0, 59), 2.0); }},
        Difference{"AnotherOffset", [](Arrays& a) { change(a, slice(0, 59), slice(1, 60), 2.0); }},
        Difference{"AnotherStep", [](Arrays& a) { change(a, slice(0, 60), slice({}, {}, -1), 2.0); }},
        Difference{"OneStoreForTwo", [](Arrays& a) { a.y = a.x, plain(a); }},
        Difference{"TwiceTheSame", [](Arrays& a) { plain(a), plain(a); }},
        Difference{"AnotherLine", [](Arrays& a) { a.y(slice(0, 60)) = a.x(slice(0, 60)) * 2.0; }},
        Difference{"AnotherBody", plain, {}, {.ranks = 3}, 1}, Difference{"AnotherTiling", plain, {}, {.ranks = 2}},
        Difference{"AnotherNumberOfProcessors", plain, {}, {.ranks = 3, .processors = 2}},
        Difference{"ReplicatedInPlaceOfCut", plain, {}, {.ranks = 3, .split_bytes = 1 << 20}},
        Difference{"AHaloThatIsThere", plain,
                   [](Arrays& a) { a.y(slice(1, -1)) = a.x(slice(1, -1)) + a.x(slice(0, -2)) + a.x(slice(2, {})); }},
        Difference{"TwoInstances", plain,
                   [](Arrays& a) { a.x(slice(1, -1)) = a.x(slice(1, -1)) + a.x(slice(0, -2)) + a.x(slice(2, {})); }},
        Difference{"ANameThatIsGone",
                   [](Arrays& a) {
                     plain(a);
                     a.x = a.y;
                   }},
        Difference{"AValueWantedEverywhere",
                   [](Arrays& a) {
                     PlannedRank::store_of(a.y).replicate = true;
                     plain(a);
                   }}),
    [](const auto& one) { return std::string(one.param.name); });

// Keys of one window each, of one session; no two are alike.
TEST(Key, TellsDtypesApartOfArraysAndOfNumbers) {
  PlannedRank planned;
  std::vector<PlanKey> keys;
  const auto add = [&](const std::vector<Operation>& operations) {
    keys.push_back(make_window_key(operations, {}, 0)->key);
  };
  for (const DType dtype : kDTypes) {
    const np::Array x = np::ones({60}, dtype);
    (void)planned.plan();
    const np::Array y = x.copy();
    add(std::exchange(planned.recorder.operations, {}));
    if (dtype != DType::Float64) continue;
    const np::Array sum = np::add(x, 2.0);
    std::vector<Operation> operations = std::exchange(planned.recorder.operations, {});
    auto& elementwise = std::get<Elementwise>(operations.back().what);
    ASSERT_FALSE(elementwise.inputs[1].is_view());
    for (const DType number : kRealDTypes) {
      elementwise.inputs[1].scalar.dtype = number;
      add(operations);
    }
    // What is computed in another dtype, or folded in another way, is another window too.
    elementwise.compute = DType::Int64;
    add(operations);
    elementwise.op = kernel::Op::Subtract;
    add(operations);
    operations.back().name = "another";
    add(operations);
  }
  EXPECT_EQ(keys.size(), kDTypes.size() + kRealDTypes.size() + 3);
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(keys[i] == keys[k]) << i << " and " << k;
}

TEST(Key, DoesNotKnowNumbersOrIdsOrAddresses) {
  const PlanKey common = key_of({.ranks = 3}, {}, plain);
  EXPECT_TRUE(key_of({.ranks = 3}, {}, [](Arrays& a) { change(a, slice(0, 60), slice(0, 60), 7.5); }) == common);
  // Other arrays in their places: x and y have changed their parts.
  EXPECT_TRUE(key_of({.ranks = 3}, {}, [](Arrays& a) { std::swap(a.x, a.y), plain(a); }) == common);
  // Other stores, made between: other ids and other blocks.
  const PlanKey after = key_of({.ranks = 3}, [](Arrays& a) { a.more = {a.x + 1.0, a.x + 2.0}; }, plain);
  EXPECT_TRUE(after == common);
  EXPECT_EQ(after.hash, common.hash);
}

TEST(Key, KnowsWhichNumbersAreOne) {
  PlannedRank planned;
  const np::Array x = np::ones({60});
  (void)planned.plan();
  const auto key_with = [&](std::array<std::uint32_t, 3> names) {
    const np::Array y = x * 2.0, z = x * 2.0, w = x * 2.0;
    std::vector<Operation> operations = std::exchange(planned.recorder.operations, {});
    for (std::size_t i = 0; i < 3; ++i) std::get<Elementwise>(operations[i].what).inputs[1].name = names[i];
    return make_window_key(operations, {}, 0)->key;
  };
  EXPECT_TRUE(key_with({5, 5, 8}) == key_with({5, 5, 8}));
  const std::vector<PlanKey> keys = {key_with({0, 0, 0}), key_with({1, 2, 3}), key_with({1, 1, 2}), key_with({1, 2, 1}),
                                     key_with({2, 1, 1}), key_with({1, 1, 1}), key_with({1, 1, 0})};
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(keys[i] == keys[k]) << i << " and " << k;
}

TEST(Key, WhatIsUsedLaterDoesNotDieThoughNobodyHoldsIt) {
  const auto drop = [](Arrays& a) {
    const np::Array temporary = a.x * 2.0;
    a.y(all) = temporary(slice({}, {}, -1));
  };
  const auto later = [](Arrays& a) { a.y(all) = a.x; };
  // x and y have handles: that they are used later makes no difference.
  EXPECT_TRUE(key_of({}, {}, drop, 0, later) == key_of({}, {}, drop));
  PlannedRank planned;
  const np::Array x = np::ones({60});
  (void)planned.plan();
  std::vector<Operation> window, rest;
  {
    const np::Array temporary = x * 2.0;
    window = std::exchange(planned.recorder.operations, {});
    const np::Array y = temporary + 1.0;
    rest = std::exchange(planned.recorder.operations, {});
  }
  EXPECT_FALSE(make_window_key(window, rest, 0)->key == make_window_key(window, {}, 0)->key);
}

TEST(Key, OfAWindowThatBringsDataThereIsNone) {
  PlannedRank planned;
  const np::Array few = np::array(std::vector<double>{1, 2, 3});  // these are numbers
  EXPECT_TRUE(make_window_key(std::exchange(planned.recorder.operations, {}), {}, 0).has_value());
  const np::Array x = np::array(std::vector<double>(17));
  EXPECT_FALSE(make_window_key(planned.recorder.operations, {}, 0).has_value());
  planned.recorder.operations.clear();
}

TEST(Key, NumbersStoresByFirstUseWithTheirBlocksInOrder) {
  PlannedRank planned({.processors = 2});
  np::Array x = np::ones({60}), y = np::zeros({60});
  y += x;
  (void)planned.plan();
  x(all) = y * 2.0;
  const auto window = *make_window_key(std::exchange(planned.recorder.operations, {}), {}, 0);
  std::vector<const Store*> stores;
  for (const StoreRef& store : window.stores) stores.push_back(store.get());
  EXPECT_EQ(std::count(stores.begin(), stores.end(), &PlannedRank::store_of(x)), 1);
  EXPECT_EQ(std::count(stores.begin(), stores.end(), &PlannedRank::store_of(y)), 1);
  std::vector<const Block*> blocks;
  for (const Store* store : stores) {
    if (!store->state) continue;
    for (const ProcessorStore& local : store->state->local)
      for (const auto& instance : local.instances) blocks.push_back(instance->block);
  }
  EXPECT_EQ(std::vector<const Block*>(window.blocks.begin(), window.blocks.end()), blocks);
}

// Numbers beyond a word's fields are written in full: none of these is another, though their low bits are.
TEST(Key, TellsLargeNumbersOfViewsApart) {
  constexpr std::int64_t kFar = std::int64_t{1} << 32;
  PlannedRank planned;
  const np::Array x = np::ones({60});
  (void)planned.plan();
  const np::Array y = x.copy();
  std::vector<Operation> operations = std::exchange(planned.recorder.operations, {});
  auto& input = std::get<Elementwise>(operations.back().what).inputs[0].view;
  const View view = input;
  std::vector<PlanKey> keys;
  for (const std::int64_t scale : {1, -1, 0x7fff, 0x8000, 0x10001}) {
    for (const std::int64_t offset :
         {std::int64_t{0}, std::int64_t{-1}, kFar / 2 - 1, kFar / 2, kFar - 1, kFar, -kFar}) {
      for (const std::int64_t extent : {std::int64_t{60}, kFar / 2 - 1, kFar / 2, kFar + 60}) {
        input = view;
        input.map[0].scale = scale;
        input.map[0].offset = offset;
        input.shape[0] = extent;
        keys.push_back(make_window_key(operations, {}, 0)->key);
      }
    }
  }
  for (const Shape& shape : {Shape{60, 1}, Shape{1, 60}, Shape{60, kFar}, Shape{kFar, 60}, Shape{60, 1, 1}}) {
    input = view;
    input.shape = shape;
    input.map.view_rank = shape.rank();
    keys.push_back(make_window_key(operations, {}, 0)->key);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(keys[i].window == keys[k].window) << i << " and " << k;
  }
}

// What is compared is how things are, not what they were when the window was looked up last.
TEST(PlanCache, FindsAWindowInTheStatesThatItWasPlannedFor) {
  PlannedRank planned({.processors = 2});
  np::Array x = np::ones({60}), y = np::zeros({60});
  y += x;
  (void)planned.plan();
  x(all) = y * 2.0;
  const std::vector<Operation> operations = std::exchange(planned.recorder.operations, {});
  WindowKey window = *make_window_key(operations, {}, 0);
  window.take_states();
  PlanCache cache(3);
  CachedPlan plan;
  plan.key = window.key;
  cache.add(std::move(plan));
  EXPECT_NE(cache.find(*make_window_key(operations, {}, 0)), nullptr);
  Instance& instance = *PlannedRank::local(y, 1).instances.at(0);
  const Region valid = std::exchange(instance.valid, Region(Rect::of({31}, {40})));
  ASSERT_EQ(valid.rects().size(), 1u) << "as many rects as before: the hash is the same";
  EXPECT_EQ(cache.find(*make_window_key(operations, {}, 0)), nullptr);
  instance.valid = valid;
  EXPECT_NE(cache.find(*make_window_key(operations, {}, 0)), nullptr);
  PlannedRank::state_of(x).asked = true;
  EXPECT_EQ(cache.find(*make_window_key(operations, {}, 0)), nullptr);
}

// Windows with keys of one word, and a plan for one.
WindowKey small_window(std::uint64_t word, std::uint64_t hash) {
  WindowKey window;
  window.key.hash = hash;
  window.key.window = {word};
  return window;
}
CachedPlan small_plan(std::uint64_t word, std::uint64_t hash) {
  CachedPlan plan;
  plan.key = small_window(word, hash).key;
  plan.tasks = static_cast<std::int64_t>(word);
  return plan;
}

TEST(PlanCache, KeepsTheLastUsedOfAsManyAsItMay) {
  for (std::size_t most = 1; most <= 5; ++most) {
    SCOPED_TRACE(most);
    PlanCache cache(most);
    std::vector<std::uint64_t> expected;  // the last used last
    const auto use = [&](std::uint64_t word) {
      const auto place = std::find(expected.begin(), expected.end(), word);
      CachedPlan* found = cache.find(small_window(word, word % 3));  // hashes that meet
      EXPECT_EQ(found != nullptr, place != expected.end()) << word;
      if (found) {
        EXPECT_EQ(found->tasks, static_cast<std::int64_t>(word));
        expected.erase(place);
      } else {
        cache.add(small_plan(word, word % 3));
        cache.count_miss();
        if (expected.size() == most) expected.erase(expected.begin());
      }
      expected.push_back(word);
    };
    std::uint64_t state = most;
    for (int i = 0; i < 200; ++i) use((state = state * 6364136223846793005u + 1442695040888963407u) >> 61);
    EXPECT_EQ(cache.statistics().entries, std::min<std::size_t>(most, 8));
    EXPECT_EQ(cache.statistics().hits + cache.statistics().misses, 200);
    EXPECT_GT(cache.statistics().hits, 0);
  }
}

// --- places that views pin

// The key of a window that does this at a place, of arrays of 8 rows that lie where they are; and how far they move.
struct Pinned {
  PlanKey key;
  std::vector<std::int64_t> shifts;  // by role that moves
};
Pinned pin_at(std::int64_t row, const std::function<void(np::Array&, np::Array&, std::int64_t)>& record,
              const PlannedMachine& machine = {}) {
  PlannedRank planned(machine);
  np::Array h = np::zeros({8, 32}), u = np::ones({32});
  h += 1.0;
  u += 1.0;
  (void)planned.plan();
  record(h, u, row);
  const std::vector<Operation> operations = std::exchange(planned.recorder.operations, {});
  auto window = make_window_key(operations, {}, 0);
  Pinned pinned{window->key, {}};
  for (const MovingRole& moving : window->moving) pinned.shifts.push_back(moving.shift);
  return pinned;
}

TEST(PinnedKeys, OfARowAreTheSameForEachRow) {
  const auto write = [](np::Array& h, np::Array& u, std::int64_t row) { h(row) = u; };
  const Pinned one = pin_at(1, write), other = pin_at(5, write);
  EXPECT_EQ(one.key, other.key);
  EXPECT_EQ(one.key.hash, other.key.hash);
  EXPECT_EQ(one.shifts, std::vector<std::int64_t>({1 * 32 * 8}));
  EXPECT_EQ(other.shifts, std::vector<std::int64_t>({5 * 32 * 8}));
}

TEST(PinnedKeys, TellHowFarRowsAreFromEachOther) {
  const auto next = [](np::Array& h, np::Array&, std::int64_t row) { h(row) = h(row - 1) * 2.0; };
  const auto far = [](np::Array& h, np::Array&, std::int64_t row) { h(row) = h(row - 2) * 2.0; };
  EXPECT_EQ(pin_at(2, next).key, pin_at(6, next).key);
  EXPECT_NE(pin_at(6, next).key, pin_at(6, far).key);
}

TEST(PinnedKeys, OfAFewCellsAreTheSameWhereverTheyBegin) {
  const auto few = [](np::Array&, np::Array& u, std::int64_t at) { u(slice(16 * at, 16 * at + 4)) = 2.0; };
  EXPECT_EQ(pin_at(0, few).key, pin_at(1, few).key);
  EXPECT_EQ(pin_at(1, few).shifts, std::vector<std::int64_t>({16 * 8}));
  const auto rows = [](np::Array& h, np::Array&, std::int64_t at) { h(slice(at, at + 1)) = 2.0 * h(at - 1); };
  EXPECT_EQ(pin_at(2, rows).key, pin_at(6, rows).key);
  const auto unaligned = [](np::Array&, np::Array& u, std::int64_t at) { u(slice(at, at + 4)) = 2.0; };
  EXPECT_NE(pin_at(0, unaligned).key, pin_at(1, unaligned).key);
  const auto many = [](np::Array&, np::Array& u, std::int64_t at) { u(slice(16 * at, 16 * at + 5)) = 2.0; };
  EXPECT_NE(pin_at(0, many).key, pin_at(1, many).key) << "of 32 cells: a stencil's slices are where they are";
}

TEST(PinnedKeys, SayThePlaceWhereAnArrayIsSeenWholeToo) {
  const auto both = [](np::Array& h, np::Array& u, std::int64_t row) {
    h(row) = u;
    h *= 2.0;
  };
  EXPECT_NE(pin_at(1, both).key, pin_at(5, both).key);
  EXPECT_TRUE(pin_at(1, both).shifts.empty());
}

TEST(PinnedKeys, SayThePlaceAlongAnAxisThatIsCut) {
  const auto write = [](np::Array& h, np::Array& u, std::int64_t row) { h(row) = u; };
  const PlannedMachine machine{.ranks = 2};
  EXPECT_NE(pin_at(1, write, machine).key, pin_at(5, write, machine).key);
}

// Columns lie 8 bytes apart: a kernel's vectors would be elsewhere. A cell is a cell.
TEST(PinnedKeys, SayThePlaceWhereMemoryIsAlignedOtherwise) {
  const auto column = [](np::Array& h, np::Array&, std::int64_t at) { h(all, at) = 2.0; };
  EXPECT_NE(pin_at(1, column).key, pin_at(5, column).key);
  const auto cell = [](np::Array& h, np::Array&, std::int64_t at) { h(at, at) = 2.0; };
  EXPECT_EQ(pin_at(1, cell).key, pin_at(5, cell).key);
}

TEST(PinnedKeys, SayThePlaceOfArraysThatAPlanMoved) {
  const auto write = [](np::Array& h, np::Array& u, std::int64_t row) {
    PlannedRank::store_of(h).stays = true;
    h(row) = u;
  };
  EXPECT_NE(pin_at(1, write).key, pin_at(5, write).key);
}

TEST(PlanCache, WithRoomForNoneRemembersNothing) {
  PlanCache cache(0);
  EXPECT_FALSE(cache.enabled());
  cache.add(small_plan(1, 1));
  EXPECT_EQ(cache.find(small_window(1, 1)), nullptr);
  EXPECT_EQ(cache.compute_bytes(), 0u);
}

TEST(PlanCache, DisabledItForgets) {
  PlanCache cache(3);
  cache.add(small_plan(1, 1));
  EXPECT_GT(cache.compute_bytes(), 0u);
  cache.disable();
  EXPECT_FALSE(cache.enabled());
  EXPECT_EQ(cache.find(small_window(1, 1)), nullptr);
  cache.add(small_plan(1, 1));
  EXPECT_EQ(cache.statistics().entries, 0u);
  EXPECT_EQ(cache.compute_bytes(), 0u);
}

TEST(PlanCache, CountsHowOftenAPlanWasFound) {
  PlanCache cache(3);
  cache.add(small_plan(1, 1));
  for (int time = 1; time <= 3; ++time) EXPECT_EQ(cache.find(small_window(1, 1))->times, time);
  EXPECT_EQ(cache.find(small_window(2, 1)), nullptr);
}

}  // namespace
}  // namespace pilum::scheduler
