// Indexing by arrays; values worked out by hand.
#include <algorithm>
#include <array>
#include <sstream>

#include "numeric/library_task.h"
#include "pilum/fold_options.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/statistics.h"
#include "pilum/vectorize.h"
#include "tests/numeric/error_of.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using SelectionTest = NumericTest;

Array grid() {  // 0 … 11 as (3, 4)
  return arange(12).reshape({3, 4});
}

TEST_F(SelectionTest, IntegersPickCellsInTheirOrder) {
  const Array a = arange(10, 16);
  EXPECT_THAT(cells(a(array({3, 0, 0, -1}))), ElementsAre(13, 10, 10, 15));
  EXPECT_THAT(cells(a[array({1, -6})]), ElementsAre(11, 10));
  const Array table = a(array({{0, 1}, {2, 3}}));
  EXPECT_EQ(table.shape(), (Shape{2, 2}));
  EXPECT_THAT(cells(table), ElementsAre(10, 11, 12, 13));
  EXPECT_EQ(Array(a(empty({0}, int64))).shape(), Shape{0});
  EXPECT_EQ(Array(a(array(2))).shape(), Shape{});
  EXPECT_EQ(Array(a(array(2))).item<std::int64_t>(), 12);
}

TEST_F(SelectionTest, RowsAndColumnsArePicked) {
  const Array a = grid();
  EXPECT_THAT(cells(a(array({2, 0}))), ElementsAre(8, 9, 10, 11, 0, 1, 2, 3));
  EXPECT_THAT(cells(a(all, array({3, 0}))), ElementsAre(3, 0, 7, 4, 11, 8));
  EXPECT_THAT(cells(a(slice({}, {}, -1), array({1}))), ElementsAre(9, 5, 1));
  EXPECT_THAT(cells(a(1, array({3, 3}))), ElementsAre(7, 7));
  EXPECT_THAT(cells(a.T()(array({1, 0}), slice(0, 2))), ElementsAre(1, 5, 0, 4));
}

TEST_F(SelectionTest, ArraysOfSeveralAxesAreBroadcastTogether) {
  const Array a = grid();
  EXPECT_THAT(cells(a(array({0, 2}), array({1, 3}))), ElementsAre(1, 11));
  const Array corner = a(array({{0}, {2}}), array({1, 3}));
  EXPECT_EQ(corner.shape(), (Shape{2, 2}));
  EXPECT_THAT(cells(corner), ElementsAre(1, 3, 9, 11));
}

TEST_F(SelectionTest, AxesOfTheIndicesStandWhereNumPyPutsThem) {
  const Array a = zeros({2, 3, 4}), i = array({0, 1, 1, 0, 1});
  EXPECT_EQ(Array(a(all, i, i)).shape(), (Shape{2, 5}));
  EXPECT_EQ(Array(a(i, all, i)).shape(), (Shape{5, 3}));
  EXPECT_EQ(Array(a(0, all, i)).shape(), (Shape{5, 3}));
  EXPECT_EQ(Array(a(all, 0, i)).shape(), (Shape{2, 5}));
  EXPECT_EQ(Array(a(all, i, ellipsis, i)).shape(), (Shape{5, 2}));
  EXPECT_EQ(Array(a(newaxis, i, all, 0)).shape(), (Shape{5, 1, 3}));
  EXPECT_EQ(Array(a(all, i)).shape(), (Shape{2, 5, 4}));
  EXPECT_EQ(Array(a(ellipsis, i)).shape(), (Shape{2, 3, 5}));
}

TEST_F(SelectionTest, AMaskPicksItsTrueCells) {
  const Array a = grid();
  EXPECT_THAT(cells(a(a > 8)), ElementsAre(9, 10, 11));
  EXPECT_THAT(cells(a(array({true, false, true}))), ElementsAre(0, 1, 2, 3, 8, 9, 10, 11));
  EXPECT_THAT(cells(a(all, array({true, false, false, true}))), ElementsAre(0, 3, 4, 7, 8, 11));
  EXPECT_THAT(cells(a(array({true, false, true}), array({1, 2}))), ElementsAre(1, 10));
  EXPECT_EQ(Array(a(a > 100)).shape(), Shape{0});
  EXPECT_THAT(cells(a.T()(a.T() % 5 == 0)), ElementsAre(0, 5, 10));
}

