// Windows planned one after the other: what is allocated, copied, freed and launched, and in which order.
#include "scheduler/plan/planner.h"

#include <gtest/gtest.h>

#include <functional>

#include "pilum/pilum.h"
#include "scheduler/record/host_body.h"
#include "tests/scheduler/plan_texts.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// The middle one of three ranks: rows 4 to 7 of twelve.
TEST(Planner, AStencilSendsItsRowsAndLeavesTheEdgesForLast) {
  PlannedRank planned({.ranks = 3}, 1);
  np::Array x = np::ones({12, 5}), y = np::zeros({12, 5});
  y += x;
  (void)planned.plan();
  const auto sweep = [&] { y(slice(1, -1), all) = x(slice(1, -1), all) + x(slice(0, -2), all) + x(slice(2, {}), all); };
  sweep();
  (void)planned.plan();
  x += 1.0;
  (void)planned.plan();
  sweep();
  const Plan plan = planned.plan();
  EXPECT_EQ(texts_of(plan), (Texts{
                                "i14 send s0 40 bytes to rank 0 with tag 3.0, after i13",
                                "i15 send s0 40 bytes to rank 2 with tag 3.0, after i13",
                                "i16 receive s0 40 bytes from rank 0 with tag 3.0, after i8 i11",
                                "i17 receive s0 40 bytes from rank 2 with tag 3.0, after i9 i12",
                                "i18 launch over [4:6, 0:5] in chunks of 1x10, after i10 i13",
                                "i19 launch over [3:4, 0:5] in chunks of 1x5, boundary, after i11 i13 i16",
                                "i20 launch over [6:7, 0:5] in chunks of 1x5, boundary, after i12 i13 i17",
                            }));
}

// Three arrays are read with their neighbours' rows, then one launch writes them: nobody has rows of any of them any
// more. Whoever makes the plan.
TEST(Planner, EachStoreThatALaunchWritesIsKnownToBeWritten) {
  for (const Memo memo : {Memo::Fresh, Memo::Again, Memo::Bound}) {
    PlannedRank planned({.ranks = 3}, 1, memo);
    std::vector<np::Array> arrays;
    for (int i = 0; i < 3; ++i) arrays.push_back(np::ones({12, 5}) * (i + 2.0));
    np::Array sums = np::zeros({12, 5});
    for (np::Array& x : arrays) x += 1.0;
    (void)planned.plan();
    const Rect tile = Rect::of({4, 0}, {8, 5});
    for (int time = 0; time < 5; ++time) {
      for (const np::Array& x : arrays)
        sums(slice(1, -1), all) += x(slice(1, -1), all) + x(slice(0, -2), all) + x(slice(2, {}), all);
      const Plan sweep = planned.plan();
      if (memo == Memo::Fresh) {
        EXPECT_EQ(sweep.count<Send>(), 2u) << "all arrays' rows to a neighbour together";
      }
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        SCOPED_TRACE(testing::Message() << "array " << i << ", time " << time);
        const ProcessorStore& local = PlannedRank::local(arrays[i]);
        EXPECT_EQ(local.tile, tile);
        EXPECT_EQ(local.ghosts.cells(), 10);
        EXPECT_EQ(local.peers.size(), 2u);
      }
      for (np::Array& x : arrays) x += 1.0;
      const Plan update = planned.plan();
      EXPECT_EQ(update.instructions.size(), 1u) << "all of them in one launch";
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        SCOPED_TRACE(testing::Message() << "array " << i << ", time " << time);
        const ProcessorStore& local = PlannedRank::local(arrays[i]);
        EXPECT_TRUE(local.ghosts.empty());
        EXPECT_TRUE(local.peers.empty());
        Region valid;
        for (const auto& instance : local.instances) valid += instance->valid;
        EXPECT_EQ(valid, Region(tile));
      }
    }
    EXPECT_EQ(planned.cache().statistics().hits > 0, memo != Memo::Fresh);
  }
}

