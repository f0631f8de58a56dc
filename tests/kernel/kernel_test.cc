#include "runtime/kernel/ir/kernel.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "runtime/kernel/ir/builder.h"

namespace pilum::kernel {
namespace {

Kernel scaled_neighbours(int offset = -1, DType dtype = DType::Float64) {
  Builder builder(2);
  const int in = builder.add_array({dtype, Access::Read, Inner::Contiguous, 2});
  const int out = builder.add_array({dtype, Access::Write, Inner::Contiguous, 2});
  const int scale = builder.add_scalar(dtype);
  const ValueId here = builder.load(in), there = builder.load(in, {static_cast<std::int8_t>(offset), 1});
  const ValueId sum = builder.binary(Op::Add, here, there);
  builder.store(out, builder.binary(Op::Multiply, sum, builder.argument(scale)));
  return builder.finish();
}

TEST(Kernel, PrintsOneNodeALine) {
  EXPECT_EQ(print(scaled_neighbours()),
            "kernel of 2 axes\n"
            "  array 0: float64 read contiguous, 2 store axes\n"
            "  array 1: float64 write contiguous, 2 store axes\n"
            "  scalar 0: float64\n"
            "  %0 = load float64 array 0\n"
            "  %1 = load float64 array 0 at (-1, 1)\n"
            "  %2 = add float64 %0 %1\n"
            "  %3 = argument float64 scalar 0\n"
            "  %4 = multiply float64 %2 %3\n"
            "  store array 1 = %4\n");
}

TEST(Kernel, EqualKernelsHaveEqualHashesAndOthersDiffer) {
  EXPECT_EQ(hash(scaled_neighbours()), hash(scaled_neighbours()));
  EXPECT_NE(hash(scaled_neighbours()), hash(scaled_neighbours(1)));
  EXPECT_NE(hash(scaled_neighbours()), hash(scaled_neighbours(-1, DType::Float32)));
  Kernel other = scaled_neighbours();
  other.arrays[0].inner = Inner::Strided;
  EXPECT_NE(hash(scaled_neighbours()), hash(other));
}

TEST(Kernel, HashesAreTheSameInEveryRun) {
  EXPECT_EQ(hash(scaled_neighbours()), 11407713573307359123u);
}

TEST(Kernel, OpsAndFoldsHaveTheirNames) {
  EXPECT_STREQ(name(Op::Load), "load");
  EXPECT_STREQ(name(Op::Add), "add");
  EXPECT_STREQ(name(Op::LessEqual), "less_equal");
  EXPECT_STREQ(name(Op::FrexpExponent), "frexp_exponent");
  EXPECT_STREQ(name(Op::LogGamma), "log_gamma");
  EXPECT_STREQ(name(Op::FloorDivide), "floor_divide");
  EXPECT_STREQ(name(Op::LogAddExp2), "logaddexp2");
  EXPECT_STREQ(name(Op::Select), "select");
  EXPECT_STREQ(name(Fold::Product), "product");
}

TEST(Kernel, FoldsStartFromTheirIdentity) {
  EXPECT_EQ(identity(Fold::Sum, DType::Float64), std::bit_cast<std::uint64_t>(-0.0));
  EXPECT_EQ(identity(Fold::Sum, DType::Int32), 0u);
  EXPECT_EQ(identity(Fold::Product, DType::Float32), std::bit_cast<std::uint32_t>(1.0f));
  EXPECT_EQ(identity(Fold::Minimum, DType::Int64), 0x7fffffffffffffffu);
  EXPECT_EQ(identity(Fold::Maximum, DType::Int32), 0x80000000u);
  EXPECT_EQ(identity(Fold::Minimum, DType::Float64), std::bit_cast<std::uint64_t>(HUGE_VAL));
  EXPECT_EQ(identity(Fold::Maximum, DType::Float32), std::bit_cast<std::uint32_t>(-HUGE_VALF));
  EXPECT_EQ(identity(Fold::Minimum, DType::Bool), 1u);
  EXPECT_EQ(identity(Fold::Maximum, DType::Bool), 0u);
  EXPECT_EQ(start(Fold::Sum, DType::Float64), std::bit_cast<std::uint64_t>(0.0)) << "NumPy's sum of -0.0 is 0.0";
  EXPECT_EQ(start(Fold::Sum, DType::Float32), 0u);
  EXPECT_EQ(start(Fold::Product, DType::Float32), std::bit_cast<std::uint32_t>(1.0f));
  EXPECT_EQ(start(Fold::Minimum, DType::Bool), 1u);
}

}  // namespace
}  // namespace pilum::kernel
