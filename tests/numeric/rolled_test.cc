// Programs of rolled and padded arrays, against plain loops.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/numeric/emulated_gpus.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all, np::Array, np::slice;

// Cells of small integers: sums and products of a few are exact, and taken modulo this they stay so.
constexpr double kModulus = 97;

class Grid {
 public:
  Grid() = default;
  Grid(std::vector<std::int64_t> shape, std::vector<double> cells) : shape(std::move(shape)), cells(std::move(cells)) {}

  std::vector<std::int64_t> shape;
  std::vector<double> cells;

  std::size_t size() const { return cells.size(); }
  // The cell `shift` away from this one along an axis, around.
  std::size_t beside(std::size_t cell, std::size_t axis, std::int64_t shift) const {
    const std::int64_t extent = shape[axis], at = place(cell, axis);
    const std::int64_t to = ((at + shift) % extent + extent) % extent;
    return cell + static_cast<std::size_t>(to - at) * step(axis);
  }
  Grid rolled(std::int64_t shift, std::size_t axis) const {
    Grid result = *this;
    for (std::size_t cell = 0; cell < size(); ++cell) result.cells[cell] = cells[beside(cell, axis, -shift)];
    return result;
  }
  // Each cell's neighbour along an axis, where there are more as np::pad() makes them.
  Grid beside_padded(std::int64_t shift, std::size_t axis, const std::string& mode, double number = 0) const {
    Grid result = *this;
    const std::int64_t extent = shape[axis];
    for (std::size_t cell = 0; cell < size(); ++cell) {
      const std::int64_t at = place(cell, axis);
      std::int64_t to = at + shift;
      if (mode == "constant" && (to < 0 || to >= extent)) {
        result.cells[cell] = number;
        continue;
      }
      if (mode == "edge") to = std::clamp<std::int64_t>(to, 0, extent - 1);
      if (mode == "reflect" || mode == "symmetric") {
        const std::int64_t shared = mode == "reflect" ? 1 : 0,
                           period = std::max<std::int64_t>(2 * (extent - shared), 1);
        to = (to % period + period) % period;
        if (to >= extent) to = period - 1 + shared - to;
      }
      result.cells[cell] = cells[beside(cell, axis, to - at)];
    }
    return result;
  }

 private:
  std::size_t step(std::size_t axis) const {
    std::size_t inner = 1;
    for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= static_cast<std::size_t>(shape[k]);
    return inner;
  }
  std::int64_t place(std::size_t cell, std::size_t axis) const {
    return static_cast<std::int64_t>(cell / step(axis)) % shape[axis];
  }
};

Grid combined(const Grid& a, const Grid& b, const std::function<double(double, double)>& f) {
  Grid result = a;
  for (std::size_t cell = 0; cell < a.size(); ++cell) result.cells[cell] = f(a.cells[cell], b.cells[cell]);
  return result;
}

double reduced(double x) {
  return x - kModulus * std::floor(x / kModulus);
}

Array array_from(const Grid& grid) {
  return np::array(grid.cells).reshape(np::Shape(grid.shape)).copy();
}

constexpr std::int64_t kWidth = 2;  // of what is around a padded array

// As Grid::beside_padded.
Array beside(const Array& padded, std::int64_t shift, int axis) {
  Array result = padded;
  for (int k = 0; k < padded.ndim(); ++k) {
    const std::int64_t begin = kWidth + (k == axis ? shift : 0), end = begin + padded.shape()[k] - 2 * kWidth;
    result = np::swapaxes(np::swapaxes(result, 0, k)(slice(begin, end)), 0, k);
  }
  return result;
}

// One statement of a program over some arrays of one shape.
struct Statement {
  enum class Kind : std::uint8_t {
    NewFromNeighbours,  // a = (2 * roll(b, shift, axis) - roll(c, shift2, axis2) + b) % 97
    InPlace,            // a[:] = (a + roll(a, shift, axis) * 3 - roll(b, shift2, axis2)) % 97, or +=
    Streamed,           // a = roll(roll(a, shift, axis), shift2, axis2); a += b; a %= 97
    Product,            // a = (roll(b * c, shift, axis) + b * c) % 97
    Padded,             // p = pad(b, mode); a = (2 * p beside by shift - p beside by shift2 + c) % 97
    PaddedInPlace,      // p = pad(a, mode); a[:] = (a + 3 * p beside by shift - p beside by shift2) % 97
    PaddedTwice,  // p = pad(b, mode); v = p beside by shift + b; q = pad(v, mode2); a = (q beside by shift2 + c) % 97
    Count,
  } kind;
  std::size_t a, b, c, axis, axis2;
  std::int64_t shift, shift2;
  std::string mode, mode2;  // of pads

