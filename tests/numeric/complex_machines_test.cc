// Complex numbers as kernels compute them: the same bits on every machine, near what the C library says, and with its
// special values.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string_view>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/numeric/cut_machines.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::slice, np::all;
using Complex = std::complex<double>;

// Of all sizes, some of them extreme, in every quadrant.
std::vector<Complex> drawn_numbers(std::size_t count) {
  std::vector<Complex> numbers;
  std::uint64_t state = 20261123;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (std::size_t k = 0; k < count; ++k) {
    const double size = std::exp2(std::floor(next() * 12) - 6);
    numbers.emplace_back((2 * next() - 1) * size, (2 * next() - 1) * size);
  }
  return numbers;
}

using ComplexCells = std::vector<Complex>;

void append_cells(ComplexCells& cells, const np::Array& array) {
  const ComplexCells more = array.to_vector<Complex>();
  cells.insert(cells.end(), more.begin(), more.end());
}

// Every way of computing with complex numbers that there is, in both widths; threads are the same with one.
ComplexCells compute_everything() {
  ComplexCells cells;
  const auto wide = np::array(drawn_numbers(7 * 13)).reshape({7, 13});
  for (const DType dtype : {complex128, complex64}) {
    if (fakes::kWatchesThreads && dtype == complex64) continue;
    const auto a = wide.astype(dtype);
    const auto b = np::roll(a, 3) + Complex(0.5, -2);
    for (const np::Array& one : {a + b, a - b, a * b, a / b, -a, a * 2, 1 / b, np::conj(a), np::power(a, 3), a + 2.5})
      append_cells(cells, one);
    for (const np::Array& one : {np::sqrt(a), np::exp(a), np::log(a), np::sin(a), np::cos(a), np::sinh(a), np::cosh(a)})
      append_cells(cells, one);
    for (const np::Array& one : {np::tan(a), np::tanh(a), np::arcsin(a), np::arccos(a), np::arctan(a), np::arcsinh(a),
                                 np::arccosh(a), np::arctanh(a), np::sinc(a), np::sign(a), np::rint(a)})
      append_cells(cells, one);
    for (const np::Array& one : {np::exp2(a), np::expm1(a), np::log2(a), np::log10(a), np::log1p(a), np::power(a, b),
                                 np::power(a, 1.5), np::power(2, a), np::cumprod(a, 1), np::sort(a, 0)})
      append_cells(cells, one);
    for (const np::Array& one : {np::abs(a), np::real(a), np::imag(a), np::angle(a), a == b, np::isnan(a)})
      append_cells(cells, one);
    append_cells(cells, np::where(np::real(a) > 0, a, Complex(0, 1)));
    append_cells(cells, a.T() * 2);
    append_cells(cells, a(slice({}, {}, -2), slice(1, {}, 3)));
    append_cells(cells, np::concatenate({a, b}, 1));
    append_cells(cells, np::roll(a, {1, -2}, {0, 1}));
    auto grid = np::zeros({9, 17}, dtype);
    grid(slice(1, -1), slice(2, -2)) = a;
    for (int step = 0; step < 3; ++step) {
      grid(slice(1, -1), slice(1, -1)) =
          Complex(0, 0.25) * (grid(slice(0, -2), slice(1, -1)) + grid(slice(2, {}), slice(1, -1)) +
                              grid(slice(1, -1), slice(0, -2)) + grid(slice(1, -1), slice(2, {})));
    }
    append_cells(cells, grid);
    const auto order = np::array({5, 2, 2, 0, 6});
    append_cells(cells, a[order]);
    append_cells(cells, a(all, 3)[np::real(a(all, 3)) > 0]);
    auto written = a.copy();
    written(2, all) = Complex(1, 1);
    written(all, slice(0, {}, 2)) *= Complex(0, 1);
    append_cells(cells, written);
  }
  return cells;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TEST(ComplexMachines, EveryMachineComputesTheSameBits) {
  ComplexCells expected;
  for (const fakes::SimulatedRanks& machine : kCutMachines) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      const ComplexCells computed = compute_everything();
      if (expected.empty()) expected = computed;  // of the first machine, which has one rank
      EXPECT_TRUE(same_bits(computed, expected))
          << machine.ranks << " ranks, GPUs: " << machine.gpus << ", rank " << session.rank();
    });
  }
}

