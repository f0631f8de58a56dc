#include "scheduler/analyze/beyond.h"

#include <algorithm>
#include <cstdint>

namespace pilum::scheduler {
namespace {

using partitioner::Beyond;

struct Reach {
  std::int64_t lo, hi;
};

// Along one axis of its store.
Reach reach_of(const View& view, int store_axis) {
  const auto& axis = view.map[store_axis];
  if (axis.axis < 0) return {axis.offset, axis.offset + 1};
  const std::int64_t last = axis.offset + axis.scale * (view.shape[axis.axis] - 1);
  return {std::min(axis.offset, last), std::max(axis.offset, last) + 1};
}

// Of a view that lies behind one end of its store, along that axis.
void turn_inside(View& view, int store_axis) {
  auto& axis = view.map[store_axis];
  const bool is_before = reach_of(view, store_axis).lo < 0;
  const std::int64_t extent = view.store->shape[store_axis];
  if (axis.beyond == Beyond::Edge) {
    axis = {-1, 0, is_before ? 0 : extent - 1};
    return;
  }
  const std::int64_t end = is_before ? -1 : 2 * extent - 1;  // a cell and its image add up to that
  const std::int64_t within = axis.beyond == Beyond::MirrorWithin ? (is_before ? 1 : -1) : 0;
  const bool is_one = axis.axis < 0 || view.shape[axis.axis] == 1;
  axis = {axis.axis, is_one ? axis.scale : -axis.scale, end + within - axis.offset};
}

std::int64_t modulo(std::int64_t a, std::int64_t n) {
  return (a % n + n) % n;
}

}  // namespace

bool goes_beyond(const View& view, int store_axis) {
  const Reach reach = reach_of(view, store_axis);
  return reach.lo < 0 || reach.hi > view.store->shape[store_axis];
}

bool is_number_beyond(const View& view) {
  for (int k = 0; k < view.map.store_rank; ++k) {
    const Reach reach = reach_of(view, k);
    if (view.map[k].beyond == Beyond::Number && (reach.hi <= 0 || reach.lo >= view.store->shape[k])) return true;
  }
  return false;
}

bool goes_beyond(const View& view) {
  if (view.shape.elements() == 0) return false;
  for (int k = 0; k < view.map.store_rank; ++k) {
    if (goes_beyond(view, k)) return true;
  }
  return false;
}

Rect reached_cells(const Rect& cells, const Shape& shape) {
  Rect reached = cells;
  for (std::size_t k = 0; k < static_cast<std::size_t>(cells.rank); ++k) {
    const std::int64_t extent = shape[static_cast<int>(k)];
    if (cells.lo[k] >= 0 && cells.hi[k] <= extent) continue;
    reached.lo[k] = 0;
    reached.hi[k] = extent;
  }
  return reached;
}

Rect reached_cells(const View& view) {
  return reached_cells(image(view.map, Rect::of(view.shape)), view.store->shape);
}

void bring_inside(View& view) {
  for (int k = 0; k < view.map.store_rank; ++k) {
    const std::int64_t extent = view.store->shape[k];
    if (extent == 0) continue;
    if (!goes_beyond(view, k)) {
      view.map[k].beyond = Beyond::Around;
      continue;
    }
    const Reach reach = reach_of(view, k);
    if (view.map[k].beyond != Beyond::Around) {
      const bool has_image = view.map[k].beyond != Beyond::Number;
      if (has_image && (reach.hi <= 0 || reach.lo >= extent)) turn_inside(view, k);
      continue;
    }
    std::int64_t lo = modulo(reach.lo, extent);
    if (lo + reach.hi - reach.lo > extent && lo > extent / 2) lo -= extent;
    view.map[k].offset += lo - reach.lo;
  }
}

std::optional<View> through_beyond(const View& view, const View& made, const View& source) {
  View seen = through(view, made, source);
  for (int j = 0; j < seen.map.store_rank; ++j) {
    const auto& axis = source.map[j];
    const int k = axis.axis < 0 ? -1 : made.map.store_axis_of(axis.axis);
    if (k < 0 || !goes_beyond(view, k)) {
      if (goes_beyond(seen, j) && !goes_beyond(source, j)) return {};
      continue;
    }
    // What goes around in what is made does so in what it is made of where that is as long. An end has an image of
    // its own: what is computed from other cells than its own has another one.
    const Beyond beyond = view.map[k].beyond;
    if (source.store->shape[j] != made.store->shape[k] || axis.scale != 1 || made.map[k].scale != 1) return {};
    if (beyond == Beyond::Number) return {};
    if (beyond != Beyond::Around && axis.offset != made.map[k].offset) return {};
    if (goes_beyond(source, j) && axis.beyond != beyond) return {};
    seen.map[j].beyond = beyond;
  }
  bring_inside(seen);
  return seen;
}

void BeyondCuts::add(const Shape& store, const partitioner::AffineMap& map, const Rect& domain) {
  const Rect cells = image(map, domain);
  for (int k = 0; k < map.store_rank; ++k) {
    const auto place = static_cast<std::size_t>(k);
    const std::int64_t extent = store[k];
    has_numbers_ |= map[k].beyond == Beyond::Number && (cells.hi[place] <= 0 || cells.lo[place] >= extent);
    if (map[k].axis < 0 || (cells.lo[place] >= 0 && cells.hi[place] <= extent)) continue;
    const auto axis = static_cast<std::size_t>(map[k].axis);
    std::vector<std::int64_t>& places = places_[axis];
    for (std::int64_t bound = cells.lo[place] - modulo(cells.lo[place], extent) + extent; bound < cells.hi[place];
         bound += extent) {
      const std::int64_t distance = bound - map[k].offset;  // scales are positive
      const std::int64_t at = (distance + map[k].scale - 1) / map[k].scale;
      const auto next = std::lower_bound(places.begin(), places.end(), at);
      if (at > domain.lo[axis] && at < domain.hi[axis] && (next == places.end() || *next != at))
        places.insert(next, at);
    }
  }
  parts_ = 1;
  for (const auto& places : places_) parts_ *= places.size() + 1;
}

std::optional<Rect> BeyondCuts::inside(const Rect& domain) const {
  Rect inside = domain;
  std::size_t thin = 1;  // parts, with one rim at an end
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain.rank); ++axis) {
    const std::int64_t middle = (domain.lo[axis] + domain.hi[axis]) / 2;
    std::size_t ends = 0;
    for (const std::int64_t place : places_[axis]) {
      std::int64_t& end = place <= middle ? inside.lo[axis] : inside.hi[axis];
      if (end == (place <= middle ? domain.lo[axis] : domain.hi[axis])) ++ends;
      end = place <= middle ? std::max(end, place) : std::min(end, place);
    }
    thin *= ends + 1;
  }
  if (parts_ == thin || 2 * inside.cells() < domain.cells()) return {};
  return inside;
}

std::vector<Rect> cut_at_bounds(const Rect& cells, const Shape& shape) {
  CutPlaces places;
  for (std::size_t k = 0; k < static_cast<std::size_t>(cells.rank); ++k) {
    const std::int64_t extent = shape[static_cast<int>(k)];
    for (std::int64_t at = cells.lo[k] - modulo(cells.lo[k], extent) + extent; at < cells.hi[k]; at += extent)
      places[k].push_back(at);
  }
  return cut_at(cells, places);
}

}  // namespace pilum::scheduler
