// Cells that index arrays name, updated by GPUs, on emulated ones, against plain loops.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/gpu_scatter_text.h"
#include "numeric/picked_body.h"
#include "pilum/pilum.h"
#include "tests/fakes/thorough.h"
#include "tests/numeric/emulated_gpus.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;
using Numbers = std::vector<std::int64_t>;

Numbers draw(std::int64_t count, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  Numbers drawn;
  for (std::int64_t k = 0; k < count; ++k)
    drawn.push_back(lo + static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(hi - lo)));
  return drawn;
}

std::size_t u(std::int64_t place) {
  return static_cast<std::size_t>(place);
}

std::int64_t place_of(std::int64_t index, std::int64_t extent) {
  return index < 0 ? index + extent : index;
}

// Values whose sums depend on their order.
std::vector<double> rough(std::int64_t count, std::uint64_t seed) {
  std::vector<double> values;
  for (const std::int64_t number : draw(count, 0, 1 << 20, seed))
    values.push_back(std::ldexp(1.0 + static_cast<double>(number) / 3, static_cast<int>(number % 61) - 30));
  return values;
}

template <class T>
void expect_bits(const Array& array, const std::vector<T>& expected) {
  const std::vector<T> cells = array.to_vector<T>();
  ASSERT_EQ(cells.size(), expected.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool both_nan = cells[i] != cells[i] && expected[i] != expected[i];
    ASSERT_TRUE(both_nan || (cells[i] == expected[i] && std::signbit(static_cast<double>(cells[i])) ==
                                                            std::signbit(static_cast<double>(expected[i]))))
        << "cell " << i << ": " << +cells[i] << " for " << +expected[i];
  }
}

// One axis, all ways of updating; `lo` … `hi`: few cells make long rows of updates.
template <class T>
void check_line(DType dtype, std::int64_t cells, std::int64_t points, std::int64_t hi) {
  SCOPED_TRACE(testing::Message() << dtype << ", " << points << " points in " << hi << " of " << cells << " cells");
  const Numbers index = draw(points, -hi, hi, 5);
  std::vector<T> values;
  for (const double value : rough(points, 6))
    values.push_back(static_cast<T>(std::is_floating_point_v<T> ? value : std::fmod(value * 1e6, 100)));
  const Array start = (np::arange(cells) % 7 + 1).astype(dtype), at = np::array(index);
  const Array of = np::array(values).astype(dtype);
  std::vector<T> begin;
  for (std::int64_t i = 0; i < cells; ++i) begin.push_back(static_cast<T>(i % 7 + 1));
  const auto expect = [&](const std::function<void(const Array&)>& write, const std::function<T(T, T)>& update) {
    const Array written = start.copy();
    write(written);
    std::vector<T> expected = begin;
    for (std::size_t k = 0; k < index.size(); ++k) {
      T& cell = expected[u(place_of(index[k], cells))];
      cell = update(cell, values[k]);
    }
    expect_bits(written, expected);
  };
  expect([&](Array a) { a(at) = of; }, [](T, T b) { return b; });
  expect([&](const Array& a) { np::add_at(a, at, of); }, [](T a, T b) { return static_cast<T>(a + b); });
  expect([&](const Array& a) { np::multiply_at(a, at, of); }, [](T a, T b) { return static_cast<T>(a * b); });
  expect([&](const Array& a) { np::minimum_at(a, at, of); }, [](T a, T b) { return b < a ? b : a; });
  expect([&](const Array& a) { np::maximum_at(a, at, of); }, [](T a, T b) { return b > a ? b : a; });
}

