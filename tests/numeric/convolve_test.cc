#include "pilum/convolve.h"

#include <functional>

#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using Convolve = NumericTest;
using Cells = std::vector<double>;

// By definition: the full convolution of vectors.
Cells convolved(const Cells& a, const Cells& v) {
  Cells full(a.size() + v.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < v.size(); ++k) full[i + k] += a[i] * v[k];
  }
  return full;
}

Cells stepped(std::int64_t count, int step) {
  Cells cells;
  for (int i = 0; i < count; ++i) cells.push_back((i * step) % 11 - 5);
  return cells;
}

// numpy.convolve([1,2,3], [0,1,0.5], …) and numpy.correlate, from their pages.
TEST_F(Convolve, GivesTheExamplesOfNumPysPages) {
  const Array a = array({1.0, 2.0, 3.0}), v = array({0.0, 1.0, 0.5});
  EXPECT_THAT(convolve(a, v).to_vector<double>(), ElementsAre(0, 1, 2.5, 4, 1.5));
  EXPECT_THAT(convolve(a, v, "same").to_vector<double>(), ElementsAre(1, 2.5, 4));
  EXPECT_THAT(convolve(a, v, "valid").to_vector<double>(), ElementsAre(2.5));
  EXPECT_THAT(correlate(a, v).to_vector<double>(), ElementsAre(3.5));
  EXPECT_THAT(correlate(a, v, "same").to_vector<double>(), ElementsAre(2, 3.5, 3));
  EXPECT_THAT(correlate(a, v, "full").to_vector<double>(), ElementsAre(0.5, 2, 3.5, 3, 0));
}

TEST_F(Convolve, IsTheDefinitionForAllLengths) {
  for (const std::int64_t n : {1, 2, 5, 12, 30}) {
    for (const std::int64_t m : {1, 2, 3, 4, 7}) {
      const Cells a = stepped(n, 7), v = stepped(m, 3), full = convolved(a, v);
      EXPECT_EQ(convolve(array(a), array(v)).to_vector<double>(), full) << n << " by " << m;
      EXPECT_EQ(convolve(array(a), v).to_vector<double>(), full) << n << " by " << m;
      const std::int64_t shorter = std::min(n, m), longer = std::max(n, m);
      const auto at = [&](std::int64_t begin, std::int64_t count) {
        return Cells(full.begin() + begin, full.begin() + begin + count);
      };
      EXPECT_EQ(convolve(array(a), array(v), "valid").to_vector<double>(), at(shorter - 1, longer - shorter + 1));
      EXPECT_EQ(convolve(array(a), array(v), "same").to_vector<double>(), at((shorter - 1) / 2, longer));
      const Cells reversed(v.rbegin(), v.rend());
      EXPECT_EQ(correlate(array(a), array(v), "full").to_vector<double>(), convolved(a, reversed)) << n << " by " << m;
    }
  }
}

TEST_F(Convolve, TakesThePromotedDType) {
  EXPECT_EQ(convolve(array({1, 2, 3}), array({1, 1})).dtype(), int32);
  EXPECT_EQ(convolve(array({1, 2, 3}), array({1.0, 1.0})).dtype(), float64);
  EXPECT_EQ(convolve(ones(4, float32), {1, 2}).dtype(), float32);
  EXPECT_EQ(stencil(ones(4, float32), {1, 2}).dtype(), float32);
  EXPECT_THAT(convolve(array({true, false, true}), array({true, true})).to_vector<bool>(),
              ElementsAre(true, true, true, true));
}

// Cell by cell, by the definition of scipy.signal's functions.
double beyond(const Cells& a, std::int64_t rows, std::int64_t columns, std::int64_t i, std::int64_t j,
              const std::string& boundary, double fill) {
  const auto inside = [&](std::int64_t x, std::int64_t n) {
    if (boundary == "wrap") return ((x % n) + n) % n;
    while (x < 0 || x >= n) x = x < 0 ? -1 - x : 2 * n - 1 - x;
    return x;
  };
  if (boundary == "fill" && (i < 0 || i >= rows || j < 0 || j >= columns)) return fill;
  return a[static_cast<std::size_t>(inside(i, rows) * columns + inside(j, columns))];
}

