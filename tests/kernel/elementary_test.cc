// Elementary functions: at most 1 ulp from MPFR's over all of their ranges, right at the edges.
//
// PILUM_TEST_SEED, PILUM_TEST_POINTS (a function and width): other points, or more of them.
// Every float32: tests/perf/kernel/every_float.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "runtime/kernel/ir/builder.h"
#include "runtime/kernel/ir/op_facts.h"
#include "tests/kernel/elementary_judge.h"
#include "tests/kernel/elementary_points.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* given = std::getenv(variable);
  return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

template <class T>
std::vector<T> apply(Op op, Points<T> x, const EmitOptions& options = kPlain) {
  Builder builder(1);
  const int a = builder.add_array({dtype_of<T>, Access::Read, Inner::Contiguous, 1});
  const int b = arity(op) == 2 ? builder.add_array({dtype_of<T>, Access::Read, Inner::Contiguous, 1}) : -1;
  const int out = builder.add_array({dtype_of<T>, Access::Write, Inner::Contiguous, 1});
  builder.store(out, b < 0 ? builder.unary(op, builder.load(a)) : builder.binary(op, builder.load(a), builder.load(b)));
  std::vector<T> y(x.a.size());
  BoundArray arrays[3] = {};
  int next = 0;
  arrays[next++].base = reinterpret_cast<char*>(x.a.data());
  if (b >= 0) arrays[next++].base = reinterpret_cast<char*>(x.b.data());
  arrays[next].base = reinterpret_cast<char*>(y.data());
  KernelCall call{};
  call.extent[0] = static_cast<std::int64_t>(y.size());
  call.arrays = arrays;
  shared_jit("").get_host(builder.finish(), options)->function()(&call);
  return y;
}

struct Worst {
  double error = 0;
  double a = 0, b = 0, got = 0;
};

template <class T>
Worst worst_of(Op op, const Points<T>& x) {
  const std::vector<T> y = apply(op, x);
  Worst worst;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double error = error_in_ulps(op, x.a[i], x.b[i], y[i]);
    if (error > worst.error) worst = {error, x.a[i], x.b[i], y[i]};
  }
  return worst;
}

class Elementary : public testing::TestWithParam<Op> {};

template <class T>
void expect_within_one_ulp(Op op) {
  const std::uint64_t seed = number_from("PILUM_TEST_SEED", 20261122);
  const std::uint64_t count = number_from("PILUM_TEST_POINTS", 20000);
  const Worst worst = worst_of(op, points_of<T>(op, seed, count));
  std::cout << name(op) << " " << name(dtype_of<T>) << ": " << worst.error << " ulp of " << worst.a;
  if (arity(op) == 2) std::cout << ", " << worst.b;
  std::cout << " (PILUM_TEST_SEED=" << seed << ")\n";
  EXPECT_LE(worst.error, 1.0) << name(op) << std::hexfloat << "(" << worst.a << ", " << worst.b << ") = " << worst.got;
}

TEST_P(Elementary, IsWithinOneUlp) {
  if (!judge_available()) GTEST_SKIP() << "built without MPFR";
  expect_within_one_ulp<double>(GetParam());
  expect_within_one_ulp<float>(GetParam());
}

std::vector<Op> elementary_ops() {
  std::vector<Op> ops = {Op::Power};
  for (int i = 0; i < static_cast<int>(Op::Select); ++i) {
    if (is_elementary(static_cast<Op>(i))) ops.push_back(static_cast<Op>(i));
  }
  return ops;
}
INSTANTIATE_TEST_SUITE_P(Every, Elementary, testing::ValuesIn(elementary_ops()),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace pilum::kernel::test
