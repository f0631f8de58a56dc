// What a NumPy user writes on the first day, and what C++ lets work.
#include <array>
#include <cmath>
#include <sstream>
#include <vector>

#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using FirstPrograms = NumericTest;

template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TEST_F(FirstPrograms, MixedListsPromote) {
  const Array a = array({1, 2.5});
  EXPECT_EQ(a.dtype(), float64);
  EXPECT_THAT(a.to_vector<double>(), ElementsAre(1, 2.5));
  EXPECT_EQ(array({true, 2}).dtype(), int32);
  EXPECT_EQ(array({1, 2L}).dtype(), int64);
  EXPECT_EQ(array({1, 2.5f}).dtype(), float64);
  EXPECT_EQ(array({true, 2.5f}).dtype(), float32);
  EXPECT_THAT(array({1, INT64_MAX, true}).to_vector<std::int64_t>(), ElementsAre(1, INT64_MAX, 1));
  const Array b = array({{1, 2.5}, {3L, false}});
  EXPECT_EQ(b.shape(), (Shape{2, 2}));
  EXPECT_THAT(b.to_vector<double>(), ElementsAre(1, 2.5, 3, 0));
  EXPECT_THAT(array({1, 2.5}, int32).to_vector<std::int32_t>(), ElementsAre(1, 2));
  expect_refused<ValueError>(recorder, [] { array({1, 1e10}, int32); }, {"[array]", "int32"});
}

TEST_F(FirstPrograms, ListsAreAsDeepAsArraysHaveAxes) {
  EXPECT_EQ(array({{{{{1, 2}}}}}).shape(), (Shape{1, 1, 1, 1, 2}));
  EXPECT_EQ(array({{{{{{{{1, 2}, {3, 4.5}}}}}}}}).shape(), (Shape{1, 1, 1, 1, 1, 1, 2, 2}));
  expect_refused<ShapeError>(recorder, [] { array({{{{{{{{{1}}}}}}}}}); }, {"[array]", "9"});
  expect_refused<ShapeError>(recorder, [] { array({{1, 2.5}, {3}}); }, {"[array]", "differ in length"});
  expect_refused<ShapeError>(recorder, [] { array({{1, 2}, 2.5}); }, {"[array]", "differ in length"});
  expect_refused<ShapeError>(recorder, [] { array({1, {2, 2.5}}); }, {"[array]", "differ in length"});
  EXPECT_EQ(array({}).shape(), Shape{0});
  EXPECT_EQ(array({}).dtype(), float64);
  EXPECT_EQ(array({{}, {}}).shape(), (Shape{2, 0}));
}

TEST_F(FirstPrograms, NestedContainersAreArrays) {
  const std::vector<std::vector<double>> rows = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(array(rows).shape(), (Shape{2, 3}));
  EXPECT_THAT(array(rows).T().to_vector<double>(), ElementsAre(1, 4, 2, 5, 3, 6));
  const std::array<std::array<std::int32_t, 2>, 1> fixed = {{{7, 8}}};
  EXPECT_EQ(array(fixed).dtype(), int32);
  EXPECT_EQ(array(fixed).shape(), (Shape{1, 2}));
  expect_refused<ShapeError>(recorder, [] { array(std::vector<std::vector<double>>{{1}, {2, 3}}); },
                             {"differ in length"});
}

TEST_F(FirstPrograms, AnArrayOfAnArrayIsACopy) {
  const Array a = array({1, 2});
  Array b = array(a);
  b += 1;
  EXPECT_THAT(a.to_vector<std::int32_t>(), ElementsAre(1, 2));
  EXPECT_EQ(array(a, float32).dtype(), float32);
}

TEST_F(FirstPrograms, ShapesAndDtypesPrint) {
  const Array a = zeros({3, 4}, float32);
  EXPECT_EQ(printed(a.shape()), "(3, 4)");
  EXPECT_EQ(printed(a(0).shape()), "(4,)");
  EXPECT_EQ(printed(sum(a).shape()), "()");
  EXPECT_EQ(printed(a.dtype()), "float32");
}

