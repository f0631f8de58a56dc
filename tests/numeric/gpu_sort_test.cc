// Lines sorted by GPUs, on emulated ones, against plain sorts that keep the order of equal cells: to the bit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/gpu_sort.h"
#include "numeric/gpu_sort_text.h"
#include "pilum/pilum.h"
#include "runtime/base/dtype_visit.h"
#include "tests/fakes/emulated_gpu.h"
#include "tests/fakes/thorough.h"
#include "tests/numeric/emulated_gpus.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;

// One GPU, which has all lines.
void on_an_emulated_gpu(const std::function<void()>& program) {
  fakes::SimulatedRanks machine;
  machine.gpus = true;
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { program(); });
}

// Cells and their places, by NumPy's order: NaNs last, zeros of both signs equal.
template <class T>
struct Sorted {
  std::vector<T> cells;
  std::vector<std::int64_t> places;
};

template <class T>
Sorted<T> sorted_naively(const std::vector<T>& cells) {
  Sorted<T> sorted;
  for (std::size_t i = 0; i < cells.size(); ++i) sorted.places.push_back(static_cast<std::int64_t>(i));
  std::stable_sort(sorted.places.begin(), sorted.places.end(), [&](std::int64_t a, std::int64_t b) {
    const T x = cells[static_cast<std::size_t>(a)], y = cells[static_cast<std::size_t>(b)];
    const bool x_is_nan = x != x, y_is_nan = y != y;
    return x_is_nan || y_is_nan ? y_is_nan && !x_is_nan : x < y;
  });
  for (const std::int64_t place : sorted.places) sorted.cells.push_back(cells[static_cast<std::size_t>(place)]);
  return sorted;
}

template <class T>
std::vector<std::uint64_t> bits_of(const std::vector<T>& cells) {
  std::vector<std::uint64_t> bits;
  for (const T cell : cells) {
    std::uint64_t word = 0;
    std::memcpy(&word, &cell, sizeof cell);
    bits.push_back(word);
  }
  return bits;
}

// Any bits: NaNs of both signs, infinities, tiny numbers; of floats also some that are few and equal.
template <class T>
std::vector<T> any_cells(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> cells(static_cast<std::size_t>(count));
  for (T& cell : cells) {
    const std::uint64_t word = random();
    std::memcpy(static_cast<void*>(&cell), &word, sizeof cell);
    if constexpr (!std::is_integral_v<T>) {
      const float few[] = {0.0f, -0.0f, 1.5f, -1.5f, INFINITY, -INFINITY, NAN, -NAN};
      if (word >> 63) cell = static_cast<T>(few[random() % 8]);
    }
  }
  return cells;
}

template <class T>
void check_line(const std::vector<T>& cells) {
  SCOPED_TRACE(testing::Message() << cells.size() << " cells of " << np::array(cells).dtype());
  const Array line = np::array(cells);
  const Sorted<T> sorted = sorted_naively(cells);
  ASSERT_EQ(bits_of(np::sort(line).template to_vector<T>()), bits_of(sorted.cells));
  ASSERT_EQ(np::argsort(line).template to_vector<std::int64_t>(), sorted.places);
}

template <class T>
void check_lines_of(std::uint64_t seed) {
  for (const std::int64_t count : {1, 2, 33, 4095, 4096, 4097, 13000})
    check_line(any_cells<T>(count, seed + static_cast<std::uint64_t>(count)));
}

TEST(GpuSort, IsAPlainOneOfEachDtype) {
  on_an_emulated_gpu([] {
    check_lines_of<double>(1);
    check_lines_of<half>(3);
    check_lines_of<std::int64_t>(4);
    check_lines_of<std::uint32_t>(7);
    check_lines_of<std::int16_t>(8);
    check_lines_of<std::uint8_t>(11);
    if (!fakes::is_thorough()) return;
    check_lines_of<float>(2);
    check_lines_of<std::uint64_t>(5);
    check_lines_of<std::int32_t>(6);
    check_lines_of<std::uint16_t>(9);
    check_lines_of<std::int8_t>(10);
  });
}

