// Rows of points, and the places that index arrays name along them: what bodies that read and write picked cells share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "numeric/body_walk.h"
#include "numeric/gathered_line.h"
#include "numeric/picked_form.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {

using PieceBounds = Piece::Bounds;

inline constexpr int kNumbered = scheduler::kNumberedCell;  // in place of an axis

[[noreturn, gnu::cold]] inline void refuse(std::int64_t index, int axis, std::int64_t extent) {
  throw IndexError(scheduler::explain_picked(index, axis, extent));
}

inline bool is_inside(std::int64_t place, std::int64_t extent) {
  return static_cast<std::uint64_t>(place) < static_cast<std::uint64_t>(extent);
}

inline std::int64_t resolve(std::int64_t index, int axis, std::int64_t extent, IndexMode mode) {
  const std::int64_t place = index + (index < 0 ? extent : 0);
  if (is_inside(place, extent) && (mode != IndexMode::Clip || index >= 0)) [[likely]]
    return place;
  if (mode == IndexMode::Raise) refuse(index, axis, extent);
  if (mode == IndexMode::Clip) return std::clamp<std::int64_t>(index, 0, extent - 1);
  const std::int64_t rest = index % extent;
  return rest < 0 ? rest + extent : rest;
}

inline std::int64_t resolve(std::int64_t index, int axis, const PickedForm& form) {
  return resolve(index, axis - form.before, form.extents[u(axis)], form.mode);
}

// Indices of an axis, `by` apart.
struct IndexRow {
  const std::int64_t* at;
  std::int64_t by;
  int axis;
  std::int64_t extent;
};

inline constexpr std::int64_t kPlacesAtOnce = 256;

// Calls apply(places, first, count) for some hundred indices at a time: where all are looked at before any is used,
// nothing waits for a comparison, and more cells are on their way.
template <class Apply>
void for_each_place(const IndexRow& row, IndexMode mode, std::int64_t count, Apply apply) {
  std::array<std::int64_t, kPlacesAtOnce> places;
  for (std::int64_t first = 0; first < count; first += kPlacesAtOnce) {
    const std::int64_t some = std::min(kPlacesAtOnce, count - first);
    const std::int64_t* const at = row.at + first * row.by;
    bool all_are_inside = mode == IndexMode::Raise;
    for (std::int64_t i = 0; i < some && mode == IndexMode::Raise; ++i) {
      const std::int64_t index = at[i * row.by], place = index + (index < 0 ? row.extent : 0);
      all_are_inside &= is_inside(place, row.extent);
      places[static_cast<std::size_t>(i)] = place;
    }
    for (std::int64_t i = 0; i < some && !all_are_inside; ++i)
      places[static_cast<std::size_t>(i)] = resolve(at[i * row.by], row.axis, row.extent, mode);
    apply(places.data(), first, some);
  }
}

// The cells of a line that indices name, `stride` apart in it.
template <class T>
void gather_places(const IndexRow& row, IndexMode mode, std::int64_t count, const T* from, std::int64_t stride, T* to,
                   std::int64_t out_step) {
  std::int64_t done = 0;
  if (row.by == 1 && stride == 1 && out_step == 1 && mode == IndexMode::Raise)
    done = gather_line(row.at, count, row.extent, from, to);
  to += done * out_step;
  for_each_place({row.at + done * row.by, row.by, row.axis, row.extent}, mode, count - done,
                 [&](const std::int64_t* places, std::int64_t first, std::int64_t some) {
                   for (std::int64_t i = 0; i < some; ++i) to[(first + i) * out_step] = from[places[i] * stride];
                 });
}

// From the array's first cell to that of this number, where all of the array is at hand.
inline std::int64_t offset_of(std::int64_t number, const PickedForm& form, const pilum::detail::BoundStore& array) {
  std::int64_t offset = 0;
  for (int axis = form.rank - 1; axis > 0; --axis) {
    offset += number % form.extents[u(axis)] * array.stride[u(axis)];
    number /= form.extents[u(axis)];
  }
  return offset + number * array.stride[0];
}

inline bool is_row_major(const PickedForm& form, const pilum::detail::BoundStore& array) {
  std::int64_t stride = 1;
  for (int axis = form.rank - 1; axis >= 0; --axis) {
    if (form.extents[u(axis)] > 1 && array.stride[u(axis)] != stride) return false;
    stride *= form.extents[u(axis)];
  }
  return true;
}

