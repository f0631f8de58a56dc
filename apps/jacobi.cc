// Heat in a plate, by Jacobi's iteration: every inner point becomes the mean of itself and its four neighbours.
// The program of cuNumeric's published example, with its lines of output.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <pilum/pilum.h>
#include <CLI/CLI.hpp>

namespace np = pilum::numeric;
using np::all, np::slice;

struct Options {
  std::int64_t size = 100;  // inner points along an axis
  int iterations = 100;
  int warmup = 5;  // sweeps before the clock starts
  pilum::DType dtype = pilum::float64;
  bool check = false;
  bool checksum = false;
};

np::Array initialize(const Options& options) {
  std::printf("Initializing stencil grid...\n");
  np::Array grid = np::zeros({options.size + 2, options.size + 2}, options.dtype);
  grid(all, 0) = -273.15;
  grid(all, -1) = -273.15;
  grid(-1, all) = -273.15;
  grid(0, all) = 40.0;
  return grid;
}

// Returns the seconds that the sweeps took, those of the warm-up left out.
double run(pilum::Runtime& runtime, const np::Array& grid, const Options& options) {
  std::printf("Running Jacobi stencil...\n");
  auto center = grid(slice(1, -1), slice(1, -1));
  auto north = grid(slice(0, -2), slice(1, -1));
  auto east = grid(slice(1, -1), slice(2, {}));
  auto west = grid(slice(1, -1), slice(0, -2));
  auto south = grid(slice(2, {}), slice(1, -1));

  auto start = std::chrono::steady_clock::now();
  for (int i = -options.warmup; i < options.iterations; ++i) {
    if (i == 0) {
      runtime.wait();
      start = std::chrono::steady_clock::now();
    }
    auto average = center + north + east + west + south;
    auto work = 0.2 * average;
    center[all] = work;
  }
  runtime.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The same on one processor, with plain loops: the largest difference of any point.
template <class T>
double largest_difference(const std::vector<T>& cells, const Options& options) {
  const std::size_t width = static_cast<std::size_t>(options.size) + 2;
  std::vector<T> grid(width * width, 0);
  for (std::size_t k = 0; k < width; ++k) grid[k * width] = grid[k * width + width - 1] = T(-273.15);
  for (std::size_t k = 0; k < width; ++k) grid[(width - 1) * width + k] = T(-273.15);
  for (std::size_t k = 0; k < width; ++k) grid[k] = T(40.0);
  std::vector<T> next = grid;
  for (int i = 0; i < options.warmup + options.iterations; ++i) {
    for (std::size_t row = 1; row + 1 < width; ++row) {
      for (std::size_t at = row * width + 1; at + 1 < (row + 1) * width; ++at) {
        next[at] = T(0.2) * (grid[at] + grid[at - width] + grid[at + 1] + grid[at - 1] + grid[at + width]);
      }
    }
    std::swap(grid, next);
  }
  double largest = 0;
  for (std::size_t at = 0; at < grid.size(); ++at) {
    largest = std::max(largest, std::abs(static_cast<double>(cells[at]) - static_cast<double>(grid[at])));
  }
  return largest;
}

// 64-bit FNV-1a of the cells' bytes (Fowler, Noll, Vo).
template <class T>
std::uint64_t digest(const std::vector<T>& cells) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto* bytes = reinterpret_cast<const unsigned char*>(cells.data());
  for (std::size_t k = 0; k < cells.size() * sizeof(T); ++k) hash = (hash ^ bytes[k]) * 0x100000001b3;
  return hash;
}

template <class T>
void verify(const pilum::Runtime& runtime, const np::Array& grid, const Options& options) {
  const std::vector<T> cells = grid.to_vector<T>();  // on every rank
  if (runtime.rank() != 0) return;
  if (options.check) std::printf("Largest difference: %g\n", largest_difference(cells, options));
  if (options.checksum) std::printf("Checksum: %016llx\n", static_cast<unsigned long long>(digest(cells)));
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Jacobi's iteration on a square grid"};
  app.add_option("-n,--size", options.size, "Inner points along an axis")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->capture_default_str();
  app.add_option("-i,--iterations", options.iterations, "Sweeps that are timed")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app.add_option("-w,--warmup", options.warmup, "Sweeps before them")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  std::string dtype = "float64";
  app.add_option("--dtype", dtype, "Of the grid's points")
      ->check(CLI::IsMember({"float32", "float64"}))
      ->capture_default_str();
  app.add_flag("--check", options.check, "Compare with a plain serial loop");
  app.add_flag("--checksum", options.checksum, "Print a digest of the final grid");
  CLI11_PARSE(app, argc, argv);
  options.dtype = dtype == "float32" ? pilum::float32 : pilum::float64;

  try {
    pilum::Runtime runtime(argc, argv);
    const np::Array grid = initialize(options);
    const double seconds = run(runtime, grid, options);
    const double points = static_cast<double>(options.size) * static_cast<double>(options.size) * options.iterations;
    std::printf("Elapsed Time: %.3f ms\n", seconds * 1e3);
    std::printf("%.4g points/s, %.4g GB/s effective (%zu bytes a point)\n", points / seconds,
                points * 2e-9 * static_cast<double>(pilum::itemsize(options.dtype)) / seconds,
                2 * pilum::itemsize(options.dtype));
    if (options.check || options.checksum) {
      options.dtype == pilum::float32 ? verify<float>(runtime, grid, options) : verify<double>(runtime, grid, options);
    }
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "jacobi: %s\n", error.what());
    return 1;
  }
}
