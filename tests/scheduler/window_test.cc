#include "scheduler/analyze/window.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "pilum/pilum.h"
#include "scheduler/memory/store_state.h"
#include "scheduler/record/task_launch.h"
#include "tests/scheduler/seeds.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

class WindowTest : public testing::Test {
 protected:
  static machine::Machine machine_of(int processors) {
    machine::Machine machine;
    machine.ranks = processors;
    machine.split_bytes = 64;
    return machine;
  }
  std::vector<std::string> names(const std::vector<Operation>& operations) const {
    std::vector<std::string> names;
    for (const Operation& operation : operations) names.push_back(operation.name);
    return names;
  }
  WindowRecorder recorder_;
};

TEST_F(WindowTest, IsCutWhereTheFewestBytesFlow) {
  np::Array x = np::zeros(100), small = np::zeros(1);
  recorder_.begin_window();
  for (int i = 0; i < 4; ++i) x[all] = x + 1.0;          // operations 0–7: x, or x and a temporary, flow between them
  small[all] = np::sum(x, {}, true);                     // 8, 9
  for (int i = 0; i < 2; ++i) small[all] = small + 1.0;  // 10–13: only the small one
  ASSERT_EQ(recorder_.operations.size(), 14u);
  EXPECT_EQ(choose_cut(recorder_.operations, recorder_.operations.size() / 2),
            12u);  // between two sweeps over it: 8 bytes; 11 and 13 carry a temporary as well
}

TEST_F(WindowTest, IsNotCutInsideAnExpression) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  for (int i = 0; i < 6; ++i) x[all] = 0.5 * (x + 1.0);  // three operations each
  ASSERT_EQ(recorder_.operations.size(), 18u);
  EXPECT_EQ(choose_cut(recorder_.operations, recorder_.operations.size() / 2), 15u);  // of equals the last
}

// At the window's beginning an array that is used later flows already.
TEST_F(WindowTest, WhatComesFromBeforeFlowsFromTheBeginning) {
  np::Array x = np::zeros(100), small = np::zeros(1), other = np::zeros(1);
  recorder_.begin_window();
  small += 1.0;                       // 0
  other[all] = 1.0;                   // 1: at 1 the small one flows, and x does
  small[all] = np::sum(x, {}, true);  // 2, 3: after the sum two small ones
  small += other;                     // 4
  ASSERT_EQ(recorder_.operations.size(), 5u);
  EXPECT_EQ(choose_cut(recorder_.operations, 1, 3), 3u);
}

// At the window's end an array that the next body reads seems to be used no more, and a cut inside of the last
// expression seems cheap: it carries one array and a temporary, the end of the body two arrays.
TEST_F(WindowTest, ALoopThatSwapsTwoArraysIsCutBetweenBodies) {
  np::Array a = np::zeros(100), b = np::zeros(100);
  const auto inner = np::slice(1, -1);
  recorder_.begin_window();
  for (int i = 0; i < 3; ++i) {
    b(inner) = 0.5 * (a(inner) + 1.0);  // three operations each
    a(inner) = 0.5 * (b(inner) + 1.0);
  }
  ASSERT_EQ(recorder_.operations.size(), 18u);
  const std::size_t period = 6, end = recorder_.operations.size() - period;
  EXPECT_EQ((choose_cut(recorder_.operations, end - period + 1, end) + period) % 3, 0u);
}

TEST_F(WindowTest, IsCutInItsLastHalf) {
  np::Array x = np::zeros(100), y = np::zeros(100);
  recorder_.begin_window();
  x[all] = x + 1.0;
  y[all] = y + 1.0;  // nothing flows at 2, but that is too early
  for (int i = 0; i < 5; ++i) y[all] = y * 2.0 + x;
  EXPECT_GE(choose_cut(recorder_.operations, recorder_.operations.size() / 2), recorder_.operations.size() / 2);
  EXPECT_LT(choose_cut(recorder_.operations, recorder_.operations.size() / 2), recorder_.operations.size());
}

