#include "runtime/comm/tree.h"

#include <gtest/gtest.h>

#include <bit>

namespace pilum::comm {
namespace {

TEST(Tree, AloneIsRootWithoutChildren) {
  const TreePlace place = compute_tree_place(0, 1, 0);
  EXPECT_FALSE(place.parent);
  EXPECT_TRUE(place.children.empty());
  EXPECT_EQ(place.block, (RankBlock{0, 1}));
}

TEST(Tree, EightRanksFromRankZero) {
  const TreePlace root = compute_tree_place(0, 8, 0);
  EXPECT_FALSE(root.parent);
  EXPECT_EQ(root.children, (std::vector<RankBlock>{{1, 1}, {2, 2}, {4, 4}}));
  const TreePlace middle = compute_tree_place(4, 8, 0);
  EXPECT_EQ(middle.parent, 0);
  EXPECT_EQ(middle.children, (std::vector<RankBlock>{{5, 1}, {6, 2}}));
  EXPECT_EQ(middle.block, (RankBlock{4, 4}));
  EXPECT_EQ(compute_tree_place(7, 8, 0).parent, 6);
}

TEST(Tree, LastBlockIsShortWhenRanksAreNoPowerOfTwo) {
  EXPECT_EQ(compute_tree_place(0, 6, 0).children, (std::vector<RankBlock>{{1, 1}, {2, 2}, {4, 2}}));
  EXPECT_EQ(compute_tree_place(4, 5, 0).children, (std::vector<RankBlock>{}));
}

TEST(Tree, BlocksCountOnFromAnotherRootAndWrap) {
  const TreePlace root = compute_tree_place(3, 5, 3);
  EXPECT_FALSE(root.parent);
  EXPECT_EQ(root.children, (std::vector<RankBlock>{{4, 1}, {0, 2}, {2, 1}}));
  EXPECT_EQ(compute_tree_place(1, 5, 3).parent, 0);
}

// Walks the whole tree by its children alone and lists who is met, in the order of a fold.
void list_subtree(int rank, int size, int root, int depth, std::vector<int>& met) {
  const TreePlace place = compute_tree_place(rank, size, root);
  const std::size_t start = met.size();
  ASSERT_LE(depth, std::bit_width(static_cast<unsigned>(size)));
  ASSERT_LE(place.children.size(), static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size))));
  EXPECT_EQ(place.block.first, rank);
  met.push_back(rank);
  for (const RankBlock& child : place.children) {
    EXPECT_EQ(compute_tree_place(child.first, size, root).parent, rank);
    EXPECT_EQ(compute_tree_place(child.first, size, root).block, child);
    list_subtree(child.first, size, root, depth + 1, met);
  }
  EXPECT_EQ(met.size() - start, static_cast<std::size_t>(place.block.count));
}

TEST(Tree, FoldMeetsEveryRankOnceInOrderForAnySizeAndRoot) {
  for (int size = 1; size <= 70; ++size) {
    for (int root = 0; root < size; ++root) {
      std::vector<int> met;
      list_subtree(root, size, root, 0, met);
      ASSERT_EQ(met.size(), static_cast<std::size_t>(size));
      for (int i = 0; i < size; ++i) ASSERT_EQ(met[i], (root + i) % size);
    }
  }
}

}  // namespace
}  // namespace pilum::comm
