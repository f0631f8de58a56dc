// Several fields in one array, a plane each: what is done to them is what the statements say, one after the other.
// Random programs beside lists of numbers and plain loops, on simulated machines, and single situations. Cells are
// small whole numbers. GTEST_RANDOM_SEED or PILUM_RANDOM_SEED chooses the first program, PILUM_RANDOM_COUNT how many
// there are.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/fakes/thorough.h"
#include "tests/numeric/field_programs/draw.h"
#include "tests/numeric/field_programs/run.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;
using namespace field_programs;

struct PlanesMachine {
  const char* name;
  int ranks, processors;
  bool gpus;
  friend void PrintTo(const PlanesMachine& machine, std::ostream* out) { *out << machine.name; }
};

constexpr PlanesMachine kPlanesMachines[] = {
    {"OneProcessor", 1, 1, false}, {"ThreeProcessors", 1, 3, false}, {"TwoRanks", 2, 1, false},
    {"ThreeRanks", 3, 1, false},   {"TwoRanksOfTwo", 2, 2, false},   {"OneGpu", 1, 1, true},
    {"TwoGpus", 1, 2, true},       {"ThreeGpus", 1, 3, true},        {"TwoRanksOfAGpu", 2, 1, true},
};

fakes::SimulatedRanks simulated(const PlanesMachine& machine, std::uint64_t seed, int window) {
  fakes::SimulatedRanks made;
  made.ranks = machine.ranks;
  made.processors_per_rank = machine.processors;
  made.gpus = machine.gpus;
  made.seed = seed;
  made.window = window;
  made.interpret = true;
  return made;
}

// Where what is found is not what is expected.
std::optional<std::string> difference(const std::vector<Reading>& expected, const std::vector<Reading>& found) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    std::ostringstream text;
    text << expected[k].what << ": ";
    if (found[k].cells.size() != expected[k].cells.size()) {
      text << found[k].cells.size() << " cells, expected are " << expected[k].cells.size();
      return text.str();
    }
    for (std::size_t cell = 0; cell < expected[k].cells.size(); ++cell) {
      if (found[k].cells[cell] == expected[k].cells[cell]) continue;
      text << "cell " << cell << " is " << found[k].cells[cell] << ", expected is " << expected[k].cells[cell];
      return text.str();
    }
  }
  return {};
}

std::optional<std::string> failure_on(const PlanesMachine& machine, const Program& program) {
  const std::vector<Reading> expected = run<Naive>(program);
  std::mutex mutex;
  std::optional<std::string> failure;
  try {
    fakes::run_on_simulated_ranks(simulated(machine, program.seed, program.window), [&](scheduler::Session& session) {
      // When names end is each rank's own.
      Keeper<np::Array> keeper(program.seed + static_cast<std::uint64_t>(session.rank()));
      const auto found = difference(expected, run<np::Array>(program, program.seed % 3 == 0 ? &keeper : nullptr));
      const std::lock_guard lock(mutex);
      if (found) failure = found;
    });
  } catch (const std::runtime_error& error) {
    failure = error.what();
  }
  return failure;
}

// Programs that are a step smaller.
void each_smaller(const Node& node, const std::function<bool(Node)>& take, bool& taken) {
  for (const Node& kid : node.kids) {
    if (taken) return;
    if (kid.shape == node.shape) taken = take(kid);
  }
  for (std::size_t k = 0; k < node.kids.size() && !taken; ++k) {
    each_smaller(
        node.kids[k],
        [&](Node kid) {
          Node changed = node;
          changed.kids[k] = std::move(kid);
          return take(std::move(changed));
        },
        taken);
  }
}

Program shrink(Program program, const PlanesMachine& machine) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const auto take = [&](const Program& other) {
    if (std::chrono::steady_clock::now() > end) return false;
    try {
      if (!failure_on(machine, other)) return false;
    } catch (const Inexact&) {
      return false;
    }
    program = other;
    return true;
  };
  for (bool taken = true; taken;) {
    taken = false;
    const Program from = program;
    for (std::size_t k = 0; k < from.blocks.size() && !taken; ++k) {
      Program other = from;
      other.blocks.erase(other.blocks.begin() + static_cast<std::ptrdiff_t>(k));
      taken = take(other);
      for (int rounds = 1; rounds < from.blocks[k].rounds && !taken; ++rounds) {
        other = from;
        other.blocks[k].rounds = rounds;
        taken = take(other);
      }
      for (std::size_t place = from.blocks[k].statements.size(); place-- > 0 && !taken;) {
        other = from;
        std::vector<Statement>& statements = other.blocks[k].statements;
        statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(place));
        taken = take(other);
        if (taken) break;
        const auto with_value = [&](Node value) {
          other = from;
          other.blocks[k].statements[place].value = std::move(value);
          return take(other);
        };
        each_smaller(from.blocks[k].statements[place].value, with_value, taken);
      }
    }
    for (int how = 0; how < 2 && !taken; ++how) {
      Program other = from;
      if (how == 0) other.dropped.clear();
      if (how == 1) std::ranges::fill(other.fields, 0);
      if (other.dropped == from.dropped && other.fields == from.fields) continue;
      taken = take(other);
    }
  }
  return program;
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class PlanesOnMachines : public testing::TestWithParam<PlanesMachine> {};

