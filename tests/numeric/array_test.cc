// Handles, assignment, aliasing.
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using Handles = NumericTest;

TEST_F(Handles, NameEqualsArrayRebindsTheName) {
  Array a = ones(3);
  Array b = zeros(3);
  const Array first = a;
  a = b;
  a(0) = 5;
  EXPECT_THAT(b.to_vector<double>(), ElementsAre(5, 0, 0));
  EXPECT_THAT(first.to_vector<double>(), ElementsAre(1, 1, 1));
}

TEST_F(Handles, CallEqualsValueWritesCellsThatEveryNameSees) {
  const Array a = zeros({2, 2});
  const Array b = a;
  b(0, all) = 3;
  a(1, 1) = 7.5;
  EXPECT_THAT(a.to_vector<double>(), ElementsAre(3, 3, 0, 7.5));
}

TEST_F(Handles, BracketAllWritesTheWholeArray) {
  const Array a = zeros({2, 2});
  a[all] = 0.5;
  a[slice(1, {})] = 2;
  EXPECT_THAT(a.to_vector<double>(), ElementsAre(0.5, 0.5, 2, 2));
  a[-1] = array({8.0, 9.0});
  EXPECT_THAT(a.to_vector<double>(), ElementsAre(0.5, 0.5, 8, 9));
}

TEST_F(Handles, ViewsOfViewsAlias) {
  const Array a = arange(24).reshape({2, 3, 4});
  const Array b = a(1, slice({}, {}, -1), slice(1, {}, 2)).T();
  b(0, 0) = -1;  // a[1, 2, 1]
  EXPECT_EQ(a(1, 2, 1).item<std::int64_t>(), -1);
  EXPECT_THAT(b.to_vector<std::int64_t>(), ElementsAre(-1, 17, 13, 23, 19, 15));
}

TEST_F(Handles, OverlappingAssignmentReadsBeforeItWrites) {
  const Array a = arange(6);
  a(slice(1, {})) = a(slice(0, -1));
  EXPECT_THAT(a.to_vector<std::int64_t>(), ElementsAre(0, 0, 1, 2, 3, 4));
  a[all] = a(slice({}, {}, -1));
  EXPECT_THAT(a.to_vector<std::int64_t>(), ElementsAre(4, 3, 2, 1, 0, 0));
  EXPECT_EQ(recorder.recorded().size(), 3u) << "each is one operation";
}

TEST_F(Handles, AssignmentBroadcastsAndDropsLeadingOnes) {
  const Array a = zeros({2, 3}, int32);
  a(all, all) = array({1, 2, 3});
  EXPECT_THAT(a.to_vector<std::int32_t>(), ElementsAre(1, 2, 3, 1, 2, 3));
  a(all, all) = array({{5}, {6}});
  EXPECT_THAT(a.to_vector<std::int32_t>(), ElementsAre(5, 5, 5, 6, 6, 6));
  a(0) = array({{{7, 8, 9}}});
  EXPECT_THAT(a.to_vector<std::int32_t>(), ElementsAre(7, 8, 9, 6, 6, 6));
}

TEST_F(Handles, AssignmentCastsToTheArraysDtype) {
  const Array a = zeros(3, int32);
  a(all) = array({1.9, -1.9, 0.0});
  EXPECT_THAT(a.to_vector<std::int32_t>(), ElementsAre(1, -1, 0));
  a(0) = 3.7;
  EXPECT_THAT(a.to_vector<std::int32_t>(), ElementsAre(3, -1, 0));
  const Array b = zeros(2, bool_);
  b(all) = array({0.0, 0.5});
  EXPECT_THAT(b.to_vector<bool>(), ElementsAre(false, true));
}

TEST_F(Handles, InPlaceOperatorsWriteThroughViews) {
  Array a = arange(4).astype(float64);
  const Array other_name = a;
  a += 1;
  a(slice(0, 2)) *= 10;
  a(slice(2, {})) -= array({0.5, 1.5});
  a /= 2;
  EXPECT_THAT(other_name.to_vector<double>(), ElementsAre(5, 10, 1.25, 1.25));
}

TEST_F(Handles, InPlaceIsComputedWideAndCastBack) {
  Array a = array({1.0f, 2.0f});
  a += array({1e-9, 1e-9});
  EXPECT_EQ(a.dtype(), float32);
  EXPECT_EQ(recorder.recorded().back().compute, float64);
  Array b = array({1, 2});
  b += array({std::int64_t{5}, std::int64_t{6}});
  EXPECT_THAT(b.to_vector<std::int32_t>(), ElementsAre(6, 8));
}

