#include "pilum/manipulation.h"

#include <array>
#include <limits>

#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using Manipulation = NumericTest;

TEST_F(Manipulation, LikeAnotherArray) {
  const Array a = ones({2, 3}, float32);
  EXPECT_EQ(zeros_like(a).dtype(), float32);
  EXPECT_EQ(ones_like(a, int64).shape(), (Shape{2, 3}));
  EXPECT_THAT(cells(full_like(a, 7, int64)), ElementsAre(7, 7, 7, 7, 7, 7));
  EXPECT_EQ(empty_like(a).shape(), (Shape{2, 3}));
  const Array narrow = ones(2, int32);
  expect_refused<ValueError>(recorder, [&] { full_like(narrow, std::int64_t{1} << 40); }, {"int32"});
}

TEST_F(Manipulation, WhatAnArrayIsIsAskedByFunctionsToo) {
  const Array a = arange(6).reshape({2, 3});
  EXPECT_EQ(shape(a), (Shape{2, 3}));
  EXPECT_EQ(ndim(a), 2);
  EXPECT_EQ(size(a), 6);
  EXPECT_EQ(size(a, 0), 2);
  EXPECT_EQ(size(a, -1), 3);
  expect_refused<IndexError>(recorder, [&] { size(a, 2); }, {"[size]", "2"});
  const Array same = copy(a), halves = astype(a, float32);
  a.fill(7);
  EXPECT_THAT(cells(same), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(halves.dtype(), float32);
}

TEST_F(Manipulation, EyeHasOnesOnItsDiagonal) {
  EXPECT_THAT(cells(eye(3, {}, 0, int64)), ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1));
  EXPECT_THAT(cells(eye(2, 3, 1, int64)), ElementsAre(0, 1, 0, 0, 0, 1));
  EXPECT_THAT(cells(eye(3, 2, -1, int64)), ElementsAre(0, 0, 1, 0, 0, 1));
  EXPECT_EQ(identity(4).dtype(), float64);
  EXPECT_EQ(eye(4, float32).dtype(), float32);
  EXPECT_THAT(cells(eye(2, int64)), ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(cells(tri(2, int64)), ElementsAre(1, 0, 1, 1));
  EXPECT_EQ(eye(0).shape(), (Shape{0, 0}));
  expect_refused<ShapeError>(recorder, [] { eye(-1); }, {"eye", "-1"});
}

TEST_F(Manipulation, RollMovesCellsOnAndTheLastOnesToTheFront) {
  const Array a = arange(5);
  EXPECT_THAT(cells(roll(a, 2)), ElementsAre(3, 4, 0, 1, 2));
  EXPECT_THAT(cells(roll(a, -1)), ElementsAre(1, 2, 3, 4, 0));
  EXPECT_THAT(cells(roll(a, 12)), ElementsAre(3, 4, 0, 1, 2));
  EXPECT_THAT(cells(roll(a, 0)), ElementsAre(0, 1, 2, 3, 4));
  const Array b = arange(6).reshape({2, 3});
  EXPECT_THAT(cells(roll(b, 1, 0)), ElementsAre(3, 4, 5, 0, 1, 2));
  EXPECT_THAT(cells(roll(b, 1, -1)), ElementsAre(2, 0, 1, 5, 3, 4));
  EXPECT_THAT(cells(roll(b.T(), 1, 0)), ElementsAre(2, 5, 0, 3, 1, 4));
  EXPECT_EQ(roll(zeros(0), 3).size(), 0);
  expect_refused<IndexError>(recorder, [&] { roll(b, 1, 2); }, {"roll", "2"});
}

TEST_F(Manipulation, FlipReversesAxes) {
  Array a = arange(6).reshape({2, 3});
  EXPECT_THAT(cells(flip(a)), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(cells(flipud(a)), ElementsAre(3, 4, 5, 0, 1, 2));
  EXPECT_THAT(cells(fliplr(a)), ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(cells(flip(a, {0, -1})), ElementsAre(5, 4, 3, 2, 1, 0));
  flip(a, 1)(all, 0) = 9;  // a view
  EXPECT_THAT(cells(a), ElementsAre(0, 1, 9, 3, 4, 9));
  expect_refused<ValueError>(recorder, [&] { flip(a, {0, 0}); }, {"flip", "twice"});
  const Array line = arange(3);
  expect_refused<IndexError>(recorder, [&] { fliplr(line); }, {"flip"});
}

TEST_F(Manipulation, ConcatenatePutsArraysOneAfterTheOther) {
  const Array a = arange(4).reshape({2, 2}), b = arange(2).reshape({1, 2}) + 7;
  EXPECT_THAT(cells(concatenate({a, b})), ElementsAre(0, 1, 2, 3, 7, 8));
  EXPECT_THAT(cells(concatenate({a, b.T()}, 1)), ElementsAre(0, 1, 7, 2, 3, 8));
  EXPECT_THAT(cells(concatenate({a, a}, -1)), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  EXPECT_EQ(concatenate({ones(2, int32), ones(2, float32)}).dtype(), float64);
  EXPECT_THAT(cells(concatenate({zeros(0, int64), arange(2)})), ElementsAre(0, 1));
  expect_refused<ShapeError>(recorder, [&] { concatenate({a, b}, 1); }, {"concatenate", "(2, 2)", "(1, 2)"});
  expect_refused<ValueError>(recorder, [] { concatenate({}); }, {"concatenate", "no arrays"});
  const Array one = full({}, 1);
  expect_refused<ShapeError>(recorder, [&] { concatenate({one, one}); }, {"stack()"});
}

TEST_F(Manipulation, StacksHaveANewAxis) {
  const Array a = arange(2), b = arange(2) + 5;
  EXPECT_THAT(cells(stack({a, b})), ElementsAre(0, 1, 5, 6));
  EXPECT_THAT(cells(stack({a, b}, 1)), ElementsAre(0, 5, 1, 6));
  EXPECT_EQ(stack({a, b}, -1).shape(), (Shape{2, 2}));
  EXPECT_EQ(vstack({a, b}).shape(), (Shape{2, 2}));
  EXPECT_THAT(cells(hstack({a, b})), ElementsAre(0, 1, 5, 6));
  EXPECT_THAT(cells(hstack({a.reshape({2, 1}), b.reshape({2, 1})})), ElementsAre(0, 5, 1, 6));
  const Array longer = arange(3);
  expect_refused<ShapeError>(recorder, [&] { stack({a, longer}); }, {"stack", "(2,)", "(3,)"});
}

TEST_F(Manipulation, AxesComeGoAndMove) {
  const Array a = arange(6).reshape({1, 2, 3});
  EXPECT_EQ(expand_dims(a, 1).shape(), (Shape{1, 1, 2, 3}));
  EXPECT_EQ(expand_dims(a, -1).shape(), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(squeeze(a).shape(), (Shape{2, 3}));
  EXPECT_EQ(squeeze(a, 0).shape(), (Shape{2, 3}));
  EXPECT_EQ(swapaxes(a, 0, 2).shape(), (Shape{3, 2, 1}));
  EXPECT_EQ(moveaxis(a, 0, -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(moveaxis(a, 2, 0).shape(), (Shape{3, 1, 2}));
  EXPECT_THAT(cells(ravel(squeeze(a).T())), ElementsAre(0, 3, 1, 4, 2, 5));
  expect_refused<ValueError>(recorder, [&] { squeeze(a, 1); }, {"squeeze", "(1, 2, 3)"});
  expect_refused<IndexError>(recorder, [&] { swapaxes(a, 0, 3); }, {"swapaxes", "3"});
}

TEST_F(Manipulation, DifferencesOfNeighbours) {
  const Array a = array({1, 4, 9, 16}).astype(int64);
  EXPECT_THAT(cells(diff(a)), ElementsAre(3, 5, 7));
  EXPECT_THAT(cells(diff(a, 2)), ElementsAre(2, 2));
  EXPECT_THAT(cells(diff(a, 0)), ElementsAre(1, 4, 9, 16));
  EXPECT_EQ(diff(a, 9).size(), 0);
  EXPECT_THAT(cells(diff(a.reshape({2, 2}), 1, 0)), ElementsAre(8, 12));
  EXPECT_THAT(diff(array({true, false, false})).to_vector<bool>(), ElementsAre(true, false));
  expect_refused<ValueError>(recorder, [&] { diff(a, -1); }, {"diff", "-1"});
}

TEST_F(Manipulation, NoDifferencesAtAllLookAtNoAxis) {
  EXPECT_EQ(diff(array(2.5), 0).item<double>(), 2.5);
  EXPECT_EQ(diff(zeros({2, 3}), 0, 7).shape(), (Shape{2, 3}));
}

TEST_F(Manipulation, SlopesAlongAllAxesAreOneArrayEach) {
  const Array a = array({{1.0, 2.0, 4.0}, {8.0, 16.0, 32.0}}), line = arange(3);
  const std::vector<Array> slopes = gradient(a, all);
  ASSERT_EQ(slopes.size(), 2u);
  EXPECT_THAT(slopes[0].to_vector<double>(), ElementsAre(7, 14, 28, 7, 14, 28));
  EXPECT_THAT(slopes[1].to_vector<double>(), ElementsAre(1, 1.5, 2, 8, 12, 16));
  EXPECT_THAT(gradient(a, all, {0.5, 2})[0].to_vector<double>(), ElementsAre(14, 28, 56, 14, 28, 56));
  EXPECT_THAT(gradient(a, all, {0.5, 2})[1].to_vector<double>(), ElementsAre(0.5, 0.75, 1, 4, 6, 8));
  EXPECT_THAT(gradient(line, all, 0.5)[0].to_vector<double>(), ElementsAre(2, 2, 2));
  EXPECT_TRUE(gradient(array(3.0), all).empty());
  const Array row = a(slice(0, 1)), bools = a > 2;
  expect_refused<ShapeError>(recorder, [&] { gradient(a); }, {"[gradient]", "(2, 3)", "gradient(a, all)"});
  expect_refused<ValueError>(recorder, [&] { gradient(a, all, {1.0, 2, 3}); }, {"[gradient] 3 spacings", "(2, 3)"});
  expect_refused<ValueError>(recorder, [&] { gradient(row, all); }, {"[gradient]", "axis 0", "(1, 3)"});
  expect_refused<DTypeError>(recorder, [&] { gradient(bools, all); }, {"[gradient]", "astype"});
}

TEST_F(Manipulation, AreasAreOfEqualStepsOrOfPlaces) {
  const Array a = array({{1.0, 2.0, 4.0}, {8.0, 16.0, 32.0}}), places = array({0, 1, 3}), four = array({0, 1, 3, 4});
  EXPECT_THAT(trapezoid(a).to_vector<double>(), ElementsAre(4.5, 36));
  EXPECT_THAT(trapezoid(a, 0.5).to_vector<double>(), ElementsAre(2.25, 18));
  EXPECT_THAT(trapezoid(a, places).to_vector<double>(), ElementsAre(7.5, 60));
  EXPECT_THAT(trapezoid(a, a, 0).to_vector<double>(), ElementsAre(31.5, 126, 504));
  EXPECT_EQ(trapezoid(ones({3, 1}), ones({3, 4}), 0).shape(), Shape{4});
  EXPECT_EQ(trapezoid(zeros({2, 0})).to_vector<double>(), (std::vector<double>{0, 0}));
  const Array number = array(1.0);
  expect_refused<ShapeError>(recorder, [&] { trapezoid(a, four); }, {"[trapezoid]", "(4,)", "(2, 3)", "give 3"});
  expect_refused<IndexError>(recorder, [&] { trapezoid(a, places, 2); }, {"[trapezoid]", "2"});
  expect_refused<IndexError>(recorder, [&] { trapezoid(a, number); }, {"[trapezoid]"});
}

TEST_F(Manipulation, PartsAndTurnedArraysAreViews) {
  const Array a = arange(6).reshape(2, 3).copy();
  const std::vector<Array> parts = split(a, {1, -1}, 1);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].shape(), (Shape{2, 1}));
  Array first = rot90(a);
  first(0, 0) = 9;
  EXPECT_THAT(a.to_vector<std::int64_t>(), ElementsAre(0, 1, 9, 3, 4, 5));
  EXPECT_EQ(array_split(a, 2, 1)[0].shape(), (Shape{2, 2}));
  expect_refused<ValueError>(recorder, [&] { split(a, 2, 1); }, {"[split]", "(2, 3)", "array_split"});
  expect_refused<ValueError>(recorder, [&] { vsplit(a(0), 2); }, {"[vsplit]", "2 axes"});
  expect_refused<ValueError>(recorder, [&] { rot90(a, 1, 0, -2); }, {"[rot90]", "twice"});
}

TEST_F(Manipulation, PaddedCellsAreThoseOfTheMode) {
  const Array a = array({1, 2, 3});
  EXPECT_THAT(pad(a, {{1, 2}}).to_vector<std::int32_t>(), ElementsAre(0, 1, 2, 3, 0, 0));
  EXPECT_THAT(pad(a, {{1, 2}}, Pad::Edge).to_vector<std::int32_t>(), ElementsAre(1, 1, 2, 3, 3, 3));
  EXPECT_THAT(pad(a, {{1, 4}}, Pad::Wrap).to_vector<std::int32_t>(), ElementsAre(3, 1, 2, 3, 1, 2, 3, 1));
  EXPECT_THAT(pad(a, {{1, 3}}, Pad::Reflect).to_vector<std::int32_t>(), ElementsAre(2, 1, 2, 3, 2, 1, 2));
  EXPECT_THAT(pad(a, {{1, 2}}, Pad::Symmetric).to_vector<std::int32_t>(), ElementsAre(1, 1, 2, 3, 3, 2));
  expect_refused<ValueError>(recorder, [&] { pad(a, {{1, -2}}); }, {"[pad]", "-2"});
  expect_refused<ValueError>(recorder, [&] { pad(a, {{1, 2}, {0, 0}}); }, {"[pad]", "(3,)"});
  expect_refused<ValueError>(recorder, [&] { pad(zeros(0), {{1, 2}}, Pad::Edge); }, {"[pad]", "no cells"});
}

TEST_F(Manipulation, RollsFlattenedAndAlongSeveralAxes) {
  const Array a = arange(6).reshape(2, 3);
  EXPECT_THAT(roll(a, 1).to_vector<std::int64_t>(), ElementsAre(5, 0, 1, 2, 3, 4));
  EXPECT_THAT(roll(a, {1, 1}, {0, 1}).to_vector<std::int64_t>(), ElementsAre(5, 3, 4, 2, 0, 1));
  expect_refused<ValueError>(recorder, [&] { roll(a, {1, 2}, 0); }, {"[roll]", "2 shifts"});
}

// tests/random, program 288 of seed 300000: the second axis was the first result's single column, seen twice.
TEST_F(Manipulation, WhatIsTiledOrRepeatedCanBeWritten) {
  const Array column = arange(3).reshape(3, 1);
  const Array tiled = tile(column, {2, 2}), repeated = repeat(column, 2, 1);
  tiled(0, 0) = 7;
  repeated(0, 0) = 7;
  EXPECT_THAT(tiled.to_vector<std::int64_t>(), ElementsAre(7, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2));
  EXPECT_THAT(repeated.to_vector<std::int64_t>(), ElementsAre(7, 0, 1, 1, 2, 2));
}

std::vector<std::int64_t> integers(const Array& a) {
  return a.astype(int64).to_vector<std::int64_t>();
}

TEST_F(Manipulation, PartsAreRepeatedAsOftenAsTheirCountsSay) {
  const Array a = array({{1, 2, 4}, {7, 3, 9}});
  EXPECT_EQ(repeat(a, array({1, 0, 2}), 1).shape(), (Shape{2, 3}));
  EXPECT_THAT(integers(repeat(a, array({1, 0, 2}), 1)), ElementsAre(1, 4, 4, 7, 9, 9));
  EXPECT_THAT(integers(repeat(a, {2, 1}, 0)), ElementsAre(1, 2, 4, 1, 2, 4, 7, 3, 9));
  EXPECT_THAT(integers(repeat(a, array({0, 1, 2, 0, 3, 0}))), ElementsAre(2, 4, 4, 3, 3, 3));
  EXPECT_THAT(integers(repeat(a, {2}, -2)), ElementsAre(1, 2, 4, 1, 2, 4, 7, 3, 9, 7, 3, 9));
  EXPECT_THAT(integers(repeat(a, array(2), 0)), ElementsAre(1, 2, 4, 1, 2, 4, 7, 3, 9, 7, 3, 9));
  EXPECT_THAT(integers(repeat(array(5), {3})), ElementsAre(5, 5, 5));
  EXPECT_THAT(integers(repeat(a, array({true, false}, bool_), 0)), ElementsAre(1, 2, 4));
  EXPECT_EQ(repeat(a, zeros(3, int64), 1).shape(), (Shape{2, 0}));
  EXPECT_EQ(repeat(zeros({0, 3}), zeros(0, int64), 0).shape(), (Shape{0, 3}));
  EXPECT_EQ(repeat(a, array({1, 0, 2}), 1).dtype(), int32);
  const Array four = array({1, 1, 1, 1}), halves = array({0.5, 1.0, 2.0});
  expect_refused<ShapeError>(recorder, [&] { repeat(a, four, 1); }, {"[repeat]", "(4,)", "3 parts along axis 1"});
  expect_refused<DTypeError>(recorder, [&] { repeat(a, halves, 1); }, {"[repeat]", "float64", "astype"});
  expect_refused<IndexError>(recorder, [&] { repeat(a, four, 2); }, {"[repeat]"});
  EXPECT_THROW(repeat(a, {1, -1, 2}, 1), ValueError);
}

TEST_F(Manipulation, PadsAsItsOptionsSay) {
  const Array a = array({{1, 2, 4}, {7, 3, 9}}), line = array({1, 2, 4}), peaks = array({1, 9, 2, 5, 4});
  EXPECT_THAT(integers(pad(a, {{1, 0}, {2, 1}}, "constant", {.constant_values = {{1, 2}, {3, 4}}})),
              ElementsAre(3, 3, 1, 1, 1, 4, 3, 3, 1, 2, 4, 4, 3, 3, 7, 3, 9, 4));
  EXPECT_THAT(integers(pad(line, 1, "constant", {.constant_values = {{-1, 8}}})), ElementsAre(-1, 1, 2, 4, 8));
  EXPECT_THAT(integers(pad(line, 3, "reflect", {.reflect_type = "odd"})), ElementsAre(-4, -2, 0, 1, 2, 4, 6, 7, 8));
  EXPECT_THAT(integers(pad(line, {9, 8}, Pad::Reflect, {.reflect_type = "odd"})),
              ElementsAre(-12, -11, -10, -8, -6, -5, -4, -2, 0, 1, 2, 4, 6, 7, 8, 10, 12, 13, 14, 16));
  EXPECT_THAT(integers(pad(line, {7, 6}, "symmetric", {.reflect_type = "odd"})),
              ElementsAre(-5, -5, -4, -2, -2, 0, 1, 1, 2, 4, 4, 6, 7, 7, 8, 10));
  EXPECT_THAT(integers(pad(array({1, 2}), {5, 4}, "reflect", {.reflect_type = "odd"})),
              ElementsAre(-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(integers(pad(peaks, {2, 1}, "maximum", {.stat_length = {{1, 2}}})), ElementsAre(1, 1, 1, 9, 2, 5, 4, 5));
  EXPECT_THAT(integers(pad(peaks, {2, 1}, "mean", {.stat_length = {{3, 9}}})), ElementsAre(4, 4, 1, 9, 2, 5, 4, 4));
  EXPECT_THAT(pad(array({1.0, 2.0}), {2, 4}, "linear_ramp", {.end_values = {{3, -2}}}).to_vector<double>(),
              ElementsAre(3, 2, 1, 2, 1, 0, -1, -2));
  expect_refused<ValueError>(recorder, [&] { pad(line, 1, "edge", {.stat_length = {{1, 1}}}); },
                             {"[pad]", "stat_length", "maximum"});
  expect_refused<ValueError>(recorder, [&] { pad(line, 1, "mean", {.stat_length = {{1, 0}}}); }, {"[pad]", "0"});
  expect_refused<ValueError>(recorder, [&] { pad(line, 1, "reflect", {.reflect_type = "both"}); }, {"[pad]", "both"});
  expect_refused<ValueError>(recorder, [&] { pad(line, 1, "wrap", {.reflect_type = "odd"}); }, {"[pad]", "reflect"});
  expect_refused<ValueError>(recorder, [&] { pad(a, 1, "constant", {.constant_values = {{1, 1}, {1, 1}, {1, 1}}}); },
                             {"[pad]", "3 pairs", "2 axes"});
  const Array bools = array({true, false});
  expect_refused<DTypeError>(recorder, [&] { pad(bools, 1, "reflect", {.reflect_type = "odd"}); }, {"[pad]", "bools"});
}

TEST_F(Manipulation, PaddedCellsAreOfTheLines) {
  const Array a = array({{1, 2, 4}, {7, 3, 9}});
  const std::vector<std::pair<std::int64_t, std::int64_t>> widths = {{1, 0}, {2, 1}};
  EXPECT_THAT(integers(pad(a, widths, "maximum")), ElementsAre(9, 9, 7, 3, 9, 9, 4, 4, 1, 2, 4, 4, 9, 9, 7, 3, 9, 9));
  EXPECT_THAT(integers(pad(a, widths, "minimum")), ElementsAre(1, 1, 1, 2, 4, 1, 1, 1, 1, 2, 4, 1, 3, 3, 7, 3, 9, 3));
  EXPECT_THAT(integers(pad(a, widths, "mean")), ElementsAre(4, 4, 4, 2, 6, 4, 2, 2, 1, 2, 4, 2, 6, 6, 7, 3, 9, 6));
  EXPECT_THAT(integers(pad(a, widths, "median")), ElementsAre(4, 4, 4, 2, 6, 4, 2, 2, 1, 2, 4, 2, 7, 7, 7, 3, 9, 7));
  EXPECT_THAT(integers(pad(a, widths, "linear_ramp", 10)),
              ElementsAre(10, 10, 10, 10, 10, 10, 10, 5, 1, 2, 4, 10, 10, 8, 7, 3, 9, 10));
  EXPECT_THAT(pad(array({1.0, 2.0}), {{2, 4}}, "linear_ramp").to_vector<double>(),
              ElementsAre(0, 0.5, 1, 2, 1.5, 1, 0.5, 0));
  EXPECT_EQ(pad(a, widths, "mean").dtype(), int32);
  const Array around = pad(a, widths, "empty");
  EXPECT_EQ(around.shape(), (Shape{3, 6}));
  EXPECT_THAT(integers(around(slice(1, {}), slice(2, -1))), ElementsAre(1, 2, 4, 7, 3, 9));
  EXPECT_THAT(integers(pad(array({1, 2}), 1, "edge")), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(integers(pad(array({1, 2}), 1, "constant", 7)), ElementsAre(7, 1, 2, 7));
  EXPECT_THAT(pad(array({true, false}), 1, "mean").to_vector<bool>(), ElementsAre(true, true, false, true));
  expect_refused<ValueError>(recorder, [&] { pad(a, 1, "egde"); }, {"[pad]", "egde", "linear_ramp"});
  EXPECT_THAT(pad(array({true, false}), 1, "linear_ramp").to_vector<bool>(), ElementsAre(false, true, false, false));
  const Array none = zeros({0, 2}), bytes = zeros(2, uint8);
  expect_refused<ValueError>(recorder, [&] { pad(none, 1, "mean"); }, {"[pad]", "axis 0", "no cells"});
  expect_refused<ValueError>(recorder, [&] { pad(bytes, 1, "linear_ramp", 300); }, {"[pad]", "300", "uint8"});
  expect_refused<ValueError>(recorder, [&] { pad(bytes, 1, Pad::Constant, 300); }, {"[pad]", "300", "uint8"});
}

TEST_F(Manipulation, WindowsSlideAlongAxes) {
  const Array x = arange(6), y = arange(12).reshape({3, 4});
  EXPECT_EQ(sliding_window_view(x, 3).shape(), (Shape{4, 3}));
  EXPECT_THAT(integers(sliding_window_view(x, 3)), ElementsAre(0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5));
  EXPECT_EQ(sliding_window_view(y, {2, 3}).shape(), (Shape{2, 2, 2, 3}));
  EXPECT_THAT(integers(sliding_window_view(y, {2, 3})),
              ElementsAre(0, 1, 2, 4, 5, 6, 1, 2, 3, 5, 6, 7, 4, 5, 6, 8, 9, 10, 5, 6, 7, 9, 10, 11));
  EXPECT_EQ(sliding_window_view(y, 2, 0).shape(), (Shape{2, 4, 2}));
  EXPECT_THAT(integers(sliding_window_view(y, 2, 0)), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7, 4, 8, 5, 9, 6, 10, 7, 11));
  EXPECT_EQ(sliding_window_view(y, {2, 2}, {1, 1}).shape(), (Shape{3, 2, 2, 2}));
  EXPECT_THAT(integers(sliding_window_view(y, {2, 2}, {1, 1})(0)), ElementsAre(0, 1, 1, 2, 1, 2, 2, 3));
  EXPECT_EQ(sliding_window_view(x, 0).shape(), (Shape{7, 0}));
  EXPECT_EQ(sliding_window_view(x, 6).shape(), (Shape{1, 6}));
  const Array seen = sliding_window_view(x, 1);
  seen(0, 0) = 9;
  EXPECT_EQ(x(0).item<std::int64_t>(), 0) << "a copy";
  // More cells than there are views of.
  const Array wide = sliding_window_view(arange(100).reshape({2, 50}), 40, 1);
  EXPECT_EQ(wide.shape(), (Shape{2, 11, 40}));
  for (const auto& [row, place, cell] : {std::array{0, 0, 0}, {0, 10, 39}, {1, 3, 17}})
    EXPECT_EQ(wide(row, place, cell).item<std::int64_t>(), 50 * row + place + cell);
  expect_refused<ValueError>(recorder, [&] { sliding_window_view(x, 7); }, {"[sliding_window_view]", "7 cells", "6"});
  expect_refused<ValueError>(recorder, [&] { sliding_window_view(x, -1); }, {"[sliding_window_view]", "-1"});
  expect_refused<ValueError>(recorder, [&] { sliding_window_view(y, 2); }, {"(2,)", "2 axes"});
  expect_refused<IndexError>(recorder, [&] { sliding_window_view(y, 2, 2); }, {"[sliding_window_view]"});
}

}  // namespace
}  // namespace pilum::numeric
