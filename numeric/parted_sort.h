// A long line sorted by the threads of a lane together: parts of it, and then pairs of these merged.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/merge.h"
#include "runtime/device/shared_work.h"

namespace pilum::numeric {

// In how many parts a line of so many cells is sorted, where the lane has so many lines at once: a power of two.
inline std::int64_t parts_of_line(std::int64_t cells, std::int64_t lines) {
  constexpr std::int64_t kLeastPart = 1 << 14;  // cells: some 80 µs, worth a thread's waking
  const std::int64_t threads = device::sharing_threads() / std::max<std::int64_t>(lines, 1);
  const std::int64_t most = std::min(threads, cells / kLeastPart);
  return most < 2 ? 1 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
}

// Sorted numbers, and behind them so many cells that are none.
template <class T>
struct Run {
  T* first;
  std::int64_t numbers, others;

  [[nodiscard]] std::int64_t count() const { return numbers + others; }
};

// Merges two runs that lie one behind the other to `to`, where their numbers come first: as pieces of work.
template <class T>
struct MergePiece {
  RunPair<T> runs;
  T* to;
};
template <class T>
Run<T> cut_merge(const Run<T>& a, const Run<T>& b, T* to, std::int64_t pieces, std::vector<MergePiece<T>>& cut) {
  const RunPair<T> numbers{a.first, a.numbers, b.first, b.numbers};
  for (std::int64_t k = 0; k < pieces; ++k) {
    const std::int64_t begin = numbers.count() * k / pieces, end = numbers.count() * (k + 1) / pieces;
    cut.push_back({numbers.part(begin, end), to + begin});
  }
  T* const behind = to + numbers.count();
  if (a.others > 0) cut.push_back({{a.first + a.numbers, a.others, nullptr, 0}, behind});
  if (b.others > 0) cut.push_back({{b.first + b.numbers, b.others, nullptr, 0}, behind + a.others});
  return {to, numbers.count(), a.others + b.others};
}

// Sorts `count` cells to `to`, in `parts` of them, a power of two: make(begin, end, cells, room) writes the cells
// [begin, end) in order to `cells`, may use as many at `room`, and tells how many are numbers, which come first; the
// others stay in their order. `room`: other memory of as many cells; null where `parts` is 1 and `make` needs none.
template <class T, class Make>
void sort_in_parts(std::int64_t count, std::int64_t parts, T* to, T* room, const Make& make) {
  if (parts == 1) {
    make(std::int64_t{0}, count, to, room);
    return;
  }
  const int rounds = std::countr_zero(static_cast<std::uint64_t>(parts));
  T *here = rounds % 2 ? room : to, *there = rounds % 2 ? to : room;
  std::vector<Run<T>> runs(static_cast<std::size_t>(parts));
  device::share_work(parts, [&](std::int64_t part) {
    const std::int64_t begin = count * part / parts, end = count * (part + 1) / parts;
    const std::int64_t numbers = make(begin, end, here + begin, there + begin);
    runs[static_cast<std::size_t>(part)] = {here + begin, numbers, end - begin - numbers};
  });
  for (; runs.size() > 1; std::swap(here, there)) {
    std::vector<Run<T>> merged;
    std::vector<MergePiece<T>> pieces;
    for (std::size_t k = 0; k < runs.size(); k += 2) {
      merged.push_back(cut_merge(runs[k], runs[k + 1], there + (runs[k].first - here),
                                 2 * parts / static_cast<std::int64_t>(runs.size()), pieces));
    }
    device::share_work(std::ssize(pieces), [&](std::int64_t k) {
      const MergePiece<T>& piece = pieces[static_cast<std::size_t>(k)];
      merge_runs(piece.runs, piece.to);
    });
    runs = std::move(merged);
  }
}

}  // namespace pilum::numeric