TEST_P(PlanesOnMachines, RandomProgramsAreTheirStatementsOneAfterTheOther) {
  const std::uint64_t first =
      setting("PILUM_RANDOM_SEED", static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed)) * 1000);
  // Kernels of GPUs take 40 ms each to compile, those of cores are interpreted.
  const std::uint64_t count = setting("PILUM_RANDOM_COUNT", 60) / (GetParam().gpus && !fakes::is_thorough() ? 24 : 1);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Program program = draw_program(seed);
    const auto failure = failure_on(GetParam(), program);
    if (!failure) continue;
    const Program smallest = shrink(program, GetParam());
    FAIL() << "PILUM_RANDOM_SEED=" << seed << " PILUM_RANDOM_COUNT=1: " << *failure
           << "\nthe smallest program like it: " << failure_on(GetParam(), smallest).value_or("(it fails sometimes)")
           << "\n"
           << to_string(smallest);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, PlanesOnMachines, testing::ValuesIn(kPlanesMachines),
                         [](const auto& machine) { return machine.param.name; });

// ---- single situations

// Planes of rows and columns, as a list.
struct Cube {
  std::int64_t planes, rows, columns;
  std::vector<double> cells;

  double& operator()(std::int64_t plane, std::int64_t row, std::int64_t column) {
    return cells[static_cast<std::size_t>((plane * rows + row) * columns + column)];
  }
  np::Array array() const { return np::array(cells).reshape({planes, rows, columns}) + 0.0; }
  // For each plane, row and column.
  template <class Body>
  void each(Body body) {
    for (std::int64_t i = 0; i < planes; ++i) {
      for (std::int64_t y = 0; y < rows; ++y) {
        for (std::int64_t x = 0; x < columns; ++x) body(i, y, x, (*this)(i, y, x));
      }
    }
  }
  std::vector<double> plane(std::int64_t number) const {
    const std::ptrdiff_t size = rows * columns;
    return {cells.begin() + number * size, cells.begin() + (number + 1) * size};
  }
};

// Of so many planes, larger and smaller than 1 KB each, on all machines.
void on_planes_machines(std::int64_t planes, const std::function<void(const Cube&)>& program) {
  for (const PlanesMachine& machine : kPlanesMachines) {
    fakes::run_on_simulated_ranks(simulated(machine, 3, 0), [&](scheduler::Session&) {
      for (const auto& [rows, columns] : {std::pair{13, 12}, {3, 5}, {30, 25}}) {
        // Other sizes are other kernels, which take time to compile for GPUs.
        if (machine.gpus && rows != 13 && (rows > 13 || machine.ranks * machine.processors > 1)) continue;
        SCOPED_TRACE(testing::Message() << machine.name << ", planes of " << rows << " by " << columns);
        program({planes, rows, columns, some_cells(7, {planes, rows, columns})});
      }
    });
    if (testing::Test::HasFailure()) return;
  }
}

void expect_cells(const np::Array& found, const std::vector<double>& expected) {
  EXPECT_EQ(found.to_vector<double>(), expected);
}

TEST(Planes, OneOfItsOwnIsReadBeforeAnyIsWritten) {
  on_planes_machines(4, [](Cube cube) {
    np::Array f = cube.array();
    for (int round = 0; round < 5; ++round) {
      f[all] = f + f(2);
      f -= f(0);
      f(slice(1, {})) = f(1) - f(slice(1, {}));
      f(all, slice(1, {})) += f(3, slice(0, -1)) * np::remainder(f(1, slice(1, {})), 2);
      f[all] = np::remainder(f, 11);
      Cube old = cube;
      cube.each([&](auto, auto y, auto x, double& cell) { cell += old(2, y, x); });
      old = cube;
      cube.each([&](auto, auto y, auto x, double& cell) { cell -= old(0, y, x); });
      old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell = i > 0 ? old(1, y, x) - cell : cell; });
      old = cube;
      cube.each([&](auto, auto y, auto x, double& cell) {
        if (y > 0) cell += old(3, y - 1, x) * apply(Op::Remainder, old(1, y, x), 2);
      });
      for (double& cell : cube.cells) cell = apply(Op::Remainder, cell, 11);
    }
    expect_cells(f, cube.cells);
  });
}