TEST(GpuScatter, UpdatesCellsInTheOrderOfTheIndices) {
  on_emulated_gpus(3, [] {
    for (const auto& [points, hi] :
         {std::pair<std::int64_t, std::int64_t>{500, 900}, {700, 5}, {6000, 40}, {1, 3}, {100, 900}}) {
      check_line<double>(np::float64, 900, points, hi);
      check_line<float>(np::float32, 900, points, hi);
      check_line<std::int64_t>(np::int64, 900, points, hi);
    }
    check_line<std::uint32_t>(uint32, 900, 3000, 100);
    check_line<std::int64_t>(np::int64, 9000, 3000, 9000);
    check_line<std::int16_t>(int16, 900, 3000, 100);
    check_line<std::uint8_t>(uint8, 900, 3000, 100);
  });
}

TEST(GpuScatter, UpdatesComplexNumbersBoolsAndHalves) {
  on_emulated_gpus(3, [] {
    constexpr std::int64_t kCells = 300, kPoints = 900;
    const Numbers index = draw(kPoints, -kCells, kCells, 8);
    const std::vector<double> real = rough(kPoints, 9);
    const Array at = np::array(index), sums = np::zeros(kCells, np::complex128);
    const Array flags = np::zeros(kCells, np::bool_), halves = np::zeros(kCells, np::float16);
    np::add_at(sums, at, np::array(real) * std::complex<double>(1, -2));
    np::add_at(flags, at, np::array(index) > 250);
    Array counted = halves;
    counted(at) = (np::arange(kPoints) % 1000).astype(np::float16);
    np::add_at(halves, np::array(Numbers{1, 1}), np::ones(2, np::float16));
    std::vector<std::complex<double>> expected(u(kCells));
    std::vector<double> any(u(kCells)), last(u(kCells));
    for (std::size_t k = 0; k < index.size(); ++k) {
      const std::size_t cell = u(place_of(index[k], kCells));
      expected[cell] += std::complex<double>(real[k] * 1.0, real[k] * -2.0);
      if (index[k] > 250) any[cell] = 1;
      last[cell] = static_cast<double>(k % 1000);
    }
    last[1] += 2;
    EXPECT_EQ(sums.to_vector<std::complex<double>>(), expected);
    EXPECT_EQ(flags.astype<double>().to_vector<double>(), any);
    EXPECT_EQ(halves.astype<double>().to_vector<double>(), last);
  });
}

// Many updates of few cells, of lines and of rows: so many that a warp takes them in batches, and numbers of them about
// where a thread's part, a batch and what is fetched at once end.
TEST(GpuScatter, LongRowsOfUpdatesAreInOrder) {
  on_emulated_gpus(2, [] {
    check_line<double>(np::float64, 9, 9000, 2);
    check_line<float>(np::float32, 9, 3000, 1);
    // Narrow rows, wide ones that are long on the average, and wide ones of which few are long.
    for (const auto& [columns, least_rows] :
         {std::pair<std::int64_t, std::int64_t>{1, 0}, {3, 0}, {40, 0}, {40, 200}}) {
      SCOPED_TRACE(testing::Message() << columns << " columns, at least " << least_rows << " rows");
      const Numbers lengths = {1, 15, 16, 17, 47, 48, 49, 143, 144, 145, 271, 272, 273, 400, 529, 0, 1300};
      Numbers index;
      for (std::size_t row = 0; row < lengths.size(); ++row)
        index.insert(index.end(), u(lengths[row]), static_cast<std::int64_t>(row));
      std::mt19937_64 dice(17);
      std::shuffle(index.begin(), index.end(), dice);
      const auto points = static_cast<std::int64_t>(index.size());
      const std::vector<double> values = rough(points * columns, 18);
      const std::int64_t rows = std::max<std::int64_t>(std::ssize(lengths), least_rows);
      const Array a = np::ones({rows, columns});
      np::add_at(a, np::array(index), np::array(values).reshape({points, columns}));
      std::vector<double> expected(u(rows * columns), 1.0);
      for (std::int64_t k = 0; k < points * columns; ++k)
        expected[u(index[u(k / columns)] * columns + k % columns)] += values[u(k)];
      EXPECT_EQ(a.to_vector<double>(), expected);
    }
  });
}

