// Programs as a NumPy user writes them, with the public headers alone, and the bytes that a step must move at least.
// Those whose steps read no numbers are the plan tests' own (array_programs.h).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/perf/programs/multigrid.h"
#include "tests/perf/programs/newcomers.h"
#include "tests/perf/programs/program.h"
#include "tests/scheduler/array_programs.h"

namespace pilum::programs {

inline Program program_of(const scheduler::programs::Step& step, double bytes) {
  return {step, bytes, step.fields};
}

inline Program jacobi(std::int64_t n) {
  return program_of(scheduler::programs::jacobi(n), 2.0 * 8 * static_cast<double>(n * n));
}

// Fields that are the same everywhere would stay so.
inline Program heat(std::int64_t n) {
  using scheduler::programs::kIn;
  const scheduler::programs::Step step = scheduler::programs::heat(n);
  step.fields[0](slice(n / 3, n / 2), kIn, kIn) = 1.0;
  return program_of(step, 4.0 * 8 * static_cast<double>(n * n * n));
}

inline Program gray_scott(std::int64_t n) {
  return program_of(scheduler::programs::gray_scott(n), 4.0 * 8 * static_cast<double>(n * n));
}

// Conjugate gradients for Poisson's equation, five points. Its forms differ in how `apply(p, w)` writes A p into w; p
// may be the interior of a larger array.
template <class Apply>
Program conjugate_gradients(std::int64_t n, Array p, Apply apply) {
  auto x = np::zeros({n, n}), r = np::ones({n, n}), w = np::zeros({n, n});
  p[all] = 1.0;
  return {[=]() mutable {
            apply(p, w);
            const double rr = np::sum(r * r).item<double>();
            const double alpha = rr / np::sum(p * w).item<double>();
            x += alpha * p;
            r -= alpha * w;
            const double beta = np::sum(r * r).item<double>() / rr;
            p[all] = r + beta * p;
          },
          10.0 * 8 * static_cast<double>(n * n),
          {x},
          [=]() mutable {  // before the residual is too small for a double
            x[all] = 0.0;
            r[all] = 1.0;
            p[all] = 1.0;
          }};
}

// Partial updates of w.
inline Program conjugate_gradient(std::int64_t n) {
  return conjugate_gradients(n, np::zeros({n, n}), [](const Array& p, Array& w) {
    w[all] = 4.0 * p;
    w(slice(1, {})) -= p(slice(0, -1));
    w(slice(0, -1)) -= p(slice(1, {}));
    w(all, slice(1, {})) -= p(all, slice(0, -1));
    w(all, slice(0, -1)) -= p(all, slice(1, {}));
  });
}

// One expression of p with zeros around it: padded anew in each step.
inline Program cg_padded(std::int64_t n) {
  return conjugate_gradients(n, np::zeros({n, n}), [](const Array& p, Array& w) {
    const slice in(1, -1), low(0, -2), high(2, {});
    const Array q = np::pad(p, 1);
    w[all] = 4.0 * p - q(low, in) - q(high, in) - q(in, low) - q(in, high);
  });
}

// The same with a p that is the interior of an array with zeros around.
inline Program cg_interior(std::int64_t n) {
  const slice in(1, -1), low(0, -2), high(2, {});
  auto q = np::zeros({n + 2, n + 2});
  return conjugate_gradients(n, q(in, in), [=](const Array& p, Array& w) {
    w[all] = 4.0 * p - q(low, in) - q(high, in) - q(in, low) - q(in, high);
  });
}

// Gray-Scott on a torus: eight rolls a step.
inline Program rolled(std::int64_t n) {
  auto u = np::ones({n, n}), v = np::zeros({n, n});
  v(slice(n / 2 - 2, n / 2 + 2), slice(n / 2 - 2, n / 2 + 2)) = 0.5;
  const auto laplacian = [](const Array& a) {
    return scheduler::programs::rolled(a, 0, true) + scheduler::programs::rolled(a, 0, false) +
           scheduler::programs::rolled(a, 1, true) + scheduler::programs::rolled(a, 1, false) - 4.0 * a;
  };
  return {[=]() mutable {
            auto lu = laplacian(u), lv = laplacian(v);
            auto uvv = u * v * v;
            u += 0.16 * lu - uvv + 0.06 * (1.0 - u);
            v += 0.08 * lv + uvv - 0.122 * v;
          },
          4.0 * 8 * static_cast<double>(n * n),
          {u, v}};
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
          (3.0 + 10 * 3.0 + 6.0) * 8 * static_cast<double>(n * n),
          {u, v, p}};
}

