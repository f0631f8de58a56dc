// Scans as kernels that GPUs run tile by tile, on emulated ones, against plain loops.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/gpu_scan.h"
#include "pilum/pilum.h"
#include "tests/fakes/thorough.h"
#include "tests/numeric/emulated_gpus.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;

// -4 … 4.
Array numbers_in(const Shape& shape) {
  return (np::arange(shape.elements()) * 7 % 9 - 4).reshape(shape);
}

std::vector<double> sums_of(std::vector<double> cells) {
  std::partial_sum(cells.begin(), cells.end(), cells.begin());
  return cells;
}

std::vector<double> cells_of(const Array& array) {
  return array.astype<double>().to_vector<double>();
}

TEST(GpuScan, IsALoopOverEachLine) {
  on_emulated_gpus(2, [] {
    for (const DType dtype : {DType::Int32, DType::Int64, DType::Float32, DType::Float64}) {
      SCOPED_TRACE(testing::Message() << dtype);
      for (const std::int64_t cells : {1, 2, 255, 2048, 2049, 4095, 4096, 4097, 9000}) {
        const Array line = numbers_in({cells}).astype(dtype);
        ASSERT_EQ(cells_of(np::cumsum(line)), sums_of(cells_of(line))) << cells << " cells";
      }
    }
  });
}

// As NumPy's, one cell after the other.
TEST(GpuScan, OfAShortLineHasTheBitsOfCores) {
  on_emulated_gpus(2, [] {
    for (const std::int64_t cells : {1, 11, 1000, 1024}) {
      const Array line = np::sin(np::arange(cells, np::float64)) + 1.1;
      const std::vector<double> from = cells_of(line);
      std::vector<double> sums = from, products = from;
      for (std::size_t i = 1; i < from.size(); ++i) {
        sums[i] += sums[i - 1];
        products[i] *= products[i - 1];
      }
      EXPECT_EQ(cells_of(np::cumsum(line)), sums) << cells;
      EXPECT_EQ(cells_of(np::cumprod(line)), products) << cells;
    }
  });
}

TEST(GpuScan, CarriesFromGroupToGroup) {
  on_emulated_gpus(2, [] {
    constexpr std::int64_t kCells = 2 * 256 * 2048 + 3000;
    const Array line = numbers_in({kCells}).astype<double>();
    const std::vector<double> sums = sums_of(cells_of(line));
    EXPECT_EQ(np::cumsum(line).to_vector<double>(), sums);
    const Array counts = np::cumsum(np::ones(kCells, int64));
    EXPECT_TRUE(np::array_equal(counts, np::arange(kCells) + 1));
  });
}

TEST(GpuScan, GoesAlongAnyAxisOfAnyView) {
  on_emulated_gpus(2, [] {
    const auto check = [](const Array& a, int axis) {
      SCOPED_TRACE(testing::Message() << a.shape() << " along " << axis);
      const Array scanned = np::moveaxis(np::cumsum(a, axis), axis, -1), lines = np::moveaxis(a, axis, -1);
      const std::vector<double> found = cells_of(scanned), from = cells_of(lines);
      const auto extent = static_cast<std::size_t>(a.shape()[axis]);
      std::vector<double> expected = from;
      for (std::size_t i = 0; i < from.size(); ++i) expected[i] = i % extent ? expected[i - 1] + from[i] : from[i];
      EXPECT_EQ(found, expected);
    };
    check(numbers_in({3, 5000}), 1);
    check(numbers_in({5000, 3}), 0);
    check(numbers_in({2, 4500, 3}), 1);
    check(numbers_in({2, 3, 4500}), 2);
    check(numbers_in({4600, 4})(slice({}, {}, -1), slice({}, {}, 2)), 0);
    check(numbers_in({4, 4600}).T(), 0);
    check(numbers_in({4, 2, 4200})(slice({}, {}, 2), all, slice(3, 4190)), 2);
    const Array line = numbers_in({9000});
    check(line(slice({}, {}, -2)), 0);
    Array part = line(slice(5, -3));  // written into what is read
    const std::vector<double> sums = sums_of(cells_of(part));
    part[all] = np::cumsum(part);
    EXPECT_EQ(cells_of(part), sums);
  });
}

// Blocks of 1,024 cells, one after the other, as on cores.
std::vector<double> folded_by_blocks(const std::vector<double>& cells, bool sums) {
  std::vector<double> result(cells.size());
  double before = sums ? -0.0 : 1, within = before;
  const auto fold = [sums](double a, double b) { return sums ? a + b : a * b; };
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0 && i % 1024 == 0) before = fold(before, within), within = sums ? -0.0 : 1;
    within = fold(within, cells[i]);
    result[i] = fold(before, within);
  }
  return result;
}

