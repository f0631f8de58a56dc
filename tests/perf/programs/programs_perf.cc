// Programs as a NumPy user writes them, with the public headers alone: milliseconds a step, beside those of a copy of
// the bytes that a step must move at least (each array that is read or written, once). programs_perf NAME [SIZE]
// [ROUNDS]; names: heat gray_scott conjugate_gradient fdtd.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "pilum/pilum.h"

namespace np = pilum::numeric;
using np::all, np::slice, np::Array;

namespace {

struct Program {
  std::function<void()> step;
  double bytes = 0;  // a step moves at least
};

double milliseconds(pilum::Runtime& runtime, const std::function<void()>& step, int steps) {
  runtime.wait();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) step();
  runtime.wait();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / steps;
}

// NPBench's heat_3d: two sweeps, from a to b and back.
Program heat(std::int64_t n) {
  auto a = np::zeros({n, n, n});
  a += 0.25;
  auto b = a.copy();
  const auto sweep = [](Array from, Array to) {
    const slice in(1, -1);
    auto c = from(in, in, in);
    to(in, in, in) = 0.125 * (from(slice(2, {}), in, in) - 2.0 * c + from(slice(0, -2), in, in)) +
                     0.125 * (from(in, slice(2, {}), in) - 2.0 * c + from(in, slice(0, -2), in)) +
                     0.125 * (from(in, in, slice(2, {})) - 2.0 * c + from(in, in, slice(0, -2))) + c;
  };
  return {[=] { sweep(a, b), sweep(b, a); }, 4.0 * 8 * static_cast<double>(n * n * n)};
}

// Two species with ghost cells: four rims are copied, then both are updated.
Program gray_scott(std::int64_t n) {
  auto u = np::ones({n + 2, n + 2}), v = np::zeros({n + 2, n + 2});
  v(slice(n / 3, n / 2), slice(n / 3, n / 2)) = 0.25;
  return {[=]() mutable {
            for (Array field : {u, v}) {
              field(0) = field(-2);
              field(-1) = field(1);
              field(all, 0) = field(all, -2);
              field(all, -1) = field(all, 1);
            }
            const slice in(1, -1);
            auto U = u(in, in), V = v(in, in);
            const auto laplace = [&](const Array& f) {
              return f(slice(0, -2), in) + f(slice(2, {}), in) + f(in, slice(0, -2)) + f(in, slice(2, {})) -
                     4.0 * f(in, in);
            };
            auto uvv = U * V * V;
            auto du = 0.16 * laplace(u) - uvv + 0.06 * (1.0 - U);
            auto dv = 0.08 * laplace(v) + uvv - 0.122 * V;
            U += du;
            V += dv;
          },
          4.0 * 8 * static_cast<double>(n * n)};
}

// Five points, partial updates of w.
Program conjugate_gradient(std::int64_t n) {
  auto x = np::zeros({n, n}), r = np::ones({n, n}), p = np::ones({n, n}), w = np::zeros({n, n});
  return {[=]() mutable {
            w[all] = 4.0 * p;
            w(slice(1, {})) -= p(slice(0, -1));
            w(slice(0, -1)) -= p(slice(1, {}));
            w(all, slice(1, {})) -= p(all, slice(0, -1));
            w(all, slice(0, -1)) -= p(all, slice(1, {}));
            const double rr = np::sum(r * r).item<double>();
            const double alpha = rr / np::sum(p * w).item<double>();
            x += alpha * p;
            r -= alpha * w;
            const double beta = np::sum(r * r).item<double>() / rr;
            p[all] = r + beta * p;
          },
          10.0 * 8 * static_cast<double>(n * n)};
}

Program fdtd(std::int64_t n) {
  auto ex = np::zeros({n, n}), ey = np::zeros({n, n}), hz = np::ones({n, n});
  return {[=]() mutable {
            ey(slice(1, {})) -= 0.5 * (hz(slice(1, {})) - hz(slice(0, -1)));
            ex(all, slice(1, {})) -= 0.5 * (hz(all, slice(1, {})) - hz(all, slice(0, -1)));
            hz(slice(0, -1), slice(0, -1)) -= 0.7 * (ex(slice(0, -1), slice(1, {})) - ex(slice(0, -1), slice(0, -1)) +
                                                     ey(slice(1, {}), slice(0, -1)) - ey(slice(0, -1), slice(0, -1)));
          },
          6.0 * 8 * static_cast<double>(n * n)};
}

}  // namespace

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  const std::string name = argc > 1 ? argv[1] : "heat";
  const std::int64_t size = argc > 2 ? std::atoll(argv[2]) : (name == "heat" ? 256 : 4096);
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  Program program = name == "heat"                 ? heat(size)
                    : name == "gray_scott"         ? gray_scott(size)
                    : name == "conjugate_gradient" ? conjugate_gradient(size)
                                                   : fdtd(size);
  const std::int64_t cells = static_cast<std::int64_t>(program.bytes / 16);
  auto from = np::ones({cells}), to = np::zeros({cells});
  const auto copy = [&] {  // each by itself: several would be one pass
    to[all] = from;
    runtime.wait();
  };
  (void)milliseconds(runtime, program.step, 8);  // plans and kernels are made
  (void)milliseconds(runtime, copy, 4);
  std::vector<double> steps, copies, ratios;
  for (int round = 0; round < rounds; ++round) {
    const int count = 10;
    steps.push_back(milliseconds(runtime, program.step, count));
    copies.push_back(milliseconds(runtime, copy, count));
    ratios.push_back(copies.back() / steps.back());
  }
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  if (runtime.rank() == 0) {
    std::printf("%-20s %6lld  %9.3f ms a step (%.3f .. %.3f), of a copy's speed %.2f\n", name.c_str(),
                static_cast<long long>(size), median(steps), *std::min_element(steps.begin(), steps.end()),
                *std::max_element(steps.begin(), steps.end()), median(ratios));
  }
  return 0;
}
