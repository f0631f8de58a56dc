// A fluid that is pushed through a channel whose ends are joined: step 12 of Barba and Forsyth's "CFD Python" (JOSE,
// 2018).
#include <algorithm>
#include <cstdio>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;
using np::all, np::slice;

constexpr double kDensity = 1, kViscosity = 0.1, kForce = 1;

struct Options {
  std::int64_t size = 41, steps = 1000, sweeps = 50;
  double enough = 0.001;
  bool check = false;
};

struct Grid {  // of a channel of 2 by 2
  explicit Grid(std::int64_t n)
      : h(2.0 / static_cast<double>(n - 1)), dt(std::min(0.2 * h, 0.1 * h * h / kViscosity)) {}
  double h, dt;
};

struct Flow {
  explicit Flow(std::int64_t n) : u(np::zeros({n, n})), v(np::zeros({n, n})), p(np::ones({n, n})) {}
  np::Array u, v, p;
};

// The rows between the walls, and their points' neighbours: the first axis is y, from the bottom; behind the last
// column comes the first.
const slice between(1, -1);
np::Array centre(const np::Array& a) {
  return a(between, all);
}
np::Array east(const np::Array& a) {
  return np::roll(a, -1, 1)(between, all);
}
np::Array west(const np::Array& a) {
  return np::roll(a, 1, 1)(between, all);
}
np::Array north(const np::Array& a) {
  return a(slice(2, {}), all);
}
np::Array south(const np::Array& a) {
  return a(slice(0, -2), all);
}

np::Array pressure_source(const Flow& now, const Grid& grid) {
  auto u_x = (east(now.u) - west(now.u)) / (2 * grid.h), u_y = (north(now.u) - south(now.u)) / (2 * grid.h);
  auto v_x = (east(now.v) - west(now.v)) / (2 * grid.h), v_y = (north(now.v) - south(now.v)) / (2 * grid.h);
  return kDensity * ((u_x + v_y) / grid.dt - np::square(u_x) - 2.0 * (u_y * v_x) - np::square(v_y));
}

void relax_pressure(const np::Array& p, const np::Array& source, const Grid& grid) {
  p(between, all) = 0.25 * (east(p) + west(p) + north(p) + south(p)) - 0.25 * grid.h * grid.h * source;
  p(-1, all) = p(-2, all);  // no slope across the walls
  p(0, all) = p(1, all);
}

// What of the new velocity is the old one's advection and diffusion.
np::Array carried(const np::Array& a, const np::Array& u, const np::Array& v, const Grid& grid) {
  const double courant = grid.dt / grid.h, spread = kViscosity * grid.dt / (grid.h * grid.h);
  return centre(a) - centre(u) * courant * (centre(a) - west(a)) - centre(v) * courant * (centre(a) - south(a)) +
         spread * (east(a) + west(a) + north(a) + south(a) - 4.0 * centre(a));
}

// Returns how much faster the fluid became, over its speed.
double step(Flow& now, const Grid& grid, std::int64_t sweeps) {
  const double push = grid.dt / (2 * kDensity * grid.h);
  auto source = pressure_source(now, grid);
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) relax_pressure(now.p, source, grid);
  auto u = now.u.copy(), v = now.v.copy();
  now.u(between, all) = carried(u, u, v, grid) - push * (east(now.p) - west(now.p)) + grid.dt * kForce;
  now.v(between, all) = carried(v, u, v, grid) - push * (north(now.p) - south(now.p));
  return ((np::sum(now.u) - np::sum(u)) / np::sum(now.u)).item<double>();  // the walls' rows stay 0
}

// The same with plain loops; elementwise work has the same bits.
bool check(const Flow& last, const Options& options, std::int64_t steps) {
  const auto n = static_cast<std::size_t>(options.size);
  const Grid grid(options.size);
  const double h = grid.h, courant = grid.dt / h, spread = kViscosity * grid.dt / (h * h);
  const double push = grid.dt / (2 * kDensity * h);
  std::vector<double> u(n * n), v(n * n), p(n * n, 1.0), b(n * n);
  const auto inside = [&](auto&& work) {  // of a point, and its neighbours to the east and west
    for (std::size_t y = 1; y + 1 < n; ++y) {
      for (std::size_t x = 0; x < n; ++x) work(y * n + x, y * n + (x + 1) % n, y * n + (x + n - 1) % n);
    }
  };
  for (std::int64_t i = 0; i < steps; ++i) {
    inside([&](std::size_t at, std::size_t to_east, std::size_t to_west) {
      const double u_x = (u[to_east] - u[to_west]) / (2 * h), u_y = (u[at + n] - u[at - n]) / (2 * h);
      const double v_x = (v[to_east] - v[to_west]) / (2 * h), v_y = (v[at + n] - v[at - n]) / (2 * h);
      b[at] = kDensity * ((u_x + v_y) / grid.dt - u_x * u_x - 2 * (u_y * v_x) - v_y * v_y);
    });
    for (std::int64_t sweep = 0; sweep < options.sweeps; ++sweep) {
      const auto q = p;
      inside([&](std::size_t at, std::size_t to_east, std::size_t to_west) {
        p[at] = 0.25 * (q[to_east] + q[to_west] + q[at + n] + q[at - n]) - 0.25 * h * h * b[at];
      });
      for (std::size_t x = 0; x < n; ++x) p[(n - 1) * n + x] = p[(n - 2) * n + x];
      for (std::size_t x = 0; x < n; ++x) p[x] = p[n + x];
    }
    const auto before_u = u, before_v = v;
    inside([&](std::size_t at, std::size_t to_east, std::size_t to_west) {
      const auto carried = [&](const std::vector<double>& a) {
        return a[at] - before_u[at] * courant * (a[at] - a[to_west]) - before_v[at] * courant * (a[at] - a[at - n]) +
               spread * (a[to_east] + a[to_west] + a[at + n] + a[at - n] - 4 * a[at]);
      };
      u[at] = carried(before_u) - push * (p[to_east] - p[to_west]) + grid.dt * kForce;
      v[at] = carried(before_v) - push * (p[at + n] - p[at - n]);
    });
  }
  bool right = app::is_within("u", app::largest_difference(last.u.to_vector<double>(), u), 0);
  right &= app::is_within("v", app::largest_difference(last.v.to_vector<double>(), v), 0);
  return app::is_within("p", app::largest_difference(last.p.to_vector<double>(), p), 0) && right;
}

int main(int argc, char** argv) {
  Options options;
  app::Options("Flow through a channel whose ends are joined")
      .count("-n,--size", options.size, "Points along an axis", 4)
      .count("-i,--iterations", options.steps, "Time steps at most")
      .count("--sweeps", options.sweeps, "Sweeps of the pressure in each")
      .number("--enough", options.enough, "Relative change of speed that ends the run", 0, 1)
      .flag("--check", options.check, "Compare with plain serial loops")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    const Grid grid(options.size);
    Flow flow(options.size);
    const app::Clock clock;
    std::int64_t steps = 0;
    double change = 1;
    while (steps < options.steps && change > options.enough) {
      change = step(flow, grid, options.sweeps);
      ++steps;
    }
    app::print_elapsed(clock.seconds());
    std::printf("%lld steps; in the middle u is %.6f\n", static_cast<long long>(steps),
                flow.u(options.size / 2, options.size / 2).item<double>());
    return options.check && !check(flow, options, steps) ? 1 : 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "channel: %s\n", error.what());
    return 1;
  }
}
