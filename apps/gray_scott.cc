// Two chemicals that react and spread on a torus (Gray and Scott; Pearson, "Complex patterns in a simple system",
// 1993).
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/png.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;
using np::slice;

constexpr double kSpreadU = 0.16, kSpreadV = 0.08, kFeed = 0.06, kKill = 0.062;

struct Options {
  std::int64_t size = 256, iterations = 5000, every = 1000;
  std::string frames;
  bool check = false;
};

struct Chemicals {
  np::Array u, v;
};

Chemicals initialize(std::int64_t size) {
  auto rng = np::random::default_rng(1);
  auto u = 1.0 - 0.02 * rng.random({size, size}), v = 0.02 * rng.random({size, size});
  const slice middle(size / 2 - size / 16, size / 2 + size / 16 + 1);
  u(middle, middle) = 0.5;
  v(middle, middle) = 0.25;
  return {u, v};
}

np::Array laplacian(const np::Array& a) {
  return np::roll(a, 1, 0) + np::roll(a, -1, 0) + np::roll(a, 1, 1) + np::roll(a, -1, 1) - 4.0 * a;
}

void react(Chemicals& now) {
  auto [u, v] = now;
  auto spread_u = kSpreadU * laplacian(u), spread_v = kSpreadV * laplacian(v);
  auto reaction = u * v * v;
  u += spread_u - reaction + kFeed * (1.0 - u);
  v += spread_v + reaction - (kFeed + kKill) * v;
}

// Dark where there is u alone, through blue to white where there is much v. All ranks make the picture, one writes it.
void write_frame(const pilum::Runtime& runtime, const np::Array& v, const std::string& path) {
  auto much = np::clip(v / 0.4, 0.0, 1.0);
  auto colours = np::stack({np::clip(2.0 * much - 1.0, 0.0, 1.0), np::square(much), np::sqrt(much)}, 2);
  const auto pixels = (255.0 * colours).astype(pilum::uint8).to_vector<std::uint8_t>();
  if (runtime.rank() == 0) app::write_png(path, v.shape()[1], v.shape()[0], pixels);
}

// The same with plain loops; elementwise work has the same bits.
bool check(const Chemicals& first, const Chemicals& last, const Options& options) {
  const auto n = static_cast<std::size_t>(options.size);
  auto u = first.u.to_vector<double>(), v = first.v.to_vector<double>();
  std::vector<double> next_u(n * n), next_v(n * n);
  for (std::int64_t i = 0; i < options.iterations; ++i) {
    for (std::size_t y = 0; y < n; ++y) {
      for (std::size_t x = 0; x < n; ++x) {
        const auto laplacian = [&](const std::vector<double>& a) {
          return a[(y + n - 1) % n * n + x] + a[(y + 1) % n * n + x] + a[y * n + (x + n - 1) % n] +
                 a[y * n + (x + 1) % n] - 4.0 * a[y * n + x];
        };
        const std::size_t at = y * n + x;
        const double reaction = u[at] * v[at] * v[at];
        next_u[at] = u[at] + (kSpreadU * laplacian(u) - reaction + kFeed * (1.0 - u[at]));
        next_v[at] = v[at] + (kSpreadV * laplacian(v) + reaction - (kFeed + kKill) * v[at]);
      }
    }
    std::swap(u, next_u);
    std::swap(v, next_v);
  }
  const bool right = app::is_within("u", app::largest_difference(last.u.to_vector<double>(), u), 0);
  return app::is_within("v", app::largest_difference(last.v.to_vector<double>(), v), 0) && right;
}

int main(int argc, char** argv) {
  Options options;
  app::Options("Gray and Scott's reaction of two chemicals on a torus")
      .count("-n,--size", options.size, "Points along an axis", 3)
      .count("-i,--iterations", options.iterations, "Time steps")
      .text("--frames", options.frames, "Folder for pictures; none: no pictures")
      .count("--every", options.every, "Time steps between two pictures")
      .flag("--check", options.check, "Compare with plain serial loops")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    Chemicals now = initialize(options.size);
    const Chemicals first{now.u.copy(), now.v.copy()};
    runtime.wait();
    const app::Clock clock;
    for (std::int64_t i = 0; i < options.iterations; ++i) {
      react(now);
      if (options.frames.empty() || (i + 1) % options.every != 0) continue;
      char name[48];
      std::snprintf(name, sizeof name, "/gray_scott_%06lld.png", static_cast<long long>(i + 1));
      write_frame(runtime, now.v, options.frames + name);
    }
    runtime.wait();
    app::print_elapsed(clock.seconds());
    return options.check && !check(first, now, options) ? 1 : 0;
  } catch (const std::runtime_error& error) {  // pilum::Error is one
    std::fprintf(stderr, "gray_scott: %s\n", error.what());
    return 1;
  }
}
