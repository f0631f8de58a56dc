// Spins on a torus: Metropolis' steps on one colour of a checkerboard after the other.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all;

static Outputs ising(Inputs& in) {
  np::Array spins = in["spins"];
  const np::Array random = in["random"];
  const double beta = in.real("beta");
  const auto n = spins.shape()[0], steps = random.shape()[0];
  const np::Array colour = (np::arange(n)(all, np::newaxis) + np::arange(n)) % 2;
  np::Array magnetisation = np::empty(steps);
  for (std::int64_t t = 0; t < steps; ++t) {
    for (int parity = 0; parity < 2; ++parity) {
      const np::Array neighbours =
          np::roll(spins, 1, 0) + np::roll(spins, -1, 0) + np::roll(spins, 1, 1) + np::roll(spins, -1, 1);
      const np::Array dE = 2 * spins * neighbours;
      const np::Array flips = (colour == parity) & (random(t) < np::exp(-beta * dE));
      spins = np::where(flips, -spins, spins);
    }
    magnetisation(t) = np::mean(spins);
  }
  return {{"spins", spins}, {"magnetisation", magnetisation}};
}

static const Entry entry("ising", ising);
