#include "pilum/linear_algebra.h"

#include <cmath>

#include "pilum/manipulation.h"
#include "tests/numeric/naive_matmul.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::ElementsAreArray;
using LinearAlgebra = NumericTest;

Array counted(const Shape& shape, DType dtype = float64) {
  return arange(shape.elements()).reshape(shape).astype(dtype);
}

// Named: generate.py --seed 55, matrix_norm: [max] refused matrices without columns, whose norm is 0.
TEST_F(LinearAlgebra, TheLargestSumOfNoColumnsIsNought) {
  EXPECT_EQ(norm(zeros({3, 0}), 1).item<double>(), 0);
  EXPECT_EQ(norm(zeros({0, 3}), INFINITY).item<double>(), 0);
  EXPECT_EQ(linalg::vector_norm(zeros(0), {}, INFINITY).item<double>(), 0);
  EXPECT_THAT(linalg::matrix_norm(zeros({2, 0, 3}), -1).to_vector<double>(), ElementsAre(0, 0));
  const Array none = zeros({3, 0});
  expect_refused<ValueError>(recorder, [&] { norm(none, -1); }, {"[norm]"});
}

TEST_F(LinearAlgebra, MatmulAsNumPyPrintsIt) {
  const Array a = counted({2, 3}), b = counted({3, 2});
  EXPECT_THAT(matmul(a, b).to_vector<double>(), ElementsAre(10, 13, 28, 40));
  EXPECT_THAT(matmul(a, array({1.0, 2.0, 3.0})).to_vector<double>(), ElementsAre(8, 26));
  EXPECT_THAT(matmul(array({1.0, 2.0}), a).to_vector<double>(), ElementsAre(6, 9, 12));
  EXPECT_THAT(matmul(a.T(), array({1.0, 2.0})).to_vector<double>(), ElementsAre(6, 9, 12));
  EXPECT_THAT(matmul(array({1.0, 2.0, 3.0}), a.T()).to_vector<double>(), ElementsAre(8, 26));
  EXPECT_THAT(matvec(swapaxes(counted({2, 2, 3}), 1, 2), array({{1.0, 2.0}, {3.0, 4.0}})).to_vector<double>(),
              ElementsAre(6, 9, 12, 54, 61, 68));
  EXPECT_EQ(matmul(array({1, 2}), array({3, 4})).shape(), Shape{});
  EXPECT_EQ(matmul(counted({4, 2, 3}), array({1, 2, 3})).shape(), (Shape{4, 2}));
  EXPECT_EQ(matmul(array({1, 2}), counted({4, 2, 3})).shape(), (Shape{4, 3}));
  EXPECT_EQ(matmul(counted({2, 3}, int32), counted({3, 2}, float32)).dtype(), float64);
}

// As a fused sum, and by the block product of larger ones.
TEST_F(LinearAlgebra, IntegersWrapAndBoolsAreOrs) {
  for (const std::int64_t extent : {2, 40}) {
    const Array large = full({extent, extent}, 65536, int32);
    EXPECT_EQ(matmul(large, large)(0, 0).item<std::int32_t>(), 0);
    const Array odd = full({extent, extent}, 65537, int32);  // (2^16 + 1)^2 = 2^17 + 1
    EXPECT_EQ(matmul(odd, odd)(1, 1).item<std::int32_t>(), extent * 131073);
    const Array huge = full({extent, extent}, std::int64_t{1} << 62, int64);
    EXPECT_EQ(matmul(huge, full({extent, extent}, 3, int64))(0, 1).item<std::int64_t>(),
              static_cast<std::int64_t>(static_cast<std::uint64_t>(extent) * 3 * (std::uint64_t{1} << 62)));
    const Array yes = ones({extent, extent}, bool_);
    EXPECT_TRUE(matmul(yes, yes)(0, 0).item<bool>());
    EXPECT_FALSE(matmul(yes, zeros({extent, extent}, bool_))(0, 0).item<bool>());
    EXPECT_EQ(matmul(yes, yes).dtype(), bool_);
  }
}

TEST_F(LinearAlgebra, ProductsHaveNansWhereNumPyHas) {
  for (const std::int64_t extent : {3, 40}) {
    const Array a = full({extent, extent}, kInfinity);
    EXPECT_TRUE(std::isnan(matmul(a, zeros({extent, extent}))(0, 0).item<double>()));
    EXPECT_EQ(matmul(a, ones({extent, extent}))(0, 0).item<double>(), kInfinity);
  }
}