TEST(GpuSort, OfFalseAndTrue) {
  on_an_emulated_gpu([] {
    for (const std::int64_t count : {2, 1000, 10000}) {
      const Array bools = np::arange(count) * 7919 % 13 < 5;
      const std::int64_t trues = np::count_nonzero(bools).item<std::int64_t>();
      EXPECT_TRUE(np::array_equal(np::sort(bools), np::arange(count) >= count - trues));
      EXPECT_EQ(np::argsort(bools).to_vector<std::int64_t>(),
                sorted_naively(bools.astype<std::int32_t>().to_vector<std::int32_t>()).places);
    }
  });
}

// Around tiles, and what eight of them count together.
TEST(GpuSort, OfLinesAroundTiles) {
  on_an_emulated_gpu([] {
    for (const std::int64_t tiles : {1, 2, 8}) {
      for (const std::int64_t more : {-1, 0, 1}) {
        check_line(any_cells<double>(tiles * np::sort_tile(DType::Float64) + more, 12));
        check_line(any_cells<std::int32_t>(tiles * np::sort_tile(DType::Int32) + more, 13));
      }
    }
  });
}

// Passes that would move nothing are left out: any number of them is, and the result is in its place.
TEST(GpuSort, OfCellsThatShareDigits) {
  on_an_emulated_gpu([] {
    for (const std::int64_t count : {1000, 10000}) {
      std::mt19937_64 random(14);
      for (const std::uint64_t mask : {0x0ull, 0xffull, 0xff00ull, 0xff00ff00ull, 0xff000000000000ffull,
                                       0xffff00ff00ff00ffull, 0x8000000000000000ull}) {
        std::vector<std::int64_t> cells(static_cast<std::size_t>(count));
        for (std::int64_t& cell : cells)
          cell = static_cast<std::int64_t>((random() & mask) | (0x1234567812345678 & ~mask));
        check_line(cells);
      }
      check_line(std::vector<double>(static_cast<std::size_t>(count), -0.0));
      check_line(std::vector<float>(static_cast<std::size_t>(count), NAN));
    }
  });
}

template <class T>
void check_axis(const Array& a, int axis) {
  SCOPED_TRACE(testing::Message() << a.shape() << " of " << a.dtype() << " along " << axis);
  const std::vector<T> from = np::moveaxis(a, axis, -1).copy().template to_vector<T>();
  const std::vector<T> cells = np::moveaxis(np::sort(a, axis), axis, -1).copy().template to_vector<T>();
  const auto places = np::moveaxis(np::argsort(a, axis), axis, -1).copy().template to_vector<std::int64_t>();
  const std::int64_t extent = a.shape()[axis];
  for (std::int64_t first = 0; first < a.size(); first += extent) {
    const std::int64_t end = first + extent;
    const Sorted<T> sorted = sorted_naively(std::vector<T>(from.begin() + first, from.begin() + end));
    ASSERT_EQ(bits_of(std::vector<T>(cells.begin() + first, cells.begin() + end)), bits_of(sorted.cells)) << first;
    ASSERT_EQ(std::vector<std::int64_t>(places.begin() + first, places.begin() + end), sorted.places) << first;
  }
}

template <class T>
Array cells_in(const Shape& shape, std::uint64_t seed) {
  return np::array(any_cells<T>(shape.elements(), seed)).reshape(shape);
}

TEST(GpuSort, GoesAlongAnyAxisOfAnyView) {
  on_emulated_gpus(2, [] {
    // Several short lines a block, along memory and across it; more of them than a digit counts.
    check_axis<double>(cells_in<double>({700, 3}, 15), 1);
    check_axis<double>(cells_in<double>({3, 700}, 16), 0);
    check_axis<float>(cells_in<float>({5000, 2}, 17), 1);
    check_axis<std::int32_t>(cells_in<std::int32_t>({2, 5000}, 18), 0);
    check_axis<std::int64_t>(cells_in<std::int64_t>({40, 300}, 19), 1);
    check_axis<std::uint8_t>(cells_in<std::uint8_t>({300, 40}, 20), 0);
    check_axis<float>(cells_in<float>({6, 50, 7}, 21), 1);
    check_axis<double>(cells_in<double>({4, 5, 6, 7}, 22), 2);
    check_axis<double>(cells_in<double>({4, 5, 6, 7}, 22).T(), 1);
    check_axis<float>(cells_in<float>({90, 60}, 23)(slice({}, {}, -1), slice({}, {}, 2)), 0);
    check_axis<float>(cells_in<float>({90, 60}, 24)(slice({}, {}, -1), slice({}, {}, -2)), 1);
    // Long ones.
    check_axis<double>(cells_in<double>({3, 11000}, 25), 1);
    check_axis<double>(cells_in<double>({11000, 3}, 26), 0);
    check_axis<std::int16_t>(cells_in<std::int16_t>({2, 7000, 3}, 27), 1);
    check_axis<float>(cells_in<float>({7000, 4}, 28)(slice({}, {}, -1), slice({}, {}, 2)), 0);
    check_axis<std::int64_t>(cells_in<std::int64_t>({5, 13000}, 29)(slice({}, {}, 2), slice({}, {}, -2)), 1);
  });
}

