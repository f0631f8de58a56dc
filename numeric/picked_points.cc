#include "numeric/picked_points.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pilum::numeric {
namespace {

using pilum::detail::BoundStore;

std::size_t count_indices(const PickedForm& form) {
  int count = 1;
  for (int axis = 0; axis < form.rank && !form.numbered; ++axis) count = std::max(count, -form.follows[u(axis)]);
  return static_cast<std::size_t>(count);
}

}  // namespace

MergedPoints::MergedPoints(const PickedForm& of, const BoundStore* given, std::size_t by_point, const Piece& points,
                           bool in_any_order)
    : form(of),
      stores(given, given + 2 + count_indices(of)),
      lo(points.lo()),
      hi(points.hi()),
      rank(points.rank()),
      by_point_(by_point) {
  for (int turn = 0; turn < rank && in_any_order; ++turn) {
    for (int axis = 0; axis + 1 < rank; ++axis) {
      const BoundStore& store = stores[by_point];
      if (extent(axis + 1) > 1 && store.stride[u(axis)] < store.stride[u(axis + 1)]) swap_axes(axis);
    }
  }
  for (int axis = rank - 2; axis >= 0; --axis) {
    if (can_merge(axis)) merge(axis);
  }
  form.points_rank = rank;
}

bool MergedPoints::has_short_rows() const {
  constexpr std::int64_t kShort = 16, kMany = 32;
  const int last = rank - 1;
  return rank > 1 && extent(last) < kShort && extent(last) * extent(last - 1) >= kMany && !is_followed(last) &&
         !is_followed(last - 1);
}

bool MergedPoints::is_followed(int axis) const {
  const auto end = form.follows.begin() + form.rank;
  return !form.numbered && std::find(form.follows.begin(), end, axis) != end;
}

void MergedPoints::swap_axes(int axis) {
  const auto swap_in = [axis](auto& of_axes) { std::swap(of_axes[u(axis)], of_axes[u(axis + 1)]); };
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (!is_by_point(i)) continue;
    swap_in(stores[i].lo);
    swap_in(stores[i].hi);
    swap_in(stores[i].stride);
  }
  swap_in(lo);
  swap_in(hi);
  for (int a = 0; a < form.rank && !form.numbered; ++a) {
    int& follows = form.follows[u(a)];
    if (follows == axis || follows == axis + 1) follows = 2 * axis + 1 - follows;
  }
}

bool MergedPoints::can_merge(int axis) const {
  if (is_followed(axis) || is_followed(axis + 1)) return false;
  if (extent(axis + 1) == 1 || extent(axis) == 1) return true;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (is_by_point(i) && stores[i].stride[u(axis)] != extent(axis + 1) * stores[i].stride[u(axis + 1)]) return false;
  }
  return true;
}

void MergedPoints::merge(int axis) {
  const std::int64_t cells = extent(axis) * extent(axis + 1);
  const auto drop_next = [&](auto& of_axes) {
    std::copy(of_axes.begin() + axis + 2, of_axes.begin() + rank, of_axes.begin() + axis + 1);
  };
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (!is_by_point(i)) continue;
    BoundStore& store = stores[i];
    const std::int64_t size = i > 1 ? static_cast<std::int64_t>(sizeof(std::int64_t)) : form.itemsize;
    const std::int64_t first = (lo[u(axis)] - store.lo[u(axis)]) * store.stride[u(axis)] +
                               (lo[u(axis + 1)] - store.lo[u(axis + 1)]) * store.stride[u(axis + 1)];
    store.first = static_cast<std::byte*>(store.first) + first * size;
    if (extent(axis + 1) > 1) store.stride[u(axis)] = store.stride[u(axis + 1)];
    drop_next(store.lo);
    drop_next(store.hi);
    drop_next(store.stride);
    store.lo[u(axis)] = 0;
    store.hi[u(axis)] = cells;
  }
  drop_next(lo);
  drop_next(hi);
  lo[u(axis)] = 0;
  hi[u(axis)] = cells;
  for (int a = 0; a < form.rank && !form.numbered; ++a) {
    if (form.follows[u(a)] > axis) --form.follows[u(a)];
  }
  --rank;
}

}  // namespace pilum::numeric
