// Cells that index arrays name, written, of arrays that are cut among ranks: each rank sends what it has to the owners.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;
using Indices = std::vector<std::int64_t>;

constexpr std::int64_t kPlaceBytes = 4, kRangeBytes = 16;  // of a value's place, and of what says how many there are

Indices some_indices(std::int64_t count, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  Indices drawn;
  for (std::int64_t k = 0; k < count; ++k)
    drawn.push_back(lo + static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(hi - lo)));
  return drawn;
}

std::size_t place_of(std::int64_t index, std::int64_t extent) {
  return static_cast<std::size_t>(index < 0 ? index + extent : index);
}

// Numbers that are cut as a result of elementwise work is, and not on every rank as what a program gives is.
np::Array cut(const Indices& numbers) {
  const np::Array given = np::array(numbers);
  np::Array made = np::arange(static_cast<std::int64_t>(numbers.size())) * 0;
  made += given;
  return made;
}

// What all ranks send while something is done.
struct SentBytes {
  std::atomic<std::int64_t> messages{0}, bytes{0};
  void count(scheduler::Session& session, const std::function<void()>& write) {
    session.wait();
    const auto& counters = session.profile().counters;
    const std::int64_t messages_before = counters.messages_sent.get(), bytes_before = counters.bytes_sent.get();
    write();
    session.wait();
    messages += counters.messages_sent.get() - messages_before;
    bytes += counters.bytes_sent.get() - bytes_before;
  }
};

std::int64_t rank_of_cell(std::int64_t cell, std::int64_t cells, std::int64_t ranks) {
  std::int64_t rank = 0;
  while (cells * (rank + 1) / ranks <= cell) ++rank;
  return rank;
}

TEST(WrittenOnMachines, AddAtOnFourRanksMovesTheValuesForOtherRanksAndTheirPlaces) {
  constexpr std::int64_t kCells = 200'000, kRanks = 4;
  for (const std::int64_t count : {20'000, 60'000}) {
    const Indices index = some_indices(count, 0, kCells, 1);
    std::int64_t to_others = 0;
    std::vector<double> expected(kCells, 1);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t cell = index[static_cast<std::size_t>(k)];
      to_others += rank_of_cell(cell, kCells, kRanks) != rank_of_cell(k, count, kRanks);
      expected[static_cast<std::size_t>(cell)] += static_cast<double>(k) * 0.3;
    }
    SentBytes sent;
    fakes::run_on_simulated_ranks({.ranks = kRanks, .split_bytes = 64 * 1024}, [&](scheduler::Session& session) {
      np::Array a = np::zeros(kCells);
      a += 1;
      const np::Array at = cut(index), values = np::arange(count) * 0.3;
      sent.count(session, [&] { np::add_at(a, at, values); });
      EXPECT_EQ(a.to_vector<double>(), expected);
    });
    EXPECT_EQ(sent.bytes, to_others * (8 + kPlaceBytes) + kRangeBytes * kRanks * (kRanks - 1));
    EXPECT_LE(static_cast<double>(sent.bytes - to_others * kPlaceBytes), 1.1 * 8 * static_cast<double>(count));
    EXPECT_EQ(sent.messages, 3 * kRanks * (kRanks - 1)) << "of any number of values";
  }
}

