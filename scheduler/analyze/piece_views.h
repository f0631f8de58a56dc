// What rolls and pads make: an array that is put together of pieces of one other.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/analyze/beyond.h"

namespace pilum::scheduler {

struct Piece {
  Rect cells;
  std::size_t number = 0;  // the operation that copies or fills it
};

// The other array, seen beyond its ends (beyond.h).
struct PieceView {
  View view;                        // all cells of the one that is made
  std::optional<std::size_t> fill;  // what fills those beyond with a number
};

// Nullopt: the pieces are something else, or as well cut where they meet, where one cell around is a number.
std::optional<PieceView> view_of_pieces(std::span<const Piece> pieces, const std::vector<Operation>& operations);

}  // namespace pilum::scheduler
