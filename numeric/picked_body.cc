#include "numeric/picked_body.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/gathered_line.h"
#include "numeric/picked_form.h"
#include "numeric/picked_points.h"
#include "numeric/wrapping.h"
#include "runtime/base/dtype_visit.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;
using PieceBounds = Piece::Bounds;

constexpr int kNumbered = scheduler::kNumberedCell;  // in place of an axis

[[noreturn, gnu::cold]] void refuse(std::int64_t index, int axis, std::int64_t extent) {
  throw IndexError(scheduler::explain_picked(index, axis, extent));
}

bool is_inside(std::int64_t place, std::int64_t extent) {
  return static_cast<std::uint64_t>(place) < static_cast<std::uint64_t>(extent);
}

std::int64_t resolve(std::int64_t index, int axis, std::int64_t extent, IndexMode mode) {
  const std::int64_t place = index + (index < 0 ? extent : 0);
  if (is_inside(place, extent) && (mode != IndexMode::Clip || index >= 0)) [[likely]]
    return place;
  if (mode == IndexMode::Raise) refuse(index, axis, extent);
  if (mode == IndexMode::Clip) return std::clamp<std::int64_t>(index, 0, extent - 1);
  const std::int64_t rest = index % extent;
  return rest < 0 ? rest + extent : rest;
}

std::int64_t resolve(std::int64_t index, int axis, const PickedForm& form) {
  return resolve(index, axis - form.before, form.extents[u(axis)], form.mode);
}

// Indices of an axis, `by` apart.
struct IndexRow {
  const std::int64_t* at;
  std::int64_t by;
  int axis;
  std::int64_t extent;
};

constexpr std::int64_t kPlacesAtOnce = 256;

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
std::int64_t offset_of(std::int64_t number, const PickedForm& form, const BoundStore& array) {
  std::int64_t offset = 0;
  for (int axis = form.rank - 1; axis > 0; --axis) {
    offset += number % form.extents[u(axis)] * array.stride[u(axis)];
    number /= form.extents[u(axis)];
  }
  return offset + number * array.stride[0];
}

bool is_row_major(const PickedForm& form, const BoundStore& array) {
  std::int64_t stride = 1;
  for (int axis = form.rank - 1; axis >= 0; --axis) {
    if (form.extents[u(axis)] > 1 && array.stride[u(axis)] != stride) return false;
    stride *= form.extents[u(axis)];
  }
  return true;
}

// Walks lo … hi row-major, but for the last axis.
bool next_row(PieceBounds& point, const PieceBounds& lo, const PieceBounds& hi, int rank) {
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
std::optional<RowOfPoints> row_of_points(const PickedForm& form, const BoundStore& array, const BoundStore* indices,
                                         const PieceBounds& point, int along, std::int64_t count) {
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
      const BoundStore& index = indices[-1 - follows];
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

// Whose cell is another's nobody can foresee: such a point updates one that nobody has. Chosen by bits, for compilers
// make a branch of `?`.
template <class T>
T& choose_cell(bool here, T* there, T* nobodys) {
  const std::uintptr_t own = -static_cast<std::uintptr_t>(here);
  return *reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(there) & own) |
                               (reinterpret_cast<std::uintptr_t>(nobodys) & ~own));
}

// Of a row in which one axis' indices differ, all of whose cells are at hand: one point after the other.
template <class T, class Update>
void scatter_to_all(const PickedForm& form, const RowOfPoints& row, T* first, const T* values, std::int64_t by,
                    Update update) {
  const RowOfPoints::Moving& one = row.moving[0];
  const std::int64_t extent = one.extent;
  const auto go = [&, at = one.at, end = row.end](std::int64_t index_step, std::int64_t value_step,
                                                  std::int64_t cell_step) {
    for (std::int64_t i = row.begin; i < end; ++i) {
      const std::int64_t index = at[i * index_step], place = index + (index < 0 ? extent : 0);
      if (!is_inside(place, extent)) [[unlikely]]
        refuse(index, one.axis - form.before, extent);
      T& cell = first[place * cell_step];
      cell = update(cell, values[i * value_step]);
    }
  };
  // With steps that are known it takes half as long.
  if (one.by == 1 && one.stride == 1 && by == 1) return go(1, 1, 1);
  if (one.by == 1 && one.stride == 1 && by == 0) return go(1, 0, 1);
  go(one.by, by, one.stride);
}