TEST(WrittenOnMachines, OfRowsOnlyThoseMoveThatAreNamed) {
  constexpr std::int64_t kRows = 40'000, kColumns = 32, kNamed = 5000, kRanks = 4;
  const Indices index = some_indices(kNamed, -kRows, kRows, 2);
  SentBytes sent;
  fakes::run_on_simulated_ranks({.ranks = kRanks, .split_bytes = 64 * 1024}, [&](scheduler::Session& session) {
    np::Array a = np::zeros({kRows, kColumns}, np::float32);
    a += 1;
    const np::Array at = cut(index);
    const np::Array rows = np::arange(kNamed * kColumns).astype(np::float32).reshape({kNamed, kColumns}) % 251;
    sent.count(session, [&] { a(at) = rows; });
    std::vector<float> expected(kRows * kColumns, 1);
    for (std::size_t i = 0; i < index.size(); ++i) {
      for (std::size_t k = 0; k < kColumns; ++k)
        expected[place_of(index[i], kRows) * kColumns + k] = static_cast<float>((i * kColumns + k) % 251);
    }
    EXPECT_EQ(a.to_vector<float>(), expected);
  });
  EXPECT_LE(static_cast<double>(sent.bytes), 1.1 * 4 * kColumns * kNamed);
  EXPECT_GT(sent.bytes, 0);
}

// The same values to the same cells: the second time all of them are brought, and from then on nothing moves.
TEST(WrittenOnMachines, ValuesThatDoNotChangeAreSentOnce) {
  constexpr std::int64_t kRanks = 4, kCells = 200'000, kNamed = 60'000;
  constexpr std::size_t kSteps = 4;
  const Indices index = some_indices(kNamed, 0, kCells, 3);
  std::array<SentBytes, kSteps> sent;
  fakes::run_on_simulated_ranks({.ranks = kRanks, .split_bytes = 64 * 1024}, [&](scheduler::Session& session) {
    np::Array a = np::zeros(kCells);
    a += 1;
    const np::Array at = cut(index), values = np::arange(kNamed) * 0.5;
    for (SentBytes& step : sent) step.count(session, [&] { np::add_at(a, at, values); });
    std::vector<double> expected(kCells, 1);
    for (std::size_t step = 0; step < kSteps; ++step) {
      for (std::size_t k = 0; k < index.size(); ++k)
        expected[static_cast<std::size_t>(index[k])] += static_cast<double>(k) * 0.5;
    }
    EXPECT_EQ(a.to_vector<double>(), expected);
  });
  EXPECT_GT(sent[0].bytes, 0);
  EXPECT_EQ(sent[1].bytes, 2 * 8 * kNamed * (kRanks - 1));
  EXPECT_EQ(sent[2].bytes, 0);
  EXPECT_EQ(sent[3].bytes, 0);
}

// The cells that a mask names go from where they are to where they belong; the mask stays where it is. Half of all
// cells, and few at one end, which go to ranks far away.
// Of masks that are not so small, beside arrays that are not cut, that all ranks see them.
TEST(WrittenOnMachines, OfAMaskedArrayOnlyTrueCellsMove) {
  constexpr std::int64_t kCells = 200'000, kRanks = 4;
  for (const bool few : {false, true}) {
    std::vector<double> expected;
    Indices places;
    for (std::int64_t i = 0; i < kCells; ++i) {
      if (few ? i < kCells - 900 : i * 7919 % 10 >= 5) continue;
      expected.push_back(static_cast<double>(i) * 1.5);
      places.push_back(i);
    }
    const auto count = static_cast<std::int64_t>(places.size());
    std::int64_t to_others = 0;
    for (std::int64_t k = 0; k < count; ++k)
      to_others += rank_of_cell(places[static_cast<std::size_t>(k)], kCells, kRanks) != rank_of_cell(k, count, kRanks);
    SentBytes cells, numbers;
    fakes::run_on_simulated_ranks({.ranks = kRanks, .split_bytes = 4 * 1024}, [&](scheduler::Session& session) {
      const np::Array a = np::arange(kCells) * 1.5, i = np::arange(kCells) * 1;
      const np::Array mask = few ? np::greater_equal(i, kCells - 900) : np::less(i * 7919 % 10, 5);
      np::Array picked, found;
      cells.count(session, [&] { picked = a(mask); });
      EXPECT_EQ(picked.to_vector<double>(), expected);
      numbers.count(session, [&] { found = np::flatnonzero(mask); });
      EXPECT_EQ(found.to_vector<std::int64_t>(), places);
    });
    // Beside the cells: what each block has of true ones, up a tree and down, once for both; and of the mask's blocks
    // the two that a share begins and ends in.
    constexpr std::int64_t kBlocks = 64 * kRanks;
    const std::int64_t counted = 2 * 8 * kBlocks * (kRanks - 1), ends = 2 * kRanks * kCells / kBlocks;
    EXPECT_LE(cells.bytes, counted + 2 * 8 * to_others + 9 * ends) << to_others << " of " << count;
    EXPECT_LE(numbers.bytes, 2 * 8 * to_others + ends);
    EXPECT_GE(cells.bytes, to_others * 8);
    RecordProperty(few ? "bytes_of_few" : "bytes_of_half", std::to_string(cells.bytes));
  }
}