TEST(GpuSort, IsRemembered) {
  on_emulated_gpus(2, [] {
    std::vector<std::int64_t> cells = any_cells<std::int64_t>(9000, 30);
    Array a = np::array(cells);
    for (int round = 0; round < 6; ++round) {
      a[all] = np::sort(a) * 7919;
      std::sort(cells.begin(), cells.end());
      for (std::int64_t& cell : cells)
        cell = static_cast<std::int64_t>(static_cast<std::uint64_t>(cell) * std::uint64_t{7919});
    }
    EXPECT_EQ(a.to_vector<std::int64_t>(), cells);
  });
}

TEST(GpuSort, CarriesWhatRestsOnIt) {
  on_emulated_gpus(3, [] {
    const std::vector<std::int64_t> keys =
        np::array(any_cells<std::uint8_t>(9001, 31)).astype<std::int64_t>().to_vector<std::int64_t>();
    std::vector<std::int64_t> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    const Array line = np::array(keys);
    EXPECT_EQ(np::median(line).item<double>(), static_cast<double>(sorted[4500]));
    EXPECT_EQ(np::partition(line, 4500)(4500).item<std::int64_t>(), sorted[4500]);
    const Array order = np::lexsort({np::arange(9001) * -1, line});
    const std::vector<std::int64_t> places = order.to_vector<std::int64_t>();
    for (std::size_t i = 1; i < places.size(); ++i) {
      const auto a = static_cast<std::size_t>(places[i - 1]), b = static_cast<std::size_t>(places[i]);
      ASSERT_TRUE(keys[a] < keys[b] || (keys[a] == keys[b] && a > b)) << i;
    }
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    EXPECT_EQ(np::unique(line).to_vector<std::int64_t>(), sorted);
  });
}

// The bits of medians and quantiles of rows, of all cells, and of bools where they have some.
template <class T>
void add_orders(std::vector<std::vector<std::uint64_t>>& results, std::uint64_t seed) {
  const auto add = [&](const Array& found) {
    visit_dtype(found.dtype(), [&]<class Cell>(Cell) {
      if constexpr (sizeof(Cell) <= sizeof(std::uint64_t)) results.push_back(bits_of(found.to_vector<Cell>()));
    });
  };
  std::vector<T> cells = any_cells<T>(7 * 300, seed);
  for (std::size_t i = 0; i < 900; ++i) cells[i] = cells[i] == cells[i] ? cells[i] : T(1);  // a few rows without NaNs
  const Array rows = np::array(cells).reshape({7, 300});
  for (const Array& a : {rows, Array(rows(all, slice(0, 299)))}) {
    add(np::median(a, 1));
    add(np::median(a, 0, true));
    add(np::median(a));
    add(np::quantile(a, 0.3, 1));
    add(np::quantile(a, {0.0, 0.99, 0.25, 1.0}, 1));
    add(np::percentile(a, {12.5, 50.0}, {0, 1}, true));
    add(np::nanmedian(a, 1));
  }
  for (const char* method : {"lower", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "hazen"})
    add(np::quantile(rows, {0.0, 0.35, 0.5, 1.0}, 1, false, method));
}

