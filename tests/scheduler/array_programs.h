// Programs as NumPy's users write them. Each makes its arrays of about n cells along an axis, and gives a step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "pilum/pilum.h"

namespace pilum::scheduler::programs {

namespace np = numeric;
using np::all, np::Array, np::slice;
// A call is a step.
struct Step : std::function<void()> {
  using function::function;
  Step(std::vector<Array> fields, std::function<void()> step) : function(std::move(step)), fields(std::move(fields)) {}
  std::vector<Array> fields;  // what it computes, of those that are compared with others' results
};

inline const slice kIn(1, -1), kLow(0, -2), kHigh(2, {}), kButFirst(1, {}), kButLast({}, -1);

// The four neighbours of a field's inner cells.
inline Array around(const Array& f) {
  return f(kLow, kIn) + f(kHigh, kIn) + f(kIn, kLow) + f(kIn, kHigh);
}

// The README's: five points into themselves.
inline Step jacobi(std::int64_t n) {
  auto grid = np::zeros({n + 2, n + 2});
  grid(0, all) = 40.0;
  return Step({grid}, [=] {
    auto center = grid(kIn, kIn);
    auto average = center + grid(kLow, kIn) + grid(kHigh, kIn) + grid(kIn, kLow) + grid(kIn, kHigh);
    auto work = 0.2 * average;
    center[all] = work;
  });
}

// Three fields on a staggered grid, each updated from differences of the others.
inline Step fdtd(std::int64_t n) {
  auto ex = np::zeros({n, n}), ey = np::zeros({n, n}), hz = np::ones({n, n});
  return Step({ex, ey, hz}, [=]() mutable {
    ey(kButFirst) -= 0.5 * (hz(kButFirst) - hz(kButLast));
    ex(all, kButFirst) -= 0.5 * (hz(all, kButFirst) - hz(all, kButLast));
    hz(kButLast, kButLast) -=
        0.7 * (ex(kButLast, kButFirst) - ex(kButLast, kButLast) + ey(kButFirst, kButLast) - ey(kButLast, kButLast));
  });
}

// Two species with ghost cells: four rims are copied, then both are updated.
inline Step gray_scott(std::int64_t n) {
  auto u = np::ones({n + 2, n + 2}), v = np::zeros({n + 2, n + 2});
  v(slice(n / 3, n / 2), slice(n / 3, n / 2)) = 0.25;
  return Step({u(kIn, kIn), v(kIn, kIn)}, [=]() mutable {
    for (const Array& field : {u, v}) {
      field(0) = field(-2);
      field(-1) = field(1);
      field(all, 0) = field(all, -2);
      field(all, -1) = field(all, 1);
    }
    auto inner_u = u(kIn, kIn), inner_v = v(kIn, kIn);
    auto uvv = inner_u * inner_v * inner_v;
    auto du = 0.16 * (around(u) - 4.0 * inner_u) - uvv + 0.06 * (1.0 - inner_u);
    auto dv = 0.08 * (around(v) - 4.0 * inner_v) + uvv - 0.122 * inner_v;
    inner_u += du;
    inner_v += dv;
  });
}

// numpy.roll by one, as it is written with slices.
inline Array rolled(const Array& a, int axis, bool forward) {
  auto out = np::empty(a.shape());
  const slice to = forward ? kButFirst : kButLast, from = forward ? kButLast : kButFirst;
  if (axis == 0) {
    out(to) = a(from);
    out(forward ? 0 : -1) = a(forward ? -1 : 0);
  } else {
    out(all, to) = a(all, from);
    out(all, forward ? 0 : -1) = a(all, forward ? -1 : 0);
  }
  return out;
}

// One species on a torus.
inline Step torus(std::int64_t n) {
  auto u = np::ones({n, n});
  u(slice(n / 3, n / 2)) = 0.5;
  return [=]() mutable {
    u += 0.1 * (rolled(u, 0, true) + rolled(u, 0, false) + rolled(u, 1, true) + rolled(u, 1, false) - 4.0 * u);
  };
}

// NPBench's heat_3d: from a to b and back.
inline Step heat(std::int64_t n) {
  auto a = np::zeros({n, n, n});
  a += 0.25;
  auto b = a.copy();
  const auto sweep = [](Array from, Array to) {
    auto c = from(kIn, kIn, kIn);
    to(kIn, kIn, kIn) = 0.125 * (from(kHigh, kIn, kIn) - 2.0 * c + from(kLow, kIn, kIn)) +
                        0.125 * (from(kIn, kHigh, kIn) - 2.0 * c + from(kIn, kLow, kIn)) +
                        0.125 * (from(kIn, kIn, kHigh) - 2.0 * c + from(kIn, kIn, kLow)) + c;
  };
  return Step({a}, [=] { sweep(a, b), sweep(b, a); });
}

// Conjugate gradient; the matrix is five points by partial updates, and numbers stay arrays.
inline Step conjugate_gradient(std::int64_t n) {
  auto x = np::zeros({n, n}), r = np::ones({n, n}), p = np::ones({n, n}), w = np::zeros({n, n});
  return [=]() mutable {
    w[all] = 4.0 * p;
    w(kButFirst) -= p(kButLast);
    w(kButLast) -= p(kButFirst);
    w(all, kButFirst) -= p(all, kButLast);
    w(all, kButLast) -= p(all, kButFirst);
    auto rr = np::sum(r * r);
    auto alpha = rr / np::sum(p * w);
    x += alpha * p;
    r -= alpha * w;
    auto beta = np::sum(r * r) / rr;
    p[all] = r + beta * p;
  };
}

// The pressure's sweeps of "CFD Python", step 11: from a copy, and rims rewritten after each.
inline Step cavity(std::int64_t n) {
  auto p = np::zeros({n, n}), b = np::ones({n, n});
  return [=]() mutable {
    for (int sweep = 0; sweep < 3; ++sweep) {
      auto pn = p.copy();
      p(kIn, kIn) = 0.25 * around(pn) - 0.01 * b(kIn, kIn);
      p(all, -1) = p(all, -2);
      p(0, all) = p(1, all);
      p(all, 0) = p(all, 1);
      p(-1, all) = 0.0;
    }
  };
}

// Shallow water on a staggered grid: velocities from heights, heights from velocities.
inline Step staggered_water(std::int64_t n) {
  auto u = np::zeros({n + 1, n}), v = np::zeros({n, n + 1}), h = np::ones({n, n});
  h(slice(n / 4, n / 2), slice(n / 4, n / 2)) = 1.5;
  return [=]() mutable {
    u(kIn, all) -= 0.1 * (h(kButFirst, all) - h(kButLast, all));
    v(all, kIn) -= 0.1 * (h(all, kButFirst) - h(all, kButLast));
    h -= 0.1 * (u(kButFirst, all) - u(kButLast, all) + v(all, kButFirst) - v(all, kButLast));
  };
}

// Shallow water by Lax-Friedrichs' scheme, with walls that reflect.
inline Step shallow_water(std::int64_t n) {
  auto h = np::ones({n, n}), hu = np::zeros({n, n}), hv = np::zeros({n, n});
  h(slice(n / 4, n / 2), slice(n / 4, n / 2)) = 1.1;
  return Step({h, hu, hv}, [=]() mutable {
    auto fu = hu * hu / h + 4.9 * h * h, fv = hv * hv / h + 4.9 * h * h, fuv = hu * hv / h;
    auto h1 = 0.25 * around(h) - 0.05 * (hu(kIn, kHigh) - hu(kIn, kLow) + hv(kHigh, kIn) - hv(kLow, kIn));
    auto hu1 = 0.25 * around(hu) - 0.05 * (fu(kIn, kHigh) - fu(kIn, kLow) + fuv(kHigh, kIn) - fuv(kLow, kIn));
    auto hv1 = 0.25 * around(hv) - 0.05 * (fuv(kIn, kHigh) - fuv(kIn, kLow) + fv(kHigh, kIn) - fv(kLow, kIn));
    h(kIn, kIn) = h1;
    hu(kIn, kIn) = hu1;
    hv(kIn, kIn) = hv1;
    for (const Array& field : {h, hu, hv}) {
      field(0) = field(1);
      field(-1) = field(-2);
      field(all, 0) = field(all, 1);
      field(all, -1) = field(all, -2);
    }
  });
}

// The wave equation: a new array for each step, of which the interior is assigned.
inline Step wave(std::int64_t n) {
  auto before = np::zeros({n, n}), now = np::zeros({n, n});
  now(slice(n / 4, n / 2), slice(n / 4, n / 2)) = 1.0;
  return [=]() mutable {
    auto after = np::zeros_like(now);
    auto middle = now(kIn, kIn);
    after(kIn, kIn) = 2.0 * middle - before(kIn, kIn) + 0.25 * (around(now) - 4.0 * middle);
    before = now;
    now = after;
  };
}

// A lattice Boltzmann step on a torus: nine populations are rolled along their ways, and relax to their equilibrium.
inline Step lattice(std::int64_t n) {
  constexpr std::array<std::array<int, 2>, 9> kWays{
      {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}};
  constexpr std::array<double, 9> kWeights{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
  std::vector<Array> f;
  for (const double weight : kWeights) {
    f.push_back(np::full({n, n}, weight));
    f.back()(slice(n / 4, n / 2), slice(n / 3, n / 2)) = 1.1 * weight;
  }
  return [=]() mutable {
    for (std::size_t i = 1; i < f.size(); ++i) f[i] = np::roll(np::roll(f[i], kWays[i][0], 0), kWays[i][1], 1);
    Array density = f[0];
    for (std::size_t i = 1; i < f.size(); ++i) density = density + f[i];
    const Array u = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / density;
    const Array v = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / density;
    const Array energy = 1.5 * (u * u + v * v);
    for (std::size_t i = 0; i < f.size(); ++i) {
      const Array along = 3.0 * (kWays[i][0] * u + kWays[i][1] * v);
      f[i] = f[i] + 0.6 * (kWeights[i] * density * (1.0 + along + 0.5 * along * along - energy) - f[i]);
    }
  };
}

// Two species on a torus that react, by Runge and Kutta's method of fourth order.
inline Step runge_kutta(std::int64_t n) {
  auto u = np::ones({n, n}), v = np::zeros({n, n});
  v(slice(n / 3, n / 2), slice(n / 3, n / 2)) = 0.25;
  return [=]() mutable {
    const auto spread = [](const Array& a) {
      return np::roll(a, 1, 0) + np::roll(a, -1, 0) + np::roll(a, 1, 1) + np::roll(a, -1, 1) - 4.0 * a;
    };
    const auto rate_of_u = [&](const Array& a, const Array& b) { return 0.16 * spread(a) - a * b * b; };
    const auto rate_of_v = [&](const Array& a, const Array& b) { return 0.08 * spread(b) + a * b * b; };
    const Array u1 = rate_of_u(u, v), v1 = rate_of_v(u, v);
    const Array u2 = rate_of_u(u + 0.5 * u1, v + 0.5 * v1), v2 = rate_of_v(u + 0.5 * u1, v + 0.5 * v1);
    const Array u3 = rate_of_u(u + 0.5 * u2, v + 0.5 * v2), v3 = rate_of_v(u + 0.5 * u2, v + 0.5 * v2);
    const Array u4 = rate_of_u(u + u3, v + v3), v4 = rate_of_v(u + u3, v + v3);
    u = u + (u1 + 2.0 * u2 + 2.0 * u3 + u4) / 6.0;
    v = v + (v1 + 2.0 * v2 + 2.0 * v3 + v4) / 6.0;
  };
}

// A density that its own flux carries, in a given wind, by MacCormack's method: a predictor and a corrector.
inline Step maccormack(std::int64_t n) {
  auto density = np::ones({n, n});
  density(slice(n / 3, n / 2), slice(n / 3, n / 2)) = 1.25;
  const Array wind = np::full({n, n}, 0.5);
  return [=]() mutable {
    const Array flux = density * density * wind;
    const Array predicted = density - 0.1 * (np::roll(flux, -1, 0) - flux + np::roll(flux, -1, 1) - flux);
    const Array again = predicted * predicted * wind;
    const Array back = again - np::roll(again, 1, 0) + again - np::roll(again, 1, 1);
    density = 0.5 * (density + predicted - 0.1 * back);
  };
}

// Advection with slopes that are limited, and a step that follows from what is there: what is made of rolls is rolled
// again.
inline Step limited(std::int64_t n) {
  auto density = np::ones({n, n});
  density(slice(n / 3, n / 2), slice(n / 3, n / 2)) = 1.25;
  return [=]() mutable {
    const Array step = 0.4 * np::min(1.0 / density);
    Array change = np::zeros({n, n});
    for (int axis = 0; axis < 2; ++axis) {
      const Array left = density - np::roll(density, 1, axis), right = np::roll(density, -1, axis) - density;
      const Array slope = np::where(left * right > 0.0, np::minimum(left, right), 0.0);
      const Array face = density + 0.5 * (1.0 - step) * slope;
      change += face - np::roll(face, 1, axis);
    }
    density = density - step * 0.5 * change;
  };
}

}  // namespace pilum::scheduler::programs