TEST_F(Handles, InPlaceRefusesALowerKind) {
  Array i = zeros(2, int32);
  Array b = zeros(2, bool_);
  expect_refused<DTypeError>(recorder, [&] { i += 0.5; }, {"[+=]", "float64", "int32", "astype"});
  expect_refused<DTypeError>(recorder, [&] { i /= 2; }, {"[/=]", "float64", "int32"});
  expect_refused<DTypeError>(recorder, [&] { b += 1; }, {"[+=]", "int64", "bool"});
  expect_refused<DTypeError>(recorder, [&] { b -= true; }, {"[-=]", "bool"});
  b += true;
  EXPECT_THAT(b.to_vector<bool>(), ElementsAre(true, true));
}

TEST_F(Handles, InPlaceDoesNotGrow) {
  Array a = zeros(3);
  const Array wide = ones({2, 3});
  expect_refused<ShapeError>(recorder, [&] { a += wide; }, {"[+=]", "(2, 3)", "(3,)"});
  expect_refused<ShapeError>(recorder, [&] { a(slice(0, 1)) += wide[0]; }, {"[+=]", "(1,)", "(3,)"});
}

TEST_F(Handles, EmptyDomainsRecordNothing) {
  const Array a = zeros({0, 3});
  a(all) = 1;
  Array b = a + 1.0;
  b += 2;
  zeros(4)(slice(2, 2)) = 1;
  EXPECT_EQ(sum(b).size(), 1);
  EXPECT_EQ(recorder.recorded().size(), 2u) << "zeros(4), and the sum's fill";
}

TEST_F(Handles, AnEmptyHandleSaysSo) {
  Array none;
  EXPECT_EQ(none.size(), 0);
  expect_refused<ValueError>(recorder, [&] { none + 1; }, {"[add]", "empty", "assign"});
  expect_refused<ValueError>(recorder, [&] { none(all) = 1; }, {"empty"});
  expect_refused<ValueError>(recorder, [&] { sum(none); }, {"[sum]", "empty"});
  Array some = ones(2);
  const Array moved = std::move(some);
  // NOLINTNEXTLINE(bugprone-use-after-move): that is what is refused
  expect_refused<ValueError>(recorder, [&] { some.item<double>(); }, {"empty", "moved from"});
}

TEST_F(Handles, ItemTakesOneCellOfItsOwnType) {
  EXPECT_EQ(array({{4}}).item<std::int32_t>(), 4);
  EXPECT_EQ(array(2.5f).item<float>(), 2.5f);
  const Array two = empty(2);
  const Array one = empty(1);
  expect_refused<ValueError>(recorder, [&] { two.item<double>(); }, {"[item]", "(2,)", "2 cells", "to_vector"});
  expect_refused<DTypeError>(recorder, [&] { one.item<bool>(); }, {"[item]", "float64", "bool", "astype"});
  expect_refused<DTypeError>(recorder, [&] { two.to_vector<int>(); }, {"[to_vector]", "float64", "int32"});
  EXPECT_TRUE(empty({0, 2}).to_vector<double>().empty());
}