// Of each the new instance has the cells, and the one that was read has none.
TEST(Planner, EachStoreThatALaunchWritesElsewhereIsThere) {
  PlannedRank planned({.split_bytes = 0});
  std::vector<np::Array> arrays;
  for (int i = 0; i < 3; ++i) arrays.push_back(np::ones({40}) * (i + 2.0));
  for (np::Array& x : arrays) x += 1.0;
  (void)planned.plan();
  std::vector<const Block*> before;
  for (const np::Array& x : arrays) before.push_back(PlannedRank::local(x).instances[0]->block);
  for (np::Array& x : arrays) x(all) = x(slice({}, {}, -1)) * 2.0;
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.count<Launch>(), 1u);
  EXPECT_EQ(plan.count<Copy>(), 0u);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& instances = PlannedRank::local(arrays[i]).instances;
    ASSERT_EQ(instances.size(), 1u) << "array " << i;
    EXPECT_NE(instances[0]->block, before[i]) << "array " << i;
    EXPECT_EQ(instances[0]->valid, Region(Rect::of({0}, {40}))) << "array " << i;
  }
}

// What all had and what ranks had asked for is of no use any more, of each of them.
TEST(Planner, EachStoreThatALaunchWritesIsNoLongerEverywhereNorAsked) {
  PlannedRank planned({.ranks = 3}, 1);
  const Rect cells = Rect::of({0}, {60});
  std::vector<np::Array> arrays;
  const auto state_of = [&](const np::Array& array, const Tiling& tiling) -> StoreState& {
    return planned.planner().state_of(StoreRef(&PlannedRank::store_of(array)), tiling);
  };
  for (int i = 0; i < 3; ++i) {
    arrays.push_back(np::arange(60.0) + 1.0 * i);
    (void)state_of(arrays.back(), Tiling::replicated(cells));
  }
  (void)planned.plan();
  for (const np::Array& x : arrays) {
    StoreState& state = state_of(x, Tiling::even(cells, {3}));
    EXPECT_EQ(state.everywhere, Region(cells));
    state.asked = true;
  }
  for (np::Array& x : arrays) x += 1.0;
  EXPECT_EQ(planned.plan().count<Launch>(), 1u);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_TRUE(PlannedRank::state_of(arrays[i]).everywhere.empty()) << "array " << i;
    EXPECT_FALSE(PlannedRank::state_of(arrays[i]).asked) << "array " << i;
  }
}

