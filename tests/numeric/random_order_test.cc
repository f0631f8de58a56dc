// Permutations and choices: each order, and each cell, is as likely as it should be.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "pilum/indexing.h"
#include "pilum/random.h"
#include "pilum/sort.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using random::default_rng;
using RandomOrder = NumericTest;
using Numbers = std::vector<std::int64_t>;

Numbers in_order(Numbers numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}
Numbers first(std::int64_t n) {
  Numbers numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Chi square of what was seen against what is expected, in deviations from its mean.
double deviations(const std::map<Numbers, int>& seen, const std::map<Numbers, double>& expected) {
  double sum = 0;
  for (const auto& [what, times] : expected) {
    const auto found = seen.find(what);
    const double distance = (found == seen.end() ? 0 : found->second) - times;
    sum += distance * distance / times;
  }
  const double freedom = static_cast<double>(expected.size()) - 1;
  return (sum - freedom) / std::sqrt(2 * freedom);
}

TEST_F(RandomOrder, APermutationHasEachNumberOnce) {
  auto rng = default_rng(1);
  const Numbers drawn = cells(rng.permutation(1000));
  EXPECT_EQ(in_order(drawn), first(1000));
  EXPECT_NE(drawn, first(1000));
  EXPECT_NE(drawn, cells(rng.permutation(1000)));
  EXPECT_EQ(drawn, cells(default_rng(1).permutation(1000)));
  EXPECT_EQ(rng.permutation(0).shape(), Shape{0});
  EXPECT_EQ(rng.permutation(-3).shape(), Shape{0});  // as in NumPy
  EXPECT_EQ(cells(rng.permutation(1)), Numbers{0});
}

TEST_F(RandomOrder, EveryOrderIsAsLikely) {
  auto rng = default_rng(2);
  std::map<Numbers, int> seen;
  std::map<Numbers, double> expected;
  constexpr int kTimes = 2400;
  Numbers order = first(4);
  do expected[order] = kTimes / 24.0;
  while (std::next_permutation(order.begin(), order.end()));
  for (int k = 0; k < kTimes; ++k) ++seen[cells(rng.permutation(4))];
  EXPECT_EQ(seen.size(), 24u);
  EXPECT_LT(std::abs(deviations(seen, expected)), 4);
}

TEST_F(RandomOrder, OfAnArrayAnAxisIsPermutedAndLinesStayWhole) {
  auto rng = default_rng(3);
  const Array a = arange(60).reshape({20, 3});
  const Array b = rng.permutation(a);
  EXPECT_EQ(b.shape(), (Shape{20, 3}));
  const Numbers firsts = cells(b(all, 0));
  EXPECT_EQ(in_order(firsts), cells(a(all, 0)));
  EXPECT_NE(firsts, cells(a(all, 0)));
  EXPECT_EQ(cells(b(all, 2) - b(all, 0)), Numbers(20, 2));
  const Array c = rng.permutation(a.T(), -1);
  EXPECT_EQ(c.shape(), (Shape{3, 20}));
  EXPECT_EQ(in_order(cells(c(1, all))), cells(a(all, 1)));
  EXPECT_EQ(cells(c(1, all) - c(0, all)), Numbers(20, 1));
  EXPECT_EQ(cells(a), first(60));
}

TEST_F(RandomOrder, ShuffleWritesTheArray) {
  Array a = arange(30).reshape({10, 3});
  const Array kept = a.copy();
  default_rng(4).shuffle(a);
  EXPECT_EQ(cells(a), cells(default_rng(4).permutation(kept)));
  default_rng(5).shuffle(a(slice(2, 8), slice({}, {}, 2)), 0);
  EXPECT_EQ(in_order(cells(a(slice(2, 8), 0))), in_order(cells(a(slice(2, 8), 2) - 2)));
  Array columns = kept.copy();
  default_rng(6).shuffle(columns, 1);
  EXPECT_EQ(cells(sort(columns, 1)), cells(kept));
}

// Few of many: none twice, each place has every number as often, and all numbers are drawn.
TEST_F(RandomOrder, FewOfManyAreEachAsLikely) {
  constexpr std::int64_t kOf = 5000, kDrawn = 600, kRounds = 300;
  auto rng = default_rng(20261127);
  std::vector<double> parts(20), firsts(20);
  for (std::int64_t round = 0; round < kRounds; ++round) {
    const Numbers drawn = cells(rng.choice(kOf, {30, 20}, /*replace=*/false));
    for (const std::int64_t number : drawn) ++parts[static_cast<std::size_t>(number * 20 / kOf)];
    for (std::size_t i = 0; i < 10; ++i) ++firsts[static_cast<std::size_t>(drawn[i] * 20 / kOf)];
    const Numbers sorted = in_order(drawn);
    ASSERT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
    ASSERT_GE(sorted.front(), 0);
    ASSERT_LT(sorted.back(), kOf);
  }
  const auto chi_squared = [](const std::vector<double>& counts, double expected) {
    double sum = 0;
    for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
    return sum;
  };
  EXPECT_LT(chi_squared(parts, kRounds * kDrawn / 20.0), 43.8);  // of 19 degrees of freedom 999 of 1000
  EXPECT_LT(chi_squared(firsts, kRounds * 10 / 20.0), 43.8);
  EXPECT_EQ(rng.choice(kOf, 0, false).shape(), Shape{0});
}

TEST_F(RandomOrder, AChoiceTakesCellsByNumber) {
  auto rng = default_rng(7);
  EXPECT_EQ(rng.choice(5).shape(), Shape{});
  const Numbers drawn = cells(rng.choice(3, 3000));
  for (std::int64_t number = 0; number < 3; ++number)
    EXPECT_NEAR(static_cast<double>(std::count(drawn.begin(), drawn.end(), number)), 1000,
                4 * std::sqrt(3000 * 2 / 9.0));
  EXPECT_EQ(in_order(cells(rng.choice(8, 8, /*replace=*/false))), first(8));
  const Numbers some = in_order(cells(rng.choice(100, {2, 10}, false)));
  EXPECT_EQ(std::adjacent_find(some.begin(), some.end()), some.end());
  const Array table = arange(12).reshape({3, 4});
  EXPECT_EQ(rng.choice(table, 5).shape(), (Shape{5, 4}));
  EXPECT_EQ(rng.choice(table, {2, 2}, true, {}, 1).shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(rng.choice(table).shape(), Shape{4});
  EXPECT_EQ(in_order(cells(rng.choice(table, 4, false, {}, -1)(0, all))), first(4));
  EXPECT_EQ(rng.choice(0, 0).shape(), Shape{0});
  EXPECT_EQ(rng.choice(3, {2, 0}, false).shape(), (Shape{2, 0}));
}

TEST_F(RandomOrder, ProbabilitiesSayHowOftenACellIsChosen) {
  auto rng = default_rng(8);
  const Array p = array({0.5, 0.0, 0.125, 0.375});
  const Numbers drawn = cells(rng.choice(4, 8000, true, p));
  std::map<Numbers, int> seen;
  for (const std::int64_t number : drawn) ++seen[{number}];
  EXPECT_EQ(seen.count({1}), 0u);
  EXPECT_LT(std::abs(deviations(seen, {{{0}, 4000}, {{2}, 1000}, {{3}, 3000}})), 4);
  EXPECT_EQ(cells(rng.choice(array({7, 8, 9}), 5, true, array({0.0, 1.0, 0.0}))), Numbers(5, 8));
  const Array whole = rng.choice(2, 3, true, array({0, 1}));  // integers are probabilities, too
  EXPECT_EQ(cells(whole), Numbers(3, 1));
  EXPECT_EQ(rng.choice(2, Shape{}, true, array({0.5, 0.5})).shape(), Shape{});
}

// The first by its probability, the second by its share of what is left.
TEST_F(RandomOrder, WithoutReplacementProbabilitiesAreOfWhatIsLeft) {
  auto rng = default_rng(9);
  const double p[] = {0.1, 0.6, 0.3};
  constexpr int kTimes = 3000;
  std::map<Numbers, int> seen;
  std::map<Numbers, double> expected;
  for (std::int64_t a = 0; a < 3; ++a) {
    for (std::int64_t b = 0; b < 3; ++b) {
      if (a != b) expected[{a, b}] = kTimes * p[a] * p[b] / (1 - p[a]);
    }
  }
  const Array probabilities = array({0.1, 0.6, 0.3});
  for (int k = 0; k < kTimes; ++k) ++seen[cells(rng.choice(3, 2, false, probabilities))];
  EXPECT_LT(std::abs(deviations(seen, expected)), 4);
  EXPECT_EQ(in_order(cells(rng.choice(4, 2, false, array({0.0, 0.5, 0.0, 0.5})))), (Numbers{1, 3}));
}

TEST_F(RandomOrder, RefusesWhatNumPyRefuses) {
  auto rng = default_rng(1);
  const Array three = ones(3), cell = three(0), none = zeros(0);
  expect_refused<ValueError>(recorder, [&] { rng.choice(0); }, {"[choice] there are 0 to draw from"});
  expect_refused<ValueError>(recorder, [&] { rng.choice(-1, 2); }, {"[choice] there are -1 to draw from"});
  expect_refused<ValueError>(recorder, [&] { rng.choice(none); }, {"[choice] there are 0 to draw from"});
  expect_refused<ShapeError>(recorder, [&] { rng.choice(cell); }, {"[choice]", "choice(n)"});
  expect_refused<IndexError>(recorder, [&] { rng.choice(three, 2, true, {}, 1); }, {"[choice]"});
  expect_refused<ShapeError>(recorder, [&] { rng.choice(3, {-1}); }, {"[choice]", "(-1,)"});
  expect_refused<ValueError>(recorder, [&] { rng.choice(5, {2, 3}, false); },
                             {"[choice] 6 of 5 cannot be drawn without replacement", "replace = true"});
  expect_refused<ValueError>(recorder, [&] { rng.choice(4, 2, true, three); }, {"[choice] p of shape (3,)", "(4,)"});
  expect_refused<IndexError>(recorder, [&] { rng.permutation(three, 1); }, {"[permutation]"});
  expect_refused<IndexError>(recorder, [&] { rng.permutation(cell); }, {"[permutation]"});
  expect_refused<IndexError>(recorder, [&] { rng.shuffle(cell); }, {"[shuffle]"});
  expect_refused<ValueError>(recorder, [&] { rng.shuffle(broadcast_to(cell, 3)); }, {"[shuffle]"});
  EXPECT_EQ(cells(rng.permutation(9)), cells(default_rng(1).permutation(9)));
}

// p is looked at, which is recorded, and waited for.
TEST_F(RandomOrder, ProbabilitiesAreCheckedAtTheCall) {
  auto rng = default_rng(1);
  const auto says = [&](const Array& p, int count, bool replace) {
    try {
      rng.choice(2, count, replace, p);
    } catch (const ValueError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  using testing::HasSubstr;
  EXPECT_THAT(says(array({0.25, 0.5}), 3, true), HasSubstr("[choice] the probabilities sum to 0.75: divide p by"));
  EXPECT_THAT(says(array({1.5, -0.5}), 3, true), HasSubstr("[choice] a probability is -0.5: give 0 or more"));
  EXPECT_THAT(says(array({kNan, 0.5}), 3, true), HasSubstr("[choice] a probability is nan"));
  EXPECT_THAT(says(array({1.0, 0.0}), 2, false), HasSubstr("1 probabilities are above 0, and 2 are drawn"));
  EXPECT_THAT(says(array({0.5, 0.5}), 2, false), "nothing");
}

}  // namespace
}  // namespace pilum::numeric
