#include "numeric/shared_sort.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/library_task.h"
#include "numeric/number_copy.h"
#include "numeric/parted_sort.h"
#include "numeric/place_words.h"
#include "numeric/radix_sort.h"
#include "numeric/run_merge.h"
#include "numeric/sort_room.h"
#include "numeric/sorted_lines.h"
#include "pilum/creation.h"
#include "pilum/math.h"
#include "pilum/projection.h"
#include "pilum/statistics.h"
#include "runtime/base/dtype_visit.h"
#include "runtime/device/shared_work.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;
using pilum::detail::StoreArgument;
using BodyAccess = pilum::detail::Access;

// Cells of which a sort takes longer, some half a millisecond, than the messages of two launches.
constexpr std::int64_t kLeastShared = 1 << 16;

template <class T>
T* cell_at(const BoundStore& store, std::int64_t place) {
  return static_cast<T*>(store.first) + (place - store.lo[0]) * store.stride[0];
}

// Bodies have the form {dtype}. Stores: the pieces in order, the line. By the body of whole lines.
void sort_pieces(std::span<const std::int64_t> form, const BodyCall& call) {
  const std::size_t size = itemsize(static_cast<DType>(form[0]));
  const auto as_row = [&](const BoundStore& store) {
    const BoundStore own = part_of_store(store, 0, call.piece.lo(0), call.piece.hi(0), size);
    BoundStore row;
    row.first = own.first;
    row.hi[0] = 1;
    row.hi[1] = call.piece.extent(0);
    row.stride[1] = own.stride[0];
    return row;
  };
  const BoundStore rows[] = {as_row(call.stores[0]), as_row(call.stores[1])};
  const std::int64_t form_of_lines[] = {form[0], 0, 1, 1};
  sort_lines(form_of_lines, BodyCall{Piece({0}, {1}), rows, nullptr});
}

// Calls work(begin, end) for parts of the places [begin, end), on this lane's threads.
template <class Work>
void share_range(std::int64_t begin, std::int64_t end, const Work& work) {
  const std::int64_t parts = device::sharing_threads();
  device::share_work(parts, [&](std::int64_t part) {
    work(begin + (end - begin) * part / parts, begin + (end - begin) * (part + 1) / parts);
  });
}

// What words of the line's cells have of keys: as the least and the greatest of all cells, NaNs counted, tell.
template <class T>
PlaceWords words_of(const BoundStore& least, const BoundStore& greatest, std::int64_t count) {
  return {SortKey<T>::of(*static_cast<const T*>(least.first)), SortKey<T>::of(*static_cast<const T*>(greatest.first)),
          count};
}

// Stores: the words of the pieces in order, the line, its least cell and its greatest. Number: how many cells it has.
void order_pieces(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_real_dtype(static_cast<DType>(form[0]), [&]<class T>(T) {
    const PlaceWords words = words_of<T>(call.stores[2], call.stores[3], static_cast<std::int64_t>(call.scalars[0]));
    const std::int64_t first = call.piece.lo(0), count = call.piece.extent(0), parts = parts_of_line(count, 1);
    Room<std::uint64_t> room;
    sort_in_parts(count, parts, cell_at<std::uint64_t>(call.stores[0], first),
                  parts > 1 || words.by_digits(count) ? room.get(count) : nullptr,
                  [&](std::int64_t begin, std::int64_t end, std::uint64_t* to, std::uint64_t* other) {
                    for (std::int64_t i = begin; i < end; ++i)
                      to[i - begin] =
                          words.word(SortKey<T>::of(*cell_at<const T>(call.stores[1], first + i)), first + i);
                    sort_words(words, to, end - begin, other);
                    return end - begin;
                  });
  });
}

template <class T>
bool is_number(T cell) {
  if constexpr (pilum::detail::kIsFloating<T>) return !number_copy::is_nan(cell);
  return true;
}

// The runs that sorted pieces side by side are made of, NaNs at their ends: how the line was cut shows in its cells.
template <class T>
std::vector<SortedRun<T>> runs_of(const BoundStore& store) {
  const T* const cells = static_cast<const T*>(store.first);
  const std::int64_t count = store.hi[0];
  std::vector<SortedRun<T>> runs;
  for (std::int64_t begin = 0, i = 1; i <= count; ++i) {
    if (i < count && !(cells[i] < cells[i - 1]) && (is_number(cells[i - 1]) || !is_number(cells[i]))) continue;
    runs.push_back({cells + begin, i - begin});
    begin = i;
  }
  return runs;
}

// Stores: the result, the pieces in order. Numbers come first, and then what is none, run after run.
void merge_pieces(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_real_dtype(static_cast<DType>(form[0]), [&]<class T>(T) {
    std::vector<SortedRun<T>> numbers = runs_of<T>(call.stores[1]), others;
    std::int64_t count = 0;
    for (SortedRun<T>& run : numbers) {
      const T* const end = std::partition_point(run.first, run.first + run.count, is_number<T>);
      others.push_back({end, run.first + run.count - end});
      run.count = end - run.first;
      count += run.count;
    }
    const std::int64_t first = call.piece.lo(0), last = call.piece.hi(0);
    T* const to = cell_at<T>(call.stores[0], 0);
    share_range(std::min(count, first), std::min(count, last), [&](std::int64_t begin, std::int64_t end) {
      merge_part(std::span<const SortedRun<T>>(numbers), begin, end, to + begin);
    });
    for (const SortedRun<T>& run : others) {
      const std::int64_t begin = std::max(count, first), end = std::min(count + run.count, last);
      if (begin < end) std::copy_n(run.first + (begin - count), end - begin, to + begin);
      count += run.count;
    }
  });
}

