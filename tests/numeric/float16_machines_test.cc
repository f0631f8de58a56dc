// float16 has the same bits on every machine: each operation is rounded, fused or not, on cores and on GPUs.
#include <cstring>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/numeric/cut_machines.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::slice, np::all;

using HalfCells = std::vector<half>;

// Of all sizes that do not overflow soon, subnormal ones among them.
HalfCells drawn_halves(std::size_t count) {
  HalfCells cells;
  std::uint32_t state = 20261123;
  for (std::size_t k = 0; k < count; ++k) {
    state = state * 1664525 + 1013904223;
    cells.push_back(half::from_bits(static_cast<std::uint16_t>((state >> 16) % 0x5400 | (state & 0x8000))));
  }
  return cells;
}

void append_cells(HalfCells& cells, const np::Array& array) {
  const HalfCells more = array.astype(np::float16).to_vector<half>();
  cells.insert(cells.end(), more.begin(), more.end());
}

HalfCells compute_halves() {
  HalfCells cells;
  const auto a = np::array(drawn_halves(7 * 43)).reshape({7, 43});
  const auto b = np::roll(a, 3) + 0.5;
  for (const np::Array& one : {a + b, a - b, a * b, a / b, -a, a * 2, 1 / b, a + b + a, np::sqrt(np::abs(a)) * b + a})
    append_cells(cells, one);
  for (const np::Array& one : {np::exp(a), np::sin(a), np::tanh(b), np::floor_divide(a, b), np::maximum(a, b), a > b})
    append_cells(cells, one);
  append_cells(cells, np::where(a > 0, a, b));
  append_cells(cells, a.T() * 2);
  append_cells(cells, a(slice({}, {}, -2), slice(1, {}, 3)));
  append_cells(cells, np::concatenate({a, b}, 1));
  append_cells(cells, a.astype(np::float64) * 0.1);
  append_cells(cells, a.astype(np::int32));
  auto grid = np::zeros({9, 47}, np::float16);
  grid(slice(1, -1), slice(2, -2)) = a;
  for (int step = 0; step < 3; ++step) {
    grid(slice(1, -1), slice(1, -1)) = 0.25 * (grid(slice(0, -2), slice(1, -1)) + grid(slice(2, {}), slice(1, -1)) +
                                               grid(slice(1, -1), slice(0, -2)) + grid(slice(1, -1), slice(2, {})));
  }
  append_cells(cells, grid);
  append_cells(cells, a[np::array({5, 2, 2, 0, 6})]);
  append_cells(cells, a(all, 3)[a(all, 3) > 0]);
  append_cells(cells, np::sort(a, 1));
  append_cells(cells, np::max(a, 0));
  const auto whole = np::rint(a / 64);  // sums that are exact in any order
  append_cells(cells, np::sum(whole, 0));
  append_cells(cells, np::mean(whole, 1));
  append_cells(cells, np::cumsum(whole, 1));
  auto written = a.copy();
  written(2, all) = 1;
  written(all, slice(0, {}, 2)) *= 1.5;
  append_cells(cells, written);
  return cells;
}

TEST(Float16Machines, EveryMachineComputesTheSameBits) {
  HalfCells expected;
  for (const fakes::SimulatedRanks& machine : kCutMachines) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      const HalfCells computed = compute_halves();
      if (expected.empty()) expected = computed;  // of the first machine, which has one rank
      ASSERT_EQ(computed.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const bool both_nan = computed[k] != computed[k] && expected[k] != expected[k];
        ASSERT_TRUE(both_nan || computed[k].bits() == expected[k].bits())
            << "cell " << k << ", " << machine.ranks << " ranks, GPUs: " << machine.gpus << ", rank " << session.rank();
      }
    });
  }
}

// In a program that is fused: as with each result stored, which to_vector() asks for.
TEST(Float16Machines, FusedOperationsHaveTheBitsOfEachByItself) {
  fakes::run_on_simulated_ranks({.ranks = 1}, [&](scheduler::Session&) {
    const auto a = np::array(drawn_halves(1000)), b = np::roll(a, 1);
    const HalfCells fused = (np::sqrt(np::abs(a * b + a)) / 3 - b).to_vector<half>();
    auto step = a * b;
    for (const auto& next : {+[](const np::Array& x, const np::Array& a, const np::Array&) { return x + a; },
                             +[](const np::Array& x, const np::Array&, const np::Array&) { return np::abs(x); },
                             +[](const np::Array& x, const np::Array&, const np::Array&) { return np::sqrt(x); },
                             +[](const np::Array& x, const np::Array&, const np::Array&) { return x / 3; },
                             +[](const np::Array& x, const np::Array&, const np::Array& b) { return x - b; }}) {
      step = np::array(step.to_vector<half>());
      step = next(step, a, b);
    }
    const HalfCells stored = step.to_vector<half>();
    for (std::size_t k = 0; k < fused.size(); ++k) ASSERT_EQ(fused[k].bits(), stored[k].bits()) << k;
  });
}

}  // namespace
}  // namespace pilum
