#include "partitioner/solver.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/partitioner/solver_window.h"

namespace pilum::partitioner {
namespace {

// work = the five neighbours of grid's centre; centre = work
Window stencil(std::int64_t n) {
  Window window;
  const int grid = window.store({n + 2, n + 2}), work = window.store({n, n});
  window.operation({{work, AffineMap::identity(2), true},
                    {grid, shifted({1, 1})},
                    {grid, shifted({0, 1})},
                    {grid, shifted({1, 2})},
                    {grid, shifted({1, 0})},
                    {grid, shifted({2, 1})}});
  window.operation({{grid, shifted({1, 1}), true}, {work, AffineMap::identity(2)}});
  return window;
}

TEST(Solver, StoresOfShapesNAndNPlusTwoAlign) {
  for (const int processors : {2, 3, 7, 64}) {
    Window window = stencil(1000);
    solve(window, machine_of(processors));
    Point one{2};
    one[0] = one[1] = 1;
    for (int p = 0; p < processors; ++p) {
      EXPECT_FALSE(window.tiling(1).tile(p).empty());
      EXPECT_TRUE(window.tiling(0).tile(p).contains(shift(window.tiling(1).tile(p), one))) << "processor " << p;
    }
  }
}

// Fields in one array: densities and momenta of a gas, directions of a lattice gas. They meet at each point.
TEST(Solver, ComponentsAreNotCut) {
  // Neighbours are seen along the longer axes, and another store of the shape at one cell of `picked`; -1: none is.
  const auto parts = [](std::initializer_list<std::int64_t> extents, int processors, int picked) {
    Window window;
    const int fields = window.store(extents), likes = window.store(extents);
    const AffineMap all = AffineMap::identity(static_cast<int>(extents.size()));
    window.operation({{fields, all, true}});
    AffineMap one = all, beside = all;
    for (int axis = 0; axis < all.store_rank; ++axis) beside[axis].offset = extents.begin()[axis] > 30 ? 2 : 0;
    window.operation({{fields, beside}, {fields, all}});
    if (picked >= 0) one[picked] = {-1, 0, 1};
    window.operation({{likes, one}});
    solve(window, machine_of(processors));
    return parts_of(window.tiling(fields));
  };
  EXPECT_EQ(parts({4, 500, 500}, 2, -1), (std::vector{1, 2, 1}));
  EXPECT_EQ(parts({9, 500, 500}, 2, 0), (std::vector{1, 2, 1}));
  EXPECT_EQ(parts({27, 300, 300, 300}, 3, 0), (std::vector{1, 3, 1, 1}));
  EXPECT_EQ(parts({3, 100'000}, 2, -1), (std::vector{1, 2}));
  EXPECT_EQ(parts({2, 3, 100'000}, 2, -1), (std::vector{1, 1, 2}));
  EXPECT_EQ(parts({100'000, 3}, 2, -1), (std::vector{2, 1}));
  EXPECT_EQ(parts({8, 500, 500}, 2, -1), (std::vector{2, 1, 1})) << "may be a batch";
  EXPECT_EQ(parts({4, 500, 500}, 2, 1), (std::vector{2, 1, 1})) << "rows one by one";
  EXPECT_EQ(parts({30, 500, 500}, 2, 0), (std::vector{2, 1, 1})) << "many";
  EXPECT_EQ(parts({4, 20, 20}, 2, 0), (std::vector{2, 1, 1})) << "others are not much longer";
}

// A field is kept at each time: were the history cut by times, processors would take turns.
TEST(Solver, TheTimesOfAHistoryAreNotCut) {
  const auto parts = [](std::int64_t side, bool is_seen_whole) {
    Window window;
    const int history = window.store({400, side, side}), field = window.store({side, side});
    const AffineMap all = AffineMap::identity(2);
    window.operation({{history, AffineMap::identity(3), true}});
    window.operation({{field, all, true}, {field, all}});
    AffineMap time = AffineMap::none();
    time.view_rank = 2;
    time.store_rank = 3;
    time[0] = {-1, 0, 7};
    time[1] = {0, 1, 0};
    time[2] = {1, 1, 0};
    window.operation({{history, time, true}, {field, all}});
    if (is_seen_whole) {
      const int doubled = window.store({400, side, side});
      window.operation({{doubled, AffineMap::identity(3), true}, {history, AffineMap::identity(3)}});
    }
    solve(window, machine_of(2, 256 * 1024));
    return std::pair(parts_of(window.tiling(history)), window.tiling(field).is_replicated());
  };
  EXPECT_EQ(parts(500, false), std::pair(std::vector({1, 2, 1}), false));
  EXPECT_EQ(parts(500, true), std::pair(std::vector({2, 1, 1}), false)) << "times meet each other";
  EXPECT_EQ(parts(20, false), std::pair(std::vector({2, 1, 1}), true)) << "a time is not worth cutting";
}

TEST(Solver, OneProcessorReplicatesAll) {
  Window window = stencil(100);
  solve(window, machine_of(1));
  EXPECT_TRUE(window.tiling(0).is_replicated());
  EXPECT_TRUE(window.tiling(1).is_replicated());
}

TEST(Solver, SmallStoresAreReplicated) {
  Window window = stencil(100);  // 104 * 104 * 8 bytes at most
  solve(window, machine_of(4, /*split_bytes=*/100000));
  EXPECT_TRUE(window.tiling(0).is_replicated());
  EXPECT_TRUE(window.tiling(1).is_replicated());
}

TEST(Solver, SmallStoresOfOneRankLieWithOneProcessor) {
  Window window = stencil(100);
  solve(window, one_rank_of(4));
  EXPECT_TRUE(window.tiling(0).is_on_one());
  EXPECT_TRUE(window.tiling(1).is_on_one());
  EXPECT_EQ(window.tiling(1).tile(0), Rect::of({0, 0}, {100, 100}));
  EXPECT_TRUE(window.tiling(1).tile(1).empty());
}

// A copy of an array that a task wrote, and that is cut for that reason alone.
TEST(Solver, WhatLiesApartDoesNotFollowWhatItIsComputedFrom) {
  const auto copy = [](bool apart, const machine::Machine& machine) {
    Window window;
    const int written = window.store({100}), copied = window.store({100});
    window.stores[static_cast<std::size_t>(written)].split_axes = 1;
    window.stores[static_cast<std::size_t>(written)].tiling = Tiling::even(Rect::of({100}), {4});
    window.stores[static_cast<std::size_t>(copied)].lies_apart = apart;
    window.operation({{copied, AffineMap::identity(1), true}, {written, AffineMap::identity(1)}});
    solve(window, machine);
    return window.tiling(copied);
  };
  EXPECT_EQ(copy(false, machine_of(4, /*split_bytes=*/100000)), Tiling::even(Rect::of({100}), {4}));
  EXPECT_TRUE(copy(true, machine_of(4, /*split_bytes=*/100000)).is_replicated());
  EXPECT_TRUE(copy(true, one_rank_of(4)).is_on_one());
  EXPECT_EQ(copy(true, machine_of(4, /*split_bytes=*/100)), Tiling::even(Rect::of({100}), {4}));  // large enough
}

TEST(Solver, WhatHasToDoWithALargeStoreIsReplicatedInOneRankToo) {
  Window window;
  const int large = window.store({1000, 1000}), row = window.store({1000}), other = window.store({1000}),
            alone = window.store({3});
  AffineMap along;
  along.store_rank = 1;
  along.view_rank = 2;
  along[0] = {1, 1, 0};
  window.operation({{row, AffineMap::identity(1), true}, {other, AffineMap::identity(1)}});
  window.operation({{large, AffineMap::identity(2), true}, {row, along}});
  window.operation({{alone, AffineMap::identity(1), true}});
  solve(window, one_rank_of(2));
  EXPECT_TRUE(window.tiling(row).is_replicated());
  EXPECT_TRUE(window.tiling(other).is_replicated()) << "at one remove";
  EXPECT_TRUE(window.tiling(alone).is_on_one());
}

// What small arrays come to, and what is made of that, stays with them: the others need not even know it.
TEST(Solver, NumbersOfSmallArraysLieWithThem) {
  Window window;
  const int array = window.store({1000}), sum = window.store({}), half = window.store({});
  AffineMap folded, number;
  folded.view_rank = number.view_rank = 1;
  window.operation({{sum, folded, true}, {array, AffineMap::identity(1)}});
  window.operation({{half, number, true}, {sum, number}});
  solve(window, one_rank_of(2));
  EXPECT_TRUE(window.tiling(array).is_on_one());
  for (const int store : {sum, half}) {
    EXPECT_TRUE(window.tiling(store).is_on_one());
    EXPECT_EQ(window.tiling(store).tile(0).cells(), 1);
    EXPECT_TRUE(window.tiling(store).tile(1).empty());
  }
}

// Large arrays may come to read them.
TEST(Solver, NumbersThatMeetNoArrayAreOnAllProcessors) {
  Window window;
  const int time = window.store({}), step = window.store({});
  AffineMap number;
  number.view_rank = 1;
  window.operation({{time, number, true}, {step, number}});
  solve(window, one_rank_of(2));
  EXPECT_TRUE(window.tiling(time).is_replicated());
  EXPECT_TRUE(window.tiling(step).is_replicated());
}

TEST(Solver, ANumberThatIsEverywhereStaysSo) {
  Window window;
  const int array = window.store({1000}), sum = window.store({});
  AffineMap folded;
  folded.view_rank = 1;
  window.stores[static_cast<std::size_t>(sum)].tiling = Tiling::replicated(Rect{});
  window.operation({{sum, folded, true}, {array, AffineMap::identity(1)}});
  solve(window, one_rank_of(2));
  EXPECT_TRUE(window.tiling(sum).is_replicated());
  EXPECT_TRUE(window.tiling(array).is_on_one());
}

TEST(Solver, AUsersTaskIsSpreadHoweverSmallItsArrays) {
  Window window;
  const int cells = window.store({4});
  window.operation({{cells, AffineMap::identity(1), true}});
  window.operations.back().spreads = true;
  solve(window, one_rank_of(2));
  EXPECT_FALSE(window.tiling(cells).is_on_one());
}

// A mask of a small array was gone through by all GPUs, each with a copy of it.
TEST(Solver, ATaskOfTheLibrarysIsDoneWhereItsSmallArraysLie) {
  Window window;
  const int cells = window.store({4}), made = window.store({4});
  window.operation({{made, AffineMap::identity(1), true}, {cells, AffineMap::identity(1)}});
  window.operations.back().spreads = window.operations.back().is_ours = true;
  solve(window, one_rank_of(2));
  EXPECT_TRUE(window.tiling(cells).is_on_one());
  EXPECT_TRUE(window.tiling(made).is_on_one());
}

// Fourier transforms along the first axis wrote columns, which then went to where rows were.
TEST(Solver, LinesThatATaskWritesWholeAreNotCut) {
  Window window;
  const int rows = window.store({600, 500}), columns = window.store({600, 500}), line = window.store({1, 90000});
  const auto lines_of = [](int axis) {  // a point of the domain is a line
    AffineMap map;
    map.store_rank = 2;
    map.view_rank = 1;
    map[axis] = {-1, 0, 0};
    map[1 - axis] = {0, 1, 0};
    return map;
  };
  window.stores[static_cast<std::size_t>(rows)].tiling = Tiling::even(Rect::of({0, 0}, {600, 500}), {4, 1});
  window.operation({{columns, lines_of(0), true}, {rows, lines_of(0)}});
  window.operations.back().spreads = true;
  window.operation({{line, lines_of(1), true}});
  window.operations.back().spreads = true;
  solve(window, machine_of(4));
  EXPECT_EQ(parts_of(window.tiling(columns)), (std::vector{1, 4}));
  EXPECT_EQ(parts_of(window.tiling(line)), (std::vector{1, 4})) << "no other axis has as many points";
}

TEST(Solver, AStoreOnOneProcessorDoesNotKeepLargeOnesThere) {
  Window window;
  const int row = window.store({1000}), large = window.store({1000, 1000});
  AffineMap along;
  along.store_rank = 1;
  along.view_rank = 2;
  along[0] = {1, 1, 0};
  window.stores[static_cast<std::size_t>(row)].tiling = Tiling::on_one(Rect::of({0}, {1000}));
  window.operation({{large, AffineMap::identity(2), true}, {row, along}});
  solve(window, one_rank_of(2));
  EXPECT_EQ(parts_of(window.tiling(large)), (std::vector{2, 1}));
}

TEST(Solver, ASmallTableReadByALargeStoreIsReplicated) {
  Window window;
  const int large = window.store({100, 50}), table = window.store({50});
  AffineMap row;
  row.store_rank = 1;
  row.view_rank = 2;
  row[0] = {1, 1, 0};
  window.operation({{large, AffineMap::identity(2), true}, {table, row}});
  solve(window, machine_of(4, 1000));
  EXPECT_EQ(parts_of(window.tiling(large)), (std::vector{4, 1}));
  EXPECT_TRUE(window.tiling(table).is_replicated());
}

TEST(Solver, WhatIsWantedEverywhereIsReplicatedHoweverLarge) {
  Window window;
  const int from = window.store({1000}), to = window.store({1000});
  window.stores[static_cast<std::size_t>(to)].replicate = true;
  window.operation({{to, AffineMap::identity(1), true}, {from, AffineMap::identity(1)}});
  solve(window, machine_of(4));
  EXPECT_TRUE(window.tiling(to).is_replicated());
  EXPECT_EQ(parts_of(window.tiling(from)), (std::vector{4}));
}

TEST(Solver, AReductionOverACutAxisIsReplicated) {
  Window window;
  const int matrix = window.store({1000, 100}), columns = window.store({100});
  AffineMap kept;  // column sums: the domain's axis 0 is folded away
  kept.store_rank = 1;
  kept.view_rank = 2;
  kept[0] = {1, 1, 0};
  window.operation({{columns, kept, true}, {matrix, AffineMap::identity(2)}});
  solve(window, machine_of(4));
  EXPECT_EQ(parts_of(window.tiling(matrix)), (std::vector{4, 1}));
  EXPECT_TRUE(window.tiling(columns).is_replicated());
}

TEST(Solver, AReductionOverAWholeAxisIsCutLikeItsInput) {
  Window window;
  const int matrix = window.store({1000, 100}), rows = window.store({1000});
  AffineMap kept;  // row sums
  kept.store_rank = 1;
  kept.view_rank = 2;
  kept[0] = {0, 1, 0};
  window.operation({{rows, kept, true}, {matrix, AffineMap::identity(2)}});
  solve(window, machine_of(4));
  EXPECT_EQ(window.tiling(rows).tile(2), Rect::of({500}, {750}));
}

TEST(Solver, WhatIsCutAlreadyStaysAndTheOthersFollow) {
  Window window;
  const int old = window.store({100}), large = window.store({1000}), view = window.store({50});
  std::array<int, kMaxAxes> parts;
  parts.fill(1);
  parts[0] = 2;  // of the four processors
  const Tiling before = Tiling::even(Rect::of({0}, {100}), parts);
  window.stores[static_cast<std::size_t>(old)].tiling = before;
  window.operation({{view, AffineMap::identity(1), true}, {old, shifted({25})}});
  window.operation({{large, AffineMap::identity(1), true}});
  solve(window, machine_of(4));
  EXPECT_EQ(window.tiling(old), before);
  EXPECT_EQ(window.tiling(view).tile(0), Rect::of({0}, {25}));
  EXPECT_EQ(window.tiling(view).tile(1), Rect::of({25}, {50}));
  EXPECT_EQ(parts_of(window.tiling(large)), (std::vector{4}));
}

// ux = u(in, high) - u(in, low); vy = v(high, in) - v(low, in); b(in, in) = ux + vy
TEST(Solver, FieldsOfOneGridAreCutAlikeWhicheverNeighboursMeet) {
  for (const bool is_known : {false, true}) {
    Window window;
    const int u = window.store({100, 100}), v = window.store({100, 100}), b = window.store({100, 100});
    const int ux = window.store({98, 98}), vy = window.store({98, 98}), sum = window.store({98, 98});
    if (is_known) window.stores[0].tiling = Tiling::even(window.stores[0].box, {4, 1});
    const AffineMap inner = AffineMap::identity(2);
    window.operation({{u, shifted({1, 2})}, {u, shifted({1, 0})}, {ux, inner, true}});
    window.operation({{v, shifted({2, 1})}, {v, shifted({0, 1})}, {vy, inner, true}});
    window.operation({{ux, inner}, {vy, inner}, {sum, inner, true}});
    window.operation({{sum, inner}, {b, shifted({1, 1}), true}});
    solve(window, machine_of(4));
    EXPECT_EQ(window.tiling(v), window.tiling(u));
    EXPECT_EQ(window.tiling(b), window.tiling(u));
    for (const int value : {ux, vy, sum})
      EXPECT_EQ(window.tiling(value), window.tiling(b).pull_back(shifted({1, 1}), window.stores[3].box)) << value;
  }
}

TEST(Solver, StoresThatMeetTransposedAreNotCutAlike) {
  Window window;
  const int a = window.store({100, 100}), b = window.store({100, 100});
  AffineMap transposed = AffineMap::identity(2);
  std::swap(transposed[0], transposed[1]);
  window.operation({{a, AffineMap::identity(2)}, {b, transposed, true}});
  solve(window, machine_of(4));
  EXPECT_FALSE(window.tiling(b) == window.tiling(a));
}

// A row to one side of where it came from, whichever of them the window meets first.
TEST(Solver, WhatIsSeenBesideItselfIsCutAsTheOthersOfItsSizeAre) {
  for (const bool is_first : {true, false}) {
    Window window;
    const int one = window.store({100, 100}), other = window.store({100, 100});
    const int made = is_first ? one : other, known = is_first ? other : one;
    SolverStore& there = window.stores[static_cast<std::size_t>(known)];
    there.tiling = Tiling::even(there.box, {4, 1});
    window.operation({{made, AffineMap::identity(2), true}, {known, shifted({1, 0})}});
    solve(window, machine_of(4));
    EXPECT_EQ(window.tiling(made), window.tiling(known));
  }
}

AffineMap lines_along(int axis) {
  AffineMap map;
  map.store_rank = 2;
  map.view_rank = 1;
  map[axis] = {-1, 0, 0};
  map[1 - axis] = {0, 1, 0};
  return map;
}

// A spectrum, whose last pass went along the first axis, times a factor that is cut by rows from before, and back: the
// factor moves, once, and not the spectrum, twice.
TEST(Solver, WhatIsComputedFromLinesIsCutAsTheyAre) {
  const AffineMap here = AffineMap::identity(2);
  for (const bool is_factor_known : {true, false}) {
    Window window;
    const int x = window.store({100, 100}), factor = window.store({100, 100}), square = window.store({100, 100});
    const int rows = window.store({100, 100}), spectrum = window.store({100, 100}), sum = window.store({100, 100});
    const int product = window.store({100, 100}), columns = window.store({100, 100}), result = window.store({100, 100});
    for (const int store : {rows, spectrum, sum, product, columns, result})
      window.stores[static_cast<std::size_t>(store)].cell_bytes = 16;
    for (const int store : {x, factor})
      if (store == x || is_factor_known)
        window.stores[static_cast<std::size_t>(store)].tiling = Tiling::even(window.stores[0].box, {4, 1});
    if (!is_factor_known) window.operation({{factor, here, true}});
    window.operation({{square, here, true}, {factor, here}});
    window.operation({{rows, lines_along(1), true}, {x, lines_along(1)}});
    window.operations.back().spreads = true;
    window.operation({{spectrum, lines_along(0), true}, {rows, lines_along(0)}});
    window.operations.back().spreads = true;
    window.operation({{sum, here, true}, {spectrum, here}, {spectrum, here}});
    window.operation({{product, here, true}, {square, here}, {sum, here}});
    window.operation({{columns, lines_along(0), true}, {product, lines_along(0)}});
    window.operations.back().spreads = true;
    window.operation({{result, lines_along(1), true}, {columns, lines_along(1)}});
    window.operations.back().spreads = true;
    solve(window, machine_of(4));
    for (const int store : {rows, result}) EXPECT_EQ(parts_of(window.tiling(store)), (std::vector{4, 1})) << store;
    for (const int store : {square, spectrum, sum, product, columns})
      EXPECT_EQ(parts_of(window.tiling(store)), (std::vector{1, 4})) << store;
  }
}

TEST(Solver, ATransposeIsCutAlongTheSameCells) {
  Window window;
  const int a = window.store({1000, 10}), b = window.store({10, 1000});
  AffineMap transposed;
  transposed.store_rank = transposed.view_rank = 2;
  transposed[0] = {1, 1, 0};
  transposed[1] = {0, 1, 0};
  window.operation({{b, AffineMap::identity(2), true}, {a, transposed}});
  solve(window, machine_of(4));
  EXPECT_EQ(parts_of(window.tiling(a)), (std::vector{4, 1}));
  EXPECT_EQ(parts_of(window.tiling(b)), (std::vector{1, 4}));
}

TEST(Solver, StridedViewsDoNotLink) {
  Window window;
  const int fine = window.store({1000}), coarse = window.store({500});
  AffineMap every_second = AffineMap::identity(1);
  every_second[0].scale = 2;
  window.operation({{coarse, AffineMap::identity(1), true}, {fine, every_second}});
  solve(window, machine_of(4));
  EXPECT_EQ(window.tiling(fine).tile(1), Rect::of({250}, {500}));
  EXPECT_EQ(window.tiling(coarse).tile(1), Rect::of({125}, {250}));
}

// They meet in a later window: conjugate gradients, whose p is the interior of a larger array, took 14 arrays a step
// instead of 11.
TEST(Solver, AGridIsCutAtTheCellsOfTheSameWithGhosts) {
  for (const int processors : {2, 3, 4, 7}) {
    Window window;
    const int ghosts = window.store({514, 514}), grid = window.store({512, 512});
    solve(window, machine_of(processors));
    for (int p = 0; p < processors; ++p) {
      Rect inner = window.tiling(ghosts).tile(p);
      for (std::size_t k = 0; k < 2; ++k) {
        inner.lo[k] = std::clamp<std::int64_t>(inner.lo[k] - 1, 0, 512);
        inner.hi[k] = std::clamp<std::int64_t>(inner.hi[k] - 1, 0, 512);
      }
      EXPECT_EQ(window.tiling(grid).tile(p), inner) << "processor " << p << " of " << processors;
    }
  }
}

TEST(Solver, ChainsOfOperationsAreCutAlikeFromTheLargest) {
  Window window;
  std::vector<int> stores;
  for (int i = 0; i < 10; ++i) stores.push_back(window.store({1000 - 2 * i, 20}));
  for (std::size_t i = 9; i > 0; --i)
    window.operation({{stores[i], AffineMap::identity(2), true}, {stores[i - 1], shifted({1, 0})}});
  solve(window, machine_of(4));
  for (std::size_t i = 0; i < 10; ++i) {
    const auto shrunk = static_cast<std::int64_t>(i);
    EXPECT_EQ(window.tiling(stores[i]).tile(1), Rect::of({250 - shrunk, 0}, {500 - shrunk, 20}));
  }
}

TEST(Solver, CostsTheSameForManyProcessors) {
  Window few = stencil(100000), many = stencil(100000);
  solve(few, machine_of(4));
  solve(many, machine_of(4096));
  EXPECT_EQ(many.tiling(0).processors(), 4096);
  EXPECT_EQ(few.tiling(0).processors(), 4);
}

}  // namespace
}  // namespace pilum::partitioner
