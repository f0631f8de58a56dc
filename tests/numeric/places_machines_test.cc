// argmin and argmax of long lines, which are read once, on simulated machines and on emulated GPUs, against a plain
// loop over the cells.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/extremum_body.h"
#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/numeric/emulated_gpus.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all;
using np::Array;
using np::slice;

// As NumPy's: the first NaN, or the first of the extrema.
std::int64_t place_by_a_loop(const std::vector<double>& cells, bool largest) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (std::isnan(cells[best])) break;
    if (std::isnan(cells[i]) || (largest ? cells[i] > cells[best] : cells[i] < cells[best])) best = i;
  }
  return static_cast<std::int64_t>(best);
}

std::vector<double> cells_in(const Array& a) {
  return a.astype<double>().to_vector<double>();
}

void check_flat(const Array& a) {
  const std::vector<double> cells = cells_in(a);
  EXPECT_EQ(np::argmax(a).item<std::int64_t>(), place_by_a_loop(cells, true));
  EXPECT_EQ(np::argmin(a).item<std::int64_t>(), place_by_a_loop(cells, false));
}

void check_along_the_last_axis(const Array& a) {
  const std::vector<double> cells = cells_in(a);
  const auto extent = a.shape()[a.ndim() - 1];
  std::vector<std::int64_t> most, least;
  for (auto line = cells.begin(); line != cells.end(); line += extent) {
    most.push_back(place_by_a_loop({line, line + extent}, true));
    least.push_back(place_by_a_loop({line, line + extent}, false));
  }
  EXPECT_EQ(np::argmax(a, -1).to_vector<std::int64_t>(), most);
  EXPECT_EQ(np::argmin(a, a.ndim() - 1).to_vector<std::int64_t>(), least);
  Shape kept = a.shape();
  kept[a.ndim() - 1] = 1;
  EXPECT_EQ(np::argmax(a, -1, true).shape(), kept);
}

constexpr std::int64_t kCells = 9 * np::kPlaceBlock + 331;

// Each value many times, so that which is the first one counts.
Array drawn_line(std::int64_t seed) {
  return np::floor(np::random::default_rng(static_cast<std::uint64_t>(seed)).random({kCells}) * 900) - 450;
}

void check_places() {
  Array line = drawn_line(3);
  check_flat(line);
  check_flat(np::zeros(kCells));
  check_flat(line(slice({}, {}, -1)));
  check_flat(np::concatenate({line, line})(slice(5, -7, 2)));
  for (const std::int64_t at : {kCells - 1, np::kPlaceBlock, np::kPlaceBlock - 1, std::int64_t{513}, std::int64_t{0}}) {
    line(at) = 1e9;  // ever earlier ones that are as large
    check_flat(line);
  }
  for (const std::int64_t at : {kCells - 2, 3 * np::kPlaceBlock + 17, std::int64_t{40}}) {
    line(at) = std::nan("");
    check_flat(line);
  }
  check_flat(np::full({kCells}, -std::numeric_limits<double>::infinity()));
  check_flat(np::full({kCells}, std::nan("")));
  const Array rows = np::stack({drawn_line(4), drawn_line(5), drawn_line(4)});
  check_flat(rows);
  check_along_the_last_axis(rows);
  EXPECT_EQ(np::argmax(rows, {}, true).shape(), Shape({1, 1}));
  check_along_the_last_axis(rows(slice({}, {}, -2), slice(100, -100)));
  check_flat(rows(slice({}, {}, 2), slice(11, {})));
  const Array box = drawn_line(6)(slice(0, 4 * 6 * 3000)).reshape({4, 6, 3000});
  check_flat(box);
  check_along_the_last_axis(box);
  check_along_the_last_axis(box(slice({}, {}, 2), slice(1, 5)));
  check_flat(np::swapaxes(box, 0, 1));
  check_along_the_last_axis(np::swapaxes(box, 0, 1));
  // Rewritten and asked again: plans are found again.
  Array moved = drawn_line(7);
  for (int round = 0; round < 6; ++round) {
    moved[all] = np::roll(moved, 1000);
    check_flat(moved);
  }
}