// Masks of any density, as long as scans that are cut and a little shorter; what they name is read and written.
TEST(WrittenOnMachines, RandomMasksGiveThePlainLoopsCells) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 dice(seed);
    const auto cells = static_cast<std::int64_t>(65'000 + dice() % 3000);
    const auto dense = static_cast<std::int64_t>(dice() % 101);
    std::vector<std::int64_t> numbers, expected, places, changed;
    for (std::int64_t i = 0; i < cells; ++i) {
      numbers.push_back(static_cast<std::int64_t>(dice() % 100));
      changed.push_back(i);
      if (numbers.back() >= dense) continue;
      changed.back() = 2 * static_cast<std::int64_t>(expected.size());
      expected.push_back(i);
    }
    const auto count = static_cast<std::int64_t>(expected.size());
    for (const int ranks : {1, 2, 3, 4}) {
      fakes::run_on_simulated_ranks({.ranks = ranks, .split_bytes = 4096}, [&](scheduler::Session&) {
        np::Array a = np::arange(cells) * 1;
        const np::Array mask = np::less(cut(numbers), dense);
        EXPECT_EQ(a(mask).to_vector<std::int64_t>(), expected) << ranks;
        EXPECT_EQ(np::compress(mask, a).to_vector<std::int64_t>(), expected) << ranks;
        EXPECT_EQ(np::argwhere(mask).to_vector<std::int64_t>(), expected) << ranks;
        a(mask) = np::arange(count) * 2;
        EXPECT_EQ(a.to_vector<std::int64_t>(), changed) << ranks;
      });
    }
  }
}

TEST(WrittenOnMachines, MasksOfSeveralAxesGiveTheirCellsRowMajor) {
  constexpr std::int64_t kRows = 400, kColumns = 30, kDeep = 7;
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < kRows * kColumns * kDeep; ++i) {
    if (i * 31 % 11 < 4) expected.push_back(i * 3);
  }
  for (const int ranks : {1, 2, 3, 4}) {
    fakes::run_on_simulated_ranks({.ranks = ranks, .split_bytes = 4096}, [&](scheduler::Session&) {
      const np::Array i = np::arange(kRows * kColumns * kDeep).reshape({kRows, kColumns, kDeep}) * 1;
      const np::Array mask = np::less(i * 31 % 11, 4), a = i * 3;
      EXPECT_EQ(a(mask).to_vector<std::int64_t>(), expected) << ranks;
      EXPECT_EQ(np::extract(mask, a).to_vector<std::int64_t>(), expected) << ranks;
      const std::vector<np::Array> places = np::nonzero(mask);
      const np::Array back = (places[0] * kColumns + places[1]) * kDeep + places[2];
      EXPECT_EQ((back * 3).to_vector<std::int64_t>(), expected) << ranks;
      np::Array marked = np::zeros({kRows, kColumns, kDeep}, np::int64);
      marked(mask) = np::arange(static_cast<std::int64_t>(expected.size())) * 1;
      std::vector<std::int64_t> wanted(kRows * kColumns * kDeep);
      for (std::size_t k = 0; k < expected.size(); ++k)
        wanted[static_cast<std::size_t>(expected[k] / 3)] = static_cast<std::int64_t>(k);
      EXPECT_EQ(marked.to_vector<std::int64_t>(), wanted) << ranks;
    });
  }
}

