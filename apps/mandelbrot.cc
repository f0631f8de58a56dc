// The Mandelbrot set: how many steps of z = z^2 + c each point c of a square takes to leave a circle of radius 2.
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/png.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;
using np::all, np::newaxis;

struct Options {
  std::int64_t size = 1000, iterations = 100;
  std::string picture;
  bool check = false;
};

struct Plane {
  np::Array real, imaginary;  // (1, size), (size, 1)
};

np::Array escape_times(const Plane& c, std::int64_t size, std::int64_t iterations) {
  auto real = np::zeros({size, size}), imaginary = np::zeros({size, size});
  auto times = np::zeros({size, size}, np::int32);
  for (std::int64_t i = 0; i < iterations; ++i) {
    auto real_squared = real * real, imaginary_squared = imaginary * imaginary;
    auto inside = real_squared + imaginary_squared <= 4.0;
    times += inside;
    imaginary = np::where(inside, 2.0 * real * imaginary + c.imaginary, imaginary);
    real = np::where(inside, real_squared - imaginary_squared + c.real, real);
  }
  return times;
}

// All ranks make the picture, one writes it.
void write_picture(const pilum::Runtime& runtime, const np::Array& times, const Options& options) {
  auto t = np::sqrt(times / static_cast<double>(options.iterations)), rest = 1.0 - t;
  auto colours = np::stack({9.0 * rest * t * t * t, 15.0 * rest * rest * t * t, 8.5 * rest * rest * rest * t}, 2);
  const auto pixels = (255.0 * colours).astype<std::uint8_t>().to_vector<std::uint8_t>();
  if (runtime.rank() == 0) app::write_png(options.picture, options.size, options.size, pixels);
}

// The same point by point; elementwise work has the same bits.
bool check(const Plane& c, const np::Array& times, const Options& options) {
  const auto xs = c.real.to_vector<double>(), ys = c.imaginary.to_vector<double>();
  std::vector<double> expected;
  for (const double y : ys) {
    for (const double x : xs) {
      double real = 0, imaginary = 0;
      std::int64_t time = 0;
      while (time < options.iterations && real * real + imaginary * imaginary <= 4) {
        const double next = real * real - imaginary * imaginary + x;
        imaginary = 2 * real * imaginary + y;
        real = next;
        ++time;
      }
      expected.push_back(static_cast<double>(time));
    }
  }
  return app::is_within("times", app::largest_difference(times.astype<double>().to_vector<double>(), expected), 0);
}

int main(int argc, char** argv) {
  Options options;
  app::Options("The Mandelbrot set")
      .count("-n,--size", options.size, "Points along an axis")
      .count("-i,--iterations", options.iterations, "Steps at most")
      .text("-o,--output", options.picture, "PNG file; none: no picture")
      .flag("--check", options.check, "Compare with a plain serial loop")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    const Plane c{np::linspace(-2.0, 0.5, options.size)(newaxis, all),
                  np::linspace(1.25, -1.25, options.size)(all, newaxis)};
    runtime.wait();
    const app::Clock clock;
    const auto times = escape_times(c, options.size, options.iterations);
    runtime.wait();
    app::print_elapsed(clock.seconds());
    std::printf("%lld points stay\n", np::count_nonzero(times == options.iterations).item<long long>());
    if (!options.picture.empty()) write_picture(runtime, times, options);
    return options.check && !check(c, times, options) ? 1 : 0;
  } catch (const std::runtime_error& error) {  // pilum::Error is one
    std::fprintf(stderr, "mandelbrot: %s\n", error.what());
    return 1;
  }
}
