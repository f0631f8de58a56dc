// Folds of short rows have the bits of kernels' folds, whatever machine runs them and whoever holds what they read.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;

// By halves, from 0.0 for a sum: what kernels of folds do (kernel/host/host_fold.h).
template <class T>
T fold_row(std::vector<T> row, kernel::Fold fold) {
  const auto combine = [fold](T a, T b) -> T {
    if (fold == kernel::Fold::Sum) return a + b;
    if (fold == kernel::Fold::Product) return a * b;
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    return fold == kernel::Fold::Minimum ? std::min(a, b) : std::max(a, b);
  };
  const bool starts_from_zero = fold == kernel::Fold::Sum;
  for (T& cell : row) cell = starts_from_zero ? cell + T{0} : cell;
  for (std::size_t half = std::bit_ceil(row.size()) / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i + half < row.size(); ++i) row[i] = combine(row[i], row[i + half]);
    row.resize(std::min(row.size(), half));
  }
  return row[0];
}

template <class T>
bool is_same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

// One after the other: the fields of points, which do not lie side by side (numeric/field_order.h).
template <class T>
T fold_fields(const std::vector<T>& cells, kernel::Fold fold) {
  T folded = cells[0];
  for (std::size_t i = 1; i < cells.size(); ++i)
    folded = fold == kernel::Fold::Sum ? folded + cells[i] : folded * cells[i];
  return fold == kernel::Fold::Sum ? folded + T{0} : folded;
}

template <class T>
void check_rows(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto rows = static_cast<std::size_t>(2 + random() % 40), cells = static_cast<std::size_t>(1 + random() % 17);
  std::vector<T> values(rows * cells);
  constexpr T kSpecial[] = {T{0}, -T{0}, std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                            std::numeric_limits<T>::quiet_NaN()};
  const bool zeros = random() % 4 == 0;
  for (T& value : values) {
    value =
        zeros
            ? -T{0}
            : static_cast<T>(std::ldexp(static_cast<double>(random() % 2000) - 1000, static_cast<int>(random() % 30)));
    if (random() % 20 == 0) value = kSpecial[random() % std::size(kSpecial)];
  }
  const fakes::SimulatedRanks machines[] = {{.ranks = 1},
                                            {.ranks = 1, .workers = 1},
                                            {.ranks = 3, .split_bytes = 64},
                                            {.ranks = 2, .split_bytes = 64, .window = 1}};
  fakes::SimulatedRanks machine = machines[random() % std::size(machines)];
  machine.seed = seed;
  const bool held = random() % 2, are_fields = machine.split_bytes == 64 && rows >= 8 && cells > 1 && cells <= 15;
  fakes::run_on_simulated_ranks(machine, [&](Session& session) {
    np::Array a = np::array(values).reshape({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cells)});
    session.wait();
    np::Array negative = -a;
    const np::Array sums = np::sum(-negative, -1), products = np::prod(a, -1), least = np::min(a, -1),
                    most = np::max(-negative, -1);
    if (!held) negative = np::zeros({1});
    const auto s = sums.to_vector<T>(), p = products.to_vector<T>(), l = least.to_vector<T>(), m = most.to_vector<T>();
    for (std::size_t i = 0; i < rows; ++i) {
      const std::vector<T> row(values.begin() + static_cast<std::ptrdiff_t>(i * cells),
                               values.begin() + static_cast<std::ptrdiff_t>((i + 1) * cells));
      const T sum = are_fields ? fold_fields(row, kernel::Fold::Sum) : fold_row(row, kernel::Fold::Sum);
      ASSERT_PRED2(is_same<T>, s[i], sum) << rows << " of " << cells << " cells";
      ASSERT_PRED2(is_same<T>, p[i], fold_row(row, kernel::Fold::Product)) << cells << " cells";
      ASSERT_EQ(std::isnan(l[i]), std::isnan(fold_row(row, kernel::Fold::Minimum)));
      if (!std::isnan(l[i])) {
        ASSERT_EQ(l[i], fold_row(row, kernel::Fold::Minimum));
      }
      if (!std::isnan(m[i])) {
        ASSERT_EQ(m[i], fold_row(row, kernel::Fold::Maximum));
      }
    }
    if (!held) return;
    const auto n = negative.to_vector<T>();
    for (std::size_t i = 0; i < n.size(); ++i) ASSERT_PRED2(is_same<T>, n[i], -values[i]);
  });
}

