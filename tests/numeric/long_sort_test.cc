// Sorts of long lines, which threads make together, against the standard library's stable sort.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;

// PILUM_TEST_SEED=123 runs a printed seed again.
std::uint64_t drawn_seed() {
  const char* const given = std::getenv("PILUM_TEST_SEED");
  return given ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

template <class T>
bool is_nan(T cell) {
  return cell != cell;
}

template <class T>
std::vector<std::int64_t> stable_places(const std::vector<T>& cells) {
  std::vector<std::int64_t> places(cells.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    const T x = cells[static_cast<std::size_t>(a)], y = cells[static_cast<std::size_t>(b)];
    return is_nan(x) || is_nan(y) ? is_nan(y) && !is_nan(x) : x < y;
  });
  return places;
}

template <class T>
void check(const std::vector<T>& cells, const std::string& what) {
  const np::Array line = np::array(cells);
  SCOPED_TRACE(testing::Message() << cells.size() << " cells of " << line.dtype() << ", " << what);
  const std::vector<std::int64_t> places = stable_places(cells);
  ASSERT_EQ(np::argsort(line).to_vector<std::int64_t>(), places);
  const std::vector<T> found = np::sort(line).template to_vector<T>();
  ASSERT_EQ(found.size(), cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    ASSERT_EQ(std::memcmp(&found[i], &cells[static_cast<std::size_t>(places[i])], sizeof(T)), 0) << "at " << i;
}

template <class T>
T any_of_bits(std::mt19937_64& random) {
  const std::uint64_t word = random();
  T cell;
  std::memcpy(static_cast<void*>(&cell), &word, sizeof cell);
  return cell;
}

// Of numbers that come often, among them those at which an order may break.
template <class T>
T one_of_few(std::mt19937_64& random) {
  if constexpr (std::is_integral_v<T>) {
    const T few[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(0), T(1), static_cast<T>(-1)};
    return few[random() % 5];
  } else {
    const float few[] = {0.0F, -0.0F, 1.0F, -1.0F, HUGE_VALF, -HUGE_VALF, NAN, -NAN, 65504.0F, -65504.0F};
    return static_cast<T>(few[random() % 10]);
  }
}

template <class T>
void check_kinds(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto make = [&](const std::function<T(std::size_t)>& cell) {
    std::vector<T> cells(count);
    for (std::size_t i = 0; i < count; ++i) cells[i] = cell(i);
    return cells;
  };
  check<T>(make([&](std::size_t) { return any_of_bits<T>(random); }), "random bits");
  check<T>(make([&](std::size_t) { return random() % 4 ? any_of_bits<T>(random) : one_of_few<T>(random); }), "mixed");
  check<T>(make([&](std::size_t) { return one_of_few<T>(random); }), "few");
  check<T>(make([&](std::size_t) { return static_cast<T>(7.0F); }), "constant");
  check<T>(make([&](std::size_t i) { return static_cast<T>(static_cast<float>(i % 100)); }), "a saw");
  check<T>(make([&](std::size_t i) { return static_cast<T>(static_cast<float>(count - i) / 1024.0F); }), "falling");
  check<T>(make([&](std::size_t) { return random() % 3 ? static_cast<T>(1.0F) : static_cast<T>(2.0F); }), "two");
}

template <class T>
void check_lengths(const std::vector<std::size_t>& counts, std::uint64_t seed) {
  for (const std::size_t count : counts) check_kinds<T>(count, seed + count);
}

void check_all(const std::vector<std::size_t>& counts, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "PILUM_TEST_SEED=" << seed);
  check_lengths<double>(counts, seed);
  check_lengths<float>(counts, seed);
  check_lengths<std::int64_t>(counts, seed);
  check_lengths<std::uint64_t>(counts, seed);
  check_lengths<std::int32_t>(counts, seed);
  check_lengths<std::uint32_t>(counts, seed);
}

void on_threads(int workers, const std::function<void()>& body) {
  fakes::SimulatedRanks machine;
  machine.workers = workers;
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { body(); });
}

constexpr std::size_t kPart = std::size_t{1} << 14;  // what a thread is woken for

TEST(LongSorts, AreStableOnAnyNumberOfThreads) {
  const std::uint64_t seed = drawn_seed();
  on_threads(1, [&] { check_all({2 * kPart + 7}, seed); });
  SCOPED_TRACE(testing::Message() << "PILUM_TEST_SEED=" << seed);
  on_threads(4, [&] {
    check_lengths<double>({2 * kPart - 1, 4 * kPart + 3}, seed);
    check_lengths<std::int32_t>({4 * kPart + 3}, seed);
  });
}

TEST(LongSorts, OfSmallCellsAreStableToo) {
  const std::uint64_t seed = drawn_seed();
  SCOPED_TRACE(testing::Message() << "PILUM_TEST_SEED=" << seed);
  on_threads(2, [&] {
    check_kinds<np::half>(5000, seed);
    check_kinds<std::int16_t>(5000, seed);
    check_kinds<std::uint16_t>(5000, seed);
    check_kinds<std::int8_t>(2 * kPart, seed);
    check_kinds<std::uint8_t>(2 * kPart, seed);
    check_kinds<np::half>(16 * kPart, seed);  // these are counted
    check_kinds<std::int16_t>(16 * kPart, seed);
  });
}