TEST_F(LinearAlgebra, MatmulRefusesWhatDoesNotFit) {
  const Array a = zeros({2, 3}), b = zeros({2, 3}), number = array(2.0), batch = zeros({4, 3, 2}),
              other = zeros({5, 2, 3}), vector = zeros(3);
  expect_refused<ShapeError>(recorder, [&] { matmul(a, b); }, {"[matmul]", "(2, 3)", "3 cells", "2"});
  expect_refused<ShapeError>(recorder, [&] { matmul(a, number); }, {"[matmul]", "operand 2", "()", "a * b"});
  expect_refused<ShapeError>(recorder, [&] { matmul(number, b); }, {"[matmul]", "operand 1", "()"});
  expect_refused<ShapeError>(recorder, [&] { matmul(batch, other); }, {"[matmul]", "(4,)", "(5,)", "broadcast"});
  expect_refused<ShapeError>(recorder, [&] { matvec(vector, a); }, {"[matvec]", "operand 1", "(3,)"});
  expect_refused<ShapeError>(recorder, [&] { vecmat(a, vector); }, {"[vecmat]", "operand 2", "(3,)"});
  expect_refused<ValueError>(recorder, [&] { matmul(Array(), a); }, {"[matmul]"});
}

TEST_F(LinearAlgebra, DotSumsOverTheLastAndTheLastButOneAxis) {
  const Array a = counted({2, 3, 4}, int32), b = counted({5, 4, 2}, int32);
  const Array c = dot(a, b);
  ASSERT_EQ(c.shape(), (Shape{2, 3, 5, 2}));
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int l = 0; l < 5; ++l) {
        for (int m = 0; m < 2; ++m)
          EXPECT_EQ(c(i, j, l, m).item<std::int32_t>(), sum(a(i, j) * b(l, all, m)).item<std::int64_t>());
      }
    }
  }
  EXPECT_THAT(dot(counted({2, 3}), counted({3})).to_vector<double>(), ElementsAre(5, 14));
  EXPECT_THAT(dot(counted({3}), counted({3, 2})).to_vector<double>(), ElementsAre(10, 13));
  EXPECT_THAT(dot(counted({2, 2}), counted({2, 2})).to_vector<double>(), ElementsAre(2, 3, 6, 11));
  EXPECT_EQ(dot(array(3), counted({2, 2})).shape(), (Shape{2, 2}));
  EXPECT_EQ(dot(zeros({2, 0}), zeros({0, 3})).shape(), (Shape{2, 3}));
  const Array wide = zeros({2, 3});
  expect_refused<ShapeError>(recorder, [&] { dot(wide, wide); }, {"[dot]", "(2, 3)", "axis 1", "axis 0"});
}

TEST_F(LinearAlgebra, InnerOuterVecdot) {
  EXPECT_THAT(inner(counted({2, 3}), counted({2, 3})).to_vector<double>(), ElementsAre(5, 14, 14, 50));
  EXPECT_EQ(inner(counted({2, 3, 4}), counted({5, 4})).shape(), (Shape{2, 3, 5}));
  EXPECT_EQ(inner(array({1, 2}), array({3, 4})).item<std::int32_t>(), 11);
  EXPECT_THAT(outer(array({1, 2}), array({3, 4, 5})).to_vector<std::int32_t>(), ElementsAre(3, 4, 5, 6, 8, 10));
  EXPECT_EQ(outer(counted({2, 2}), array(3)).shape(), (Shape{4, 1}));
  EXPECT_THAT(vecdot(counted({2, 3}), counted({3})).to_vector<double>(), ElementsAre(5, 14));
  EXPECT_THAT(vecdot(counted({2, 3}), counted({2, 1}), 0).to_vector<double>(), ElementsAre(3, 4, 5));
  EXPECT_EQ(vecdot(array({true, false}), array({false, true})).dtype(), bool_);
  const Array three = zeros({2, 3}), one = zeros({2, 1});
  expect_refused<ShapeError>(recorder, [&] { vecdot(three, one); }, {"[vecdot]", "(2, 3)", "(2, 1)"});
  expect_refused<IndexError>(recorder, [&] { vecdot(three, three, 2); }, {"[vecdot]", "2"});
  expect_refused<ShapeError>(recorder, [&] { inner(three, one); }, {"[inner]", "(2, 3)", "(2, 1)"});
  expect_refused<ShapeError>(recorder, [&] { vdot(three, one); }, {"[vdot]", "(2, 3)", "(2, 1)"});
}

