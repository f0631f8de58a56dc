#include "apps/task_bench/pattern.h"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

namespace metg {
namespace {

// In the order of their values.
constexpr std::array<Pattern, 11> kPatterns{
    Pattern::kTrivial, Pattern::kNoComm,   Pattern::kStencil1d,    Pattern::kStencil1dPeriodic,
    Pattern::kNearest, Pattern::kSpread,   Pattern::kDom,          Pattern::kTree,
    Pattern::kFft,     Pattern::kAllToAll, Pattern::kRandomNearest};

constexpr std::array<std::string_view, kPatterns.size()> kNames{
    "trivial", "no_comm", "stencil_1d", "stencil_1d_periodic", "nearest",       "spread",
    "dom",     "tree",    "fft",        "all_to_all",          "random_nearest"};

Intervals normalise(Intervals found, const Interval& active) {
  for (Interval& interval : found) {
    interval = {std::max(interval.begin, active.begin), std::min(interval.end, active.end)};
  }
  std::erase_if(found, [](const Interval& interval) { return interval.size() <= 0; });
  std::sort(found.begin(), found.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  Intervals merged;
  for (const Interval& next : found) {
    if (!merged.empty() && next.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, next.end);
    } else {
      merged.push_back(next);
    }
  }
  return merged;
}

// A point's arrows lead to what it reads, in the step before, or to who reads it, in the next one.
enum class Way { kToInputs, kToReaders };

Interval single(std::int64_t point) {
  return {point, point + 1};
}

Interval window(const Graph& graph, std::int64_t point, Way way) {
  const std::int64_t below = way == Way::kToInputs ? graph.radix / 2 : (graph.radix - 1) / 2;
  return {point - below, point - below + graph.radix};
}

Intervals ring_neighbours(const Graph& graph, std::int64_t point) {
  Intervals found{{point - 1, point + 2}};
  if (point == 0) found.push_back(single(graph.width - 1));
  if (point == graph.width - 1) found.push_back(single(0));
  return found;
}

// `turn` counts steps modulo the period.
Intervals spokes(const Graph& graph, std::int64_t turn, std::int64_t point, Way way) {
  Intervals found;
  for (std::int64_t spoke = 0; spoke < graph.radix; ++spoke) {
    const std::int64_t distance = (spoke * graph.width / graph.radix + (spoke > 0 ? turn : 0)) % graph.width;
    const std::int64_t step = way == Way::kToInputs ? distance : graph.width - distance;
    found.push_back(single((point + step) % graph.width));
  }
  return found;
}

// Strides 1, 2, 4, … below the width, then from 1 again: the first step that reads uses 1.
Intervals butterfly(const Graph& graph, std::int64_t step, std::int64_t point) {
  const std::int64_t strides =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(graph.width - 1))));
  const std::int64_t stride = std::int64_t{1} << ((step - 1) % strides);
  return {single(point - stride), single(point), single(point + stride)};
}

// Uniform in [0, 1). The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) over one word after another.
double draw(std::initializer_list<std::int64_t> words) {
  std::uint64_t state = 0;
  for (const std::int64_t word : words) {
    state += static_cast<std::uint64_t>(word) + 0x9e3779b97f4a7c15;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
    state ^= state >> 31;
  }
  return static_cast<double>(state >> 11) * 0x1p-53;
}

Intervals drawn_neighbours(const Graph& graph, std::int64_t turn, std::int64_t point, Way way) {
  Intervals found;
  const Interval around = window(graph, point, way);
  for (std::int64_t other = around.begin; other < around.end; ++other) {
    const auto [from, to] = way == Way::kToInputs ? std::pair(other, point) : std::pair(point, other);
    if (from == to || draw({graph.radix, turn, from, to}) < graph.fraction) found.push_back(single(other));
  }
  return found;
}

// What `reading_step` reads, seen from either end. May leave the active points.
Intervals arrows(const Graph& graph, std::int64_t reading_step, std::int64_t point, Way way) {
  const bool to_inputs = way == Way::kToInputs;
  switch (graph.pattern) {
    case Pattern::kTrivial: return {};
    case Pattern::kNoComm: return {single(point)};
    case Pattern::kStencil1d: return {{point - 1, point + 2}};
    case Pattern::kStencil1dPeriodic: return ring_neighbours(graph, point);
    case Pattern::kNearest: return {window(graph, point, way)};
    case Pattern::kSpread: return spokes(graph, reading_step % graph.period, point, way);
    case Pattern::kDom: return {to_inputs ? Interval{point - 1, point + 1} : Interval{point, point + 2}};
    case Pattern::kTree: return {to_inputs ? single(point / 2) : Interval{2 * point, 2 * point + 2}};
    case Pattern::kFft: return butterfly(graph, reading_step, point);
    case Pattern::kAllToAll: return {{0, graph.width}};
    case Pattern::kRandomNearest: return drawn_neighbours(graph, reading_step % graph.period, point, way);
  }
  return {};
}

}  // namespace

std::span<const Pattern> all_patterns() {
  return kPatterns;
}

std::string_view name_of(Pattern pattern) {
  return kNames[static_cast<std::size_t>(pattern)];
}

Pattern parse_pattern(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) return kPatterns[static_cast<std::size_t>(found - kNames.begin())];
  std::string known;
  for (const std::string_view each : kNames) known.append(known.empty() ? "" : ", ").append(each);
  throw std::invalid_argument("no pattern '" + std::string(name) + "': there are " + known);
}

Interval Graph::active(std::int64_t step) const {
  if (step < 0 || step >= steps) return {};
  if (pattern == Pattern::kDom) {
    const std::int64_t begin = std::max<std::int64_t>(0, step + width - steps);
    return {begin, begin + std::min({width, step + 1, steps - step})};
  }
  if (pattern == Pattern::kTree && step < 62) return {0, std::min(width, std::int64_t{1} << step)};
  return {0, width};
}

Intervals Graph::inputs(std::int64_t step, std::int64_t point) const {
  if (step <= 0) return {};
  return normalise(arrows(*this, step, point, Way::kToInputs), active(step - 1));
}

Intervals Graph::readers(std::int64_t step, std::int64_t point) const {
  return normalise(arrows(*this, step + 1, point, Way::kToReaders), active(step + 1));
}

std::int64_t Graph::count_tasks() const {
  std::int64_t tasks = 0;
  for (std::int64_t step = 0; step < steps; ++step) tasks += active(step).size();
  return tasks;
}

}  // namespace metg
