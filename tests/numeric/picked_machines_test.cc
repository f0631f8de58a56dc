// Cells that index arrays name, of arrays that are cut among ranks: each rank asks for what it needs.
#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/library_task.h"
#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kPlace = 4, kRange = 16;  // bytes of a request, and of what says how many there are

Numbers draw_indices(std::int64_t count, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  Numbers drawn;
  for (std::int64_t k = 0; k < count; ++k)
    drawn.push_back(lo + static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(hi - lo)));
  return drawn;
}

// What all ranks send while they make an array, which then is checked.
struct Sent {
  std::atomic<std::int64_t> messages{0}, bytes{0};
  void count(scheduler::Session& session, const std::function<np::Array()>& make,
             const std::function<void(const np::Array&)>& check) {
    session.wait();
    const auto& counters = session.profile().counters;
    const std::int64_t messages_before = counters.messages_sent.get(), bytes_before = counters.bytes_sent.get();
    const np::Array made = make();
    session.wait();
    messages += counters.messages_sent.get() - messages_before;
    bytes += counters.bytes_sent.get() - bytes_before;
    check(made);
  }
};

template <class T>
void expect_cells(const np::Array& array, const std::function<T(std::size_t)>& cell) {
  const std::vector<T> cells = array.to_vector<T>();
  for (std::size_t i = 0; i < cells.size(); ++i) ASSERT_EQ(cells[i], cell(i)) << "cell " << i;
}

// Ranks whose arrays are cut evenly.
std::int64_t owner_of(std::int64_t cell, std::int64_t cells, std::int64_t ranks) {
  std::int64_t rank = 0;
  while (cells * (rank + 1) / ranks <= cell) ++rank;
  return rank;
}

// Cells that come from another rank are requested by a place each, which is counted apart.
TEST(PickedOnMachines, ARandomTakeOnFourRanksMovesNoMoreThanTheBytesAskedFor) {
  constexpr std::int64_t kCells = 200'000, kAsked = 60'000, kRanks = 4;
  const Numbers index = draw_indices(kAsked, 0, kCells, 1);
  std::int64_t from_others = 0;
  for (std::int64_t k = 0; k < kAsked; ++k)
    from_others += owner_of(index[static_cast<std::size_t>(k)], kCells, kRanks) != owner_of(k, kAsked, kRanks);
  Sent sent;
  fakes::run_on_simulated_ranks({.ranks = kRanks, .split_bytes = 256 * 1024}, [&](scheduler::Session& session) {
    const np::Array a = np::arange(kCells) * 1.5, at = np::array(index);
    sent.count(
        session, [&] { return np::take(a, at); },
        [&](const np::Array& taken) {
          expect_cells<double>(taken, [&](std::size_t i) { return static_cast<double>(index[i]) * 1.5; });
        });
  });
  const std::int64_t ranges = kRange * kRanks * (kRanks - 1);
  EXPECT_EQ(sent.bytes, from_others * (8 + kPlace) + ranges);
  EXPECT_LE(static_cast<double>(sent.bytes - from_others * kPlace), 1.1 * 8 * kAsked);
}

TEST(PickedOnMachines, OfRowsOnlyThoseMoveThatAreNamed) {
  constexpr std::int64_t kRows = 40'000, kColumns = 32, kAsked = 5000, kRanks = 4;
  const Numbers index = draw_indices(kAsked, -kRows, kRows, 2);
  Sent sent;
  fakes::run_on_simulated_ranks({.ranks = kRanks, .split_bytes = 256 * 1024}, [&](scheduler::Session& session) {
    const np::Array a = np::arange(kRows * kColumns).astype(np::float32).reshape({kRows, kColumns}) * 2;
    const np::Array at = np::array(index);
    sent.count(
        session, [&] { return a(at); },
        [&](const np::Array& rows) {
          expect_cells<float>(rows, [&](std::size_t i) {
            const std::int64_t row = index[i / kColumns] + (index[i / kColumns] < 0 ? kRows : 0);
            return static_cast<float>(2 * (row * kColumns + static_cast<std::int64_t>(i) % kColumns));
          });
        });
  });
  EXPECT_LE(static_cast<double>(sent.bytes), 1.1 * 4 * kColumns * kAsked);
  EXPECT_GT(sent.bytes, 0);
}

