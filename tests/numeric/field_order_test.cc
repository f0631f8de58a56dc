// Arrays of few cells along their last axes: how they lie, and that nobody sees it but in memory. Beside lists of
// numbers that are computed point by point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pilum/pilum.h"
#include "scheduler/session/session.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/numeric/cut_machines.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::ellipsis, np::slice;
using Cells = std::vector<double>;

constexpr std::int64_t kRows = 24, kColumns = 50;

// f(row, column, field), row-major.
Cells cells_of(std::int64_t fields, const std::function<double(std::int64_t, std::int64_t, std::int64_t)>& f) {
  Cells cells;
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      for (std::int64_t k = 0; k < fields; ++k) cells.push_back(f(i, j, k));
    }
  }
  return cells;
}

double number(std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<double>((7 * i + 5 * j + 3 * k) % 23) - 9;
}

np::Array fields(std::int64_t count) {
  return np::array(cells_of(count, number)).reshape({kRows, kColumns, count}) + 0.0;
}

void on_all_machines(const std::function<void()>& program) {
  for (const fakes::SimulatedRanks& machine : kCutMachines)
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { program(); });
}

std::vector<std::int64_t> strides_of(const np::Array& a) {
  const np::Local local = a.local();
  std::vector<std::int64_t> strides;
  for (int axis = 0; axis < a.ndim(); ++axis) strides.push_back(local[0].stride(axis));
  return strides;
}

TEST(Fields, LieOneAfterTheOther) {
  fakes::run_on_simulated_ranks({.split_bytes = 256 << 10}, [](scheduler::Session&) {
    const auto of_points = strides_of(np::zeros({40, 30, 3})), of_tensors = strides_of(np::ones({2000, 3, 2}) * 2.0);
    EXPECT_GE(of_points[2], 40 * of_points[0]) << "each field's points are beside each other";
    EXPECT_EQ(of_points[1], 1);
    EXPECT_EQ(of_tensors[0], 1);
    EXPECT_GE(of_tensors[2], 2000);
    EXPECT_EQ(of_tensors[1], 2 * of_tensors[2]);
    EXPECT_EQ(strides_of(np::zeros({40, 30, 16}))[2], 1) << "too many for fields";
    EXPECT_EQ(strides_of(np::zeros({200, 9, 9}))[2], 1) << "too many together";
    EXPECT_EQ(strides_of(np::zeros({30, 30, 3}))[2], 1) << "too few points";
  });
}