  std::int64_t near(std::int64_t cells) const { return std::clamp(cells, -kWidth, kWidth); }
};

std::string text_of(const Statement& s) {
  std::ostringstream out;
  out << static_cast<int>(s.kind) << ": " << s.a << " of " << s.b << ", " << s.c << " by " << s.shift << " along "
      << s.axis << ", " << s.shift2 << " along " << s.axis2 << ", " << s.mode << ", " << s.mode2 << "; ";
  return out.str();
}

void run(const Statement& s, std::vector<Grid>& grids) {
  using Kind = Statement::Kind;
  const Grid b = grids[s.b], c = grids[s.c];
  Grid& a = grids[s.a];
  switch (s.kind) {
    case Kind::NewFromNeighbours:
      a = combined(combined(b.rolled(s.shift, s.axis), c.rolled(s.shift2, s.axis2),
                            [](double x, double y) { return 2 * x - y; }),
                   b, [](double x, double y) { return reduced(x + y); });
      break;
    case Kind::InPlace:
      a = combined(combined(a, a.rolled(s.shift, s.axis), [](double x, double y) { return x + 3 * y; }),
                   b.rolled(s.shift2, s.axis2), [](double x, double y) { return reduced(x - y); });
      break;
    case Kind::Streamed:
      a = combined(a.rolled(s.shift, s.axis).rolled(s.shift2, s.axis2),
                   s.b == s.a ? a.rolled(s.shift, s.axis).rolled(s.shift2, s.axis2) : b,
                   [](double x, double y) { return reduced(x + y); });
      break;
    case Kind::Product: {
      const Grid product = combined(b, c, [](double x, double y) { return x * y; });
      a = combined(product.rolled(s.shift, s.axis), product, [](double x, double y) { return reduced(x + y); });
      break;
    }
    case Kind::Padded:
      a = combined(
          combined(b.beside_padded(s.near(s.shift), s.axis, s.mode), b.beside_padded(s.near(s.shift2), s.axis2, s.mode),
                   [](double x, double y) { return 2 * x - y; }),
          c, [](double x, double y) { return reduced(x + y); });
      break;
    case Kind::PaddedInPlace: {
      const Grid before = a;
      a = combined(combined(a, before.beside_padded(s.near(s.shift), s.axis, s.mode),
                            [](double x, double y) { return x + 3 * y; }),
                   before.beside_padded(s.near(s.shift2), s.axis2, s.mode),
                   [](double x, double y) { return reduced(x - y); });
      break;
    }
    case Kind::PaddedTwice: {
      const Grid sum =
          combined(b.beside_padded(s.near(s.shift), s.axis, s.mode), b, [](double x, double y) { return x + y; });
      a = combined(sum.beside_padded(s.near(s.shift2), s.axis2, s.mode2), c,
                   [](double x, double y) { return reduced(x + y); });
      break;
    }
    case Kind::Count: break;
  }
}

void run(const Statement& s, std::vector<Array>& arrays) {
  using Kind = Statement::Kind;
  const auto axis = static_cast<int>(s.axis), axis2 = static_cast<int>(s.axis2);
  Array& a = arrays[s.a];
  switch (s.kind) {
    case Kind::NewFromNeighbours:
      a = np::remainder(
          2.0 * np::roll(arrays[s.b], s.shift, axis) - np::roll(arrays[s.c], s.shift2, axis2) + arrays[s.b], kModulus);
      break;
    case Kind::InPlace:
      a[all] = np::remainder(a + 3.0 * np::roll(a, s.shift, axis) - np::roll(arrays[s.b], s.shift2, axis2), kModulus);
      break;
    case Kind::Streamed:
      a = np::roll(np::roll(a, s.shift, axis), s.shift2, axis2);
      a += arrays[s.b];
      a[all] = np::remainder(a, kModulus);
      break;
    case Kind::Product: {
      const Array product = arrays[s.b] * arrays[s.c];
      a = np::remainder(np::roll(product, s.shift, axis) + product, kModulus);
      break;
    }
    case Kind::Padded: {
      const Array padded = np::pad(arrays[s.b], kWidth, s.mode);
      a = np::remainder(
          2.0 * beside(padded, s.near(s.shift), axis) - beside(padded, s.near(s.shift2), axis2) + arrays[s.c],
          kModulus);
      break;
    }
    case Kind::PaddedInPlace: {
      const Array padded = np::pad(a, kWidth, s.mode);
      a[all] = np::remainder(a + 3.0 * beside(padded, s.near(s.shift), axis) - beside(padded, s.near(s.shift2), axis2),
                             kModulus);
      break;
    }
    case Kind::PaddedTwice: {
      const Array sum = beside(np::pad(arrays[s.b], kWidth, s.mode), s.near(s.shift), axis) + arrays[s.b];
      a = np::remainder(beside(np::pad(sum, kWidth, s.mode2), s.near(s.shift2), axis2) + arrays[s.c], kModulus);
      break;
    }
    case Kind::Count: break;
  }
}

