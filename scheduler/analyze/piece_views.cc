#include "scheduler/analyze/piece_views.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace pilum::scheduler {
namespace {

using partitioner::Beyond;

void see_beyond(View& view, Beyond beyond) {
  for (int k = 0; k < view.map.store_rank; ++k) view.map[k].beyond = beyond;
}

View at(View view, const Rect& cells) {
  narrow(view, cells);
  bring_inside(view);
  return view;
}

// At the piece's cells the view shows what is copied there.
bool shows(const View& view, const Piece& piece, const Operation& copy) {
  const View* source = copied_view(copy);
  if (!source || !(source->store == view.store)) return false;
  const View& output = *copy.output();
  const View shown = at(view, piece.cells), copied = at(through(whole(output.store), output, *source), piece.cells);
  for (int k = 0; k < shown.map.store_rank; ++k) {
    const auto &a = shown.map[k], &b = copied.map[k];
    const auto is_one = [&](const auto& axis) { return axis.axis < 0 || shown.shape[axis.axis] == 1; };
    const bool is_same = is_one(a) && is_one(b) ? a.offset == b.offset : a == b;
    if (!is_same || std::abs(a.scale) > 1) return false;
  }
  return !goes_beyond(shown);
}

// Several cells of the made array lie beyond some end.
bool is_wide(const View& view) {
  const Rect cells = image(view.map, Rect::of(view.shape));
  for (int k = 0; k < cells.rank; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    if (cells.lo[axis] < -1 || cells.hi[axis] > view.store->shape[k] + 1) return true;
  }
  return false;
}

}  // namespace

std::optional<PieceView> view_of_pieces(std::span<const Piece> pieces, const std::vector<Operation>& operations) {
  const auto cells = [](const Piece& piece) { return piece.cells.cells(); };
  const Piece& inner = *std::ranges::max_element(pieces, {}, cells);
  const Operation& copy = operations[inner.number];
  const View* source = copied_view(copy);
  if (!source || !is_box(*source)) return {};
  View view = through(whole(copy.output()->store), *copy.output(), *source);
  for (const Beyond beyond : {Beyond::Around, Beyond::Edge, Beyond::Mirror, Beyond::MirrorWithin}) {
    see_beyond(view, beyond);
    const auto is_shown = [&](const Piece& piece) { return shows(view, piece, operations[piece.number]); };
    if (std::ranges::all_of(pieces, is_shown)) return PieceView{at(view, Rect::of(view.shape)), {}};
  }
  see_beyond(view, Beyond::Number);
  const Piece& first = pieces.front();
  const std::size_t fill = (&first == &inner ? pieces.back() : first).number;
  const auto is_shown = [&](const Piece& piece) {
    if (&piece == &inner) return shows(view, piece, copy);
    return piece.number == fill && !copied_view(operations[fill]) && is_number_beyond(at(view, piece.cells));
  };
  if (!is_wide(view) || !std::ranges::all_of(pieces, is_shown)) return {};
  return PieceView{at(view, Rect::of(view.shape)), fill};
}

}  // namespace pilum::scheduler
