// Systems, factors and transforms of arrays that are cut among processors, on simulated machines; and on some of these
// a matrix that has no inverse.
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "numeric/fftw.h"
#include "numeric/lapack.h"
#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/numeric/cut_machines.h"

namespace pilum {
namespace {

namespace np = numeric;
using Reals = std::vector<double>;
using Complex = std::complex<double>;

constexpr std::int64_t kMatrices = 37, kExtent = 5;

Reals some_reals(std::int64_t count) {
  Reals cells;
  for (std::int64_t i = 0; i < count; ++i) cells.push_back(static_cast<double>(i * 7919 % 101) / 50 - 1);
  return cells;
}

// a x = b, cell by cell.
void check_solutions() {
  const Reals some = some_reals(kMatrices * kExtent * kExtent), right = some_reals(kMatrices * kExtent);
  Reals cells = some;
  for (std::int64_t k = 0; k < kMatrices; ++k) {
    for (std::int64_t i = 0; i < kExtent; ++i) cells[static_cast<std::size_t>((k * kExtent + i) * kExtent + i)] += 9;
  }
  const np::Array a = np::array(cells).reshape({kMatrices, kExtent, kExtent}) + 0.0;
  const np::Array b = np::array(right).reshape({kMatrices, kExtent, 1}) + 0.0;
  for (int round = 0; round < 3; ++round) {  // plans are made again
    const Reals x = np::linalg::solve(a, b * (round + 1.0)).to_vector<double>();
    for (std::int64_t row = 0; row < kMatrices * kExtent; ++row) {
      double sum = 0;
      for (std::int64_t j = 0; j < kExtent; ++j) {
        sum += cells[static_cast<std::size_t>(row * kExtent + j)] *
               x[static_cast<std::size_t>(row / kExtent * kExtent + j)];
      }
      EXPECT_NEAR(sum, right[static_cast<std::size_t>(row)] * (round + 1), 1e-12) << "row " << row;
    }
  }
  const auto [q, r] = np::linalg::qr(a);
  EXPECT_LT(np::max(np::abs(np::matmul(q, r) - a)).item<double>(), 1e-12);
  const auto [u, s, vh] = np::linalg::svd(a);
  EXPECT_LT(np::max(np::abs(np::matmul(u * np::expand_dims(s, 1), vh) - a)).item<double>(), 1e-12);
}

// The definition, along each axis.
void check_transforms() {
  constexpr std::int64_t kRows = 12, kColumns = 10;
  const Reals cells = some_reals(kRows * kColumns);
  const np::Array a = np::array(cells).reshape({kRows, kColumns}) + 0.0;
  for (const int axis : {0, 1}) {
    const std::int64_t n = axis == 0 ? kRows : kColumns;
    const std::vector<Complex> found = np::fft::fft(a, {}, axis).to_vector<Complex>();
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (std::int64_t j = 0; j < kColumns; ++j) {
        Complex sum;
        for (std::int64_t k = 0; k < n; ++k) {
          const std::int64_t place = axis == 0 ? k * kColumns + j : i * kColumns + k;
          const auto turn = static_cast<double>((axis == 0 ? i : j) * k % n) / static_cast<double>(n);
          sum += cells[static_cast<std::size_t>(place)] * std::polar(1.0, -2 * std::numbers::pi * turn);
        }
        EXPECT_LT(std::abs(found[static_cast<std::size_t>(i * kColumns + j)] - sum), 1e-12) << i << ", " << j;
      }
    }
  }
  np::Array there = a.copy();
  for (int round = 0; round < 4; ++round) there = np::fft::irfft2(np::fft::rfft2(there));
  EXPECT_LT(np::max(np::abs(there - a)).item<double>(), 1e-13);
}

TEST(FactorsOnMachines, AreThoseOfEachMatrix) {
  if (!np::Lapack<double>::get().is_there()) GTEST_SKIP() << "there is no OpenBLAS on this machine";
  for (const fakes::SimulatedRanks& machine : kCutMachines)
    fakes::run_on_simulated_ranks(machine, [](scheduler::Session&) { check_solutions(); });
}

TEST(TransformsOnMachines, AreThoseOfEachLine) {
  if (!np::find_fftw(true)) GTEST_SKIP() << "there is no FFTW on this machine";
  for (const fakes::SimulatedRanks& machine : kCutMachines)
    fakes::run_on_simulated_ranks(machine, [](scheduler::Session&) { check_transforms(); });
}

TEST(FactorsOnMachines, ASingularMatrixIsFoundByTheNextWait) {
  if (!np::Lapack<double>::get().is_there()) GTEST_SKIP() << "there is no OpenBLAS on this machine";
  const auto program = [](scheduler::Session&) {
    const np::Array inverse = np::linalg::inv(np::zeros({3, 3}));
    try {
      inverse.to_vector<double>();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const LinAlgError& error) {
      EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("inv"), testing::HasSubstr("singular"),
                                               testing::HasSubstr("factors_machines_test.cc:")));
    }
  };
  EXPECT_THROW(fakes::run_on_simulated_ranks(kCutMachines[0], program), RuntimeError);  // it cannot go on
}

// Run with PILUM_TEST_OPENBLAS=0 and PILUM_TEST_FFTW=0, which are as if there were none.
TEST(FactorsWithoutLibraries, NameThePackages) {
  if (np::Lapack<double>::get().is_there() || np::find_fftw(true)) GTEST_SKIP() << "the libraries are there";
  fakes::run_on_simulated_ranks(kCutMachines[0], [](scheduler::Session&) {
    const np::Array a = np::ones({9, 9});  // a small one takes no library
    const auto text_of = [](const auto& call) {
      try {
        call();
      } catch (const RuntimeError& error) {
        return std::string(error.what());
      }
      return std::string("nothing was thrown");
    };
    EXPECT_THAT(text_of([&] { np::linalg::inv(a); }), testing::HasSubstr("libopenblas0"));
    EXPECT_THAT(text_of([&] { np::fft::fft(a); }), testing::HasSubstr("libfftw3-double3"));
  });
}

}  // namespace
}  // namespace pilum
