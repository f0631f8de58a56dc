#include "apps/task_bench/measure.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "apps/task_bench/compute.h"

namespace metg {
namespace {

constexpr double kSecondsPerIteration = 2e-9;

// A machine on which every task costs `overhead` seconds of a core beside its kernel.
RunGraph machine(double overhead, int cores) {
  return [=](const Graph& graph, std::int64_t iterations) {
    const double task = overhead + static_cast<double>(iterations) * kSecondsPerIteration;
    return static_cast<double>(graph.count_tasks()) * task / cores;
  };
}

Options search(Pattern pattern, std::int64_t width) {
  Options options;
  options.graph.pattern = pattern;
  options.graph.width = width;
  options.metg = true;
  return options;
}

// Half of such a task is overhead where it is half efficient.
TEST(Measure, BisectionFindsTheGranularityOfAKnownOverhead) {
  for (const double overhead : {200e-9, 3e-6, 50e-6}) {
    for (const int cores : {1, 2, 16}) {
      const Measurement found = measure(search(Pattern::kStencil1d, 8), cores, machine(overhead, cores));
      ASSERT_TRUE(found.metg);
      EXPECT_NEAR(found.metg->granularity, 2 * overhead, 0.1 * overhead) << overhead << " s, " << cores << " cores";
      EXPECT_GE(found.efficiency(*found.metg), 0.5);
    }
  }
}

TEST(Measure, PeakIsTheRateOfTheKernelAlone) {
  const Measurement found = measure(search(Pattern::kStencil1d, 8), 4, machine(1e-6, 4));
  EXPECT_NEAR(found.peak, 4 * kFlopsPerIteration / kSecondsPerIteration, 0.02 * found.peak);
}

TEST(Measure, SamplesAreSortedAndLongEnoughToTime) {
  for (const Pattern pattern : all_patterns()) {
    const Measurement found = measure(search(pattern, 9), 2, machine(3e-6, 2));
    for (const Sample& sample : found.samples) EXPECT_GE(sample.seconds, 20e-3) << name_of(pattern);
    const auto fallen = [](const Sample& a, const Sample& b) { return a.iterations >= b.iterations; };
    EXPECT_EQ(std::adjacent_find(found.samples.begin(), found.samples.end(), fallen), found.samples.end());
  }
}

TEST(Measure, WithoutOverheadTheSmallestTaskIsEffective) {
  const Measurement found = measure(search(Pattern::kTrivial, 8), 2, machine(0, 2));
  ASSERT_TRUE(found.metg);
  EXPECT_EQ(found.metg->iterations, 1);
}

TEST(Measure, LongTasksThatWereDisturbedDoNotMatter) {
  const Measurement found = measure(search(Pattern::kStencil1d, 8), 2, [](const Graph& graph, std::int64_t iterations) {
    return (iterations > 100'000 ? 5 : 1) * machine(3e-6, 2)(graph, iterations);
  });
  ASSERT_TRUE(found.metg);
  EXPECT_NEAR(found.metg->granularity, 6e-6, 0.3e-6);
}

TEST(Measure, WithoutSearchOneSampleOfTheGivenStepsIsTaken) {
  Options options = search(Pattern::kStencil1d, 8);
  options.metg = false;
  options.graph.steps = 12;
  options.iterations = 500;  // 1 µs
  const Measurement found = measure(options, 2, machine(3e-6, 2));
  EXPECT_FALSE(found.metg);
  ASSERT_EQ(found.samples.size(), 1u);
  EXPECT_EQ(found.samples[0].steps, 12);
  EXPECT_NEAR(found.samples[0].granularity, 4e-6, 1e-12);
  EXPECT_NEAR(found.efficiency(found.samples[0]), 0.25, 0.01);
}

TEST(Measure, TheMedianOfRunsCounts) {
  Options options = search(Pattern::kStencil1d, 8);
  options.metg = false;
  options.graph.steps = 12;
  int runs = 0;
  const Measurement found = measure(options, 2, [&](const Graph& graph, std::int64_t iterations) {
    const double seconds = machine(3e-6, 2)(graph, iterations);
    return graph.steps == 12 && ++runs % 5 < 2 ? 100 * seconds : seconds;  // two of five are disturbed
  });
  EXPECT_EQ(runs, 5);
  EXPECT_NEAR(found.samples[0].granularity, 3e-6 + 1000 * kSecondsPerIteration, 1e-12);
}

}  // namespace
}  // namespace metg
