#include "runtime/comm/tree.h"

#include <algorithm>
#include <bit>

#include "runtime/base/check.h"

namespace pilum::comm {

// In numbers counted from the root, the parent is the number without its lowest set bit, and the children are the
// number plus each smaller power of two.
TreePlace compute_tree_place(int rank, int size, int root) {
  PILUM_CHECK(rank >= 0 && rank < size && root >= 0 && root < size, "rank {}, root {} of {}", rank, root, size);
  const auto rank_at = [&](long number) { return static_cast<int>((number + root) % size); };

  const long number = rank >= root ? rank - root : long{rank} + size - root;
  const long span = number ? number & -number : static_cast<long>(std::bit_ceil(static_cast<unsigned>(size)));
  TreePlace place;
  place.block = {rank, static_cast<int>(std::min(span, size - number))};
  if (number) place.parent = rank_at(number - span);
  for (long step = 1; step < span && number + step < size; step *= 2) {
    place.children.push_back({rank_at(number + step), static_cast<int>(std::min(step, size - number - step))});
  }
  return place;
}

}  // namespace pilum::comm