void expect_folded_by_blocks(const Array& a, int axis) {
  SCOPED_TRACE(testing::Message() << a.shape() << " along " << axis);
  const Array sums = np::moveaxis(np::cumsum(a, axis), axis, -1),
              products = np::moveaxis(np::cumprod(a, axis), axis, -1), lines = np::moveaxis(a, axis, -1);
  const std::vector<double> from = lines.to_vector<double>(), found_sums = sums.to_vector<double>(),
                            found_products = products.to_vector<double>();
  const auto extent = a.shape()[axis];
  for (std::int64_t line = 0; line < a.size(); line += extent) {
    const std::vector<double> cells(from.begin() + line, from.begin() + line + extent);
    const std::vector<double> right_sums = folded_by_blocks(cells, true),
                              right_products = folded_by_blocks(cells, false);
    ASSERT_TRUE(std::equal(right_sums.begin(), right_sums.end(), found_sums.begin() + line)) << line;
    ASSERT_TRUE(std::equal(right_products.begin(), right_products.end(), found_products.begin() + line)) << line;
  }
}

// Their sums and products are rounded.
Array thirds_in(const Shape& shape) {
  return 1 + numbers_in(shape) / 3000.0;
}

// Lines side by side that are neither short nor very long are cut into blocks.
TEST(GpuScan, OfLinesSideBySideHasTheBitsOfCores) {
  on_emulated_gpus(2, [] {
    expect_folded_by_blocks(thirds_in({1025, 3}), 0);
    expect_folded_by_blocks(thirds_in({3000, 7}), 0);
    expect_folded_by_blocks(thirds_in({2, 2048, 5}), 1);
    expect_folded_by_blocks(thirds_in({2300, 2, 3}), 0);
    expect_folded_by_blocks(thirds_in({2300, 5})(slice({}, {}, -1), slice({}, {}, 2)), 0);
    expect_folded_by_blocks(thirds_in({2, 2050, 5})(all, slice(3, {}), slice(1, 4)), 1);
    expect_folded_by_blocks(thirds_in({1100, 300}), 0);
    const Array whole = numbers_in({1500, 3});
    EXPECT_TRUE(np::array_equal(np::cumsum(whole, 0), np::cumsum(whole.astype(float64), 0)));
    EXPECT_TRUE(np::array_equal(np::accumulate(np::maximum, whole, 0),
                                np::minimum(4, np::accumulate(np::maximum, whole.astype(float32), 0))));
  });
}

// Through shared memory, so that a warp's loads lie side by side.
TEST(GpuScan, OfManyRowsHasTheBitsOfCores) {
  on_emulated_gpus(2, [] {
    expect_folded_by_blocks(thirds_in({70, 1025}), 1);
    expect_folded_by_blocks(thirds_in({40, 3001}), 1);
    expect_folded_by_blocks(thirds_in({3, 50, 600}), 2);
    expect_folded_by_blocks(thirds_in({4100, 16}), 1);
    expect_folded_by_blocks(thirds_in({2000, 33}), 1);
    expect_folded_by_blocks(thirds_in({70, 2100})(slice(1, -2), slice(5, -1)), 1);
    expect_folded_by_blocks(thirds_in({64, 1100}).T(), 0);
    for (const DType dtype : {DType::Int8, DType::Float32}) {
      const Array whole = numbers_in({1300, 70}).astype(dtype);
      EXPECT_TRUE(np::array_equal(np::cumsum(whole, 1, dtype), np::cumsum(whole.astype(np::int64), 1).astype(dtype)));
    }
  });
}

TEST(GpuScan, FoldsInEveryWay) {
  on_emulated_gpus(2, [] {
    const Array a = numbers_in({5000});
    const std::vector<double> cells = cells_of(a);
    for (const DType dtype : {DType::Int8, DType::UInt8, DType::Int16, DType::Int64, DType::Float32, DType::Float64}) {
      SCOPED_TRACE(testing::Message() << dtype);
      const Array typed = (a + 4).astype(dtype);
      std::vector<double> least = cells_of(typed), most = least;
      for (std::size_t i = 1; i < least.size(); ++i) {
        least[i] = std::min(least[i - 1], least[i]);
        most[i] = std::max(most[i - 1], most[i]);
      }
      EXPECT_EQ(cells_of(np::accumulate(np::minimum, typed)), least);
      EXPECT_EQ(cells_of(np::accumulate(np::maximum, typed)), most);
      EXPECT_EQ(cells_of(np::accumulate(np::maximum, typed * 0)), std::vector<double>(5000, 0));
    }
    // Products of ones and minus ones, and integers that wrap.
    const Array signs = np::where(a < 0, -1.0, 1.0);
    std::vector<double> products = cells_of(signs);
    for (std::size_t i = 1; i < products.size(); ++i) products[i] *= products[i - 1];
    EXPECT_EQ(cells_of(np::cumprod(signs)), products);
    const std::vector<std::int64_t> threes = np::cumprod(np::full({5000}, 3, int64)).to_vector<std::int64_t>();
    std::uint64_t power = 1;
    for (const std::int64_t found : threes) ASSERT_EQ(static_cast<std::uint64_t>(found), power *= 3);
    // Before a NaN it is none, from it on it is one; -0.0 stays.
    std::vector<double> with_nan(5000, 1.0);
    with_nan[3000] = NAN;
    const std::vector<double> sums = np::cumsum(np::array(with_nan)).to_vector<double>();
    EXPECT_EQ(sums[2999], 3000);
    EXPECT_TRUE(std::isnan(sums[3000]) && std::isnan(sums[4999]));
    EXPECT_TRUE(std::isnan(np::accumulate(np::maximum, np::array(with_nan))(-1).item<double>()));
    EXPECT_TRUE(std::signbit(np::cumsum(np::full({5000}, -0.0))(-1).item<double>()));
    const Array flags = a > 3;
    EXPECT_EQ(np::count_nonzero(np::accumulate(np::maximum, flags)).item<std::int64_t>(),
              5000 - (std::find(cells.begin(), cells.end(), 4.0) - cells.begin()));
  });
}