TEST_F(FirstPrograms, ExtentsAreOfAnyIntegerType) {
  const std::vector<double> v(5);
  const unsigned n = 2;
  EXPECT_EQ(zeros({v.size(), 3, n}).shape(), (Shape{5, 3, 2}));
  EXPECT_EQ(ones(v.size()).shape(), Shape{5});
}

TEST_F(FirstPrograms, SlicesOfOneNumberStopThere) {
  const Array a = arange(6);
  EXPECT_THAT(a(slice(2)).to_vector<std::int64_t>(), ElementsAre(0, 1));
  EXPECT_THAT(a[slice(-3)].to_vector<std::int64_t>(), ElementsAre(0, 1, 2));
}

TEST_F(FirstPrograms, ValuesWidenWhereNothingIsLost) {
  EXPECT_EQ(array({3}).item<double>(), 3.0);
  EXPECT_EQ(array({3}).item<std::int64_t>(), 3);
  EXPECT_EQ(array({-3L}).item<double>(), -3.0);
  EXPECT_EQ(array({0.1f}).item<double>(), static_cast<double>(0.1f));
  EXPECT_EQ(array({true}).item<std::int32_t>(), 1);
  EXPECT_EQ(array({true}).item<float>(), 1.0f);
  EXPECT_THAT(array({1, -2}).to_vector<double>(), ElementsAre(1, -2));
  EXPECT_THAT(array({1L << 53, INT64_MIN}).to_vector<double>(), ElementsAre(0x1p53, -0x1p63));
  const Array wide = array({3L}), whole = array({3}), real = array({3.0});
  const Array odd = array({(1L << 53) + 1}), largest = array({INT64_MAX});
  expect_refused<ValueError>(recorder, [&] { odd.item<double>(); }, {"[item]", "9007199254740993", "astype"});
  expect_refused<ValueError>(recorder, [&] { largest.item<double>(); }, {"[item]", "9223372036854775807"});
  expect_refused<DTypeError>(recorder, [&] { wide.to_vector<std::int32_t>(); },
                             {"[to_vector]", "int64", "int32", "astype"});
  expect_refused<DTypeError>(recorder, [&] { whole.to_vector<float>(); }, {"[to_vector]", "int32", "float32"});
  expect_refused<DTypeError>(recorder, [&] { real.to_vector<std::int64_t>(); }, {"[to_vector]", "float64", "int64"});
}

TEST_F(FirstPrograms, ReductionsAreMethodsToo) {
  const Array a = array({{1.0, 2.0}, {3.0, 5.0}});
  EXPECT_EQ(a.sum().item<double>(), 11);
  EXPECT_EQ(a.prod().item<double>(), 30);
  EXPECT_EQ(a.mean().item<double>(), 2.75);
  EXPECT_THAT(a.max(0).to_vector<double>(), ElementsAre(3, 5));
  EXPECT_THAT(a.min(-1).to_vector<double>(), ElementsAre(1, 3));
  EXPECT_EQ(a.sum({0, 1}, true).shape(), (Shape{1, 1}));
  expect_refused<IndexError>(recorder, [&] { a.sum(2); }, {"[sum]", "2"});
}

TEST_F(FirstPrograms, ShapesAndAxesAreTakenOneByOne) {
  const Array a = arange(6);
  EXPECT_EQ(a.reshape(2, 3).shape(), (Shape{2, 3}));
  EXPECT_EQ(a.reshape(3, -1).shape(), (Shape{3, 2}));
  EXPECT_EQ(a.reshape(2, 3).transpose(1, 0).shape(), (Shape{3, 2}));
  EXPECT_EQ(a.reshape(1, 2, 3).transpose(2, 0, -2).shape(), (Shape{3, 1, 2}));
  expect_refused<ShapeError>(recorder, [&] { a.reshape(2, 4); }, {"[reshape]", "(2, 4)"});
  expect_refused<ValueError>(recorder, [&] { a.transpose(0, 0); }, {"[transpose]"});
}

