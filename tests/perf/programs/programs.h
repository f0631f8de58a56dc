// Programs as a NumPy user writes them, with the public headers alone.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "pilum/pilum.h"

namespace pilum::programs {

namespace np = pilum::numeric;
using np::all, np::slice, np::Array;

struct Program {
  std::function<void()> step;
  double bytes = 0;  // a step moves at least
};

// NPBench's heat_3d: two sweeps, from a to b and back.
inline Program heat(std::int64_t n) {
  auto a = np::zeros({n, n, n});
  a += 0.25;
  auto b = a.copy();
  const auto sweep = [](Array from, Array to) {
    const slice in(1, -1);
    auto c = from(in, in, in);
    to(in, in, in) = 0.125 * (from(slice(2, {}), in, in) - 2.0 * c + from(slice(0, -2), in, in)) +
                     0.125 * (from(in, slice(2, {}), in) - 2.0 * c + from(in, slice(0, -2), in)) +
                     0.125 * (from(in, in, slice(2, {})) - 2.0 * c + from(in, in, slice(0, -2))) + c;
  };
  return {[=] { sweep(a, b), sweep(b, a); }, 4.0 * 8 * static_cast<double>(n * n * n)};
}

// Two species with ghost cells: four rims are copied, then both are updated.
inline Program gray_scott(std::int64_t n) {
  auto u = np::ones({n + 2, n + 2}), v = np::zeros({n + 2, n + 2});
  v(slice(n / 3, n / 2), slice(n / 3, n / 2)) = 0.25;
  return {[=]() mutable {
            for (Array field : {u, v}) {
              field(0) = field(-2);
              field(-1) = field(1);
              field(all, 0) = field(all, -2);
              field(all, -1) = field(all, 1);
            }
            const slice in(1, -1);
            auto U = u(in, in), V = v(in, in);
            const auto laplace = [&](const Array& f) {
              return f(slice(0, -2), in) + f(slice(2, {}), in) + f(in, slice(0, -2)) + f(in, slice(2, {})) -
                     4.0 * f(in, in);
            };
            auto uvv = U * V * V;
            auto du = 0.16 * laplace(u) - uvv + 0.06 * (1.0 - U);
            auto dv = 0.08 * laplace(v) + uvv - 0.122 * V;
            U += du;
            V += dv;
          },
          4.0 * 8 * static_cast<double>(n * n)};
}

// Five points, partial updates of w.
inline Program conjugate_gradient(std::int64_t n) {
  auto x = np::zeros({n, n}), r = np::ones({n, n}), p = np::ones({n, n}), w = np::zeros({n, n});
  return {[=]() mutable {
            w[all] = 4.0 * p;
            w(slice(1, {})) -= p(slice(0, -1));
            w(slice(0, -1)) -= p(slice(1, {}));
            w(all, slice(1, {})) -= p(all, slice(0, -1));
            w(all, slice(0, -1)) -= p(all, slice(1, {}));
            const double rr = np::sum(r * r).item<double>();
            const double alpha = rr / np::sum(p * w).item<double>();
            x += alpha * p;
            r -= alpha * w;
            const double beta = np::sum(r * r).item<double>() / rr;
            p[all] = r + beta * p;
          },
          10.0 * 8 * static_cast<double>(n * n)};
}

// numpy.roll by one, as it is written with slices.
inline Array rolled_by_one(const Array& a, int axis, bool forward) {
  auto out = np::empty(a.shape());
  const slice but_first(1, {}), but_last({}, -1);
  if (axis == 0) {
    out(forward ? but_first : but_last) = a(forward ? but_last : but_first);
    out(forward ? 0 : -1) = a(forward ? -1 : 0);
  } else {
    out(all, forward ? but_first : but_last) = a(all, forward ? but_last : but_first);
    out(all, forward ? 0 : -1) = a(all, forward ? -1 : 0);
  }
  return out;
}

// Gray-Scott on a torus: eight rolls a step.
inline Program rolled(std::int64_t n) {
  auto u = np::ones({n, n}), v = np::zeros({n, n});
  v(slice(n / 2 - 2, n / 2 + 2), slice(n / 2 - 2, n / 2 + 2)) = 0.5;
  const auto laplacian = [](const Array& a) {
    return rolled_by_one(a, 0, true) + rolled_by_one(a, 0, false) + rolled_by_one(a, 1, true) +
           rolled_by_one(a, 1, false) - 4.0 * a;
  };
  return {[=]() mutable {
            auto lu = laplacian(u), lv = laplacian(v);
            auto uvv = u * v * v;
            u += 0.16 * lu - uvv + 0.06 * (1.0 - u);
            v += 0.08 * lv + uvv - 0.122 * v;
          },
          4.0 * 8 * static_cast<double>(n * n)};
}

// Step 11 of "CFD Python": ten sweeps of the pressure, rims rewritten after each.
inline Program cavity(std::int64_t n) {
  auto u = np::zeros({n, n}), v = np::zeros({n, n}), p = np::zeros({n, n}), b = np::zeros({n, n});
  const double dx = 2.0 / static_cast<double>(n - 1), dt = 0.001 * dx, rho = 1, nu = 0.1;
  return {[=]() mutable {
            const slice in(1, -1), low(0, -2), high(2, {});
            auto ux = (u(in, high) - u(in, low)) / (2 * dx), vy = (v(high, in) - v(low, in)) / (2 * dx);
            auto uy = (u(high, in) - u(low, in)) / (2 * dx), vx = (v(in, high) - v(in, low)) / (2 * dx);
            b(in, in) = rho * ((ux + vy) / dt - ux * ux - 2.0 * uy * vx - vy * vy);
            for (int sweep = 0; sweep < 10; ++sweep) {
              auto pn = p.copy();
              p(in, in) = 0.25 * (pn(in, high) + pn(in, low) + pn(high, in) + pn(low, in)) - dx * dx / 4 * b(in, in);
              p(all, -1) = p(all, -2);
              p(0, all) = p(1, all);
              p(all, 0) = p(all, 1);
              p(-1, all) = 0.0;
            }
            auto un = u.copy(), vn = v.copy();
            u(in, in) =
                un(in, in) - un(in, in) * dt / dx * (un(in, in) - un(in, low)) -
                vn(in, in) * dt / dx * (un(in, in) - un(low, in)) - dt / (2 * rho * dx) * (p(in, high) - p(in, low)) +
                nu * dt / (dx * dx) * (un(in, high) + un(in, low) + un(high, in) + un(low, in) - 4.0 * un(in, in));
            v(in, in) =
                vn(in, in) - un(in, in) * dt / dx * (vn(in, in) - vn(in, low)) -
                vn(in, in) * dt / dx * (vn(in, in) - vn(low, in)) - dt / (2 * rho * dx) * (p(high, in) - p(low, in)) +
                nu * dt / (dx * dx) * (vn(in, high) + vn(in, low) + vn(high, in) + vn(low, in) - 4.0 * vn(in, in));
            u(0, all) = 0.0;
            u(all, 0) = 0.0;
            u(all, -1) = 0.0;
            u(-1, all) = 1.0;
            v(0, all) = 0.0;
            v(-1, all) = 0.0;
            v(all, 0) = 0.0;
            v(all, -1) = 0.0;
          },
          (3.0 + 10 * 3.0 + 6.0) * 8 * static_cast<double>(n * n)};
}

// Lax-Friedrichs' scheme for depth and two momenta, with walls that reflect.
inline Program shallow_water(std::int64_t n) {
  auto h = np::ones({n, n}), hu = np::zeros({n, n}), hv = np::zeros({n, n});
  h(slice(n / 4, n / 2), slice(n / 4, n / 2)) = 1.1;
  return {[=]() mutable {
            const slice in(1, -1), low(0, -2), high(2, {});
            const double c = 0.05, g = 9.81;
            auto fu = hu * hu / h + 0.5 * g * h * h, fv = hv * hv / h + 0.5 * g * h * h, fuv = hu * hv / h;
            const auto mean = [&](const Array& a) {
              return 0.25 * (a(in, low) + a(in, high) + a(low, in) + a(high, in));
            };
            auto h1 = mean(h) - c * (hu(in, high) - hu(in, low) + hv(high, in) - hv(low, in));
            auto hu1 = mean(hu) - c * (fu(in, high) - fu(in, low) + fuv(high, in) - fuv(low, in));
            auto hv1 = mean(hv) - c * (fuv(in, high) - fuv(in, low) + fv(high, in) - fv(low, in));
            h(in, in) = h1;
            hu(in, in) = hu1;
            hv(in, in) = hv1;
            for (auto& a : {h, hu, hv}) {
              auto field = a;
              field(0) = field(1);
              field(-1) = field(-2);
              field(all, 0) = field(all, 1);
              field(all, -1) = field(all, -2);
            }
          },
          6.0 * 8 * static_cast<double>(n * n)};
}

inline Program fdtd(std::int64_t n) {
  auto ex = np::zeros({n, n}), ey = np::zeros({n, n}), hz = np::ones({n, n});
  return {[=]() mutable {
            ey(slice(1, {})) -= 0.5 * (hz(slice(1, {})) - hz(slice(0, -1)));
            ex(all, slice(1, {})) -= 0.5 * (hz(all, slice(1, {})) - hz(all, slice(0, -1)));
            hz(slice(0, -1), slice(0, -1)) -= 0.7 * (ex(slice(0, -1), slice(1, {})) - ex(slice(0, -1), slice(0, -1)) +
                                                     ey(slice(1, {}), slice(0, -1)) - ey(slice(0, -1), slice(0, -1)));
          },
          6.0 * 8 * static_cast<double>(n * n)};
}

// By name: heat gray_scott rolled conjugate_gradient fdtd cavity shallow_water. Throws std::invalid_argument.
inline Program make_program(const std::string& name, std::int64_t size) {
  if (name == "heat") return heat(size);
  if (name == "gray_scott") return gray_scott(size);
  if (name == "rolled") return rolled(size);
  if (name == "conjugate_gradient") return conjugate_gradient(size);
  if (name == "fdtd") return fdtd(size);
  if (name == "cavity") return cavity(size);
  if (name == "shallow_water") return shallow_water(size);
  throw std::invalid_argument("there is no program " + name);
}

}  // namespace pilum::programs