TEST_F(LinearAlgebra, TensordotSumsOverPairsOfAxes) {
  const Array a = counted({3, 4, 5}), b = counted({4, 3, 2});
  const Array c = tensordot(a, b, {1, 0}, {0, 1});  // the example of NumPy's documentation
  EXPECT_EQ(c.shape(), (Shape{5, 2}));
  EXPECT_THAT(c.to_vector<double>(), ElementsAre(4400, 4730, 4532, 4874, 4664, 5018, 4796, 5162, 4928, 5306));
  EXPECT_EQ(tensordot(a, b, 0).shape(), (Shape{3, 4, 5, 4, 3, 2}));
  EXPECT_THAT(tensordot(counted({2, 2}), counted({2, 2}), 0).to_vector<double>(),
              ElementsAre(0, 0, 0, 0, 0, 1, 2, 3, 0, 2, 4, 6, 0, 3, 6, 9));
  EXPECT_EQ(tensordot(counted({2, 3}), counted({2, 3})).item<double>(), 55);
  EXPECT_EQ(tensordot(a, counted({3, 4, 5}), {-3, -1}, {0, 2}).shape(), (Shape{4, 4}));
  EXPECT_THAT(tensordot(counted({2, 3, 4}), counted({3, 4})).to_vector<double>(), ElementsAre(506, 1298));
  expect_refused<ValueError>(recorder, [&] { tensordot(a, b, 4); }, {"[tensordot]", "4 axes"});
  expect_refused<ValueError>(recorder, [&] { tensordot(a, b, {0, 1}, {1}); }, {"[tensordot]", "2", "1"});
  expect_refused<ValueError>(recorder, [&] { tensordot(a, b, {0, -3}, {1, 1}); }, {"[tensordot]", "twice"});
  expect_refused<ShapeError>(recorder, [&] { tensordot(a, b, 1); }, {"[tensordot]", "axis 2", "5", "axis 0", "4"});
  expect_refused<IndexError>(recorder, [&] { tensordot(a, b, {3}, {0}); }, {"[tensordot]", "3"});
}

// A small array with a large one: as moments of a distribution in each cell of a grid, and the way back.
TEST_F(LinearAlgebra, TensordotOfVectorsInEachCell) {
  const std::int64_t n = 70;
  const Array weights = counted({9, 2}) - 5, f = counted({9, n, n}) % 7, g = counted({2, 3, n, n}) % 5;
  const std::vector<double> w = weights.to_vector<double>(), cells = f.to_vector<double>(),
                            of_g = g.to_vector<double>();
  const std::size_t points = static_cast<std::size_t>(n * n);
  std::vector<double> moments(2 * points), traces(2 * points);
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t k = 0; k < 9; ++k) {
      for (std::size_t x = 0; x < points; ++x) moments[d * points + x] += w[k * 2 + d] * cells[k * points + x];
    }
  }
  EXPECT_EQ(tensordot(weights.T(), f, 1).to_vector<double>(), moments);
  EXPECT_EQ(tensordot(weights, f, {0}, {0}).to_vector<double>(), moments);
  EXPECT_EQ(einsum("ad,axy->dxy", weights, f).to_vector<double>(), moments);
  EXPECT_EQ(einsum("axy,ad->dxy", f, weights).to_vector<double>(), moments);
  const Array few = counted({2, 2, 3}) - 4;  // two axes are summed over
  const std::vector<double> v = few.to_vector<double>();
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t k = 0; k < 6; ++k) {
      for (std::size_t x = 0; x < points; ++x) traces[r * points + x] += v[r * 6 + k] * of_g[k * points + x];
    }
  }
  EXPECT_EQ(tensordot(few, g, 2).to_vector<double>(), traces);
  EXPECT_EQ(einsum("rij,ijxy->rxy", few, g).to_vector<double>(), traces);
  EXPECT_EQ(tensordot(weights.astype(int8), f.astype(int8), {0}, {0}).dtype(), int8);
}

