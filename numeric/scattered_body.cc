// The body on the host that writes picked cells.
#include <algorithm>
#include <array>
#include <complex>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/picked_body.h"
#include "numeric/picked_form.h"
#include "numeric/picked_points.h"
#include "numeric/picked_rows.h"
#include "numeric/wrapping.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

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