// As Python's int(a) and float(a): by the value, not by the dtype.
TEST_F(Handles, ItemIsAnyNumberThatTheCellIs) {
  const std::int64_t large = 5'000'000'000, odd = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(array(std::int64_t{-7}).item<int>(), -7);
  EXPECT_EQ(array(large).item<std::uint64_t>(), 5'000'000'000u);
  EXPECT_EQ(array(2.5).item<float>(), 2.5f);
  EXPECT_EQ(array(0.1).item<float>(), 0.1f);
  EXPECT_EQ(array(3.0).item<int>(), 3);
  EXPECT_EQ(array(std::int64_t{3}).item<float>(), 3.0f);
  EXPECT_EQ(static_cast<int>(array(-1.7)), -1);
  EXPECT_EQ(static_cast<int>(array(1.7)), 1);
  EXPECT_EQ(static_cast<std::size_t>(array(std::int64_t{3})), 3u);
  EXPECT_EQ(static_cast<std::int64_t>(array(-0x1p63)), std::numeric_limits<std::int64_t>::min());
  const Array big = array(large), negative = array(-1), half = array(1.5), nan = array(kNan), exact = array(odd),
              most = array(~std::uint64_t{0}), beyond = array(0x1p63), complex = zeros(1, complex128);
  expect_refused<ValueError>(recorder, [&] { big.item<int>(); }, {"[item]", "5000000000", "int32", "astype"});
  expect_refused<ValueError>(recorder, [&] { negative.item<std::uint64_t>(); }, {"-1", "uint64"});
  expect_refused<ValueError>(recorder, [&] { half.item<int>(); }, {"1.5", "int32"});
  EXPECT_THAT([&] { static_cast<void>(static_cast<int>(nan)); },
              testing::ThrowsMessage<ValueError>(testing::HasSubstr("float64 nan is no int32")));
  expect_refused<ValueError>(recorder, [&] { exact.item<float>(); }, {"9007199254740993", "float32"});
  expect_refused<ValueError>(recorder, [&] { most.item<std::int64_t>(); }, {"18446744073709551615", "int64"});
  EXPECT_THROW(static_cast<void>(static_cast<std::int64_t>(beyond)), ValueError);
  expect_refused<DTypeError>(recorder, [&] { complex.item<double>(); }, {"complex128", "float64"});
}

TEST_F(Handles, DroppedHandlesFreeTheirStores) {
  {
    const Array a = ones(3);
    const Array view = a(slice(1, {}));
    EXPECT_EQ(recorder.stores_alive(), 1u);
    Array b = view + 1;
    b = b * 2;
    EXPECT_EQ(recorder.stores_alive(), 2u);
  }
  EXPECT_EQ(recorder.stores_alive(), 0u);
}

TEST(ArrayAfterItsRuntime, MayOnlyBeDestroyed) {
  auto recorder = std::make_unique<fakes::NaiveRecorder>();
  Array a = ones(3);
  const Array view = a(slice(1, {}));
  recorder.reset();
  EXPECT_THAT([&] { a + 1; }, testing::ThrowsMessage<RuntimeError>(testing::HasSubstr("no pilum::Runtime is alive")));
  EXPECT_THAT([&] { zeros(3); }, testing::Throws<RuntimeError>());
  EXPECT_THAT([&] { a(0); }, testing::Throws<RuntimeError>());
  EXPECT_THAT([&] { a.to_vector<double>(); }, testing::Throws<RuntimeError>());
  EXPECT_EQ(a.shape(), Shape{3});
  fakes::NaiveRecorder next;
  EXPECT_THAT([&] { a + 1; }, testing::ThrowsMessage<RuntimeError>(testing::HasSubstr("has ended")));
  EXPECT_THAT([&] { ones(3) + view.T(); }, testing::Throws<RuntimeError>());
}

TEST_F(Handles, MethodsAreTheFunctionsOfTheirNames) {
  const Array a = array({{1.0, 4.0}, {2.0, 3.5}});
  EXPECT_TRUE((a > 3).any().item<bool>());
  EXPECT_EQ((a > 1).all(0).to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ(doubles(a.var(1)), (std::vector<double>{2.25, 0.5625}));
  EXPECT_EQ(doubles(a.std(1, 0, true)), (std::vector<double>{1.5, 0.75}));
  EXPECT_EQ(cells(a.argmax(1)), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(a.argmin().item<std::int64_t>(), 0);
  EXPECT_EQ(doubles(a.cumsum(0)), (std::vector<double>{1, 4, 3, 7.5}));
  EXPECT_EQ(doubles(a.cumprod()), (std::vector<double>{1, 4, 8, 28}));
  EXPECT_EQ(doubles(a.round()), (std::vector<double>{1, 4, 2, 4}));
  EXPECT_EQ(doubles(a.clip(2, 3)), (std::vector<double>{2, 3, 2, 3}));
  EXPECT_EQ(doubles(a.clip({}, 3)), (std::vector<double>{1, 3, 2, 3}));
  EXPECT_EQ(doubles(a.clip(2, {})), (std::vector<double>{2, 4, 2, 3.5}));
  EXPECT_EQ(doubles(a.dot(a(0))), (std::vector<double>{17, 16}));
  EXPECT_EQ(a.trace().item<double>(), 4.5);
  EXPECT_EQ(a.ravel().shape(), (Shape{4}));
  EXPECT_EQ(a.flatten().shape(), (Shape{4}));
  EXPECT_EQ(a.reshape({1, 4}).squeeze().shape(), (Shape{4}));
  EXPECT_EQ(doubles(a.swapaxes(0, 1)), (std::vector<double>{1, 2, 4, 3.5}));
  EXPECT_EQ(doubles(a.conj()), doubles(a));
  const Array b = zeros({2}), one = zeros({}), three = zeros({3});
  b.fill(3), one.fill(2);
  EXPECT_EQ(doubles(b), (std::vector<double>{3, 3}));
  EXPECT_EQ(one.item<double>(), 2);
  expect_refused<IndexError>(recorder, [&] { a.std(2); }, {"[std]", "axis 2"});
  expect_refused<ShapeError>(recorder, [&] { a.clip(0, three); }, {"[clip]"});
}

}  // namespace
}  // namespace pilum::numeric