// The same where some of the cells are another's: first the points of some hundred that have cells here.
template <class T, class Update>
void scatter_to_some(const PickedForm& form, const RowOfPoints& row, T* first, const T* values, std::int64_t by,
                     Update update) {
  constexpr std::size_t kAhead = 16;
  const RowOfPoints::Moving one = row.moving[0];
  const IndexRow indices{one.at + row.begin * one.by, one.by, one.axis - form.before, one.extent};
  for_each_place(indices, form.mode, row.end - row.begin,
                 [&](const std::int64_t* places, std::int64_t begin, std::int64_t some) {
                   std::array<std::int64_t, kPlacesAtOnce> cells, points;
                   std::size_t found = 0;
                   for (std::int64_t i = 0; i < some; ++i) {
                     cells[found] = (places[i] - one.lo) * one.stride;
                     points[found] = row.begin + begin + i;
                     found += is_inside(places[i] - one.lo, one.hi - one.lo);
                   }
                   for (std::size_t k = 0; k < found; ++k) {
                     __builtin_prefetch(first + cells[std::min(k + kAhead, found - 1)], 1);
                     T& cell = first[cells[k]];
                     cell = update(cell, values[points[k] * by]);
                   }
                 });
}

// Of cells that lie evenly apart: side by side, from one value or from values side by side, by vectors.
template <class T, class Update>
void scatter_line(T* cells, std::int64_t step, const T* values, std::int64_t by, std::int64_t begin, std::int64_t end,
                  Update update) {
  if (step == 1 && by == 0 && begin < end) {
    const T value = *values;
    for (std::int64_t i = begin; i < end; ++i) cells[i] = update(cells[i], value);
  } else if (step == 1 && by == 1) {
    for (std::int64_t i = begin; i < end; ++i) cells[i] = update(cells[i], values[i]);
  } else {
    for (std::int64_t i = begin; i < end; ++i) cells[i * step] = update(cells[i * step], values[i * by]);
  }
}

// Of one row.
template <class T, class Update>
void scatter_row(const PickedForm& form, const RowOfPoints& row, T* cells, const T* values, std::int64_t by,
                 Update update) {
  std::array<T, 8> nobodys{};
  const auto apply = [&](T& cell, std::int64_t i) { cell = update(cell, values[i * by]); };
  const auto nobodys_cell = [&](std::int64_t i) { return &nobodys[static_cast<std::size_t>(i) % nobodys.size()]; };
  if (row.movers == 0) {
    scatter_line(cells + row.offset, row.step, values, by, row.begin, row.end, update);
  } else if (row.movers == 1 && row.step == 0 && form.mode == IndexMode::Raise) {
    const RowOfPoints::Moving one = row.moving[0];
    T* const first = cells + row.offset + one.lo * one.stride;
    if (one.lo == 0 && one.hi == one.extent) return scatter_to_all(form, row, first, values, by, update);
    scatter_to_some(form, row, first, values, by, update);
  } else {
    for (std::int64_t i = row.begin; i < row.end; ++i) {
      std::int64_t offset = row.offset + i * row.step;
      bool here = true;
      for (std::size_t k = 0; k < row.movers; ++k) {
        const RowOfPoints::Moving& one = row.moving[k];
        const std::int64_t place = resolve(one.at[i * one.by], one.axis, form);
        here = here & is_inside(place - one.lo, one.hi - one.lo);
        offset += place * one.stride;
      }
      apply(choose_cell(here, cells + offset, nobodys_cell(i)), i);
    }
  }
}

