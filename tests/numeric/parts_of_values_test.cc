// Parts of values that are computed for more points than anybody wants, against plain loops.
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/numeric/emulated_gpus.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all, np::Array, np::slice;

std::int64_t wrapped(std::int64_t i, std::int64_t n) {
  return ((i % n) + n) % n;
}

// Colours of a checkerboard by turns, as of a spin lattice.
TEST(PartsOfValues, EverySecondCellIsUpdatedFromItsNeighboursAcrossTheRims) {
  constexpr std::int64_t kRows = 12, kColumns = 14;
  std::vector<double> cells;
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) cells.push_back(static_cast<double>(i * 37 % 11 - 5));
  std::vector<double> expected = cells;
  const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
    return expected[static_cast<std::size_t>(wrapped(i, kRows) * kColumns + wrapped(j, kColumns))];
  };
  constexpr std::pair<int, int> kGrids[] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}};
  for (int step = 0; step < 5; ++step) {
    for (const auto& [row, column] : kGrids) {
      const std::vector<double> before = expected;
      const auto old = [&](std::int64_t i, std::int64_t j) {
        return before[static_cast<std::size_t>(wrapped(i, kRows) * kColumns + wrapped(j, kColumns))];
      };
      for (std::int64_t i = row; i < kRows; i += 2) {
        for (std::int64_t j = column; j < kColumns; j += 2) {
          const double around = old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1);
          at(i, j) = around > static_cast<double>(i) ? -old(i, j) : old(i, j) + static_cast<double>(j);
        }
      }
    }
  }
  on_cores_and_gpus([&] {
    Array s = np::array(cells).reshape({kRows, kColumns}).copy();
    const Array rows = np::arange(kRows, np::float64).reshape({kRows, 1}) + np::zeros({kRows, kColumns});
    for (int step = 0; step < 5; ++step) {
      for (const auto& [row, column] : kGrids) {
        const slice in_rows(row, {}, 2), in_columns(column, {}, 2);
        const Array around = np::roll(s, 1, 0) + np::roll(s, -1, 0) + np::roll(s, 1, 1) + np::roll(s, -1, 1);
        const Array some = s(in_rows, in_columns);
        const Array number = np::arange(kColumns, np::float64)(in_columns);
        s(in_rows, in_columns) =
            np::where(around(in_rows, in_columns) > rows(in_rows, in_columns), -some, some + number);
      }
    }
    EXPECT_EQ(s.to_vector<double>(), expected);
  });
}

// What is drawn at a point follows from the point, however the operation is cut.
TEST(PartsOfValues, NumbersOfPlacesAreThoseOfThePlaces) {
  on_cores_and_gpus([] {
    const Array a = np::arange(20.0 * 18.0).reshape({20, 18});
    Array sums = np::zeros({20, 18}), drawn = np::zeros({10, 9});
    for (int round = 0; round < 4; ++round) {
      const Array places = np::fromfunction([](auto i, auto j) { return 100.0 * i + j; }, {10, 9});
      const Array rolled = np::roll(a, 3, 1) + np::roll(a, -2, 0);
      drawn[all] = rolled(slice(0, {}, 2), slice(1, {}, 2)) * 1000.0 + places;
    }
    const std::vector<double> found = drawn.to_vector<double>();
    for (std::int64_t i = 0; i < 10; ++i) {
      for (std::int64_t j = 0; j < 9; ++j) {
        const std::int64_t row = 2 * i, column = 2 * j + 1;
        const double rolled = static_cast<double>(row * 18 + wrapped(column - 3, 18)) +
                              static_cast<double>(wrapped(row + 2, 20) * 18 + column);
        ASSERT_EQ(found[static_cast<std::size_t>(i * 9 + j)], rolled * 1000.0 + static_cast<double>(100 * i + j))
            << i << ", " << j;
      }
    }
  });
}

