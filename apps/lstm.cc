// One cell of long short-term memory (Hochreiter and Schmidhuber, 1997), over some steps of a batch of sequences.
#include <cmath>
#include <cstdio>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;

struct Options {
  std::int64_t batch = 64, inputs = 64, hidden = 128, steps = 10;
  bool check = false;
};

struct Cell {           // its gates side by side: input, forget, output, and what is put in
  np::Array weights;    // (inputs, 4 hidden)
  np::Array recurrent;  // (hidden, 4 hidden)
  np::Array biases;     // (4 hidden)
};
struct State {  // (batch, hidden) each
  np::Array output, memory;
};

Cell make_cell(np::random::Generator& rng, const Options& options) {
  const double scale = 1 / std::sqrt(static_cast<double>(options.inputs + options.hidden));
  auto weights = rng.normal(0.0, scale, {options.inputs, 4 * options.hidden});
  auto recurrent = rng.normal(0.0, scale, {options.hidden, 4 * options.hidden});
  return {weights, recurrent, rng.normal(0.0, 0.1, 4 * options.hidden)};
}

np::Array sigmoid(const np::Array& x) {
  return 1.0 / (1.0 + np::exp(-x));
}

State step(const Cell& cell, const np::Array& input, const State& before) {
  auto gates = np::matmul(input, cell.weights) + np::matmul(before.output, cell.recurrent) + cell.biases;
  const auto parts = np::split(gates, 4, 1);
  auto memory = sigmoid(parts[1]) * before.memory + sigmoid(parts[0]) * np::tanh(parts[3]);
  return {sigmoid(parts[2]) * np::tanh(memory), memory};
}

// The same with plain loops. A gate sums K products whose sizes add up to a few: K ulps; no slope of a gate is above 1,
// and what a step gets wrong is mostly forgotten in the next ones.
bool check(const Cell& cell, const np::Array& sequences, const State& last, const Options& options) {
  const auto batch = static_cast<std::size_t>(options.batch), inputs = static_cast<std::size_t>(options.inputs),
             hidden = static_cast<std::size_t>(options.hidden), steps = static_cast<std::size_t>(options.steps);
  const auto weights = cell.weights.to_vector<double>(), recurrent = cell.recurrent.to_vector<double>(),
             biases = cell.biases.to_vector<double>(), x = sequences.to_vector<double>();
  const auto squash = [](double value) { return 1 / (1 + std::exp(-value)); };
  std::vector<double> output(batch * hidden), memory(batch * hidden);
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t row = 0; row < batch; ++row) {
      auto gates = biases;
      for (std::size_t g = 0; g < gates.size(); ++g) {
        for (std::size_t k = 0; k < inputs; ++k) {
          gates[g] += x[(t * batch + row) * inputs + k] * weights[k * gates.size() + g];
        }
        for (std::size_t k = 0; k < hidden; ++k) gates[g] += output[row * hidden + k] * recurrent[k * gates.size() + g];
      }
      for (std::size_t k = 0; k < hidden; ++k) {
        double& kept = memory[row * hidden + k];
        kept = squash(gates[hidden + k]) * kept + squash(gates[k]) * std::tanh(gates[3 * hidden + k]);
        output[row * hidden + k] = squash(gates[2 * hidden + k]) * std::tanh(kept);
      }
    }
  }
  const double bound = 0x1p-52 * static_cast<double>((inputs + hidden) * steps);
  const bool right = app::is_within("output", app::largest_difference(last.output.to_vector<double>(), output), bound);
  return app::is_within("memory", app::largest_difference(last.memory.to_vector<double>(), memory), bound) && right;
}

int main(int argc, char** argv) {
  Options options;
  app::Options("A cell of long short-term memory")
      .count("-b,--batch", options.batch, "Sequences")
      .count("-f,--inputs", options.inputs, "Inputs of each step")
      .count("-n,--hidden", options.hidden, "Outputs of the cell")
      .count("-i,--iterations", options.steps, "Steps of each sequence")
      .flag("--check", options.check, "Compare with plain serial loops")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    auto rng = np::random::default_rng(13);
    const Cell cell = make_cell(rng, options);
    const auto sequences = rng.standard_normal({options.steps, options.batch, options.inputs});
    State state{np::zeros({options.batch, options.hidden}), np::zeros({options.batch, options.hidden})};
    runtime.wait();
    const app::Clock clock;
    for (const np::Array input : sequences) state = step(cell, input, state);
    runtime.wait();
    app::print_elapsed(clock.seconds());
    std::printf("The mean output is %.9f\n", np::mean(state.output).item<double>());
    return options.check && !check(cell, sequences, state, options) ? 1 : 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "lstm: %s\n", error.what());
    return 1;
  }
}