TEST_F(SelectionTest, CellsAreWritten) {
  Array a = arange(6);
  a(array({4, 1})) = 7;
  EXPECT_THAT(cells(a), ElementsAre(0, 7, 2, 3, 7, 5));
  a[array({0, -1})] = array({8, 9}, int64);
  EXPECT_THAT(cells(a), ElementsAre(8, 7, 2, 3, 7, 9));
  a(array({2, 2, 2})) = array({1, 2, 3}, int64);
  EXPECT_THAT(cells(a), ElementsAre(8, 7, 3, 3, 7, 9)) << "the last value stays";
  a(array({0, 0, 1})) += 1;
  EXPECT_THAT(cells(a), ElementsAre(9, 8, 3, 3, 7, 9)) << "an index that is named twice is read once";
  Array b = grid();
  b(array({0, 2}), array({1})) = -1;
  EXPECT_THAT(cells(b), ElementsAre(0, -1, 2, 3, 4, 5, 6, 7, 8, -1, 10, 11));
  b(all, array({3, 0})) = array({{1}, {2}, {3}}, int64);
  EXPECT_THAT(cells(b), ElementsAre(1, -1, 2, 1, 2, 5, 6, 2, 3, -1, 10, 3));
  b(slice({}, {}, 2), array({0})) = 9;
  EXPECT_THAT(cells(b(all, 0)), ElementsAre(9, 2, 9));
}

// An index without axes leaves none: values are broadcast to the cells that are left.
// Seed 1503356453: where a mask named the cells, an array of complex numbers was refused.
TEST_F(SelectionTest, ComplexArraysAreWrittenByTheirRealPartsHoweverCellsAreNamed) {
  const Array pairs = array({1.0, 2.0, 3.0}) * std::complex<double>(1, 5), total = sum(pairs);
  const Array a = zeros({4, 3});
  a(0, all) = pairs;
  a(1, all)(a(1, all) < 1) = pairs;
  a(2, all)(a(2, all) < 1) = total;
  a(3, all)(array({0, 2})) = total;
  EXPECT_EQ(a.to_vector<double>(), (std::vector<double>{1, 2, 3, 1, 2, 3, 6, 6, 6, 6, 0, 6}));
}

TEST_F(SelectionTest, IndicesWithoutAxesAreWrittenAsNumbersAre) {
  const Array one = array(1);
  const Array a = grid();
  a(all, one) = array({20, 21, 22});
  EXPECT_THAT(cells(a), ElementsAre(0, 20, 2, 3, 4, 21, 6, 7, 8, 22, 10, 11));
  a(all, one) += array({1, 2, 3});
  EXPECT_THAT(cells(a(all, 1)), ElementsAre(21, 23, 25));
  const Array b = zeros({2, 2, 2}, int64);
  b(all, all, one) = array({{5}, {6}});
  EXPECT_THAT(cells(b), ElementsAre(0, 5, 0, 5, 0, 6, 0, 6));
  b(all, one) = array({8, 9});
  EXPECT_THAT(cells(b), ElementsAre(0, 5, 8, 9, 0, 6, 8, 9));
  b(one, newaxis, all, one) = array({{{{3, 4}}}});
  EXPECT_THAT(cells(b), ElementsAre(0, 5, 8, 9, 0, 3, 8, 4));
  const Array wide = zeros({2, 3});
  expect_refused<ShapeError>(recorder, [&] { b(all, all, one) = wide; }, {"(2, 3)", "the (2, 2) cells"});
}

TEST_F(SelectionTest, AMasksCellsAreWrittenWithoutCountingThem) {
  Array a = grid();
  const std::int64_t fetched = recorder.cells_fetched();
  a(a > 8) = 0;
  a(a == 3) += 10;
  a(array({true, false, false})) *= 2;
  a(array({false, true, false})) = array({5, 6, 7, 8}, int64);
  a(a == 26) += array(4);
  a(a == 30) -= a(0, 2);
  a(array({false, false, true})) *= array({3, 2, 1, 1});
  EXPECT_EQ(recorder.cells_fetched(), fetched);
  EXPECT_THAT(cells(a), ElementsAre(0, 2, 4, 26, 5, 6, 7, 8, 24, 0, 0, 0));
  a(a == 0) = array({1, 2, 3, 4}, int64);
  EXPECT_THAT(cells(a), ElementsAre(1, 2, 4, 26, 5, 6, 7, 8, 24, 2, 3, 4));
  Array whole = arange(3);
  whole(whole >= 1) = 2.75;
  EXPECT_THAT(cells(whole), ElementsAre(0, 2, 2)) << "cast, as by a(…) = value";
}

