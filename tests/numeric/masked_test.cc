// Cells written by masks one after the other, zeros cut off, bits: what is refused, and what is said.
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/sets.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::ElementsAre;
using MaskedTest = NumericTest;

TEST_F(MaskedTest, PlaceCountsTheMasksCellsAndPutmaskAll) {
  const Array a = arange(6), b = arange(6), mask = a > 1, values = array({70L, 80L});
  place(a, mask, values);
  putmask(b, mask, values);
  EXPECT_THAT(a.to_vector<std::int64_t>(), ElementsAre(0, 1, 70, 80, 70, 80));
  EXPECT_THAT(b.to_vector<std::int64_t>(), ElementsAre(0, 1, 70, 80, 70, 80));
  putmask(b, b > 75, values);
  EXPECT_THAT(b.to_vector<std::int64_t>(), ElementsAre(0, 1, 70, 80, 70, 80));
  place(b, b > 75, array({1L, 2L, 3L}));
  EXPECT_THAT(b.to_vector<std::int64_t>(), ElementsAre(0, 1, 70, 1, 70, 2));
}

TEST_F(MaskedTest, PlaceAndPutmaskRefuseWhatNumPyRefuses) {
  const Array a = arange(6), mask = a > 1, two = array({true, false}), halves = array({1.5, 2.5});
  expect_refused<ValueError>(recorder, [&] { putmask(a, two, 1); }, {"[putmask]", "one for each cell"});
  expect_refused<DTypeError>(recorder, [&] { place(a, mask, halves); }, {"[place] values of float64", "astype"});
  EXPECT_THROW(place(a, mask, zeros({0}, int64)), ValueError);
  place(a, a > 100, zeros({0}, int64));  // no cell asks for one
  EXPECT_THAT(a.to_vector<std::int64_t>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(MaskedTest, ZerosAreCutOffWhereAllOfAPartAreZero) {
  const Array a = zeros({4, 5});
  a(1, 2) = 7;
  a(2, 3) = 8;
  EXPECT_THAT(trim_zeros(a).to_vector<double>(), ElementsAre(7, 0, 0, 8));
  EXPECT_EQ(trim_zeros(a, "f").shape(), (Shape{3, 3}));
  EXPECT_EQ(trim_zeros(a, "b", 1).shape(), (Shape{4, 4}));
  EXPECT_EQ(trim_zeros(zeros({2, 3})).shape(), (Shape{0, 0}));
  trim_zeros(a) += 1;  // a view
  EXPECT_EQ(a(1, 3).item<double>(), 1);
  expect_refused<ValueError>(recorder, [&] { trim_zeros(a, "x"); }, {"\"x\"", "\"fb\""});
}

TEST_F(MaskedTest, BitsAreCountedPackedAndTakenOut) {
  EXPECT_THAT(bitwise_count(array({-128, 127, 255, 0}).astype(int8)).to_vector<std::uint8_t>(),
              ElementsAre(1, 7, 1, 0));
  EXPECT_THAT(bitwise_count(array({INT64_MIN, INT64_MAX, -1L})).to_vector<std::uint8_t>(), ElementsAre(1, 63, 1));
  const Array bits = array({true, false, true, true, false, false, false, false, true});
  EXPECT_THAT(packbits(bits).to_vector<std::uint8_t>(), ElementsAre(0b10110000, 0b10000000));
  EXPECT_THAT(packbits(bits, {}, "little").to_vector<std::uint8_t>(), ElementsAre(0b00001101, 1));
  EXPECT_THAT(unpackbits(packbits(bits), {}, 9).to_vector<std::uint8_t>(), ElementsAre(1, 0, 1, 1, 0, 0, 0, 0, 1));
  const Array floats = ones(3), integers = arange(3), byte = zeros({1}, uint8);
  expect_refused<DTypeError>(recorder, [&] { packbits(floats); }, {"[packbits]", "a > 0"});
  expect_refused<DTypeError>(recorder, [&] { unpackbits(integers); }, {"[unpackbits]", "uint8"});
  expect_refused<ValueError>(recorder, [&] { unpackbits(byte, 0, -9); }, {"8 bits 9", "0 or more"});
  expect_refused<DTypeError>(recorder, [&] { bitwise_count(floats); }, {"[bitwise_count]", "astype"});
}

TEST_F(MaskedTest, DiagonalsAndTrianglesAreOfMatrices) {
  EXPECT_THAT(tril_indices_from(zeros({2, 3})).second.to_vector<std::int64_t>(), ElementsAre(0, 0, 1));
  const Array line = zeros(3), oblong = zeros({2, 3});
  expect_refused<ShapeError>(recorder, [&] { triu_indices_from(line); }, {"[triu_indices_from]", "two axes"});
  expect_refused<ShapeError>(recorder, [&] { diag_indices_from(oblong); }, {"(2, 3)", "corner"});
}

}  // namespace
}  // namespace pilum::numeric
