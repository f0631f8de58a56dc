// How many cells of a mask are true.
#pragma once

#include <cstdint>
#include <vector>

namespace pilum::scheduler {

// As numeric/ has counted them: all, and on several ranks those before each of the blocks that the mask's rows lie in
// (numeric/mask_blocks.h), with all of them at the end.
struct TrueCells {
  std::int64_t count = 0;
  std::vector<std::int64_t> before;  // empty: not counted by blocks
};

}  // namespace pilum::scheduler