TEST(GpuScatter, KeepsNaNsAndTheSignsOfZeros) {
  on_emulated_gpus(3, [] {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Array at = np::array(Numbers{0, 0, 1, 1, 2, 2, 3});
    const Array values = np::array(std::vector<double>{nan, 1, 1, nan, -0.0, 0.0, -0.0});
    const Array least = np::full(4, 5.0), last = np::full(4, 5.0);
    np::minimum_at(least, at, values);
    Array written = last;
    written(at) = values;
    expect_bits<double>(least, {nan, nan, 0.0, -0.0});  // of equals the later one
    expect_bits<double>(last, {1, nan, 0.0, -0.0});
  });
}

// Rows, columns, pairs, numbers, masks, views and modes.
TEST(GpuScatter, EveryFormOfNamingGivesThePlainLoopsCells) {
  on_emulated_gpus(3, [] {
    constexpr std::int64_t kRows = 31, kColumns = 17, kPoints = 60;
    const Numbers rows = draw(kPoints, -kRows, kRows, 11), columns = draw(kPoints, -kColumns, kColumns, 12);
    const Array i = np::array(rows), k = np::array(columns);
    const auto row = [&](std::int64_t p) { return place_of(rows[u(p)], kRows); };
    const auto column = [&](std::int64_t p) { return place_of(columns[u(p)], kColumns); };
    using Table = std::vector<double>;
    const auto cell = [](Table& table, std::int64_t y, std::int64_t x) -> double& {
      return table[u(y * kColumns + x)];
    };
    const auto expect = [&](const char* what, const std::function<void(Array)>& write,
                            const std::function<void(Table&)>& loop) {
      SCOPED_TRACE(what);
      const Array a = np::arange(kRows * kColumns).astype(np::float64).reshape({kRows, kColumns}) / 3.0;
      Table table;
      for (std::int64_t n = 0; n < kRows * kColumns; ++n) table.push_back(static_cast<double>(n) / 3.0);
      write(a);
      loop(table);
      EXPECT_EQ(a.to_vector<double>(), table);
    };
    const Table points = rough(kPoints, 13), cells = rough(kPoints * kColumns, 14), line = rough(kRows, 15);
    const Array of_points = np::array(points), of_rows = np::array(cells).reshape({kPoints, kColumns});
    expect(
        "rows", [&](Array a) { np::add_at(a, i, of_rows); },
        [&](Table& t) {
          for (std::int64_t p = 0; p < kPoints; ++p)
            for (std::int64_t x = 0; x < kColumns; ++x) cell(t, row(p), x) += cells[u(p * kColumns + x)];
        });
    expect(
        "rows of one value each", [&](Array a) { a(i) = of_points(all, np::newaxis); },
        [&](Table& t) {
          for (std::int64_t p = 0; p < kPoints; ++p)
            for (std::int64_t x = 0; x < kColumns; ++x) cell(t, row(p), x) = points[u(p)];
        });
    expect(
        "columns", [&](Array a) { a(all, k) = np::array(line)(all, np::newaxis); },
        [&](Table& t) {
          for (std::int64_t y = 0; y < kRows; ++y)
            for (std::int64_t p = 0; p < kPoints; ++p) cell(t, y, column(p)) = line[u(y)];
        });
    expect(
        "pairs", [&](Array a) { np::add_at(a, {i, k}, of_points); },
        [&](Table& t) {
          for (std::int64_t p = 0; p < kPoints; ++p) cell(t, row(p), column(p)) += points[u(p)];
        });
    expect(
        "pairs of two axes", [&](Array a) { np::add_at(a, {i.reshape({12, 5}), k(slice(0, 5))}, 1.5); },
        [&](Table& t) {
          for (std::int64_t p = 0; p < kPoints; ++p) cell(t, row(p), column(p % 5)) += 1.5;
        });
    expect(
        "numbers", [&](Array a) { np::put(a, i * 8, of_points); },
        [&](Table& t) {
          for (std::int64_t p = 0; p < kPoints; ++p) t[u(place_of(rows[u(p)] * 8, kRows * kColumns))] = points[u(p)];
        });
    expect(
        "clipped", [&](Array a) { np::put(a, i * 40, of_points, np::IndexMode::Clip); },
        [&](Table& t) {
          for (std::int64_t p = 0; p < kPoints; ++p)
            t[u(std::clamp<std::int64_t>(rows[u(p)] * 40, 0, kRows * kColumns - 1))] = points[u(p)];
        });
    expect(
        "wrapped", [&](Array a) { np::put(a, i * 40, of_points, np::IndexMode::Wrap); },
        [&](Table& t) {
          constexpr std::int64_t kAll = kRows * kColumns;
          for (std::int64_t p = 0; p < kPoints; ++p) t[u((rows[u(p)] * 40 % kAll + kAll) % kAll)] = points[u(p)];
        });
    expect(
        "of a transposed view", [&](Array a) { np::add_at(a.T(), k, 2.5); },
        [&](Table& t) {
          for (std::int64_t p = 0; p < kPoints; ++p)
            for (std::int64_t y = 0; y < kRows; ++y) cell(t, y, column(p)) += 2.5;
        });
    expect(
        "of a part", [&](Array a) { np::add_at(a(slice(3, 20), slice(2, 9)), i % 17, 0.25); },
        [&](Table& t) {
          for (std::int64_t p = 0; p < kPoints; ++p)
            for (std::int64_t x = 2; x < 9; ++x) cell(t, 3 + (rows[u(p)] % 17 + 17) % 17, x) += 0.25;
        });
    expect(
        "of every second row", [&](Array a) { np::add_at(a(slice({}, {}, 2)), i % 16, 0.75); },
        [&](Table& t) {
          for (std::int64_t p = 0; p < kPoints; ++p)
            for (std::int64_t x = 0; x < kColumns; ++x) cell(t, 2 * ((rows[u(p)] % 16 + 16) % 16), x) += 0.75;
        });
    expect(
        "along an axis", [&](Array a) { np::put_along_axis(a, np::argsort(a * -1, 0)(slice(0, 4)), 9.0, 0); },
        [&](Table& t) {
          for (std::int64_t y = kRows - 4; y < kRows; ++y)
            for (std::int64_t x = 0; x < kColumns; ++x) cell(t, y, x) = 9;
        });
    expect(
        "by a mask", [&](Array a) { a(a > 100) = np::arange(kRows * kColumns - 301).astype(np::float64); },
        [&](Table& t) {
          double next = 0;
          for (double& one : t) {
            if (one > 100) one = next++;
          }
        });
    expect(
        "nowhere", [&](Array a) { np::add_at(a, np::zeros(0, np::int64), np::zeros({0, kColumns})); }, [](Table&) {});
  });
}

