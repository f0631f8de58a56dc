// Views that go beyond their store: of what is rolled, and of what is padded.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "scheduler/analyze/parts.h"

namespace pilum::scheduler {

// `np::roll(a, 1)` is a seen from its last cell on, `np::pad(a, 1, "edge")` from one before its first. While a window
// is analysed, a view whose cells lie outside of its store shows that: behind the store's last cell of an axis comes
// its first one, or what else partitioner::Beyond says. No recorded view does, and no task: operations that read beyond
// are cut where they do (beyond_parts.h). So what is computed from such arrays is an operation over all points, of
// which shifted ones are computed again as any other.
bool goes_beyond(const View& view);
bool goes_beyond(const View& view, int store_axis);
// The hull of the cells: all of an axis along which they go beyond.
Rect reached_cells(const View& view);
// Of these, which may lie outside of a store of this shape.
Rect reached_cells(const Rect& cells, const Shape& shape);
// None of its cells is one of its store's: all are the number beyond it (WindowStore::fill).
bool is_number_beyond(const View& view);
// The same view without whole turns, and inside of its store if it can be.
void bring_inside(View& view);
// through(), where all of these may go beyond. None: `source` does not have all cells that are asked for, or does not
// have there what is computed from them.
std::optional<View> through_beyond(const View& view, const View& made, const View& source);

// Cells of a store of this shape, and around it, in boxes that are each a plain one of the store.
std::vector<Rect> cut_at_bounds(const Rect& cells, const Shape& shape);

// Where operations over one domain are cut so that no part reads beyond an array.
class BeyondCuts {
 public:
  bool empty() const { return parts_ == 1 && !has_numbers_; }
  std::size_t parts() const { return parts_; }
  // Of a view of this store, seen from the domain.
  void add(const Shape& store, const partitioner::AffineMap& map, const Rect& domain);
  // The parts of the domain, the largest last.
  std::vector<Rect> cut(const Rect& domain) const { return cut_at(domain, places_); }
  // Where there is more than one rim at an end of an axis: what is left without them; nullopt: there is not, or it is
  // less than half of the domain.
  std::optional<Rect> inside(const Rect& domain) const;

 private:
  CutPlaces places_;
  std::size_t parts_ = 1;
  bool has_numbers_ = false;  // some read nothing but what is beyond
};

}  // namespace pilum::scheduler
