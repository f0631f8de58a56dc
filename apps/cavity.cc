// A fluid in a box whose lid moves: step 11 of Barba and Forsyth's "CFD Python" (JOSE, 2018).
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;
using np::all, np::slice;

constexpr double kDensity = 1, kViscosity = 0.1, kLid = 1;

struct Options {
  std::int64_t size = 41, steps = 500, sweeps = 50;
  bool check = false;
};

struct Grid {  // of a box of 2 by 2
  explicit Grid(std::int64_t n)
      : h(2.0 / static_cast<double>(n - 1)), dt(std::min(0.02 * h, 0.1 * h * h / kViscosity)) {}
  double h, dt;
};

struct Flow {
  explicit Flow(std::int64_t n) : u(np::zeros({n, n})), v(np::zeros({n, n})), p(np::zeros({n, n})) {}
  np::Array u, v, p;
};

// Inner points, and their neighbours: the first axis is y, from the bottom.
const slice inner(1, -1), low(0, -2), high(2, {});
np::Array centre(const np::Array& a) {
  return a(inner, inner);
}
np::Array east(const np::Array& a) {
  return a(inner, high);
}
np::Array west(const np::Array& a) {
  return a(inner, low);
}
np::Array north(const np::Array& a) {
  return a(high, inner);
}
np::Array south(const np::Array& a) {
  return a(low, inner);
}

np::Array pressure_source(const Flow& now, const Grid& grid) {
  auto u_x = (east(now.u) - west(now.u)) / (2 * grid.h), u_y = (north(now.u) - south(now.u)) / (2 * grid.h);
  auto v_x = (east(now.v) - west(now.v)) / (2 * grid.h), v_y = (north(now.v) - south(now.v)) / (2 * grid.h);
  return kDensity * ((u_x + v_y) / grid.dt - np::square(u_x) - 2.0 * (u_y * v_x) - np::square(v_y));
}

void relax_pressure(const np::Array& p, const np::Array& source, const Grid& grid) {
  auto before = p.copy();
  p(inner, inner) =
      0.25 * (east(before) + west(before) + north(before) + south(before)) - 0.25 * grid.h * grid.h * source;
  p(all, -1) = p(all, -2);  // no slope across the walls
  p(0, all) = p(1, all);
  p(all, 0) = p(all, 1);
  p(-1, all) = 0;
}

// What of the new velocity is the old one's advection and diffusion.
np::Array carried(const np::Array& a, const np::Array& u, const np::Array& v, const Grid& grid) {
  const double courant = grid.dt / grid.h, spread = kViscosity * grid.dt / (grid.h * grid.h);
  return centre(a) - centre(u) * courant * (centre(a) - west(a)) - centre(v) * courant * (centre(a) - south(a)) +
         spread * (east(a) + west(a) + north(a) + south(a) - 4.0 * centre(a));
}

void step(Flow& now, const Grid& grid, std::int64_t sweeps) {
  const double push = grid.dt / (2 * kDensity * grid.h);
  auto source = pressure_source(now, grid);
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) relax_pressure(now.p, source, grid);
  auto u = now.u.copy(), v = now.v.copy();
  now.u(inner, inner) = carried(u, u, v, grid) - push * (east(now.p) - west(now.p));
  now.v(inner, inner) = carried(v, u, v, grid) - push * (north(now.p) - south(now.p));
  for (const np::Array& a : {now.u, now.v}) {
    a(0, all) = 0;
    a(all, 0) = 0;
    a(all, -1) = 0;
    a(-1, all) = 0;
  }
  now.u(-1, all) = kLid;
}

// The same with plain loops; elementwise work has the same bits.
bool check(const Flow& last, const Options& options) {
  const auto n = static_cast<std::size_t>(options.size);
  const Grid grid(options.size);
  const double h = grid.h, courant = grid.dt / h, spread = kViscosity * grid.dt / (h * h);
  const double push = grid.dt / (2 * kDensity * h);
  std::vector<double> u(n * n), v(n * n), p(n * n), b(n * n);
  const auto inside = [&](auto&& work) {
    for (std::size_t y = 1; y + 1 < n; ++y) {
      for (std::size_t x = 1; x + 1 < n; ++x) work(y * n + x);
    }
  };
  for (std::int64_t i = 0; i < options.steps; ++i) {
    inside([&](std::size_t at) {
      const double u_x = (u[at + 1] - u[at - 1]) / (2 * h), u_y = (u[at + n] - u[at - n]) / (2 * h);
      const double v_x = (v[at + 1] - v[at - 1]) / (2 * h), v_y = (v[at + n] - v[at - n]) / (2 * h);
      b[at] = kDensity * ((u_x + v_y) / grid.dt - u_x * u_x - 2 * (u_y * v_x) - v_y * v_y);
    });
    for (std::int64_t sweep = 0; sweep < options.sweeps; ++sweep) {
      const auto q = p;
      inside([&](std::size_t at) {
        p[at] = 0.25 * (q[at + 1] + q[at - 1] + q[at + n] + q[at - n]) - 0.25 * h * h * b[at];
      });
      for (std::size_t y = 0; y < n; ++y) p[y * n + n - 1] = p[y * n + n - 2];
      for (std::size_t x = 0; x < n; ++x) p[x] = p[n + x];
      for (std::size_t y = 0; y < n; ++y) p[y * n] = p[y * n + 1];
      for (std::size_t x = 0; x < n; ++x) p[(n - 1) * n + x] = 0;
    }
    const auto before_u = u, before_v = v;
    const auto carried = [&](const std::vector<double>& a, std::size_t at) {
      return a[at] - before_u[at] * courant * (a[at] - a[at - 1]) - before_v[at] * courant * (a[at] - a[at - n]) +
             spread * (a[at + 1] + a[at - 1] + a[at + n] + a[at - n] - 4 * a[at]);
    };
    inside([&](std::size_t at) {
      u[at] = carried(before_u, at) - push * (p[at + 1] - p[at - 1]);
      v[at] = carried(before_v, at) - push * (p[at + n] - p[at - n]);
    });
    for (std::size_t x = 0; x < n; ++x) u[(n - 1) * n + x] = kLid;  // the other walls stay 0
  }
  bool right = app::is_within("u", app::largest_difference(last.u.to_vector<double>(), u), 0);
  right &= app::is_within("v", app::largest_difference(last.v.to_vector<double>(), v), 0);
  return app::is_within("p", app::largest_difference(last.p.to_vector<double>(), p), 0) && right;
}

int main(int argc, char** argv) {
  Options options;
  app::Options("Flow in a box whose lid moves")
      .count("-n,--size", options.size, "Points along an axis", 4)
      .count("-i,--iterations", options.steps, "Time steps")
      .count("--sweeps", options.sweeps, "Sweeps of the pressure in each")
      .flag("--check", options.check, "Compare with plain serial loops")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    const Grid grid(options.size);
    Flow flow(options.size);
    const app::Clock clock;
    for (std::int64_t i = 0; i < options.steps; ++i) step(flow, grid, options.sweeps);
    runtime.wait();
    app::print_elapsed(clock.seconds());
    std::printf("In the middle u is %.6f, v is %.6f\n", flow.u(options.size / 2, options.size / 2).item<double>(),
                flow.v(options.size / 2, options.size / 2).item<double>());
    return options.check && !check(flow, options) ? 1 : 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "cavity: %s\n", error.what());
    return 1;
  }
}
