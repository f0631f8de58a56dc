// A hidden layer of a neural network, an input to each neuron: inputs are normalised, weighed, and squashed by a
// hyperbolic tangent that is made of exponentials.
#include <cmath>
#include <cstdio>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;

struct Layer {
  np::Array weights, biases;
};

np::Array activate(const Layer& layer, const np::Array& inputs) {
  auto normal = (inputs - np::mean(inputs)) / np::std(inputs);
  auto z = layer.weights * normal + layer.biases;
  auto up = np::exp(z), down = np::exp(-z);
  return (up - down) / (up + down);
}

// The same neuron by neuron, with sums of long doubles. Of z some ulps are lost, the most by the mean and the
// deviation, whose sums are of blocks; the tangent's slope times z is below 1/2, and its own arithmetic loses 4 ulps
// of 1.
bool check(const Layer& layer, const np::Array& inputs, const np::Array& outputs) {
  const auto x = inputs.to_vector<double>(), weights = layer.weights.to_vector<double>(),
             biases = layer.biases.to_vector<double>();
  long double sum = 0, squares = 0;
  for (const double value : x) sum += value;
  const long double mean = sum / static_cast<long double>(x.size());
  for (const double value : x) squares += (value - mean) * (value - mean);
  const long double deviation = std::sqrt(squares / static_cast<long double>(x.size()));
  std::vector<double> expected;
  for (std::size_t k = 0; k < x.size(); ++k) {
    expected.push_back(static_cast<double>(std::tanh(weights[k] * ((x[k] - mean) / deviation) + biases[k])));
  }
  return app::is_within("outputs", app::largest_difference(outputs.to_vector<double>(), expected), 32 * 0x1p-52);
}

int main(int argc, char** argv) {
  std::int64_t size = 100'000'000, iterations = 1;
  bool checked = false;
  app::Options("A hidden layer of a neural network")
      .count("-n,--size", size, "Neurons")
      .count("-i,--iterations", iterations, "How often")
      .flag("--check", checked, "Compare with a plain serial loop")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    auto rng = np::random::default_rng(11);
    const auto inputs = rng.uniform(0.0, 255.0, size);
    const Layer layer{rng.standard_normal(size), rng.normal(0.0, 0.1, size)};
    runtime.wait();
    const app::Clock clock;
    np::Array outputs;
    for (std::int64_t i = 0; i < iterations; ++i) {
      outputs = activate(layer, inputs);
      runtime.wait();
    }
    app::print_elapsed(clock.seconds());
    std::printf("The mean output is %.6f\n", np::mean(outputs).item<double>());
    return checked && !check(layer, inputs, outputs) ? 1 : 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "hidden_layer: %s\n", error.what());
    return 1;
  }
}