// One task's way with memory, once there is what it needs: allocations and frees, copies and their cells, launches.
struct Cost {
  std::size_t allocates, frees, copies;
  std::int64_t copied;
  std::size_t launches;
  bool operator==(const Cost&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Cost& cost) {
  return out << cost.allocates << " allocates, " << cost.frees << " frees, " << cost.copies << " copies of "
             << cost.copied << " cells, " << cost.launches << " launches";
}
Cost cost_of(const Plan& plan) {
  std::int64_t copied = 0;
  for (const Copy* copy : plan.all<Copy>()) copied += copy->bytes() / 8;
  return {plan.count<Allocate>(), plan.count<Free>(), plan.count<Copy>(), copied, plan.count<Launch>()};
}

struct Statement {
  const char* name;
  std::function<void(np::Array& x, np::Array& y)> run;  // of 40 cells
  Cost first, second;
};
void PrintTo(const Statement& statement, std::ostream* out) {
  *out << statement.name;
}
class Statements : public testing::TestWithParam<Statement> {};

TEST_P(Statements, TakeTheMemoryThatTheirConflictsAskFor) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({40}), y = np::zeros({40});
  y += x;
  (void)planned.plan();
  GetParam().run(x, y);
  const Plan first = planned.plan();
  GetParam().run(x, y);
  const Plan second = planned.plan();
  EXPECT_EQ(cost_of(first), GetParam().first);
  EXPECT_EQ(cost_of(second), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    OfOneRank, Statements,
    testing::Values(
        Statement{"InPlace", [](np::Array& x, np::Array&) { x(all) = 2.0 * x; }, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}},
        Statement{"Elsewhere", [](np::Array& x, np::Array& y) { y(all) = 2.0 * x; }, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}},
        // Most cells are read by others: the second instance gets the cells that are not written, and stays.
        Statement{
            "WideConflict",
            [](np::Array& x, np::Array&) { x(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {})); },
            {1, 0, 2, 2, 1},
            {0, 0, 0, 0, 1}},
        // Those that are written next are not brought there before: they go there, from where they are.
        Statement{"WideConflictAndRims",
                  [](np::Array& x, np::Array&) {
                    x(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
                    x(slice(0, 1)) += 1.0;
                    x(slice(-1, {})) *= 2.0;
                  },
                  {1, 1, 0, 0, 3},
                  {1, 1, 0, 0, 3}},
        // A few are: these are copied aside, and that copy is gone with the task.
        Statement{"PartialConflict",
                  [](np::Array& x, np::Array&) { x(slice(0, 20)) = x(slice(15, 35)) * 2.0; },
                  {1, 1, 1, 20, 1},
                  {1, 1, 1, 20, 1}},
        Statement{"HalvesApart",
                  [](np::Array& x, np::Array&) { x(slice(0, 20)) = x(slice(20, 40)) * 2.0; },
                  {0, 0, 0, 0, 1},
                  {0, 0, 0, 0, 1}},
        Statement{"OddFromEven",
                  [](np::Array& x, np::Array&) { x(slice(1, {}, 2)) = x(slice(0, {}, 2)); },
                  {0, 0, 0, 0, 1},
                  {0, 0, 0, 0, 1}},
        Statement{"Reversed",
                  [](np::Array& x, np::Array&) { x(all) = x(slice({}, {}, -1)) * 2.0; },
                  {1, 1, 0, 0, 1},
                  {1, 1, 0, 0, 1}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Planner, ATemporaryThatTasksPassOnIsFreedByTheLastOfThem) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({1000}), y = np::zeros({1000});
  y += x;
  (void)planned.plan();
  const std::size_t before = planned.memory().in_use();
  {
    np::Array shifted = np::power(x(slice(1, {})), 2.5);  // too dear to be computed twice
    y(slice(2, {})) = shifted(slice(1, {})) + shifted(slice(0, -1));
  }
  const Plan plan = planned.plan();
  std::vector<std::string> order;
  for (const Instruction& instruction : plan.instructions) {
    if (std::holds_alternative<Allocate>(instruction.what)) order.push_back("allocate");
    if (std::holds_alternative<Launch>(instruction.what)) order.push_back("launch");
    if (std::holds_alternative<Free>(instruction.what)) order.push_back("free");
  }
  EXPECT_EQ(order, (std::vector<std::string>{"allocate", "launch", "launch", "free"}));
  EXPECT_EQ(planned.memory().in_use(), before);
}

// Each link needs the one before as a whole, and nobody needs more than two of them.
TEST(Planner, AChainOfTemporariesTakesTheMemoryOfTwo) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({1000});
  x += 1.0;
  (void)planned.plan();
  const std::size_t before = planned.memory().peak();
  for (int i = 0; i < 9; ++i) x = x(slice({}, {}, -1)) * 2.0;
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.count<Launch>() > 0, true);
  EXPECT_LE(planned.memory().peak(), before + 2 * 8128);
}

TEST(Planner, ASmallArrayThatIsCutLaterIsKnownEverywhere) {
  PlannedRank planned({.ranks = 3}, 1);
  np::Array x = np::arange(60.0);
  Store& store = PlannedRank::store_of(x);
  (void)planned.planner().state_of(StoreRef(&store), Tiling::replicated(Rect::of({0}, {60})));
  (void)planned.plan();
  EXPECT_TRUE(PlannedRank::state_of(x).tiling.is_replicated());
  const Tiling cut = Tiling::even(Rect::of({0}, {60}), {3});
  StoreState& state = planned.planner().state_of(StoreRef(&store), cut);
  EXPECT_EQ(state.tiling, cut);
  EXPECT_EQ(state.everywhere, Region(Rect::of({0}, {60})));
  EXPECT_EQ(state.local[0].tile, Rect::of({20}, {40}));
  // Nobody sends what all have; nor does a later tiling cut anew.
  np::Array y = np::zeros({60});
  y(all) = x(slice({}, {}, -1));
  EXPECT_EQ(planned.plan().count<Send>(), 0u);
  EXPECT_EQ(planned.planner().state_of(StoreRef(&store), Tiling::even(Rect::of({0}, {60}), {1})).tiling, cut);
}

