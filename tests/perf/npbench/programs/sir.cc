// An epidemic in regions that meet by a contact matrix, by Runge and Kutta's steps.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all;

static Outputs sir(Inputs& in) {
  const np::Array contact = in["contact"];
  const double beta = in.real("beta"), gamma = in.real("gamma"), dt = in.real("dt");
  const auto steps = in.whole("steps");
  np::Array y = in["y"];
  const auto f = [&](const np::Array& y) {
    const np::Array S = y(0), I = y(1);
    const np::Array infected = beta * S * np::matmul(contact, I);
    const np::Array recovered = gamma * I;
    return np::stack({-infected, infected - recovered, recovered});
  };
  np::Array history = np::empty({steps, 3});
  for (std::int64_t t = 0; t < steps; ++t) {
    const np::Array k1 = f(y);
    const np::Array k2 = f(y + dt / 2 * k1);
    const np::Array k3 = f(y + dt / 2 * k2);
    const np::Array k4 = f(y + dt * k3);
    y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    history[t] = y.sum(1);
  }
  return {{"y", y}, {"history", history}};
}

static const Entry entry("sir", sir);