// Of rows: one after the other; of columns: near what long double gives, on every machine the same.
void check_columns(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto cells = static_cast<std::size_t>(1 + random() % 5), length = static_cast<std::size_t>(2 + random() % 300);
  std::vector<double> values(cells * length);
  for (double& value : values)
    value = std::ldexp(static_cast<double>(random() % 2000) - 1000, static_cast<int>(random() % 10));
  const fakes::SimulatedRanks machines[] = {{.ranks = 1},
                                            {.ranks = 1, .workers = 1},
                                            {.ranks = 3, .split_bytes = 64},
                                            {.ranks = 2, .split_bytes = 64, .window = 1},
                                            {.ranks = 1, .processors_per_rank = 2, .split_bytes = 48}};
  std::vector<double> first;
  for (fakes::SimulatedRanks machine : machines) {
    machine.seed = seed;
    std::vector<double> rows, columns, means;
    fakes::run_on_simulated_ranks(machine, [&](Session& session) {
      const auto few = static_cast<std::int64_t>(cells), many = static_cast<std::int64_t>(length);
      const np::Array a = np::array(values).reshape({few, many}), b = np::array(values).reshape({many, few});
      session.wait();
      const auto r = np::sum(a * 1.0, 0).to_vector<double>(), c = np::sum(b * 1.0, 0).to_vector<double>(),
                 m = np::max(-b, 0).to_vector<double>();
      if (session.rank() == 0) rows = r, columns = c, means = m;
    });
    for (std::size_t j = 0; j < length; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < cells; ++i) sum += values[i * length + j];
      ASSERT_EQ(rows[j], sum);
    }
    for (std::size_t j = 0; j < cells; ++j) {
      long double sum = 0, size = 0;
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < length; ++i) {
        const double value = values[i * cells + j];
        sum += value, size += std::abs(value), most = std::max(most, -value);
      }
      ASSERT_NEAR(columns[j], static_cast<double>(sum), static_cast<double>(size) * 0x1p-50);
      ASSERT_EQ(means[j], most);
    }
    if (first.empty()) first = columns;
    ASSERT_EQ(columns, first) << "on another machine";
  }
}

// Rows by halves, and these one after the other. Where ranks or GPUs fold parts the numbers are whole, and any order is
// the same.
void check_blocks(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::size_t most) { return 1 + random() % most; };
  const std::size_t a = below(5), r = below(30), b = below(5), c = below(17);
  const fakes::SimulatedRanks machines[] = {{.ranks = 1},
                                            {.ranks = 1, .window = 1},
                                            {.ranks = 1, .workers = 1},
                                            {.ranks = 3, .split_bytes = 64},
                                            {.ranks = 2, .split_bytes = 64, .gpus = true}};
  const std::size_t chosen = random() % std::size(machines);
  std::vector<double> values(a * r * b * c);
  for (double& value : values) {
    value = static_cast<double>(random() % 2000) - 1000;
    if (chosen < 3) value = std::ldexp(value, static_cast<int>(random() % 30));
  }
  fakes::SimulatedRanks machine = machines[chosen];
  machine.seed = seed;
  fakes::run_on_simulated_ranks(machine, [&](Session& session) {
    const auto extent = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    const np::Array x = np::array(values).reshape({extent(a), extent(r), extent(b), extent(c)});
    session.wait();
    const auto sums = np::sum(x * 1.0, {1, 3}).to_vector<double>(), most = np::max(x, {1, 3}).to_vector<double>();
    for (std::size_t i = 0; i < a; ++i) {
      for (std::size_t k = 0; k < b; ++k) {
        double sum = 0, largest = -std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < r; ++j) {
          const auto first = values.begin() + static_cast<std::ptrdiff_t>(((i * r + j) * b + k) * c);
          const std::vector<double> row(first, first + static_cast<std::ptrdiff_t>(c));
          sum += c <= 16 || chosen > 2 ? fold_row(row, kernel::Fold::Sum) : 0;
          largest = std::max(largest, *std::ranges::max_element(row));
        }
        ASSERT_EQ(most[i * b + k], largest);
        if (c <= 16 || chosen > 2) {
          ASSERT_EQ(sums[i * b + k], sum) << a << " " << r << " " << b << " " << c << " on machine " << chosen;
        }
      }
    }
  });
}