TEST(Rolled, RandomProgramsAreThePlainLoops) {
  const auto seed = static_cast<unsigned>(GTEST_FLAG_GET(random_seed));
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 draw(seed);
  const auto below = [&draw](std::int64_t n) { return static_cast<std::int64_t>(draw() % static_cast<unsigned>(n)); };
  for (int program = 0; program < 6; ++program) {
    Grid grid;
    const std::int64_t rank = 1 + below(3);
    for (std::int64_t k = 0; k < rank; ++k) grid.shape.push_back(1 + below(rank == 3 ? 8 : 17));
    std::int64_t cells = 1;
    for (const std::int64_t extent : grid.shape) cells *= extent;
    std::vector<Grid> expected;
    for (int i = 0; i < 3; ++i) {
      grid.cells.clear();
      for (std::int64_t cell = 0; cell < cells; ++cell) grid.cells.push_back(static_cast<double>(below(97)));
      expected.push_back(grid);
    }
    const std::vector<Grid> first = expected;
    std::vector<Statement> statements;
    std::string text = "shape";
    for (const std::int64_t extent : grid.shape) text += " " + std::to_string(extent);
    text += ": ";
    for (std::int64_t i = 2 + below(7); i > 0; --i) {
      const auto place = [&](std::int64_t n) { return static_cast<std::size_t>(below(n)); };
      const auto mode = [&] { return std::array{"wrap", "edge", "symmetric", "reflect", "constant"}[place(5)]; };
      statements.push_back({static_cast<Statement::Kind>(below(static_cast<int>(Statement::Kind::Count))), place(3),
                            place(3), place(3), place(rank), place(rank), below(9) - 4, below(7) - 3, mode(), mode()});
      text += text_of(statements.back());
    }
    SCOPED_TRACE(text);
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      for (const Statement& statement : statements) run(statement, expected);
    }
    on_cores_and_gpus([&] {
      std::vector<Array> arrays;
      for (const Grid& one : first) arrays.push_back(array_from(one));
      for (int round = 0; round < kRounds; ++round) {
        for (const Statement& statement : statements) run(statement, arrays);
      }
      for (std::size_t i = 0; i < arrays.size(); ++i)
        EXPECT_EQ(arrays[i].to_vector<double>(), expected[i].cells) << i << text;
    });
    if (testing::Test::HasFailure()) return;
  }
}

// What is computed from neighbours is padded: its end repeats what was computed there, not the end's neighbours.
TEST(Rolled, WhatIsComputedFromNeighboursHasEndsOfItsOwn) {
  Grid u{{8, 21}, {}};
  for (int i = 0; i < 8 * 21; ++i) u.cells.push_back(i * i % 97);
  const auto sum = [](double x, double y) { return x + y; };
  for (const char* mode : {"edge", "symmetric", "reflect", "wrap", "constant"}) {
    SCOPED_TRACE(mode);
    for (const std::int64_t shift : {-1, 2}) {
      const Grid slope = combined(u.beside_padded(shift, 1, mode), u, [](double x, double y) { return 3 * x - y; });
      const Grid both = combined(slope.beside_padded(-1, 1, mode), slope.beside_padded(2, 1, mode), sum);
      const Grid across = combined(both, slope.beside_padded(1, 0, mode), sum);
      on_cores_and_gpus([&] {
        const Array a = array_from(u);
        const auto seen = [mode](const Array& array, std::int64_t cells, int axis) {
          return beside(np::pad(array, kWidth, mode), cells, axis);
        };
        const auto result = [&] {
          const Array own_slope = 3.0 * seen(a, shift, 1) - a;
          return seen(own_slope, -1, 1) + seen(own_slope, 2, 1) + seen(own_slope, 1, 0);
        }();
        EXPECT_EQ(result.to_vector<double>(), across.cells);
      });
    }
  }
}

