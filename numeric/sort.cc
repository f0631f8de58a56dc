// Lines that are sorted, each by one processor.
#include "pilum/sort.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/body_walk.h"
#include "numeric/cell_order.h"
#include "numeric/dtype_rules.h"
#include "numeric/gpu_sort.h"
#include "numeric/line_order.h"
#include "numeric/line_sort.h"
#include "numeric/lines.h"
#include "numeric/masks.h"
#include "numeric/packed_lines.h"
#include "numeric/shapes.h"
#include "numeric/shared_sort.h"
#include "numeric/sorted_lines.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;

// Complex numbers, by comparisons.
template <class T>
void sort_complex(const Line<const T>& from, const Line<T>& to, std::vector<T>& cells) {
  if (to.step != 1) cells.resize(static_cast<std::size_t>(from.count));
  T* const here = to.step == 1 ? to.first : cells.data();
  for (std::int64_t i = 0; i < from.count; ++i) here[i] = from[i];
  std::sort(here, here + from.count, is_before<T>);
  for (std::int64_t i = 0; here != to.first && i < to.count; ++i) to[i] = here[i];
}

constexpr std::size_t kLinesAtOnce = 3;  // in the form

}  // namespace

void sort_lines(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_dtype(static_cast<DType>(form[0]), [&]<class T>(T) {
    if constexpr (ComplexNumber<T>) {
      std::vector<T> cells;
      for_each_line<T, T>(call, [&](const Line<const T>& from, const Line<T>& to) { sort_complex(from, to, cells); });
    } else {
      LineSort<T> sorts(form[kLinesAtOnce]);
      for_each_packed_line<T, T>(call, [&](const Line<const T>& from, const Line<T>& to) { sorts.sort(from, to); });
    }
  });
}

namespace {

// Where complex numbers stand in order, by comparisons.
template <class T>
class ComplexOrder {
 public:
  void order(const Line<const T>& from, const Line<std::int64_t>& to) {
    places_.clear();
    for (std::int64_t i = 0; i < from.count; ++i) places_.push_back({from[i], i});
    // Places differ, so that any sort is a stable one.
    std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
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
      for_each_packed_line<T, std::int64_t>(
          call, [&](const Line<const T>& from, const Line<std::int64_t>& to) { order.order(from, to); });
    };
    if constexpr (ComplexNumber<T>) {
      order_all(ComplexOrder<T>());
    } else {
      order_all(LineOrder<T>(form[kLinesAtOnce]));
    }
  });
}

// How many lines a processor has at once, as far as it matters: it is in the form, and so bodies are few.
std::int64_t lines_at_once(const Call& call, const Array& lines, int along) {
  constexpr std::int64_t kMany = 64;
  const std::int64_t processors = std::max(recorder_of(call).processors().count, 1);
  return std::clamp<std::int64_t>(lines.size() / lines.shape()[along] / processors, 1, kMany);
}

Array in_order(const Call& call, const Array& a, std::optional<int> axis, bool places) {
  const Shape& shape = checked_state(call, a).shape;
  const int along = axis ? checked_axis(call, *axis, shape.rank()) : 0;
  const DType dtype = places ? DType::Int64 : a.dtype();
  const Array lines = axis || shape.rank() == 1 ? a : a.reshape({shape.elements()}, call.where);
  if (lines.size() == 0) return empty(lines.shape(), dtype, call.where);
  if (is_sorted_in_shares(call, lines)) return places ? argsort_in_shares(call, lines) : sort_in_shares(call, lines);
  LibraryBody body{
      places ? argsort_lines : sort_lines,
      {static_cast<std::int64_t>(a.dtype()), places, along == lines.ndim() - 1, lines_at_once(call, lines, along)}};
  if (recorder_of(call).processors().are_gpus && sorts_on_gpu(a.dtype(), places, lines.shape()[along])) {
    body.issue = issue_sort;
    body.scratch = sort_scratch;
  }
  return launch_lines(call, std::move(body), lines, along, lines.shape()[along], dtype);
}

}  // namespace

Array sort(const Array& a, std::optional<Axis> axis, std::source_location where) {
  return in_order(Call{"sort", where}, a, axis, /*places=*/false);
}

void detail::check_sort_kind(std::string_view kind, const char* function, std::source_location where) {
  for (const char* known : {"quicksort", "mergesort", "heapsort", "stable"}) {
    if (kind == known) return;
  }
  fail<ValueError>(Call{function, where}, "there is no sort called \"", kind, "\": write \"stable\", as all are here");
}

Array argsort(const Array& a, std::optional<Axis> axis, std::source_location where) {
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
  const TrueCount count = count_true(call, is_first);
  const Array places = true_cells(call, is_first, arange(Operand(sorted.size(), where)), count);
  const Array end = full({1}, Operand(sorted.size(), where));
  return {true_cells(call, is_first, sorted, count), diff(concatenate({places, end}, 0, where), 1, 0, where)};
}

}  // namespace pilum::numeric
