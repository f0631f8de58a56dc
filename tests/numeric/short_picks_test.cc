// Index arrays whose last axes are short, as an (n, 3) of neighbours is: read, written and updated as loops over all
// indices do, row-major, however the arrays lie.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::Array;

const fakes::SimulatedRanks kShortPickMachines[] = {
    {.ranks = 1}, {.ranks = 1, .processors_per_rank = 3, .workers = 1}, {.ranks = 2, .processors_per_rank = 2}};

struct Case {
  std::int64_t rows, columns, cells, width;
  std::vector<std::int64_t> places;  // rows x columns of `cells`, some of them counted from the end
  std::vector<double> values, wide;  // rows x columns; the same x width
  std::vector<double> array, table;  // cells; cells x width
  std::vector<std::int64_t> chosen;  // rows x columns, of the columns
};

Case draw_case(std::mt19937_64& dice) {
  const auto from = [&dice](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(most - least + 1));
  };
  Case one;
  one.columns = from(1, 18);
  one.rows = dice() % 3 ? from(1, 40) : from(200, 2500);
  one.cells = dice() % 2 ? from(1, 9) : from(100, 5000);
  one.width = from(1, 4);
  for (std::int64_t i = 0; i < one.rows * one.columns; ++i) {
    one.places.push_back(from(0, one.cells - 1) - (dice() % 4 == 0 ? one.cells : 0));
    one.values.push_back(static_cast<double>(from(-999, 999)) / 7);
    one.chosen.push_back(from(0, one.columns - 1));
    for (std::int64_t j = 0; j < one.width; ++j) one.wide.push_back(static_cast<double>(from(-999, 999)) / 7);
  }
  for (std::int64_t i = 0; i < one.cells; ++i) one.array.push_back(static_cast<double>(i) / 3);
  for (std::int64_t i = 0; i < one.cells * one.width; ++i) one.table.push_back(static_cast<double>(i) / 11);
  return one;
}

std::size_t place_at(const Case& one, std::size_t i) {
  const std::int64_t place = one.places[i];
  return static_cast<std::size_t>(place < 0 ? place + one.cells : place);
}

// As elementwise work leaves it: where its last axis is short, column by column.
Array computed(const Array& a) {
  return (a + 1) - 1;
}

void expect_cells(const Array& found, const std::vector<double>& wanted, const char* what) {
  const std::vector<double> cells = found.to_vector<double>();
  EXPECT_TRUE(cells == wanted) << what;
}

// Everything that is asked of it, of arrays as they are given, and as they are computed.
void check(const Case& one, bool as_computed) {
  const auto made = [as_computed](const Array& a) { return as_computed ? computed(a) : a; };
  const np::Shape shape{one.rows, one.columns}, wide{one.rows, one.columns, one.width};
  const Array places = made(np::array(one.places).reshape(shape)), values = made(np::array(one.values).reshape(shape));
  const Array many = made(np::array(one.wide).reshape(wide)), chosen = made(np::array(one.chosen).reshape(shape));
  const Array array = np::array(one.array), table = made(np::array(one.table).reshape({one.cells, one.width}));
  const std::vector<double> numbers = values.to_vector<double>(), rows = many.to_vector<double>(),
                            cells = table.to_vector<double>();  // computed ones are rounded
  std::vector<double> read, picked, along, sums = one.array, last = one.array, greatest = one.array, wide_sums = cells;
  const auto width = static_cast<std::size_t>(one.width), columns = static_cast<std::size_t>(one.columns);
  for (std::size_t i = 0; i < one.places.size(); ++i) {
    const std::size_t at = place_at(one, i);
    read.push_back(one.array[at]);
    sums[at] += numbers[i];
    last[at] = numbers[i];
    greatest[at] = std::max(greatest[at], numbers[i]);
    along.push_back(numbers[i / columns * columns + static_cast<std::size_t>(one.chosen[i])]);
    for (std::size_t j = 0; j < width; ++j) {
      picked.push_back(cells[at * width + j]);
      wide_sums[at * width + j] += rows[i * width + j];
    }
  }
  expect_cells(array(places), read, "read");
  expect_cells(np::take(array, places), read, "take");
  expect_cells(table(places), picked, "rows");
  expect_cells(np::take_along_axis(values, chosen, 1), along, "along an axis");
  const auto updated = [&](const Array& of, const auto& update) {
    Array target = of.copy();
    update(target);
    return target;
  };
  expect_cells(updated(array, [&](Array& a) { np::add_at(a, places, values); }), sums, "added");
  expect_cells(updated(array, [&](Array& a) { a(places) = values; }), last, "assigned");
  expect_cells(updated(array, [&](Array& a) { np::maximum_at(a, places, values); }), greatest, "greatest");
  expect_cells(updated(table, [&](Array& a) { np::add_at(a, places, many); }), wide_sums, "rows added");
}