TEST_F(WindowTest, TheCutDoesNotDependOnLiveHandles) {
  std::vector<np::Array> kept;
  const auto run = [&](bool keep) {
    recorder_.begin_window();
    np::Array x = np::zeros(100);
    for (int i = 0; i < 6; ++i) {
      np::Array t = x + 1.0;
      x[all] = t * 0.5;
      if (keep) kept.push_back(t);
    }
    return choose_cut(recorder_.operations, recorder_.operations.size() / 2);
  };
  EXPECT_EQ(run(false), run(true));
}

TEST_F(WindowTest, FillsOfStoresThatNothingElseTouchesWait) {
  np::Array idle = np::zeros(100), used = np::ones(100);
  np::Array sum = used + 1.0;
  const std::vector<Operation> taken = take_idle_fills(recorder_.operations);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].output()->store->shape, Shape({100}));
  EXPECT_STREQ(taken[0].name, "zeros");
  EXPECT_EQ(names(recorder_.operations), (std::vector<std::string>{"ones", "add"}));
}

TEST_F(WindowTest, SeveralFillsOfOneIdleStoreWaitInOrder) {
  np::Array idle = np::zeros({10, 10});
  idle(0, all) = 1.0;
  idle(all, 0) = 2.0;
  np::Array used = np::zeros(9);
  used[all] = used + 1.0;
  const std::vector<Operation> taken = take_idle_fills(recorder_.operations);
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_STREQ(taken[0].name, "zeros");
  EXPECT_EQ(taken[1].output()->shape, Shape({10}));
  EXPECT_EQ(taken[1].elementwise()->inputs[0].scalar.as<double>(), 1.0);
  EXPECT_EQ(taken[2].elementwise()->inputs[0].scalar.as<double>(), 2.0);
  EXPECT_EQ(recorder_.operations.size(), 3u);
}