// Thirds: sums are rounded. The order follows from the place alone, so a part of the line has the same bits; and is as
// exact as sums by tiles are.
TEST(GpuScan, HasBitsThatFollowFromThePlaceAlone) {
  std::vector<double> first;
  for (const std::uint64_t seed : {1, 2, 3}) {
    fakes::SimulatedRanks machine;
    machine.gpus = true;
    machine.seed = seed;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      constexpr std::int64_t kCells = 256 * 2048 + 2500;
      const Array line = numbers_in({kCells}) / 3.0 + 0.1;
      const std::vector<double> cells = line.to_vector<double>(), sums = np::cumsum(line).to_vector<double>();
      if (first.empty()) first = sums;
      EXPECT_EQ(sums, first);
      const std::vector<double> part = np::cumsum(line(slice(0, 7000)).copy()).to_vector<double>();
      EXPECT_TRUE(std::equal(part.begin(), part.end(), sums.begin()));
      const Array both = np::stack({line, line + 1.0});
      EXPECT_EQ(np::cumsum(both, 1)(0).to_vector<double>(), sums);
      long double exact = 0, sizes = 0;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        exact += cells[i];
        sizes += std::abs(cells[i]);
        ASSERT_LT(std::abs(sums[i] - static_cast<double>(exact)), 40 * 2.3e-16 * static_cast<double>(sizes) + 1e-300)
            << i;
      }
    });
  }
}

// Two GPUs cut it elsewhere than three do.
TEST(GpuScan, OfALineThatIsCutHasTheBitsOfOneGpu) {
  std::vector<double> alone;
  for (const auto& [ranks, gpus] : {std::pair{1, 1}, {1, 2}, {1, 3}, {3, 1}, {2, 2}}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks of " << gpus << " GPUs");
    fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    machine.processors_per_rank = gpus;
    machine.gpus = true;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      constexpr std::int64_t kCells = (2 * 256 + 7) * 2048 + 100;  // two groups of tiles, and a part of one
      const Array line = numbers_in({kCells}) / 3.0 + 0.1;
      const std::vector<double> sums = np::cumsum(line).to_vector<double>();
      if (alone.empty()) alone = sums;
      EXPECT_EQ(sums, alone);
    });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(GpuScan, IsRemembered) {
  on_emulated_gpus(2, [] {
    Array counts = np::ones(9000, int64);
    for (int round = 0; round < 12; ++round) counts = np::cumsum(counts) - np::arange(9000);
    EXPECT_TRUE(np::array_equal(counts, np::ones(9000, int64)));
  });
}

// By NVIDIA's compiler, where there is one: it needs no GPU.
TEST(GpuScan, HasTextsThatNvrtcTakes) {
#ifdef PILUM_SANITIZE
  GTEST_SKIP() << "ten seconds in NVIDIA's compiler, which has no instruments; what writes the texts runs above";
#endif
  std::string why;
  const auto compiler = find_nvrtc_compiler(why);
  if (!compiler) GTEST_SKIP() << why;
  for (const Fold fold : {Fold::Sum, Fold::Product, Fold::Minimum, Fold::Maximum}) {
    for (const DType dtype : {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32,
                              DType::UInt32, DType::Int64, DType::UInt64, DType::Float32, DType::Float64}) {
      const bool is_plain = dtype == DType::Int32 || dtype == DType::UInt8 || dtype == DType::Float32;
      if (is_plain || fakes::is_thorough()) {
        EXPECT_GT(compiler->compile(np::scan_text(fold, dtype)).size(), 1000u) << dtype;
      }
      if (fold == Fold::Product && !fakes::is_thorough()) continue;
      if (dtype != DType::Int16 && dtype != DType::Float64) continue;
      for (const int step : {0, 1, 2})
        EXPECT_GT(compiler->compile(np::column_scan_text(fold, dtype, step)).size(), 1000u) << dtype;
      for (const auto step : {np::CutScanStep::Tiles, np::CutScanStep::Groups, np::CutScanStep::Cells})
        EXPECT_GT(compiler->compile(np::cut_scan_text(fold, dtype, step)).size(), 1000u) << dtype;
      for (const bool writes : {false, true})
        EXPECT_GT(compiler->compile(np::row_scan_text(fold, dtype, writes)).size(), 1000u) << dtype;
    }
  }
}

}  // namespace
}  // namespace pilum