TEST(ShortPicks, AreLoopsOverAllIndices) {
  const char* given = std::getenv("PILUM_TEST_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : 20261203;
  std::cout << "PILUM_TEST_SEED=" << seed << "\n";
  for (const fakes::SimulatedRanks& machine : kShortPickMachines) {
    for (std::uint64_t i = 0; i < 14; ++i) {
      std::mt19937_64 dice(seed + i);
      const Case one = draw_case(dice);
      SCOPED_TRACE(testing::Message() << "case " << i << ": " << one.rows << " x " << one.columns << " of " << one.cells
                                      << " x " << one.width << ", " << machine.ranks << " ranks of "
                                      << machine.processors_per_rank);
      fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { check(one, i % 2 == 1); });
    }
  }
}

// y(all, columns): a few indices behind an axis of many rows. A column that is named twice gets the last of its values.
TEST(ShortPicks, ColumnsOfManyRowsAreWrittenInTheOrderOfTheirList) {
  constexpr std::int64_t kRows = 1500, kColumns = 5;
  const std::vector<std::int64_t> listed = {2, -5, 2, 4};
  const auto value = [&](std::size_t row, std::size_t k) {
    return static_cast<double>(row) * 10 + static_cast<double>(k);
  };
  std::vector<double> assigned(kRows * kColumns, 1), added(kRows * kColumns, 1), least(kRows * kColumns, 1), values;
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t k = 0; k < listed.size(); ++k) {
      const std::size_t at =
          row * kColumns + static_cast<std::size_t>(listed[k] < 0 ? listed[k] + kColumns : listed[k]);
      values.push_back(value(row, k));
      assigned[at] = value(row, k);
      least[at] = std::min(least[at], value(row, k));
    }
    for (const std::size_t column : {0, 2, 4}) {  // NumPy's +=: reads, adds, writes
      const std::size_t last = column == 0 ? 1 : column == 2 ? 2 : 3;
      added[row * kColumns + column] += value(row, last);
    }
  }
  for (const fakes::SimulatedRanks& machine : kShortPickMachines) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      for (const bool as_computed : {false, true}) {
        const Array columns = np::array(listed);
        const auto made = [as_computed](const Array& a) { return as_computed ? computed(a) : a.copy(); };
        const Array wide = made(np::array(values).reshape({kRows, static_cast<std::int64_t>(listed.size())}));
        Array a = made(np::ones({kRows, kColumns})), b = made(np::ones({kRows, kColumns}));
        Array c = made(np::ones({kColumns, kRows})), d = made(np::ones({kRows, kColumns}));
        a(np::all, columns) = wide;
        expect_cells(a, assigned, "assigned");
        b(np::all, columns) += wide;
        expect_cells(b, added, "added");
        c(columns) = wide.T();
        expect_cells(c.T(), assigned, "rows of the transpose");
        np::minimum_at(d, {np::arange(kRows)(np::all, np::newaxis), columns}, wide);
        expect_cells(d, least, "least");
      }
    });
  }
}

TEST(ShortPicks, OfWhichOneIsWrongAreRefused) {
  std::string text;
  try {
    fakes::run_on_simulated_ranks({.ranks = 1}, [](scheduler::Session& session) {
      Array places = computed(np::array(std::vector<std::int64_t>(3000, 4)).reshape({1000, 3})), y = np::zeros({10});
      places(700, 2) = 10;
      np::add_at(y, places, 1.0);
      session.wait();
    });
  } catch (const IndexError& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("[add_at] index 10 is outside axis 0, which has 10 cells"), std::string::npos) << text;
}

}  // namespace
}  // namespace pilum