// Every second or third row and column of an array is updated from cells of it that are rolled by any number: of those
// that are updated too, what was there before.
TEST(PartsOfValues, UpdatesInPlaceReadWhatWasThere) {
  const auto seed = static_cast<unsigned>(GTEST_FLAG_GET(random_seed)) + 7;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 draw(seed);
  const auto below = [&draw](std::int64_t n) { return static_cast<std::int64_t>(draw() % static_cast<unsigned>(n)); };
  for (int program = 0; program < 12; ++program) {
    const std::int64_t rows = 8 + below(12), columns = 8 + below(12);
    const std::int64_t step[2] = {1 + below(3), 1 + below(3)}, first[2] = {below(step[0]), below(step[1])};
    const std::int64_t down = below(9) - 4, right = below(9) - 4;
    std::vector<double> cells;
    for (std::int64_t i = 0; i < rows * columns; ++i) cells.push_back(static_cast<double>(below(100)));
    std::vector<double> expected = cells;
    for (int round = 0; round < 5; ++round) {
      const std::vector<double> before = expected;
      const auto cell = [&](std::int64_t i, std::int64_t j) {
        return before[static_cast<std::size_t>(wrapped(i, rows) * columns + wrapped(j, columns))];
      };
      for (std::int64_t i = first[0]; i < rows; i += step[0]) {
        for (std::int64_t j = first[1]; j < columns; j += step[1]) {
          const double sum = cell(i - down, j - right) + 2.0 * cell(i, j + 1) - cell(i, j);
          expected[static_cast<std::size_t>(i * columns + j)] = sum - 100.0 * std::floor(sum / 100.0);
        }
      }
    }
    SCOPED_TRACE(testing::Message() << rows << " by " << columns << ", steps " << step[0] << ", " << step[1] << " from "
                                    << first[0] << ", " << first[1] << ", rolled by " << down << ", " << right);
    on_cores_and_gpus([&] {
      Array s = np::array(cells).reshape({rows, columns}).copy();
      const slice in_rows(first[0], {}, step[0]), in_columns(first[1], {}, step[1]);
      for (int round = 0; round < 5; ++round) {
        const Array sum = np::roll(s, {down, right}, {0, 1}) + 2.0 * np::roll(s, -1, 1) - s;
        s(in_rows, in_columns) = np::remainder(sum(in_rows, in_columns), 100.0);
      }
      EXPECT_EQ(s.to_vector<double>(), expected);
    });
    if (testing::Test::HasFailure()) return;
  }
}

// Slices with steps of both signs, of sums of rolls, pads and copies.
TEST(PartsOfValues, RandomPartsAreThoseOfTheWhole) {
  const auto seed = static_cast<unsigned>(GTEST_FLAG_GET(random_seed));
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 draw(seed);
  const auto below = [&draw](std::int64_t n) { return static_cast<std::int64_t>(draw() % static_cast<unsigned>(n)); };
  for (int program = 0; program < 12; ++program) {
    const std::int64_t rows = 6 + below(12), columns = 6 + below(12);
    const std::int64_t first[2] = {below(4), below(4)}, step[2] = {1 + below(3), 1 + below(3)};
    const bool is_backwards = below(3) == 0;
    const std::int64_t down = below(7) - 3, right = below(7) - 3;
    std::vector<double> cells;
    for (std::int64_t i = 0; i < rows * columns; ++i) cells.push_back(static_cast<double>(below(100)));
    const auto cell = [&](std::int64_t i, std::int64_t j) {
      return cells[static_cast<std::size_t>(wrapped(i, rows) * columns + wrapped(j, columns))];
    };
    std::vector<double> expected;
    for (std::int64_t i = first[0]; i < rows; i += step[0]) {
      for (std::int64_t j = first[1]; j < columns; j += step[1]) {
        const std::int64_t column = is_backwards ? columns - 1 - j : j;
        expected.push_back(2.0 * cell(i - down, column - right) + cell(i, column) * cell(i + 1, column));
      }
    }
    on_cores_and_gpus([&] {
      const Array a = np::array(cells).reshape({rows, columns}).copy();
      const slice in_rows(first[0], {}, step[0]);
      const slice in_columns =
          is_backwards ? slice(columns - 1 - first[1], {}, -step[1]) : slice(first[1], {}, step[1]);
      Array part;
      for (int round = 0; round < 3; ++round) {
        const Array whole = 2.0 * np::roll(a, {down, right}, {0, 1}) + a * np::roll(a, -1, 0);
        part = whole(in_rows, in_columns) + 0.0;
      }
      EXPECT_EQ(part.to_vector<double>(), expected);
    });
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace pilum
