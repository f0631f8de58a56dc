// Elementwise bits do not depend on where a row starts, how it is cut, nor on the compiler.
#include <gtest/gtest.h>

#include "runtime/kernel/ir/builder.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

// z = exp(x) * log(y) + x / y - sqrt(|x|), and z > x
Problem transcendental(DType dtype, std::int64_t columns, std::int64_t shift) {
  Problem problem;
  std::mt19937_64 random(5);
  Builder builder(1);
  problem.extent = {columns};
  for (int i = 0; i < 2; ++i) {
    problem.fields.push_back(Field::make(dtype, {columns}, 0));
    fill(problem.fields.back(), i ? Numbers::Any : Numbers::Small, random);
  }
  problem.fields.push_back(Field::make(dtype, {columns}, shift));
  problem.fields.push_back(Field::make(DType::Bool, {columns}, shift + 1));
  for (int i = 0; i < 4; ++i) problem.bindings.push_back(Binding::identity(i, 1));
  const int a = builder.add_array({dtype, Access::Read, Inner::Contiguous, 1});
  const int b = builder.add_array({dtype, Access::Read, Inner::Contiguous, 1});
  const int z = builder.add_array({dtype, Access::Write, Inner::Contiguous, 1});
  const int flag = builder.add_array({DType::Bool, Access::Write, Inner::Contiguous, 1});
  const ValueId x = builder.load(a), y = builder.load(b);
  ValueId value = builder.binary(Op::Multiply, builder.unary(Op::Exp, x), builder.unary(Op::Log, y));
  value = builder.binary(Op::Add, value, builder.binary(Op::Divide, x, y));
  value = builder.binary(Op::Subtract, value, builder.unary(Op::Sqrt, builder.unary(Op::Absolute, x)));
  builder.store(z, value);
  builder.store(flag, builder.binary(Op::Greater, value, x));
  problem.kernel = builder.finish();
  return problem;
}

// x = 2 x + y, where x is read and written by two arguments.
Problem update_in_place(DType dtype, std::int64_t columns, std::int64_t shift) {
  Problem problem;
  std::mt19937_64 random(6);
  Builder builder(2);
  problem.extent = {3, columns};
  for (int i = 0; i < 2; ++i) {
    problem.fields.push_back(Field::make(dtype, {3, columns}, shift));
    fill(problem.fields.back(), Numbers::Small, random);
  }
  for (const int field : {0, 1, 0}) problem.bindings.push_back(Binding::identity(field, 2));
  const int x = builder.add_array({dtype, Access::Read, Inner::Contiguous, 2});
  const int y = builder.add_array({dtype, Access::Read, Inner::Contiguous, 2});
  const int target = builder.add_array({dtype, Access::Write, Inner::Contiguous, 2});
  const ValueId twice = builder.binary(Op::Add, builder.load(x), builder.load(x));
  builder.store(target, builder.binary(Op::Add, twice, builder.load(y)));
  problem.kernel = builder.finish();
  return problem;
}

class EmitCut : public testing::TestWithParam<DType> {};

TEST_P(EmitCut, PeelBodyAndTailGiveTheSameBits) {
  const std::int64_t columns = 211;
  const std::vector<Field> wanted = run_compiled(transcendental(GetParam(), columns, 0), kScalar);
  for (std::int64_t shift = 0; shift < 16; ++shift) {
    const Problem problem = transcendental(GetParam(), columns, shift);
    EXPECT_EQ(difference(run_compiled(problem, kPlain), wanted), "") << "shift " << shift;
    EXPECT_EQ(difference(run_compiled(problem, kStreaming), wanted), "") << "shift " << shift << ", streaming";
    EXPECT_EQ(difference(run_quick(problem, kPlain), wanted), "") << "shift " << shift << ", quick";
    EXPECT_EQ(difference(run_quick(problem, kStreaming), wanted), "") << "shift " << shift << ", baseline, streaming";
  }
}

TEST_P(EmitCut, AnyCutGivesTheSameBits) {
  const Problem whole = transcendental(GetParam(), 211, 5);
  const std::vector<Field> wanted = run_compiled(whole, kPlain);
  std::mt19937_64 random(17);
  Problem part = whole;
  for (std::int64_t start = 0; start < 211;) {
    const std::int64_t n = std::min<std::int64_t>(1 + static_cast<std::int64_t>(random() % 40), 211 - start);
    part.extent[0] = n;
    for (Binding& binding : part.bindings) binding.start[0] = start;
    const EmitOptions& options = random() % 2 ? kPlain : kStreaming;
    part.fields = random() % 2 ? run_compiled(part, options) : run_quick(part, options);
    start += n;
  }
  EXPECT_EQ(difference(part.fields, wanted), "");
}

// The last vector of a row begins before the one before it ends: what is read of these cells is what was there.
TEST_P(EmitCut, ARowOfAnyLengthIsUpdatedOnceWhereItLies) {
  for (std::int64_t columns = 1; columns < 41; ++columns) {
    for (const std::int64_t shift : {0, 3}) {
      const Problem problem = update_in_place(GetParam(), columns, shift);
      const std::vector<Field> wanted = run_interpreted(problem);
      EXPECT_EQ(difference(run_compiled(problem, kPlain), wanted), "") << columns << " columns, shift " << shift;
      EXPECT_EQ(difference(run_quick(problem, kPlain), wanted), "") << columns << " columns, shift " << shift;
    }
  }
}

TEST_P(EmitCut, TheSystemCompilerGivesTheSameBits) {
  const Problem problem = transcendental(GetParam(), 211, 3);
  EXPECT_EQ(difference(run_compiled(problem, kPlain, "c++"), run_compiled(problem, kPlain)), "");
  EXPECT_EQ(difference(run_compiled(problem, kStreaming, "c++"), run_compiled(problem, kPlain)), "");
}

INSTANTIATE_TEST_SUITE_P(Floats, EmitCut, testing::Values(DType::Float32, DType::Float64),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace pilum::kernel::test
