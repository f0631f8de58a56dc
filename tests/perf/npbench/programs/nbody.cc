// Bodies that attract each other, by leapfrog steps; and their energies.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static np::Array acceleration(const np::Array& pos, const np::Array& mass, double G, double softening) {
  const np::Array x = pos(all, slice(0, 1)), y = pos(all, slice(1, 2)), z = pos(all, slice(2, 3));
  const np::Array dx = x.T() - x, dy = y.T() - y, dz = z.T() - z;
  np::Array inv_r3 = np::square(dx) + np::square(dy) + np::square(dz) + softening * softening;
  inv_r3(inv_r3 > 0) = np::power(inv_r3(inv_r3 > 0), -1.5);
  const np::Array ax = np::matmul(G * (dx * inv_r3), mass);
  const np::Array ay = np::matmul(G * (dy * inv_r3), mass);
  const np::Array az = np::matmul(G * (dz * inv_r3), mass);
  return np::hstack({ax, ay, az});
}

static std::pair<np::Array, np::Array> energy(const np::Array& pos, const np::Array& vel, const np::Array& mass,
                                              double G) {
  const np::Array KE = 0.5 * np::sum(mass * np::square(vel));
  const np::Array x = pos(all, slice(0, 1)), y = pos(all, slice(1, 2)), z = pos(all, slice(2, 3));
  const np::Array dx = x.T() - x, dy = y.T() - y, dz = z.T() - z;
  np::Array inv_r = np::sqrt(np::square(dx) + np::square(dy) + np::square(dz));
  inv_r(inv_r > 0) = 1.0 / inv_r(inv_r > 0);
  const np::Array PE = G * np::sum(np::triu(-(mass * mass.T()) * inv_r, 1));
  return {KE, PE};
}

static Outputs nbody(Inputs& in) {
  np::Array mass = in["mass"], pos = in["pos"], vel = in["vel"];
  const double dt = in.real("dt"), G = in.real("G"), softening = in.real("softening");
  const auto Nt = in.whole("Nt");
  vel -= np::mean(mass * vel, 0) / np::mean(mass);
  np::Array acc = acceleration(pos, mass, G, softening);
  np::Array KE = np::empty(Nt + 1), PE = np::empty(Nt + 1);
  auto [ke, pe] = energy(pos, vel, mass, G);
  KE(0) = ke;
  PE(0) = pe;
  for (std::int64_t i = 0; i < Nt; ++i) {
    vel += acc * dt / 2.0;
    pos += vel * dt;
    acc = acceleration(pos, mass, G, softening);
    vel += acc * dt / 2.0;
    std::tie(ke, pe) = energy(pos, vel, mass, G);
    KE(i + 1) = ke;
    PE(i + 1) = pe;
  }
  return {{"KE", KE}, {"PE", PE}, {"pos", pos}, {"vel", vel}};
}

static const Entry entry("nbody", nbody);
