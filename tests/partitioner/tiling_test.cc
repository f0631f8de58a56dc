#include "partitioner/tiling.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/partitioner/random_cells.h"

namespace pilum::partitioner {
namespace {

using Parts = std::array<int, kMaxAxes>;

Parts parts_of(std::initializer_list<int> parts) {
  Parts all;
  all.fill(1);
  std::copy(parts.begin(), parts.end(), all.begin());
  return all;
}

TEST(Tiling, CutsEvenlyRowMajor) {
  const Tiling tiling = Tiling::even(Rect::of({0, 0}, {10, 9}), parts_of({2, 3}));
  EXPECT_EQ(tiling.processors(), 6);
  EXPECT_EQ(tiling.tile(0), Rect::of({0, 0}, {5, 3}));
  EXPECT_EQ(tiling.tile(1), Rect::of({0, 3}, {5, 6}));
  EXPECT_EQ(tiling.tile(3), Rect::of({5, 0}, {10, 3}));
  EXPECT_EQ(tiling.tile(5), Rect::of({5, 6}, {10, 9}));
  EXPECT_TRUE(tiling.tile(6).empty());
}

TEST(Tiling, PartsDifferByOneCellAtMost) {
  const Tiling tiling = Tiling::even(Rect::of({0}, {100}), parts_of({7}));
  std::int64_t covered = 0;
  for (int p = 0; p < 7; ++p) {
    EXPECT_GE(tiling.tile(p).cells(), 14);
    EXPECT_LE(tiling.tile(p).cells(), 15);
    covered += tiling.tile(p).cells();
  }
  EXPECT_EQ(covered, 100);
}

TEST(Tiling, ReplicatedGivesEachProcessorAll) {
  const Tiling tiling = Tiling::replicated(Rect::of({0}, {9}));
  EXPECT_TRUE(tiling.is_replicated());
  EXPECT_EQ(tiling.tile(0), Rect::of({0}, {9}));
  EXPECT_EQ(tiling.tile(4095), Rect::of({0}, {9}));
  EXPECT_EQ(to_string(tiling), "replicated");
}

TEST(Tiling, PrintsPartsAndCuts) {
  EXPECT_EQ(to_string(Tiling::even(Rect::of({0, 0}, {8194, 5}), parts_of({4, 1}))), "4x1 axis 0 at 0+8194*i/4");
}

TEST(Tiling, CutsOfHugeAxesDoNotOverflow) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 60;
  const Tiling tiling = Tiling::even(Rect::of({0}, {kHuge}), parts_of({64}));
  EXPECT_EQ(tiling.tile(63), Rect::of({kHuge / 64 * 63}, {kHuge}));
}

TEST(Tiling, AlignPutsTheInnerStoreBelowTheOuterOne) {
  // Shapes N and N + 2: the inner store's cell c lies with the outer one's cell c + 1.
  const Tiling outer = Tiling::even(Rect::of({0}, {12}), parts_of({3}));
  const Tiling inner = outer.align(Rect::of({0}, {10}), {0}, {1});
  EXPECT_EQ(inner.tile(0), Rect::of({0}, {3}));
  EXPECT_EQ(inner.tile(1), Rect::of({3}, {7}));
  EXPECT_EQ(inner.tile(2), Rect::of({7}, {10}));
}

TEST(Tiling, PullBackThroughAReversedViewTurnsThePartsRound) {
  const Tiling store = Tiling::even(Rect::of({0}, {9}), parts_of({3}));
  AffineMap map = AffineMap::identity(1);
  map[0] = {0, -1, 8};
  const Tiling domain = store.pull_back(map, Rect::of({0}, {9}));
  EXPECT_EQ(domain.tile(0), Rect::of({6}, {9}));
  EXPECT_EQ(domain.tile(2), Rect::of({0}, {3}));
}

TEST(Tiling, PullBackThroughADroppedAxisLeavesOnlyTheProcessorsThere) {
  const Tiling store = Tiling::even(Rect::of({0, 0}, {8, 8}), parts_of({2, 2}));
  AffineMap row;  // store[7, x]
  row.store_rank = 2;
  row.view_rank = 1;
  row[0] = {-1, 0, 7};
  row[1] = {0, 1, 0};
  const Tiling domain = store.pull_back(row, Rect::of({0}, {8}));
  EXPECT_TRUE(domain.tile(0).empty());
  EXPECT_TRUE(domain.tile(1).empty());
  EXPECT_EQ(domain.tile(2), Rect::of({0}, {4}));
  EXPECT_EQ(domain.tile(3), Rect::of({4}, {8}));
}

// So what is computed from a few rows of a large array lies alike, whichever rows of a part these are.
TEST(Tiling, ViewsOfCellsInOnePartAreCutAlike) {
  const Tiling store = Tiling::even(Rect::of({0, 0}, {90, 8}), parts_of({3, 1}));
  const auto rows_from = [&](std::int64_t first) {
    AffineMap map = AffineMap::identity(2);
    map[0].offset = first;
    return store.pull_back(map, Rect::of({0, 0}, {10, 8}));
  };
  EXPECT_EQ(rows_from(30), rows_from(50));
  EXPECT_EQ(rows_from(30).tile(1), Rect::of({0, 0}, {10, 8}));
  EXPECT_FALSE(rows_from(30) == rows_from(20));
  EXPECT_EQ(rows_from(51).tile(1), Rect::of({0, 0}, {9, 8})) << "of two parts: as they are cut";
  EXPECT_EQ(rows_from(51).tile(2), Rect::of({9, 0}, {10, 8}));
}

TEST(Tiling, EqualFormulasAreEqual) {
  const Tiling a = Tiling::even(Rect::of({0}, {12}), parts_of({3}));
  EXPECT_EQ(a, Tiling::even(Rect::of({0}, {12}), parts_of({3})));
  EXPECT_FALSE(a == Tiling::even(Rect::of({0}, {12}), parts_of({4})));
  EXPECT_EQ(a.pull_back(AffineMap::identity(1), Rect::of({0}, {12})), a);
}

// The owner of each cell, from tile() alone: fails where a cell has none or two.
std::map<Cell, int> owners_of(const Tiling& tiling) {
  std::map<Cell, int> owners;
  for (int p = 0; p < tiling.processors() + 3; ++p) {
    const Rect tile = tiling.tile(p);
    EXPECT_TRUE(tile.empty() || tiling.box().contains(tile));
    for_each_cell(tile, [&](const Cell& cell) {
      EXPECT_TRUE(owners.emplace(cell, p).second) << "two owners: " << to_string(tiling);
    });
  }
  EXPECT_EQ(static_cast<std::int64_t>(owners.size()), tiling.box().cells()) << to_string(tiling);
  return owners;
}

Parts random_parts(Random& random, int rank, int processors) {
  Parts parts = parts_of({});
  while (processors > 1) {
    int prime = 2;
    while (processors % prime != 0) ++prime;
    parts[static_cast<std::size_t>(random.between(0, rank - 1))] *= prime;
    processors /= prime;
  }
  return parts;
}

// By number of processors.
class TilingFor : public testing::TestWithParam<int> {};

TEST_P(TilingFor, TilesAreDisjointAndCover) {
  Random random(11);
  for (int round = 0; round < 20; ++round) {
    const Rect box =
        random_rect(random, static_cast<int>(random.between(1, 3)), -5, 12);  // at times fewer cells than processors
    const Tiling tiling = Tiling::even(box, random_parts(random, box.rank, GetParam()));
    EXPECT_EQ(tiling.processors(), GetParam());
    owners_of(tiling);
    if (HasFailure()) return;
  }
}

TEST_P(TilingFor, EachTileThatMeetsARectIsVisitedOnce) {
  Random random(12);
  for (int round = 0; round < 30; ++round) {
    const Rect box = random_rect(random, static_cast<int>(random.between(1, 3)), -5, 12);
    const Tiling tiling = Tiling::even(box, random_parts(random, box.rank, GetParam()));
    const Rect rect = random_rect(random, box.rank, -9, 12);
    std::map<int, Rect> visited;
    tiling.for_each_tile(
        rect, [&](int processor, const Rect& part) { EXPECT_TRUE(visited.emplace(processor, part).second); });
    for (int p = 0; p < GetParam(); ++p) {
      const Rect tile = tiling.tile(p);
      const bool meets = !tile.empty() && !intersect(tile, rect).empty();
      ASSERT_EQ(visited.count(p), meets ? 1u : 0u);
      if (meets) {
        ASSERT_EQ(visited.at(p), intersect(tile, rect));
      }
    }
  }
}

// As arrays lie that are computed for every second cell of others, or for one line of them.
TEST_P(TilingFor, APointThatIsPulledBackTwiceLiesWithItsCell) {
  int compared = 0;
  for (int seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(static_cast<std::uint64_t>(seed));
    const int rank = static_cast<int>(random.between(1, 3));
    const Rect box = random_rect(random, rank, -4, 12);
    const Tiling store = Tiling::even(box, random_parts(random, rank, GetParam()));
    const AffineMap outer = random_map(random, rank, static_cast<int>(random.between(1, 3)), 3);
    const AffineMap inner = random_map(random, outer.view_rank, static_cast<int>(random.between(1, 3)), 3);
    const Rect domain = random_rect(random, inner.view_rank, -4, 6), middle = image(inner, domain);
    if (middle.cells() > 20000) continue;
    const Tiling once = store.pull_back(outer, middle), twice = once.pull_back(inner, domain);
    const std::map<Cell, int> owners = owners_of(once);
    for (const auto& [point, owner] : owners_of(twice)) {
      ASSERT_EQ(owner, owners.at(apply(inner, point)))
          << to_string(outer) << " " << to_string(inner) << " " << to_string(store);
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST_P(TilingFor, APulledBackPointLiesWithItsCell) {
  for (int seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(static_cast<std::uint64_t>(seed));
    const int store_rank = static_cast<int>(random.between(1, 3));
    const AffineMap map = random_map(random, store_rank, static_cast<int>(random.between(1, 3)), 4);
    const Rect domain = random_rect(random, map.view_rank, -4, 5);
    // A box that holds the image, and somewhat more.
    Rect box = image(map, domain);
    for (std::size_t k = 0; k < static_cast<std::size_t>(store_rank); ++k) {
      box.lo[k] -= random.between(0, 3);
      box.hi[k] += random.between(0, 3);
    }
    if (box.cells() > 20000) continue;
    const Tiling store = Tiling::even(box, random_parts(random, store_rank, GetParam()));
    const Tiling pulled = store.pull_back(map, domain);
    const std::map<Cell, int> owners = owners_of(store), pulled_owners = owners_of(pulled);
    for (const auto& [point, owner] : pulled_owners) {
      ASSERT_EQ(owner, owners.at(apply(map, point)))
          << to_string(map) << " " << to_string(store) << " " << to_string(pulled);
    }
    const Rect rect = random_rect(random, domain.rank, -6, 6);
    std::map<int, Rect> visited;
    pulled.for_each_tile(
        rect, [&](int processor, const Rect& part) { EXPECT_TRUE(visited.emplace(processor, part).second); });
    for (int p = 0; p < pulled.processors(); ++p) {
      const Rect tile = pulled.tile(p);
      const bool meets = !tile.empty() && !intersect(tile, rect).empty();
      ASSERT_EQ(visited.count(p), meets ? 1u : 0u)
          << to_string(map) << " " << to_string(pulled) << " in " << to_string(rect);
      if (meets) {
        ASSERT_EQ(visited.at(p), intersect(tile, rect));
      }
    }
    if (HasFailure()) return;
  }
}

TEST_P(TilingFor, AnAlignedCellLiesWithItsPartner) {
  for (int seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(static_cast<std::uint64_t>(seed));
    const int rank = static_cast<int>(random.between(1, 3));
    const Rect source_box = random_rect(random, rank, -4, 8);
    const Tiling source = Tiling::even(source_box, random_parts(random, rank, GetParam()));
    const Rect box = random_rect(random, static_cast<int>(random.between(1, 3)), -4, 8);
    std::array<int, kMaxAxes> along;
    along.fill(-1);
    std::array<std::int64_t, kMaxAxes> shift{};
    std::vector<int> free;
    for (int axis = 0; axis < rank; ++axis) free.push_back(axis);
    for (std::size_t k = 0; k < static_cast<std::size_t>(box.rank) && !free.empty(); ++k) {
      if (random.once_in(5)) continue;
      const auto pick = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(free.size()) - 1));
      along[k] = free[pick];
      free.erase(free.begin() + static_cast<std::ptrdiff_t>(pick));
      shift[k] = random.between(-3, 3);
    }
    const bool all_cuts_run_along = [&] {
      for (int axis : free) {
        if (source.axis(axis).parts > 1) return false;
      }
      return true;
    }();
    if (!all_cuts_run_along) continue;
    const std::map<Cell, int> owners = owners_of(source), aligned = owners_of(source.align(box, along, shift));
    bool all_have_cells = true;
    for (int p = 0; p < source.processors(); ++p) all_have_cells = all_have_cells && !source.tile(p).empty();
    for (const auto& [cell, owner] : aligned) {
      Cell partner = source_box.lo;
      bool inside = true;
      for (std::size_t k = 0; k < static_cast<std::size_t>(box.rank); ++k) {
        if (along[k] < 0) continue;
        const auto j = static_cast<std::size_t>(along[k]);
        partner[j] = std::clamp(cell[k] + shift[k], source_box.lo[j],
                                source_box.hi[j] - 1);  // what lies beyond is with the edge
        inside = inside && partner[j] == cell[k] + shift[k];
      }
      if (inside || all_have_cells) {
        ASSERT_EQ(owner, owners.at(partner));
      }
    }
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, TilingFor, testing::Values(1, 2, 3, 7, 64));

// Ising's sublattices: two of four were updated by tasks of their own, in twelve passes instead of eight.
TEST(Tiling, ViewsOfEverySecondCellThatAreCutAlikeAreEqual) {
  for (const int parts : {2, 4, 8}) {
    const Tiling tiling = Tiling::even(Rect::of({0}, {256}), parts_of({parts}));
    for (const std::int64_t scale : {2, -2}) {
      const auto seen_from = [&](std::int64_t first) {
        AffineMap map = AffineMap::identity(1);
        map[0] = {0, scale, first};
        return tiling.pull_back(map, Rect::of({0}, {120}));
      };
      const std::int64_t first = scale > 0 ? 3 : 253;
      EXPECT_EQ(seen_from(first), seen_from(first - 1)) << parts << " parts, by " << scale;
      EXPECT_FALSE(seen_from(first) == seen_from(first + 1)) << parts << " parts, by " << scale;
    }
  }
}

TEST(Tiling, VisitingATilesNeighboursCostsTheSameOfManyProcessors) {
  const Tiling tiling = Tiling::even(Rect::of({0, 0}, {1 << 20, 1 << 20}), parts_of({64, 64}));
  const Rect tile = tiling.tile(2000);
  Rect around = tile;
  for (std::size_t a : {0u, 1u}) {
    --around.lo[a];
    ++around.hi[a];
  }
  int visits = 0;
  tiling.for_each_tile(around, [&](int, const Rect&) { ++visits; });
  EXPECT_EQ(visits, 9);
}

}  // namespace
}  // namespace pilum::partitioner