// Of cells that are numbered.
template <class T, class Update>
void scatter_numbered(const PickedForm& form, const BodyCall& call, Update update) {
  const BoundStore &array = call.stores[0], &values = call.stores[1], &numbers = call.stores[2];
  const Piece points(form.points_rank, values.lo, values.hi);
  for_each_point(points, -1, [&](const PieceBounds& point) {
    std::int64_t number =
        resolve(static_cast<const std::int64_t*>(numbers.first)[cells_to(numbers, point, form.points_rank)], kNumbered,
                form.cells, form.mode);
    std::int64_t offset = 0;
    bool here = true;
    for (int a = form.rank - 1; a >= 0; --a) {
      const std::int64_t place = a > 0 ? number % form.extents[u(a)] : number;
      number /= form.extents[u(a)];
      here = here && place >= array.lo[u(a)] && place < array.hi[u(a)];
      offset += (place - array.lo[u(a)]) * array.stride[u(a)];
    }
    if (!here) return;
    T& cell = static_cast<T*>(array.first)[offset];
    cell = update(cell, static_cast<const T*>(values.first)[cells_to(values, point, form.points_rank)]);
  });
}

// Such points: values and indices of some thousand are put one behind the other first.
template <class T, class Update>
void scatter_packed(const MergedPoints& points, Update update) {
  constexpr std::int64_t kAtOnce = 4096;
  const int last = points.rank - 1, along = last - 1;
  const std::int64_t columns = points.hi[u(last)] - points.lo[u(last)], rows = kAtOnce / columns;
  PickedForm form = points.form;
  form.points_rank = last;
  std::vector<BoundStore> packed = points.stores;
  const auto values = std::make_unique<T[]>(kAtOnce);
  std::vector<std::vector<std::int64_t>> indices(packed.size() - 2, std::vector<std::int64_t>(kAtOnce));
  packed[1].first = values.get();
  for (std::size_t k = 0; k < indices.size(); ++k) packed[k + 2].first = indices[k].data();
  const auto pack = [&](auto* to, const BoundStore& store, const PieceBounds& from, std::int64_t count) {
    using Cell = std::remove_pointer_t<decltype(to)>;
    const Cell* const cells = static_cast<const Cell*>(store.first) + cells_to(store, from, points.rank);
    for (std::int64_t j = 0; j < columns; ++j) {
      const Cell* const column = cells + j * store.stride[u(last)];
      for (std::int64_t i = 0; i < count; ++i) to[i * columns + j] = column[i * store.stride[u(along)]];
    }
  };
  PieceBounds point = points.lo;
  do {
    for (std::int64_t first = points.lo[u(along)]; first < points.hi[u(along)]; first += rows) {
      const std::int64_t count = std::min(rows, points.hi[u(along)] - first);
      point[u(along)] = first;
      pack(values.get(), points.stores[1], point, count);
      for (std::size_t k = 0; k < indices.size(); ++k) pack(indices[k].data(), points.stores[k + 2], point, count);
      PieceBounds start = point;
      start[u(along)] = 0;
      for (std::size_t k = 1; k < packed.size(); ++k) {  // one row, wherever it begins
        for (int axis = 0; axis < along; ++axis) packed[k].lo[u(axis)] = point[u(axis)];
        packed[k].lo[u(along)] = 0;
        packed[k].hi[u(along)] = count * columns;
        packed[k].stride[u(along)] = 1;
      }
      const std::optional<RowOfPoints> row =
          row_of_points(form, packed[0], packed.data() + 2, start, along, count * columns);
      if (row) scatter_row(form, *row, static_cast<T*>(packed[0].first), values.get(), 1, update);
    }
    point[u(along)] = points.lo[u(along)];
  } while (next_row(point, points.lo, points.hi, points.rank - 1));
}

