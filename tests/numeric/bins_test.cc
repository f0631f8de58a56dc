// Numbers in bins and between places; sums of products by letters: with literals, and what is refused.
#include "pilum/bins.h"

#include <cmath>
#include <complex>

#include "pilum/functions.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/polynomials.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using Bins = NumericTest;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

// Three blocks; on edges, outside, and NaN.
TEST_F(Bins, ManyNumbersAreCountedBlockByBlock) {
  constexpr std::int64_t kNumbers = 150'001, kBins = 48;
  Reals numbers;
  for (std::int64_t i = 0; i < kNumbers; ++i) numbers.push_back(static_cast<double>(i * 7919 % 2003) / 16 - 20);
  numbers[7] = kNan;
  numbers[70'000] = 75.5;
  const auto expect_counts = [&](const Array& a, const Reals& cells) {
    const auto [counts, edges] = histogram(a, kBins, {.range = {{-2, 75.5}}});
    const Reals bounds = edges.astype<double>().to_vector<double>();
    Integers expected(kBins);
    for (const double cell : cells) {
      for (std::size_t bin = 0; bin < kBins; ++bin) {
        const bool is_below = cell < bounds[bin + 1] || (bin + 1 == kBins && cell == bounds[kBins]);
        expected[bin] += bounds[bin] <= cell && is_below;
      }
    }
    EXPECT_EQ(counts.to_vector<std::int64_t>(), expected);
  };
  const Array a = array(numbers);
  expect_counts(a, numbers);
  expect_counts(a.astype<float>(), numbers);  // sixteenths
  Reals every_third;
  for (std::int64_t i = kNumbers - 1; i >= 0; i -= 3) every_third.push_back(numbers[static_cast<std::size_t>(i)]);
  expect_counts(a(slice({}, {}, -3)), every_third);
  const Array whole = floor(where(isnan(a), 0.0, a)).astype<std::int16_t>();
  Reals floors;
  for (const std::int16_t cell : whole.to_vector<std::int16_t>()) floors.push_back(cell);
  expect_counts(whole, floors);
  Integers expected(256);
  for (const double cell : floors) ++expected[static_cast<std::size_t>(cell) & 0xff];
  EXPECT_EQ(bincount(whole.astype<std::uint8_t>(), 256).to_vector<std::int64_t>(), expected);
}

TEST_F(Bins, NumbersAreFoundAmongSortedOnes) {
  const Array a = array({1.0, 2.0, 2.0, 4.0}), matrix = zeros({2, 2}), complex = zeros({2}, complex128);
  EXPECT_EQ(searchsorted(a, array({0.0, 2.0, 3.0, kNan})).to_vector<std::int64_t>(), (Integers{0, 1, 3, 4}));
  EXPECT_EQ(searchsorted(a, array({2.0, 4.0}), "right").to_vector<std::int64_t>(), (Integers{3, 4}));
  EXPECT_EQ(searchsorted(a, 2).item<std::int64_t>(), 1);
  EXPECT_EQ(searchsorted(a, zeros({2, 0})).shape(), (Shape{2, 0}));
  EXPECT_EQ(digitize(array({0.5, 1.0, 4.0}), a(slice(0, 2))).to_vector<std::int64_t>(), (Integers{0, 1, 2}));
  EXPECT_EQ(digitize(array({0.5, 1.0, 4.0}), array({4.0, 1.0}), true).to_vector<std::int64_t>(), (Integers{2, 2, 1}));
  EXPECT_THROW(digitize(a, array({1.0, 3.0, 2.0})).to_vector<std::int64_t>(), ValueError);
  expect_refused<ShapeError>(recorder, [&] { searchsorted(matrix, a); }, {"[searchsorted]", "(2, 2)"});
  expect_refused<ValueError>(recorder, [&] { searchsorted(a, a, "middle"); }, {"[searchsorted]", "middle"});
  expect_refused<DTypeError>(recorder, [&] { digitize(complex, a); }, {"[digitize]", "complex128"});
  expect_refused<ShapeError>(recorder, [&] { digitize(a, matrix); }, {"[digitize]", "(2, 2)"});
}

TEST_F(Bins, ValuesAreReadBetweenPlaces) {
  const Array xp = array({1.0, 2.0, 4.0}), fp = array({10.0, 20.0, 0.0}), two = zeros({2}), none = zeros({0});
  EXPECT_EQ(interp(array({0.0, 1.5, 3.0, 9.0}), xp, fp).to_vector<double>(), (Reals{10, 15, 10, 0}));
  EXPECT_EQ(interp(array({0.0, 9.0}), xp, fp, -1.0, -2.0).to_vector<double>(), (Reals{-1, -2}));
  EXPECT_EQ(interp(array({0.0, 4.5}), xp, fp, {}, {}, 5.0).to_vector<double>(), (Reals{5, 2.5}));
  EXPECT_EQ(interp(1.5, xp, fp).item<double>(), 15);
  EXPECT_EQ(interp(array({kNan}), array({1.0}), array({5.0})).item<double>(), 5);
  const Array nowhere = interp(array({kNan}), xp, fp * std::complex<double>(1, 2));
  EXPECT_TRUE(std::isnan(nowhere.to_vector<std::complex<double>>()[0].real()));
  EXPECT_EQ(nowhere.to_vector<std::complex<double>>()[0].imag(), 0);
  expect_refused<ShapeError>(recorder, [&] { interp(xp, xp, two); }, {"[interp]", "3 places", "2 values"});
  expect_refused<ValueError>(recorder, [&] { interp(xp, none, none); }, {"[interp]"});
  expect_refused<ValueError>(recorder, [&] { interp(xp, xp, fp, {}, {}, 0.0); }, {"[interp]", "period"});
}

TEST_F(Bins, CountsWithoutCopiesOfWhatHasTheDtype) {
  const Array x = array({0, 3, 1, 1}, int64), weights = array({0.5, 1.0, 0.25, 4.0});
  const std::size_t before = recorder.recorded().size();
  EXPECT_EQ(bincount(x, weights).to_vector<double>(), (Reals{0.5, 4.25, 0, 1}));
  EXPECT_EQ(bincount(x).to_vector<std::int64_t>(), (Integers{1, 2, 0, 1}));
  for (std::size_t k = before; k < recorder.recorded().size(); ++k) EXPECT_NE(recorder.recorded()[k].name, "astype");
}

TEST_F(Bins, NumbersAreCounted) {
  const Array x = array({1, 3, 1, 0}), half = array({0.5}), two = zeros({2});
  EXPECT_EQ(bincount(x).to_vector<std::int64_t>(), (Integers{1, 2, 0, 1}));
  EXPECT_EQ(bincount(x, 6).shape(), (Shape{6}));
  EXPECT_EQ(bincount(x, array({0.5, 1.0, 0.25, 4.0})).to_vector<double>(), (Reals{4, 0.75, 0, 1}));
  const auto [counts, edges] = histogram(array({0.0, 1.0, 2.0, 2.0, 4.0}), 2);
  EXPECT_EQ(counts.to_vector<std::int64_t>(), (Integers{2, 3}));
  EXPECT_EQ(edges.to_vector<double>(), (Reals{0, 2, 4}));
  EXPECT_EQ(histogram(array({0.0, 1.0, 5.0, kNan}), array({0.0, 1.0, 3.0})).first.to_vector<std::int64_t>(),
            (Integers{1, 1}));
  const auto dense = histogram(array({0.0, 1.0, 3.0}), 2, {.range = {0, 4}, .density = true}).first;
  EXPECT_EQ(dense.to_vector<double>(), (Reals{2 / 3.0 / 2, 1 / 3.0 / 2}));
  EXPECT_EQ(histogram(x, 1, {.weights = array({1.0, 2.0, 3.0, 4.0})}).first.item<double>(), 10);
  EXPECT_THROW(histogram(x, array({1.0, 3.0, 2.0})).first.to_vector<std::int64_t>(), ValueError);
  EXPECT_THROW(bincount(array({1, -1})), ValueError);
  expect_refused<DTypeError>(recorder, [&] { bincount(half); }, {"[bincount]", "float64"});
  expect_refused<ShapeError>(recorder, [&] { bincount(x, two); }, {"[bincount]", "(2,)"});
  expect_refused<ValueError>(recorder, [&] { bincount(x, -1); }, {"[bincount]", "minlength"});
  expect_refused<ValueError>(recorder, [&] { histogram(x, 0); }, {"[histogram]", "0 bins"});
  expect_refused<ValueError>(recorder, [&] { histogram(x, 3, {.range = {{2, 1}}}); }, {"[histogram]", "falls"});
  expect_refused<ShapeError>(recorder, [&] { histogram(x, 3, {.weights = two}); }, {"[histogram]", "weights"});
}

TEST_F(Bins, ARangeMayStandBehindTheirNumber) {
  const Array a = array({0.5, 1.5, 1.6, 7.0});
  EXPECT_EQ(histogram(a, 2, {0, 2}).first.to_vector<std::int64_t>(), (Integers{1, 2}));
  EXPECT_EQ(histogram(a, 2, {0, 2}).second.to_vector<double>(), (Reals{0, 1, 2}));
  EXPECT_EQ(histogram(a, 2, {}).first.to_vector<std::int64_t>(), (Integers{3, 1}));
}

TEST_F(Bins, PolynomialsAndAngles) {
  EXPECT_EQ(polyval({2.0, 0.0, 1.0}, array({1.0, 3.0})).to_vector<double>(), (Reals{3, 19}));
  EXPECT_EQ(polyval(array({1, 2}), array({5})).to_vector<std::int64_t>(), (Integers{7}));
  EXPECT_EQ(vander(array({2.0, 3.0}), 3).to_vector<double>(), (Reals{4, 2, 1, 9, 3, 1}));
  EXPECT_EQ(vander(array({2.0, 3.0}), 2, true).to_vector<double>(), (Reals{1, 2, 1, 3}));
  EXPECT_EQ(ediff1d(array({1.0, 3.0, 6.0}), array({9.0})).to_vector<double>(), (Reals{2, 3, 9}));
  EXPECT_EQ(unwrap(array({0.0, 3.0, 1.0, 2.0}), {}, -1, 3.0).to_vector<double>(), (Reals{0, 0, 1, 2}));
  const Array matrix = zeros({2, 2}), whole = array({1}), half = array({0.5});
  expect_refused<ShapeError>(recorder, [&] { vander(matrix); }, {"[vander]", "(2, 2)"});
  expect_refused<DTypeError>(recorder, [&] { ediff1d(whole, half); }, {"[ediff1d]", "float64"});
}

TEST_F(Bins, LettersSaySumsOfProducts) {
  const Array a = array({{1.0, 2.0}, {3.0, 4.0}}), b = array({{5.0, 6.0}, {7.0, 8.0}});
  EXPECT_EQ(einsum("ij,jk->ik", a, b).to_vector<double>(), (Reals{19, 22, 43, 50}));
  EXPECT_EQ(einsum("ii", a).item<double>(), 5);
  EXPECT_EQ(einsum("ji", a).to_vector<double>(), (Reals{1, 3, 2, 4}));
  EXPECT_EQ(einsum("ij,ij->i", a, b).to_vector<double>(), (Reals{17, 53}));
  EXPECT_EQ(einsum("i,ij,j", a(0), b, a(1)).item<double>(), 145);
  EXPECT_EQ(einsum("i->", array({INT32_MAX, 1})).dtype(), int32);
  EXPECT_EQ(kron(array({1, 2}), array({1, 10})).to_vector<std::int32_t>(), (std::vector<std::int32_t>{1, 10, 2, 20}));
  EXPECT_EQ(cross(array({1.0, 0.0, 0.0}), array({0.0, 1.0, 0.0})).to_vector<double>(), (Reals{0, 0, 1}));
  const Array tall = zeros({3, 2}), deep = zeros({1, 1, 1, 1, 1});
  expect_refused<ValueError>(recorder, [&] { einsum("ij,jk->iz", a, b); }, {"[einsum]", "'z'"});
  expect_refused<ValueError>(recorder, [&] { einsum("ij,jk", a); }, {"[einsum]", "2 arrays"});
  expect_refused<ValueError>(recorder, [&] { einsum("i+j->i", tall); }, {"[einsum]", "'+'"});
  expect_refused<ShapeError>(recorder, [&] { einsum("ijk->i", a); }, {"[einsum]", "(2, 2)"});
  expect_refused<ShapeError>(recorder, [&] { einsum("ij,jk", a, tall); }, {"[einsum]", "'j'"});
  expect_refused<ShapeError>(recorder, [&] { cross(a, b); }, {"[cross]", "2 cells"});
  expect_refused<ShapeError>(recorder, [&] { kron(deep, a); }, {"[kron]", "4 axes"});
}

TEST_F(Bins, PointsAreCountedInTheCellsOfAGrid) {
  const Array x = array({0.0, 0.5, 1.0, 2.0}), y = array({0.0, 0.0, 3.0, 9.0});
  const GridHistogram found = histogram2d(x, y, std::pair(2, 3), {.ranges = {{0, 2}, {0, 3}}});
  EXPECT_THAT(found.H.to_vector<double>(), testing::ElementsAre(2, 0, 0, 0, 0, 1));
  EXPECT_THAT(found.edges[0].to_vector<double>(), testing::ElementsAre(0, 1, 2));
  const Array edges = array({0.0, 1.0, 10.0});
  EXPECT_THAT(histogram2d(x, y, edges, edges).H.to_vector<double>(), testing::ElementsAre(2, 0, 0, 2));
  expect_refused<ShapeError>(recorder, [&] { histogram2d(x, edges); }, {"[histogram2d]", "(3,)"});
  expect_refused<ShapeError>(recorder, [&] { histogramdd(x, {2}); }, {"[histogramdd]", "(4,)"});
  expect_refused<ValueError>(recorder, [&] { histogram2d(x, y, 0); }, {"[histogram2d]", "0 bins"});
}

TEST_F(Bins, RulesChooseTheNumberOfBins) {
  const Array a = arange(0, 64).astype(float64);  // 0 to 63
  const auto bins_by = [&](const char* rule) { return histogram(a, rule).first.size(); };
  EXPECT_EQ(bins_by("sqrt"), 8);
  EXPECT_EQ(bins_by("sturges"), 7);
  EXPECT_EQ(bins_by("rice"), 8);
  EXPECT_EQ(bins_by("fd"), 4);
  EXPECT_EQ(bins_by("auto"), 7);
  EXPECT_EQ(histogram_bin_edges(a, "sturges").to_vector<double>(), histogram(a, 7).second.to_vector<double>());
  EXPECT_EQ(histogram(zeros(0), "auto").first.size(), 1);
  EXPECT_EQ(histogram(ones(9), "fd").first.to_vector<std::int64_t>(), std::vector<std::int64_t>{9});
  EXPECT_EQ(histogram(arange(0, 3), "sqrt").first.size(), 2);  // of integers no bin is narrower than 1
}

TEST_F(Bins, RulesRefuseNamesAndWeights) {
  const Array a = arange(0, 4);
  expect_refused<ValueError>(recorder, [&] { histogram(a, "best"); }, {"[histogram]", "\"best\"", "\"sturges\""});
  expect_refused<ValueError>(recorder, [&] { histogram(a, "auto", {.weights = a}); }, {"weights", "number of bins"});
  expect_refused<ValueError>(recorder, [&] { histogram_bin_edges(a, 0); }, {"[histogram_bin_edges] 0 bins"});
}

TEST_F(Bins, PolynomialsAreMultipliedAndDivided) {
  EXPECT_EQ(polymul(array({0L, 1L, 2L}), array({1L, -2L})).to_vector<std::int64_t>(), (Integers{1, 0, -4}));
  const auto [quotient, rest] = polydiv(array({1.0, 0.0, -3.0}), array({1.0, -2.0}));
  EXPECT_EQ(quotient.to_vector<double>(), (Reals{1, 2}));
  EXPECT_EQ(rest.to_vector<double>(), (Reals{1}));
  EXPECT_EQ(poly(array({1, 2, 3})).to_vector<double>(), (Reals{1, -6, 11, -6}));
  EXPECT_EQ(poly(zeros(0)).item<double>(), 1);
  EXPECT_EQ(polyint(array({2.0}), 2, {5, 7}).to_vector<double>(), (Reals{1, 5, 7}));
  const Array none = zeros(0), line = ones(2), oblong = ones({2, 3});
  expect_refused<ValueError>(recorder, [&] { polydiv(line, none); }, {"[polydiv]", "at least"});
  expect_refused<ShapeError>(recorder, [&] { poly(oblong); }, {"[poly]", "(2, 3)", "square"});
  expect_refused<ValueError>(recorder, [&] { polyint(line, 3, {1, 2}); }, {"[polyint] 2 constants for 3"});
}

}  // namespace
}  // namespace pilum::numeric
