// Lines that are sorted, each by one processor.
#include "pilum/sort.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/body_walk.h"
#include "numeric/cell_order.h"
#include "numeric/dtype_rules.h"
#include "numeric/gpu_sort.h"
#include "numeric/lines.h"
#include "numeric/masks.h"
#include "numeric/radix_sort.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;

template <class T>
std::unique_ptr<T[]> make_room(std::int64_t count) {
  return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(count));
}
template <class T>
std::span<T> span_of(T* first, std::int64_t count) {
  return {first, static_cast<std::size_t>(count)};
}

// NaNs behind the numbers, in their order; the end of the numbers.
template <class T>
T* move_nans_back(T* first, T* last) {
  std::vector<T> nans;
  T* end = first;
  for (T* cell = first; cell != last; ++cell) {
    if (*cell == *cell) {
      *end++ = *cell;
    } else {
      nans.push_back(*cell);
    }
  }
  std::ranges::copy(nans, end);
  return end;
}

// By comparisons. Equal cells that differ, zeros of both signs and NaNs, keep their order, as in the other ways.
template <class T>
void sort_short(T* first, T* last) {
  if constexpr (pilum::detail::kIsFloating<T>) {
    last = move_nans_back(first, last);
    std::vector<T> zeros;
    if (std::any_of(first, last, [](T cell) { return cell == T(0) && std::signbit(static_cast<float>(cell)); }))
      std::copy_if(first, last, std::back_inserter(zeros), [](T cell) { return cell == T(0); });
    std::sort(first, last, is_before<T>);
    std::ranges::copy(zeros, std::lower_bound(first, last, T(0), is_before<T>));
  } else {
    std::sort(first, last, is_before<T>);
  }
}

// The form: the dtype; and what GPUs are told (gpu_sort.h).
void sort_lines(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_dtype(static_cast<DType>(form[0]), [&]<class T>(T) {
    std::unique_ptr<T[]> room, other;
    for_each_line<T, T>(call, [&](const Line<const T>& from, const Line<T>& to) {
      if (to.step != 1 && !room) room = make_room<T>(to.count);
      T* cells = to.step == 1 ? to.first : room.get();
      for (std::int64_t i = 0; i < from.count; ++i) cells[i] = from[i];
      if constexpr (!ComplexNumber<T>) {
        if (from.count >= kRadixFrom<T>) {
          if (!other) other = make_room<T>(to.count);
          cells = radix_sort<typename SortKey<T>::Bits>(span_of(cells, from.count), span_of(other.get(), from.count),
                                                        [](T cell) { return SortKey<T>::of(cell); })
                      .data();
        } else {
          sort_short(cells, cells + from.count);
        }
      } else {
        std::sort(cells, cells + from.count, is_before<T>);
      }
      for (std::int64_t i = 0; cells != to.first && i < to.count; ++i) to[i] = cells[i];
    });
  });
}

// A line's cells and their places, digit by digit.
template <class T, class Index>
class LongOrder {
 public:
  void order(const Line<const T>& from, const Line<std::int64_t>& to) {
    if (!places_) {
      places_ = make_room<Place>(from.count);
      room_ = make_room<Place>(from.count);
    }
    for (std::int64_t i = 0; i < from.count; ++i) places_[u(i)] = {SortKey<T>::of(from[i]), static_cast<Index>(i)};
    const std::span<Place> sorted =
        radix_sort<Bits>(span_of(places_.get(), from.count), span_of(room_.get(), from.count),
                         [](const Place& place) { return place.key; });
    for (std::int64_t i = 0; i < to.count; ++i) to[i] = static_cast<std::int64_t>(sorted[u(i)].index);
  }

 private:
  using Bits = typename SortKey<T>::Bits;
  struct Place {
    Bits key;
    Index index;
  };
  static std::size_t u(std::int64_t i) { return static_cast<std::size_t>(i); }

  std::unique_ptr<Place[]> places_, room_;
};

// The same of few cells, by comparisons.
template <class T>
class ShortOrder {
 public:
  void order(const Line<const T>& from, const Line<std::int64_t>& to) {
    places_.clear();
    for (std::int64_t i = 0; i < from.count; ++i) places_.push_back({from[i], i});
    auto end = places_.end();
    if constexpr (pilum::detail::kIsFloating<T>)
      end = std::stable_partition(places_.begin(), end, [](const Place& place) { return place.cell == place.cell; });
    // Places differ, so that any sort is a stable one.
    std::sort(places_.begin(), end, [](const Place& a, const Place& b) {
      return is_before(a.cell, b.cell) || (!is_before(b.cell, a.cell) && a.index < b.index);
    });
    for (std::int64_t i = 0; i < to.count; ++i) to[i] = places_[static_cast<std::size_t>(i)].index;
  }