// Lengths at which one way ends and another one begins.
TEST(LongSorts, ShortLinesAreStableAtEveryLength) {
  const std::uint64_t seed = drawn_seed();
  std::vector<std::size_t> counts;
  for (std::size_t count = 1; count < 600; count += count < 140 ? 3 : 41) counts.push_back(count);
  on_threads(0, [&] {
    check_all(counts, seed);
    check_lengths<np::half>(counts, seed);
    check_lengths<std::int8_t>(counts, seed);
  });
}

// Keys that differ in their last bits alone, beside one that is far away: words have no room for these bits.
TEST(LongSorts, PlacesOfKeysThatAreCloseTogether) {
  const std::uint64_t seed = drawn_seed();
  SCOPED_TRACE(testing::Message() << "PILUM_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (const std::size_t count : {std::size_t{100}, std::size_t{5000}, 5 * kPart}) {
    for (const std::uint64_t spread : {2, 50, 1 << 12, 1 << 30}) {
      std::vector<double> cells(count);
      std::vector<std::int64_t> integers(count);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t bits = 0x3ff0000000000000 + random() % spread;
        std::memcpy(&cells[i], &bits, sizeof bits);
        integers[i] = static_cast<std::int64_t>(bits);
      }
      cells[count / 3] = -1e300;
      cells[count / 2] = 1e300;
      integers[count / 3] = INT64_MIN;
      integers[count / 2] = INT64_MAX;
      on_threads(3, [&] {
        check(cells, "close together");
        check(integers, "close together");
      });
    }
  }
}

void check_columns(const std::vector<float>& cells, const std::vector<float>& sorted,
                   const std::vector<std::int64_t>& places, std::size_t columns) {
  std::vector<float> line(cells.size() / columns);
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = cells[i * columns + k];
    const std::vector<std::int64_t> expected = stable_places(line);
    for (std::size_t i = 0; i < line.size(); ++i) {
      ASSERT_EQ(places[i * columns + k], expected[i]) << "at " << i << ", column " << k << " of " << columns;
      ASSERT_EQ(std::memcmp(&sorted[i * columns + k], &line[static_cast<std::size_t>(expected[i])], sizeof(float)), 0);
    }
  }
}

// Some are copied together, others are not; of bools, too.
TEST(LongSorts, OfColumns) {
  const std::uint64_t seed = drawn_seed();
  SCOPED_TRACE(testing::Message() << "PILUM_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  on_threads(1, [&] {
    for (const std::int64_t rows : {1, 5, 700, 40'000}) {
      for (const std::int64_t columns : {1, 2, 19}) {
        std::vector<float> cells(static_cast<std::size_t>(rows * columns));
        for (float& cell : cells) cell = random() % 3 ? any_of_bits<float>(random) : one_of_few<float>(random);
        const np::Array a = np::array(cells).reshape({1, rows, columns});
        check_columns(cells, np::sort(a, 1).to_vector<float>(), np::argsort(a, 1).to_vector<std::int64_t>(),
                      static_cast<std::size_t>(columns));
        const auto low = np::sort(a < 1, 1).to_vector<bool>();
        for (std::int64_t i = 0; i < rows * columns; ++i) {
          std::int64_t others = 0;
          for (std::int64_t row = 0; row < rows; ++row)
            others += !(cells[static_cast<std::size_t>(row * columns + i % columns)] < 1);
          ASSERT_EQ(low[static_cast<std::size_t>(i)], i / columns >= others) << i << " of " << columns << " columns";
          if (i >= columns) i += rows;  // some of them
        }
      }
    }
  });
}

TEST(LongSorts, OfLinesWhoseCellsAreApart) {
  const std::uint64_t seed = drawn_seed();
  SCOPED_TRACE(testing::Message() << "PILUM_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  constexpr std::size_t kCount = 3 * kPart + 5;
  std::vector<double> cells(2 * kCount), column(kCount);
  for (double& cell : cells) cell = random() % 3 ? any_of_bits<double>(random) : one_of_few<double>(random);
  on_threads(5, [&] {
    const np::Array a = np::array(cells).reshape({static_cast<std::int64_t>(kCount), 2});
    const np::Array places = np::argsort(a, 0), sorted = np::sort(a, 0);
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t i = 0; i < kCount; ++i) column[i] = cells[2 * i + k];
      const std::vector<std::int64_t> expected = stable_places(column);
      ASSERT_EQ(places(np::all, static_cast<std::int64_t>(k)).to_vector<std::int64_t>(), expected);
      const auto found = sorted(np::all, static_cast<std::int64_t>(k)).to_vector<double>();
      for (std::size_t i = 0; i < kCount; ++i)
        ASSERT_EQ(std::memcmp(&found[i], &column[static_cast<std::size_t>(expected[i])], sizeof(double)), 0) << i;
    }
    check_kinds<float>(2 * kPart, seed);  // others are as they were
  });
}

}  // namespace
}  // namespace pilum
