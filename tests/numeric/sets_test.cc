// Sets, orders of several keys, coordinates, covariances, polynomials that are fitted: with literals.
#include "pilum/sets.h"

#include <complex>

#include "pilum/functions.h"
#include "pilum/polynomials.h"
#include "pilum/selection.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using Sets = NumericTest;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

TEST_F(Sets, WhatIsInOneOrBoth) {
  const Array a = array({3, 1, 2, 1}, int64), b = array({{2, 5}, {3, 2}}, int64);
  EXPECT_EQ(cells(union1d(a, b)), (Integers{1, 2, 3, 5}));
  EXPECT_EQ(cells(intersect1d(a, b)), (Integers{2, 3}));
  EXPECT_EQ(cells(setdiff1d(a, b)), (Integers{1}));
  EXPECT_EQ(cells(setxor1d(a, b)), (Integers{1, 5}));
  const Unique found = unique_all(b);
  EXPECT_EQ(cells(found.values), (Integers{2, 3, 5}));
  EXPECT_EQ(cells(found.indices), (Integers{0, 2, 1}));
  EXPECT_EQ(cells(found.inverse_indices), (Integers{0, 2, 1, 0}));
  EXPECT_EQ(found.inverse_indices.shape(), (Shape{2, 2}));
  EXPECT_EQ(cells(found.counts), (Integers{2, 1, 1}));
}

TEST_F(Sets, OrdersOfSeveralKeys) {
  const Array minor = array({9, 4, 0, 4, 0}, int64), major = array({1, 5, 1, 4, 4}, int64), two = zeros({2});
  EXPECT_EQ(cells(lexsort({minor, major})), (Integers{2, 0, 4, 3, 1}));
  EXPECT_EQ(partition(minor, 2)(2).item<std::int64_t>(), 4);
  expect_refused<ValueError>(recorder, [&] { partition(minor, 5); }, {"[partition]", "place 5"});
  expect_refused<ValueError>(recorder, [&] { lexsort({}); }, {"[lexsort]", "no keys"});
  expect_refused<ShapeError>(recorder, [&] { lexsort({minor, two}); }, {"[lexsort]", "(2,)"});
}

TEST_F(Sets, CoordinatesAreNumbers) {
  const auto both = unravel_index(array({5, 11}, int64), {3, 4});
  EXPECT_EQ(cells(both[0]), (Integers{1, 2}));
  EXPECT_EQ(cells(both[1]), (Integers{1, 3}));
  EXPECT_EQ(cells(ravel_multi_index(both, {3, 4})), (Integers{5, 11}));
  const auto [rows, columns] = tril_indices(2);
  EXPECT_EQ(cells(rows), (Integers{0, 1, 1}));
  EXPECT_EQ(cells(columns), (Integers{0, 0, 1}));
  const Array grid = reshape(arange(12), {3, 4});
  const auto open = ix_({array({0, 2}), array({true, false, true, false})});
  EXPECT_EQ(cells(Array(grid(open[0], open[1]))), (Integers{0, 2, 8, 10}));
  const Array half = zeros({2});
  expect_refused<DTypeError>(recorder, [&] { unravel_index(half, {2}); }, {"[unravel_index]", "float64"});
  expect_refused<ValueError>(recorder, [&] { ravel_multi_index(both, {3}); }, {"[ravel_multi_index]", "2 arrays"});
}

TEST_F(Sets, BlocksAndCellsPutIn) {
  const Array one = ones({1, 1}, int64), line = arange(4);
  EXPECT_EQ(cells(block({{one, one * 2}, {one * 3, one * 4}})), (Integers{1, 2, 3, 4}));
  EXPECT_EQ(cells(delete_at(line, {1, -1})), (Integers{0, 2}));
  EXPECT_EQ(cells(delete_at(line, 0)), (Integers{1, 2, 3}));
  EXPECT_EQ(cells(insert(line, 1, 9)), (Integers{0, 9, 1, 2, 3}));
  EXPECT_EQ(cells(insert(reshape(line, {2, 2}), 1, array({7, 8}, int64), 1)), (Integers{0, 7, 1, 2, 8, 3}));
  expect_refused<IndexError>(recorder, [&] { delete_at(line, 4); }, {"[delete_at]", "place 4"});
  expect_refused<IndexError>(recorder, [&] { insert(line, 5, 1); }, {"[insert]", "place 5"});
}

