#include "tests/random/draw_leaf.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace pilum::random_programs {
namespace {

IndexItem position_in(Dice& dice, std::int64_t extent) {
  IndexItem item{IndexItem::Kind::Position};
  item.position = dice.percent(30) ? dice.between(-extent, -1) : dice.below(extent);
  return item;
}

// The `count` places first, first + |step|, …, from the back for a negative step, written as Python might.
IndexItem range_item(Dice& dice, std::int64_t extent, std::int64_t first, std::int64_t step, std::int64_t count) {
  IndexItem item{IndexItem::Kind::Slice};
  const std::int64_t size = std::abs(step);
  const std::int64_t last = first + (count - 1) * size;
  std::int64_t start = step > 0 ? first : last;
  std::int64_t stop = step > 0 ? std::min(last + 1 + dice.below(size), extent) : first - 1;
  if (count == 0) stop = start;
  item.range.step = step;
  const bool open_start = count > 0 && (step > 0 ? first == 0 : last == extent - 1);
  const bool open_stop = count > 0 && (step > 0 ? stop == extent : stop < 0);
  if (!open_start) item.range.start = start > 0 && start < extent && dice.percent(20) ? start - extent : start;
  if (!open_stop) item.range.stop = stop > 0 && stop < extent && dice.percent(40) ? stop - extent : stop;
  return item;
}

std::int64_t draw_step(Dice& dice) {
  static constexpr std::array<std::int64_t, 8> kSteps = {1, 1, 1, 1, 2, 3, -1, -2};
  return dice.one_of(kSteps);
}

// `count` of `extent` places; count <= extent.
IndexItem some_places(Dice& dice, std::int64_t extent, std::int64_t count) {
  if (count == extent) return dice.percent(15) ? range_item(dice, extent, 0, -1, count) : IndexItem{};
  std::int64_t step = draw_step(dice);
  const std::int64_t reach = std::max<std::int64_t>(count - 1, 0);
  if (reach * std::abs(step) >= extent) step = step < 0 ? -1 : 1;
  const std::int64_t first = dice.between(0, std::max<std::int64_t>(extent - 1 - reach * std::abs(step), 0));
  return range_item(dice, extent, first, step, count);
}

ViewStep transposition(Dice& dice, std::size_t rank) {
  ViewStep step{ViewStep::Kind::Transpose};
  for (std::size_t axis = 0; axis < rank; ++axis) step.order.push_back(static_cast<int>(axis));
  for (std::size_t axis = rank; axis > 1; --axis) {
    std::swap(step.order[axis - 1], step.order[static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(axis)))]);
  }
  return step;
}

Extents permuted(const Extents& shape, const std::vector<int>& order) {
  Extents result;
  for (int axis : order) result.push_back(shape[static_cast<std::size_t>(axis)]);
  return result;
}

bool is_whole(const IndexItem& item) {
  return item.kind == IndexItem::Kind::Slice && !item.range.start && !item.range.stop && item.range.step == 1;
}

void add_index(Leaf& leaf, std::vector<IndexItem> items) {
  if (std::all_of(items.begin(), items.end(), is_whole)) return;
  leaf.steps.push_back(ViewStep{ViewStep::Kind::Index, std::move(items), {}});
}

}  // namespace

Leaf draw_view(Dice& dice, int name, const Extents& shape) {
  Leaf leaf{name, {}};
  std::vector<IndexItem> items;
  std::size_t rank = shape.size();
  for (std::int64_t extent : shape) {
    if (rank < 4 && dice.percent(4)) {
      items.push_back(IndexItem{IndexItem::Kind::NewAxis});
      ++rank;
    }
    if (extent > 0 && dice.percent(15)) {
      items.push_back(position_in(dice, extent));
      --rank;
    } else if (dice.percent(45)) {
      items.push_back(IndexItem{});
    } else {
      const std::int64_t count =
          dice.percent(60) ? std::max<std::int64_t>(extent - dice.between(0, 2), 0) : dice.between(0, extent);
      items.push_back(some_places(dice, extent, count));
    }
  }
  add_index(leaf, std::move(items));
  if (rank > 1 && dice.percent(15)) leaf.steps.push_back(transposition(dice, rank));
  return leaf;
}

std::optional<Leaf> draw_fit(Dice& dice, int name, const Extents& whole, const Extents& wanted) {
  Leaf leaf{name, {}};
  Extents shape = whole;
  if (shape.size() > 1 && dice.percent(15)) {
    leaf.steps.push_back(transposition(dice, shape.size()));
    shape = permuted(shape, leaf.steps.back().order);
  }
  std::size_t to_drop = shape.size() > wanted.size() ? shape.size() - wanted.size() : 0;
  std::size_t to_add = shape.size() < wanted.size() && dice.percent(40) ? wanted.size() - shape.size() : 0;
  std::size_t axis_wanted = wanted.size() - (shape.size() - to_drop) - to_add;
  std::vector<IndexItem> items;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t extent = shape[axis];
    const std::size_t left = shape.size() - axis;
    if (to_drop > 0 && (to_drop == left || dice.percent(50))) {
      if (extent == 0) return {};
      items.push_back(position_in(dice, extent));
      --to_drop;
      continue;
    }
    for (; to_add > 0 && dice.percent(50); --to_add, ++axis_wanted)
      items.push_back(IndexItem{IndexItem::Kind::NewAxis});
    const std::int64_t count = wanted[axis_wanted++];
    const bool repeat = extent > 0 && (extent < count || dice.percent(5));
    if (extent < count && !repeat) return {};
    items.push_back(some_places(dice, extent, repeat ? 1 : count));
  }
  for (; to_add > 0; --to_add) items.push_back(IndexItem{IndexItem::Kind::NewAxis});
  add_index(leaf, std::move(items));
  return leaf;
}

}  // namespace pilum::random_programs
