#include "numeric/gpu_sort.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/gpu_scan.h"
#include "numeric/gpu_sort_text.h"
#include "numeric/library_task.h"
#include "runtime/base/check.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;
using Words = std::array<std::uint64_t, kSortWords>;

std::uint64_t word(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

// What is sorted, and scratch memory for the lines that are at once:
//   | a ticket a pass, to 8 | what tiles tell | counts of digits | what passes do | keys B, A | places B, A |
// in words of 8 bytes but for the buffers; those of A only where the result's memory is none.
struct LongLines {
  std::int64_t lines, cells, tiles, passes, at_once;
  bool places, in_rows;

  LongLines(std::span<const std::int64_t> form, std::int64_t line_count, std::int64_t cells_of_line)
      : lines(line_count),
        cells(cells_of_line),
        tiles((cells + sort_tile(dtype(form)) - 1) / sort_tile(dtype(form))),
        passes(static_cast<std::int64_t>(itemsize(dtype(form)))),
        at_once(std::clamp<std::int64_t>(kSortedAtOnce / cells, 1, lines)),
        places(form[1] != 0),
        in_rows(form[2] != 0) {}
  static DType dtype(std::span<const std::int64_t> form) { return static_cast<DType>(form[0]); }

  std::int64_t cleared_words() const { return 8 + at_once * (tiles + passes) * 256; }
  std::int64_t room_bytes() const { return 8 * (cleared_words() + at_once * passes); }
  std::int64_t keys_bytes() const { return (at_once * cells * passes + 7) / 8 * 8; }
  std::int64_t places_bytes() const { return (at_once * cells * 4 + 7) / 8 * 8; }
  std::int64_t keys_buffers() const { return places || !in_rows ? 2 : 1; }
  std::int64_t places_buffers() const { return !places ? 0 : in_rows ? 1 : 2; }
  std::int64_t bytes() const {
    return room_bytes() + keys_buffers() * keys_bytes() + places_buffers() * places_bytes();
  }
};

// Lines' axes; those along which both stores' lie evenly are one.
struct SortedAxis {
  std::int64_t extent, array_step, result_step;
};

std::vector<SortedAxis> axes_of(const BodyCall& call) {
  std::vector<SortedAxis> axes;
  for (int axis = 0; axis < call.piece.rank(); ++axis) {
    const SortedAxis next{call.piece.extent(axis), call.stores[1].stride[u(axis)], call.stores[0].stride[u(axis)]};
    if (next.extent == 1) continue;
    if (!axes.empty() && axes.back().array_step == next.array_step * next.extent &&
        axes.back().result_step == next.result_step * next.extent) {
      axes.back() = {axes.back().extent * next.extent, next.array_step, next.result_step};
    } else {
      axes.push_back(next);
    }
  }
  if (axes.empty()) axes.push_back({1, 0, 0});
  return axes;
}

// What all launches are told.
Words words_of(std::span<const std::int64_t> form, const BodyCall& call, const std::vector<SortedAxis>& axes) {
  const BoundStore &out = call.stores[0], &array = call.stores[1];
  const int rank = call.piece.rank();
  const auto size = static_cast<std::int64_t>(itemsize(static_cast<DType>(form[0]))), to_size = form[1] ? 8 : size;
  const auto at = [&](const BoundStore& store, std::int64_t bytes) {
    return reinterpret_cast<std::uint64_t>(store.first) + word(cells_to(store, call.piece.lo(), rank) * bytes);
  };
  Words words{};
  words[kCellsWord] = word(array.hi[u(rank)] - array.lo[u(rank)]);
  words[kArrayWord] = at(array, size);
  words[kArrayStepWord] = word(array.stride[u(rank)]);
  words[kResultWord] = at(out, to_size);
  words[kResultStepWord] = word(out.stride[u(rank)]);
  words[kAxesWord] = word(std::ssize(axes));
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    words[kExtentsWord + axis] = word(axes[axis].extent);
    words[kArrayStepsWord + axis] = word(axes[axis].array_step);
    words[kResultStepsWord + axis] = word(axes[axis].result_step);
  }
  return words;
}

void launch_step(SortStep step, std::span<const std::int64_t> form, std::int64_t blocks, const Words& words,
                 const scheduler::DeviceIssue& where) {
  PILUM_CHECK(blocks <= std::numeric_limits<std::int32_t>::max(), "a sort of {} tiles", blocks);
  const auto& image = where.jit.get(sort_text(step, static_cast<DType>(form[0]), form[1] != 0))->image();
  where.launch(
      {image, {static_cast<std::uint32_t>(blocks), 1, 1}, {static_cast<std::uint32_t>(kSortThreads), 1, 1}, words});
}