struct WritingMachine {
  int ranks, processors, workers;
};

class WrittenOnRanks : public testing::TestWithParam<WritingMachine> {
 protected:
  static fakes::SimulatedRanks machine(std::uint64_t seed) {
    fakes::SimulatedRanks machine;
    machine.ranks = GetParam().ranks;
    machine.processors_per_rank = GetParam().processors;
    machine.workers = GetParam().workers;
    machine.seed = seed;
    machine.message_latency = 0;  // few values are sent too
    return machine;
  }
};

// Floating sums and products: another order of the same values would give other bits.
TEST_P(WrittenOnRanks, RepeatedIndicesAreAppliedInTheirOrder) {
  constexpr std::int64_t kCells = 90, kNamed = 40'000;
  const Indices index = some_indices(kNamed, -kCells, kCells, 4);
  std::mt19937_64 dice(5);
  std::vector<double> value;
  for (std::int64_t k = 0; k < kNamed; ++k) value.push_back(std::ldexp(static_cast<double>(dice() >> 11), -40));
  std::vector<double> sums(kCells), products(kCells, 1), last(kCells), least(kCells, 1e9);
  for (std::size_t k = 0; k < index.size(); ++k) {
    const std::size_t cell = place_of(index[k], kCells);
    sums[cell] += value[k];
    products[cell] *= value[k] / 4096 + 0.5;
    last[cell] = value[k];
    least[cell] = std::min(least[cell], value[k]);
  }
  fakes::run_on_simulated_ranks(machine(1), [&](scheduler::Session&) {
    const np::Array at = cut(index);
    np::Array values = np::zeros(kNamed);
    values += np::array(value);
    np::Array a = np::zeros(kCells) * 2, b = np::ones(kCells) * 1, c = np::zeros(kCells) * 2, d = c + 1e9;
    np::add_at(a, at, values);
    np::multiply_at(b, at, values / 4096 + 0.5);
    np::put(c, at, values);
    np::minimum_at(d, at, values);
    EXPECT_EQ(a.to_vector<double>(), sums);
    EXPECT_EQ(b.to_vector<double>(), products);
    EXPECT_EQ(c.to_vector<double>(), last);
    EXPECT_EQ(d.to_vector<double>(), least);
  });
}

template <class T>
void write_dtype(DType dtype) {
  constexpr std::int64_t kCells = 501;
  const Indices index = some_indices(211, -kCells, kCells, 7);
  np::Array a = np::zeros(kCells).astype(dtype);
  const np::Array values = (np::arange(211) % 101).astype(dtype);
  a(cut(index)) = values;
  std::vector<T> expected(kCells);
  for (std::size_t i = 0; i < index.size(); ++i) expected[place_of(index[i], kCells)] = static_cast<T>(i % 101);
  EXPECT_EQ(a.to_vector<T>(), expected);
}

TEST_P(WrittenOnRanks, CellsOfEverySizeAreWritten) {
  fakes::run_on_simulated_ranks(machine(2), [&](scheduler::Session&) {
    write_dtype<bool>(DType::Bool);
    write_dtype<std::int8_t>(DType::Int8);
    write_dtype<std::uint16_t>(DType::UInt16);
    write_dtype<std::int32_t>(DType::Int32);
    write_dtype<float>(DType::Float32);
    write_dtype<double>(DType::Float64);
    write_dtype<std::complex<float>>(DType::Complex64);
    write_dtype<std::complex<double>>(DType::Complex128);
  });
}

