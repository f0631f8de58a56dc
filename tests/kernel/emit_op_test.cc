// Every op, for every dtype, over every way an argument may lie, against the interpreter.
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "runtime/base/dtype_visit.h"
#include "runtime/kernel/ir/builder.h"
#include "runtime/kernel/ir/op_facts.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

constexpr Inner kInners[] = {Inner::Contiguous, Inner::Broadcast, Inner::Strided};
constexpr std::int64_t kRows = 3, kColumns = 150;

// A 2-D problem whose inputs lie as `inner` says and whose outputs are contiguous (strided with strided inputs).
class Sheet {
 public:
  explicit Sheet(Inner inner, std::uint64_t seed) : builder(2), inner_(inner), random_(seed) {
    problem_.extent = {kRows, kColumns};
    problem_.lo = {5, 1000};
  }

  ValueId input(DType dtype, Numbers numbers) { return builder.load(add(dtype, Access::Read, inner_, numbers)); }
  void output(ValueId value) {
    const Inner inner = inner_ == Inner::Strided ? Inner::Strided : Inner::Contiguous;
    builder.store(add(builder.dtype(value), Access::Write, inner, Numbers::Small), value);
  }
  Problem take() {
    problem_.kernel = builder.finish();
    return std::move(problem_);
  }

  Builder builder;

 private:
  int add(DType dtype, Access access, Inner inner, Numbers numbers) {
    const int index = static_cast<int>(problem_.fields.size());
    problem_.fields.push_back(
        Field::make(dtype, {kRows, 2 * kColumns}, /*shift=*/static_cast<std::int64_t>(random_() % 16)));
    fill(problem_.fields.back(), numbers, random_);
    Binding binding = Binding::identity(index, 2);
    if (inner == Inner::Broadcast) binding.axis[1] = -1;
    if (inner == Inner::Strided) {
      binding.step[1] = index % 2 ? 2 : -1;
      if (binding.step[1] < 0) binding.start[1] = kColumns - 1;
    }
    problem_.bindings.push_back(binding);
    return builder.add_array({dtype, access, inner, 2});
  }

  Inner inner_;
  std::mt19937_64 random_;
  Problem problem_;
};

void expect_all_forms_agree(const Problem& problem, const std::string& what, double ulps = 0) {
  const std::vector<Field> wanted = run_interpreted(problem);
  EXPECT_EQ(difference(run_compiled(problem, kPlain), wanted, ulps), "") << what << ", plain";
  EXPECT_EQ(difference(run_compiled(problem, kStreaming), wanted, ulps), "") << what << ", streaming";
  EXPECT_EQ(difference(run_compiled(problem, kScalar), wanted, ulps), "") << what << ", scalar";
  EXPECT_EQ(difference(run_quick(problem, kStreaming), wanted, ulps), "") << what << ", quick";
}

class EmitOps : public testing::TestWithParam<std::tuple<DType, Inner>> {};

TEST_P(EmitOps, MatchTheInterpreter) {
  const auto [dtype, inner] = GetParam();
  Sheet sheet(inner, 7);
  const ValueId a = sheet.input(dtype, Numbers::Any), b = sheet.input(dtype, Numbers::Any);
  const ValueId c = sheet.input(DType::Bool, Numbers::Any);
  for (int i = static_cast<int>(Op::Negate); i < static_cast<int>(Op::Select); ++i) {
    const Op op = static_cast<Op>(i);
    if (!accepts(op, dtype) || is_elementary(op)) continue;
    if (op == Op::Power || (is_complex(dtype) && (op == Op::Absolute || op == Op::Sqrt))) continue;  // with functions
    const ValueId second = op == Op::Ldexp ? sheet.builder.unary(Op::Trunc, b) : b;
    sheet.output(arity(op) == 1 ? sheet.builder.unary(op, a) : sheet.builder.binary(op, a, second));
  }
  sheet.output(sheet.builder.select(c, a, b));
  sheet.output(sheet.builder.select(sheet.builder.binary(is_complex(dtype) ? Op::Equal : Op::Less, a, b), a, b));
  expect_all_forms_agree(sheet.take(), name(dtype));
}

// In vectors a Bool is an integer: there is one function for both.
TEST_P(EmitOps, SelectsOfBoolsBesideOthersMatchTheInterpreter) {
  const auto [dtype, inner] = GetParam();
  Sheet sheet(inner, 10);
  const ValueId c = sheet.input(DType::Bool, Numbers::Any);
  for (const DType selected : {dtype, DType::Bool}) {
    const ValueId a = sheet.input(selected, Numbers::Any), b = sheet.input(selected, Numbers::Any);
    sheet.output(sheet.builder.select(c, a, b));
  }
  expect_all_forms_agree(sheet.take(), name(dtype));
}