TEST(GpuSort, MediansAndQuantilesHaveTheBitsOfCores) {
  const auto all_orders = [] {
    std::vector<std::vector<std::uint64_t>> results;
    add_orders<double>(results, 41);
    add_orders<std::uint8_t>(results, 47);
    if (!fakes::is_thorough()) return results;
    add_orders<half>(results, 43);
    add_orders<std::int64_t>(results, 44);
    add_orders<float>(results, 42);
    add_orders<std::int32_t>(results, 45);
    add_orders<std::uint64_t>(results, 46);
    return results;
  };
  std::vector<std::vector<std::uint64_t>> on_cores;
  fakes::run_on_simulated_ranks({}, [&](scheduler::Session&) { on_cores = all_orders(); });
  ASSERT_EQ(on_cores.size(), (fakes::is_thorough() ? 7u : 2u) * (2 * 7 + 6));
  on_emulated_gpus(2, [&] {
    const auto found = all_orders();
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], on_cores[i]) << "result " << i;
  });
}

// What tiles before have told may be of them alone, of all before them as well, in runs of any length: an
// emulated GPU, whose tiles come one after the other, always finds the second. Here are words of all kinds.
TEST(GpuSort, AddsWhatTilesTellThemselves) {
  std::string text = np::sort_text(np::SortStep::Pass, DType::Int32, false);
  const std::string entry =
      "extern \"C\" __global__ void __launch_bounds__(256, kBlocks) pilum_kernel(const Words words)";
  const std::size_t at = text.find(entry);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, entry.size(), "static __device__ void unused_pass(const Words words)");
  text += R"(extern "C" __global__ void pilum_kernel(const Words words) {
    unsigned long long* const told = (unsigned long long*)words.word[0];
    unsigned long long* const sums = (unsigned long long*)words.word[1];
    for (long long tile = 0; tile < 40; ++tile)
      sums[tile * 256 + threadIdx.x] = told_before(told + threadIdx.x, tile, 3);
  })";
  constexpr std::size_t kTiles = 40, kWords = kTiles * 256;
  const auto gpu = fakes::make_emulated_gpu(0, 1, std::size_t{1} << 24);
  auto* const memory = reinterpret_cast<std::uint64_t*>(gpu->allocate_pinned(2 * kWords * sizeof(std::uint64_t)));
  std::mt19937_64 random(32);
  std::vector<std::uint64_t> expected(kWords);
  for (std::size_t bin = 0; bin < 256; ++bin) {
    const std::uint64_t one_of = 1 + bin % 20;
    std::uint64_t before = 0;
    for (std::size_t tile = 0; tile < kTiles; ++tile) {
      const std::uint64_t cells = random() % 5000;
      expected[tile * 256 + bin] = before;
      before += cells;
      const bool is_sum = tile == 0 || random() % one_of == 0;
      memory[tile * 256 + bin] = std::uint64_t{3} << 49 | (is_sum ? std::uint64_t{1} << 48 | before : cells);
    }
  }
  const auto image = std::make_shared<device::GpuImage>(fakes::make_emulated_compiler()->compile(text));
  const std::uint64_t words[] = {reinterpret_cast<std::uint64_t>(memory),
                                 reinterpret_cast<std::uint64_t>(memory + kWords)};
  gpu->launch(device::Stream::Compute, {image, {1, 1, 1}, {256, 1, 1}, words});
  gpu->finish();
  EXPECT_EQ(std::vector<std::uint64_t>(memory + kWords, memory + 2 * kWords), expected);
  gpu->release_pinned(reinterpret_cast<std::byte*>(memory));
}

// By NVIDIA's compiler, where there is one: it needs no GPU.
TEST(GpuSort, HasTextsThatNvrtcTakes) {
#ifdef PILUM_SANITIZE
  GTEST_SKIP() << "ten seconds in NVIDIA's compiler, which has no instruments; what writes the texts runs above";
#endif
  std::string why;
  const auto compiler = find_nvrtc_compiler(why);
  if (!compiler) GTEST_SKIP() << why;
  for (const DType dtype : {DType::Bool, DType::Float16, DType::Int32, DType::Float64}) {
    for (const bool places : {false, true}) {
      if (dtype == (places ? DType::Bool : DType::Int32) && !fakes::is_thorough()) continue;
      for (const np::SortStep step : {np::SortStep::Count, np::SortStep::Plan, np::SortStep::Pass, np::SortStep::Short})
        EXPECT_GT(compiler->compile(np::sort_text(step, dtype, places)).size(), 1000u) << dtype;
    }
  }
}

}  // namespace
}  // namespace pilum