TEST(Planes, ShiftedOnesOfOneArrayAreReadBeforeAnyIsWritten) {
  on_planes_machines(5, [](Cube cube) {
    np::Array f = cube.array(), backwards = f(slice({}, {}, -1));
    const std::int64_t last = cube.planes - 1;
    for (int round = 0; round < 4; ++round) {
      f(slice(1, {})) = f(slice(0, -1)) + 1;
      f(slice(0, -1)) -= f(slice(1, {})) * 2;
      f[all] = backwards;
      backwards += f;
      f[all] = np::roll(f, 2, 0) - np::flip(f, 0);
      f[all] = np::remainder(f, 7);
      Cube old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell = i > 0 ? old(i - 1, y, x) + 1 : cell; });
      old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell -= i < last ? old(i + 1, y, x) * 2 : 0; });
      old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell = old(last - i, y, x); });
      old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell += old(last - i, y, x); });
      old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) {
        cell = old((i + last - 1) % (last + 1), y, x) - old(last - i, y, x);
      });
      for (double& cell : cube.cells) cell = apply(Op::Remainder, cell, 7);
    }
    expect_cells(f, cube.cells);
  });
}

TEST(Planes, WrittenOneAfterTheOtherSeeWhatIsBefore) {
  on_planes_machines(6, [](Cube cube) {
    np::Array f = cube.array();
    const std::int64_t count = cube.planes;
    for (int round = 0; round < 3; ++round) {
      for (std::int64_t i = 1; i < count; ++i) f(i) += f(i - 1);
      for (std::int64_t i = 0; i < count; ++i) f(i) = np::roll(f((i + 1) % count), {1, -2}, {0, 1}) - f(i);
      f[all] = np::remainder(f, 9);
      cube.each([&](auto i, auto y, auto x, double& cell) { cell += i > 0 ? cube(i - 1, y, x) : 0; });
      for (std::int64_t i = 0; i < count; ++i) {
        Cube old = cube;
        cube.each([&](auto k, auto y, auto x, double& cell) {
          if (k != i) return;
          const std::int64_t row = (y - 1 + cube.rows) % cube.rows, column = (x + 2) % cube.columns;
          cell = old((i + 1) % count, row, column) - cell;
        });
      }
      for (double& cell : cube.cells) cell = apply(Op::Remainder, cell, 9);
    }
    expect_cells(f, cube.cells);
  });
}

TEST(Planes, AnAliasSeesWhatIsWrittenAndOutlivesItsArraysName) {
  on_planes_machines(3, [](Cube cube) {
    np::Array f = cube.array();
    np::Array alias = f(1), two = f(slice(1, {}));
    f[all] = f * 2;
    for (double& cell : cube.cells) cell *= 2;
    expect_cells(alias, cube.plane(1));
    alias += f(0);  // the array sees it
    cube.each([&](auto i, auto y, auto x, double& cell) { cell += i == 1 ? cube(0, y, x) : 0; });
    expect_cells(f, cube.cells);
    two[all] = two(slice({}, {}, -1));
    Cube old = cube;
    cube.each([&](auto i, auto y, auto x, double& cell) { cell = i > 0 ? old(3 - i, y, x) : cell; });
    np::Array next = f - 1;
    f = next * 2;  // another array: the views are of the first
    alias[all] = f(2) + two(1);
    old = cube;
    cube.each(
        [&](auto i, auto y, auto x, double& cell) { cell = i == 1 ? (old(2, y, x) - 1) * 2 + old(2, y, x) : cell; });
    std::vector<double> of_f = old.cells;
    for (double& cell : of_f) cell = (cell - 1) * 2;
    expect_cells(f, of_f);
    expect_cells(alias, cube.plane(1));
    expect_cells(two(0), cube.plane(1));
    expect_cells(two(1), cube.plane(2));
    const np::Array gone = (f + 1)(2), stacked = np::stack({gone, gone * 2})(1);  // planes of what has no name
    f[all] = 0.0;
    std::vector<double> of_stacked = old.plane(2);
    for (double& cell : of_stacked) cell = ((cell - 1) * 2 + 1) * 2;
    expect_cells(stacked, of_stacked);
  });
}