TEST_P(EmitOps, CastsMatchTheInterpreter) {
  const auto [dtype, inner] = GetParam();
  Sheet sheet(inner, 8);
  const ValueId small = sheet.input(dtype, Numbers::Small);
  for (const DType to : kDTypes) {
    if (to != dtype) sheet.output(sheet.builder.cast(small, to));
  }
  if (!is_floating(dtype) && !is_complex(dtype)) {
    const ValueId any = sheet.input(dtype, Numbers::Any);
    for (const DType to : kDTypes) {
      if (to != dtype) sheet.output(sheet.builder.cast(any, to));
    }
  }
  expect_all_forms_agree(sheet.take(), name(dtype));
}

TEST_P(EmitOps, PowersMatchTheInterpreter) {
  const auto [dtype, inner] = GetParam();
  if (!accepts(Op::Power, dtype) || is_complex(dtype)) return;  // complex ones: complex_functions_test
  Sheet sheet(inner, 9);
  const ValueId exponent = sheet.builder.unary(Op::Absolute, sheet.input(dtype, Numbers::Small));
  sheet.output(sheet.builder.binary(Op::Power, sheet.input(dtype, Numbers::Any), exponent));
  expect_all_forms_agree(sheet.take(), name(dtype), is_floating(dtype) ? 2 : 0);  // the C library's pow is another one
}

std::string case_name(const testing::TestParamInfo<std::tuple<DType, Inner>>& info) {
  static constexpr const char* kNames[] = {"Contiguous", "Broadcast", "Strided"};
  return std::string(name(std::get<0>(info.param))) + kNames[static_cast<int>(std::get<1>(info.param))];
}
INSTANTIATE_TEST_SUITE_P(Every, EmitOps, testing::Combine(testing::ValuesIn(kDTypes), testing::ValuesIn(kInners)),
                         case_name);

TEST(Emit, IndicesArgumentsAndConstantsMatchTheInterpreter) {
  Sheet sheet(Inner::Contiguous, 10);
  Builder& builder = sheet.builder;
  Problem problem;
  const ValueId row = builder.index(0), column = builder.index(1);
  sheet.output(builder.binary(
      Op::Subtract, builder.binary(Op::Multiply, row, builder.constant(Scalar::of<std::int64_t>(1000))), column));
  std::vector<std::uint64_t> scalars;
  for (const Scalar& value : {Scalar::of<std::int8_t>(-128), Scalar::of<std::uint16_t>(65535), Scalar::of(UINT64_MAX),
                              Scalar::of(UINT32_MAX), Scalar::of(true), Scalar::of<std::int32_t>(-7),
                              Scalar::of<std::int64_t>(1l << 40), Scalar::of(0.1f), Scalar::of(-1e300)}) {
    scalars.push_back(value.bits);
    sheet.output(builder.argument(builder.add_scalar(value.dtype)));
    sheet.output(builder.constant(value));
  }
  for (const double edge : {-0.0, 1e-320, -HUGE_VAL, std::nan(""), 0.1, 5.0})
    sheet.output(builder.constant(Scalar::of(edge)));
  for (const auto edge : {INT64_MIN, INT64_MAX}) sheet.output(builder.constant(Scalar::of<std::int64_t>(edge)));
  for (const auto edge : {INT32_MIN, INT32_MAX}) sheet.output(builder.constant(Scalar::of<std::int32_t>(edge)));
  problem = sheet.take();
  problem.scalars = scalars;
  expect_all_forms_agree(problem, "leaves");
}