// The result is so small that every rank has it: each asks for all of its cells.
TEST(PickedOnMachines, FewCellsOfALargeArrayDoNotBringTheRest) {
  constexpr std::int64_t kCells = 400'000, kAsked = 100, kRanks = 4;
  const Numbers index = draw_indices(kAsked, 0, kCells, 3);
  Sent sent;
  fakes::run_on_simulated_ranks({.ranks = kRanks, .split_bytes = 256 * 1024}, [&](scheduler::Session& session) {
    const np::Array a = np::arange(kCells) * 3, at = np::array(index);
    sent.count(
        session, [&] { return np::take(a, at); },
        [&](const np::Array& taken) {
          expect_cells<std::int64_t>(taken, [&](std::size_t i) { return 3 * index[i]; });
        });
  });
  EXPECT_EQ(sent.bytes, kAsked * (kRanks - 1) * (8 + kPlace) + kRange * kRanks * (kRanks - 1));
}

// A table that stays as it is: the second time all of it is brought, and from then on nothing moves.
TEST(PickedOnMachines, ATableThatDoesNotChangeIsAskedOnce) {
  static constexpr std::int64_t kRanks = 4, kCells = 200000, kAsked = 100000;
  constexpr std::size_t kSteps = 4;
  std::array<Sent, kSteps> same, changed;
  fakes::run_on_simulated_ranks({.ranks = kRanks, .split_bytes = 256 * 1024}, [&](scheduler::Session& session) {
    const auto numbers = np::arange(kCells);
    const np::Array table = numbers * 2, indices = np::arange(kAsked) * 7919 % kCells;
    np::Array changing = numbers * 2;
    for (std::size_t step = 0; step < kSteps; ++step) {
      const auto cell = [](std::size_t k) { return static_cast<std::int64_t>(k) * 7919 % kCells * 2; };
      same[step].count(
          session, [&] { return np::take(table, indices); },
          [&](const np::Array& made) { expect_cells<std::int64_t>(made, cell); });
      changing += 1;
      changed[step].count(
          session, [&] { return np::take(changing, indices); },
          [&](const np::Array& made) {
            expect_cells<std::int64_t>(made,
                                       [&](std::size_t k) { return cell(k) + static_cast<std::int64_t>(step) + 1; });
          });
    }
  });
  EXPECT_GT(same[0].bytes, 0);
  EXPECT_EQ(same[1].bytes, 8 * kCells * (kRanks - 1));
  EXPECT_EQ(same[2].bytes, 0);
  EXPECT_EQ(same[3].bytes, 0);
  for (const Sent& sent : changed) EXPECT_EQ(sent.bytes, same[0].bytes);
}

// Its bytes are fewer than those of requests and cells.
TEST(PickedOnMachines, OfASmallArrayEachRankGetsAll) {
  constexpr std::int64_t kCells = 40'000, kAsked = 100'000, kRanks = 2;
  const Numbers index = draw_indices(kAsked, 0, kCells, 3);
  Sent sent;
  fakes::run_on_simulated_ranks({.ranks = kRanks}, [&](scheduler::Session& session) {
    const np::Array a = np::arange(kCells) * 3, at = np::array(index);
    sent.count(
        session, [&] { return np::take(a, at); },
        [&](const np::Array& taken) {
          expect_cells<std::int64_t>(taken, [&](std::size_t i) { return 3 * index[i]; });
        });
  });
  EXPECT_LE(sent.bytes, 8 * kCells + 16) << "and which names have ended";
}

// Result and indices apart.
TEST(PickedOnMachines, WhatIsAskedForTakesTheMemoryOfATileAtMost) {
  constexpr std::int64_t kCells = 400'000'000, kAsked = 100'000'000, kRanks = 4;
  for (const int rank : {0, 3}) {
    fakes::PlanningSession planning{{.ranks = kRanks, .split_bytes = 256 * 1024}, rank};
    const np::Array a = np::ones(kCells), at = (np::arange(kAsked) * 7) % kCells;
    (void)planning.take_plan();
    const np::Array picked = np::take(a, at);
    const scheduler::Plan plan = planning.take_plan();
    std::int64_t bytes = 0, instructions = static_cast<std::int64_t>(plan.instructions.size());
    for (const auto* allocate : plan.all<scheduler::Allocate>()) bytes += static_cast<std::int64_t>(allocate->bytes);
    EXPECT_GT(plan.count<scheduler::Send>(), 3u * (kRanks - 1)) << "more than one round";
    EXPECT_LE(bytes, 8 * kAsked / kRanks + 8 * kCells / kRanks);
    EXPECT_LE(instructions, 500);
  }
}

struct Shape2 {
  int ranks, processors, workers;
};

