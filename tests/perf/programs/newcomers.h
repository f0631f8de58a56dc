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

}  // namespace pilum::programs
