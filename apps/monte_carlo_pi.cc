// Pi, by the share of random points of a square that lie in the circle in it.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;

constexpr int kSeed = 2026;

std::int64_t count_hits(std::int64_t size, std::int64_t iterations) {
  auto rng = np::random::default_rng(kSeed);
  auto hits = np::zeros({}, np::int64);
  for (std::int64_t i = 0; i < iterations; ++i) {
    auto x = rng.random(size), y = rng.random(size);
    hits += np::count_nonzero(x * x + y * y < 1.0);
  }
  return hits.item<std::int64_t>();
}

// The same points, counted by a plain loop: not one more or less. And pi within 5 standard deviations of the share.
bool check(std::int64_t hits, std::int64_t size, std::int64_t iterations) {
  auto rng = np::random::default_rng(kSeed);
  std::int64_t counted = 0;
  for (std::int64_t i = 0; i < iterations; ++i) {
    const auto x = rng.random(size).to_vector<double>(), y = rng.random(size).to_vector<double>();
    for (std::size_t k = 0; k < x.size(); ++k) counted += x[k] * x[k] + y[k] * y[k] < 1.0;
  }
  const auto points = static_cast<double>(size * iterations);
  const double pi = std::numbers::pi, deviation = std::sqrt(pi * (4 - pi) / points);
  const bool right = app::is_within("hits", std::abs(static_cast<double>(hits - counted)), 0);
  return app::is_within("pi", std::abs(4 * static_cast<double>(hits) / points - pi), 5 * deviation) && right;
}

int main(int argc, char** argv) {
  std::int64_t size = 1'000'000, iterations = 10;
  bool checked = false;
  app::Options("Pi, by random points")
      .count("-n,--size", size, "Points that are drawn at once")
      .count("-i,--iterations", iterations, "How often")
      .flag("--check", checked, "Count the points by a plain serial loop, too")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    const app::Clock clock;
    const std::int64_t hits = count_hits(size, iterations);
    app::print_elapsed(clock.seconds());
    std::printf("pi is about %.9f\n", 4 * static_cast<double>(hits) / static_cast<double>(size * iterations));
    return checked && !check(hits, size, iterations) ? 1 : 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "monte_carlo_pi: %s\n", error.what());
    return 1;
  }
}