TEST(Planner, AStoreHasOneStateUntilItIsReleased) {
  PlannedRank planned;
  np::Array x = np::ones({40});
  x += 1.0;
  (void)planned.plan();
  Store& store = PlannedRank::store_of(x);
  EXPECT_EQ(&planned.planner().state_of(StoreRef(&store), Tiling::replicated(Rect::of({0}, {40}))), store.state);
  Plan plan = planned.begin_plan();
  planned.planner().release(store, plan);
  EXPECT_EQ(store.state, nullptr);
  EXPECT_EQ(plan.count<Free>(), 1u);
  EXPECT_EQ(planned.memory().in_use(), 0u);
  planned.planner().release(store, plan);  // has none any more
  EXPECT_EQ(plan.instructions.size(), 1u);
  EXPECT_TRUE(planned.planner().states().empty());
}

TEST(Planner, WhatAPlanFreesCanBeHadOnceItHasRun) {
  PlannedRank planned;
  planned.planner().keep_freed(true);
  {
    np::Array x = np::ones({1000});
    np::Array y = x(slice({}, {}, -1)) + 1.0;
    y += 1.0;
    (void)planned.plan();
    EXPECT_EQ(planned.planner().freed_in_plan(), 0u);
  }
  (void)planned.plan();
  const std::size_t freed = planned.planner().freed_in_plan();
  EXPECT_GE(freed, 8000u);
  planned.memory().trim();  // what may be wanted again stays
  EXPECT_EQ(planned.planner().freed_in_plan(), freed);
  planned.planner().keep_freed(false);
  EXPECT_EQ(planned.planner().freed_in_plan(), freed);  // it has not run
  planned.done = InstructionId{1000};
  EXPECT_EQ(planned.planner().freed_in_plan(), 0u);
}

// Chunks of a fold make its bits: more threads change those of a body that folds nothing, at most.
TEST(Planner, ChunksOfFoldsDoNotDependOnTheNumberOfThreads) {
  std::vector<Extents> chunks;
  for (const int workers : {1, 2, 7, 64}) {
    PlannedRank planned({.processors = 2, .workers = workers});
    np::Array x = np::ones({1 << 20}), sum = np::sum(x * x);
    np::Array rows = np::sum(np::ones({3000, 1000}), 1);
    const Plan plan = planned.plan();
    std::vector<Extents> here;
    for (const Launch* launch : plan.all<Launch>())
      if (!launch->chunk_step.empty()) here.push_back(launch->chunk);
    EXPECT_GE(here.size(), 2u);
    if (chunks.empty()) chunks = here;
    EXPECT_EQ(here, chunks) << workers << " threads";
  }
}

// Four chunks are one call's where each is one fold and they lie in memory; the partial results are one a chunk.
TEST(Planner, ChunksOfOneFoldAreTakenByFourWhereTheyLieInMemory) {
  struct Case {
    std::int64_t cache_bytes;
    Shape shape;
    int axis;  // -1: all
    int together;
  };
  for (const Case& one : {Case{1, {1 << 20}, -1, 4}, Case{1 << 30, {1 << 20}, -1, 1}, Case{1, {4096, 256}, -1, 4},
                          Case{1, {65536, 16}, -1, 1}, Case{1, {2048, 2048}, 1, 1}, Case{1, {2048, 2048}, 0, 1}}) {
    PlannedRank planned({.cache_bytes = one.cache_bytes});
    np::Array x = np::ones(one.shape);
    np::Array sum = one.axis < 0 ? np::sum(x * x) : np::sum(x * x, one.axis);
    const Plan plan = planned.plan();
    int folds = 0;
    for (const Launch* launch : plan.all<Launch>()) {
      if (launch->chunk_step.empty()) continue;
      ++folds;
      EXPECT_EQ(launch->together, one.together) << one.shape << ", axis " << one.axis;
      if (one.axis >= 0) continue;
      const std::vector<const FoldParts*> parts = plan.all<FoldParts>();
      ASSERT_EQ(parts.size(), 1u);
      EXPECT_EQ(parts[0]->part_count, 16);
      EXPECT_EQ(count_chunks(Instruction{.what = *launch}), 16 / one.together);
    }
    EXPECT_EQ(folds, 1);
  }
}