TEST_F(LinearAlgebra, TraceIsTheSumOfADiagonal) {
  const Array a = counted({3, 4}, int32);
  EXPECT_EQ(trace(a).item<std::int64_t>(), 15);
  EXPECT_EQ(trace(a, 1).item<std::int64_t>(), 18);
  EXPECT_EQ(trace(a, -1).item<std::int64_t>(), 13);
  EXPECT_EQ(trace(a, 4).item<std::int64_t>(), 0);
  EXPECT_EQ(trace(a, 1, 1, 0).item<std::int64_t>(), 13);
  EXPECT_EQ(trace(a).dtype(), int64);
  EXPECT_THAT(trace(counted({2, 2, 3})).to_vector<double>(), ElementsAre(9, 11, 13));
  EXPECT_THAT(trace(counted({2, 2, 3}), 0, -1, 0).to_vector<double>(), ElementsAre(7, 13));
  const Array holes = array({{1.0, kInfinity}, {kInfinity, 2.0}});
  EXPECT_EQ(trace(holes).item<double>(), 3);
  EXPECT_EQ(trace(ones({2, 2}, bool_)).item<std::int64_t>(), 2);
  const Array vector = zeros(3);
  expect_refused<ShapeError>(recorder, [&] { trace(vector); }, {"[trace]", "(3,)"});
  expect_refused<ValueError>(recorder, [&] { trace(a, 0, 1, -1); }, {"[trace]", "one"});
  expect_refused<IndexError>(recorder, [&] { trace(a, 0, 0, 2); }, {"[trace]", "2"});
}

TEST_F(LinearAlgebra, NormsOfVectorsAndMatrices) {
  const Array v = array({3.0, -4.0, 0.0}), m = array({{1.0, -2.0}, {3.0, 4.0}, {-5.0, 0.0}});
  EXPECT_EQ(norm(v).item<double>(), 5);
  EXPECT_EQ(norm(v, 2).item<double>(), 5);
  EXPECT_EQ(norm(v, 1).item<double>(), 7);
  EXPECT_EQ(norm(v, 0).item<double>(), 2);
  EXPECT_EQ(norm(v, kInfinity).item<double>(), 4);
  EXPECT_EQ(norm(v, -kInfinity).item<double>(), 0);
  EXPECT_NEAR(norm(v, 3).item<double>(), std::cbrt(91.0), 1e-15 * 5);
  EXPECT_NEAR(norm(v, 0.5).item<double>(), std::pow(std::sqrt(3.0) + 2, 2), 1e-14);
  EXPECT_EQ(norm(m).item<double>(), std::sqrt(55.0));
  EXPECT_EQ(norm(m, 1).item<double>(), 9);
  EXPECT_EQ(norm(m, -1).item<double>(), 6);
  EXPECT_EQ(norm(m, kInfinity).item<double>(), 7);
  EXPECT_EQ(norm(m, -kInfinity).item<double>(), 3);
  EXPECT_THAT(norm(m, 1, 1).to_vector<double>(), ElementsAre(3, 7, 5));
  EXPECT_THAT(norm(m, {}, 1).to_vector<double>(), ElementsAre(std::sqrt(5.0), 5, 5));
  EXPECT_EQ(norm(m, 1, {1, 0}).item<double>(), 7);  // the rows are axis 1's
  EXPECT_EQ(norm(m, {}, {0, 1}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(norm(m, kInfinity, {0, 1}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(norm(counted({2, 3, 4})).shape(), Shape{});
  EXPECT_EQ(norm(counted({2, 3, 4}), 1, {0, 2}).shape(), (Shape{3}));
  EXPECT_EQ(norm(array({3, 4})).dtype(), float64);
  EXPECT_EQ(norm(v.astype(float32), 3).dtype(), float32);
  EXPECT_EQ(norm(v.astype(float32), 0).dtype(), float32);
  const Array cube = counted({2, 2, 2});
  EXPECT_NEAR(norm(array({{3.0, 0.0}, {0.0, 4.0}}), 2).item<double>(), 4, 1e-14);  // by singular values: linalg_test.cc
  expect_refused<ValueError>(recorder, [&] { norm(m, 3, {0, 1}); }, {"[norm]", "order 3"});
  expect_refused<ValueError>(recorder, [&] { norm(cube, 1); }, {"[norm]", "(2, 2, 2)"});
  expect_refused<ValueError>(recorder, [&] { norm(cube, {}, {0, 1, 2}); }, {"[norm]", "3 axes"});
  expect_refused<IndexError>(recorder, [&] { norm(v, 1, 1); }, {"[norm]", "1"});
  expect_refused<ValueError>(recorder, [&] { norm(m, {}, {0, 0}); }, {"[norm]", "twice"});
}

}  // namespace
}  // namespace pilum::numeric
