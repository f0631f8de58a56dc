// What masks pick, of arrays that several threads share, against a plain loop.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all;
using np::Array;
using np::slice;

void check_picked(const Array& array, const Array& mask) {
  const std::vector<double> cells = array.astype<double>().to_vector<double>();
  const std::vector<std::int32_t> flags = mask.astype<std::int32_t>().to_vector<std::int32_t>();
  std::vector<double> expected;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!flags[i]) continue;
    expected.push_back(cells[i]);
    places.push_back(static_cast<std::int64_t>(i));
  }
  const Array picked = array(mask);
  EXPECT_EQ(picked.dtype(), array.dtype());
  EXPECT_EQ(picked.astype<double>().to_vector<double>(), expected);
  EXPECT_EQ(np::flatnonzero(mask).to_vector<std::int64_t>(), places);
}

void check_masks() {
  auto rng = np::random::default_rng(5);
  for (const std::int64_t cells : {1, 7, 8, 9, 64, 4095, 4097, 20'011}) {
    SCOPED_TRACE(testing::Message() << cells << " cells");
    const Array draws = rng.random(cells), numbers = np::floor(rng.random(cells) * 100);
    for (const double share : {0.0, 0.01, 0.5, 0.97, 1.0}) {
      SCOPED_TRACE(testing::Message() << share << " of them");
      check_picked(numbers, draws < share);
    }
    for (const DType dtype : {DType::Bool, DType::UInt8, DType::Int16, DType::Float16, DType::Int32, DType::Float32,
                              DType::Int64, DType::UInt64}) {
      SCOPED_TRACE(testing::Message() << dtype);
      check_picked(numbers.astype(dtype), draws < 0.4);
    }
    const std::vector<std::complex<double>> found =
        (numbers + std::complex<double>(0, 2) * numbers)(draws < 0.6).to_vector<std::complex<double>>();
    const std::vector<double> parts = numbers(draws < 0.6).to_vector<double>();
    ASSERT_EQ(found.size(), parts.size());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], std::complex<double>(parts[i], 2 * parts[i]));
  }
  // One mask for cells of several sizes, in a loop, whose plans come again.
  const Array shared = rng.random(9000) < 0.3, whole_numbers = np::arange(9000) % 100;
  for (int round = 0; round < 5; ++round) {
    for (const DType dtype : {DType::Int8, DType::Float64, DType::Float32, DType::Int16})
      check_picked(whole_numbers.astype(dtype), shared);
    const np::Array doubled = (whole_numbers * std::complex<double>(1, 1))(shared);
    EXPECT_EQ(doubled.imag().astype<std::int64_t>().to_vector<std::int64_t>(),
              Array(whole_numbers(shared)).to_vector<std::int64_t>());
  }
  // True cells at the ends alone: threads pass over what is another one's.
  Array ends = np::zeros(20'000, bool_);
  ends(slice({}, 9)) = true;
  ends(slice(-9, {})) = true;
  check_picked(np::arange(20'000), ends);
  const Array square = np::floor(rng.random({90, 130}) * 100), drawn = rng.random({90, 130}) < 0.3;
  check_picked(square, drawn);
  check_picked(square(slice({}, {}, 2)), drawn(slice({}, {}, 2)));
  check_picked(square(all, slice({}, {}, -1)), drawn(all, slice({}, {}, 1)));
  check_picked(square(all, slice({}, {}, 3)), drawn(all, slice({}, {}, 3)));
  check_picked(square.T(), drawn.T());
  check_picked(square.T(), drawn.T().copy());
  Array into = np::zeros({60'000});  // the result is written into every other cell of another array
  const Array picked = square(drawn);
  into(slice({}, 2 * picked.size(), 2)) = square(drawn);
  EXPECT_TRUE(np::array_equal(into(slice({}, 2 * picked.size(), 2)), picked));
}

// The cells get other ones in order, and are updated, by their own mask.
void check_spread(const Array& array, const Array& mask) {
  const std::vector<double> before = array.astype<double>().to_vector<double>();
  const std::vector<std::int32_t> flags = mask.astype<std::int32_t>().to_vector<std::int32_t>();
  const auto count = static_cast<std::int64_t>(std::count(flags.begin(), flags.end(), 1));
  Array written = array.copy(), updated = array.copy();
  written(mask) = np::arange(count) % 50;
  updated(mask) += (np::arange(count) % 3).astype(array.dtype());
  std::vector<double> wanted = before, sums = before;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (!flags[i]) continue;
    wanted[i] = static_cast<double>(number % 50);
    sums[i] += static_cast<double>(number % 3);
    ++number;
  }
  EXPECT_EQ(written.astype<double>().to_vector<double>(), wanted);
  EXPECT_EQ(updated.astype<double>().to_vector<double>(), sums);
}

void check_spreads() {
  auto rng = np::random::default_rng(6);
  for (const std::int64_t cells : {2, 7, 8, 9, 64, 4097, 20'011}) {
    SCOPED_TRACE(testing::Message() << cells << " cells");
    const Array draws = rng.random(cells), numbers = np::floor(rng.random(cells) * 20);
    for (const double share : {0.0, 0.01, 0.5, 1.0}) check_spread(numbers, draws < share);
    for (const DType dtype : {DType::UInt8, DType::Int16, DType::Float16, DType::Float32, DType::Int64})
      check_spread(numbers.astype(dtype), draws < 0.4);
  }
  const Array square = np::floor(rng.random({90, 130}) * 20), drawn = rng.random({90, 130}) < 0.3;
  check_spread(square, drawn);
  check_spread(square.T(), drawn.T());
  check_spread(square(all, slice({}, {}, 2)), drawn(all, slice({}, {}, 2)));
  check_spread(np::floor(rng.random({9, 11, 13}) * 20), rng.random({9, 11, 13}) < 0.7);
  // Views with steps, or with an axis of one cell that is the view's own.
  Array steps = np::arange(12.0);
  steps(slice({}, {}, 2))(np::arange(6) % 2 == 0) += np::array({10.0, 20.0, 30.0});
  EXPECT_EQ(steps.to_vector<double>(), (std::vector<double>{10, 1, 2, 3, 24, 5, 6, 7, 38, 9, 10, 11}));
  steps(slice({}, {}, -1))(np::arange(12) >= 10) = np::array({-1.0, -2.0});
  EXPECT_EQ(steps(slice({}, 3)).to_vector<double>(), (std::vector<double>{-2, -1, 2}));
  Array kept = np::sum(np::arange(6.0).reshape({2, 3}), 1, true);
  kept(kept > 5.0) = np::array({7.0});
  EXPECT_EQ(kept.to_vector<double>(), (std::vector<double>{3, 7}));
  // A mask that is the array, values that are cells of the array, and cells of a part of it.
  Array flags = rng.random(5000) < 0.5;
  const std::vector<std::int32_t> first = flags.astype<std::int32_t>().to_vector<std::int32_t>();
  const auto count = static_cast<std::int64_t>(std::count(first.begin(), first.end(), 1));
  flags(flags) = np::arange(count) % 2 == 0;
  const std::vector<std::int32_t> then = flags.astype<std::int32_t>().to_vector<std::int32_t>();
  std::int64_t number = 0;
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(then[i], first[i] ? number++ % 2 == 0 : 0) << i;
  Array row = np::arange(12.0);
  const Array odd = np::arange(12) % 2 == 1;
  row(odd) = row(slice(0, 6));
  EXPECT_EQ(row.to_vector<double>(), (std::vector<double>{0, 0, 2, 1, 4, 2, 6, 3, 8, 4, 10, 5}));
  row(slice(2, 8))(odd(slice(2, 8))) = np::array({-1.0, -2.0, -3.0});
  EXPECT_EQ(row.to_vector<double>(), (std::vector<double>{0, 0, 2, -1, 4, -2, 6, -3, 8, 4, 10, 5}));
  EXPECT_THROW(row(odd) = np::arange(5.0), ShapeError);
  EXPECT_THROW(row(odd) += np::arange(5.0), ShapeError);
  EXPECT_EQ(row(0).item<double>(), 0);
}

TEST(MasksOnMachines, PickWhatALoopPicks) {
  for (const int workers : {0, 1, 3}) {
    SCOPED_TRACE(testing::Message() << workers << " workers");
    fakes::SimulatedRanks machine;
    machine.workers = workers;
    fakes::run_on_simulated_ranks(machine, [](scheduler::Session&) { check_masks(); });
  }
}

TEST(MasksOnMachines, SpreadWhatALoopSpreads) {
  for (const int workers : {0, 1, 3}) {
    fakes::run_on_simulated_ranks({.ranks = 1, .workers = workers}, [](scheduler::Session&) { check_spreads(); });
  }
  fakes::run_on_simulated_ranks({.ranks = 1, .direct_after = 1}, [](scheduler::Session&) { check_spreads(); });
  fakes::run_on_simulated_ranks({.ranks = 3}, [](scheduler::Session&) { check_spreads(); });
}

TEST(MasksOnMachines, PickWhatALoopPicksOnRanks) {
  fakes::SimulatedRanks machine;
  machine.ranks = 3;
  fakes::run_on_simulated_ranks(machine, [](scheduler::Session&) { check_masks(); });
}

}  // namespace
}  // namespace pilum
