#include "runtime/kernel/ir/builder.h"

#include <limits>

#include <gtest/gtest.h>

namespace pilum::kernel {
namespace {

constexpr ArrayArgument kInput{DType::Float64, Access::Read, Inner::Contiguous, 1};
constexpr ArrayArgument kOutput{DType::Float64, Access::Write, Inner::Contiguous, 1};

TEST(Builder, TheSameValueIsOneNode) {
  Builder builder(1);
  const int x = builder.add_array(kInput);
  const ValueId here = builder.load(x), there = builder.load(x, {1});
  const ValueId sum = builder.binary(Op::Add, here, there);
  EXPECT_EQ(builder.load(x), here);
  EXPECT_EQ(builder.load(x, {1}), there);
  EXPECT_EQ(builder.binary(Op::Add, here, there), sum);
  EXPECT_NE(builder.load(x, {-1}), there);
  EXPECT_NE(builder.binary(Op::Add, there, here), sum);
}

TEST(Builder, TheProductOfANegatedFloatIsOfTheFloat) {
  Builder builder(1);
  const ValueId x = builder.load(builder.add_array(kInput)), y = builder.load(builder.add_array(kInput), {1});
  const ValueId product = builder.binary(Op::Multiply, x, y);
  EXPECT_EQ(builder.binary(Op::Multiply, builder.unary(Op::Negate, x), y), builder.unary(Op::Negate, product));
  const ValueId i = builder.index(0), less = builder.unary(Op::Negate, i);
  EXPECT_EQ(builder.node(builder.binary(Op::Multiply, less, i)).op, Op::Multiply);
}

TEST(Builder, ThousandsOfNodesAreStillFound) {
  Builder builder(1);
  std::vector<ValueId> first, second;
  for (std::int64_t i = 0; i < 3000; ++i) first.push_back(builder.constant(Scalar::of(i)));
  for (std::int64_t i = 0; i < 3000; ++i) second.push_back(builder.constant(Scalar::of(i)));
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.back(), 2999);
}

TEST(Builder, FinishDropsWhatNobodyNeeds) {
  Builder builder(1);
  const int x = builder.add_array(kInput), y = builder.add_array(kOutput);
  builder.unary(Op::Exp, builder.load(x, {1}));
  const ValueId kept = builder.unary(Op::Negate, builder.load(x));
  builder.unary(Op::Log, kept);
  builder.store(y, kept);
  const Kernel kernel = builder.finish();
  ASSERT_EQ(kernel.nodes.size(), 2u);
  EXPECT_EQ(kernel.nodes[0].op, Op::Load);
  EXPECT_EQ(kernel.nodes[1].op, Op::Negate);
  EXPECT_EQ(kernel.nodes[1].a, 0);
  EXPECT_EQ(kernel.stores[0].value, 1);
  EXPECT_EQ(kernel.arrays.size(), 2u);
}

TEST(Builder, ACastToTheSameDtypeIsTheValue) {
  Builder builder(1);
  const ValueId a = builder.load(builder.add_array(kInput));
  EXPECT_EQ(builder.cast(a, DType::Float64), a);
  EXPECT_NE(builder.cast(a, DType::Float32), a);
}

TEST(Builder, CastsOfConstantsAreConstantsWhereCppDefinesThem) {
  Builder builder(1);
  const auto cast = [&](Scalar value, DType to) { return builder.node(builder.cast(builder.constant(value), to)); };
  EXPECT_EQ(cast(Scalar::of(-2.75), DType::Int32).op, Op::Constant);
  EXPECT_EQ(cast(Scalar::of(-2.75), DType::Int32).bits, 0xfffffffeu);
  EXPECT_EQ(cast(Scalar::of(0.1), DType::Float32).bits, Scalar::of(0.1f).bits);
  EXPECT_EQ(cast(Scalar::of(0.5), DType::Bool).bits, 1u);
  EXPECT_EQ(cast(Scalar::of(3e9), DType::Int32).op, Op::Cast);
  EXPECT_EQ(cast(Scalar::of(3e9), DType::Int64).bits, 3000000000u);
  EXPECT_EQ(cast(Scalar::of(std::numeric_limits<double>::quiet_NaN()), DType::Int64).op, Op::Cast);
  EXPECT_EQ(cast(Scalar::of(1e19f), DType::Int64).op, Op::Cast);
}

// A loop of these had clang spend twice as long for each.
TEST(Builder, AChoiceOfOneValueIsThatValue) {
  Builder builder(1);
  const ValueId x = builder.load(builder.add_array(kInput));
  EXPECT_EQ(builder.select(builder.binary(Op::Less, x, x), x, x), x);
}

TEST(Builder, ComparisonsAreBool) {
  Builder builder(1);
  const ValueId a = builder.load(builder.add_array(kInput));
  EXPECT_EQ(builder.dtype(builder.binary(Op::Less, a, a)), DType::Bool);
  EXPECT_EQ(builder.dtype(builder.select(builder.binary(Op::Less, a, a), a, a)), DType::Float64);
}

TEST(BuilderDeath, MisuseStops) {
  EXPECT_DEATH(
      {
        Builder builder(1);
        const ValueId a = builder.load(builder.add_array(kInput));
        builder.binary(Op::Add, a, builder.cast(a, DType::Float32));
      },
      "add of float64 and float32");
  EXPECT_DEATH(
      {
        Builder builder(1);
        builder.unary(Op::Sqrt, builder.index(0));
      },
      "sqrt of int64");
  EXPECT_DEATH(
      {
        Builder builder(1);
        builder.load(builder.add_array(kOutput));
      },
      "not loaded");
}

}  // namespace
}  // namespace pilum::kernel
