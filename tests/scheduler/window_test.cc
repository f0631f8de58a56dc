#include "scheduler/analyze/window.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
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
  EXPECT_EQ(taken[0].output.store->shape, Shape({100}));
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
  EXPECT_EQ(taken[1].output.shape, Shape({10}));
  EXPECT_EQ(taken[1].inputs[0].scalar.as<double>(), 1.0);
  EXPECT_EQ(taken[2].inputs[0].scalar.as<double>(), 2.0);
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

}  // namespace
}  // namespace pilum::scheduler