struct PlaceMachine {
  int ranks, processors, workers;
};

class PlacesOnMachines : public testing::TestWithParam<PlaceMachine> {};

TEST_P(PlacesOnMachines, AreThoseOfALoop) {
  fakes::SimulatedRanks machine;
  machine.ranks = GetParam().ranks;
  machine.processors_per_rank = GetParam().processors;
  machine.workers = GetParam().workers;
  fakes::run_on_simulated_ranks(machine, [](scheduler::Session&) { check_places(); });
}

INSTANTIATE_TEST_SUITE_P(Machines, PlacesOnMachines,
                         testing::Values(PlaceMachine{1, 1, 0}, PlaceMachine{1, 2, 2}, PlaceMachine{3, 1, 1}));

TEST(GpuPlaces, AreThoseOfALoop) {
  on_emulated_gpus(2, check_places);
}

void check_dtypes(std::initializer_list<DType> dtypes) {
  for (const DType dtype : dtypes) {
    SCOPED_TRACE(testing::Message() << dtype);
    const bool has_signs = dtype != DType::Bool && dtype != DType::UInt8 && dtype != DType::UInt16 &&
                           dtype != DType::UInt32 && dtype != DType::UInt64;
    const Array numbers = np::floor(drawn_line(9) / 4);  // -113 … 112
    check_flat((has_signs ? numbers : np::maximum(numbers, 0)).astype(dtype));
  }
  // Beyond what a double holds.
  Array large = np::full({kCells}, INT64_MAX - 1, int64);
  large(kCells - 5) = INT64_MAX;
  EXPECT_EQ(np::argmax(large).item<std::int64_t>(), kCells - 5);
}

TEST(Places, OfEveryDTypeAreThoseOfALoop) {
  fakes::run_on_simulated_ranks({}, [](scheduler::Session&) {
    check_dtypes({DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32, DType::UInt32,
                  DType::Int64, DType::UInt64, DType::Float32, DType::Float64});
  });
}

TEST(GpuPlaces, OfOtherDTypesAreThoseOfALoop) {
  fakes::SimulatedRanks machine;
  machine.gpus = true;
  fakes::run_on_simulated_ranks(machine, [](scheduler::Session&) {
    check_dtypes({DType::Bool, DType::Int16, DType::Int64, DType::UInt64, DType::Float32});
  });
}

// What is made for it alone is not written: the kernels that read `a` do the rest.
TEST(Places, OfTemporariesAreThoseOfWhatTheyAreMadeOf) {
  fakes::run_on_simulated_ranks({}, [](scheduler::Session&) {
    const Array line = drawn_line(11);
    const std::vector<double> cells = cells_in(np::abs(line));
    EXPECT_EQ(np::argmax(np::abs(line)).item<std::int64_t>(), place_by_a_loop(cells, true));
    EXPECT_EQ(np::argmin(np::abs(line)).item<std::int64_t>(), place_by_a_loop(cells, false));
    EXPECT_EQ(np::argmax(line(slice(5, {}))).item<std::int64_t>(), place_by_a_loop(cells_in(line(slice(5, {}))), true));
  });
}

// By NVIDIA's compiler, where there is one: it needs no GPU.
TEST(GpuPlaces, HaveTextsThatNvrtcTakes) {
#ifdef PILUM_SANITIZE
  GTEST_SKIP() << "seconds in NVIDIA's compiler, which has no instruments; what writes the texts runs above";
#endif
  std::string why;
  const auto compiler = find_nvrtc_compiler(why);
  if (!compiler) GTEST_SKIP() << why;
  for (const Fold fold : {Fold::Minimum, Fold::Maximum}) {
    for (const DType dtype :
         {DType::Bool, DType::Int8, DType::UInt16, DType::UInt32, DType::Int64, DType::Float32, DType::Float64}) {
      EXPECT_GT(compiler->compile(np::place_text(fold, dtype)).size(), 1000u) << dtype;
    }
  }
}

}  // namespace
}  // namespace pilum
