// The main job on simulated ranks: the same bits on every machine.
#include <gtest/gtest.h>

#include <vector>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;

std::vector<double> jacobi(int n, int iterations) {
  np::Array grid = np::zeros({n + 2, n + 2});
  grid(all, 0) = -273.15;
  grid(all, -1) = -273.15;
  grid(-1, all) = -273.15;
  grid(0, all) = 40.0;
  auto center = grid(slice(1, -1), slice(1, -1));
  auto north = grid(slice(0, -2), slice(1, -1));
  auto east = grid(slice(1, -1), slice(2, {}));
  auto west = grid(slice(1, -1), slice(0, -2));
  auto south = grid(slice(2, {}), slice(1, -1));
  for (int i = 0; i < iterations; ++i) {
    auto average = center + north + east + west + south;
    auto work = 0.2 * average;
    center[all] = work;
  }
  return grid.to_vector<double>();
}

std::vector<double> serial_jacobi(int n, int iterations) {
  const int width = n + 2;
  std::vector<double> grid(static_cast<std::size_t>(width * width), 0.0);
  const auto at = [&](std::vector<double>& cells, int i, int j) -> double& {
    return cells[static_cast<std::size_t>(i * width + j)];
  };
  for (int k = 0; k < width; ++k) at(grid, k, 0) = at(grid, k, width - 1) = -273.15;
  for (int k = 0; k < width; ++k) at(grid, width - 1, k) = -273.15;
  for (int k = 0; k < width; ++k) at(grid, 0, k) = 40.0;
  std::vector<double> next = grid;
  for (int s = 0; s < iterations; ++s) {
    for (int i = 1; i <= n; ++i) {
      for (int j = 1; j <= n; ++j) {
        at(next, i, j) =
            0.2 * (at(grid, i, j) + at(grid, i - 1, j) + at(grid, i, j + 1) + at(grid, i, j - 1) + at(grid, i + 1, j));
      }
    }
    std::swap(grid, next);
  }
  return grid;
}

class JacobiOn : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(JacobiOn, GivesTheSerialLoopsBits) {
  fakes::SimulatedRanks machine;
  machine.ranks = GetParam().first;
  machine.processors_per_rank = GetParam().second;
  for (const int window : {0, 13}) {
    machine.window = window;
    const std::vector<double> expected = serial_jacobi(30, 25);
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { EXPECT_EQ(jacobi(30, 25), expected); });
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, JacobiOn,
                         testing::Values(std::pair(1, 1), std::pair(2, 1), std::pair(3, 1), std::pair(4, 1),
                                         std::pair(7, 1), std::pair(1, 2), std::pair(1, 3), std::pair(2, 2),
                                         std::pair(2, 3)));

}  // namespace
}  // namespace pilum