// The merged words [begin, end) as places, to `to`. `left`: words of equal keys, as far as they go, are looked at
// together, in order of key_at(place).
template <class KeyAt>
void merge_words(const PlaceWords& words, std::span<const SortedRun<std::uint64_t>> runs, std::int64_t begin,
                 std::int64_t end, std::uint64_t* to, const KeyAt& key_at) {
  if (begin == end) return;
  if (words.left == 0) {
    merge_part(runs, begin, end, to);
    return settle_places(words, to, end - begin, 0, key_at);
  }
  // As many places before as there are words with lesser keys than that at `place`, or, `after`, with none greater.
  const auto end_of_group = [&](std::int64_t place, bool after) {
    std::uint64_t word = 0;
    merge_part(runs, place, place + 1, &word);
    const std::uint64_t mask = (std::uint64_t{1} << words.place_bits) - 1, bound = after ? word | mask : word & ~mask;
    std::int64_t count = 0;
    for (const SortedRun<std::uint64_t>& run : runs) {
      const std::uint64_t* const last = run.first + run.count;
      count +=
          (after ? std::upper_bound(run.first, last, bound) : std::lower_bound(run.first, last, bound)) - run.first;
    }
    return count;
  };
  const std::int64_t from = end_of_group(begin, false), until = end_of_group(end - 1, true);
  Room<std::uint64_t> room;
  std::uint64_t* const merged = room.get(until - from);
  merge_part(runs, from, until, merged);
  settle_places(words, merged, until - from, words.left, key_at);
  std::copy_n(merged + (begin - from), end - begin, to);
}

// Stores: the result, the words of the pieces in order, the line, its least cell and its greatest.
void merge_places(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_real_dtype(static_cast<DType>(form[0]), [&]<class T>(T) {
    const BoundStore& line = call.stores[2];
    const PlaceWords words = words_of<T>(call.stores[3], call.stores[4], call.stores[1].hi[0]);
    const std::vector<SortedRun<std::uint64_t>> runs = runs_of<std::uint64_t>(call.stores[1]);
    auto* const to = cell_at<std::uint64_t>(call.stores[0], 0);
    share_range(call.piece.lo(0), call.piece.hi(0), [&](std::int64_t begin, std::int64_t end) {
      merge_words(words, runs, begin, end, to + begin, [&](std::uint64_t place) {
        return std::uint64_t{SortKey<T>::of(*cell_at<const T>(line, static_cast<std::int64_t>(place)))};
      });
    });
  });
}

// Over the line's cells, of which each processor has a piece.
void launch_shares(const Call& call, decltype(LibraryBody::run) function, DType dtype, const Shape& line,
                   std::span<const StoreArgument> arguments) {
  LibraryBody body{function, {static_cast<std::int64_t>(dtype)}};
  for (const StoreArgument& argument : arguments)
    body.parameters.push_back(array_parameter(argument.array, argument.access));
  body.parameters.push_back(integer_parameter());
  body.is_cut = true;
  const std::uint64_t numbers[] = {static_cast<std::uint64_t>(line.elements())};
  launch(call, body, line, arguments, numbers);
}

StoreArgument written(const Array& array) {
  return {array, BodyAccess::Write, {}, Fold::Sum};
}
StoreArgument own_of(const Array& array) {
  return {array, BodyAccess::Read, {}, Fold::Sum};
}
StoreArgument all_of(const Array& array) {
  Projection cells(Projection::Kind::Affine);
  cells.axes = {AxisCells{-1, 0, 0, array.size()}};
  return {array, BodyAccess::Read, cells, Fold::Sum};
}

}  // namespace

bool is_sorted_in_shares(const Call& call, const Array& line) {
  const auto processors = recorder_of(call).processors();
  return processors.count > 1 && !processors.are_gpus && line.ndim() == 1 && !is_complex(line.dtype()) &&
         line.size() >= kLeastShared &&
         line.size() * static_cast<std::int64_t>(itemsize(line.dtype())) >= processors.split_bytes;
}

Array sort_in_shares(const Call& call, const Array& line) {
  const Shape& shape = line.shape();
  const Array pieces = empty(shape, line.dtype(), call.where), sorted = empty(shape, line.dtype(), call.where);
  const StoreArgument of_pieces[] = {written(pieces), own_of(line)}, of_all[] = {written(sorted), all_of(pieces)};
  launch_shares(call, sort_pieces, line.dtype(), shape, of_pieces);
  launch_shares(call, merge_pieces, line.dtype(), shape, of_all);
  return sorted;
}

Array argsort_in_shares(const Call& call, const Array& line) {
  const Shape& shape = line.shape();
  // A NaN has the greatest key, and so has max() one where there is any.
  const Array least = nanmin(line, {}, /*keepdims=*/true, call.where),
              greatest = max(line, {}, /*keepdims=*/true, call.where);
  const Array words = empty(shape, uint64, call.where), order = empty(shape, int64, call.where);
  // What words have no room for is looked up in the line; of cells of four bytes they have all.
  const bool is_looked_up = itemsize(line.dtype()) > 4;
  const StoreArgument of_pieces[] = {written(words), own_of(line), all_of(least), all_of(greatest)};
  const StoreArgument of_all[] = {written(order), all_of(words), is_looked_up ? all_of(line) : own_of(line),
                                  all_of(least), all_of(greatest)};
  launch_shares(call, order_pieces, line.dtype(), shape, of_pieces);
  launch_shares(call, merge_places, line.dtype(), shape, of_all);
  return order;
}

}  // namespace pilum::numeric