// Cells, rows, columns, pairs, grids of indices, views and transposed arrays, numbers as values.
TEST_P(WrittenOnRanks, EveryFormOfWritingGivesThePlainLoopsCells) {
  constexpr std::int64_t kRows = 71, kColumns = 37, kNamed = 60;
  const Indices rows = some_indices(kNamed, -kRows, kRows, 11), columns = some_indices(kNamed, -kColumns, kColumns, 12);
  fakes::run_on_simulated_ranks(machine(3), [&](scheduler::Session&) {
    std::vector<std::int64_t> cells(kRows * kColumns);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::int64_t>(i) * 7;
    np::Array a = np::arange(kRows * kColumns).reshape({kRows, kColumns}) * 7;
    const np::Array i = cut(rows), k = cut(columns), numbers = np::arange(kNamed) * 3 + 1;
    const auto cell = [&](std::int64_t x, std::int64_t y) -> std::int64_t& {
      return cells[place_of(x, kRows) * kColumns + place_of(y, kColumns)];
    };
    const auto u = [](std::int64_t x) { return static_cast<std::size_t>(x); };
    const auto check = [&](const char* form) { EXPECT_EQ(a.to_vector<std::int64_t>(), cells) << form; };
    a(i, k) = numbers;
    for (std::int64_t n = 0; n < kNamed; ++n) cell(rows[u(n)], columns[u(n)]) = 3 * n + 1;
    check("pairs");
    np::add_at(a, i, np::arange(kNamed * kColumns).reshape({kNamed, kColumns}) + 0);
    for (std::int64_t n = 0; n < kNamed * kColumns; ++n) cell(rows[u(n / kColumns)], n % kColumns) += n;
    check("rows");
    a(all, k) = np::arange(kRows * kNamed).reshape({kRows, kNamed}) * 2;
    for (std::int64_t n = 0; n < kRows * kNamed; ++n) cell(n / kNamed, columns[u(n % kNamed)]) = 2 * n;
    check("columns");
    a.T()(k) = np::arange(kRows * kNamed).reshape({kNamed, kRows}) * 5;
    for (std::int64_t n = 0; n < kRows * kNamed; ++n) cell(n % kRows, columns[u(n / kRows)]) = 5 * n;
    check("columns of a transposed array");
    np::put(a, i * 30, numbers * 11);
    for (std::int64_t n = 0; n < kNamed; ++n) cells[place_of(rows[u(n)] * 30, kRows * kColumns)] = 33 * n + 11;
    check("numbered cells");
    a(slice(5, 41), slice(2, 30))(i % 36, k % 28) = numbers * 2;
    for (std::int64_t n = 0; n < kNamed; ++n)
      cell(5 + (rows[u(n)] % 36 + 36) % 36, 2 + (columns[u(n)] % 28 + 28) % 28) = 6 * n + 2;
    check("cells of a view");
    a(slice({}, {}, -1), slice(1, {}, 3))(i) = (np::arange(kNamed) * 4).reshape({kNamed, 1});
    for (std::int64_t n = 0; n < kNamed; ++n) {
      for (std::int64_t y = 1; y < kColumns; y += 3) cell(kRows - 1 - (rows[u(n)] + kRows) % kRows, y) = 4 * n;
    }
    check("rows of a view with steps");
    a(i.reshape({12, 5}), k.reshape({12, 5})) = (numbers * 13).reshape({12, 5});
    for (std::int64_t n = 0; n < kNamed; ++n) cell(rows[u(n)], columns[u(n)]) = 13 * (3 * n + 1);
    check("a grid of pairs");
    np::add_at(a, i, 9);
    for (const std::int64_t x : rows) {
      for (std::int64_t y = 0; y < kColumns; ++y) cell(x, y) += 9;
    }
    check("a number");
    const np::Array turned = (np::arange(kRows * kColumns).reshape({kRows, kColumns}) * 5) % kRows;
    np::put_along_axis(a, turned, turned * 3 + np::arange(kColumns), 0);
    for (std::int64_t n = 0; n < kRows * kColumns; ++n)
      cell(n * 5 % kRows, n % kColumns) = n * 5 % kRows * 3 + n % kColumns;
    check("along an axis");
    a(i, 4) = numbers;
    for (std::int64_t n = 0; n < kNamed; ++n) cell(rows[u(n)], 4) = 3 * n + 1;
    check("cells of a column");
    np::put(a, i * 4000, numbers, np::IndexMode::Wrap);
    for (std::int64_t n = 0; n < kNamed; ++n) {
      const std::int64_t place = rows[u(n)] * 4000 % (kRows * kColumns);
      cells[place_of(place, kRows * kColumns)] = 3 * n + 1;
    }
    check("numbers that wrap");
  });
}

