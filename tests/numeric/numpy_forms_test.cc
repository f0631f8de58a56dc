// Forms of calls that NumPy's users know: options of methods, lists made at run time, lists of axes and places, numbers
// among arrays, words.
#include <array>
#include <complex>
#include <vector>

#include "pilum/bins.h"
#include "pilum/convolve.h"
#include "pilum/dtype_info.h"
#include "pilum/fold_options.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/random.h"
#include "pilum/scan.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using NumpyForms = NumericTest;
using Complex = std::complex<double>;

// [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
Array counted() {
  return arange(12.0).reshape(3, 4);
}

TEST_F(NumpyForms, MethodsTakeTheOptionsOfFolds) {
  const Array a = counted(), chosen = a > 2;
  EXPECT_EQ(a.sum({.initial = 1}).item<double>(), 67);
  EXPECT_EQ(a.sum({.dtype = int32}).dtype(), int32);
  EXPECT_EQ((a + 1).sum({.initial = 1}).item<double>(), 79);
  EXPECT_THAT(a.sum(0, {.initial = 1, .where = chosen}).to_vector<double>(), ElementsAre(13, 15, 17, 22));
  EXPECT_THAT((a + 0).mean(0, {.where = chosen}).to_vector<double>(), ElementsAre(6, 7, 8, 7));
  EXPECT_THAT(a.prod(1, {.initial = 2}).to_vector<double>(), ElementsAre(0, 1680, 15840));
  EXPECT_EQ(a.max({.initial = 20}).item<double>(), 20);
  EXPECT_EQ(a.min(1, {.keepdims = true}).shape(), (Shape{3, 1}));
  EXPECT_EQ(a.var(1, {.ddof = 1}).to_vector<double>(), var(a, 1, 1).to_vector<double>());
  EXPECT_EQ(a.std({.ddof = 1}).item<double>(), std(a, {}, 1).item<double>());
  EXPECT_EQ(a.any({.keepdims = true}).shape(), (Shape{1, 1}));
  EXPECT_THAT(a.all(1, {.where = chosen}).to_vector<bool>(), ElementsAre(true, true, true));
  EXPECT_THAT(a(array({0, 2})).sum(0, {.initial = 1}).to_vector<double>(), ElementsAre(9, 11, 13, 15));
  EXPECT_EQ(a(array({0, 2})).std({.ddof = 1}).item<double>(), std(a(slice({}, {}, 2)), {}, 1).item<double>());
  // As before: axes, keepdims, ddof.
  EXPECT_EQ(a.sum({0, 1}).item<double>(), 66);
  EXPECT_EQ(a.sum({}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ((a + 0).sum(0, true).shape(), (Shape{1, 4}));
  EXPECT_EQ(a.std(0, 1, true).shape(), (Shape{1, 4}));
  EXPECT_EQ(amax(a, 0, {.initial = 9}).to_vector<double>(), (std::vector<double>{9, 9, 10, 11}));
}

TEST_F(NumpyForms, MethodsHaveNumpysNames) {
  const Array a = array({3, 1, 2});
  a.sort();
  EXPECT_THAT(a.to_vector<std::int32_t>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(cells((-a).argsort()), ElementsAre(2, 1, 0));
  EXPECT_EQ(a.ptp().item<std::int32_t>(), 2);
  EXPECT_THAT(doubles(a.take(array({2, 0}))), ElementsAre(3, 1));
  EXPECT_THAT(doubles(a.repeat(2)), ElementsAre(1, 1, 2, 2, 3, 3));
  EXPECT_THAT(doubles(a.compress(array({true, false, true}))), ElementsAre(1, 3));
  EXPECT_EQ(a.searchsorted(2).item<std::int64_t>(), 1);
  EXPECT_THAT(cells((a - 2).nonzero()[0]), ElementsAre(0, 2));
  EXPECT_THAT(doubles(counted().diagonal(1)), ElementsAre(1, 6, 11));
  EXPECT_THAT(doubles((a - 1).choose({a, a + 10, 5})), ElementsAre(1, 12, 5));
  EXPECT_EQ(a.cumsum({}, float32).dtype(), float32);
  const Array z = array({Complex(1, 2)});
  EXPECT_EQ(z.real().item<double>(), 1);
  EXPECT_EQ(z.imag().item<double>(), 2);
  EXPECT_EQ(z.conjugate().item<Complex>(), Complex(1, -2));
  a.put(array({0}), 7);
  EXPECT_THAT(doubles(a), ElementsAre(7, 2, 3));
}

TEST_F(NumpyForms, OfAListWithoutAxesNothingIsFolded) {
  const std::vector<int> none, first = {0};
  const Array a = counted();
  EXPECT_EQ(doubles(sum(a, none)), doubles(a));
  EXPECT_EQ(doubles(a.max(none)), doubles(a));
  EXPECT_EQ(doubles(mean(a, none)), doubles(a));
  EXPECT_EQ(doubles(median(a, none)), doubles(a));
  EXPECT_EQ(doubles(std(a, none)), std::vector<double>(12, 0.0));
  EXPECT_EQ(any(a, none).shape(), (Shape{3, 4}));
  EXPECT_EQ(sum(a, none, true).shape(), (Shape{3, 4}));
  EXPECT_EQ(sum(zeros({0, 3}), none).shape(), (Shape{0, 3}));
  EXPECT_EQ(doubles(flip(a, none)), doubles(a));
  EXPECT_EQ(squeeze(ones({1, 3, 1}), none).shape(), (Shape{1, 3, 1}));
  EXPECT_THAT(doubles(sum(a, first)), ElementsAre(12, 15, 18, 21));
  EXPECT_EQ(sum(a, {}).item<double>(), 66);
  EXPECT_EQ(sum(array(2.0), none).item<double>(), 2);
  EXPECT_EQ(mean(array(2.0), none).item<double>(), 2);
}

TEST_F(NumpyForms, IndicesStandInAListThatIsMadeAtRunTime) {
  const Array a = counted();
  std::vector<Index> indices;
  EXPECT_EQ(a(indices).shape(), (Shape{3, 4}));
  indices.emplace_back(slice(0, 2));
  indices.emplace_back(1);
  EXPECT_THAT(doubles(a(indices)), ElementsAre(1, 5));
  indices.emplace_back(0);
  expect_refused<IndexError>(recorder, [&] { a(indices); }, {"3 indices for shape (3, 4)"});
}

TEST_F(NumpyForms, PickedCellsHaveAllOperatorsInPlace) {
  const Array a = array({1, 2, 3, 4, 5, 6}), places = array({0, 2, 4});
  a(places) %= 2;
  EXPECT_THAT(doubles(a), ElementsAre(1, 2, 1, 4, 1, 6));
  a(a > 3) &= 4;
  EXPECT_THAT(doubles(a), ElementsAre(1, 2, 1, 4, 1, 4));
  a(a > 3) |= 1;
  EXPECT_THAT(doubles(a), ElementsAre(1, 2, 1, 5, 1, 5));
  a(places) ^= 3;
  EXPECT_THAT(doubles(a), ElementsAre(2, 2, 2, 5, 2, 5));
  a(places) <<= array({1, 2, 3});
  EXPECT_THAT(doubles(a), ElementsAre(4, 2, 8, 5, 16, 5));
  a(places) >>= 1;
  EXPECT_THAT(doubles(a), ElementsAre(2, 2, 4, 5, 8, 5));
  const Array halves = array({0.5, 1.5, 2.5});
  expect_refused<DTypeError>(recorder, [&] { a(places) |= halves; }, {"[|=]", "float64"});
}

TEST_F(NumpyForms, AxesAndPlacesStandInLists) {
  const Array a = counted();
  EXPECT_THAT(doubles(array_split(arange(5), {1, 3})[1]), ElementsAre(1, 2));
  EXPECT_EQ(hsplit(a, {1, 3})[1].shape(), (Shape{3, 2}));
  EXPECT_EQ(vsplit(a, {2})[1].shape(), (Shape{1, 4}));
  EXPECT_EQ(dsplit(ones({2, 2, 5}), {1, 2})[2].shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(moveaxis(ones({2, 3, 4, 5}), {0, 1}, {-1, -2}).shape(), (Shape{4, 5, 3, 2}));
  EXPECT_EQ(moveaxis(ones({2, 3, 4}), {2}, {0}).shape(), (Shape{4, 2, 3}));
  expect_refused<ValueError>(recorder, [&] { moveaxis(a, {0, 1}, {1, 1}); }, {"[moveaxis]", "named twice"});
  expect_refused<ValueError>(recorder, [&] { moveaxis(a, {0, 1}, {1}); }, {"2 axes for 1 places"});
  EXPECT_EQ(expand_dims(a, {0, -1}).shape(), (Shape{1, 3, 4, 1}));
  expect_refused<ValueError>(recorder, [&] { expand_dims(a, {0, 0}); }, {"[expand_dims]", "named twice"});
  EXPECT_EQ(doubles(roll(a, 1, {0, 1})), doubles(roll(roll(a, 1, 0), 1, 1)));
  EXPECT_THAT(doubles(concatenate({a, array({7})}, {})), testing::SizeIs(13));
  EXPECT_EQ(concatenate({a, a}, 0, float32).dtype(), float32);
  EXPECT_EQ(stack({a, a}, 0, complex64).dtype(), complex64);
  EXPECT_THAT(doubles(pad(arange(3), {1, 2}, "wrap")), ElementsAre(2, 0, 1, 2, 0, 1));
  EXPECT_THAT(doubles(pad(arange(2), {1, 2})), ElementsAre(0, 0, 1, 0, 0));
  expect_refused<ValueError>(recorder, [&] { pad(a, {1, 2, 3}); }, {"[pad]", "3 widths"});
  EXPECT_EQ(zeros_like(a, {}, {2, 5}).shape(), (Shape{2, 5}));
  EXPECT_EQ(full_like(a, 3, int8, {2}).dtype(), int8);
  EXPECT_EQ(squeeze(array(2.5), 0).item<double>(), 2.5);
}

TEST_F(NumpyForms, DifferencesBeginAndEndWithOtherCells) {
  const Array a = array({1.0, 3.0, 6.0});
  EXPECT_THAT(doubles(diff(a, 1, -1, 0)), ElementsAre(1, 2, 3));
  EXPECT_THAT(doubles(diff(a, 1, -1, {}, 10)), ElementsAre(2, 3, 4));
  EXPECT_THAT(doubles(diff(a, 2, -1, array({0.0, 0.0}), array(9.0))), ElementsAre(1, 1, 1, 0));
  EXPECT_EQ(diff(counted(), 1, 0, counted()).shape(), (Shape{5, 4}));
  EXPECT_EQ(diff(array({1, 2}), 1, -1, 0.5).dtype(), float64);
}

TEST_F(NumpyForms, NumbersStandAmongArrays) {
  const Array a = arange(4.0), low = a < 2;
  EXPECT_THAT(doubles(select({low}, {1.5}, 0)), ElementsAre(1.5, 1.5, 0, 0));
  EXPECT_THAT(doubles(select({low, a < 3}, {a, 7}, -1)), ElementsAre(0, 1, 7, -1));
  const std::vector<Array> choices = {a, -a};
  EXPECT_THAT(doubles(select({low, !low}, choices)), ElementsAre(0, 1, -2, -3));
  EXPECT_THAT(doubles(choose(array({1, 0, 1, 0}), {a, 0.5})), ElementsAre(0.5, 1, 0.5, 3));
  EXPECT_EQ(choose(array({0}), {1, 2.5}).dtype(), float64);
  EXPECT_THAT(doubles(take(a, array({5, -1}), IndexMode::Wrap)), ElementsAre(1, 3));
  EXPECT_THAT(doubles(append(arange(2), 3)), ElementsAre(0, 1, 3));
  EXPECT_EQ(append(arange(2), 0.5).dtype(), float64);
  const Array counts = array({5, 5, 5});
  subtract_at(counts, array({0, 0, 2}), 1);
  EXPECT_THAT(doubles(counts), ElementsAre(3, 5, 4));
}

TEST_F(NumpyForms, GridsAreInTheOrderThatIsSaid) {
  const Array x = arange(3), y = arange(2);
  EXPECT_EQ(meshgrid(x, y, "xy").first.shape(), (Shape{2, 3}));
  EXPECT_EQ(meshgrid(x, y, "ij").first.shape(), (Shape{3, 2}));
  EXPECT_EQ(meshgrid({x, y, x}, "ij")[0].shape(), (Shape{3, 2, 3}));
  EXPECT_EQ(meshgrid(x, y, x)[0].shape(), (Shape{2, 3, 3}));
  expect_refused<ValueError>(recorder, [&] { meshgrid(x, y, "yx"); }, {"[meshgrid]", "\"xy\" and \"ij\""});
}

TEST_F(NumpyForms, VectorsOnTheLeftAreConjugated) {
  const Array v = array({Complex(1, 2), Complex(3, 4)});
  const Array m = array({{Complex(1, 1), Complex(0, 1)}, {Complex(2, 0), Complex(1, -1)}});
  EXPECT_THAT(vecmat(v, m).to_vector<Complex>(), ElementsAre(Complex(9, -9), Complex(1, -6)));
}

TEST_F(NumpyForms, LinalgMeansTheLastTwoAxes) {
  const Array a = arange(24).reshape(2, 3, 4);
  EXPECT_THAT(cells(linalg::trace(a)), ElementsAre(15, 51));
  EXPECT_THAT(cells(linalg::diagonal(a, 1)), ElementsAre(1, 6, 11, 13, 18, 23));
  EXPECT_EQ(linalg::matrix_transpose(a).shape(), (Shape{2, 4, 3}));
  EXPECT_EQ(linalg::outer(arange(2), arange(3)).shape(), (Shape{2, 3}));
  expect_refused<ShapeError>(recorder, [&] { linalg::outer(a, a); }, {"[outer]", "(2, 3, 4)", "np::outer"});
}

TEST_F(NumpyForms, ImagesOfOneRowOrColumnAreConvolved) {
  EXPECT_THAT(doubles(convolve2d(ones({1, 4}), {{1, 2}, {3, 4}})), ElementsAre(1, 3, 3, 3, 2, 3, 7, 7, 7, 4));
  EXPECT_THAT(doubles(convolve2d(ones({1, 5}), ones({3, 3}), "same")), ElementsAre(2, 3, 3, 3, 2));
  EXPECT_THAT(doubles(convolve2d(ones({2, 1}), ones({5, 5}), "same", "fill", 1)), ElementsAre(25, 25));
}

TEST_F(NumpyForms, ReductionsByFunctionsTakeOptions) {
  const Array a = counted(), chosen = a > 2;
  EXPECT_THAT(doubles(reduce(add, a, 0, {.initial = 1})), ElementsAre(13, 16, 19, 22));
  EXPECT_THAT(doubles(reduce(fmax, a, 0, {.initial = 9, .where = chosen})), ElementsAre(9, 9, 10, 11));
  EXPECT_THAT(doubles(reduce(hypot, array({3.0, 100.0, 4.0}), 0, {.where = array({true, false, true})})),
              ElementsAre(5));
  EXPECT_EQ(reduce(bitwise_and, array({6, 9}, uint8), 0, {.where = array({true, false})}).astype<int>().item<int>(), 6);
  EXPECT_EQ(reduce(bitwise_and, array({6, 9}), 0, {.where = array({false, true})}).item<std::int32_t>(), 9);
  EXPECT_EQ(reduce(logaddexp, array({2, 9}), 0, {.where = array({true, false})}).item<double>(), 2);
  EXPECT_EQ(reduce(logical_or, a, {}, {.where = chosen}).item<bool>(), true);
  expect_refused<ShapeError>(recorder, [&] { reduce(hypot, a, 0, {.initial = a}); }, {"[reduce]", "give one number"});
  EXPECT_EQ(reduce(bitwise_xor, array({1, 2}), 0, {.initial = 8}).item<std::int32_t>(), 11);
  EXPECT_EQ(reduce(hypot, array({3, 4}), 0, {.dtype = float32}).dtype(), float32);
  expect_refused<ValueError>(recorder, [&] { diff(a, -1, 0, 0); }, {"[diff]", "n is -1"});
  expect_refused<ValueError>(recorder, [&] { reduce(fmin, a, 0, {.where = chosen}); },
                             {"[reduce]", "give an `initial` value"});
}

TEST_F(NumpyForms, DTypesComeOfAnyNumberOfThings) {
  const Array f = ones({2}, float32), i = ones({2}, int8);
  EXPECT_EQ(result_type(i, 1, f), float32);
  EXPECT_EQ(result_type(int8, f), float32);
  EXPECT_EQ(result_type(int8, 3), int8);
  EXPECT_EQ(result_type(int8, uint8, int16), int16);
  EXPECT_EQ(result_type(f, Complex(0, 1)), complex64);
  EXPECT_EQ(promote_types(int8, uint8), int16);
  EXPECT_EQ(i.astype(float32, Casting::Safe).dtype(), float32);
  expect_refused<DTypeError>(recorder, [&] { f.astype(int8, Casting::Safe); }, {"[astype]", "float32", "int8"});
}

TEST_F(NumpyForms, IntegersAreDrawnBetweenArrays) {
  auto rng = random::default_rng(5);
  const Array low = array({0, 10, -5}), high = array({1, 12, 1000000});
  const std::vector<std::int64_t> drawn = cells(rng.integers(low, high, {2000, 3}));
  std::vector<int> tens(2, 0);
  for (std::size_t k = 0; k < drawn.size(); k += 3) {
    ASSERT_EQ(drawn[k], 0);
    ASSERT_TRUE(drawn[k + 1] == 10 || drawn[k + 1] == 11);
    ASSERT_TRUE(drawn[k + 2] >= -5 && drawn[k + 2] < 1000000);
    ++tens[static_cast<std::size_t>(drawn[k + 1] - 10)];
  }
  EXPECT_NEAR(tens[0], 1000, 120);
  EXPECT_EQ(rng.integers(10, {2, 3}).shape(), (Shape{2, 3}));
  EXPECT_EQ(rng.integers(10, {3}).shape(), Shape{3});
  EXPECT_EQ(rng.integers(low, 2000000).shape(), Shape{3});
  EXPECT_LT(rng.integers(10).item<std::int64_t>(), 10);
  const Array halves = array({0.5, 1.5, 2.5});
  expect_refused<DTypeError>(recorder, [&] { rng.integers(halves, 5); }, {"[integers]", "float64"});
}

TEST_F(NumpyForms, ListsStandWhereArraysMay) {
  const Array a = array({3.0, 1.0, 2.0, 1.0}), b = arange(6, float64).reshape({2, 3});
  const std::vector<int> ends{0, 100};
  EXPECT_EQ(percentile(a, ends).to_vector<double>(), (std::vector<double>{1, 3}));
  EXPECT_EQ(quantile(a, std::array<float, 2>{0, 0.5}).to_vector<double>(), (std::vector<double>{1, 1.5}));
  EXPECT_EQ(cells(argsort(a, -1, "stable")), (std::vector<std::int64_t>{1, 3, 2, 0}));
  EXPECT_EQ(sort(a, -1, "mergesort").to_vector<double>(), (std::vector<double>{1, 1, 2, 3}));
  EXPECT_EQ(tensordot(b, b, {{1}, {1}}).to_vector<double>(), (std::vector<double>{5, 14, 14, 50}));
  EXPECT_EQ(pad(a, 1, "constant", {.constant_values = 2}).to_vector<double>(), (std::vector<double>{2, 3, 1, 2, 1, 2}));
  EXPECT_EQ(pad(a, 1, "maximum", {.stat_length = 2}).to_vector<double>(), (std::vector<double>{3, 3, 1, 2, 1, 2}));
  EXPECT_EQ(Array(b[nonzero(b > 3)]).to_vector<double>(), (std::vector<double>{4, 5}));
  const std::vector<double> chances{0, 1, 0};
  auto rng = random::default_rng(5);
  EXPECT_EQ(cells(rng.choice(3, 4, true, chances)), (std::vector<std::int64_t>{1, 1, 1, 1}));
  EXPECT_EQ(rng.choice(a, {2}, true, {0, 0, 1, 0}).to_vector<double>(), (std::vector<double>{2, 2}));
  expect_refused<ValueError>(recorder, [&] { sort(a, -1, "bubble"); }, {"[sort]", "\"bubble\""});
}

}  // namespace
}  // namespace pilum::numeric