TEST_F(FirstPrograms, DtypesAreNamedByCppTypes) {
  EXPECT_EQ(arange(3).astype<float>().dtype(), float32);
  EXPECT_EQ(arange(0, 3, float32).dtype(), float32);
  EXPECT_EQ(linspace(0, 1, 5, float32).dtype(), float32);
}

TEST_F(FirstPrograms, ListsAreWritten) {
  Array a = zeros({2, 3});
  a(0, all) = {1, 2.5, 3};
  a(1, slice(2)) = {4, 5};
  a(1, slice(2, {})) = {6};
  EXPECT_THAT(a.to_vector<double>(), ElementsAre(1, 2.5, 3, 4, 5, 6));
  a[all] = {{1, 2, 3}, {4, 5, 6.5}};
  EXPECT_THAT(a.to_vector<double>(), ElementsAre(1, 2, 3, 4, 5, 6.5));
  a(0, all) = {{7, 8, 9}};
  EXPECT_THAT(a(0).to_vector<double>(), ElementsAre(7, 8, 9));
  expect_refused<ShapeError>(recorder, [&] { a(0, all) = {1, 2}; }, {"[a(…) =]", "(2,)", "(3,)"});
  expect_refused<ShapeError>(recorder, [&] { a[all] = {{1, 2.5, 3}, {4}}; }, {"[a(…) =]", "differ in length"});
}

TEST_F(FirstPrograms, RowsAreGoneThrough) {
  Array a = zeros({3, 2});
  int k = 0;
  for (Array row : a) row[all] = ++k;
  EXPECT_THAT(a.to_vector<double>(), ElementsAre(1, 1, 2, 2, 3, 3));
  for (auto& row : a) row[all] = row + 10;
  for (auto row : a) row *= 2;
  EXPECT_THAT(a.to_vector<double>(), ElementsAre(22, 22, 24, 24, 26, 26));
  for (Array row : zeros({0, 2})) ADD_FAILURE() << row.shape();
  const Array none = zeros({});
  // clang-format off: the error names the line of the loop
  expect_refused<ValueError>(recorder, [&] { for (const Array row : none) (void)row; }, {"[for]", "item"});
  // clang-format on
}

TEST_F(FirstPrograms, OneCellIsTrueOrFalse) {
  const Array a = array({1, 2}), b = array({1, 2});
  const auto is_true = [](const Array& cell) {
    if (cell) return true;  // NOLINT(readability-simplify-boolean-expr): as a condition
    return false;
  };
  EXPECT_TRUE(is_true(min(a == b)));
  if (sum(a != b) != 0) ADD_FAILURE();
  if (max(a) > 1 && min(a) < 1) ADD_FAILURE();
  EXPECT_TRUE(is_true(!array({0.0})));
  EXPECT_TRUE(static_cast<bool>(array({0.5})));
  EXPECT_TRUE(static_cast<bool>(array({std::nan("")})));
  EXPECT_FALSE(static_cast<bool>(array({-0.0})));
  EXPECT_EQ(double(sum(a)), 3.0);
  const Array empty;
  EXPECT_THROW(static_cast<void>(!empty), ValueError);
  EXPECT_THROW(static_cast<void>(static_cast<bool>(empty)), ValueError);
}

// C++ lets no line come along with an `if`: the error names the line that made the array.
TEST_F(FirstPrograms, ManyCellsAreNeitherTrueNorFalse) {
  const Array a = array({1, 2}), b = array({1, 3});
  int line = 0;
  try {
    line = __LINE__ + 1;
    if (a == b) ADD_FAILURE();
    ADD_FAILURE();
  } catch (const ValueError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("`equal` made here has 2 truth values, shape (2,)"));
    EXPECT_THAT(error.what(), testing::HasSubstr("np::min(x) asks whether all are true"));
    EXPECT_THAT(error.what(), testing::HasSubstr("_test.cc:" + std::to_string(line)));
  }
  EXPECT_THROW(static_cast<void>(a == a && b == b), ValueError);
  EXPECT_THROW(static_cast<void>(static_cast<bool>(zeros(0))), ValueError);
}

}  // namespace
}  // namespace pilum::numeric