TEST(GpuScatter, CountsAndHistogramsAreThoseOfLoops) {
  on_emulated_gpus(3, [] {
    const Numbers numbers = draw(7000, 0, 12, 21);
    const std::vector<double> weights = rough(7000, 22);
    Numbers counts(12);
    std::vector<double> sums(12);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      ++counts[u(numbers[k])];
      sums[u(numbers[k])] += weights[k];
    }
    const Array x = np::array(numbers);
    EXPECT_EQ(np::bincount(x).to_vector<std::int64_t>(), counts);
    EXPECT_EQ(np::bincount(x, np::array(weights)).to_vector<double>(), sums);
    EXPECT_EQ(np::histogram(x, 12, {.range = {{-0.5, 11.5}}}).first.to_vector<std::int64_t>(), counts);
  });
}

TEST(GpuScatter, PlacesAndValuesBetweenSortedNumbersAreThoseOfLoops) {
  on_emulated_gpus(3, [] {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const std::vector<double> line = {-inf, -2, -2, 0, 0.5, 3, 3, 3, 7, nan};
    std::vector<double> numbers = {nan, -inf, inf, -2, -0.0, 3, 8};
    for (const std::int64_t number : draw(500, -300, 900, 31)) numbers.push_back(static_cast<double>(number) / 100);
    const auto before = [](double a, double b) { return a < b || (b != b && a == a); };
    Numbers left, right;
    for (const double number : numbers) {
      left.push_back(std::lower_bound(line.begin(), line.end(), number, before) - line.begin());
      right.push_back(std::upper_bound(line.begin(), line.end(), number, before) - line.begin());
    }
    const Array sorted = np::array(line), asked = np::array(numbers);
    EXPECT_EQ(np::searchsorted(sorted, asked).to_vector<std::int64_t>(), left);
    EXPECT_EQ(np::searchsorted(sorted, asked, "right").to_vector<std::int64_t>(), right);
    EXPECT_EQ(np::searchsorted(np::array(Numbers{1, 5, 5}), 5, "right").item<std::int64_t>(), 3);
    // Bins may fall; their direction is known when the call returns, and so is that they have none.
    const np::Array falling = np::flip(sorted, 0);
    const auto size = sorted.size();
    for (const bool is_right : {false, true}) {
      const std::vector<std::int64_t>& rising = is_right ? left : right;
      EXPECT_EQ(np::digitize(asked, sorted, is_right).to_vector<std::int64_t>(), rising);
      std::vector<std::int64_t> reversed;
      for (const std::int64_t place : is_right ? left : right) reversed.push_back(size - place);
      EXPECT_EQ(np::digitize(asked, falling, is_right).to_vector<std::int64_t>(), reversed);
    }
    EXPECT_THROW(np::digitize(asked, np::array(Numbers{1, 3, 2})), ValueError);
    const std::vector<double> xp = {-2, 0, 0.5, 3, 7}, fp = {1, 4, -3, 8, 8.5};
    std::vector<double> between, ends;
    for (const double x : numbers) {
      std::size_t j = 0;
      while (j < xp.size() && xp[j] <= x) ++j;
      const auto inside = [&] {
        if (j == xp.size()) return fp.back();
        if (x == xp[j - 1]) return fp[j - 1];
        return (fp[j] - fp[j - 1]) / (xp[j] - xp[j - 1]) * (x - xp[j - 1]) + fp[j - 1];
      };
      between.push_back(x != x ? x : x < -2 ? 1 : inside());
      ends.push_back(x != x ? x : x < -2 ? -1 : x > 7 ? -9 : inside());
    }
    expect_bits(np::interp(asked, np::array(xp), np::array(fp)), between);
    expect_bits(np::interp(asked, np::array(xp), np::array(fp), -1.0, -9.0), ends);
  });
}

