// Rows in blocks.
#pragma once

#include <cstdint>

namespace pilum::numeric {

// Rows are those of the first axis. Block b begins at row rows * b / blocks: a multiple of the processors begins where
// each of their parts does.
struct RowBlocks {
  std::int64_t rows = 0, blocks = 0;

  std::int64_t first_row(std::int64_t block) const { return rows * block / blocks; }
  std::int64_t block_of(std::int64_t row) const { return ((row + 1) * blocks - 1) / rows; }
};

}  // namespace pilum::numeric
