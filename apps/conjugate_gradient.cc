// Poisson's equation on a square, its edge held at 0, by conjugate gradients (Hestenes and Stiefel, 1952).
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;
using np::slice;

constexpr double kLeast = std::numeric_limits<double>::min();  // divides 0, once nothing is left to solve

struct Options {
  std::int64_t size = 512, iterations = 1000;
  double tolerance = 1e-8;
  bool check = false;
};

struct Solution {
  np::Array x;
  std::int64_t iterations;
  double residual;  // |b - A x| as the iteration keeps it
};

// A is the five-point stencil: 4 x less the four neighbours. The direction p has a rim of zeros around it.
Solution solve(const np::Array& b, const Options& options) {
  const std::int64_t n = b.shape()[0];
  auto rimmed = np::zeros({n + 2, n + 2});
  auto p = rimmed(slice(1, -1), slice(1, -1));
  auto north = rimmed(slice(0, -2), slice(1, -1)), south = rimmed(slice(2, {}), slice(1, -1));
  auto west = rimmed(slice(1, -1), slice(0, -2)), east = rimmed(slice(1, -1), slice(2, {}));

  auto x = np::zeros_like(b);
  auto r = b.copy();
  p[np::all] = r;
  auto squares = np::sum(r * r);
  const double enough = std::pow(options.tolerance, 2) * squares.item<double>();
  std::int64_t iteration = 0;
  while (iteration < options.iterations) {
    auto product = 4.0 * p - north - south - west - east;
    auto alpha = squares / np::maximum(np::sum(p * product), kLeast);
    x += alpha * p;
    r -= alpha * product;
    auto next = np::sum(r * r);
    p[np::all] = r + next / np::maximum(squares, kLeast) * p;
    squares = next;
    if (++iteration % 10 == 0 && squares.item<double>() <= enough) break;
  }
  return {x, iteration, std::sqrt(squares.item<double>())};
}

// |b - A x| of the x that was found, with plain loops: is it as small as asked for? It and the residual that the
// iteration keeps differ by the rounding of each update of x and r: below an ulp of 8 |x| for each (Greenbaum,
// "Estimating the attainable accuracy of recursively computed residual methods", 1997).
bool check(const np::Array& b, const Solution& solution, double tolerance) {
  const auto x = solution.x.to_vector<double>(), right = b.to_vector<double>();
  const std::int64_t n = b.shape()[0];
  double residual = 0, size = 0, at_first = 0;
  for (std::int64_t row = 0; row < n; ++row) {
    for (std::int64_t column = 0; column < n; ++column) {
      const auto at = [&](std::int64_t i, std::int64_t j) {
        return i < 0 || i >= n || j < 0 || j >= n ? 0 : x[static_cast<std::size_t>(i * n + j)];
      };
      const double product =
          4 * at(row, column) - at(row - 1, column) - at(row + 1, column) - at(row, column - 1) - at(row, column + 1);
      const double wanted = right[static_cast<std::size_t>(row * n + column)];
      residual += std::pow(wanted - product, 2);
      size += std::pow(at(row, column), 2);
      at_first += wanted * wanted;
    }
  }
  const double bound = 8 * 0x1p-52 * std::sqrt(size) * static_cast<double>(solution.iterations + 1);
  residual = std::sqrt(residual);
  const bool is_small = app::is_within("residual", residual, tolerance * std::sqrt(at_first) + bound);
  return app::is_within("its recurrence", std::abs(residual - solution.residual), bound) && is_small;
}

int main(int argc, char** argv) {
  Options options;
  app::Options("Poisson's equation by conjugate gradients")
      .count("-n,--size", options.size, "Inner points along an axis")
      .count("-i,--iterations", options.iterations, "Iterations at most")
      .number("--tolerance", options.tolerance, "Residual to be reached, over that of 0", 0, 1)
      .flag("--check", options.check, "Is it solved? By plain serial loops")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    const auto b = np::random::default_rng(7).uniform(-1.0, 1.0, {options.size, options.size});
    runtime.wait();
    const app::Clock clock;
    const Solution solution = solve(b, options);
    std::printf("residual %.3e after %lld iterations\n", solution.residual,
                static_cast<long long>(solution.iterations));
    app::print_elapsed(clock.seconds());
    return options.check && !check(b, solution, options.tolerance) ? 1 : 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "conjugate_gradient: %s\n", error.what());
    return 1;
  }
}