struct Function {
  const char* name;
  np::Array (*ours)(const np::Operand&);
  Complex (*theirs)(const Complex&);
};
const Function kFunctions[] = {
    {"sqrt", np::sqrt, std::sqrt},        {"exp", np::exp, std::exp},           {"log", np::log, std::log},
    {"sin", np::sin, std::sin},           {"cos", np::cos, std::cos},           {"sinh", np::sinh, std::sinh},
    {"cosh", np::cosh, std::cosh},        {"tan", np::tan, std::tan},           {"tanh", np::tanh, std::tanh},
    {"arcsin", np::arcsin, std::asin},    {"arccos", np::arccos, std::acos},    {"arctan", np::arctan, std::atan},
    {"arcsinh", np::arcsinh, std::asinh}, {"arccosh", np::arccosh, std::acosh}, {"arctanh", np::arctanh, std::atanh},
};

// Within some units in the last place of the number's size.
TEST(ComplexMachines, FunctionsAreNearTheLibrarys) {
  const std::vector<Complex> points = drawn_numbers(5000);
  for (const Function& function : kFunctions) {
    fakes::run_on_simulated_ranks({.ranks = 1}, [&](scheduler::Session&) {
      const ComplexCells ours = function.ours(np::array(points)).to_vector<Complex>();
      for (std::size_t k = 0; k < points.size(); ++k) {
        const Complex theirs = function.theirs(points[k]);
        EXPECT_LE(std::abs(ours[k] - theirs), 8 * std::numeric_limits<double>::epsilon() * std::abs(theirs))
            << function.name << " of " << points[k] << ": " << ours[k] << ", not " << theirs;
      }
    });
  }
}

// Very large and very small numbers, of which squares and exponentials are not representable.
TEST(ComplexMachines, FunctionsOfExtremesAreNearTheLibrarys) {
  std::vector<Complex> points;
  for (const double size : {5e-324, 1e-310, 1e-160, 1e160, 1e308, 1.7e308}) {
    for (const double other : {0.0, 1e-300, 1.0, 3.0, 1e200}) {
      for (const double sign : {1.0, -1.0}) {
        points.emplace_back(sign * size, other);
        points.emplace_back(other, sign * size);
        points.emplace_back(sign * size, size);
      }
    }
  }
  for (const double re : {-800.0, 705.0, 709.5, 709.9, 710.3, 711.0, 745.0})
    points.emplace_back(re, 1.5707), points.emplace_back(re, -3);
  for (const Function& function : kFunctions) {
    const std::string_view name = function.name;
    const bool of_angles = name != "sqrt" && name != "log" && !name.starts_with("arc");
    fakes::run_on_simulated_ranks({.ranks = 1}, [&](scheduler::Session&) {
      const ComplexCells ours = function.ours(np::array(points)).to_vector<Complex>();
      for (std::size_t k = 0; k < points.size(); ++k) {
        if (of_angles && std::abs(points[k]) > 1e4) continue;
        const Complex theirs = function.theirs(points[k]);
        const auto near = [](double a, double b) { return a == b || std::abs(a - b) <= 1e-14 * std::abs(b) + 1e-322; };
        EXPECT_TRUE(near(ours[k].real(), theirs.real()) && near(ours[k].imag(), theirs.imag()))
            << function.name << " of " << points[k] << ": " << ours[k] << ", not " << theirs;
      }
    });
  }
}

// Annex G of the C standard; the sign of a zero or an infinity that it leaves open is anyone's.
TEST(ComplexMachines, SpecialValuesAreTheLibrarys) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Complex> points;
  const double parts[] = {0.0, -0.0, 1.0, -2.5, kInfinity, -kInfinity, kNan};
  for (const double re : parts) {
    for (const double im : parts) points.emplace_back(re, im);
  }
  for (const Function& function : kFunctions) {
    fakes::run_on_simulated_ranks({.ranks = 1}, [&](scheduler::Session&) {
      const ComplexCells ours = function.ours(np::array(points)).to_vector<Complex>();
      for (std::size_t k = 0; k < points.size(); ++k) {
        const Complex theirs = function.theirs(points[k]);
        const bool open = std::isnan(points[k].real()) || std::isnan(points[k].imag()) || std::isnan(theirs.real()) ||
                          std::isnan(theirs.imag());
        const auto same = [open](double a, double b) {
          if (std::isnan(b)) return std::isnan(a);
          const bool near = a == b || std::abs(a - b) <= 1e-15 * std::abs(b);
          return near && (open || std::signbit(a) == std::signbit(b));
        };
        EXPECT_TRUE(same(ours[k].real(), theirs.real()) && same(ours[k].imag(), theirs.imag()))
            << function.name << " of " << points[k] << ": " << ours[k] << ", not " << theirs;
      }
    });
  }
}

