// Programs of users who have read the README alone: of these nobody wrote the loops by hand. Each goes on for as long
// as it likes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pilum/pilum.h"
#include "tests/perf/programs/program.h"

namespace pilum::programs {

// Lattice Boltzmann with all nine populations in one array of (9, n, n): rolled one by one and stacked again.
inline Program lattice_stacked(std::int64_t n) {
  static constexpr std::array<std::array<int, 2>, 9> kWays{
      {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}};
  const auto weights = np::array({4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36});
  const auto cx = np::array({0., 1., 0., -1., 0., 1., -1., -1., 1.}).reshape({9, 1, 1});
  const auto cy = np::array({0., 0., 1., 0., -1., 1., 1., -1., -1.}).reshape({9, 1, 1});
  const auto w = weights.reshape({9, 1, 1});
  Array f = w * np::ones({9, n, n});
  f(all, slice(n / 4, n / 2), slice(n / 3, n / 2)) *= 1.1;
  return {[=]() mutable {
            std::vector<Array> moved;
            for (int i = 0; i < 9; ++i) {
              const auto& way = kWays[static_cast<std::size_t>(i)];
              moved.push_back(np::roll(f(i), {way[0], way[1]}, {0, 1}));
            }
            f = np::stack(moved);
            const Array rho = np::sum(f, 0), ux = np::sum(f * cx, 0) / rho, uy = np::sum(f * cy, 0) / rho;
            const Array along = 3.0 * (cx * ux + cy * uy);
            const Array rest = rho * w * (1.0 + along + 0.5 * along * along - 1.5 * (ux * ux + uy * uy));
            f += -(1.0 / 0.6) * (f - rest);
          },
          18.0 * 8 * static_cast<double>(n * n),
          {f},
          nullptr,
          /*by_hand=*/false};
}

// Euler's equations in two dimensions by finite volumes, with the fluxes of Harten, Lax and van Leer: density, momenta
// and energy in one array of (4, n, n), its edges continued.
inline Program euler_stacked(std::int64_t n) {
  constexpr double kGamma = 1.4;
  const Array at = (np::arange(n, np::float64) + 0.5) / static_cast<double>(n);
  const Array y = at.reshape({n, 1}), x = at;
  const Array density = np::where((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) < 0.04, 2.0, 1.0);
  Array u = np::stack({density, 0.1 * density * np::sin(6.28 * y), 0.1 * density * np::cos(6.28 * x), 2.505 * density});
  struct Flow {
    Array across, sound, pressure;
  };
  const auto flow_of = [](const Array& cells, int axis) {
    const Array rho = cells(0), vx = cells(1) / rho, vy = cells(2) / rho;
    const Array p = (kGamma - 1) * (cells(3) - 0.5 * rho * (vx * vx + vy * vy));
    return Flow{axis == 0 ? vx : vy, np::sqrt(kGamma * p / rho), p};
  };
  const auto flux_of = [](const Array& cells, const Flow& flow, int axis) {
    Array flux = cells * flow.across;
    flux(1 + axis) += flow.pressure;
    flux(3) += flow.pressure * flow.across;
    return flux;
  };
  const auto between = [=](const Array& left, const Array& right, int axis) {
    const Flow a = flow_of(left, axis), b = flow_of(right, axis);
    const Array fa = flux_of(left, a, axis), fb = flux_of(right, b, axis);
    const Array slow = np::minimum(a.across - a.sound, b.across - b.sound);
    const Array fast = np::maximum(a.across + a.sound, b.across + b.sound);
    const Array middle = (fast * fa - slow * fb + slow * fast * (right - left)) / (fast - slow);
    return np::where(slow >= 0.0, fa, np::where(fast <= 0.0, fb, middle));
  };
  return {[=]() mutable {
            const Array rho = u(0);
            const Flow along = flow_of(u, 0);
            const Array speed = np::maximum(np::abs(along.across), np::abs(u(2) / rho)) + along.sound;
            const Array step = 0.4 / np::max(speed);
            const Array p = np::pad(u, {{0, 0}, {1, 1}, {1, 1}}, "edge");
            const slice inner(1, -1), before({}, -1), behind(1, {});
            const Array fx = between(p(all, inner, before), p(all, inner, behind), 0);
            const Array fy = between(p(all, before, inner), p(all, behind, inner), 1);
            u = u - step * (fx(all, all, behind) - fx(all, all, before) + fy(all, behind, all) - fy(all, before, all));
          },
          12.0 * 8 * static_cast<double>(n * n),
          {u},
          nullptr,
          /*by_hand=*/false};
}

// A gas by Lax and Friedrichs' scheme, its fields last: (n, n, 4). Fluxes are written field by field, and rolled.
inline Program gas(std::int64_t n) {
  constexpr double kGamma = 1.4;
  const Array at = (np::arange(n, np::float64) + 0.5) / static_cast<double>(n);
  const Array y = at.reshape({n, 1}), x = at;
  const Array density = np::where((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) < 0.04, 2.0, 1.0);
  Array u =
      np::stack({density, 0.1 * density * np::sin(6.28 * y), 0.1 * density * np::cos(6.28 * x), 2.505 * density}, -1);
  const auto flux_of = [](const Array& u, int axis) {
    const Array rho = u(all, all, 0), speed = u(all, all, 1 + axis) / rho;
    const Array p = (kGamma - 1) *
                    (u(all, all, 3) - 0.5 * (u(all, all, 1) * u(all, all, 1) + u(all, all, 2) * u(all, all, 2)) / rho);
    Array flux = np::empty_like(u);
    for (int k = 0; k < 3; ++k) flux(all, all, k) = u(all, all, k) * speed;
    flux(all, all, 1 + axis) += p;
    flux(all, all, 3) = (u(all, all, 3) + p) * speed;
    return flux;
  };
  return {[=]() mutable {
            const Array along = flux_of(u, 0), across = flux_of(u, 1);
            const Array mean = 0.25 * (np::roll(u, 1, 0) + np::roll(u, -1, 0) + np::roll(u, 1, 1) + np::roll(u, -1, 1));
            u = mean - 0.05 * (np::roll(along, -1, 1) - np::roll(along, 1, 1) + np::roll(across, -1, 0) -
                               np::roll(across, 1, 0));
          },
          8.0 * 8 * static_cast<double>(n * n),
          {u},
          nullptr,
          /*by_hand=*/false};
}

// Colours of an image of (n, n, 3), as bright as its brightness allows.
inline Program tone_map(std::int64_t n) {
  const Array image = np::random::default_rng(3).exponential(1.0, {n, n, 3});
  auto seen = std::make_shared<Array>(np::zeros({n, n, 3}));
  return {[=] {
            const Array brightness =
                0.2126 * image(all, all, 0) + 0.7152 * image(all, all, 1) + 0.0722 * image(all, all, 2);
            const Array scale = np::expand_dims(1.0 / (1.0 + brightness), -1);
            *seen = np::clip(np::sqrt(image * scale), 0.0, 1.0);
          },
          6.0 * 8 * static_cast<double>(n * n),
          {*seen},
          nullptr,
          /*by_hand=*/false};
}

// n^2 particles in a well, their places and speeds of (n^2, 3): drawn to its middle, and down.
inline Program particles(std::int64_t n) {
  Array place = np::random::default_rng(3).random({n * n, 3}), speed = np::zeros({n * n, 3});
  return {[=]() mutable {
            const Array away = place - 0.5;
            const Array squared = np::sum(away * away, -1, /*keepdims=*/true);
            speed -= 0.01 * away / (squared + 0.01);
            speed(all, 2) -= 0.0001;
            place += 0.01 * speed;
          },
          12.0 * 8 * static_cast<double>(n * n),
          {place, speed},
          nullptr,
          /*by_hand=*/false};
}

// A checkerboard's colours by turns, each as its two grids of every second cell.
inline Program ising(std::int64_t n) {
  auto rng = std::make_shared<np::random::Generator>(np::random::default_rng(7));
  Array s = np::where(rng->random({n, n}) < 0.5, -1.0, 1.0);
  return {[=]() mutable {
            for (const auto& [row, column] : {std::array{0, 0}, {1, 1}, {0, 1}, {1, 0}}) {
              const slice rows(row, {}, 2), columns(column, {}, 2);
              const Array around = np::roll(s, 1, 0) + np::roll(s, -1, 0) + np::roll(s, 1, 1) + np::roll(s, -1, 1);
              const Array some = s(rows, columns);
              const Array cost = 2.0 * some * around(rows, columns);
              s(rows, columns) = np::where(rng->random(some.shape()) < np::exp(-0.44 * cost), -some, some);
            }
          },
          4.0 * 8 * static_cast<double>(n * n),
          {s},
          nullptr,
          /*by_hand=*/false};
}

// Cahn and Hilliard's equation in Fourier space, semi-implicit.
inline Program cahn_hilliard(std::int64_t n) {
  Array c = 0.1 * np::sin(np::arange(n * n, np::float64).reshape({n, n}));
  const Array k = 2.0 * 3.14159265358979 * np::fft::fftfreq(n, 1.0 / static_cast<double>(n)) / static_cast<double>(n);
  const Array k2 = (k * k).reshape({n, 1}) + k * k;
  return {[=]() mutable {
            const Array nonlinear = np::fft::fft2(c * c * c - c);
            c = np::real(np::fft::ifft2((np::fft::fft2(c) - 0.1 * k2 * nonlinear) / (1.0 + 0.1 * k2 * k2)));
          },
          14.0 * 8 * static_cast<double>(n * n),
          {c},
          nullptr,
          /*by_hand=*/false};
}

// Means and deviations of a window that moves along n^2 numbers, by sums so far.
inline Program moving_means(std::int64_t n) {
  constexpr std::int64_t kWindow = 50;
  const Array x = np::sin(0.001 * np::arange(n * n, np::float64));
  auto deviation = std::make_shared<Array>(np::zeros({n * n - kWindow}));
  return {[=] {
            const auto mean = [&](const Array& a) {
              const Array sums = np::cumsum(a);
              return (sums(slice(kWindow, {})) - sums(slice(0, -kWindow))) / static_cast<double>(kWindow);
            };
            const Array first = mean(x), second = mean(x * x);
            *deviation = np::sqrt(np::maximum(second - first * first, 0.0));
          },
          6.0 * 8 * static_cast<double>(n * n),
          {*deviation},
          nullptr,
          /*by_hand=*/false};
}

// PageRank with n^2 edges in the order of where they end, and a fifth as many pages: what comes to a page is a
// difference of sums so far.
inline Program pagerank(std::int64_t n) {
  const std::int64_t edges = n * n, pages = edges / 5;
  auto rng = np::random::default_rng(3);
  const Array from = rng.integers(0, pages, edges), to = np::sort(rng.integers(0, pages, edges));
  const Array degree = np::maximum(np::bincount(from, pages), 1).astype<double>();
  const Array ends = np::searchsorted(to, np::arange(pages + 1));
  auto rank = std::make_shared<Array>(np::full({pages}, 1.0 / static_cast<double>(pages)));
  return {[=] {
            const Array share = np::take(*rank / degree, from);
            const Array sums = np::concatenate({np::zeros({1}), np::cumsum(share)});
            const Array at = np::take(sums, ends);
            *rank = 0.15 / static_cast<double>(pages) + 0.85 * (at(slice(1, {})) - at(slice(0, -1)));
          },
          6.0 * 8 * static_cast<double>(edges),
          {*rank},
          nullptr,
          /*by_hand=*/false};
}

// Shortest ways by way of one more point after the other: ten a step.
inline Program floyd(std::int64_t n) {
  auto rng = np::random::default_rng(5);
  Array d = rng.uniform(1.0, 100.0, {n, n});
  auto next = std::make_shared<std::int64_t>(0);
  return {[=]() mutable {
            for (int i = 0; i < 10; ++i) {
              const std::int64_t k = (*next)++ % n;
              d = np::minimum(d, np::expand_dims(d(all, k), 1) + np::expand_dims(d(k), 0));
            }
          },
          20.0 * 8 * static_cast<double>(n * n),
          {d},
          nullptr,
          /*by_hand=*/false};
}

// Euler's equations by finite volumes on a torus: slopes by rolls, faces half a step on, fluxes of Rusanov, each
// conserved array updated by the four fluxes around it.
inline Program finite_volumes(std::int64_t n) {
  constexpr double kGamma = 5.0 / 3.0, kStep = 1e-5;
  const double dx = 1.0 / static_cast<double>(n), volume = dx * dx;
  const Array at = (np::arange(n, np::float64) + 0.5) * dx;
  const Array inside = np::where(np::abs(at.reshape({1, n}) - 0.5) < 0.25, 1.0, 0.0) + np::zeros({n, n});
  const Array rho = 1.0 + inside, vx = inside - 0.5, vy = 0.1 * np::sin(12.56 * at.reshape({n, 1})) + np::zeros({n, n});
  Array mass = rho * volume, momentum_x = rho * vx * volume, momentum_y = rho * vy * volume;
  Array energy = (2.5 / (kGamma - 1) + 0.5 * rho * (vx * vx + vy * vy)) * volume;
  struct Flow {
    Array rho, vx, vy, p;
  };
  struct Flux {
    Array mass, along, across, energy;
  };
  const auto slope = [dx](const Array& f, int axis) {
    return (np::roll(f, -1, axis) - np::roll(f, 1, axis)) / (2 * dx);
  };
  // Between `left` and `right`, by their velocities along the axis and across it.
  const auto flux_between = [](const Flow& left, const Flow& right) {
    const Array energy_left = left.p / (kGamma - 1) + 0.5 * left.rho * (left.vx * left.vx + left.vy * left.vy);
    const Array energy_right = right.p / (kGamma - 1) + 0.5 * right.rho * (right.vx * right.vx + right.vy * right.vy);
    const Array rho = 0.5 * (left.rho + right.rho);
    const Array along = 0.5 * (left.rho * left.vx + right.rho * right.vx);
    const Array across = 0.5 * (left.rho * left.vy + right.rho * right.vy);
    const Array energy = 0.5 * (energy_left + energy_right);
    const Array p = (kGamma - 1) * (energy - 0.5 * (along * along + across * across) / rho);
    const Array speed = 0.5 * np::maximum(np::sqrt(kGamma * left.p / left.rho) + np::abs(left.vx),
                                          np::sqrt(kGamma * right.p / right.rho) + np::abs(right.vx));
    return Flux{along - speed * (left.rho - right.rho),
                along * along / rho + p - speed * (left.rho * left.vx - right.rho * right.vx),
                along * across / rho - speed * (left.rho * left.vy - right.rho * right.vy),
                (energy + p) * along / rho - speed * (energy_left - energy_right)};
  };
  return {[=]() mutable {
            const Array rho = mass / volume, vx = momentum_x / rho / volume, vy = momentum_y / rho / volume;
            const Array p = (energy / volume - 0.5 * rho * (vx * vx + vy * vy)) * (kGamma - 1);
            const Flow x{slope(rho, 0), slope(vx, 0), slope(vy, 0), slope(p, 0)};
            const Flow y{slope(rho, 1), slope(vx, 1), slope(vy, 1), slope(p, 1)};
            const Flow half{rho - 0.5 * kStep * (vx * x.rho + rho * x.vx + vy * y.rho + rho * y.vy),
                            vx - 0.5 * kStep * (vx * x.vx + vy * y.vx + x.p / rho),
                            vy - 0.5 * kStep * (vx * x.vy + vy * y.vy + y.p / rho),
                            p - 0.5 * kStep * (kGamma * p * (x.vx + y.vy) + vx * x.p + vy * y.p)};
            const auto left = [&](const Array& f, const Array& df, int axis) {
              return np::roll(f - df * dx / 2.0, -1, axis);
            };
            const auto right = [&](const Array& f, const Array& df) { return f + df * dx / 2.0; };
            const Flux fx = flux_between(
                {left(half.rho, x.rho, 0), left(half.vx, x.vx, 0), left(half.vy, x.vy, 0), left(half.p, x.p, 0)},
                {right(half.rho, x.rho), right(half.vx, x.vx), right(half.vy, x.vy), right(half.p, x.p)});
            const Flux fy = flux_between(
                {left(half.rho, y.rho, 1), left(half.vy, y.vy, 1), left(half.vx, y.vx, 1), left(half.p, y.p, 1)},
                {right(half.rho, y.rho), right(half.vy, y.vy), right(half.vx, y.vx), right(half.p, y.p)});
            const auto apply = [&](Array& f, const Array& along_x, const Array& along_y) {
              f += -kStep * dx * along_x;
              f += kStep * dx * np::roll(along_x, 1, 0);
              f += -kStep * dx * along_y;
              f += kStep * dx * np::roll(along_y, 1, 1);
            };
            apply(mass, fx.mass, fy.mass);
            apply(momentum_x, fx.along, fy.across);
            apply(momentum_y, fx.across, fy.along);
            apply(energy, fx.energy, fy.energy);
          },
          44.0 * 8 * static_cast<double>(n * n),
          {mass, momentum_x, momentum_y, energy},
          nullptr,
          /*by_hand=*/false};
}

// Advection by an essentially non-oscillatory scheme of fifth order, its faces from five cells.
inline Program weno(std::int64_t n) {
  const Array at = np::arange(n, np::float64) * (6.283185307179586 / static_cast<double>(n));
  Array u = np::sin(at.reshape({n, 1})) * np::cos(at.reshape({1, n}));
  const auto face = [](const Array& u, int axis) {
    const Array a = np::roll(u, 2, axis), b = np::roll(u, 1, axis), d = np::roll(u, -1, axis),
                e = np::roll(u, -2, axis);
    const Array s0 = 13.0 / 12.0 * np::square(a - 2.0 * b + u) + 0.25 * np::square(a - 4.0 * b + 3.0 * u);
    const Array s1 = 13.0 / 12.0 * np::square(b - 2.0 * u + d) + 0.25 * np::square(b - d);
    const Array s2 = 13.0 / 12.0 * np::square(u - 2.0 * d + e) + 0.25 * np::square(3.0 * u - 4.0 * d + e);
    const Array w0 = 0.1 / np::square(s0 + 1e-6), w1 = 0.6 / np::square(s1 + 1e-6), w2 = 0.3 / np::square(s2 + 1e-6);
    return (w0 * (2.0 * a - 7.0 * b + 11.0 * u) + w1 * (5.0 * u - b + 2.0 * d) + w2 * (2.0 * u + 5.0 * d - e)) / 6.0 /
           (w0 + w1 + w2);
  };
  return {[=]() mutable {
            Array change = np::zeros({n, n});
            for (int axis = 0; axis < 2; ++axis) {
              const Array f = face(u, axis);
              change += f - np::roll(f, 1, axis);
            }
            u = u - 0.1 * change;
          },
          7.0 * 8 * static_cast<double>(n * n),
          {u},
          nullptr,
          /*by_hand=*/false};
}

// Heat in three dimensions, of fourth order: neighbours one and two cells away.
inline Program far_heat(std::int64_t n) {
  Array u = np::zeros({n, n, n});
  u(slice(n / 4, n / 2), slice(n / 4, n / 2), slice(n / 4, n / 2)) = 1.0;
  return {[=]() mutable {
            Array change = -7.5 * u;
            for (int axis = 0; axis < 3; ++axis) {
              change += 4.0 / 3.0 * (np::roll(u, 1, axis) + np::roll(u, -1, axis));
              change -= 1.0 / 12.0 * (np::roll(u, 2, axis) + np::roll(u, -2, axis));
            }
            u += 0.05 * change;
          },
          2.0 * 8 * static_cast<double>(n * n * n),
          {u},
          nullptr,
          /*by_hand=*/false};
}

// Lattice Boltzmann with nine arrays, each rolled and then relaxed in place.
inline Program lattice_in_place(std::int64_t n) {
  static constexpr std::array<std::array<int, 2>, 9> kWays{
      {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}};
  static constexpr std::array<double, 9> kWeights{4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                                                  1. / 36, 1. / 36, 1. / 36, 1. / 36};
  std::vector<Array> f;
  for (const double weight : kWeights) f.push_back(np::full({n, n}, weight));
  f[1](slice(n / 4, n / 2), slice(n / 4, n / 2)) = 0.2;
  return {[=]() mutable {
            for (std::size_t i = 0; i < f.size(); ++i) f[i] = np::roll(np::roll(f[i], kWays[i][0], 0), kWays[i][1], 1);
            Array rho = f[0];
            for (std::size_t i = 1; i < f.size(); ++i) rho = rho + f[i];
            const Array ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / rho;
            const Array uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / rho;
            for (std::size_t i = 0; i < f.size(); ++i) {
              const Array along = 3.0 * (kWays[i][0] * ux + kWays[i][1] * uy);
              f[i] +=
                  0.6 * (kWeights[i] * rho * (1.0 + along + 0.5 * along * along - 1.5 * (ux * ux + uy * uy)) - f[i]);
            }
          },
          18.0 * 8 * static_cast<double>(n * n), f, nullptr,
          /*by_hand=*/false};
}

}  // namespace pilum::programs
