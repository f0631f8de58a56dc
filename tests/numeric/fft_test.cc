// Fourier transforms beside sums of the definition, and what is refused.
#include "pilum/fft.h"

#include <complex>
#include <numbers>

#include "numeric/fftw.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "tests/numeric/numeric_test.h"

namespace pilum::numeric {
namespace {

class Fft : public NumericTest {
 protected:
  void SetUp() override {
    if (!(find_fftw(true) && find_fftw(false))) GTEST_SKIP() << "there is no FFTW on this machine";
  }
};
using Reals = std::vector<double>;
using Complex = std::complex<double>;
using Complexes = std::vector<Complex>;

// The definition, term by term.
Complexes transform(const Complexes& cells, double sign) {
  const std::size_t n = cells.size();
  Complexes result(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i)
      result[k] += cells[i] * std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(i * k % n) /
                                                  static_cast<double>(n));
  }
  return result;
}

void expect_near(const Complexes& found, const Complexes& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_LT(std::abs(found[k] - wanted[k]), 1e-12) << "cell " << k;
}

Complexes some_cells(std::size_t n) {
  Complexes cells;
  for (std::size_t i = 0; i < n; ++i)
    cells.emplace_back(static_cast<double>(i * i % 7) - 2, static_cast<double>(i % 3));
  return cells;
}

TEST_F(Fft, IsTheSumOfItsDefinition) {
  for (const std::size_t n : {1U, 2U, 5U, 12U, 31U}) {
    const Complexes cells = some_cells(n);
    expect_near(fft::fft(array(cells)).to_vector<Complex>(), transform(cells, -1));
    Complexes back = transform(cells, 1);
    for (Complex& cell : back) cell /= static_cast<double>(n);
    expect_near(fft::ifft(array(cells)).to_vector<Complex>(), back);
  }
}

TEST_F(Fft, GoesAlongAnyAxisOfAnyView) {
  const Array cube = reshape(array(some_cells(24)), {2, 3, 4});
  for (int axis = 0; axis < 3; ++axis) {
    const Array view = flip(cube, 0), found = moveaxis(fft::fft(view, {}, axis), axis, -1),
                lines = moveaxis(view, axis, -1);
    Complexes wanted;
    const Complexes flat = lines.to_vector<Complex>();
    const auto n = static_cast<std::size_t>(lines.shape()[2]);
    for (std::size_t first = 0; first < flat.size(); first += n) {
      for (const Complex& cell : transform(Complexes(flat.begin() + static_cast<std::ptrdiff_t>(first),
                                                     flat.begin() + static_cast<std::ptrdiff_t>(first + n)),
                                           -1))
        wanted.push_back(cell);
    }
    expect_near(found.to_vector<Complex>(), wanted);
  }
  expect_near(fft::ifftn(fft::fftn(cube)).to_vector<Complex>(), cube.to_vector<Complex>());
}

TEST_F(Fft, RealNumbersHaveHalfOfIt) {
  const Array a = array({1.0, -2.0, 3.0, 0.5, 4.0}), grid = reshape(arange(12), {3, 4});
  EXPECT_EQ(fft::rfft(a).shape(), (Shape{3}));
  expect_near(fft::rfft(a).to_vector<Complex>(), fft::fft(a)(slice(0, 3)).to_vector<Complex>());
  const Reals back = fft::irfft(fft::rfft(a), 5).to_vector<double>();
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(back[k], a.to_vector<double>()[k], 1e-14);
  EXPECT_EQ(fft::rfft(a.astype(float32)).dtype(), complex64);
  EXPECT_EQ(fft::irfftn(fft::rfftn(grid)).shape(), (Shape{3, 4}));
  const Reals same = fft::irfft2(fft::rfft2(grid)).to_vector<double>();
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(same[k], static_cast<double>(k), 1e-13);
  EXPECT_EQ(fft::fft(a, 8).shape(), (Shape{8}));
  expect_near(fft::fft(a, 2).to_vector<Complex>(), {-1, 3});
}

TEST_F(Fft, FrequenciesAndTheirOrder) {
  EXPECT_EQ(fft::fftfreq(5, 0.5).to_vector<double>(), (Reals{0, 0.4, 0.8, -0.8, -0.4}));
  EXPECT_EQ(fft::rfftfreq(4).to_vector<double>(), (Reals{0, 0.25, 0.5}));
  EXPECT_EQ(fft::fftshift(arange(5)).to_vector<std::int64_t>(), (std::vector<std::int64_t>{3, 4, 0, 1, 2}));
  EXPECT_EQ(fft::ifftshift(fft::fftshift(arange(5))).to_vector<std::int64_t>(), arange(5).to_vector<std::int64_t>());
}

TEST_F(Fft, RefusesWhatNumPyRefuses) {
  const Array a = zeros({4}), z = zeros({4}, complex128), none = zeros({0}), one = zeros({1});
  expect_refused<ValueError>(recorder, [&] { fft::fft(a, 0); }, {"[fft]", "0 numbers"});
  expect_refused<ValueError>(recorder, [&] { fft::fft(none); }, {"[fft]", "0 numbers"});
  expect_refused<ValueError>(recorder, [&] { fft::irfft(one); }, {"[irfft]", "0 numbers"});
  expect_refused<ValueError>(recorder, [&] { fft::ifft(a, {}, -1, "unit"); }, {"[ifft]", "unit", "ortho"});
  expect_refused<IndexError>(recorder, [&] { fft::fft(a, {}, 1); }, {"[fft]", "axis 1"});
  expect_refused<DTypeError>(recorder, [&] { fft::rfft(z); }, {"[rfft]", "complex128"});
  expect_refused<IndexError>(recorder, [&] { fft::fft2(a); }, {"[fft2]"});
  expect_refused<ValueError>(recorder, [&] { fft::fftn(a, {2, 2}, 0); }, {"[fftn]", "s has 2"});
  expect_refused<ValueError>(recorder, [&] { fft::fftfreq(0); }, {"[fftfreq]", "n is 0"});
}

}  // namespace
}  // namespace pilum::numeric
