#include "numeric/picked_body.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "numeric/body_walk.h"
#include "numeric/gathered_line.h"
#include "numeric/picked_form.h"
#include "numeric/picked_points.h"
#include "numeric/picked_rows.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Stores: the result, the array, the numbers of cells.
template <class T>
void gather_numbered(const PickedForm& form, const BodyCall& call) {
  const int rank = call.piece.rank(), last = rank - 1;
  const BoundStore &out = call.stores[0], &array = call.stores[1], &numbers = call.stores[2];
  const PieceBounds &lo = call.piece.lo(), &hi = call.piece.hi();
  const bool row_major = is_row_major(form, array);
  const T* const from = static_cast<const T*>(array.first);
  PieceBounds point = lo;
  do {
    T* const to = static_cast<T*>(out.first) + cells_to(out, point, rank);
    const auto* const at = static_cast<const std::int64_t*>(numbers.first) + cells_to(numbers, point, rank);
    const std::int64_t by = out.stride[u(last)], count = hi[u(last)] - lo[u(last)];
    const IndexRow row{at, numbers.stride[u(last)], kNumbered, form.cells};
    if (row_major) {
      gather_places(row, form.mode, count, from, 1, to, by);
      continue;
    }
    for_each_place(row, form.mode, count, [&](const std::int64_t* places, std::int64_t first, std::int64_t some) {
      for (std::int64_t i = 0; i < some; ++i) to[(first + i) * by] = from[offset_of(places[i], form, array)];
    });
  } while (next_row(point, lo, hi, rank));
}

template <class T>
void gather_row(const PickedForm& form, const RowOfPoints& row, const T* from, T* to, std::int64_t out_step,
                std::int64_t count) {
  if (row.movers == 0 && row.step == 1 && out_step == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else if (row.movers == 1 && row.step == 0) {
    const RowOfPoints::Moving one = row.moving[0];
    gather_places({one.at, one.by, one.axis, one.extent}, form.mode, count, from, one.stride, to, out_step);
  } else {
    std::array<std::int64_t, kPlacesAtOnce> offsets;
    for (std::int64_t first = 0; first < count; first += kPlacesAtOnce) {
      const std::int64_t some = std::min(kPlacesAtOnce, count - first);
      for (std::int64_t i = 0; i < some; ++i) offsets[static_cast<std::size_t>(i)] = (first + i) * row.step;
      for (std::size_t k = 0; k < row.movers; ++k) {
        const RowOfPoints::Moving& one = row.moving[k];
        for_each_place({one.at + first * one.by, one.by, one.axis, one.extent}, form.mode, some,
                       [&, stride = one.stride](const std::int64_t* places, std::int64_t, std::int64_t) {
                         for (std::int64_t i = 0; i < some; ++i)
                           offsets[static_cast<std::size_t>(i)] += places[i] * stride;
                       });
      }
      for (std::int64_t i = 0; i < some; ++i) to[(first + i) * out_step] = from[offsets[static_cast<std::size_t>(i)]];
    }
  }
}

// Cells of one row of the piece, but for the first axis, side by side in what there is of the store; 0: they are not.
std::int64_t cells_side_by_side(const BoundStore& store, const PieceBounds& lo, const PieceBounds& hi, int rank) {
  std::int64_t cells = 1;
  for (int axis = rank - 1; axis > 0; --axis) {
    const std::int64_t extent = hi[u(axis)] - lo[u(axis)];
    if (extent > 1 && store.stride[u(axis)] != cells) return 0;
    cells *= extent;
  }
  return cells;
}

// `samples[order]`: whole rows by the numbers of the first axis. Each is copied while those that come next are fetched,
// as far apart as they lie. False: the call is another.
template <class T>
bool gather_rows(const PickedForm& form, const BodyCall& call) {
  constexpr std::int64_t kAhead = 8, kLine = 64 / static_cast<std::int64_t>(sizeof(T)), kMostLines = 8;
  const BoundStore &out = call.stores[0], &array = call.stores[1], &index = call.stores[2];
  const PieceBounds &lo = call.piece.lo(), &hi = call.piece.hi();
  const int rank = call.piece.rank();
  if (form.rank != rank || rank < 2 || form.follows[0] != -1 || index.stride[0] == 0) return false;
  for (int axis = 1; axis < rank; ++axis)
    if (form.follows[u(axis)] != axis || index.stride[u(axis)] != 0) return false;
  const std::int64_t cells = cells_side_by_side(array, lo, hi, rank);
  if (cells == 0 || cells_side_by_side(out, lo, hi, rank) != cells) return false;
  if (array.lo[0] != 0 || array.hi[0] != form.extents[0]) return false;
  const auto* const at = static_cast<const std::int64_t*>(index.first) + cells_to(index, lo, form.points_rank);
  const T* from = static_cast<const T*>(array.first);
  for (int axis = 1; axis < rank; ++axis) from += (lo[u(axis)] - array.lo[u(axis)]) * array.stride[u(axis)];
  T* const to = static_cast<T*>(out.first) + cells_to(out, lo, rank);
  for_each_place({at, index.stride[0], 0, form.extents[0]}, form.mode, hi[0] - lo[0],
                 [&](const std::int64_t* places, std::int64_t first, std::int64_t some) {
                   for (std::int64_t i = 0; i < some; ++i) {
                     const T* const next = from + places[std::min(i + kAhead, some - 1)] * array.stride[0];
                     for (std::int64_t line = 0; line < std::min(cells, kMostLines * kLine); line += kLine)
                       __builtin_prefetch(next + line);
                     std::memcpy(to + (first + i) * out.stride[0], from + places[i] * array.stride[0],
                                 static_cast<std::size_t>(cells) * sizeof(T));
                   }
                 });
  return true;
}

// Stores: the result, the array, the indices.
template <class T>
void gather(const PickedForm& given, const BodyCall& all) {
  MergedPoints merged(given, all.stores, /*by_point=*/0, all.piece, /*in_any_order=*/true);
  const PickedForm& form = merged.form;
  const BodyCall call{Piece(merged.rank, merged.lo, merged.hi), merged.stores.data(), all.scalars};
  if (form.numbered) return gather_numbered<T>(form, call);
  if (gather_rows<T>(form, call)) return;
  const BoundStore &out = call.stores[0], &array = call.stores[1];
  const int rank = call.piece.rank();
  for_each_row(form, call.piece.lo(), call.piece.hi(), rank, /*in_any_order=*/true,
               [&](const PieceBounds& point, int along, std::int64_t count) {
                 const RowOfPoints row = *row_of_points(form, array, call.stores + 2, point, along, count);
                 gather_row(form, row, static_cast<const T*>(array.first) + row.offset,
                            static_cast<T*>(out.first) + cells_to(out, point, rank), out.stride[u(along)], count);
               });
}

}  // namespace