TEST_F(Convolve, OfTwoAxesGoesBeyondTheEndsAsScipys) {
  const std::int64_t rows = 6, columns = 5;
  const Cells a = stepped(rows * columns, 7);
  const Array grid = array(a).reshape({rows, columns});
  for (const auto& [p, q] : {std::pair<std::int64_t, std::int64_t>{3, 3}, {2, 4}, {1, 2}, {5, 1}}) {
    const Cells w = stepped(p * q, 5);
    const Array weights = array(w).reshape({p, q});
    for (const std::string boundary : {"fill", "wrap", "symm"}) {
      for (const std::string mode : {"full", "same", "valid"}) {
        const std::int64_t grow = mode == "full" ? 1 : mode == "same" ? 0 : -1;
        const std::int64_t n = rows + grow * (p - 1), m = columns + grow * (q - 1);
        // Where cell 0 of the result lies in the full one.
        const auto start = [&](std::int64_t k) { return mode == "full" ? 0 : mode == "same" ? (k - 1) / 2 : k - 1; };
        Cells convolved, correlated;
        for (std::int64_t x = 0; x < n; ++x) {
          for (std::int64_t y = 0; y < m; ++y) {
            double sum = 0, other = 0;
            for (std::int64_t i = 0; i < p; ++i) {
              for (std::int64_t j = 0; j < q; ++j) {
                const double weight = w[static_cast<std::size_t>(i * q + j)];
                sum += weight * beyond(a, rows, columns, x + start(p) - i, y + start(q) - j, boundary, 2);
                const auto from = [&](std::int64_t k) {
                  return mode == "full" ? k - 1 : mode == "same" ? (k - 1) / 2 : 0;
                };
                other += weight * beyond(a, rows, columns, x - from(p) + i, y - from(q) + j, boundary, 2);
              }
            }
            convolved.push_back(sum);
            correlated.push_back(other);
          }
        }
        const std::string what = mode + " " + boundary + " " + std::to_string(p) + "x" + std::to_string(q);
        const Array result = convolve2d(grid, weights, mode, boundary, 2);
        EXPECT_EQ(result.shape(), (Shape{n, m})) << what;
        EXPECT_EQ(result.to_vector<double>(), convolved) << what;
        EXPECT_EQ(correlate2d(grid, weights, mode, boundary, 2).to_vector<double>(), correlated) << what;
      }
    }
  }
  EXPECT_EQ(convolve2d(ones({4, 4}), {{0, 1}, {1, 0}}, "valid").to_vector<double>(), Cells(9, 2));
}

TEST_F(Convolve, StencilsTakeWeightsOfAnyNumberOfAxes) {
  const Array a = arange(60, float64).reshape({3, 4, 5});
  const Array sums = stencil(a, ones({2, 2, 2}));
  EXPECT_EQ(sums.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(sums(0, 0, 0).item<double>(), 0 + 1 + 5 + 6 + 20 + 21 + 25 + 26);
  EXPECT_THAT(stencil(array({1.0, 4.0, 9.0, 16.0}), {1, -2, 1}).to_vector<double>(), ElementsAre(2, 2));
}

TEST_F(Convolve, OuterAppliesAFunctionToAllPairs) {
  const Array a = array({1, 2, 3}), b = array({{10, 20}});
  const Array sums = outer(add, a, b);
  EXPECT_EQ(sums.shape(), (Shape{3, 1, 2}));
  EXPECT_THAT(sums.to_vector<std::int32_t>(), ElementsAre(11, 21, 12, 22, 13, 23));
  EXPECT_THAT(outer(less, a, array(2)).to_vector<bool>(), ElementsAre(true, false, false));
}

TEST_F(Convolve, RefusesWhatDoesNotFit) {
  const Array a = ones(5), grid = ones({3, 3}), none = zeros(0), large = ones({4, 1}), many = ones({1, 1, 1, 1, 1});
  expect_refused<ValueError>(recorder, [&] { convolve(a, a, "most"); }, {"[convolve]", "most", "valid"});
  expect_refused<ShapeError>(recorder, [&] { convolve(a, none); }, {"[convolve]", "(0,)"});
  expect_refused<ShapeError>(recorder, [&] { correlate(none, a); }, {"[correlate]", "(0,)"});
  expect_refused<ShapeError>(recorder, [&] { convolve(grid, a); }, {"[convolve]", "(3, 3)"});
  expect_refused<ShapeError>(recorder, [&] { convolve2d(a, grid); }, {"[convolve2d]", "(5,)"});
  expect_refused<ValueError>(recorder, [&] { convolve2d(grid, grid, "same", "mirror"); }, {"[convolve2d]", "mirror"});
  expect_refused<ShapeError>(recorder, [&] { correlate2d(grid, large, "valid"); }, {"[correlate2d]", "(4, 1)"});
  expect_refused<ShapeError>(recorder, [&] { stencil(grid, a); }, {"[stencil]", "(5,)", "(3, 3)"});
  expect_refused<ShapeError>(recorder, [&] { stencil(grid, {{1, 2}, {3}}); }, {"[stencil]", "differ"});
  expect_refused<ShapeError>(recorder, [&] { outer(add, many, many); }, {"[outer]"});
}

}  // namespace
}  // namespace pilum::numeric