// Where all go to one rank, or none.
TEST_P(WrittenOnRanks, AnyRankMayGetEverythingOrNothing) {
  constexpr std::int64_t kCells = 900, kNamed = 400;
  fakes::run_on_simulated_ranks(machine(4), [&](scheduler::Session&) {
    np::Array a = np::arange(kCells) * 5;
    std::vector<std::int64_t> expected = a.to_vector<std::int64_t>();
    for (const std::int64_t cell : {std::int64_t{0}, kCells - 1, std::int64_t{-1}, kCells / 2}) {
      np::add_at(a, np::arange(kNamed) * 0 + cell, np::arange(kNamed) * 1);
      expected[place_of(cell, kCells)] += kNamed * (kNamed - 1) / 2;
    }
    a(np::zeros(0, np::int64)) = np::zeros(0, np::int64);
    EXPECT_EQ(a.to_vector<std::int64_t>(), expected);
  });
}

// The indices and values differ in each iteration, and so do the messages, while plans are made again.
TEST_P(WrittenOnRanks, LoopsWhosePlansAreMadeAgainSendOtherValuesEachTime) {
  constexpr std::int64_t kCells = 1200, kNamed = 150;
  for (const int plans : {0, 1, -1}) {
    SCOPED_TRACE(testing::Message() << plans << " plans are kept");
    fakes::SimulatedRanks shape = machine(5);
    shape.plan_cache = plans;
    fakes::run_on_simulated_ranks(shape, [&](scheduler::Session&) {
      np::Array a = np::arange(kCells) * 1, at = (np::arange(kNamed) * 17) % kCells;
      Indices cells(kCells), index(kNamed);
      for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::int64_t>(i);
      for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(i) * 17 % kCells;
      for (int round = 0; round < 30; ++round) {
        np::add_at(a, at, at % 13);
        at = (at * 31 + 7 + round) % kCells;
        for (std::int64_t& one : index) {
          cells[static_cast<std::size_t>(one)] += one % 13;
          one = (one * 31 + 7 + round) % kCells;
        }
      }
      EXPECT_EQ(a.to_vector<std::int64_t>(), cells);
    });
  }
}

TEST_P(WrittenOnRanks, AnIndexOutsideOfItsAxisEndsAllRanks) {
  constexpr std::int64_t kCells = 800;
  std::atomic<int> told{0};
  std::string text;
  try {
    fakes::run_on_simulated_ranks(machine(6), [&](scheduler::Session& session) {
      np::Array a = np::arange(kCells) * 2, at = np::arange(200) * 1;
      at(199) = kCells + 5;
      np::add_at(a, at, np::arange(200) * 3);
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
  EXPECT_NE(text.find("written_machines_test.cc"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Machines, WrittenOnRanks,
                         testing::Values(WritingMachine{1, 1, 0}, WritingMachine{2, 1, 0}, WritingMachine{3, 1, 2},
                                         WritingMachine{4, 1, 0}, WritingMachine{2, 2, 0}),
                         [](const auto& machine) {
                           return std::to_string(machine.param.ranks) + "ranks" +
                                  std::to_string(machine.param.processors) + "processors";
                         });

}  // namespace
}  // namespace pilum
