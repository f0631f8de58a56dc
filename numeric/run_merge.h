// Several sorted runs made one, of which each processor makes a piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "numeric/merge.h"

namespace pilum::numeric {

// Sorted cells; of equal ones those of earlier runs come first.
template <class T>
struct SortedRun {
  const T* first = nullptr;
  std::int64_t count = 0;
};

// How many cells of each run are among the first `count` of the merged one. By bisection of the run with most cells of
// which that is not known (multisequence selection: Varman et al., 1991).
template <class T>
std::vector<std::int64_t> taken_of_runs(std::span<const SortedRun<T>> runs, std::int64_t count) {
  std::vector<std::int64_t> low(runs.size(), 0), high, before(runs.size());
  for (const SortedRun<T>& run : runs) high.push_back(run.count);
  for (;;) {
    std::size_t widest = 0;
    for (std::size_t k = 1; k < runs.size(); ++k) {
      if (high[k] - low[k] > high[widest] - low[widest]) widest = k;
    }
    if (low[widest] == high[widest]) return low;
    const std::int64_t middle = low[widest] + (high[widest] - low[widest]) / 2;
    const T cell = runs[widest].first[middle];
    std::int64_t place = 0;  // of this cell in the merged run
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const T *first = runs[k].first, *end = first + runs[k].count;
      before[k] = k == widest  ? middle
                  : k < widest ? std::upper_bound(first, end, cell) - first
                               : std::lower_bound(first, end, cell) - first;
      place += before[k];
    }
    const bool is_taken = place < count;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (is_taken) {
        low[k] = std::max(low[k], before[k]);
      } else {
        high[k] = std::min(high[k], before[k]);
      }
    }
    if (is_taken) low[widest] = middle + 1;
  }
}

// All cells of the runs to `to`; `room` is for as many.
template <class T>
void merge_all(std::span<const SortedRun<T>> runs, T* to, T* room) {
  if (runs.size() == 1) {
    std::copy_n(runs[0].first, runs[0].count, to);
  } else if (runs.size() == 2) {
    merge_runs(RunPair<T>{runs[0].first, runs[0].count, runs[1].first, runs[1].count}, to);
  } else {
    const auto half = runs.size() / 2;
    std::int64_t count[2] = {};
    for (std::size_t k = 0; k < runs.size(); ++k) count[k < half ? 0 : 1] += runs[k].count;
    merge_all(runs.first(half), room, to);
    merge_all(runs.subspan(half), room + count[0], to + count[0]);
    merge_runs(RunPair<T>{room, count[0], room + count[0], count[1]}, to);
  }
}

// The merged run's cells [begin, end) to `to`.
template <class T>
void merge_part(std::span<const SortedRun<T>> runs, std::int64_t begin, std::int64_t end, T* to) {
  const std::vector<std::int64_t> from = taken_of_runs(runs, begin), until = taken_of_runs(runs, end);
  std::vector<SortedRun<T>> parts;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (until[k] > from[k]) parts.push_back({runs[k].first + from[k], until[k] - from[k]});
  }
  if (parts.empty()) return;
  const auto size = static_cast<std::size_t>(parts.size() > 2 ? end - begin : 0);
  const auto room = std::make_unique_for_overwrite<T[]>(size);
  merge_all(std::span<const SortedRun<T>>(parts), to, room.get());
}

}  // namespace pilum::numeric
