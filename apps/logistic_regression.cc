// Logistic regression: weights that tell two classes apart, by gradient descent.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;

struct Options {
  std::int64_t size = 100'000, features = 32, iterations = 100, every = 20;
  double rate = 0.5;
  bool check = false;
};

struct Samples {
  np::Array features;  // (size, features)
  np::Array classes;   // (size): 0.0 or 1.0
};

Samples make_samples(const Options& options) {
  auto rng = np::random::default_rng(5);
  auto features = rng.standard_normal({options.size, options.features});
  auto scores = np::matmul(features, rng.standard_normal(options.features)) + rng.standard_normal(options.size);
  return {features, (scores > 0).astype<double>()};
}

np::Array sigmoid(const np::Array& scores) {
  return 1.0 / (1.0 + np::exp(-scores));
}

// The mean of log(1 + e^s) - y s: what the descent makes small.
double loss(const Samples& samples, const np::Array& weights) {
  auto scores = np::matmul(samples.features, weights);
  return np::mean(np::logaddexp(0, scores) - samples.classes * scores).item<double>();
}

np::Array fit(const Samples& samples, const Options& options) {
  auto weights = np::zeros(options.features);
  const double rate = options.rate / static_cast<double>(options.size);
  for (std::int64_t i = 0; i < options.iterations; ++i) {
    auto errors = samples.classes - sigmoid(np::matmul(samples.features, weights));
    weights += rate * np::matmul(samples.features.T(), errors);
    if ((i + 1) % options.every == 0) {
      std::printf("iteration %lld: loss %.6f\n", static_cast<long long>(i + 1), loss(samples, weights));
    }
  }
  return weights;
}

// The same with plain loops. Each iteration adds a mean of n products below 10 or so, whose sum has an error of n ulps
// at most; the loss is convex, so the descent does not let errors grow.
bool check(const Samples& samples, const np::Array& fitted, const Options& options) {
  const auto x = samples.features.to_vector<double>(), y = samples.classes.to_vector<double>();
  const auto n = y.size(), width = static_cast<std::size_t>(options.features);
  std::vector<double> weights(width);
  for (std::int64_t i = 0; i < options.iterations; ++i) {
    std::vector<double> gradient(width);
    for (std::size_t row = 0; row < n; ++row) {
      double score = 0;
      for (std::size_t k = 0; k < width; ++k) score += x[row * width + k] * weights[k];
      const double error = y[row] - 1 / (1 + std::exp(-score));
      for (std::size_t k = 0; k < width; ++k) gradient[k] += x[row * width + k] * error;
    }
    for (std::size_t k = 0; k < width; ++k) weights[k] += options.rate / static_cast<double>(n) * gradient[k];
  }
  const double bound =
      10 * options.rate * 0x1p-52 * static_cast<double>(n + width) * static_cast<double>(options.iterations);
  return app::is_within("weights", app::largest_difference(fitted.to_vector<double>(), weights), bound);
}

int main(int argc, char** argv) {
  Options options;
  app::Options("Logistic regression by gradient descent")
      .count("-n,--size", options.size, "Samples")
      .count("-f,--features", options.features, "Numbers that each has")
      .count("-i,--iterations", options.iterations, "Iterations")
      .count("--every", options.every, "Iterations between two lines of output")
      .number("--rate", options.rate, "Step along the mean gradient", 0, 10)
      .flag("--check", options.check, "Compare with plain serial loops")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    const Samples samples = make_samples(options);
    runtime.wait();
    const app::Clock clock;
    const np::Array weights = fit(samples, options);
    runtime.wait();
    app::print_elapsed(clock.seconds());
    return options.check && !check(samples, weights, options) ? 1 : 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "logistic_regression: %s\n", error.what());
    return 1;
  }
}
