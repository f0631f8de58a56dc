// What the library issues to GPUs itself, against plain loops on the host, at sizes that tests on emulated GPUs are too
// slow for: library_check. A line a check: "ok", or what was wrong. Exit status 0: all well, 1: a check failed.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "pilum/pilum.h"
#include "tests/gpu/library_check.h"
#include "tests/numeric/naive_matmul.h"

namespace pilum {
namespace {
int failures = 0;
}

void check(const std::string& name, const std::function<std::string()>& body) {
  std::string result;
  try {
    result = body();
  } catch (const std::exception& error) {
    result = error.what();
  }
  if (!result.empty()) ++failures;
  std::printf("%-66s %s\n", name.c_str(), result.empty() ? "ok" : ("FAILED: " + result).c_str());
  std::fflush(stdout);
}

namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;

// -4 … 4, in no order that rows or columns share: sums of products are exact.
Array numbers(const Shape& shape, DType dtype) {
  const Array real = (np::arange(shape.elements()) * 7 % 9 - 4).reshape(shape);
  if (!is_complex(dtype)) return real.astype(dtype);
  const Array imaginary = (np::arange(shape.elements()) * 5 % 7 - 3).reshape(shape);
  return (real + imaginary * std::complex<double>(0, 1)).astype(dtype);
}

template <class T>
std::string difference(const std::vector<T>& found, const std::vector<T>& expected) {
  if (found.size() != expected.size()) return "another size";
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = found.size(); i-- > 0;) {
    if (found[i] == expected[i]) continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0) return "";
  return std::to_string(wrong) + " of " + std::to_string(found.size()) + " cells differ, cell " +
         std::to_string(first) + " first";
}

template <class T>
std::string product(const Array& a, const Array& b, const Shape& batch = {}) {
  const std::vector<T> expected = test::naive_matmul(test::dense_of<T>(a), test::dense_of<T>(b), batch);
  return difference(np::matmul(a, b).to_vector<T>(), expected);
}

template <class T>
void check_products(const char* name, DType dtype) {
  const auto named = [name](const char* what) { return std::string("matmul, ") + name + ": " + what; };
  const auto make = [dtype](const Shape& shape) { return numbers(shape, dtype); };
  for (const std::int64_t n : {33, 64, 127, 500}) {
    check(named("squares of ") + std::to_string(n), [&] { return product<T>(make({n, n}), make({n, n})); });
  }
  check(named("odd extents"), [&] { return product<T>(make({301, 517}), make({517, 203})); });
  check(named("transposed"), [&] { return product<T>(make({257, 301}).T(), make({130, 257}).T()); });
  check(named("one transposed, cut"), [&] {
    return product<T>(make({400, 300}).T()(slice(3, 290), slice(7, 333)), make({326, 150})(all, slice(11, 144)));
  });
  check(named("rows and cells apart, backwards"), [&] {
    return product<T>(make({300, 200})(slice({}, {}, 2), slice({}, {}, 2)), make({100, 90})(slice({}, {}, -1), all));
  });
  check(named("a batch"), [&] { return product<T>(make({6, 70, 80}), make({6, 80, 65}), {6}); });
  check(named("a batch by one matrix"), [&] { return product<T>(make({6, 70, 80}), make({80, 65}), {6}); });
  check(named("many panels of k"), [&] { return product<T>(make({120, 5000}), make({5000, 90})); });
  check(named("a column, a row"),
        [&] { return product<T>(make({300, 200}), make({200, 1})) + product<T>(make({1, 300}), make({300, 200})); });
  check(named("by a vector"), [&] {
    const Array a = make({3000, 2000}), x = make({2000});
    return difference(np::matmul(a, x).template to_vector<T>(),
                      test::naive_matmul(test::dense_of<T>(a), test::dense_of<T>(x.reshape({2000, 1})), {}));
  });
}

// Plans that are found again, with products and with kernels, and edges that go from GPU to GPU.
std::string loop() {
  constexpr std::int64_t kSize = 200;
  Array a = numbers({kSize, kSize}, DType::Float64), u = numbers({kSize, kSize}, DType::Float64);
  const Array b = numbers({kSize, kSize}, DType::Float64) + 1;
  test::Dense<double> da = test::dense_of<double>(a), du = test::dense_of<double>(u);
  const test::Dense<double> db = test::dense_of<double>(b);
  const auto modulo = [](double x) { return x - 5 * std::floor(x / 5) - 2; };
  for (int round = 0; round < 40; ++round) {
    u(slice(1, -1), all) = u(slice(0, -2), all) + u(slice(2, {}), all) - u(slice(1, -1), all);
    u[all] = u % 5.0 - 2.0;
    a = np::matmul(a + u, b) % 5.0 - 2.0;
    const std::vector<double> old = du.cells;
    constexpr auto n = static_cast<std::size_t>(kSize);
    for (std::size_t i = 1; i + 1 < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        du.cells[i * n + j] = old[(i - 1) * n + j] + old[(i + 1) * n + j] - old[i * n + j];
    }
    for (double& x : du.cells) x = modulo(x);
    test::Dense<double> sum = da;
    for (std::size_t k = 0; k < sum.cells.size(); ++k) sum.cells[k] += du.cells[k];
    da.cells = test::naive_matmul(sum, db, {});
    for (double& x : da.cells) x = modulo(x);
  }
  return difference(a.to_vector<double>(), da.cells) + difference(u.to_vector<double>(), du.cells);
}

