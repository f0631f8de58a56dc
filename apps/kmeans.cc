// Points in clusters, by Lloyd's algorithm ("Least squares quantization in PCM", 1982).
#include <cstdio>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;
using np::all, np::newaxis, np::slice;

struct Options {
  std::int64_t size = 100'000, axes = 2, clusters = 8, iterations = 20;
  bool check = false;
};

struct Clusters {
  np::Array centres;  // (clusters, axes)
  np::Array labels;   // (size): to which of them each point belongs
};

np::Array make_points(const Options& options) {
  auto rng = np::random::default_rng(3);
  auto middles = rng.uniform(-10.0, 10.0, {options.clusters, options.axes});
  auto points = rng.standard_normal({options.size, options.axes});
  return points + np::take(middles, rng.integers(0, options.clusters, options.size), 0);
}

np::Array nearest(const np::Array& points, const np::Array& centres) {
  return np::argmin(np::sum(np::square(points(all, newaxis, all) - centres), 2), 1);
}

// The mean of each cluster's points; a cluster without points stays where it is.
np::Array means(const np::Array& points, const Clusters& now) {
  auto is_member = (now.labels(all, newaxis) == np::arange(now.centres.shape()[0])).astype<double>();
  auto counts = np::sum(is_member, 0)(all, newaxis);
  return np::where(counts > 0, np::matmul(is_member.T(), points) / np::maximum(counts, 1), now.centres);
}

Clusters run(const np::Array& points, const Options& options) {
  Clusters now{points(slice(0, options.clusters), all).copy(), {}};
  for (std::int64_t i = 0; i < options.iterations; ++i) {
    now.labels = nearest(points, now.centres);
    now.centres = means(points, now);
  }
  return now;
}

// The same with plain loops. A mean of n cells of at most some 20 is summed with an error of n ulps of these; where two
// centres are as near, an ulp may decide otherwise: no point of these does.
bool check(const np::Array& points, const Clusters& last, const Options& options) {
  const auto cells = points.to_vector<double>();
  const auto n = static_cast<std::size_t>(options.size), width = static_cast<std::size_t>(options.axes),
             clusters = static_cast<std::size_t>(options.clusters);
  std::vector<double> centres(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(clusters * width));
  std::vector<double> labels(n);
  for (std::int64_t i = 0; i < options.iterations; ++i) {
    std::vector<double> sums(clusters * width), counts(clusters);
    for (std::size_t point = 0; point < n; ++point) {
      std::size_t best = 0;
      double least = HUGE_VAL;
      for (std::size_t c = 0; c < clusters; ++c) {
        double distance = 0;
        for (std::size_t k = 0; k < width; ++k) {
          const double d = cells[point * width + k] - centres[c * width + k];
          distance += d * d;
        }
        if (distance < least) least = distance, best = c;
      }
      labels[point] = static_cast<double>(best);
      counts[best] += 1;
      for (std::size_t k = 0; k < width; ++k) sums[best * width + k] += cells[point * width + k];
    }
    for (std::size_t c = 0; c < clusters; ++c) {
      for (std::size_t k = c * width; k < (c + 1) * width && counts[c] > 0; ++k) centres[k] = sums[k] / counts[c];
    }
  }
  const double bound = 20 * 0x1p-52 * static_cast<double>(n);
  const bool right =
      app::is_within("labels", app::largest_difference(last.labels.astype<double>().to_vector<double>(), labels), 0);
  return app::is_within("centres", app::largest_difference(last.centres.to_vector<double>(), centres), bound) && right;
}

int main(int argc, char** argv) {
  Options options;
  app::Options("Points in clusters, by Lloyd's algorithm")
      .count("-n,--size", options.size, "Points")
      .count("-d,--axes", options.axes, "Numbers that each has")
      .count("-k,--clusters", options.clusters, "Clusters")
      .count("-i,--iterations", options.iterations, "Iterations")
      .flag("--check", options.check, "Compare with plain serial loops")
      .parse(argc, argv);
  if (options.clusters > options.size) {
    std::fprintf(stderr, "kmeans: --clusters %lld is more than there are points\n",
                 static_cast<long long>(options.clusters));
    return 1;
  }
  try {
    pilum::Runtime runtime(argc, argv);
    const np::Array points = make_points(options);
    runtime.wait();
    const app::Clock clock;
    const Clusters last = run(points, options);
    runtime.wait();
    app::print_elapsed(clock.seconds());
    std::printf("The first centre is at %.6f, %.6f …\n", last.centres(0, 0).item<double>(),
                last.centres(0, -1).item<double>());
    return options.check && !check(points, last, options) ? 1 : 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "kmeans: %s\n", error.what());
    return 1;
  }
}