// Where rows are short planes go by turns; their chunks are of two times four planes, and enough for all threads.
TEST(Planner, ChunksOfPlanesHoldSomeOfThem) {
  const auto chunk_of = [](const Shape& shape, int workers, std::int64_t cache_bytes = 1) {
    PlannedRank planned({.workers = workers, .cache_bytes = cache_bytes});
    np::Array x = np::ones(shape);
    const slice inner(1, -1), low(0, -2), high(2, {});
    np::Array y = x(high, inner, inner) + x(low, inner, inner) + x(inner, inner, low);
    const Plan plan = planned.plan();
    const Launch& last = *plan.all<Launch>().back();
    EXPECT_EQ(last.kernel()->walk == kernel::Walk::Planes, cache_bytes == 1 && shape[2] < 1000) << shape;
    return std::vector<std::int64_t>(last.chunk.begin(), last.chunk.begin() + last.rank);
  };
  EXPECT_EQ(chunk_of({130, 258, 258}, 2), (std::vector<std::int64_t>{8, 64, 256}));
  EXPECT_EQ(chunk_of({66, 258, 258}, 16), (std::vector<std::int64_t>{4, 16, 256}));
  EXPECT_EQ(chunk_of({130, 258, 258}, 2, 1 << 30), (std::vector<std::int64_t>{1, 128, 256}));
  EXPECT_EQ(chunk_of({66, 34, 2002}, 2), (std::vector<std::int64_t>{1, 16, 2000}));
}

// A thread comes later than a small one ends.
TEST(Planner, ChunksOfTheLibrarysBodiesAreNotSmall) {
  const auto chunks_of = [](std::int64_t rows) {
    PlannedRank planned({.workers = 16});
    np::Array x = np::ones({rows, 3}), y = x(all, np::array({0, 2}));
    const Plan plan = planned.plan();
    const Launch& last = *plan.all<Launch>().back();
    EXPECT_GT(last.body<HostBody>()->bytes, 0) << "so that it is known what it takes";
    return count_chunks(Instruction{.what = last});
  };
  EXPECT_EQ(chunks_of(200), 1);
  EXPECT_EQ(chunks_of(1000), 6) << "56,000 bytes: its cells, the array, an index for each cell";
  EXPECT_EQ(chunks_of(200000), 16);
}

// Long rows that others read again: all rows of some columns, where a core's cache does not hold them all.
TEST(Planner, ChunksOfRowsThatAreReadAgainHoldColumns) {
  const auto chunk_of = [](const Shape& one, const Shape& other, int workers) {
    PlannedRank planned({.workers = workers, .cache_bytes = std::int64_t{1} << 40});
    np::Array x = np::ones(one), y = np::ones(other), z = x * y;
    const Plan plan = planned.plan();
    const Launch& last = *plan.all<Launch>().back();
    EXPECT_EQ(last.kernel()->walk, kernel::Walk::Rows);
    return std::vector<std::int64_t>(last.chunk.begin(), last.chunk.begin() + last.rank);
  };
  EXPECT_EQ(chunk_of({8, 1, 8192}, {1, 8, 8192}, 1), (std::vector<std::int64_t>{8, 8, 2048}));
  EXPECT_EQ(chunk_of({8, 1, 8192}, {1, 8, 8192}, 16), (std::vector<std::int64_t>{8, 8, 256}));
  EXPECT_EQ(chunk_of({20, 1000000}, {1, 1000000}, 2), (std::vector<std::int64_t>{20, 32768}));
  EXPECT_EQ(chunk_of({2000, 1 << 19}, {1, 1 << 19}, 2), (std::vector<std::int64_t>{32, 32768})) << "a million points";
  EXPECT_EQ(chunk_of({8, 1, 2000}, {1, 8, 2000}, 1).back(), 2000) << "it fits a cache";
  EXPECT_EQ(chunk_of({3000, 1}, {1, 4000}, 1).back(), 4000);
}

}  // namespace
}  // namespace pilum::scheduler