// Thirds: sums are rounded, and each time in the same way.
std::string same_bits() {
  const Array a = numbers({700, 600}, DType::Float32) / 3.0f, b = numbers({600, 500}, DType::Float32) / 7.0f;
  const std::vector<float> first = np::matmul(a, b).to_vector<float>();
  for (int time = 0; time < 10; ++time) {
    const std::string differs = difference(np::matmul(a, b).to_vector<float>(), first);
    if (!differs.empty()) return differs;
  }
  // float32 is float32: with ten bits less, as TF32 has, errors are a thousand times as large.
  const std::vector<double> exact = test::naive_matmul(test::dense_of<double>(a), test::dense_of<double>(b), {});
  double largest = 0;
  for (std::size_t k = 0; k < exact.size(); ++k)
    largest = std::max(largest, std::abs(exact[k] - static_cast<double>(first[k])));
  return largest < 1e-3 ? "" : "an error of " + std::to_string(largest);
}

// Cells of a line, which sums of doubles are exact in.
void check_scans() {
  for (const std::int64_t cells : {std::int64_t{5000}, std::int64_t{1} << 20, std::int64_t{20'000'003}}) {
    const std::string size = std::to_string(cells) + " cells";
    for (const DType dtype : {DType::Int64, DType::Int32, DType::Float64, DType::Float32}) {
      check("cumsum, " + size + ", " + std::to_string(8 * itemsize(dtype)) +
                (is_floating(dtype) ? " bits, floating" : " bits"),
            [&] {
              const Array line = ((np::arange(cells) * 7 % 9 - 4).astype(dtype));
              std::vector<double> expected = line.astype<double>().to_vector<double>();
              for (std::size_t i = 1; i < expected.size(); ++i) expected[i] += expected[i - 1];
              return difference(np::cumsum(line).astype<double>().to_vector<double>(), expected);
            });
    }
    check("cumsum of thirds, the same bits each time, " + size, [&] {
      const Array line = (np::arange(cells) * 7 % 9 - 4) / 3.0;
      const std::vector<double> first = np::cumsum(line).to_vector<double>();
      for (int time = 0; time < 10; ++time) {
        const std::string differs = difference(np::cumsum(line).to_vector<double>(), first);
        if (!differs.empty()) return differs;
      }
      return std::string();
    });
    check("a(mask), flatnonzero, " + size, [&] {
      const Array line = np::arange(cells), mask = line * 7 % 9 < 4;
      std::vector<std::int64_t> expected;
      for (std::int64_t i = 0; i < cells; ++i) {
        if (i * 7 % 9 < 4) expected.push_back(i);
      }
      const Array picked = line(mask);
      return difference(picked.to_vector<std::int64_t>(), expected) +
             difference(np::flatnonzero(mask).to_vector<std::int64_t>(), expected);
    });
  }
  check("cumsum of few long lines, along both axes", [] {
    const Array rows = numbers({5, 300'000}, DType::Float64), columns = rows.T().copy();
    const std::vector<double> cells = rows.to_vector<double>();
    std::vector<double> expected = cells;
    for (std::size_t i = 0; i < cells.size(); ++i) expected[i] += i % 300'000 ? expected[i - 1] : 0;
    return difference(np::cumsum(rows, 1).to_vector<double>(), expected) +
           difference(np::cumsum(columns, 0).T().to_vector<double>(), expected);
  });
  check("cumprod, least and largest so far", [] {
    const Array line = np::arange(3'000'000) * 48271 % 2147483647;
    std::vector<std::int64_t> least = line.to_vector<std::int64_t>(), most = least;
    const Array signs = np::where(line % 3 == 0, -1, 1).astype(DType::Int64);
    std::vector<std::int64_t> products = signs.to_vector<std::int64_t>();
    for (std::size_t i = 1; i < least.size(); ++i) {
      least[i] = std::min(least[i], least[i - 1]);
      most[i] = std::max(most[i], most[i - 1]);
      products[i] *= products[i - 1];
    }
    return difference(np::accumulate(np::minimum, line).to_vector<std::int64_t>(), least) +
           difference(np::accumulate(np::maximum, line).to_vector<std::int64_t>(), most) +
           difference(np::cumprod(signs).to_vector<std::int64_t>(), products);
  });
}

int check_all() {
  check_products<double>("float64", DType::Float64);
  check_products<float>("float32", DType::Float32);
  check_products<std::complex<double>>("complex128", DType::Complex128);
  check_products<std::complex<float>>("complex64", DType::Complex64);
  check_products<std::int64_t>("int64", DType::Int64);
  check("matmul: the same bits each time, of whole float32", same_bits);
  check("matmul: a loop with stencils", loop);
  check_scans();
  check_factors();
  check_transforms();
  std::printf("checks that failed: %d\n", failures);
  return failures ? 1 : 0;
}

}  // namespace
}  // namespace pilum

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  return pilum::check_all();
}
