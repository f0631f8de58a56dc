#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace metg {

// Who reads whom in a graph of steps × points: the dependence types of Task Bench (Slaughter et al., "Task Bench: A
// Parameterized Benchmark for Evaluating Parallel Runtime Performance", SC20, table II and its core library).
enum class Pattern {
  kTrivial,            // nobody reads
  kNoComm,             // p reads p
  kStencil1d,          // p-1 … p+1
  kStencil1dPeriodic,  // the same on a ring
  kNearest,            // the `radix` points around p
  kSpread,             // `radix` points evenly apart on a ring, turned a little from step to step
  kDom,                // p-1 and p: a wave front that grows from one point and shrinks to one
  kTree,               // p/2: grows from one point to the width, doubling
  kFft,                // p and both points 2^k away, k changes from step to step
  kAllToAll,           // everybody
  kRandomNearest,      // p, and each of the `radix` points around it with probability `fraction`
};

[[nodiscard]] std::span<const Pattern> all_patterns();
[[nodiscard]] std::string_view name_of(Pattern pattern);
[[nodiscard]] Pattern parse_pattern(std::string_view name);  // std::invalid_argument names those there are

// Points [begin, end).
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] std::int64_t size() const { return end - begin; }
  [[nodiscard]] bool contains(std::int64_t point) const { return begin <= point && point < end; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Sorted, disjoint, not empty; intervals that touch are one.
using Intervals = std::vector<Interval>;

// A graph of tasks (step, point). All of it is a pure function of these fields: ranks that hold equal graphs agree.
struct Graph {
  Pattern pattern = Pattern::kTrivial;
  std::int64_t steps = 4;
  std::int64_t width = 4;
  std::int64_t radix = 3;   // of nearest, spread and random_nearest
  std::int64_t period = 3;  // steps after which spread and random_nearest repeat themselves
  double fraction = 0.25;   // of random_nearest

  [[nodiscard]] Interval active(std::int64_t step) const;  // the points that step has; none outside [0, steps)
  [[nodiscard]] Intervals inputs(std::int64_t step, std::int64_t point) const;   // points of step-1 it reads
  [[nodiscard]] Intervals readers(std::int64_t step, std::int64_t point) const;  // points of step+1 that read it
  [[nodiscard]] std::int64_t count_tasks() const;
};

}  // namespace metg