TEST_F(WindowTest, NumbersItsStoresByFirstUse) {
  np::Array a = np::zeros(100);
  np::Array b = a + 1.0;
  np::Array c = b * a;
  const std::vector<WindowStore> stores = collect_stores(recorder_.operations, {}, machine_of(1));
  ASSERT_EQ(stores.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(stores[static_cast<std::size_t>(i)].store->window_index, i);
  EXPECT_EQ(stores[0].store->id, StoreId{0});
  EXPECT_TRUE(stores[0].tiling.is_replicated());
  for (const WindowStore& store : stores) store.store->window_index = -1;
}

TEST_F(WindowTest, AStoreDiesWhenNobodyHoldsItAndNothingLaterUsesIt) {
  np::Array a = np::zeros(100);
  np::Array kept = a * 2.0 + 1.0;  // a * 2.0 is nobody's
  std::vector<WindowStore> stores = collect_stores(recorder_.operations, {}, machine_of(2));
  ASSERT_EQ(stores.size(), 3u);
  EXPECT_FALSE(stores[0].dies);
  EXPECT_TRUE(stores[1].dies);
  EXPECT_FALSE(stores[2].dies);
  for (const WindowStore& store : stores) store.store->window_index = -1;

  const std::vector<Operation> later(recorder_.operations.end() - 1, recorder_.operations.end());
  recorder_.operations.pop_back();
  stores = collect_stores(recorder_.operations, later, machine_of(2));
  ASSERT_EQ(stores.size(), 2u);
  EXPECT_FALSE(stores[1].dies);  // the next window reads it
  for (const WindowStore& store : stores) store.store->window_index = -1;
}

TEST_F(WindowTest, LinkedStoresAreCutAlike) {
  np::Array grid = np::zeros({102, 10});
  np::Array work = grid(slice(1, -1), all) + grid(slice(0, -2), all);
  const std::vector<WindowStore> stores = collect_stores(recorder_.operations, {}, machine_of(3));
  EXPECT_EQ(stores[0].tiling.tile(1), Rect::of({34, 0}, {68, 10}));
  EXPECT_EQ(stores[1].tiling.tile(1), Rect::of({33, 0}, {67, 10}));
  for (const WindowStore& store : stores) store.store->window_index = -1;
}

TEST_F(WindowTest, AScalarsDomainIsOnePoint) {
  np::Array x = np::zeros({});
  EXPECT_EQ(domain_of(recorder_.operations[0]), Rect::of({0}, {1}));
}

TEST_F(WindowTest, AReductionsDomainIsItsInputsAndItsOutputFollowsTheKeptAxes) {
  np::Array x = np::zeros({3, 4, 5});
  np::Array s = np::sum(x, 1);
  EXPECT_EQ(domain_of(recorder_.operations[1]), Rect::of({0, 0, 0}, {3, 4, 5}));
  EXPECT_EQ(partitioner::to_string(output_map(recorder_.operations[1])), "[x0, x2]");
}

// --- cuts, beside a naive count

TEST_F(WindowTest, OfRandomWindowsNoCutIsCrossedByFewerBytes) {
  for_each_seed(60, [this](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    std::vector<np::Array> arrays, read;
    for (int i = 0; i < 6; ++i) arrays.push_back(np::zeros(static_cast<std::int64_t>(1 + pick(100))));
    recorder_.begin_window();
    for (std::size_t count = 4 + pick(30); recorder_.operations.size() < count;) {
      np::Array& array = arrays[pick(arrays.size())];
      switch (pick(3)) {
        case 0: array += 1.0; break;
        case 1: array[all] = 1.0; break;
        default: read.push_back(np::max(array)); break;
      }
    }
    const std::vector<Operation>& operations = recorder_.operations;
    const std::size_t first = pick(operations.size()), last = first + pick(operations.size());
    // Through a cut flow the arrays that are written before it or come from before, and that are used after it or are
    // written and not read in the window any more.
    const auto flow = [&](std::size_t cut) {
      struct Use {
        bool is_before, is_after = false;
      };
      std::map<const Store*, Use> uses;
      for (std::size_t i = 0; i < operations.size(); ++i) {
        const auto use = [&](const View& view, bool from_before, bool written) {
          Use& found = uses.try_emplace(view.store.get(), Use{from_before}).first->second;
          bool is_last = written;
          for (std::size_t later = i + 1; later < operations.size(); ++later)
            for_each_view(operations[later], [&](const View& other, bool) { is_last &= other.store != view.store; });
          (i < cut ? found.is_before : found.is_after) = true;
          found.is_after |= is_last;
        };
        if (const Reduction* fold = operations[i].reduction()) use(fold->input, true, false);
        const View& output = *operations[i].output();
        use(output, operations[i].elementwise() && operations[i].elementwise()->inputs[0].is_view(), true);
      }
      std::int64_t bytes = 0;
      for (const auto& [store, use] : uses) bytes += use.is_before && use.is_after ? 8 * store->shape.elements() : 0;
      return bytes;
    };
    const auto back = [&](std::size_t cut) {  // all of these lines are of one file
      const auto line = [&](std::size_t i) { return static_cast<int>(operations[i].where.line()); };
      return std::max(0, line(cut - 1) - line(cut));
    };
    std::size_t best = operations.size();
    for (std::size_t cut = std::max<std::size_t>(first, 1); cut <= last && cut < operations.size(); ++cut) {
      if (best == operations.size() || flow(cut) < flow(best) || (flow(cut) == flow(best) && back(cut) >= back(best)))
        best = cut;
    }
    EXPECT_EQ(choose_cut(operations, first, last), best);
  });
}

// Of an array that was there before, a part of which is written, the rest flows: at the cut before that as after it.
TEST_F(WindowTest, WhatIsWrittenInPartComesFromBefore) {
  StoreState state;
  np::Array b = np::zeros({20, 20}), u = np::ones({20, 20});
  Store& store = *recorder_.operations.front().output()->store;  // b's
  store.state = &state;
  recorder_.begin_window();
  const slice in(1, -1);
  for (int step = 0; step < 2; ++step) {
    np::Array sum = u(in, in) * 2.0;
    b(in, in) = sum;
    u(in, in) = b(in, in) + 1.0;
  }
  ASSERT_EQ(recorder_.operations.size(), 8u);
  EXPECT_EQ(choose_cut(recorder_.operations, 1, 4), 4u) << "a step's end, not between the product and where it goes";
  store.state = nullptr;
}

TEST_F(WindowTest, NothingIsCutOfNothingOrOfOneOperation) {
  EXPECT_EQ(choose_cut({}, 0), 0u);
  np::Array x = np::zeros(100);
  EXPECT_EQ(choose_cut(recorder_.operations, 0), 1u);
  EXPECT_EQ(recorder_.operations[0].output()->store->window_index, -1) << "left as it was found";
}

TEST_F(WindowTest, FillsOfStoresThatAPlanHasTouchedOrThatAreWantedEverywhereDoNotWait) {
  StoreState state;
  np::Array old = np::zeros(100), wanted = np::zeros(100), idle = np::zeros(100);
  recorder_.operations[0].output()->store->state = &state;
  recorder_.operations[1].output()->store->replicate = true;
  const std::vector<Operation> taken = take_idle_fills(recorder_.operations);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].output()->store->id, StoreId{2});
  EXPECT_EQ(recorder_.operations.size(), 2u);
  recorder_.operations[0].output()->store->state = nullptr;
}