// Stores: the array, the values, the indices. Of the points, those whose cell is in the piece.
template <class T, class Update>
void scatter(const PickedForm& given, const BodyCall& call, Update update) {
  if (given.numbered) return scatter_numbered<T>(given, call, update);
  const PieceBounds &first = call.stores[1].lo, &end = call.stores[1].hi;  // the piece's share of the points
  for (int axis = 0; axis < given.points_rank; ++axis) {
    if (end[u(axis)] <= first[u(axis)]) return;
  }
  const MergedPoints merged(given, call.stores, /*by_point=*/1, Piece(given.points_rank, first, end),
                            /*in_any_order=*/false);
  if (merged.has_short_rows()) return scatter_packed<T>(merged, update);
  const PickedForm& form = merged.form;
  const BoundStore &array = merged.stores[0], &values = merged.stores[1];
  for_each_row(form, merged.lo, merged.hi, merged.rank, /*in_any_order=*/false,
               [&](const PieceBounds& point, int along, std::int64_t count) {
                 const std::optional<RowOfPoints> row =
                     row_of_points(form, array, merged.stores.data() + 2, point, along, count);
                 if (!row) return;
                 scatter_row(form, *row, static_cast<T*>(array.first),
                             static_cast<const T*>(values.first) + cells_to(values, point, form.points_rank),
                             values.stride[u(along)], update);
               });
}

// Calls visit(T(), update) with what new cells are of old ones and values. Of complex numbers: what keeps the least or
// the largest is refused at the call.
template <class Visit>
void with_update(const PickedForm& form, const Visit& visit) {
  if (form.write == PickedWrite::Assign)
    return visit_size(form.itemsize, [&]<class T>(T) { visit(T(), [](const T&, const T& value) { return value; }); });
  if (is_complex(form.dtype)) {
    const auto visit_complex = [&]<class T>(T) {
      if (form.write == PickedWrite::Add) {
        return visit(T(), [](const T& a, const T& b) { return T(a.real() + b.real(), a.imag() + b.imag()); });
      }
      visit(T(), [](const T& a, const T& b) {
        return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
      });
    };
    return form.dtype == DType::Complex64 ? visit_complex(std::complex<float>())
                                          : visit_complex(std::complex<double>());
  }
  visit_real_dtype(form.dtype, [&]<class T>(T) {
    switch (form.write) {
      case PickedWrite::Add: return visit(T(), [](T a, T b) { return add_wrapping<T>(a, b); });
      case PickedWrite::Multiply: return visit(T(), [](T a, T b) { return multiply_wrapping<T>(a, b); });
      case PickedWrite::Minimum: return visit(T(), [](T a, T b) { return minimum_with_nan<T>(a, b); });
      default: return visit(T(), [](T a, T b) { return maximum_with_nan<T>(a, b); });
    }
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

void scatter(std::span<const std::int64_t> packed, const BodyCall& call) {
  PickedForm form(packed);
  for (int axis = 0; axis < form.rank; ++axis) form.set_extent(axis, static_cast<std::int64_t>(call.scalars[u(axis)]));
  with_update(form, [&]<class T, class Update>(T, Update update) { scatter<T>(form, call, update); });
}

scheduler::CellUpdates combine_of(std::span<const std::int64_t> packed) {
  scheduler::CellUpdates combine;
  with_update(PickedForm(packed), [&]<class T, class Update>(T, Update) {
    combine.row = [](void* cells, const void* values, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        T& cell = static_cast<T*>(cells)[i];
        cell = Update()(cell, static_cast<const T*>(values)[i]);
      }
    };
    combine.each = [](void* const* cells, const void* const* values, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        T& cell = *static_cast<T*>(cells[i]);
        cell = Update()(cell, *static_cast<const T*>(values[i]));
      }
    };
    combine.at = [](void* cells, std::int64_t pitch, const std::int64_t* places, const void* values, std::int64_t step,
                    std::int64_t count) {
      const auto* value = static_cast<const std::byte*>(values);
      for (std::int64_t i = 0; i < count; ++i, value += step) {
        T& cell = *reinterpret_cast<T*>(static_cast<std::byte*>(cells) + places[i] * pitch);
        cell = Update()(cell, *reinterpret_cast<const T*>(value));
      }
    };
  });
  return combine;
}

}  // namespace pilum::numeric
