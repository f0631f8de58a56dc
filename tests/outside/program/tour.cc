// Uses all that the headers declare, so that what the library does not show does not link; prints where what it runs on
// was loaded from.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "part.h"

namespace np = pilum::numeric;
using np::all, np::slice, np::newaxis, np::ellipsis;

#define EXPECT(condition)                                             \
  if (!(condition)) {                                                 \
    std::printf("line %d: %s does not hold\n", __LINE__, #condition); \
    std::exit(1);                                                     \
  }

static_assert(PILUM_VERSION >= PILUM_MAKE_VERSION(0, 2, 0));
static_assert(PILUM_VERSION < PILUM_MAKE_VERSION(PILUM_VERSION_MAJOR, PILUM_VERSION_MINOR + 1, 0));

static double total(const np::Array& a) {
  return np::sum(a.astype(np::float64)).item<double>();
}

static void make_arrays() {
  EXPECT(total(np::zeros({2, 3})) == 0 && total(np::ones(5)) == 5 && np::empty({4, 0}).size() == 0);
  EXPECT(total(np::full({2, 2}, 1.5)) == 6 && total(np::arange(4)) == 6 && total(np::arange(1, 4, 2)) == 4);
  EXPECT(total(np::linspace(0, 1, 3)) == 1.5 && total(np::array({1, 2, 3})) == 6);
  EXPECT(total(np::array(std::vector<double>{1, 2})) == 3 && total(np::array(std::vector<bool>{true, false})) == 1);
  EXPECT(np::arange(3).dtype() == np::int64 && np::ones({2, 3}).shape() == np::Shape({2, 3}) &&
         np::ones(3).ndim() == 1);
}

static void compute() {
  auto a = np::arange(6).astype(np::float64).reshape({2, 3});
  np::Array b = a.copy(), same = b;
  b += 1;
  b -= 0.5;
  b *= 2;
  b /= 2;
  EXPECT(total(same) == 18);
  b = a;
  EXPECT(total(a + b) == 30 && total(a - b) == 0 && total(2 * a) == 30 && total(a / 2) == 7.5 && total(-a) == -15);
  EXPECT(total(a == b) == 6 && total(a != b) == 0 && total(a < 3) == 3 && total(a <= 3) == 4 && total(a > 3) == 2);
  EXPECT(total(a >= 3) == 3 && total(np::where(a > 3, a, 0)) == 9 && total(np::abs(-a)) == 15);
  EXPECT(total(np::sqrt(a * a)) == 15 && total(np::exp(0 * a)) == 6 && total(np::log(0 * a + 1)) == 0);
  EXPECT(total(np::minimum(a, 1)) == 5 && total(np::maximum(a, 1)) == 16 && total(np::power(a, 2)) == 55);
  EXPECT(total(np::prod(a + 1)) == 720 && total(np::min(a)) == 0 && total(np::max(a)) == 5 &&
         total(np::mean(a)) == 2.5);
  EXPECT(total(np::broadcast_to(a, {2, 2, 3})) == 30 && total(a.T()(0)) == 3 && total(np::transpose(a)) == 15);
  a(0, all) = 7;
  a[1] = a(0, slice({}, {}, -1));
  EXPECT(total(a(newaxis, ellipsis)) == 42 && a.to_vector<double>().size() == 6);
  std::ostringstream text;
  text << a;
  EXPECT(text.str() == "[[7. 7. 7.]\n [7. 7. 7.]]");
}

static void run_tasks() {
  EXPECT(total(doubled(np::ones(1000))) == 2000);
  const auto ends = [](const pilum::Piece&) { return pilum::Box({0}, {2}); };
  auto sums = np::zeros(2), in = np::arange(2).astype(np::float64);
  const auto add =
      pilum::task("add", [](pilum::Piece piece, pilum::Read<const double, 1> cells, pilum::ReadWrite<double, 1> out) {
        for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) += cells(0) + cells(1);
      });
  add({2}, pilum::read(in, ends), pilum::read_write(sums));
  EXPECT(total(sums) == 2);
  auto sum = np::zeros(1);
  const auto fold = pilum::task(
      "fold",
      [](pilum::Piece piece, pilum::Read<const double, 1> cells, pilum::Reduce<double, 1> out) {
        for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(0) += cells(i);
      },
      pilum::gpu_body("void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Reduce<double, 1> out) { out(0) "
                      "+= in(x); }"));
  fold({2}, pilum::read(in), pilum::reduce(sum, pilum::Fold::Sum));
  EXPECT(total(sum) == 1);
}

// What the library throws is what a program catches, whichever of the two made the type's description.
static void catch_errors() {
  int caught = 0;
  try {
    throw_shape_error();
  } catch (const pilum::IndexError&) {
  } catch (const pilum::ShapeError&) {
    ++caught;
  }
  try {
    (void)np::arange(3).item<float>();
  } catch (const pilum::Error&) {
    ++caught;
  }
  EXPECT(caught == 2);
}

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  make_arrays();
  compute();
  run_tasks();
  catch_errors();
  runtime.wait();
  EXPECT(runtime.rank() < runtime.ranks() && runtime.processors() > 0 && runtime.cores() > 0);
  std::cout << "ranks " << runtime.ranks() << "\ntransport " << runtime.transport() << "\nversion "
            << PILUM_VERSION_STRING << "\n";
  std::ifstream maps("/proc/self/maps");
  for (std::string line, last; std::getline(maps, line);) {
    const std::size_t at = line.find('/');
    if (at == std::string::npos || line.substr(at) == last || line.find("libpilum") == std::string::npos) continue;
    std::cout << "loaded " << (last = line.substr(at)) << "\n";
  }
}
