#include "apps/task_bench/measure.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "apps/task_bench/compute.h"

namespace metg {
namespace {

constexpr double kShortestRun = 20e-3;
constexpr std::int64_t kFewestSteps = 20;
constexpr double kLongTask = 1e-3;    // a peak is looked for in tasks of this length,
constexpr double kWorthwhile = 1.02;  // in longer ones while they are so much faster,
constexpr double kLongestRun = 0.5;   // and never in longer runs: on a busy machine any sample may seem faster
constexpr double kEffective = 0.5;
constexpr double kClose = 1.05;  // where bisection ends: the ratio of both ends

class Meter {
 public:
  Meter(const Options& options, int cores, const RunGraph& run) : options_(options), cores_(cores), run_(run) {}

  Sample sample(const Graph& graph, std::int64_t iterations) const {
    std::vector<double> times(static_cast<std::size_t>(options_.repetitions));
    for (double& time : times) time = run_(graph, iterations);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    const auto tasks = static_cast<double>(graph.count_tasks());
    return {iterations, graph.steps, *middle, *middle * cores_ / tasks,
            tasks * static_cast<double>(iterations) * kFlopsPerIteration / *middle};
  }

  // Of as many steps as make the run long enough for the clock. What it tries first warms up as well.
  Sample sample_of_own_steps(std::int64_t iterations) const {
    Graph graph = options_.graph;
    graph.steps = kFewestSteps;
    if (graph.pattern == Pattern::kDom) graph.steps = std::max(graph.steps, 2 * graph.width);
    for (;;) {
      const double growth = 1.2 * kShortestRun / std::max(run_(graph, iterations), 1e-6);
      if (growth <= 1.2) return sample(graph, iterations);
      graph.steps = static_cast<std::int64_t>(std::ceil(static_cast<double>(graph.steps) * std::min(growth, 50.0)));
    }
  }

  // Ever longer tasks, from `iterations` on, until that no longer pays.
  std::vector<Sample> climb(std::int64_t iterations) const {
    std::vector<Sample> samples;
    double best = 0;
    for (;; iterations *= 4) {
      samples.push_back(sample_of_own_steps(iterations));
      const Sample& last = samples.back();
      const bool worthwhile = last.flops > kWorthwhile * best;
      best = std::max(best, last.flops);
      if (last.granularity >= kLongTask && (!worthwhile || last.seconds >= kLongestRun)) return samples;
    }
  }

 private:
  const Options& options_;
  int cores_;
  const RunGraph& run_;
};

double best_rate(const std::vector<Sample>& samples) {
  double best = 0;
  for (const Sample& sample : samples) best = std::max(best, sample.flops);
  return best;
}

// Between the first effective sample, which the best one is at the latest, and the one before it: what else happens on
// the machine makes samples slower, never faster. Adds what it samples on the way.
Sample bisect(const Meter& meter, Measurement& found) {
  const auto effective = [&found](const Sample& sample) { return found.efficiency(sample) >= kEffective; };
  const auto first = std::find_if(found.samples.begin(), found.samples.end(), effective);
  Sample high = *first;
  std::int64_t low = first == found.samples.begin() ? 0 : std::prev(first)->iterations;
  auto place = static_cast<std::size_t>(first - found.samples.begin());
  while (high.iterations - low > 1 && static_cast<double>(high.iterations) > kClose * static_cast<double>(low)) {
    const double between = std::sqrt(static_cast<double>(low) * static_cast<double>(high.iterations));
    const std::int64_t middle = std::clamp(static_cast<std::int64_t>(between), low + 1, high.iterations - 1);
    const Sample sample = meter.sample_of_own_steps(middle);
    found.samples.insert(found.samples.begin() + static_cast<std::ptrdiff_t>(place), sample);
    if (effective(sample)) {
      high = sample;
    } else {
      low = middle;
      ++place;
    }
  }
  return high;
}

}  // namespace

Measurement measure(const Options& options, int cores, const RunGraph& run) {
  constexpr std::int64_t kRatherLong = 1 << 16;
  const Meter meter(options, cores, run);
  Measurement found{.cores = cores, .samples = meter.climb(options.metg ? 1 : kRatherLong)};
  found.peak = best_rate(found.samples);
  if (options.metg) {
    found.metg = bisect(meter, found);
  } else {
    found.samples = {meter.sample(options.graph, options.iterations)};
    found.peak = std::max(found.peak, best_rate(found.samples));
  }
  return found;
}

}  // namespace metg