TEST_F(SelectionTest, TheSameCellsOfAnotherArrayAreWrittenWithoutCountingThem) {
  Array a = grid();
  const Array b = arange(100.75, 112), mask = a % 3 == 0;
  const std::int64_t fetched = recorder.cells_fetched();
  a(mask) = b.reshape({3, 4})(mask);
  EXPECT_THAT(cells(a), ElementsAre(100, 1, 2, 103, 4, 5, 106, 7, 8, 109, 10, 11)) << "cast, as by a(…) = value";
  a(mask) -= (a * 1)(mask);
  a(mask) += grid()(mask);
  EXPECT_THAT(cells(a), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  Array c = ones({2, 3}, int64);
  const Array rows = array({false, true});
  c(rows) = (c * 5)(rows);
  c(rows) *= c(slice({}, {}, -1), all)(rows);
  EXPECT_THAT(cells(c), ElementsAre(1, 1, 1, 5, 5, 5));
  EXPECT_EQ(recorder.cells_fetched(), fetched + 12 + 12 + 6) << "those that are looked at here";
}

// Other cells than those of the same mask, or more of them: they are counted.
TEST_F(SelectionTest, OtherMasksAndOtherShapesAreTakenOneByOne) {
  Array a = arange(6);
  const Array mask = a % 2 == 0, other = a % 2 == 1, wide = arange(12).reshape({6, 2});
  a(mask) = a(other);
  EXPECT_THAT(cells(a), ElementsAre(1, 1, 3, 3, 5, 5));
  a(mask(slice({}, {}, -1))) = a(mask);
  EXPECT_THAT(cells(a), ElementsAre(1, 1, 3, 3, 5, 5));
  EXPECT_THROW(a(mask) = wide(mask), ShapeError);
  const Array reals = arange(0.5, 6);
  EXPECT_THROW(a(mask) += reals(mask), DTypeError);
  EXPECT_THAT(cells(a), ElementsAre(1, 1, 3, 3, 5, 5));
  Array named = arange(6);
  auto before = named(mask);
  named += 10;
  named(mask) = before;
  EXPECT_THAT(cells(named), ElementsAre(0, 11, 2, 13, 4, 15));
}

TEST_F(SelectionTest, AMaskIsCountedOnceUntilItIsWritten) {
  const auto counts = [this] {
    return std::ranges::count(recorder.recorded(), "count_nonzero", &fakes::NaiveRecorder::Recorded::name);
  };
  const Array a = arange(6), b = arange(10, 16);
  Array mask = a % 2 == 0;
  EXPECT_THAT(cells(a(mask)), ElementsAre(0, 2, 4));
  EXPECT_THAT(cells(b(mask)), ElementsAre(10, 12, 14));
  EXPECT_THAT(cells(nonzero(mask)[0]), ElementsAre(0, 2, 4));
  a(mask) = b(mask) * 2;
  EXPECT_THAT(cells(a), ElementsAre(20, 1, 24, 3, 28, 5));
  EXPECT_EQ(counts(), 1);

  mask(1) = true;  // by a view
  EXPECT_THAT(cells(b(mask)), ElementsAre(10, 11, 12, 14));
  mask &= b > 10;
  EXPECT_THAT(cells(b(mask)), ElementsAre(11, 12, 14));
  mask(array({5, 4})) = array({true, false});
  EXPECT_THAT(cells(b(mask)), ElementsAre(11, 12, 15));
  put(mask, array({0, 3}), true);
  EXPECT_THAT(cells(b(mask)), ElementsAre(10, 11, 12, 13, 15));
  mask(b < 13) = false;
  EXPECT_THAT(cells(b(mask)), ElementsAre(13, 15));
  maximum_at(mask, array({0, 0}), true);
  EXPECT_THAT(cells(b(mask)), ElementsAre(10, 13, 15));
  EXPECT_THAT(cells(b(mask(slice({}, {}, -1)))), ElementsAre(10, 12, 15));  // of the same cells, in another order
  EXPECT_THAT(cells(b(slice(0, 3))(mask(slice(0, 3)))), ElementsAre(10));
  EXPECT_THAT(cells(b(mask)), ElementsAre(10, 13, 15));
}

TEST_F(SelectionTest, TakesAndPuts) {
  const Array a = grid();
  EXPECT_THAT(cells(take(a, array({0, 5, -1}))), ElementsAre(0, 5, 11));
  EXPECT_THAT(cells(take(a, array({1}), 1)), ElementsAre(1, 5, 9));
  EXPECT_THAT(cells(take(a, array(1), 0)), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(cells(take(a.T(), array({1, 2}))), ElementsAre(4, 8)) << "row-major, whatever lies where";
  EXPECT_THAT(cells(take(a, array({12, -13, 25}), {}, IndexMode::Wrap)), ElementsAre(0, 11, 1));
  EXPECT_THAT(cells(take(a, array({12, -13}), {}, IndexMode::Clip)), ElementsAre(11, 0));
  EXPECT_THAT(cells(take(a, array({-1, 9}), 1, IndexMode::Clip)), ElementsAre(0, 3, 4, 7, 8, 11));
  Array b = grid();
  put(b, array({0, -1}), 5);
  put(b, array({5, 6}), array({1, 2}, int64));
  EXPECT_THAT(cells(b), ElementsAre(5, 1, 2, 3, 4, 1, 2, 7, 8, 9, 10, 5));
}

TEST_F(SelectionTest, AlongAnAxis) {
  const Array a = grid();
  EXPECT_THAT(cells(take_along_axis(a, array({{0, 3}, {1, 1}, {2, 0}}), 1)), ElementsAre(0, 3, 5, 5, 10, 8));
  EXPECT_THAT(cells(take_along_axis(a, array({{2, 0, 1, 1}}), 0)), ElementsAre(8, 1, 6, 7));
  Array b = grid();
  put_along_axis(b, array({{0}, {1}, {-1}}), -1, 1);
  EXPECT_THAT(cells(b), ElementsAre(-1, 1, 2, 3, 4, -1, 6, 7, 8, 9, 10, -1));
}

TEST_F(SelectionTest, FoldsForEachTimeThatAnIndexIsNamed) {
  Array a = zeros({4}, int64);
  add_at(a, array({1, 3, 1, 1}), array({1, 2, 3, 4}, int64));
  EXPECT_THAT(cells(a), ElementsAre(0, 8, 0, 2));
  add_at(a, array({0, 0}), 5);
  multiply_at(a, array({3, 3}), 3);
  maximum_at(a, array({2, 2}), array({4, 2}, int64));
  minimum_at(a, array({1}), -1);
  EXPECT_THAT(cells(a), ElementsAre(10, -1, 4, 18));
  Array b = zeros({2, 3}, int64);
  add_at(b, array({1, 1}), array({{1, 2, 3}, {10, 20, 30}}, int64));
  add_at(b, {array({0, 0, 1}), array({2, 2, 0})}, 1);
  EXPECT_THAT(cells(b), ElementsAre(0, 0, 2, 12, 22, 33));
}

TEST_F(SelectionTest, FindsWhatIsNotZero) {
  const Array a = array({{3, 0, 0}, {0, 4, 5}});
  const std::vector<Array> places = nonzero(a);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_THAT(cells(places[0]), ElementsAre(0, 1, 1));
  EXPECT_THAT(cells(places[1]), ElementsAre(0, 1, 2));
  EXPECT_THAT(cells(flatnonzero(a)), ElementsAre(0, 4, 5));
  EXPECT_EQ(argwhere(a).shape(), (Shape{3, 2}));
  EXPECT_THAT(cells(argwhere(a)), ElementsAre(0, 0, 1, 1, 1, 2));
  EXPECT_THAT(cells(where(array({false, true}))[0]), ElementsAre(1));
  EXPECT_EQ(flatnonzero(zeros({5})).shape(), Shape{0});
  EXPECT_THAT(cells(compress(array({false, true}), grid(), 0)), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(cells(compress(array({false, true, true}), grid())), ElementsAre(1, 2));
  EXPECT_THAT(cells(extract(grid() % 5 == 1, grid())), ElementsAre(1, 6, 11));
}

TEST_F(SelectionTest, ChoosesCellByCell) {
  const Array a = array({1, 2, 3}, int64), b = array({10, 20, 30}, int64);
  EXPECT_THAT(cells(choose(array({true, false, true}), {a, b})), ElementsAre(10, 2, 30));
  EXPECT_THAT(cells(choose(array({1, 0, 1}), {a, b})), ElementsAre(10, 2, 30));
  EXPECT_THAT(cells(choose(array({5, -7, 1}), {a, b}, IndexMode::Clip)), ElementsAre(10, 2, 30));
  EXPECT_THAT(cells(choose(array({2, -1, 1}), {a, b}, IndexMode::Wrap)), ElementsAre(1, 20, 30));
  EXPECT_THAT(cells(select({a > 2, a > 1}, {a, b}, -1)), ElementsAre(-1, 20, 3));
  const Array large = a > 2;
  expect_refused<ValueError>(recorder, [&] { select({large}, {a, b}); }, {"1 conditions for 2 choices"});
}

TEST_F(SelectionTest, ConvertsWhereAnArrayIsWanted) {
  const Array a = arange(4), i = array({3, 1});
  EXPECT_THAT(cells(a(i) + 1), ElementsAre(4, 2));
  EXPECT_THAT(cells(10 - a(i)), ElementsAre(7, 9));
  EXPECT_EQ(sum(a(i)).item<std::int64_t>(), 4);
  EXPECT_EQ(a(a > 1).sum().item<std::int64_t>(), 5);
  EXPECT_THAT(a(i).to_vector<std::int64_t>(), ElementsAre(3, 1));
  Array b = arange(4);
  b(slice(0, 2)) = a(i);
  EXPECT_THAT(cells(b), ElementsAre(3, 1, 2, 3));
  b(i) = a(array({0, 0}));
  EXPECT_THAT(cells(b), ElementsAre(3, 0, 2, 0));
}

TEST_F(SelectionTest, ReadsWhatWasThereWhenItWasAsked) {
  Array a = arange(3);
  const Array b = a(array({0, 1, 2}));
  a += 5;
  EXPECT_THAT(cells(b), ElementsAre(0, 1, 2));
}

TEST_F(SelectionTest, RefusesWhatNamesNoCells) {
  Array a = grid();
  const Array i = array({0, 1}), half = array({0.5}), mask = array({true, false}), three = array({0, 1, 2});
  const Array none = zeros({0}), number = array(3), repeated = broadcast_to(arange(3), {2, 3});
  expect_refused<IndexError>(recorder, [&] { a(half); }, {"[a(…)]", "float64", "indices are integers"});
  expect_refused<IndexError>(recorder, [&] { a(mask); }, {"(2,)", "axis 0", "(3, 4)"});
  expect_refused<IndexError>(recorder, [&] { a(i, i, i); }, {"3 axes", "(3, 4)", "leave some out"});
  expect_refused<IndexError>(recorder, [&] { a(i, ellipsis, ellipsis); }, {"2 ellipses"});
  expect_refused<IndexError>(recorder, [&] { (void)Array(a(i, three)); }, {"(2,)", "(3,)", "broadcast together"});
  expect_refused<IndexError>(recorder, [&] { (void)Array(a(i, 4)); }, {"index 4", "axis 1"});
  expect_refused<IndexError>(recorder, [&] { (void)Array(none(i)); }, {"axis 0", "(0,)", "which has none"});
  expect_refused<ShapeError>(recorder, [&] { a(i, i) = three; }, {"(3,)", "(2,) cells that are named"});
  expect_refused<ValueError>(recorder, [&] { nonzero(number); }, {"no axes"});
  expect_refused<IndexError>(recorder, [&] { take(a, i, 2); }, {"[take]", "axis 2"});
  expect_refused<IndexError>(recorder, [&] { take(a, half); }, {"[take]", "float64"});
  expect_refused<ValueError>(recorder, [&] { take_along_axis(a, i, 0); }, {"as many axes"});
  expect_refused<DTypeError>(recorder, [&] { add_at(a, i, half); }, {"float64", "int64"});
  expect_refused<ValueError>(recorder, [&] { repeated(i) = 0; }, {"repeats its cells"});
}

TEST_F(SelectionTest, ArraysOfOtherExtentsNeedNoOtherBodies) {
  const auto use = [](std::int64_t extent) {
    const Array a = arange(extent), i = array({0, 3, 1});
    const Array picked = a(i), rows = take(a.reshape({extent / 2, 2}), i, 0);
    put(a, i, picked);
    add_at(a, i, 1.0);
    a(a > 5.0) = picked(0);
    return Array(a(a > 2.0)).sum().item<double>() + rows.sum().item<double>();
  };
  const double first = use(12);
  const std::size_t bodies = library_bodies();
  EXPECT_EQ(use(12), first);
  for (std::int64_t extent = 14; extent < 60; extent += 2) use(extent);
  EXPECT_EQ(library_bodies(), bodies);
}

TEST_F(SelectionTest, AnIndexOutsideIsFoundWhenItRuns) {
  const Array a = grid();
  const auto says = [](auto call) {
    try {
      call();
    } catch (const IndexError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(says([&] { (void)Array(a(array({0, 3}))); }),
              HasSubstr("index 3 is outside axis 0, which has 3 cells: use -3"));
  EXPECT_THAT(says([&] { (void)Array(a(all, array({-5}))); }), HasSubstr("index -5 is outside axis 1"));
  EXPECT_THAT(says([&] { take(a, array({12})); }), HasSubstr("index 12 is outside the array, which has 12 cells"));
  Array b = grid();
  EXPECT_THAT(says([&] { b(array({7})) = 1; }), HasSubstr("index 7 is outside axis 0"));
}

TEST_F(SelectionTest, ListsThatTheProgramMakesAreIndices) {
  const Array a = grid();
  const std::vector<int> rows{2, 0};
  const std::array<std::int64_t, 2> columns{1, -1};
  EXPECT_THAT(cells(a(rows)), ElementsAre(8, 9, 10, 11, 0, 1, 2, 3));
  EXPECT_THAT(cells(a[rows]), ElementsAre(8, 9, 10, 11, 0, 1, 2, 3));
  EXPECT_THAT(cells(a(all, rows)), ElementsAre(2, 0, 6, 4, 10, 8));
  EXPECT_THAT(cells(a(rows, columns)), ElementsAre(9, 3));
  a(rows, 0) += 100;
  EXPECT_THAT(cells(a(all, 0)), ElementsAre(100, 4, 108));
  a(nonzero(a > 50)) = -1;
  EXPECT_THAT(cells(a(all, 0)), ElementsAre(-1, 4, -1));
  EXPECT_THAT(cells(a(nonzero(a > 8))), ElementsAre(9, 10, 11));
  EXPECT_THAT(cells(a(rows)(std::vector<Array>{array({1, 0}), array({1, 2})})), ElementsAre(1, 10));
  const std::vector<double> halves{0.5};
  const std::vector<Array> none, three(3, array({0}));
  EXPECT_THROW(a(halves) = 1, IndexError);
  expect_refused<IndexError>(recorder, [&] { a(none) = 1; }, {"0 arrays of indices"});
  expect_refused<IndexError>(recorder, [&] { a(three) = 1; }, {"(3, 4)"});
  expect_refused<IndexError>(recorder, [&] { a[three] = 1; }, {"(3, 4)"});
}

TEST_F(SelectionTest, MasksDiagonalsAndConditionsChooseWhatIsWritten) {
  const Array a = arange(9).reshape({3, 3});
  fill_diagonal(a, -1);
  EXPECT_THAT(cells(a), ElementsAre(-1, 1, 2, 3, -1, 5, 6, 7, -1));
  copyto(a, array({10, 20, 30}), a < 0);
  EXPECT_THAT(cells(a), ElementsAre(10, 1, 2, 3, 20, 5, 6, 7, 30));
  const Array x = array({-2.0, 0.5, 3.0});
  const Array bent =
      piecewise(x, {x < 0, x > 1}, {[](const Array& v) { return -v; }, [](const Array& v) { return v * v; }});
  EXPECT_THAT(bent.to_vector<double>(), ElementsAre(2, 0, 9));
  EXPECT_THAT(piecewise(x, {x < 0, x > 1}, {-1, x * 2, 0.25}).to_vector<double>(), ElementsAre(-1, 0.25, 6));
  expect_refused<DTypeError>(recorder, [&] { copyto(a, 1, a); }, {"[copyto]", "int64"});
  expect_refused<ShapeError>(recorder, [&] { fill_diagonal(x, 1); }, {"[fill_diagonal]", "(3,)"});
  expect_refused<ValueError>(recorder, [&] { piecewise(x, {}, {}); }, {"[piecewise]", "no conditions"});
}

TEST_F(SelectionTest, ANamedOneIsAnArrayOfItsOwn) {
  const Array a = arange(5), i = array({3, 1});
  const auto b = a(i);
  a[all] = 0;
  EXPECT_THAT(cells(b), ElementsAre(3, 1)) << "of its time";
  const auto masked = arange(5)(arange(5) > 2);
  const auto later = a(i);
  add_at(a, i, 7);
  EXPECT_THAT(cells(masked), ElementsAre(3, 4));
  EXPECT_THAT(cells(later), ElementsAre(0, 0));
  const auto changes = a(i);
  i[all] = 0;
  EXPECT_THAT(cells(changes), ElementsAre(7, 7)) << "of its indices' time";
  b(0) = 9;
  EXPECT_THAT(cells(b), ElementsAre(9, 1));
  EXPECT_THAT(cells(a), ElementsAre(0, 7, 0, 7, 0));
}

TEST_F(SelectionTest, OnlyOneThatIsNotWrittenIsRead) {
  const Array a = arange(5), i = array({3, 1}, int64), first = array({0}, int64), two = array({1, 2}, int64);
  const auto recorded = [&](auto call) {
    const std::size_t before = recorder.recorded().size();
    call();
    return recorder.recorded().size() - before;
  };
  const std::size_t read = recorded([&] { const Array cells = a(first); }), written = recorded([&] { a(i) = two; });
  const auto named = a(first);
  EXPECT_EQ(recorded([&] { a(i) = two; }), read + written) << "what has a name is read before";
  EXPECT_THAT(cells(named), ElementsAre(0));
  EXPECT_EQ(recorded([&] { const auto forgotten = a(i); }), 0);
  EXPECT_EQ(recorded([&] { a(i) = two; }), written) << "and no more where nobody asks";
}

TEST_F(SelectionTest, OperatorsAndFunctionsTakeIt) {
  const Array a = array({1.0, 2.0, 4.0}), i = array({2, 0});
  const auto b = a(i);
  EXPECT_THAT(doubles(b + 1), ElementsAre(5, 2));
  EXPECT_THAT(doubles(1 - b), ElementsAre(-3, 0));
  EXPECT_THAT(doubles(b * b), ElementsAre(16, 1));
  EXPECT_THAT(doubles(a(i) / b), ElementsAre(1, 1));
  EXPECT_THAT(doubles(-b), ElementsAre(-4, -1));
  EXPECT_THAT((b > 2).to_vector<bool>(), ElementsAre(true, false));
  EXPECT_THAT((1 == b).to_vector<bool>(), ElementsAre(false, true));
  EXPECT_THAT((!b).to_vector<bool>(), ElementsAre(false, false));
  EXPECT_THAT(doubles(sqrt(b)), ElementsAre(2, 1));
  EXPECT_EQ(sum(b).item<double>(), 5);
  EXPECT_EQ(sum(b, {.initial = 1}).item<double>(), 6);
  EXPECT_TRUE(all(b).item<bool>());
  EXPECT_TRUE(all(a(i), {.keepdims = true}).item<bool>());
  EXPECT_EQ(average(b, b).item<double>(), 3.4);
  EXPECT_THAT(doubles(concatenate({b, a(i), a})), ElementsAre(4, 1, 4, 1, 1, 2, 4));
  EXPECT_THAT(doubles(where(b > 2, b, 0)), ElementsAre(4, 0));
  EXPECT_THAT(doubles(vectorize([](auto x, auto y) { return x + y; })(b, a(i))), ElementsAre(8, 2));
  EXPECT_THAT(doubles(array(b)), ElementsAre(4, 1));
  const Array c = b, d(b);
  EXPECT_THAT(doubles(c + d), ElementsAre(8, 2));
  a(i) = b * 10;
  a(array({1})) += b(array({0}));
  EXPECT_THAT(doubles(a), ElementsAre(10, 6, 40));
  a(i) = b;
  EXPECT_THAT(doubles(a), ElementsAre(1, 6, 4));
  std::ostringstream text;
  text << b << a(i);
  EXPECT_EQ(text.str(), "[4. 1.][4. 1.]");
}

TEST_F(SelectionTest, MethodsThatReadTakeIt) {
  const Array a = array({{1.0, 2.0}, {3.0, 5.0}, {0.0, 4.0}}), i = array({1, 0});
  const auto b = a(i);
  EXPECT_EQ(b.shape(), (Shape{2, 2}));
  EXPECT_EQ(b.ndim(), 2);
  EXPECT_EQ(b.size(), 4);
  EXPECT_EQ(b.dtype(), float64);
  EXPECT_THAT(doubles(b.copy()), ElementsAre(3, 5, 1, 2));
  EXPECT_THAT(doubles(a(i).copy()), ElementsAre(3, 5, 1, 2));
  EXPECT_DOUBLE_EQ(b.std().item<double>(), std(Array(b)).item<double>());
  EXPECT_DOUBLE_EQ(b.var(0, 1).to_vector<double>()[0], 2);
  EXPECT_TRUE(b.any().item<bool>());
  EXPECT_TRUE(b.all().item<bool>());
  EXPECT_THAT(doubles(b.cumsum()), ElementsAre(3, 8, 9, 11));
  EXPECT_THAT(doubles(a(i).cumprod(0)), ElementsAre(3, 5, 3, 10));
  EXPECT_THAT(doubles(b.sum({0})), ElementsAre(4, 7));
  EXPECT_THAT(doubles(b.max(1)), ElementsAre(5, 2));
  EXPECT_THAT(doubles(b.min(1)), ElementsAre(3, 1));
  EXPECT_EQ(b.prod().item<double>(), 30);
  EXPECT_EQ(b.mean({0, 1}, true).shape(), (Shape{1, 1}));
  EXPECT_THAT(cells(b.argmax(1)), ElementsAre(1, 1));
  EXPECT_THAT(cells(b.argmin(0)), ElementsAre(1, 1));
  EXPECT_THAT(doubles(b.clip(2, 3)), ElementsAre(3, 3, 2, 2));
  EXPECT_THAT(doubles(b.clip({}, 3)), ElementsAre(3, 3, 1, 2));
  EXPECT_THAT(doubles(b.round()), ElementsAre(3, 5, 1, 2));
  EXPECT_THAT(doubles(b.T()), ElementsAre(3, 1, 5, 2));
  EXPECT_THAT(doubles(b.transpose(1, 0)), ElementsAre(3, 1, 5, 2));
  EXPECT_THAT(doubles(b.swapaxes(0, 1)), ElementsAre(3, 1, 5, 2));
  EXPECT_THAT(doubles(b.dot(b)), ElementsAre(14, 25, 5, 9));
  EXPECT_EQ(b.trace().item<double>(), 5);
  EXPECT_EQ(b.reshape(4).shape(), Shape{4});
  EXPECT_EQ(b.ravel().shape(), Shape{4});
  EXPECT_EQ(b.flatten().shape(), Shape{4});
  EXPECT_EQ(b(newaxis).squeeze().shape(), (Shape{2, 2}));
  EXPECT_EQ(b.astype<float>().dtype(), float32);
  EXPECT_EQ(b(all, newaxis).shape(), (Shape{2, 1, 2}));
  EXPECT_EQ(a(i)(all, newaxis).shape(), (Shape{2, 1, 2}));
  EXPECT_THAT(doubles(b[0]), ElementsAre(3, 5));
  EXPECT_THAT(doubles(b(array({1}))), ElementsAre(1, 2));
  EXPECT_THAT(doubles(b[b > 2]), ElementsAre(3, 5));
  double total = 0;
  for (const auto& row : b) total += row.sum().item<double>();
  EXPECT_EQ(total, 11);
  EXPECT_EQ(double(a(array({0}))[0](1)), 2);
  EXPECT_EQ(double(a(array({0}), array({1}))), 2);
  EXPECT_TRUE(bool(a(array({0}), array({1}))));
}

TEST_F(SelectionTest, NumbersThatDoNotFitAreNamedByTheCall) {
  const Array bytes = zeros({2, 2}, uint8), i = array({0, 1}), pairs = array({{0}, {1}});
  const std::vector<std::string> says = {"300", "uint8", "0 to 255", "use a wider dtype"};
  const auto refused = [&](const char* name, auto call) {
    const std::string text = error_of<ValueError>(call);
    for (const std::string& part : says) EXPECT_THAT(text, HasSubstr(part)) << name;
    EXPECT_THAT(text, HasSubstr(std::string("[") + name + "]"));
    EXPECT_THAT(text, HasSubstr("selection_test.cc:"));
  };
  refused("add_at", [&] { add_at(bytes, i, 300); });
  refused("add_at", [&] { add_at(bytes, {i, i}, 300); });
  refused("multiply_at", [&] { multiply_at(bytes, i, 300); });
  refused("minimum_at", [&] { minimum_at(bytes, i, 300); });
  refused("maximum_at", [&] { maximum_at(bytes, i, 300); });
  refused("put", [&] { put(bytes, i, 300); });
  refused("put_along_axis", [&] { put_along_axis(bytes, pairs, 300, 1); });
  EXPECT_EQ(sum(bytes).item<std::uint64_t>(), 0);
}

TEST_F(SelectionTest, SeveralIndexArraysAreFoldedBy) {
  const Array a = zeros({2, 2}, int64), i = array({0, 1, 0}), j = array({1, 1, 1});
  maximum_at(a, {i, j}, array({5, 6, 4}));
  multiply_at(a, {array({0, 0}), array({1, 1})}, 3);
  minimum_at(a, {array({1}), array({1})}, 2);
  EXPECT_THAT(cells(a), ElementsAre(0, 45, 0, 2));
  expect_refused<IndexError>(recorder, [&] { maximum_at(a, {i, i, i}, 1); }, {"[maximum_at]", "3 index arrays"});
}

}  // namespace
}  // namespace pilum::numeric