 private:
  struct Place {
    T cell;
    std::int64_t index;
  };

  std::vector<Place> places_;
};

void argsort_lines(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_dtype(static_cast<DType>(form[0]), [&]<class T>(T) {
    const auto order_all = [&](auto order) {
      for_each_line<T, std::int64_t>(
          call, [&](const Line<const T>& from, const Line<std::int64_t>& to) { order.order(from, to); });
    };
    if constexpr (!ComplexNumber<T>) {
      const auto last = static_cast<std::size_t>(call.piece.rank());
      const std::int64_t cells = call.stores[1].hi[last] - call.stores[1].lo[last];
      const bool is_narrow = sizeof(T) < 8 && cells <= std::numeric_limits<std::uint32_t>::max();
      if (cells >= kRadixFrom<T> && is_narrow) return order_all(LongOrder<T, std::uint32_t>());
      if (cells >= kRadixFrom<T>) return order_all(LongOrder<T, std::uint64_t>());
    }
    order_all(ShortOrder<T>());
  });
}

Array in_order(const Call& call, const Array& a, std::optional<int> axis, bool places) {
  const Shape& shape = checked_state(call, a).shape;
  const int along = axis ? checked_axis(call, *axis, shape.rank()) : 0;
  const DType dtype = places ? DType::Int64 : a.dtype();
  const Array lines = axis || shape.rank() == 1 ? a : a.reshape({shape.elements()}, call.where);
  if (lines.size() == 0) return empty(lines.shape(), dtype, call.where);
  LibraryBody body{places ? argsort_lines : sort_lines,
                   {static_cast<std::int64_t>(a.dtype()), places, along == lines.ndim() - 1}};
  if (recorder_of(call).processors().are_gpus && sorts_on_gpu(a.dtype(), places, lines.shape()[along])) {
    body.issue = issue_sort;
    body.scratch = sort_scratch;
  }
  return launch_lines(call, std::move(body), lines, along, lines.shape()[along], dtype);
}

}  // namespace

Array sort(const Array& a, std::optional<int> axis, std::source_location where) {
  return in_order(Call{"sort", where}, a, axis, /*places=*/false);
}

Array argsort(const Array& a, std::optional<int> axis, std::source_location where) {
  const Call call{"argsort", where};
  const bool of_one = checked_state(call, a).shape.rank() == 0 && axis && (*axis == 0 || *axis == -1);  // as in NumPy
  return in_order(call, a, of_one ? std::nullopt : axis, /*places=*/true);
}

namespace {

// Of sorted cells, which differ from the one before them.
Array first_ones(const Call& call, const Array& sorted) {
  const std::int64_t count = sorted.size();
  const Array is_first = ones({count}, DType::Bool, call.where);
  if (count < 2) return is_first;
  const Array after = part_of_axis(sorted, 0, 1, count - 1), before = part_of_axis(sorted, 0, 0, count - 1);
  const Array differs = Operand(after, call.where) != Operand(before, call.where);
  part_of_axis(is_first, 0, 1, count - 1) = Operand(differs, call.where);
  return is_first;
}

}  // namespace

Array unique(const Array& a, std::source_location where) {
  const Call call{"unique", where};
  static_cast<void>(checked_state(call, a));
  Array sorted = in_order(call, a, {}, /*places=*/false);
  const std::int64_t count = sorted.size();
  if (count < 2) return sorted;
  const Array is_first = first_ones(call, sorted);
  if (is_inexact(a.dtype())) {  // NaNs stand last, and the first of them counts
    const Array before = part_of_axis(sorted, 0, 0, count - 1), after = part_of_axis(is_first, 0, 1, count - 1);
    const Array is_number = Operand(before, where) == Operand(before, where);
    part_of_axis(is_first, 0, 1, count - 1) = Operand(after, where) & Operand(is_number, where);
  }
  return true_cells(call, is_first, sorted, count_true(call, is_first));
}

std::pair<Array, Array> unique_counts(const Array& a, std::source_location where) {
  const Call call{"unique_counts", where};
  static_cast<void>(checked_state(call, a));
  const Array sorted = in_order(call, a, {}, /*places=*/false);
  const Array is_first = first_ones(call, sorted);
  if (sorted.size() == 0) return {sorted, empty({0}, DType::Int64, where)};
  const std::int64_t count = count_true(call, is_first);
  const Array places = true_cells(call, is_first, arange(Operand(sorted.size(), where)), count);
  const Array end = full({1}, Operand(sorted.size(), where));
  return {true_cells(call, is_first, sorted, count), diff(concatenate({places, end}, 0, where), 1, 0, where)};
}

}  // namespace pilum::numeric