TEST_F(WindowTest, ACopyIsNoFill) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array y = x.copy();
  EXPECT_TRUE(take_idle_fills(recorder_.operations).empty());
  EXPECT_EQ(recorder_.operations.size(), 1u);
}

// A sum along the axis that is cut is folded across processors, whole; one along the other axis stays with its rows.
TEST_F(WindowTest, SumsLieWhereTheirRowsAreAndSumsAcrossThemEverywhere) {
  np::Array x = np::zeros({400, 30});
  x += 1.0;
  np::Array rows = np::sum(x, 1), columns = np::sum(x, 0);
  const std::vector<WindowStore> stores = collect_stores(recorder_.operations, {}, machine_of(4));
  ASSERT_EQ(stores.size(), 3u);
  EXPECT_EQ(stores[0].tiling.tile(1), Rect::of({100, 0}, {200, 30}));
  EXPECT_EQ(stores[1].tiling.tile(1), Rect::of({100}, {200}));
  EXPECT_TRUE(stores[2].tiling.is_replicated());
  for (const WindowStore& store : stores) store.store->window_index = -1;
}

// A sum of rows is made where the rows are. Where its reader is cut otherwise, nobody may wait for it there.
TEST_F(WindowTest, ASumLiesWhereItIsMadeOrEverywhere) {
  np::Array x = np::zeros({400, 30}), y = np::zeros(800);
  StoreState states[2];
  std::array<int, kMaxAxes> parts;
  parts.fill(1);
  parts[0] = 4;
  states[0].tiling = Tiling::even(Rect::of({0, 0}, {400, 30}), parts);
  states[1].tiling = Tiling::even(Rect::of({0}, {800}), parts);
  for (std::size_t i = 0; i < 2; ++i) recorder_.operations[i].output()->store->state = &states[i];
  y(slice(0, 400)) += np::sum(x, 1);
  const std::vector<WindowStore> stores = collect_stores(recorder_.operations, {}, machine_of(4));
  ASSERT_EQ(stores.size(), 3u);
  EXPECT_EQ(stores[0].tiling.tile(1), Rect::of({100, 0}, {200, 30}));
  EXPECT_EQ(stores[1].tiling.tile(1), Rect::of({200}, {400}));
  EXPECT_STREQ(stores[2].store->operation, "sum");
  EXPECT_TRUE(stores[2].tiling.is_replicated() || stores[2].tiling.tile(1) == Rect::of({100}, {200}))
      << partitioner::to_string(stores[2].tiling);
  for (const WindowStore& store : stores) {
    store.store->window_index = -1;
    store.store->state = nullptr;
  }
}

TEST_F(WindowTest, SmallArraysAreEverywhereAndWhatIsCutStaysCut) {
  np::Array small = np::zeros(7), large = np::zeros(8);  // 64 bytes are cut
  StoreState state;
  std::array<int, kMaxAxes> parts;
  parts.fill(1);
  parts[0] = 3;
  state.tiling = Tiling::even(Rect::of({0}, {7}), parts);
  for (const bool known : {false, true}) {
    recorder_.operations[0].output()->store->state = known ? &state : nullptr;
    const std::vector<WindowStore> stores = collect_stores(recorder_.operations, {}, machine_of(3));
    EXPECT_EQ(stores[0].tiling.is_replicated(), !known);
    EXPECT_FALSE(stores[1].tiling.is_replicated());
    for (const WindowStore& store : stores) store.store->window_index = -1;
  }
  recorder_.operations[0].output()->store->state = nullptr;
}

}  // namespace
}  // namespace pilum::scheduler