TEST(GpuScatter, IsRightInLoops) {
  on_emulated_gpus(3, [] {
    constexpr std::int64_t kCells = 400, kPoints = 1500;
    Array at = np::arange(kPoints) * 17 % kCells;
    const Array a = np::zeros(kCells);
    std::vector<double> cells(u(kCells));
    Numbers index;
    for (std::int64_t p = 0; p < kPoints; ++p) index.push_back(p * 17 % kCells);
    for (int round = 0; round < 12; ++round) {
      np::add_at(a, at, 0.1 * (np::arange(kPoints) % 13));
      at = (at * 31 + round) % kCells;
      for (std::size_t p = 0; p < index.size(); ++p) {
        cells[u(index[p])] += 0.1 * static_cast<double>(p % 13);
        index[p] = (index[p] * 31 + round) % kCells;
      }
    }
    EXPECT_EQ(a.to_vector<double>(), cells);
  });
}

// In the words that cores have for it, read or written.
TEST(GpuScatter, AnIndexOutsideOfItsAxisIsTold) {
  struct Case {
    std::function<void(const Array& a, const Array& rows, const Array& columns)> use;
    std::int64_t index;
    const char* what;
  };
  for (const Case& one : {
           Case{[](auto a, auto i, auto k) { np::add_at(a, {i, k}, 1); }, 40,
                "index 40 is outside axis 1, which has 40"},
           {[](auto a, auto i, auto k) { np::add_at(a, {i, k}, 1); }, -41, "index -41 is outside axis 1, which has 40"},
           {[](auto a, auto, auto k) { np::put(a, k, 1); }, 1200, "index 1200 is outside the array, which has 1200"},
           {[](auto a, auto i, auto k) { a[all] = a + np::sum(a(i, k)); }, 40,
            "index 40 is outside axis 1, which has 40"},
           {[](auto a, auto i, auto k) { a[all] = a + np::sum(a(i, k)); }, -41,
            "index -41 is outside axis 1, which has 40"},
           {[](auto a, auto, auto k) { a[all] = a + np::sum(np::take(a, k)); }, -1201,
            "index -1201 is outside the array, which has 1200"},
       }) {
    std::string text;
    try {
      on_emulated_gpus(2, [&] {
        const Array a = np::zeros({30, 40});
        one.use(a, np::array(Numbers{1, 2}), np::array(Numbers{3, one.index}));
        EXPECT_GE(np::sum(a).item<double>(), 0);
      });
    } catch (const IndexError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find(one.what), std::string::npos) << text;
    EXPECT_NE(text.find("gpu_scatter_test.cc"), std::string::npos) << text;
  }
}

