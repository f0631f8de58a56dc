// How bodies of the library's go through the arrays that they are given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "pilum/detail/task_form.h"

namespace pilum::numeric {

// From a store's first cell to the one at `point`, by its first `rank` axes.
inline std::int64_t cells_to(const pilum::detail::BoundStore& store, const Piece::Bounds& point, int rank) {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis)
    offset += (point[axis] - store.lo[axis]) * store.stride[axis];
  return offset;
}

// Cell `at` of a store's first axis, as a store of the `rank` axes behind it.
inline pilum::detail::BoundStore cell_of_first_axis(const pilum::detail::BoundStore& store, std::int64_t at, int rank,
                                                    std::size_t itemsize) {
  pilum::detail::BoundStore cell;
  cell.first =
      static_cast<std::byte*>(store.first) + (at - store.lo[0]) * store.stride[0] * static_cast<std::int64_t>(itemsize);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis) {
    cell.lo[axis] = store.lo[axis + 1];
    cell.hi[axis] = store.hi[axis + 1];
    cell.stride[axis] = store.stride[axis + 1];
  }
  return cell;
}

// Those of a store's cells that are from `lo` to `hi` along an axis.
inline pilum::detail::BoundStore part_of_store(pilum::detail::BoundStore store, int axis, std::int64_t lo,
                                               std::int64_t hi, std::size_t itemsize) {
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t first = std::max(store.lo[a], lo);
  store.first = static_cast<std::byte*>(store.first) +
                (first - store.lo[a]) * store.stride[a] * static_cast<std::int64_t>(itemsize);
  store.lo[a] = first;
  store.hi[a] = std::min(store.hi[a], hi);
  return store;
}

// Calls visit(point) for each point of a piece, row-major, but with the coordinate `besides` (-1: none) where it
// begins.
template <class Visit>
void for_each_point(const Piece& piece, int besides, const Visit& visit) {
  if (piece.size() == 0) return;
  Piece::Bounds point = piece.lo();
  for (;;) {
    visit(point);
    int axis = piece.rank() - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (axis == besides) continue;
      if (++point[a] < piece.hi(axis)) break;
      point[a] = piece.lo(axis);
    }
    if (axis < 0) return;
  }
}

// Some cells of an array, `step` apart.
template <class T>
struct Line {
  T* first;
  std::int64_t step, count;
  T& operator[](std::int64_t i) const { return first[i * step]; }
};

// Calls visit(line of the array, line of the result) for each point of a body's piece; the stores are the result and
// the array, and have one axis more than the piece.
template <class From, class To, class Visit>
void for_each_line(const pilum::detail::BodyCall& call, const Visit& visit) {
  const pilum::detail::BoundStore &out = call.stores[0], &array = call.stores[1];
  const int rank = call.piece.rank();
  const auto last = static_cast<std::size_t>(rank);
  for_each_point(call.piece, -1, [&](const Piece::Bounds& point) {
    visit(Line<const From>{static_cast<const From*>(array.first) + cells_to(array, point, rank), array.stride[last],
                           array.hi[last] - array.lo[last]},
          Line<To>{static_cast<To*>(out.first) + cells_to(out, point, rank), out.stride[last],
                   out.hi[last] - out.lo[last]});
  });
}

// Lines that lie evenly apart in each of the stores are one launch on a GPU: calls visit(the first one's point, how
// many) for runs of these. The piece's first `axes` axes number the lines.
template <class Visit>
void for_each_run_of_lines(const Piece& piece, int axes, std::initializer_list<const pilum::detail::BoundStore*> stores,
                           const Visit& visit) {
  const auto evenly = [&](int axis) {
    const auto a = static_cast<std::size_t>(axis);
    for (const pilum::detail::BoundStore* store : stores) {
      if (store->stride[a - 1] != store->stride[a] * piece.extent(axis)) return false;
    }
    return true;
  };
  int first = axes;
  std::int64_t lines = 1;
  if (axes > 0) lines = piece.extent(--first);
  while (first > 0 && evenly(first)) lines *= piece.extent(--first);
  Piece::Bounds point = piece.lo();
  while (true) {
    visit(point, lines);
    int axis = first - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++point[a] < piece.hi(axis)) break;
      point[a] = piece.lo(axis);
    }
    if (axis < 0) return;
  }
}

// A cell of that size, to be copied.
struct Bytes16 {
  std::uint64_t words[2];
};

// Calls visit(T()) with an unsigned integer, or a pair of them, of this size: cells that are only moved.
template <class Visit>
void visit_size(std::int64_t itemsize, const Visit& visit) {
  switch (itemsize) {
    case 1: return visit(std::uint8_t{});
    case 2: return visit(std::uint16_t{});
    case 4: return visit(std::uint32_t{});
    case 8: return visit(std::uint64_t{});
    default: return visit(Bytes16{});
  }
}

}  // namespace pilum::numeric
