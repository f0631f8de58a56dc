// Where the solver lays stores that are pieces of others, or are made of them.
#include "partitioner/solver.h"

#include <gtest/gtest.h>

#include "tests/partitioner/solver_window.h"

namespace pilum::partitioner {
namespace {

// A roll backwards: its last row is written first, of the first one. It lies with the others, not with that.
TEST(Solver, WhatIsPutTogetherLiesWithItsLargestPiece) {
  for (const int processors : {2, 3, 7}) {
    Window window;
    const int array = window.store({700, 5}), rolled = window.store({700, 5});
    window.stores[0].tiling = Tiling::even(window.stores[0].box, {processors, 1});
    window.operation({{rolled, shifted({699, 0}), true}, {array, AffineMap::identity(2)}});
    window.operation({{rolled, AffineMap::identity(2), true}, {array, shifted({1, 0})}});
    solve(window, machine_of(processors));
    for (int p = 0; p < processors; ++p) {
      const Rect tile = window.tiling(rolled).tile(p);
      EXPECT_LE(tile.extent(0), 700 / processors + 2) << processors;
      EXPECT_GE(tile.extent(0), 700 / processors - 2) << processors;
    }
  }
}

// Cut as the piece is, all that is not of it would be one processor's.
TEST(Solver, APieceDoesNotSayHowTheWholeIsCut) {
  for (const int processors : {2, 3, 8}) {
    for (const std::int64_t rows : {1, 350, 500}) {
      Window window;
      const int array = window.store({rows, 5}), other = window.store({700, 5});
      window.stores[0].tiling = Tiling::even(window.stores[0].box, {processors, 1});
      window.operation({{other, shifted({700 - rows, 0}), true}, {array, AffineMap::identity(2)}});
      solve(window, machine_of(processors));
      for (int p = 0; p < processors; ++p) {
        EXPECT_LE(window.tiling(other).tile(p).extent(0), 700 / processors + 1) << rows << " rows";
        EXPECT_GE(window.tiling(other).tile(p).extent(0), 700 / processors) << rows << " rows";
      }
    }
  }
}

// A rim of ghost cells is no reason to move all of the others.
TEST(Solver, WhatHasARimAroundIsCutAtTheSameCells) {
  for (const std::int64_t rim : {1, 8, 100}) {
    Window window;
    const int array = window.store({1000, 5}), padded = window.store({1000 + 2 * rim, 5});
    window.stores[0].tiling = Tiling::even(window.stores[0].box, {4, 1});
    window.operation({{padded, shifted({rim, 0}), true}, {array, AffineMap::identity(2)}});
    solve(window, machine_of(4));
    for (int p = 1; p < 4; ++p) EXPECT_EQ(window.tiling(padded).tile(p).lo[0], std::int64_t{250} * p + rim);
  }
}

// Multigrid's interpolation: every second column, small enough to be everywhere, would bring all of the array there.
TEST(Solver, HalfOfALargeStoreIsCutWithWhatItGoesInto) {
  Window window;
  const int large = window.store({100, 201}), half = window.store({100, 100}), sum = window.store({100, 100});
  const AffineMap here = AffineMap::identity(2);
  AffineMap even = here, odd = here;
  even[1].scale = odd[1].scale = 2;
  odd[1].offset = 1;
  window.operation({{half, here, true}, {large, even}});
  window.operation({{sum, here, true}, {half, here}});
  window.operation({{large, odd, true}, {sum, here}});
  solve(window, machine_of(4, /*split_bytes=*/100 * 150 * 8));
  for (int p = 0; p < 4; ++p) {
    const std::int64_t first = std::int64_t{25} * p;
    const Rect rows = Rect::of({first, 0}, {first + 25, 100});
    EXPECT_EQ(window.tiling(half).tile(p), rows);
    EXPECT_EQ(window.tiling(sum).tile(p), rows);
  }
}

// Red-black relaxation: a colour's new values were written by even halves, and then copied to where they belong.
TEST(Solver, WhatGoesIntoEverySecondCellLiesWithThem) {
  for (const int processors : {2, 3, 5}) {
    Window window;
    const int u = window.store({101, 40}), sum = window.store({50, 40}), product = window.store({50, 40});
    const AffineMap here = AffineMap::identity(2);
    AffineMap odd = here, even = here;
    odd[0].scale = even[0].scale = 2;
    odd[0].offset = 1;
    window.operation({{sum, here, true}, {u, even}});
    window.operation({{product, here, true}, {sum, here}});
    window.operation({{u, odd, true}, {product, here}});
    solve(window, machine_of(processors));
    for (int p = 0; p < processors; ++p) {
      for (const int store : {sum, product}) {
        const Rect tile = window.tiling(store).tile(p), cells = window.tiling(u).tile(p);
        for (std::int64_t row = 0; row < 50; ++row)
          EXPECT_EQ(row >= tile.lo[0] && row < tile.hi[0], 2 * row + 1 >= cells.lo[0] && 2 * row + 1 < cells.hi[0]);
      }
    }
  }
}

// `u(0) = 2 * u(1) - u(2)`: both lines are with one processor, and so is what lies between.
TEST(Solver, ALineThatGoesIntoALargeStoreLiesWithItsOwner) {
  Window window;
  const int u = window.store({100, 100}), first = window.store({100}), last = window.store({100});
  const AffineMap here = AffineMap::identity(1);
  const auto row = [](std::int64_t at) {
    AffineMap map;
    map.store_rank = 2;
    map.view_rank = 1;
    map[0] = {-1, 0, at};
    map[1] = {0, 1, 0};
    return map;
  };
  window.operation({{first, here, true}, {u, row(1)}, {u, row(2)}});
  window.operation({{u, row(0), true}, {first, here}});
  window.operation({{last, here, true}, {u, row(98)}, {u, row(97)}});
  window.operation({{u, row(99), true}, {last, here}});
  solve(window, machine_of(4, /*split_bytes=*/10000));
  for (int p = 0; p < 4; ++p) {
    EXPECT_EQ(window.tiling(first).tile(p).empty(), p != 0);
    EXPECT_EQ(window.tiling(last).tile(p).empty(), p != 3);
  }
  EXPECT_EQ(window.tiling(first).tile(0), Rect::of({0}, {100}));
  EXPECT_EQ(window.tiling(last).tile(3), Rect::of({0}, {100}));
}

// A coarse grid's right-hand side: half of the residual at every second cell, put between its rims.
struct CoarseGrid : Window {
  int residual = store({1000, 1000}), half = store({499, 499}), sum = store({499, 499}), coarse = store({501, 501});
  CoarseGrid() {
    const AffineMap here = AffineMap::identity(2);
    AffineMap second = here, next = here;
    second[0] = second[1] = {0, 2, 1};
    second[1].axis = 1;
    next = second;
    next[0].offset = 2;
    operation({{half, here, true}, {residual, second}, {residual, next}});
    operation({{sum, here, true}, {half, here}});
    operation({{coarse, shifted({1, 1}), true}, {sum, here}});
  }
  static constexpr std::int64_t kSplitBytes = 4'000'000;  // between the two grids' bytes
};

// All processors had all of the large one, four times the cells.
TEST(Solver, WhatIsMadeOfEverySecondCellOfALargeStoreIsMadeWhereTheyAre) {
  for (const int processors : {2, 3, 7}) {
    CoarseGrid window;
    solve(window, machine_of(processors, CoarseGrid::kSplitBytes));
    for (const int store : {window.half, window.sum}) {
      for (int p = 0; p < processors; ++p) {
        const Rect tile = window.tiling(store).tile(p), cells = window.tiling(window.residual).tile(p);
        for (std::int64_t row = 0; row < 499; ++row)
          EXPECT_EQ(row >= tile.lo[0] && row < tile.hi[0], 2 * row + 1 >= cells.lo[0] && 2 * row + 1 < cells.hi[0]);
      }
    }
    EXPECT_TRUE(window.tiling(window.coarse).is_replicated()) << "it is too small for more";
  }
}

TEST(Solver, ASmallGridBelowALargeOneLiesWithOneProcessorOfARank) {
  CoarseGrid window;
  const int u = window.store({501, 501}), change = window.store({499, 499}), coarser = window.store({249, 249});
  AffineMap second = AffineMap::identity(2);
  second[0].scale = second[1].scale = 2;
  window.operation({{change, AffineMap::identity(2), true},
                    {u, shifted({0, 1})},
                    {u, shifted({2, 1})},
                    {window.coarse, shifted({1, 1})}});
  window.operation({{u, shifted({1, 1}), true}, {u, shifted({1, 1})}, {change, AffineMap::identity(2)}});
  window.operation({{coarser, AffineMap::identity(2), true}, {u, second}});
  machine::Machine machine = one_rank_of(4);
  machine.split_bytes = CoarseGrid::kSplitBytes;
  solve(window, machine);
  EXPECT_EQ(parts_of(window.tiling(window.sum)), (std::vector{4, 1}));
  for (const int store : {window.coarse, u, change, coarser}) EXPECT_TRUE(window.tiling(store).is_on_one()) << store;
}

// Where windows end must not matter: a sweep over a grid that lies with one processor was computed by all, and then
// copied.
TEST(Solver, WhatGoesIntoAPlacedSmallStoreLiesWithIt) {
  const Rect box = Rect::of({0, 0}, {102, 102});
  for (const Tiling& placed : {Tiling::on_one(box), Tiling::replicated(box)}) {
    Window window;
    const int u = window.store({102, 102}), change = window.store({100, 100}), other = window.store({102, 102}),
              row = window.store({100});
    AffineMap along;
    along.store_rank = 1;
    along.view_rank = 2;
    along[0] = {1, 1, 0};
    window.stores[static_cast<std::size_t>(u)].tiling = placed;
    window.stores[static_cast<std::size_t>(other)].tiling = Tiling::replicated(box);
    window.operation({{change, AffineMap::identity(2), true}, {other, shifted({1, 1})}, {row, along}});
    window.operation({{u, shifted({1, 1}), true}, {u, shifted({1, 1})}, {change, AffineMap::identity(2)}});
    solve(window, one_rank_of(2));
    EXPECT_EQ(window.tiling(change).is_on_one(), placed.is_on_one());
    EXPECT_EQ(window.tiling(row).is_on_one(), placed.is_on_one());
  }
}

TEST(Solver, ALineOfALargeStoreThatIsKeptIsEverywhere) {
  Window window;
  const int u = window.store({100, 100}), line = window.store({100});
  AffineMap row;
  row.store_rank = 2;
  row.view_rank = 1;
  row[0] = {-1, 0, 1};
  row[1] = {0, 1, 0};
  window.operation({{line, AffineMap::identity(1), true}, {u, row}});
  solve(window, machine_of(4, /*split_bytes=*/10000));
  EXPECT_TRUE(window.tiling(line).is_replicated());
}

}  // namespace
}  // namespace pilum::partitioner
