// Bodies that attract each other, all pairs of them, by leapfrog steps (as Mocz, "Create your own N-body simulation",
// 2020).
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;
using np::all, np::newaxis;

constexpr double kSoftening = 0.1, kStep = 0.01, kTotalMass = 20;

struct Bodies {
  np::Array position, velocity;  // (size, 3)
  np::Array mass;                // (size)
};

Bodies make_bodies(std::int64_t size) {
  auto rng = np::random::default_rng(17);
  auto position = rng.standard_normal({size, 3}), velocity = rng.standard_normal({size, 3});
  velocity -= np::mean(velocity, 0);
  return {position, velocity, np::full(size, kTotalMass / static_cast<double>(size))};
}

// Differences of all pairs exist in registers alone.
np::Array accelerations(const Bodies& bodies) {
  auto x = bodies.position(all, 0), y = bodies.position(all, 1), z = bodies.position(all, 2);
  auto dx = x - x(all, newaxis), dy = y - y(all, newaxis), dz = z - z(all, newaxis);
  auto pull = bodies.mass * np::power(dx * dx + dy * dy + dz * dz + kSoftening * kSoftening, -1.5);
  return np::stack({np::sum(pull * dx, 1), np::sum(pull * dy, 1), np::sum(pull * dz, 1)}, 1);
}

void run(Bodies& bodies, std::int64_t steps) {
  auto acceleration = accelerations(bodies);
  for (std::int64_t i = 0; i < steps; ++i) {
    bodies.velocity += acceleration * (kStep / 2);
    bodies.position += bodies.velocity * kStep;
    acceleration = accelerations(bodies);
    bodies.velocity += acceleration * (kStep / 2);
  }
}

np::Array distances(const Bodies& bodies) {
  auto differences = bodies.position(newaxis, all, all) - bodies.position(all, newaxis, all);
  return np::sqrt(np::sum(np::square(differences), 2) + kSoftening * kSoftening);
}

double energy(const Bodies& bodies) {
  auto motion = np::sum(bodies.mass * np::sum(np::square(bodies.velocity), 1));
  auto pull = np::sum(bodies.mass * bodies.mass(all, newaxis) / distances(bodies));
  return (0.5 * motion - 0.5 * pull).item<double>();
}

// The same with plain loops. Pulls on a body add up to 2 / 3^1.5 of the total mass over the squared softening at most,
// below 800; their sum has n ulps of that, of which a step brings kStep^2 to the position, kStep to the velocity.
bool check(const Bodies& first, const Bodies& last, std::int64_t steps) {
  const auto mass = first.mass.to_vector<double>();
  auto position = first.position.to_vector<double>(), velocity = first.velocity.to_vector<double>();
  const auto kick = [&](double time) {
    for (std::size_t i = 0; i < mass.size(); ++i) {
      std::array<double, 3> sum{};
      for (std::size_t j = 0; j < mass.size(); ++j) {
        std::array<double, 3> d;
        double squares = kSoftening * kSoftening;
        for (std::size_t k = 0; k < 3; ++k) d[k] = position[3 * j + k] - position[3 * i + k], squares += d[k] * d[k];
        for (std::size_t k = 0; k < 3; ++k) sum[k] += mass[j] * std::pow(squares, -1.5) * d[k];
      }
      for (std::size_t k = 0; k < 3; ++k) velocity[3 * i + k] += sum[k] * time;
    }
  };
  for (std::int64_t i = 0; i < steps; ++i) {
    kick(kStep / 2);
    for (std::size_t k = 0; k < position.size(); ++k) position[k] += velocity[k] * kStep;
    kick(kStep / 2);
  }
  const double bound = 800 * kStep * 0x1p-52 * static_cast<double>(mass.size() + 20) * static_cast<double>(steps);
  const bool right =
      app::is_within("position", app::largest_difference(last.position.to_vector<double>(), position), kStep * bound);
  return app::is_within("velocity", app::largest_difference(last.velocity.to_vector<double>(), velocity), bound) &&
         right;
}

int main(int argc, char** argv) {
  std::int64_t size = 1000, steps = 100;
  bool checked = false;
  app::Options("Bodies that attract each other")
      .count("-n,--size", size, "Bodies")
      .count("-i,--iterations", steps, "Time steps")
      .flag("--check", checked, "Compare with plain serial loops")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    Bodies bodies = make_bodies(size);
    const Bodies first{bodies.position.copy(), bodies.velocity.copy(), bodies.mass};
    runtime.wait();
    const app::Clock clock;
    run(bodies, steps);
    runtime.wait();
    app::print_elapsed(clock.seconds());
    std::printf("Energy before: %.6f, after: %.6f\n", energy(first), energy(bodies));
    return checked && !check(first, bodies, steps) ? 1 : 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "nbody: %s\n", error.what());
    return 1;
  }
}