TEST(Planes, HeldValuesStayAsTheyWere) {
  on_planes_machines(4, [](Cube cube) {
    np::Array f = cube.array(), h = np::zeros_like(f);
    Cube of_h = cube;
    of_h.cells.assign(cube.cells.size(), 0);
    std::vector<np::Array> held;
    std::vector<std::vector<double>> expected;
    for (int round = 0; round < 4; ++round) {
      held.push_back(f(1) + h(2));
      held.push_back(f(3).copy());
      held.push_back(np::sum(f, 0));
      held.push_back(np::stack({f(0), h(1)}));
      std::vector<double> sum = cube.plane(1), planes = cube.plane(0), folded(sum.size(), 0);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += of_h.plane(2)[k];
      for (std::int64_t i = 0; i < 4; ++i) {
        for (std::size_t k = 0; k < folded.size(); ++k) folded[k] += cube.plane(i)[k];
      }
      const std::vector<double> second = of_h.plane(1);
      planes.insert(planes.end(), second.begin(), second.end());
      expected.insert(expected.end(), {sum, cube.plane(3), folded, planes});
      h[all] = f;
      f(slice(0, 2)) = np::remainder(h(slice(2, {})) * 2, 5);
      f += 1;
      of_h = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) {
        cell = (i < 2 ? apply(Op::Remainder, of_h(i + 2, y, x) * 2, 5) : cell) + 1;
      });
    }
    for (std::size_t k = 0; k < held.size(); ++k) expect_cells(held[k], expected[k]);
    expect_cells(f, cube.cells);
    expect_cells(h, of_h.cells);
  });
}

TEST(Planes, RolledOnesGoBackIntoTheirArray) {
  on_planes_machines(9, [](Cube cube) {
    np::Array f = cube.array();
    const np::Array v = np::arange(9).reshape({9, 1, 1}) * 1.0;
    np::Array density, largest;
    std::vector<double> of_density, of_largest;
    for (int round = 0; round < 5; ++round) {
      std::vector<np::Array> planes;
      for (std::int64_t i = 0; i < 9; ++i) planes.push_back(np::roll(f(i), {i / 3 - 1, i % 3 - 1}, {0, 1}));
      f[all] = np::stack(planes);
      density = np::sum(f, 0);
      largest = np::max(f, 0);
      f += 2 * (np::remainder(v * density, 5) - f);
      f[all] = np::where(f > 1, np::remainder(f, 6), largest);
      Cube old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) {
        cell = old(i, (y - (i / 3 - 1) + cube.rows) % cube.rows, (x - (i % 3 - 1) + cube.columns) % cube.columns);
      });
      of_density.assign(static_cast<std::size_t>(cube.rows * cube.columns), 0);
      of_largest.assign(of_density.size(), -1e9);
      const auto at = [&](auto y, auto x) { return static_cast<std::size_t>(y * cube.columns + x); };
      cube.each([&](auto, auto y, auto x, double& cell) {
        of_density[at(y, x)] += cell;
        of_largest[at(y, x)] = std::max(of_largest[at(y, x)], cell);
      });
      cube.each([&](auto i, auto y, auto x, double& cell) {
        cell += 2 * (apply(Op::Remainder, static_cast<double>(i) * of_density[at(y, x)], 5) - cell);
        cell = cell > 1 ? apply(Op::Remainder, cell, 6) : of_largest[at(y, x)];
      });
    }
    expect_cells(f, cube.cells);
    expect_cells(density, of_density);
    expect_cells(largest, of_largest);
  });
}

TEST(Planes, OneAloneIsAField) {
  on_planes_machines(1, [](Cube cube) {
    np::Array f = cube.array(), h = f + 1, alias = f(0);
    f(slice(1, {})) = f(slice(0, -1));  // of no planes
    f[all] = np::stack({np::roll(f(0), 1, 1)}) + f(0);
    h -= h(0) - f;
    f += np::flip(np::concatenate({f(slice(0, 0)), f}), 0);
    f(slice({}, {}, -1)) = np::sum(f, 0) - h;
    Cube old = cube, of_h = cube;
    cube.each([&](auto, auto y, auto x, double& cell) { cell += old(0, y, (x - 1 + cube.columns) % cube.columns); });
    of_h = cube;
    expect_cells(h, of_h.cells);
    for (double& cell : cube.cells) cell = 2 * cell - cell;
    expect_cells(f, cube.cells);
    alias += 1;
    for (double& cell : cube.cells) cell += 1;
    expect_cells(f(0), cube.cells);
    EXPECT_EQ(np::sum(f).item<double>(), std::accumulate(cube.cells.begin(), cube.cells.end(), 0.0));
  });
}