TEST(Fields, AreToldOfInTheShapeThatWasAskedFor) {
  fakes::run_on_simulated_ranks({.split_bytes = 256 << 10, .memory = 1 << 20}, [](scheduler::Session& session) {
    const auto held = np::ones({5000, 3});
    session.wait();
    std::string error;
    try {
      static_cast<void>(np::zeros({100'000, 7}));
    } catch (const MemoryError& caught) {
      error = caught.what();
    }
    EXPECT_NE(error.find("shape (100000, 7),"), std::string::npos) << error;
    EXPECT_NE(error.find("ones(5000, 3) float64"), std::string::npos) << error;
  });
}

TEST(Fields, AreWhatTheyWereWhateverIsDoneToThem) {
  on_all_machines([] {
    auto a = fields(3);
    a(all, all, 1) += 2.0 * a(all, all, 0);
    a(slice(1, {}), all, slice(0, 2)) *= 0.5;
    a(3, all, all) = np::arange(3.0);
    a(all, 7, 2) = -1.0;
    const Cells expected = cells_of(3, [](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (k == 2 && j == 7) return -1.0;
      if (i == 3) return static_cast<double>(k);
      const double cell = number(i, j, k) + (k == 1 ? 2.0 * number(i, j, 0) : 0);
      return k < 2 && i > 0 ? 0.5 * cell : cell;
    });
    EXPECT_EQ(a.to_vector<double>(), expected);
    EXPECT_EQ(a.T().T().to_vector<double>(), expected);
    EXPECT_EQ(np::moveaxis(np::moveaxis(a, -1, 0).copy(), 0, -1).to_vector<double>(), expected);
    EXPECT_EQ(a.reshape({kRows * kColumns, 3}).to_vector<double>(), expected);
    EXPECT_EQ(np::ravel(a).to_vector<double>(), expected);
    EXPECT_EQ(a(5, 6, 1).item<double>(), 0.5 * (number(5, 6, 1) + 2.0 * number(5, 6, 0)));
  });
}

TEST(Fields, CoordinatesCountAlongTheAxesThatTheyAreAskedOf) {
  on_all_machines([] {
    const auto places = np::indices({kRows, kColumns, 3});
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(places(axis).to_vector<double>(), cells_of(3, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
                  return static_cast<double>(axis == 0 ? i : axis == 1 ? j : k);
                }));
    }
  });
}

// Whole numbers: in any order their sums are the same.
TEST(Fields, AreFoldedAlongAnyAxes) {
  on_all_machines([] {
    const auto a = fields(4);
    for (unsigned axes = 1; axes < 8; ++axes) {
      std::vector<int> folded;
      for (int axis = 0; axis < 3; ++axis)
        if (axes >> axis & 1) folded.push_back(axis);
      const std::int64_t extents[] = {axes & 1 ? 1 : kRows, axes & 2 ? 1 : kColumns, axes & 4 ? 1 : 4};
      Cells sums(static_cast<std::size_t>(extents[0] * extents[1] * extents[2]));
      for (std::int64_t i = 0; i < kRows; ++i) {
        for (std::int64_t j = 0; j < kColumns; ++j) {
          for (std::int64_t k = 0; k < 4; ++k) {
            const std::int64_t place = ((axes & 1 ? 0 : i) * extents[1] + (axes & 2 ? 0 : j)) * extents[2];
            sums[static_cast<std::size_t>(place + (axes & 4 ? 0 : k))] += 2 * number(i, j, k);
          }
        }
      }
      EXPECT_EQ(np::sum(a * 2.0, folded).to_vector<double>(), sums) << "axes " << axes;
      EXPECT_EQ(np::sum(a * 2.0, folded, /*keepdims=*/true).to_vector<double>(), sums) << "axes " << axes;
    }
  });
}

TEST(Fields, AViewInAnotherShapeSeesWhatIsWritten) {
  on_all_machines([] {
    auto a = fields(3);
    auto pixels = a.reshape({kRows * kColumns, 3}), halves = a.reshape({2, kRows / 2, kColumns, 3}),
         line = np::ravel(a);
    pixels(all, 0) = 1.0;
    halves(1, all, all, 1) = 2.0;
    line[slice(0, 3)] = 5.0;
    a(all, 4, 2) = 3.0;
    const Cells expected = cells_of(3, [](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (k == 2 && j == 4) return 3.0;
      if (i == 0 && j == 0) return 5.0;
      if (k == 0) return 1.0;
      return k == 1 && i >= kRows / 2 ? 2.0 : number(i, j, k);
    });
    EXPECT_EQ(a.to_vector<double>(), expected);
    EXPECT_EQ(pixels.to_vector<double>(), expected);
    EXPECT_EQ(halves.to_vector<double>(), expected);
    EXPECT_EQ(line.to_vector<double>(), expected);
  });
}

// A draw's numbers are those of the same cells in any shape.
TEST(Fields, AreDrawnRowMajor) {
  on_all_machines([] {
    auto one = np::random::default_rng(9), other = np::random::default_rng(9);
    const auto fields = one.random({kRows, kColumns, 3}), line = other.random({kRows * kColumns * 3});
    EXPECT_EQ(fields.to_vector<double>(), line.to_vector<double>());
    const auto normal = one.normal(0.0, 1.0, {kRows * kColumns, 2}),
               same = other.normal(0.0, 1.0, {2 * kRows * kColumns});
    EXPECT_EQ(normal.to_vector<double>(), same.to_vector<double>());
  });
}

TEST(Fields, GoThroughLibraryCallsAsOtherArraysDo) {
  on_all_machines([] {
    const auto a = fields(3);
    const auto points = a.reshape({kRows * kColumns, 3}) * 1.0;
    Cells line{number(2, 3, 0), number(2, 3, 1), number(2, 3, 2)};
    std::ranges::sort(line);
    EXPECT_EQ(np::sort(a, -1)(2, 3).to_vector<double>(), line);
    EXPECT_EQ(np::cumsum(a, 1)(all, -1).to_vector<double>(), np::sum(a, 1).to_vector<double>());
    const auto first = np::argmin(a, -1).to_vector<std::int64_t>();
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (std::int64_t j = 0; j < kColumns; ++j) {
        std::int64_t least = 0;
        for (std::int64_t k = 1; k < 3; ++k) least = number(i, j, k) < number(i, j, least) ? k : least;
        ASSERT_EQ(first[static_cast<std::size_t>(i * kColumns + j)], least);
      }
    }
    const auto turn = np::array(Cells{0, 1, 0, 0, 0, 1, 1, 0, 0}).reshape({3, 3});
    EXPECT_EQ(np::matmul(points, turn).to_vector<double>(),
              cells_of(3, [](std::int64_t i, std::int64_t j, std::int64_t k) { return number(i, j, (k + 2) % 3); }));
    const auto wide = np::ones({3, 12}) * np::arange(12.0);  // more columns than a kernel multiplies point by point
    EXPECT_EQ(
        np::matmul(np::concatenate({points, points, points, points}, 1), np::concatenate({wide, wide, wide, wide}))
            .to_vector<double>(),
        cells_of(12, [](std::int64_t i, std::int64_t j, std::int64_t k) {
          return 4.0 * static_cast<double>(k) * (number(i, j, 0) + number(i, j, 1) + number(i, j, 2));
        }));
    const auto some = np::array(std::vector<std::int64_t>{40, 3, 40});
    EXPECT_EQ(np::take(points, some, 0)(0).to_vector<double>(), points(40).to_vector<double>());
    auto sums = np::zeros_like(points);
    np::add_at(sums, some, np::ones({3, 3}));
    EXPECT_EQ(np::sum(sums).item<double>(), 9);
    EXPECT_EQ(sums(40, 1).item<double>(), 2);
    EXPECT_EQ(a[a > 100.0].size(), 0);
  });
}

}  // namespace
}  // namespace pilum