// Walks lo … hi row-major, but for the last axis.
inline bool next_row(PieceBounds& point, const PieceBounds& lo, const PieceBounds& hi, int rank) {
  for (int axis = rank - 2; axis >= 0; --axis) {
    if (++point[u(axis)] < hi[u(axis)]) return true;
    point[u(axis)] = lo[u(axis)];
  }
  return false;
}

// Calls visit(point, along, count) for rows of points, `count` from `point` on, which lie along that axis: the last
// one, or, where that is short, the one before it, some hundred at a time; then, unless any order will do, points that
// name one cell come in their order: those along one of the two axes name cells of their own.
template <class Visit>
void for_each_row(const PickedForm& form, const PieceBounds& lo, const PieceBounds& hi, int rank, bool in_any_order,
                  const Visit& visit) {
  constexpr std::int64_t kShort = 16, kBlock = 256;
  const int last = rank - 1;
  const std::int64_t count = hi[u(last)] - lo[u(last)];
  const auto is_followed = [&](int axis) {
    const auto end = form.follows.begin() + form.rank;
    return std::find(form.follows.begin(), end, axis) != end;
  };
  PieceBounds point = lo;
  if (rank < 2 || count >= kShort || hi[u(last - 1)] - lo[u(last - 1)] <= count ||
      !(in_any_order || is_followed(last) || is_followed(last - 1))) {
    do visit(point, last, count);
    while (next_row(point, lo, hi, rank));
    return;
  }
  do {
    for (std::int64_t first = lo[u(last - 1)]; first < hi[u(last - 1)]; first += kBlock) {
      point[u(last - 1)] = first;
      for (point[u(last)] = lo[u(last)]; point[u(last)] < hi[u(last)]; ++point[u(last)])
        visit(point, last - 1, std::min(kBlock, hi[u(last - 1)] - first));
    }
    point[u(last - 1)] = lo[u(last - 1)];
    point[u(last)] = lo[u(last)];
  } while (next_row(point, lo, hi, rank - 1));
}

// Which cells the points of a row name, one that lies along an axis of the points.
struct RowOfPoints {
  struct Moving {
    const std::int64_t* at;
    std::int64_t by, stride, lo, hi, extent;
    int axis;
  };
  std::array<Moving, kMaxAxes> moving;  // by the indices that differ in it
  std::size_t movers = 0;
  std::int64_t offset = 0, step = 0;  // of the first point's cell without these, and from point to point
  std::int64_t begin = 0, end = 0;    // the points whose cells the array has, as far as others than these say
};

// Of `count` points from this one on along an axis. Nothing where none has its cell in what there is of the array.
inline std::optional<RowOfPoints> row_of_points(const PickedForm& form, const pilum::detail::BoundStore& array,
                                                const pilum::detail::BoundStore* indices, const PieceBounds& point,
                                                int along, std::int64_t count) {
  RowOfPoints row;
  row.end = count;
  for (int a = 0; a < form.rank; ++a) {
    const std::int64_t stride = array.stride[u(a)], lo = array.lo[u(a)], hi = array.hi[u(a)];
    const int follows = form.follows[u(a)];
    if (follows == along) {
      row.begin = std::max(row.begin, lo - point[u(along)]);
      row.end = std::min(row.end, hi - point[u(along)]);
      row.offset += (point[u(along)] - lo) * stride;
      row.step += stride;
      continue;
    }
    std::int64_t place = 0;
    if (follows >= 0) {
      place = point[u(follows)];
    } else {
      const pilum::detail::BoundStore& index = indices[-1 - follows];
      const auto* const at = static_cast<const std::int64_t*>(index.first) + cells_to(index, point, form.points_rank);
      if (index.stride[u(along)] != 0) {
        row.moving[row.movers++] = {at, index.stride[u(along)], stride, lo, hi, form.extents[u(a)], a};
        row.offset -= lo * stride;
        continue;
      }
      place = resolve(*at, a, form);
    }
    if (place < lo || place >= hi) return std::nullopt;
    row.offset += (place - lo) * stride;
  }
  return row;
}

}  // namespace pilum::numeric
