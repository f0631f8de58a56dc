// Numbers spaced by powers, functions of coordinates; values of NumPy's.
#include <cmath>

#include "pilum/functions.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using Spacings = NumericTest;

TEST_F(Spacings, PowersOfEvenlySpacedExponents) {
  EXPECT_THAT(doubles(logspace(0, 2, 3)), ElementsAre(1, 10, 100));
  EXPECT_THAT(doubles(logspace(2, 3, 4, true, 2)),
              ElementsAre(4, DoubleEq(std::cbrt(128.0)), DoubleEq(std::cbrt(256.0)), 8));
  EXPECT_EQ(logspace(0, 3, 4, true, 10, int64).dtype(), int64);
  EXPECT_EQ(logspace(0, 1, 0).shape(), Shape{0});
}

TEST_F(Spacings, EachNumberIsTheOneBeforeItTimesAFactor) {
  EXPECT_THAT(doubles(geomspace(1, 8, 4)), ElementsAre(1, DoubleEq(2), DoubleEq(4), 8));
  EXPECT_THAT(doubles(geomspace(-1000, -1, 4)), ElementsAre(-1000, DoubleEq(-100), DoubleEq(-10), -1));
  EXPECT_EQ(geomspace(3, 7, 1).item<double>(), 3);
  EXPECT_NE(geomspace(1, 8, 4, false)(-1).item<double>(), 8);
  EXPECT_TRUE(std::isnan(geomspace(-1, 1, 3)(1).item<double>()));
  EXPECT_EQ(geomspace(-1, 1, 3)(2).item<double>(), 1);
}

TEST_F(Spacings, AFunctionIsCalledWithTheCoordinatesOfAllCells) {
  const auto ten_times = [](const Array& i, const Array& j) { return 10 * i + j; };
  EXPECT_THAT(doubles(fromfunction(ten_times, {2, 2})), ElementsAre(0, 1, 10, 11));
  EXPECT_EQ(fromfunction(ten_times, {2, 2}, int64).dtype(), int64);
  EXPECT_THAT(doubles(fromfunction([](auto i) { return i * i; }, 4)), ElementsAre(0, 1, 4, 9));
  EXPECT_EQ(fromfunction([] { return ones(3); }, {}).shape(), Shape{3});
  EXPECT_EQ(fromfunction(ten_times, {0, 2}).shape(), (Shape{0, 2}));
  EXPECT_THROW(static_cast<void>(fromfunction([](const Array& i) { return i; }, {2, 2})), ShapeError);
  expect_refused<ShapeError>(recorder, [&] { static_cast<void>(fromfunction(ten_times, {2, -1})); },
                             {"[fromfunction]", "-1"});
  expect_refused<ShapeError>(recorder, [&] { static_cast<void>(fromfunction(ten_times, {2})); },
                             {"[fromfunction]", "(2,)"});
}

TEST_F(Spacings, TellWhatTheyRefuse) {
  expect_refused<ValueError>(recorder, [&] { logspace(0, 1, -1); }, {"[logspace]", "-1"});
  expect_refused<ValueError>(recorder, [&] { geomspace(0, 1, 2); }, {"[geomspace]", "0"});
  expect_refused<ValueError>(recorder, [&] { geomspace(1, 2, -5); }, {"[geomspace]", "-5"});
}

}  // namespace
}  // namespace pilum::numeric