TEST(Planes, TradePlacesByACopyAndNotByAView) {
  on_planes_machines(3, [](Cube cube) {
    np::Array f = cube.array();
    for (int round = 0; round < 4; ++round) {  // round and round
      const np::Array first = f(0).copy();
      f(0) = f(1);
      f(1) = f(2);
      f(2) = first;
    }
    const Cube old = cube;
    expect_cells(f(0), old.plane(1));
    expect_cells(f(1), old.plane(2));
    expect_cells(f(2), old.plane(0));
    const np::Array first = f(0);
    f(0) = f(1);
    f(1) = first;  // what was written there
    f(2, slice(1, {}), slice(1, {})) = f(1, slice(0, -1), slice(0, -1));
    f(1, slice(0, -1), slice(0, -1)) = f(2, slice(1, {}), slice(1, {})) - 1;
    cube.each([&](auto i, auto y, auto x, double& cell) {
      cell = Cube(old)(i < 2 || (y > 0 && x > 0) ? 2 : 0, i == 2 && x > 0 && y > 0 ? y - 1 : y,
                       i == 2 && x > 0 && y > 0 ? x - 1 : x);
      if (i == 1 && y + 1 < old.rows && x + 1 < old.columns) cell -= 1;
    });
    expect_cells(f, cube.cells);
  });
}

TEST(Planes, InnerPartsOfTwoArraysTakeTurns) {
  on_planes_machines(3, [](Cube cube) {
    np::Array f = cube.array(), g = f.copy();
    Cube other = cube;
    const np::Array v = np::array({1.0, 2.0, 3.0}).reshape({3, 1, 1});
    const slice inner(1, -1), before(0, -2), behind(2, {});
    for (int round = 0; round < 5; ++round) {
      for (std::int64_t i = 0; i < 3; ++i)
        g(i, inner, inner) =
            np::remainder(f(i, before, inner) + f(i, behind, inner) - f((i + 1) % 3, inner, before), 9);
      g(all, 0) = f(all, -1) + v(all, 0);  // the edges
      std::swap(f, g);
      f(slice(0, 2)) -= g(slice(1, {}));
      f[all] = np::remainder(f * v, 10);
      Cube next = other;
      next.each([&](auto i, auto y, auto x, double& cell) {
        if (y > 0 && y + 1 < cube.rows && x > 0 && x + 1 < cube.columns)
          cell = apply(Op::Remainder, cube(i, y - 1, x) + cube(i, y + 1, x) - cube((i + 1) % 3, y, x - 1), 9);
      });
      next.each([&](auto i, auto y, auto x, double& cell) {
        if (y == 0) cell = cube(i, cube.rows - 1, x) + static_cast<double>(i + 1);
      });
      other = cube;
      cube = next;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell -= i < 2 ? other(i + 1, y, x) : 0; });
      cube.each([&](auto i, auto, auto, double& cell) {
        cell = apply(Op::Remainder, cell * static_cast<double>(i + 1), 10);
      });
    }
    expect_cells(f, cube.cells);
    expect_cells(g, other.cells);
  });
}

TEST(Planes, NumbersReadInBetweenAreOfTheirTime) {
  on_planes_machines(3, [](Cube cube) {
    np::Array f = cube.array();
    const np::Array alias = f(1);
    for (int round = 0; round < 5; ++round) {
      const np::Array sums = np::sum(f, {1, 2}), whole = np::sum(f), next = f + sums(np::newaxis, np::newaxis, all).T();
      f(1) = np::minimum(f(0), f(2)) + 1;
      f[all] = np::remainder(f + np::remainder(sums.reshape({3, 1, 1}), 3), 8);
      std::vector<double> of_sums;
      for (std::int64_t i = 0; i < 3; ++i) {
        const std::vector<double> plane = cube.plane(i);
        of_sums.push_back(std::accumulate(plane.begin(), plane.end(), 0.0));
      }
      EXPECT_EQ(next(2, 1, 1).item<double>(), cube(2, 1, 1) + of_sums[2]);
      cube.each([&](auto i, auto y, auto x, double& cell) {
        cell = i == 1 ? std::min(cube(0, y, x), cube(2, y, x)) + 1 : cell;
      });
      cube.each([&](auto i, auto, auto, double& cell) {
        cell = apply(Op::Remainder, cell + apply(Op::Remainder, of_sums[static_cast<std::size_t>(i)], 3), 8);
      });
      EXPECT_EQ(whole.item<double>(), of_sums[0] + of_sums[1] + of_sums[2]);
      EXPECT_EQ(f(1, 2, 2).item<double>(), cube(1, 2, 2));
      expect_cells(alias, cube.plane(1));
      expect_cells(sums, of_sums);
    }
    expect_cells(f, cube.cells);
  });
}

}  // namespace
}  // namespace pilum