TEST_F(Sets, CellsAtPlacesOfAnArrayAreLeftOutAndPutIn) {
  const Array line = arange(4), grid = reshape(arange(6), {2, 3});
  EXPECT_EQ(cells(delete_at(line, array({2, -4, 2}))), (Integers{1, 3}));
  EXPECT_EQ(cells(delete_at(grid, array({true, false, true}), 1)), (Integers{1, 4}));
  EXPECT_EQ(cells(delete_at(arange(40), arange(0, 40, 2))), cells(arange(1, 40, 2)));  // more than are put together
  EXPECT_EQ(cells(insert(line, {3, 0, 3}, array({7, 8, 9}))), (Integers{8, 0, 1, 2, 7, 9, 3}));
  EXPECT_EQ(cells(insert(line, array({1, 4}), -1)), (Integers{0, -1, 1, 2, 3, -1}));
  EXPECT_EQ(cells(insert(grid, {1, 1}, array({{7}, {8}}), 1)), (Integers{0, 7, 7, 1, 2, 3, 8, 8, 4, 5}));
  EXPECT_EQ(cells(insert(line, array({false, true, false, true}), 5)), (Integers{0, 5, 1, 2, 5, 3}));
  EXPECT_EQ(cells(insert(grid, {1}, array({7, 8}), 1)), (Integers{0, 7, 8, 1, 2, 3, 7, 8, 4, 5}));
  const Array mask = array({true}), half = array({0.5}), three = array({1, 2, 3}, int64);
  expect_refused<IndexError>(recorder, [&] { delete_at(line, mask); },
                             {"[delete_at]", "(1,)", "the 4 cells of axis 0"});
  expect_refused<DTypeError>(recorder, [&] { delete_at(line, half); }, {"[delete_at]", "float64"});
  expect_refused<ShapeError>(recorder, [&] { insert(line, {1, 2}, three); }, {"[insert]", "(3,)", "(2,)"});
}

TEST_F(Sets, VariablesAndPolynomials) {
  const Array m = array({{0.0, 1.0, 2.0}, {2.0, 1.0, 0.0}}), deep = zeros({1, 1, 1});
  EXPECT_EQ(cov(m).to_vector<double>(), (Reals{1, -1, -1, 1}));
  EXPECT_EQ(corrcoef(m)(0, 1).item<double>(), -1);
  EXPECT_EQ(cov(m(0)).shape(), Shape{});
  EXPECT_EQ(cov(m.T(), false).to_vector<double>(), (Reals{1, -1, -1, 1}));
  EXPECT_EQ(cov(m.T().copy(), false, 0)(0, 1).item<double>(), -2.0 / 3);
  EXPECT_EQ(cov(m(0), m(1)).to_vector<double>(), (Reals{1, -1, -1, 1}));
  EXPECT_EQ(cov(m.T(), m(0), false).shape(), (Shape{3, 3}));
  EXPECT_EQ(cov(m.T(), m(0), false)(2, 1).item<double>(), -1);
  EXPECT_EQ(corrcoef(m(0), m(1)).to_vector<double>(), (Reals{1, -1, -1, 1}));
  const Reals fitted = polyfit(array({0.0, 1.0, 2.0, 3.0}), array({1.0, 3.0, 7.0, 13.0}), 2).to_vector<double>();
  for (const double coefficient : fitted) EXPECT_NEAR(coefficient, 1, 1e-12);
  EXPECT_EQ(cells(polyder(array({3, 2, 1}, int64))), (Integers{6, 2}));
  EXPECT_EQ(polyint(array({6.0, 2.0})).to_vector<double>(), (Reals{3, 2, 0}));
  EXPECT_EQ(cells(polyadd(array({1, 2}, int64), array({5}, int64))), (Integers{1, 7}));
  const auto zeros_of = sort(real(roots(array({1.0, -3.0, 2.0, 0.0})))).to_vector<double>();
  ASSERT_EQ(zeros_of.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(zeros_of[k], static_cast<double>(k), 1e-12);
  expect_refused<ShapeError>(recorder, [&] { cov(deep); }, {"[cov]", "(1, 1, 1)"});
  expect_refused<ShapeError>(recorder, [&] { corrcoef(m, m.T()); }, {"[corrcoef]", "(2, 3)", "(3, 2)"});
  expect_refused<ShapeError>(recorder, [&] { roots(m); }, {"[roots]", "(2, 3)"});
  expect_refused<ValueError>(recorder, [&] { polyfit(m(0), m(0), -1); }, {"[polyfit]", "-1"});
}

TEST_F(Sets, PartsAlongAnAxisAreDifferentOrNot) {
  const Array a = array({{2, 1}, {1, 5}, {2, 1}, {1, 0}});
  const Unique found = unique_all(a, 0);
  EXPECT_THAT(found.values.to_vector<std::int32_t>(), testing::ElementsAre(1, 0, 1, 5, 2, 1));
  EXPECT_THAT(found.indices.to_vector<std::int64_t>(), testing::ElementsAre(3, 1, 0));
  EXPECT_THAT(found.inverse_indices.to_vector<std::int64_t>(), testing::ElementsAre(2, 1, 2, 0));
  EXPECT_THAT(found.counts.to_vector<std::int64_t>(), testing::ElementsAre(1, 1, 2));
  EXPECT_EQ(unique(a.T(), 1).shape(), (Shape{2, 3}));
  expect_refused<IndexError>(recorder, [&] { unique_all(a, 2); }, {"[unique_all]", "axis 2"});
}

}  // namespace
}  // namespace pilum::numeric