// By NVIDIA's compiler, where there is one: it needs no GPU.
TEST(GpuScatter, HasTextsThatNvrtcTakes) {
#ifdef PILUM_SANITIZE
  GTEST_SKIP() << "ten seconds in NVIDIA's compiler, which has no instruments; what writes the texts runs above";
#endif
  std::string why;
  const auto compiler = find_nvrtc_compiler(why);
  if (!compiler) GTEST_SKIP() << why;
  const auto write = [](DType dtype, np::PickedWrite write, Numbers follows, std::int64_t points, std::int64_t behind,
                        np::IndexMode mode) {
    Numbers form{static_cast<std::int64_t>(itemsize(dtype)),
                 static_cast<std::int64_t>(dtype),
                 static_cast<std::int64_t>(write),
                 static_cast<std::int64_t>(mode),
                 static_cast<std::int64_t>(follows.empty() ? 2 : follows.size()),
                 points,
                 follows.empty(),
                 behind};
    form.insert(form.end(), follows.begin(), follows.end());
    return np::ScatterShape(form);
  };
  using enum np::PickedWrite;
  using enum np::IndexMode;
  for (np::ScatterShape shape :
       {write(np::float64, Add, {-1}, 1, 0, Raise), write(np::float32, Multiply, {-1, 1}, 2, 1, Wrap),
        write(np::complex128, Multiply, {0, -1}, 2, 0, Clip), write(np::complex64, Assign, {-1, -2}, 2, 0, Raise),
        write(np::int32, Add, {-1, 1, 2}, 3, 2, Raise), write(int8, Minimum, {}, 1, 0, Raise),
        write(np::bool_, Add, {}, 3, 0, Clip), write(np::complex128, Assign, {-1}, 1, 0, Raise)}) {
    for (const int bytes : {4, 8}) {
      if (bytes != (shape.form.write == Assign ? 4 : 8) && !fakes::is_thorough()) continue;
      shape.key_bytes = bytes;
      std::vector<np::ScatterWay> ways{np::ScatterWay::Sorted};
      if (shape.form.write == Assign) ways.push_back(np::ScatterWay::Last);
      if (np::adds_in_any_order(shape.form)) ways = {np::ScatterWay::Added, np::ScatterWay::Counted};
      for (const np::ScatterWay way : ways) {
        EXPECT_GT(compiler->compile(np::locate_text(shape, way)).size(), 1000u);
        EXPECT_GT(compiler->compile(np::apply_text(shape, way)).size(), 1000u);
      }
    }
  }
}

}  // namespace
}  // namespace pilum