// Quotients by one number are made of its reciprocal where that is in range: the bits are those of the division.
TEST(Emit, QuotientsByANumberAreThoseOfTheDivision) {
  constexpr std::int64_t kCells = 4001;
  std::mt19937_64 random(20261130);
  std::vector<double> divisors = {1,
                                  2,
                                  3,
                                  -7,
                                  0.1,
                                  0,
                                  -0.0,
                                  INFINITY,
                                  NAN,
                                  0x1p-256,
                                  0x1.8p-256,
                                  0x1p256,
                                  0x1.8p255,
                                  0x1p-1074,
                                  0x1.fffffffffffffp0,
                                  0x1.0000000000001p0,
                                  1e300};
  for (int i = 0; i < 40; ++i) divisors.push_back(std::bit_cast<double>(0x3ff0000000000000ul | random() >> 12));
  for (const double divisor : divisors) {
    Problem problem;
    problem.extent = {kCells};
    Builder builder(1);
    for (const Access access : {Access::Read, Access::Write}) {
      problem.fields.push_back(Field::make(DType::Float64, {kCells}, access == Access::Read ? 0 : 3));
      fill(problem.fields.back(), Numbers::Any, random);
      problem.bindings.push_back(Binding::identity(static_cast<int>(problem.fields.size()) - 1, 1));
      builder.add_array({DType::Float64, access, Inner::Contiguous, 1});
    }
    for (std::int64_t x = 0; x < kCells; ++x) {  // most are ordinary, so that whole vectors are
      const double ordinary = std::bit_cast<double>(0x3fe0000000000000ul + (random() >> 10));
      if (x % 64 != 5) std::memcpy(problem.fields[0].cell({x}), &ordinary, sizeof ordinary);
    }
    builder.store(1, builder.binary(Op::Divide, builder.load(0), builder.constant(Scalar::of(divisor))));
    problem.kernel = builder.finish();
    const std::vector<Field> wanted = run_interpreted(problem);
    EXPECT_EQ(difference(run_compiled(problem, kPlain), wanted), "") << divisor;
    EXPECT_EQ(difference(run_compiled(problem, kPadded), wanted), "") << divisor << ", padded";
  }
}

// What their texts call has one name for the numbers of both: this once was defined twice.
TEST(Emit, FunctionsOfBothWidthsAreInOneKernel) {
  Problem problem;
  problem.extent = {150};
  std::mt19937_64 random(7);
  Builder builder(1);
  const auto add = [&](DType dtype, Access access) {
    problem.fields.push_back(Field::make(dtype, {150}));
    fill(problem.fields.back(), Numbers::Small, random);
    problem.bindings.push_back(Binding::identity(static_cast<int>(problem.fields.size()) - 1, 1));
    return builder.add_array({dtype, access, Inner::Contiguous, 1});
  };
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    const ValueId a = builder.load(add(dtype, Access::Read)), b = builder.load(add(dtype, Access::Read));
    for (const Op op : {Op::Power, Op::Remainder, Op::Arctan2})
      builder.store(add(dtype, Access::Write), builder.binary(op, a, b));
    builder.store(add(dtype, Access::Write), builder.unary(Op::Sin, a));
  }
  problem.kernel = builder.finish();
  const std::vector<Field> wanted = run_compiled(problem, kScalar);
  EXPECT_EQ(difference(run_compiled(problem, kPlain), wanted), "");
  EXPECT_EQ(difference(run_compiled(problem, kPlain, "c++"), wanted), "");
}

TEST(Emit, MixedDtypesShareOneLaneCount) {
  Sheet sheet(Inner::Contiguous, 11);
  Builder& builder = sheet.builder;
  const ValueId f = sheet.input(DType::Float32, Numbers::Any), d = sheet.input(DType::Float64, Numbers::Any);
  const ValueId i = sheet.input(DType::Int32, Numbers::Any), l = sheet.input(DType::Int64, Numbers::Any);
  const ValueId t = sheet.input(DType::Bool, Numbers::Any);
  const ValueId less = builder.binary(Op::Less, f, builder.cast(d, DType::Float32));
  sheet.output(less);
  sheet.output(builder.select(less, i, builder.cast(t, DType::Int32)));
  sheet.output(builder.binary(Op::And, t, builder.binary(Op::Greater, l, builder.cast(i, DType::Int64))));
  sheet.output(builder.select(t, d, builder.cast(f, DType::Float64)));
  sheet.output(builder.select(builder.binary(Op::Equal, t, less), f, builder.cast(i, DType::Float32)));
  expect_all_forms_agree(sheet.take(), "mixed");
}

// As in center = f(center), and x += 1.
TEST(Emit, ReadWriteArgumentsAreLoadedBeforeTheyAreStored) {
  for (const Inner inner : {Inner::Contiguous, Inner::Strided}) {
    Problem problem;
    Builder builder(1);
    std::mt19937_64 random(3);
    problem.extent = {100};
    problem.fields = {Field::make(DType::Float64, {200}, 3)};
    fill(problem.fields[0], Numbers::Small, random);
    problem.bindings = {Binding::identity(0, 1)};
    if (inner == Inner::Strided) problem.bindings[0].step[0] = 2;
    const int x = builder.add_array({DType::Float64, Access::ReadWrite, inner, 1});
    builder.store(x, builder.binary(Op::Add, builder.load(x), builder.constant(Scalar::of(1.0))));
    problem.kernel = builder.finish();
    expect_all_forms_agree(problem, "x += 1");
  }
}

}  // namespace
}  // namespace pilum::kernel::test