LibraryBody::Form pack_form(const PickedCells& picked, PickedWrite write) {
  const Array& array = picked.array;
  LibraryBody::Form form = {static_cast<std::int64_t>(itemsize(array.dtype())),
                            static_cast<std::int64_t>(array.dtype()),
                            static_cast<std::int64_t>(write),
                            static_cast<std::int64_t>(picked.mode),
                            array.ndim(),
                            picked.shape.rank(),
                            picked.follows.empty(),
                            picked.behind};
  for (int axis = 0; axis < array.ndim(); ++axis) form.push_back(picked.follows.empty() ? -1 : picked.follows[u(axis)]);
  if (picked.before > 0) form.push_back(picked.before);
  return form;
}

void gather(std::span<const std::int64_t> packed, const BodyCall& call) {
  PickedForm form(packed);
  for (int axis = 0; axis < form.rank; ++axis) form.set_extent(axis, call.stores[1].hi[u(axis)]);
  visit_size(form.itemsize, [&]<class T>(T) { gather<T>(form, call); });
}

void locate(std::span<const std::int64_t> packed, const BodyCall& call, std::int64_t* coordinates) {
  PickedForm form(packed);
  for (int axis = 0; axis < form.rank; ++axis) form.set_extent(axis, call.stores[1].hi[u(axis)]);
  const int rank = call.piece.rank();
  const BoundStore* const indices = call.stores + 2;
  int along = rank - 1;  // the innermost axis that has more than one point
  while (along > 0 && call.piece.extent(along) == 1) --along;
  // The indices `number` of a row of points, which name an axis of that extent: to every form.rank-th coordinate.
  const auto locate_row = [&](int number, int axis, std::int64_t extent, const PieceBounds& point) {
    const BoundStore& index = indices[number];
    const IndexRow row{static_cast<const std::int64_t*>(index.first) + cells_to(index, point, rank),
                       index.stride[u(along)], axis, extent};
    std::int64_t* to = coordinates + std::max(axis, 0);
    for_each_place(row, form.mode, call.piece.extent(along),
                   [&](const std::int64_t* places, std::int64_t, std::int64_t some) {
                     if (form.rank == 1) {
                       to = std::copy_n(places, some, to);
                     } else {
                       for (std::int64_t i = 0; i < some; ++i, to += form.rank) *to = places[i];
                     }
                   });
  };
  for_each_point(call.piece, along, [&](const PieceBounds& point) {
    const std::int64_t count = call.piece.extent(along);
    for (int axis = 0; axis < form.rank && !form.numbered; ++axis) {
      const int follows = form.follows[u(axis)];
      if (follows < 0) {
        locate_row(-1 - follows, axis, form.extents[u(axis)], point);
        continue;
      }
      const std::int64_t step = follows == along ? 1 : 0;
      for (std::int64_t i = 0; i < count; ++i) coordinates[i * form.rank + axis] = point[u(follows)] + i * step;
    }
    if (form.numbered) {
      locate_row(0, kNumbered, form.cells, point);
      for (std::int64_t i = 0; i < count && form.rank > 1; ++i) {
        std::int64_t* const at = coordinates + i * form.rank;
        std::int64_t number = at[0];
        for (int axis = form.rank - 1; axis >= 0; --axis) {
          at[axis] = number % form.extents[u(axis)];
          number /= form.extents[u(axis)];
        }
      }
    }
    coordinates += count * form.rank;
  });
}

}  // namespace pilum::numeric