// Whole numbers, so that every order of the sums is exact.
TEST(ComplexMachines, FoldsAndProductsAreExactOfSmallNumbers) {
  const std::int64_t m = 5, k = 70, n = 40;
  const auto entry = [](std::int64_t i, std::int64_t j) {
    return Complex(static_cast<double>((3 * i + 5 * j) % 7 - 3), static_cast<double>((i + 2 * j) % 5 - 2));
  };
  std::vector<Complex> left, right, wanted;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < k; ++j) left.push_back(entry(i, j));
  }
  for (std::int64_t i = 0; i < k; ++i) {
    for (std::int64_t j = 0; j < n; ++j) right.push_back(entry(i + 1, j));
  }
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      Complex sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += entry(i, l) * entry(l + 1, j);
      wanted.push_back(sum);
    }
  }
  Complex total = 0, crossed = 0, product = 1;
  for (const Complex& one : left) total += one;
  for (std::size_t i = 0; i < left.size(); ++i) crossed += std::conj(left[i]) * left[left.size() - 1 - i];
  for (const Complex& one : {Complex(1, 1), Complex(0, 2), Complex(3, -1), Complex(-1, 0), Complex(2, 2)})
    product *= one;
  for (const fakes::SimulatedRanks& machine : kCutMachines) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      const auto a = np::array(left).reshape({m, k}), b = np::array(right).reshape({k, n});
      EXPECT_EQ(np::matmul(a, b).to_vector<Complex>(), wanted);
      EXPECT_EQ(np::matmul(a(all, slice(0, 9)), b(slice(0, 9), all)).to_vector<Complex>(),
                np::tensordot(a(all, slice(0, 9)), b(slice(0, 9), all), 1).to_vector<Complex>());
      EXPECT_EQ(np::sum(a).item<Complex>(), total);
      EXPECT_EQ(np::sum(np::sum(a, 0)).item<Complex>(), total);
      EXPECT_EQ(np::mean(a).item<Complex>(), total / static_cast<double>(m * k));
      EXPECT_EQ(np::vdot(a, np::flip(a.reshape({m * k}))).item<Complex>(), crossed);
      EXPECT_EQ(np::prod(np::array({Complex(1, 1), Complex(0, 2), Complex(3, -1), Complex(-1, 0), Complex(2, 2)}))
                    .item<Complex>(),
                product);
      EXPECT_EQ(np::count_nonzero(a).item<std::int64_t>(), m * k - std::count(left.begin(), left.end(), Complex(0)));
    });
  }
}

// With a number of theirs as an argument, on cores and GPUs.
TEST(ComplexMachines, BodiesOfTasksHaveThem) {
  const auto turn = task(
      "turn",
      [](Piece piece, Read<Complex, 1> in, Write<Complex, 1> out, Complex by) {
        for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = in(i)*by;
      },
      gpu_body(R"(
        void body(pilum::Point<1> x, pilum::Read<std::complex<double>, 1> in, pilum::Write<std::complex<double>, 1> out,
                  std::complex<double> by) {
          std::complex<double> turned = in(x);
          turned *= by;
          out(x) = turned + conj(turned) * 0 - 0 / by;
        })"));
  for (const fakes::SimulatedRanks& machine : kCutMachines) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      const auto a = np::array({Complex(1, 2), Complex(3, 4), Complex(-5, 6)});
      auto out = np::zeros({3}, complex128);
      turn({3}, read(a), write(out), Complex(0, 2));
      EXPECT_EQ(out.to_vector<Complex>(), (ComplexCells{{-4, 2}, {-8, 6}, {-12, -10}}));
    });
  }
}

TEST(ComplexMachines, MemoryOfTheProgramsIsTakenAndGiven) {
  fakes::run_on_simulated_ranks({.ranks = 1}, [&](scheduler::Session&) {
    alignas(16) std::complex<double> cells[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    auto array = np::from_local(cells, {}, Box({0}, {4}), {4});
    EXPECT_EQ(array.dtype(), complex128);
    array(slice(0, 2)) *= Complex(0, 1);
    dlpack::ManagedTensor* const tensor = array.local(np::Access::Read).to_dlpack();
    EXPECT_EQ(tensor->tensor.dtype.code, dlpack::kComplex);
    EXPECT_EQ(tensor->tensor.dtype.bits, 128);
    EXPECT_EQ(static_cast<const Complex*>(tensor->tensor.data)[1], Complex(-4, 3));
    tensor->deleter(tensor);
  });
}

}  // namespace
}  // namespace pilum