class PickedOnRanks : public testing::TestWithParam<Shape2> {
 protected:
  fakes::SimulatedRanks machine(std::uint64_t seed) const {
    fakes::SimulatedRanks machine;
    machine.ranks = GetParam().ranks;
    machine.processors_per_rank = GetParam().processors;
    machine.workers = GetParam().workers;
    machine.seed = seed;
    machine.message_latency = 0;  // few cells are asked for too; rounds are short
    return machine;
  }
};

template <class T>
T cell_from(std::int64_t number) {
  if constexpr (std::is_same_v<T, bool>) {
    return number % 3 == 0;
  } else {
    return static_cast<T>(number % 101);
  }
}

template <class T>
void check_dtype(DType dtype) {
  constexpr std::int64_t kCells = 997;
  const np::Array a = (np::arange(kCells) % (dtype == DType::Bool ? 3 : 101)).copy();
  const np::Array typed = dtype == DType::Bool ? np::equal(a, 0) : a.astype(dtype);
  const Numbers index = draw_indices(211, -kCells, kCells, 7);
  const np::Array picked = typed(np::array(index));
  EXPECT_EQ(picked.dtype(), dtype);
  expect_cells<T>(picked, [&](std::size_t i) { return cell_from<T>(index[i] + (index[i] < 0 ? kCells : 0)); });
}

TEST_P(PickedOnRanks, CellsOfEverySizeComeAsTheyAre) {
  fakes::run_on_simulated_ranks(machine(1), [&](scheduler::Session&) {
    check_dtype<bool>(DType::Bool);
    check_dtype<std::int8_t>(DType::Int8);
    check_dtype<std::uint16_t>(DType::UInt16);
    check_dtype<std::int32_t>(DType::Int32);
    check_dtype<float>(DType::Float32);
    check_dtype<double>(DType::Float64);
    check_dtype<std::complex<float>>(DType::Complex64);
    check_dtype<std::complex<double>>(DType::Complex128);
  });
}

// a(i, …) in every form: cells, rows, columns, pairs, numbers, steps, transposed and broadcast arrays.
TEST_P(PickedOnRanks, EveryFormOfPickingGivesThePlainLoopsCells) {
  constexpr std::int64_t kRows = 151, kColumns = 37;
  const Numbers rows = draw_indices(60, -kRows, kRows, 11), columns = draw_indices(60, -kColumns, kColumns, 12);
  const auto row = [&](std::size_t i) { return rows[i] + (rows[i] < 0 ? kRows : 0); };
  const auto column = [&](std::size_t i) { return columns[i] + (columns[i] < 0 ? kColumns : 0); };
  const auto number = [](std::int64_t i, std::int64_t k) { return (i * kColumns + k) * 7; };
  fakes::run_on_simulated_ranks(machine(2), [&](scheduler::Session&) {
    const np::Array a = np::arange(kRows * kColumns).reshape({kRows, kColumns}) * 7;
    const np::Array i = np::array(rows), k = np::array(columns);
    const auto expect = [](const np::Array& array, const Shape& shape,
                           const std::function<std::int64_t(std::int64_t, std::int64_t)>& cell) {
      ASSERT_EQ(array.shape(), shape);
      const std::int64_t width = shape.rank() == 1 ? 1 : shape[1];
      expect_cells<std::int64_t>(array, [&](std::size_t at) {
        return cell(static_cast<std::int64_t>(at) / width, static_cast<std::int64_t>(at) % width);
      });
    };
    const auto u = [](std::int64_t at) { return static_cast<std::size_t>(at); };
    expect(a(i), {60, kColumns}, [&](auto x, auto y) { return number(row(u(x)), y); });
    expect(np::take(a, k, 1), {kRows, 60}, [&](auto x, auto y) { return number(x, column(u(y))); });
    expect(a(i, k), {60}, [&](auto x, auto) { return number(row(u(x)), column(u(x))); });
    expect(np::take(a, i * 30), {60}, [&](auto x, auto) {
      const std::int64_t flat = rows[u(x)] * 30;
      return 7 * (flat < 0 ? flat + kRows * kColumns : flat);
    });
    expect(a.T()(k), {60, kRows}, [&](auto x, auto y) { return number(y, column(u(x))); });
    expect(a(slice({}, {}, -1), slice(1, {}, 3))(i), {60, 12},
           [&](auto x, auto y) { return number(kRows - 1 - row(u(x)), 1 + 3 * y); });
    expect(np::broadcast_to(a(3), {50, kColumns})(i % 50), {60, kColumns}, [&](auto, auto y) { return number(3, y); });
    expect(a(i(slice(0, 1))), {1, kColumns}, [&](auto, auto y) { return number(row(0), y); });
    const np::Array grid = i.reshape({12, 5});
    expect(np::take(a(all, 4), grid), {12, 5}, [&](auto x, auto y) { return number(row(u(x * 5 + y)), 4); });
    expect(np::take(a, i * 40, 0, np::IndexMode::Clip)(all, 2), {60},
           [&](auto x, auto) { return number(std::clamp<std::int64_t>(rows[u(x)] * 40, 0, kRows - 1), 2); });
    expect(np::take(a, i * 40, 0, np::IndexMode::Wrap)(all, 2), {60},
           [&](auto x, auto) { return number(((rows[u(x)] * 40) % kRows + kRows) % kRows, 2); });
    const np::Array order = np::argsort(a * -1, 0);
    expect(np::take_along_axis(a, order, 0), {kRows, kColumns},
           [&](auto x, auto y) { return number(kRows - 1 - x, y); });
  });
}