void sort_short(std::span<const std::int64_t> form, std::int64_t lines, const std::vector<SortedAxis>& axes,
                Words words, const scheduler::DeviceIssue& where) {
  const auto cells = static_cast<std::int64_t>(words[kCellsWord]);
  const std::int64_t of_block = std::min(lines, kShortTile / cells);
  const auto is_across = [&](std::int64_t line_step, std::uint64_t cell_step) {
    return of_block > 1 && std::abs(line_step) < std::abs(static_cast<std::int64_t>(cell_step));
  };
  words[kLinesWord] = word(lines);
  words[kTilesWord] = word(of_block);
  words[kPassWord] = (is_across(axes.back().array_step, words[kArrayStepWord]) ? 1 : 0) +
                     (is_across(axes.back().result_step, words[kResultStepWord]) ? 2 : 0);
  launch_step(SortStep::Short, form, (lines + of_block - 1) / of_block, words, where);
}

void sort_long(std::span<const std::int64_t> form, const LongLines& all, Words words,
               const scheduler::DeviceIssue& where) {
  const auto scratch = reinterpret_cast<std::uint64_t>(where.scratch);
  const bool keys_in_result = all.keys_buffers() == 1, places_in_result = all.places_buffers() < 2;
  PILUM_CHECK(!all.in_rows || words[kResultStepWord] == 1, "sorted lines whose cells are {} apart",
              words[kResultStepWord]);
  words[kRoomWord] = scratch;
  words[kTilesWord] = word(all.tiles);
  words[kKeysBWord] = scratch + word(all.room_bytes());
  words[kKeysAWord] = keys_in_result ? 0 : words[kKeysBWord] + word(all.keys_bytes());
  words[kPlacesBWord] = words[kKeysBWord] + word(all.keys_buffers() * all.keys_bytes());
  words[kPlacesAWord] = places_in_result ? 0 : words[kPlacesBWord] + word(all.places_bytes());
  const std::int64_t counted = kCountedTiles * sort_tile(LongLines::dtype(form));
  for (std::int64_t first = 0; first < all.lines; first += all.at_once) {
    const std::int64_t lines = std::min(all.at_once, all.lines - first);
    words[kFirstLineWord] = word(first);
    words[kLinesWord] = word(lines);
    clear_scratch(all.cleared_words(), where);
    launch_step(SortStep::Count, form, lines * ((all.cells + counted - 1) / counted), words, where);
    launch_step(SortStep::Plan, form, lines, words, where);
    for (std::int64_t pass = 0; pass < all.passes; ++pass) {
      words[kPassWord] = word(pass);
      launch_step(SortStep::Pass, form, lines * all.tiles, words, where);
    }
  }
}

}  // namespace

bool sorts_on_gpu(DType dtype, bool places, std::int64_t cells) {
  return has_sort_texts(dtype) && (!places || cells <= std::numeric_limits<std::uint32_t>::max());
}

void issue_sort(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  const std::vector<SortedAxis> axes = axes_of(call);
  const Words words = words_of(form, call, axes);
  const auto cells = static_cast<std::int64_t>(words[kCellsWord]);
  const std::int64_t lines = call.piece.size();
  if (cells == 0 || lines == 0) return;
  if (cells <= kShortTile) return sort_short(form, lines, axes, words, where);
  sort_long(form, LongLines(form, lines, cells), words, where);
}

std::int64_t sort_scratch(std::span<const std::int64_t> form, const scheduler::TaskLaunch& launch, const Rect& points) {
  const Shape& shape = launch.arguments[1].footprint.shape;
  const std::int64_t cells = shape[shape.rank() - 1];
  return cells <= kShortTile ? 0 : LongLines(form, points.cells(), cells).bytes();
}

void issue_order(DType dtype, std::int64_t count, const void* keys, void* places, const scheduler::DeviceIssue& where) {
  const std::array<std::int64_t, 3> form{static_cast<std::int64_t>(dtype), /*places=*/1, /*in_rows=*/1};
  Words words{};
  words[kCellsWord] = word(count);
  words[kArrayWord] = reinterpret_cast<std::uint64_t>(keys);
  words[kResultWord] = reinterpret_cast<std::uint64_t>(places);
  words[kArrayStepWord] = words[kResultStepWord] = 1;
  const std::vector<SortedAxis> axes{{1, 0, 0}};
  words[kAxesWord] = words[kExtentsWord] = 1;
  if (count <= kShortTile) return sort_short(form, /*lines=*/1, axes, words, where);
  sort_long(form, LongLines(form, /*line_count=*/1, count), words, where);
}

std::int64_t order_scratch(DType dtype, std::int64_t count) {
  const std::array<std::int64_t, 3> form{static_cast<std::int64_t>(dtype), /*places=*/1, /*in_rows=*/1};
  return count <= kShortTile ? 0 : LongLines(form, /*line_count=*/1, count).bytes();
}

}  // namespace pilum::numeric