// Row q of a matrix goes to partial sum q mod 4 of its columns; ((a, b), (c, d)), the one that waits longest first;
// then the columns by halves.
template <class T>
T fold_matrix(const std::vector<T>& cells, std::size_t rows, std::size_t columns) {
  std::vector<T> row;
  for (std::size_t j = 0; j < columns; ++j) {
    T slots[4] = {};
    for (std::size_t i = 0; i < rows; ++i) slots[i % 4] += cells[i * columns + j];
    const auto slot = [&](std::size_t k) { return slots[(rows + k) % 4]; };
    row.push_back((slot(0) + slot(1)) + (slot(2) + slot(3)));
  }
  return fold_row(row, kernel::Fold::Sum);
}

template <class T>
void check_matrices(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t count = 2 + random() % 40, rows = 1 + random() % 5, columns = 1 + random() % 5;
  std::vector<T> values(count * rows * columns);
  for (T& value : values)
    value = static_cast<T>(std::ldexp(static_cast<double>(random() % 2000) - 1000, static_cast<int>(random() % 30)));
  const fakes::SimulatedRanks machines[] = {
      {.ranks = 1}, {.ranks = 1, .window = 1}, {.ranks = 1, .workers = 1}, {.ranks = 3, .split_bytes = 64}};
  fakes::SimulatedRanks machine = machines[random() % std::size(machines)];
  machine.seed = seed;
  fakes::run_on_simulated_ranks(machine, [&](Session& session) {
    const auto extent = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    const np::Array x = np::array(values).reshape({extent(count), extent(rows), extent(columns)});
    session.wait();
    const auto sums = np::sum(x * T{1}, {1, 2}).template to_vector<T>(),
               least = np::min(x, {1, 2}).template to_vector<T>();
    for (std::size_t i = 0; i < count; ++i) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * rows * columns);
      const std::vector<T> cells(first, first + static_cast<std::ptrdiff_t>(rows * columns));
      const bool are_fields = machine.split_bytes == 64 && count >= 8 && rows * columns > 1;
      const T sum = are_fields ? fold_fields(cells, kernel::Fold::Sum) : fold_matrix(cells, rows, columns);
      ASSERT_PRED2(is_same<T>, sums[i], sum) << count << " of " << rows << " x " << columns;
      ASSERT_EQ(least[i], *std::ranges::min_element(cells));
    }
  });
}

TEST(ShortFoldsOfRandomMatrices, HaveTheBitsOfPartialSums) {
  for_each_seed(100, [](std::uint64_t seed) { seed % 2 ? check_matrices<double>(seed) : check_matrices<float>(seed); });
}

TEST(ShortFoldsOfRandomBlocks, HaveTheBitsOfRowsOneAfterTheOther) {
  for_each_seed(100, check_blocks);
}

TEST(ShortFoldsOfRandomColumns, AreTheSameOnEveryMachine) {
  for_each_seed(40, check_columns);
}

TEST(ShortFoldsOfRandomRows, HaveTheBitsOfHalves) {
  for_each_seed(100, [](std::uint64_t seed) { seed % 2 ? check_rows<double>(seed) : check_rows<float>(seed); });
}

}  // namespace
}  // namespace pilum::scheduler