// All ask one cell, or one rank, or nobody asks: who has nothing takes part.
TEST_P(PickedOnRanks, AnyRankMayBeAskedForEverythingOrNothing) {
  constexpr std::int64_t kCells = 900;
  fakes::run_on_simulated_ranks(machine(3), [&](scheduler::Session&) {
    const np::Array a = np::arange(kCells) * 5;
    const np::Array few = a(np::array({std::int64_t{899}}, np::int64));
    EXPECT_EQ(few.item<std::int64_t>(), 899 * 5);
    for (const std::int64_t cell : {std::int64_t{0}, kCells - 1, std::int64_t{-1}, kCells / 2}) {
      const np::Array same = a(np::full(400, cell, np::int64));
      expect_cells<std::int64_t>(same, [&](std::size_t) { return 5 * (cell < 0 ? cell + kCells : cell); });
    }
    const np::Array none = a(np::zeros(0, np::int64));
    EXPECT_EQ(none.size(), 0);
  });
}

// The indices differ in each iteration, and so do the messages, while plans are made again.
TEST_P(PickedOnRanks, LoopsWhosePlansAreMadeAgainAskForOtherCellsEachTime) {
  constexpr std::int64_t kCells = 1200, kAsked = 150;
  for (const int plans : {0, 1, -1}) {
    SCOPED_TRACE(testing::Message() << plans << " plans are kept");
    auto shape = machine(4);
    shape.plan_cache = plans;
    fakes::run_on_simulated_ranks(shape, [&](scheduler::Session&) {
      np::Array a = np::arange(kCells).copy(), at = (np::arange(kAsked) * 17) % kCells;
      Numbers cells(kCells), index(kAsked);
      for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::int64_t>(i);
      for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(i) * 17 % kCells;
      for (int round = 0; round < 40; ++round) {
        const np::Array picked = a(at);
        a(slice(0, kAsked)) += picked;
        at = (at * 31 + picked + 7) % kCells;
        const Numbers before = cells;
        for (std::size_t i = 0; i < index.size(); ++i) {
          const std::int64_t cell = before[static_cast<std::size_t>(index[i])];
          cells[i] += cell;
          index[i] = (index[i] * 31 + cell + 7) % kCells;
          index[i] += index[i] < 0 ? kCells : 0;
        }
      }
      EXPECT_EQ(a.to_vector<std::int64_t>(), cells);
    });
  }
}

TEST_P(PickedOnRanks, AnIndexOutsideOfItsAxisOnOneRankEndsAllOfThem) {
  constexpr std::int64_t kCells = 800;
  std::atomic<int> told{0};
  std::string text;
  try {
    fakes::run_on_simulated_ranks(machine(5), [&](scheduler::Session& session) {
      const np::Array a = np::arange(kCells) * 2;
      np::Array at = np::arange(200).copy();
      at(199) = kCells + 5;
      const np::Array picked = a(at);
      try {
        session.wait();
      } catch (...) {
        ++told;
        throw;
      }
    });
  } catch (const std::exception& error) {
    text = error.what();
  }
  EXPECT_EQ(told, GetParam().ranks);
  EXPECT_NE(text.find("index 805 is outside axis 0, which has 800 cells: use -800 to 799"), std::string::npos) << text;
  EXPECT_NE(text.find("picked_machines_test.cc"), std::string::npos) << text;
}