// Two numbers around one array, which are others each time: plans that are used again have those of their time.
TEST(Rolled, NumbersAroundAnArrayDifferEachTime) {
  constexpr int kRounds = 7;
  Grid u{{9, 14}, {}};
  for (int i = 0; i < 9 * 14; ++i) u.cells.push_back(i * 37 % 97);
  const Grid first = u;
  for (int round = 0; round < kRounds; ++round) {
    const Grid both =
        combined(u.beside_padded(-2, 0, "constant", round + 1), u.beside_padded(2, 1, "constant", 3 * round),
                 [](double x, double y) { return x + 2 * y; });
    u = combined(both, u.beside_padded(1, 1, "constant", round + 1), [](double x, double y) { return reduced(x + y); });
  }
  on_cores_and_gpus([&] {
    Array a = array_from(first);
    for (int round = 0; round < kRounds; ++round) {
      const double one = round + 1, other = 3.0 * round;
      const Array p = np::pad(a, kWidth, "constant", {.constant_values = {{one, one}}}),
                  q = np::pad(a, kWidth, "constant", {.constant_values = {{other, other}}});
      a = np::remainder(beside(p, -2, 0) + 2.0 * beside(q, 2, 1) + beside(p, 1, 1), kModulus);
    }
    EXPECT_EQ(a.to_vector<double>(), u.cells);
  });
}

// Strips for cells two away along each of three axes, of what is written in place.
TEST(Rolled, CellsTwoAwayOfWhatIsWrittenInPlace) {
  Grid u{{9, 10, 11}, {}};
  for (int i = 0; i < 9 * 10 * 11; ++i) u.cells.push_back(i * 31 % 97);
  const Grid first = u;
  for (int round = 0; round < 3; ++round) {
    Grid next = u;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const std::int64_t shift : {-2, -1, 1, 2}) {
        next = combined(next, u.rolled(shift, axis),
                        [&](double x, double y) { return x + static_cast<double>(shift) * y; });
      }
    }
    u = combined(next, next, [](double x, double) { return reduced(x); });
  }
  on_cores_and_gpus([&] {
    Array a = array_from(first);
    for (int round = 0; round < 3; ++round) {
      Array sum = a.copy();
      for (int axis = 0; axis < 3; ++axis) {
        for (const std::int64_t shift : {-2, -1, 1, 2}) sum += static_cast<double>(shift) * np::roll(a, shift, axis);
      }
      a[all] = np::remainder(sum, kModulus);
    }
    EXPECT_EQ(a.to_vector<double>(), u.cells);
  });
}

// What reads a value of a later stage may be a library's task: what it would cost to compute the value once more was
// asked of an output that a task does not have.
TEST(Rolled, ALaterStageIsSorted) {
  Grid u{{12, 9}, {}};
  for (int i = 0; i < 12 * 9; ++i) u.cells.push_back(i * 29 % 97);
  const Grid slope = combined(u, u.rolled(1, 1), [](double x, double y) { return x - y; });
  const Grid square = combined(slope, slope, [](double x, double y) { return x * y; });
  Grid expected = combined(combined(square.rolled(1, 0), square, [](double x, double y) { return x + y; }), slope,
                           [](double x, double y) { return x + y; });
  for (std::size_t row = 0; row < 12; ++row)
    std::sort(expected.cells.begin() + static_cast<std::ptrdiff_t>(9 * row),
              expected.cells.begin() + static_cast<std::ptrdiff_t>(9 * row + 9));
  on_cores_and_gpus([&] {
    const Array a = array_from(u), slope = a - np::roll(a, 1, 1), square = slope * slope;
    EXPECT_EQ(np::sort(np::roll(square, 1, 0) + square + slope, 1).to_vector<double>(), expected.cells);
  });
}

// The sum is one over parts: of what goes around, and of what is overwritten with it.
TEST(Rolled, SumsOfWhatGoesAround) {
  Grid u{{16, 12}, {}};
  for (int i = 0; i < 16 * 12; ++i) u.cells.push_back(i * 29 % 97);
  const Grid first = u;
  std::vector<double> sums;
  for (int round = 0; round < 4; ++round) {
    const Grid change = combined(u.rolled(1, 0), u.rolled(-2, 1), [](double x, double y) { return x - y; });
    double sum = 0;
    for (const double cell : change.cells) sum += cell * cell;
    sums.push_back(sum);
    u = combined(u, change, [](double x, double y) { return reduced(x + y); });
  }
  on_cores_and_gpus([&] {
    Array a = array_from(first);
    std::vector<Array> own;
    for (int round = 0; round < 4; ++round) {
      const Array change = np::roll(a, 1, 0) - np::roll(a, -2, 1);
      own.push_back(np::sum(change * change));
      a[all] = np::remainder(a + change, kModulus);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(own[i].item<double>(), sums[i]);
    EXPECT_EQ(a.to_vector<double>(), u.cells);
  });
}

}  // namespace
}  // namespace pilum
