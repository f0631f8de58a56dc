// Binomial trees over ranks, for broadcasts and folds in O(log P) steps. Pure functions.
#pragma once

#include <optional>
#include <vector>

namespace pilum::comm {

// A block of consecutive ranks, wrapping after the last: first, first + 1, ..., `count` of them. Its first rank is
// the one that talks for it.
struct RankBlock {
  int first = 0;
  int count = 0;
  bool operator==(const RankBlock&) const = default;
};

// Where one rank stands. Counting ranks from the root, a rank's subtree is itself followed by its children's blocks
// in this order, without gaps. So the fold `own, children[0], children[1], ...` combines in rank order (with root
// 0: 0, 1, 2, ... at the top). A broadcast is fastest when it sends to the children backwards, largest block first.
//
//   8 ranks, root 0:   0 -> 1, 2 {2, 3}, 4 {4, 5, 6, 7}     4 -> 5, 6 {6, 7}     2 -> 3     6 -> 7
struct TreePlace {
  std::optional<int> parent;  // none for the root
  std::vector<RankBlock> children;
  RankBlock block;  // the whole subtree, itself included
};

[[nodiscard]] TreePlace compute_tree_place(int rank, int size, int root);

}  // namespace pilum::comm
