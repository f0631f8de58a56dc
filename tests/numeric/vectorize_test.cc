#include "pilum/vectorize.h"

#include <functional>

#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Vectorize = NumericTest;
using OwnReduction = NumericTest;

const auto kPick = vectorize([](auto x, auto y) { return numeric::where(x > y, x * y, x + y); });

TEST_F(Vectorize, AppliesTheFunctionToCellsThatBroadcast) {
  const Array a = array({1.0, 5.0, 3.0}), b = array({2.0, 4.0, 3.0});
  EXPECT_THAT(kPick(a, b).to_vector<double>(), ElementsAre(3, 20, 6));
  EXPECT_THAT(kPick(a, 2).to_vector<double>(), ElementsAre(3, 10, 6));
  EXPECT_EQ(kPick(a.reshape({3, 1}), b).shape(), (Shape{3, 3}));
  EXPECT_EQ(kPick(2, 3).item<std::int64_t>(), 5);
  EXPECT_EQ(kPick(zeros({0, 2}), 1).shape(), (Shape{0, 2}));
  const Array grid = kPick(array({{1}, {6}}), a);
  EXPECT_THAT(grid.to_vector<double>(), ElementsAre(2, 6, 4, 6, 30, 18));
}

TEST_F(Vectorize, NumbersStayWeak) {
  const auto twice = vectorize([](auto x, auto factor) { return x * factor; });
  EXPECT_EQ(twice(ones(2, float32), 2.0).dtype(), float32);
  EXPECT_EQ(twice(ones(2, int32), 2).dtype(), int32);
}

TEST_F(Vectorize, ResultsHaveTheCommonShapeWhateverTheyFollowFrom) {
  const auto first = vectorize([](const auto& x, const auto&) { return x; });
  EXPECT_EQ(first(ones(3), ones({2, 1})).shape(), (Shape{2, 3}));
  const auto constant = vectorize([](auto) { return 7; });
  EXPECT_THAT(constant(zeros(2)).to_vector<std::int64_t>(), ElementsAre(7, 7));
  const auto smallest = vectorize([](auto x) { return array({1.0, 2.0})(0) + 0 * x(0); });
  EXPECT_THAT(smallest(zeros(2)).to_vector<double>(), ElementsAre(1, 1));
}

TEST_F(Vectorize, SeveralResultsComeAsATuple) {
  const auto both = vectorize([](auto x, auto y) { return std::tuple(x + y, x - y); });
  const auto [sum, difference] = both(array({5, 6}), 2);
  EXPECT_THAT(sum.to_vector<std::int32_t>(), ElementsAre(7, 8));
  EXPECT_THAT(difference.to_vector<std::int32_t>(), ElementsAre(3, 4));
  const auto three = vectorize([](auto x) { return std::array<Array, 3>{x, x + 1, x * 2}; });
  EXPECT_THAT(std::get<2>(three(array({5, 6}))).to_vector<std::int32_t>(), ElementsAre(10, 12));
  const auto pair = vectorize([](auto x) { return std::pair(x, 2.5); });
  EXPECT_THAT(std::get<1>(pair(zeros(2))).to_vector<double>(), ElementsAre(2.5, 2.5));
}

TEST_F(Vectorize, KeepsAStateAndReadsWhatItIsCalledWithNow) {
  double factor = 2;
  const auto scaled = vectorize([&factor](auto x) { return factor * x; });
  factor = 3;
  EXPECT_EQ(scaled(ones(1)).item<double>(), 3);
}

TEST_F(Vectorize, ErrorsNameTheFunctionAndTheCall) {
  const Array bools = ones(2, bool_), pairs = ones(2), triples = ones(3);
  const auto difference = vectorize([](auto x, auto y) { return x - y; }, "difference");
  expect_refused<ShapeError>(recorder, [&] { difference(pairs, triples); }, {"[difference]", "(2,)", "(3,)"});
  expect_refused<ShapeError>(recorder, [&] { kPick(pairs, triples); }, {"[vectorize]", "(2,)", "(3,)"});
  expect_refused<DTypeError>(recorder, [&] { difference(bools, bools); }, {"[subtract]", "in [difference], called at"});
  const Array empty;
  expect_refused<ValueError>(recorder, [&] { difference(empty, pairs); }, {"[difference]"});
}

