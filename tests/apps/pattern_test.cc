#include "apps/task_bench/pattern.h"

#include <ostream>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace metg {

void PrintTo(const Interval& interval, std::ostream* out) {
  *out << "[" << interval.begin << ", " << interval.end << ")";
}

namespace {

Graph graph_of(Pattern pattern, std::int64_t steps, std::int64_t width, std::int64_t radix = 3) {
  return {.pattern = pattern, .steps = steps, .width = width, .radix = radix};
}

std::set<std::int64_t> points_of(const Intervals& intervals) {
  std::set<std::int64_t> points;
  for (const Interval& interval : intervals) {
    for (std::int64_t point = interval.begin; point < interval.end; ++point) points.insert(point);
  }
  return points;
}

TEST(Pattern, NamesAreReadBack) {
  EXPECT_EQ(all_patterns().size(), 11u);
  for (const Pattern pattern : all_patterns()) EXPECT_EQ(parse_pattern(name_of(pattern)), pattern);
  EXPECT_EQ(name_of(Pattern::kStencil1dPeriodic), "stencil_1d_periodic");
  EXPECT_THROW((void)parse_pattern("stencil"), std::invalid_argument);
}

TEST(Pattern, NothingIsReadInTheFirstStepNorAfterTheLast) {
  for (const Pattern pattern : all_patterns()) {
    const Graph graph = graph_of(pattern, /*steps=*/6, /*width=*/3);
    EXPECT_EQ(graph.inputs(0, 0), Intervals{}) << name_of(pattern);
    EXPECT_EQ(graph.readers(5, 2), Intervals{}) << name_of(pattern);
    EXPECT_EQ(graph.active(-1), Interval{}) << name_of(pattern);
    EXPECT_EQ(graph.active(6), Interval{}) << name_of(pattern);
  }
}

TEST(Pattern, TrivialReadsNothing) {
  EXPECT_EQ(graph_of(Pattern::kTrivial, 4, 4).inputs(1, 2), Intervals{});
}

TEST(Pattern, NoCommReadsItself) {
  EXPECT_EQ(graph_of(Pattern::kNoComm, 4, 4).inputs(1, 2), (Intervals{{2, 3}}));
}

TEST(Pattern, StencilEndsAtTheEdges) {
  const Graph graph = graph_of(Pattern::kStencil1d, 4, 4);
  EXPECT_EQ(graph.inputs(1, 0), (Intervals{{0, 2}}));
  EXPECT_EQ(graph.inputs(1, 2), (Intervals{{1, 4}}));
  EXPECT_EQ(graph.inputs(1, 3), (Intervals{{2, 4}}));
}

TEST(Pattern, PeriodicStencilGoesRound) {
  const Graph graph = graph_of(Pattern::kStencil1dPeriodic, 4, 5);
  EXPECT_EQ(graph.inputs(1, 0), (Intervals{{0, 2}, {4, 5}}));
  EXPECT_EQ(graph.inputs(1, 2), (Intervals{{1, 4}}));
  EXPECT_EQ(graph.inputs(1, 4), (Intervals{{0, 1}, {3, 5}}));
  EXPECT_EQ(graph_of(Pattern::kStencil1dPeriodic, 4, 1).inputs(1, 0), (Intervals{{0, 1}}));
  EXPECT_EQ(graph_of(Pattern::kStencil1dPeriodic, 4, 3).inputs(1, 0), (Intervals{{0, 3}}));
}

// An even radix reaches one further down.
TEST(Pattern, NearestReadsRadixPoints) {
  EXPECT_EQ(graph_of(Pattern::kNearest, 4, 9, 5).inputs(1, 4), (Intervals{{2, 7}}));
  EXPECT_EQ(graph_of(Pattern::kNearest, 4, 9, 4).inputs(1, 4), (Intervals{{2, 6}}));
  EXPECT_EQ(graph_of(Pattern::kNearest, 4, 9, 4).readers(1, 4), (Intervals{{3, 7}}));
  EXPECT_EQ(graph_of(Pattern::kNearest, 4, 9, 5).inputs(1, 0), (Intervals{{0, 3}}));
  EXPECT_EQ(graph_of(Pattern::kNearest, 4, 9, 1).inputs(1, 4), (Intervals{{4, 5}}));
}

// Spokes 0, 9/3 and 18/3 away; all but the first turn by step mod 3.
TEST(Pattern, SpreadTurnsFromStepToStep) {
  const Graph graph = graph_of(Pattern::kSpread, 8, 9, 3);
  EXPECT_EQ(graph.inputs(3, 0), (Intervals{{0, 1}, {3, 4}, {6, 7}}));
  EXPECT_EQ(graph.inputs(4, 0), (Intervals{{0, 1}, {4, 5}, {7, 8}}));
  EXPECT_EQ(graph.inputs(5, 0), (Intervals{{0, 1}, {5, 6}, {8, 9}}));
  EXPECT_EQ(graph.inputs(5, 2), (Intervals{{1, 3}, {7, 8}}));
  EXPECT_EQ(graph.inputs(6, 0), graph.inputs(3, 0));
}

TEST(Pattern, DomIsADiamond) {
  const Graph graph = graph_of(Pattern::kDom, 6, 3);
  EXPECT_EQ(graph.active(0), (Interval{0, 1}));
  EXPECT_EQ(graph.active(1), (Interval{0, 2}));
  EXPECT_EQ(graph.active(2), (Interval{0, 3}));
  EXPECT_EQ(graph.active(3), (Interval{0, 3}));
  EXPECT_EQ(graph.active(4), (Interval{1, 3}));
  EXPECT_EQ(graph.active(5), (Interval{2, 3}));
  EXPECT_EQ(graph.count_tasks(), 12);
  EXPECT_EQ(graph.inputs(1, 0), (Intervals{{0, 1}}));
  EXPECT_EQ(graph.inputs(1, 1), (Intervals{{0, 1}}));  // point 1 was not there before
  EXPECT_EQ(graph.inputs(3, 2), (Intervals{{1, 3}}));
  EXPECT_EQ(graph.readers(3, 0), (Intervals{{1, 2}}));  // point 0 is over
}

TEST(Pattern, TreeGrowsToItsWidth) {
  const Graph graph = graph_of(Pattern::kTree, 6, 6);
  EXPECT_EQ(graph.active(0), (Interval{0, 1}));
  EXPECT_EQ(graph.active(1), (Interval{0, 2}));
  EXPECT_EQ(graph.active(2), (Interval{0, 4}));
  EXPECT_EQ(graph.active(3), (Interval{0, 6}));
  EXPECT_EQ(graph.active(5), (Interval{0, 6}));
  EXPECT_EQ(graph.inputs(2, 3), (Intervals{{1, 2}}));
  EXPECT_EQ(graph.readers(1, 1), (Intervals{{2, 4}}));
  EXPECT_EQ(graph.readers(4, 3), (Intervals{}));
}

// Strides 1, 2, 4 of a width of 8, beginning with the first step that reads.
TEST(Pattern, FftDoublesItsStride) {
  const Graph graph = graph_of(Pattern::kFft, 8, 8);
  EXPECT_EQ(graph.inputs(1, 3), (Intervals{{2, 5}}));
  EXPECT_EQ(graph.inputs(2, 3), (Intervals{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(graph.inputs(3, 3), (Intervals{{3, 4}, {7, 8}}));
  EXPECT_EQ(graph.inputs(4, 3), graph.inputs(1, 3));
  EXPECT_EQ(graph_of(Pattern::kFft, 8, 1).inputs(1, 0), (Intervals{{0, 1}}));
}

TEST(Pattern, AllToAllReadsEverybody) {
  EXPECT_EQ(graph_of(Pattern::kAllToAll, 4, 4).inputs(1, 2), (Intervals{{0, 4}}));
}

TEST(Pattern, RandomNearestDrawsFromTheNearest) {
  Graph graph = graph_of(Pattern::kRandomNearest, 10, 50, 7);
  graph.fraction = 1;
  EXPECT_EQ(graph.inputs(1, 10), (Intervals{{7, 14}}));
  graph.fraction = 0;
  EXPECT_EQ(graph.inputs(1, 10), (Intervals{{10, 11}}));
  graph.fraction = 0.25;
  EXPECT_EQ(graph.inputs(1, 10), graph.inputs(4, 10));  // three steps are a period
  std::size_t read = 0;
  for (std::int64_t step = 1; step <= 3; ++step) {
    for (std::int64_t point = 3; point < 47; ++point) read += points_of(graph.inputs(step, point)).size();
  }
  EXPECT_NEAR(static_cast<double>(read) / (3 * 44), 1 + 6 * 0.25, 0.3);
}

Graph draw_graph(Pattern pattern, std::mt19937& dice) {
  const auto draw = [&dice](int low, int high) { return std::uniform_int_distribution<int>(low, high)(dice); };
  Graph graph = graph_of(pattern, draw(1, 12), draw(1, 20), draw(1, 9));
  graph.period = draw(1, 5);
  graph.fraction = draw(0, 10) / 10.0;
  return graph;
}

std::string describe(const Graph& graph, unsigned seed) {
  return std::string(name_of(graph.pattern)) + ", steps " + std::to_string(graph.steps) + ", width " +
         std::to_string(graph.width) + ", radix " + std::to_string(graph.radix) + ", seed " + std::to_string(seed);
}

void expect_normal(const Intervals& intervals, const Interval& within) {
  std::int64_t end = within.begin - 1;
  for (const Interval& interval : intervals) {
    EXPECT_GT(interval.begin, end);  // sorted, apart
    EXPECT_GT(interval.size(), 0);
    end = interval.end;
  }
  EXPECT_LE(end, within.end);
}

TEST(Pattern, ReadersAreTheInverseOfInputs) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 dice(seed);
    for (const Pattern pattern : all_patterns()) {
      const Graph graph = draw_graph(pattern, dice);
      SCOPED_TRACE(describe(graph, seed));
      for (std::int64_t step = 0; step < graph.steps; ++step) {
        std::set<std::pair<std::int64_t, std::int64_t>> read, offered;  // (from, to)
        const Interval now = graph.active(step), next = graph.active(step + 1);
        for (std::int64_t to = next.begin; to < next.end; ++to) {
          const Intervals inputs = graph.inputs(step + 1, to);
          expect_normal(inputs, now);
          for (const std::int64_t from : points_of(inputs)) read.emplace(from, to);
        }
        for (std::int64_t from = now.begin; from < now.end; ++from) {
          const Intervals readers = graph.readers(step, from);
          expect_normal(readers, next);
          for (const std::int64_t to : points_of(readers)) offered.emplace(from, to);
        }
        EXPECT_EQ(read, offered) << "step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace metg