// Burgers' equations, step 8 of "CFD Python": each from copies of both.
inline Program burgers(std::int64_t n) {
  auto u = np::ones({n, n}), v = np::ones({n, n});
  u(slice(n / 4, n / 2), slice(n / 4, n / 2)) = 2.0;
  v(slice(n / 4, n / 2), slice(n / 4, n / 2)) = 2.0;
  const double dx = 2.0 / static_cast<double>(n - 1), dt = 0.0009 * dx * dx / 0.01, nu = 0.01;
  return {[=]() mutable {
            const slice in(1, -1), low(0, -2), high(2, {});
            auto un = u.copy(), vn = v.copy();
            u(in, in) = un(in, in) - dt / dx * un(in, in) * (un(in, in) - un(in, low)) -
                        dt / dx * vn(in, in) * (un(in, in) - un(low, in)) +
                        nu * dt / (dx * dx) * (un(in, high) - 2.0 * un(in, in) + un(in, low)) +
                        nu * dt / (dx * dx) * (un(high, in) - 2.0 * un(in, in) + un(low, in));
            v(in, in) = vn(in, in) - dt / dx * un(in, in) * (vn(in, in) - vn(in, low)) -
                        dt / dx * vn(in, in) * (vn(in, in) - vn(low, in)) +
                        nu * dt / (dx * dx) * (vn(in, high) - 2.0 * vn(in, in) + vn(in, low)) +
                        nu * dt / (dx * dx) * (vn(high, in) - 2.0 * vn(in, in) + vn(low, in));
            for (auto* field : {&u, &v}) {
              (*field)(0, all) = 1.0;
              (*field)(-1, all) = 1.0;
              (*field)(all, 0) = 1.0;
              (*field)(all, -1) = 1.0;
            }
          },
          4.0 * 8 * static_cast<double>(n * n),
          {u, v}};
}

inline Program shallow_water(std::int64_t n) {
  return program_of(scheduler::programs::shallow_water(n), 6.0 * 8 * static_cast<double>(n * n));
}

inline Program fdtd(std::int64_t n) {
  const scheduler::programs::Step step = scheduler::programs::fdtd(n);
  step.fields[2](slice(n / 4, n / 2), slice(n / 4, n / 2)) = 2.0;  // hz
  return program_of(step, 6.0 * 8 * static_cast<double>(n * n));
}

// A V-cycle of multigrid.h. Of the finest grid's points, four sweeps and the way down and up read and write as many
// arrays as is said there, of the grids below a quarter each.
inline Program multigrid(std::int64_t n) {
  const MultigridPoisson poisson(n);
  return {
      [=] { poisson.cycle(); }, 4.0 / 3 * MultigridPoisson::kArrays * 8 * static_cast<double>(n * n), {poisson.u()}};
}

// Programs that nobody wrote by hand.
inline Program without_loops(Program program) {
  program.by_hand = false;
  return program;
}

inline Program wave(std::int64_t n) {
  return without_loops(program_of(scheduler::programs::wave(n), 3.0 * 8 * static_cast<double>(n * n)));
}

inline Program lattice(std::int64_t n) {
  return without_loops(program_of(scheduler::programs::lattice(n), 18.0 * 8 * static_cast<double>(n * n)));
}

// Heat that flows out: rims are extrapolated from the two lines beside them, the last column from both of its ends.
inline Program outflow(std::int64_t n) {
  auto u = np::zeros({n, n});
  u(slice(n / 3, n / 2), slice(n / 3, n / 2)) = 1.0;
  return {[=]() mutable {
            const slice in(1, -1), low(0, -2), high(2, {});
            u(in, in) += 0.2 * (u(low, in) + u(high, in) + u(in, low) + u(in, high) - 4.0 * u(in, in));
            u(0, all) = 2.0 * u(1, all) - u(2, all);
            u(-1, all) = 2.0 * u(-2, all) - u(-3, all);
            u(all, 0) = 2.0 * u(all, 1) - u(all, 2);
            auto flux = 0.5 * (u(all, -2) - u(all, -3));
            u(all, -1) = u(all, -2) + flux;
          },
          2.0 * 8 * static_cast<double>(n * n),
          {u},
          nullptr,
          /*by_hand=*/false};
}

// By name: jacobi heat gray_scott rolled conjugate_gradient cg_padded cg_interior fdtd cavity burgers shallow_water
// multigrid wave lattice outflow, and of newcomers.h lattice_stacked euler_stacked gas tone_map particles ising
// cahn_hilliard moving_means pagerank floyd finite_volumes weno far_heat lattice_in_place. Throws
// std::invalid_argument.
inline Program make_program(const std::string& name, std::int64_t size) {
  if (name == "jacobi") return jacobi(size);
  if (name == "multigrid") return multigrid(size);
  if (name == "heat") return heat(size);
  if (name == "gray_scott") return gray_scott(size);
  if (name == "rolled") return rolled(size);
  if (name == "conjugate_gradient") return conjugate_gradient(size);
  if (name == "cg_padded") return cg_padded(size);
  if (name == "cg_interior") return cg_interior(size);
  if (name == "wave") return wave(size);
  if (name == "lattice") return lattice(size);
  if (name == "fdtd") return fdtd(size);
  if (name == "outflow") return outflow(size);
  if (name == "cavity") return cavity(size);
  if (name == "burgers") return burgers(size);
  if (name == "lattice_stacked") return lattice_stacked(size);
  if (name == "euler_stacked") return euler_stacked(size);
  if (name == "gas") return gas(size);
  if (name == "tone_map") return tone_map(size);
  if (name == "particles") return particles(size);
  if (name == "ising") return ising(size);
  if (name == "cahn_hilliard") return cahn_hilliard(size);
  if (name == "moving_means") return moving_means(size);
  if (name == "pagerank") return pagerank(size);
  if (name == "floyd") return floyd(size);
  if (name == "shallow_water") return shallow_water(size);
  if (name == "finite_volumes") return finite_volumes(size);
  if (name == "weno") return weno(size);
  if (name == "far_heat") return far_heat(size);
  if (name == "lattice_in_place") return lattice_in_place(size);
  throw std::invalid_argument("there is no program " + name);
}

}  // namespace pilum::programs