TEST_F(Vectorize, RefusesResultsOfAnotherShape) {
  const Array pairs = ones(2);
  Array three = ones(3);
  const auto other = vectorize([&three](const auto&) { return three; }, "other");
  expect_refused<ShapeError>(recorder, [&] { other(pairs); }, {"[other]", "(3,)", "(2,)"});
}

TEST_F(OwnReduction, FoldsWhatTheMapMakes) {
  const Array a = array({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const auto squares = reduction([](auto x) { return x * x; }, std::plus<>());
  EXPECT_EQ(squares(a).item<double>(), 91);
  EXPECT_THAT(squares.over(0)(a).to_vector<double>(), ElementsAre(17, 29, 45));
  EXPECT_THAT(squares.over(-1)(a).to_vector<double>(), ElementsAre(14, 77));
  EXPECT_EQ(squares.over({0, 1}, true)(a).shape(), (Shape{1, 1}));
  const auto distance = reduction([](auto x, auto y) { return abs(x - y); }, maximum);
  EXPECT_EQ(distance(a, 2).item<double>(), 4);
  EXPECT_THAT(distance.over(0)(a, array({1.0, 2.0, 9.0})).to_vector<double>(), ElementsAre(3, 3, 6));
}

TEST_F(OwnReduction, HasTheFoldsAndDTypesOfArrays) {
  const auto same = [](auto x) { return x; };
  const Array a = array({2, 3, 4});
  EXPECT_EQ(reduction(same, add)(a).item<std::int64_t>(), 9);
  EXPECT_EQ(reduction(same, multiply)(a).item<std::int64_t>(), 24);
  EXPECT_EQ(reduction(same, std::multiplies<>())(a).dtype(), int64);
  EXPECT_EQ(reduction(same, minimum)(a).item<std::int32_t>(), 2);
  EXPECT_EQ(reduction(same, maximum)(a).dtype(), int32);
  const auto even = [](auto x) { return x % 2 == 0; };
  EXPECT_FALSE(reduction(even, std::logical_and<>())(a).item<bool>());
  EXPECT_TRUE(reduction(even, std::logical_or<>())(a).item<bool>());
  EXPECT_FALSE(reduction(even, logical_and)(a).item<bool>());
  EXPECT_TRUE(reduction(even, logical_or)(a).item<bool>());
}

TEST_F(OwnReduction, StartsFromTheIdentity) {
  const auto same = [](auto x) { return x; };
  EXPECT_EQ(reduction(same, std::plus<>(), 10)(array({1.5, 2.5})).item<double>(), 14);
  EXPECT_EQ(reduction(same, std::plus<>(), 0.0)(array({1, 2})).dtype(), int64);
  EXPECT_EQ(reduction(same, maximum, 5)(array({1, 9})).item<std::int32_t>(), 9);
  EXPECT_EQ(reduction(same, maximum, 50)(array({1, 9})).item<std::int32_t>(), 50);
  EXPECT_EQ(reduction(same, maximum, -3)(zeros(0)).item<double>(), -3);
  EXPECT_THAT(reduction(same, minimum, 3).over(0)(zeros({0, 2})).to_vector<double>(), ElementsAre(3, 3));
  EXPECT_EQ(reduction(same, std::plus<>())(zeros(0)).item<double>(), 0);
}

TEST_F(OwnReduction, RefusesWhatFoldsDo) {
  const auto same = [](auto x) { return x; };
  const Array none = zeros(0), two = ones(2), triples = ones(3);
  const auto largest = reduction(same, maximum);
  expect_refused<ValueError>(recorder, [&] { largest(none); }, {"[max]"});
  expect_refused<IndexError>(recorder, [&] { largest.over(1)(two); }, {"[max]", "1"});
  expect_refused<ValueError>(recorder, [&] { reduction(same, subtract); }, {"[reduction]", "np::add"});
  const auto sums = reduction([](auto x, auto y) { return x + y; }, add);
  expect_refused<ShapeError>(recorder, [&] { sums(two, triples); }, {"[reduction]", "(2,)", "(3,)"});
}

}  // namespace
}  // namespace pilum::numeric
