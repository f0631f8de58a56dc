// Electrons in one dimension: charges deposited on a grid, the field by sums along it, gathered at particles, which
// move.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs particle_in_cell(Inputs& in) {
  np::Array x = in["x"], v = in["v"];
  const auto cells = in.whole("cells"), steps = in.whole("steps");
  const double dt = in.real("dt"), length = double(cells);
  const double charge = double(cells) / double(x.size());
  np::Array energy = np::empty(steps);
  np::Array E;
  for (std::int64_t t = 0; t < steps; ++t) {
    const np::Array left = np::floor(x);
    const np::Array weight = x - left;
    const np::Array cell = left.astype(np::int64) % cells;
    const np::Array next = (cell + 1) % cells;
    np::Array rho = np::bincount(cell, charge * (1 - weight), cells);
    np::add_at(rho, next, charge * weight);
    E = np::cumsum(1 - rho);
    E -= E.mean();
    const np::Array field = np::take(E, cell) * (1 - weight) + np::take(E, next) * weight;
    v -= field * dt;
    x = (x + v * dt) % length;
    energy(t) = 0.5 * np::sum(np::square(E));
  }
  return {{"x", x}, {"v", v}, {"E", E}, {"energy", energy}};
}

static const Entry entry("particle_in_cell", particle_in_cell);
