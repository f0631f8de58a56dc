// Programs of rolled arrays, against plain loops over a torus.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <sstream>
#include <string>
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

struct Grid {
  std::vector<std::int64_t> shape;
  std::vector<double> cells;

  std::size_t size() const { return cells.size(); }
  // The cell `shift` away from this one along an axis, around.
  std::size_t beside(std::size_t cell, std::size_t axis, std::int64_t shift) const {
    std::size_t inner = 1;
    for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= static_cast<std::size_t>(shape[k]);
    const std::int64_t extent = shape[axis], at = static_cast<std::int64_t>(cell / inner) % extent;
    const std::int64_t to = ((at + shift) % extent + extent) % extent;
    return cell + static_cast<std::size_t>(to - at) * inner;
  }
  Grid rolled(std::int64_t shift, std::size_t axis) const {
    Grid result = *this;
    for (std::size_t cell = 0; cell < size(); ++cell) result.cells[cell] = cells[beside(cell, axis, -shift)];
    return result;
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

// One statement of a program over some arrays of one shape.
struct Statement {
  enum class Kind : std::uint8_t {
    NewFromNeighbours,  // a = (2 * roll(b, shift, axis) - roll(c, shift2, axis2) + b) % 97
    InPlace,            // a[:] = (a + roll(a, shift, axis) * 3 - roll(b, shift2, axis2)) % 97, or +=
    Streamed,           // a = roll(roll(a, shift, axis), shift2, axis2); a += b; a %= 97
    Product,            // a = (roll(b * c, shift, axis) + b * c) % 97
    Count,
  } kind;
  std::size_t a, b, c, axis, axis2;
  std::int64_t shift, shift2;
};

std::string text_of(const Statement& s) {
  std::ostringstream out;
  out << static_cast<int>(s.kind) << ": " << s.a << " of " << s.b << ", " << s.c << " by " << s.shift << " along "
      << s.axis << ", " << s.shift2 << " along " << s.axis2 << "; ";
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
      statements.push_back({static_cast<Statement::Kind>(below(static_cast<int>(Statement::Kind::Count))), place(3),
                            place(3), place(3), place(rank), place(rank), below(9) - 4, below(7) - 3});
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
