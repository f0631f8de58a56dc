// Folds and scans by any function that may be grouped; slopes at given places; numbers from array to array.
#include <cmath>
#include <complex>

#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/scan.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using ByFunction = NumericTest;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Complex = std::complex<double>;

TEST_F(ByFunction, AnyThatMayBeGroupedFolds) {
  const Array a = array({{12, 18, 30}, {8, 12, 28}}, int64), none = zeros({2, 0}, int64);
  EXPECT_EQ(reduce(gcd, a, 1).to_vector<std::int64_t>(), (Integers{6, 4}));
  EXPECT_EQ(reduce(bitwise_xor, a).to_vector<std::int64_t>(), (Integers{12 ^ 8, 18 ^ 12, 30 ^ 28}));
  EXPECT_EQ(reduce(bitwise_or, a, {0, 1}).item<std::int64_t>(), 12 | 18 | 30 | 8 | 28);
  EXPECT_EQ(reduce(bitwise_or, a, {0, 1}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(reduce(add, a).to_vector<std::int64_t>(), (Integers{20, 30, 58}));
  EXPECT_EQ(reduce(maximum, a, {}).item<std::int64_t>(), 30);
  EXPECT_EQ(reduce(hypot, array({2.0, 3.0, 6.0})).item<double>(), 7);
  EXPECT_EQ(reduce(gcd, array({-6}, int64)).item<std::int64_t>(), 6);
  EXPECT_EQ(reduce(logical_xor, array({true, true, true})).item<bool>(), true);
  EXPECT_EQ(reduce(bitwise_and, none, 1).to_vector<std::int64_t>(), (Integers{-1, -1}));
  expect_refused<ValueError>(recorder, [&] { reduce(subtract, a); }, {"[reduce]", "grouped"});
  EXPECT_THROW(reduce(fmin, none, 1), ValueError);
}

TEST_F(ByFunction, AnyThatMayBeGroupedAccumulates) {
  const Array a = array({12, 18, 30, 7, 49}, int64);
  EXPECT_EQ(accumulate(gcd, a).to_vector<std::int64_t>(), (Integers{12, 6, 6, 1, 1}));
  EXPECT_EQ(accumulate(bitwise_or, a).to_vector<std::int64_t>(), (Integers{12, 30, 30, 31, 63}));
  EXPECT_EQ(accumulate(fmax, array({kNan, 1.0, kNan, 0.0, 3.0}))(slice(1, {})).to_vector<double>(),
            (Reals{1, 1, 1, 3}));
  const Array z = array({Complex(1, 2), Complex(1, 1), Complex(3, 0), Complex(0, 9)});
  EXPECT_EQ(accumulate(minimum, z).to_vector<Complex>(), (std::vector<Complex>{{1, 2}, {1, 1}, {1, 1}, {0, 9}}));
  EXPECT_EQ(accumulate(maximum, z).to_vector<Complex>(), (std::vector<Complex>{{1, 2}, {1, 2}, {3, 0}, {3, 0}}));
  accumulate(bitwise_or, a(slice(0, 1)))[all] = 0;  // not a view
  EXPECT_EQ(a.to_vector<std::int64_t>()[0], 12);
  expect_refused<ValueError>(recorder, [&] { accumulate(divide, a); }, {"[accumulate]", "grouped"});
  expect_refused<DTypeError>(recorder, [&] { accumulate(bitwise_and, z); }, {"[accumulate]", "complex128", "astype"});
}

TEST_F(ByFunction, SlopesAtPlaces) {
  const Array x = array({0.0, 1.0, 3.0, 4.0}), a = x * x, two = zeros({2}), grid = zeros({4, 2});
  const Reals slopes = gradient(a, x).to_vector<double>(), parabola = gradient(a, x, 0, 2).to_vector<double>();
  for (std::size_t k = 0; k < 4; ++k) {  // of a parabola as it is, but for the ends without edge_order
    EXPECT_NEAR(slopes[k], (Reals{1, 2, 6, 7})[k], 1e-14);
    EXPECT_NEAR(parabola[k], (Reals{0, 2, 6, 8})[k], 1e-14);
  }
  const Array line = gradient(array({1.0, 5.0}), array({0.0, 2.0}));
  EXPECT_EQ(line.to_vector<double>(), (Reals{2, 2}));
  EXPECT_EQ(gradient(array({0.0, 1.0, 4.0, 9.0}), 1.0, 0, 2).to_vector<double>(), (Reals{0, 2, 4, 6}));
  EXPECT_EQ(gradient(grid, all, std::vector{x, two}).size(), 2U);
  expect_refused<ShapeError>(recorder, [&] { gradient(a, two); }, {"[gradient]", "(2,)", "4 cells"});
  expect_refused<ValueError>(recorder, [&] { gradient(a, x, 0, 3); }, {"[gradient]", "edge_order is 3"});
  expect_refused<ValueError>(recorder, [&] { gradient(two, two, 0, 2); }, {"[gradient]", "fewer than 3"});
}

TEST_F(ByFunction, NumbersFromArrayToArray) {
  const Array ends = array({1.0, 2.0});
  EXPECT_EQ(logspace(ends, 3, 2, true, 2).to_vector<double>(), (Reals{2, 4, 8, 8}));
  EXPECT_EQ(logspace(ends, 3, 2, true, 2, float32, -1).to_vector<float>(), (std::vector<float>{2, 8, 4, 8}));
  EXPECT_EQ(geomspace(ends, ends * 4, 3).shape(), (Shape{3, 2}));
  EXPECT_DOUBLE_EQ(geomspace(-ends, ends * -4, 3)(1, 0).item<double>(), -2);
  EXPECT_EQ(linspace(array({Complex(0, 0)}), array({Complex(2, 4)}), 3).to_vector<Complex>(),
            (std::vector<Complex>{{0, 0}, {1, 2}, {2, 4}}));
  EXPECT_EQ(tile(ends, {2}).to_vector<double>(), (Reals{1, 2, 1, 2}));
  expect_refused<IndexError>(recorder, [&] { logspace(ends, 3, 2, true, 2, {}, 2); }, {"[logspace]", "2"});
}

}  // namespace
}  // namespace pilum::numeric