// Many points for each cell, in any order: each processor has cells of its own, and a message has no points.
TEST_P(PickedOnRanks, IntegersAreUpdatedInShares) {
  constexpr std::int64_t kCells = 700, kPoints = 40'001;
  const Numbers index = draw_indices(kPoints, -kCells, kCells, 3), values = draw_indices(kPoints, -1000, 1000, 4);
  const auto place = [](std::int64_t i) { return static_cast<std::size_t>(i < 0 ? i + kCells : i); };
  Numbers sums(kCells, 5), least(kCells, 900), most(kCells, -900), counts(kCells, 0);
  std::vector<std::uint8_t> wrapped(kCells, 3);
  for (std::size_t k = 0; k < index.size(); ++k) {
    const std::size_t cell = place(index[k]);
    sums[cell] += values[k];
    least[cell] = std::min(least[cell], values[k]);
    most[cell] = std::max(most[cell], values[k]);
    ++counts[cell];
    wrapped[cell] = static_cast<std::uint8_t>(wrapped[cell] + values[k]);
  }
  Numbers pairs(20 * 30, 0);
  for (std::size_t k = 0; k < index.size(); ++k)
    pairs[place(index[k]) % 20 * 30 + place(values[k] % 30 + 30) % 30] += 7;
  std::atomic<std::int64_t> bytes{0};
  fakes::run_on_simulated_ranks(machine(6), [&](scheduler::Session& session) {
    const np::Array at = np::array(index) + 0, by = np::array(values) + 0;
    session.wait();
    const std::int64_t before = session.profile().counters.bytes_sent.get();
    np::Array a = np::full(kCells, 5, np::int64), b = np::full(kCells, 900, np::int64),
              c = np::full(kCells, -900, np::int64);
    np::add_at(a, at, by);
    np::minimum_at(b, at, by);
    np::maximum_at(c, at, by);
    session.wait();
    bytes += session.profile().counters.bytes_sent.get() - before;
    EXPECT_EQ(a.to_vector<std::int64_t>(), sums);
    EXPECT_EQ(b.to_vector<std::int64_t>(), least);
    EXPECT_EQ(c.to_vector<std::int64_t>(), most);
    EXPECT_EQ(np::bincount((at + kCells) % kCells, kCells).to_vector<std::int64_t>(), counts);
    np::Array small = np::full(kCells, 3, np::uint8);
    np::add_at(small, at, by.astype(np::uint8));
    EXPECT_EQ(small.to_vector<std::uint8_t>(), wrapped);
    np::Array grid = np::zeros({20, 30}, np::int64);
    np::add_at(grid, {(at + kCells) % kCells % 20, (by % 30 + 30) % 30}, 7);
    EXPECT_EQ(grid.to_vector<std::int64_t>(), pairs);
    np::Array every_second = np::zeros(2 * kCells, np::int64);
    np::add_at(every_second(slice({}, {}, 2)), at, 1);
    EXPECT_EQ(every_second(slice({}, {}, 2)).to_vector<std::int64_t>(), counts);
  });
  EXPECT_LE(bytes, 3 * 2 * 8 * kCells * GetParam().ranks * 2) << "sums go up a tree and down";
}

// Bodies live as long as the process.
TEST(WrittenInShares, OfOtherSizesNeedNoOtherBodies) {
  fakes::run_on_simulated_ranks({.ranks = 2}, [](scheduler::Session&) {
    const auto use = [](std::int64_t points) {
      np::Array counts = np::zeros(100 + points % 7, np::int64);
      np::add_at(counts, np::arange(points) % 100, 1);
      EXPECT_EQ(np::sum(counts).item<std::int64_t>(), points);
      const np::Array a = np::ones({points, 3});
      EXPECT_EQ(np::matmul(a.T(), a)(1, 2).item<double>(), static_cast<double>(points));
    };
    use(40'000);
    const std::size_t bodies = np::library_bodies();
    for (std::int64_t points = 40'001; points < 40'008; ++points) use(points);
    EXPECT_EQ(np::library_bodies(), bodies);
  });
  for (const bool multiplies : {true, false}) {
    fakes::run_on_simulated_ranks({.processors_per_rank = 2, .gpus = true, .multiplies = multiplies}, [](auto&) {
      const auto use = [](std::int64_t points) {
        const np::Array a = np::ones({points, 20});
        EXPECT_EQ(np::matmul(a.T(), a)(1, 2).item<double>(), static_cast<double>(points));
      };
      use(2000);
      const std::size_t bodies = np::library_bodies();
      for (std::int64_t points = 2001; points < 2008; ++points) use(points);
      EXPECT_EQ(np::library_bodies(), bodies);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, PickedOnRanks,
                         testing::Values(Shape2{1, 1, 0}, Shape2{2, 1, 0}, Shape2{3, 1, 2}, Shape2{4, 1, 0},
                                         Shape2{2, 2, 0}),
                         [](const auto& shape) {
                           return std::to_string(shape.param.ranks) + "ranks" + std::to_string(shape.param.processors) +
                                  "processors";
                         });

}  // namespace
}  // namespace pilum
