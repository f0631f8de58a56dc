// The functions that kernels call give the same bits in vectors, remainders, numbers, in the baseline tier, from
// another compiler and on GPUs: at special and hard points and at random ones.
#include <gtest/gtest.h>

#include "runtime/kernel/ir/builder.h"
#include "runtime/kernel/ir/op_facts.h"
#include "tests/fakes/thorough.h"
#include "tests/kernel/device_run.h"
#include "tests/kernel/elementary_points.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

constexpr std::int64_t kCells = 4001;  // a vector's remainder is left, and a row is peeled

std::vector<Op> functions_of(DType dtype) {
  std::vector<Op> ops;
  for (int i = 0; i < static_cast<int>(Op::Select); ++i) {
    const Op op = static_cast<Op>(i);
    const bool calls = is_function(op) || (is_complex(dtype) && arity(op) > 0 && op != Op::Cast);
    if (calls && accepts(op, dtype)) ops.push_back(op);
  }
  return ops;
}

template <class T>
void fill_points(Field& a, Field& b) {
  const Points<T> points = points_of<T>(Op::Sin, /*seed=*/1, kCells);
  for (std::int64_t i = 0; i < kCells; ++i) {
    std::memcpy(a.cell({i}), &points.a[static_cast<std::size_t>(i)], sizeof(T));
    std::memcpy(b.cell({i}), &points.b[static_cast<std::size_t>(i)], sizeof(T));
  }
}

// Each op of two arrays, or one, into an array of its own.
Problem applying(const std::vector<Op>& ops, DType dtype) {
  Problem problem;
  std::mt19937_64 random(3);
  problem.extent = {kCells};
  Builder builder(1);
  const auto add = [&](Access access, DType dtype) {
    problem.fields.push_back(Field::make(dtype, {kCells}, access == Access::Read ? 0 : 3));
    fill(problem.fields.back(), Numbers::Any, random);
    problem.bindings.push_back(Binding::identity(static_cast<int>(problem.fields.size()) - 1, 1));
    return builder.add_array({dtype, access, Inner::Contiguous, 1});
  };
  const ValueId a = builder.load(add(Access::Read, dtype)), b = builder.load(add(Access::Read, dtype));
  if (dtype == DType::Float64) fill_points<double>(problem.fields[0], problem.fields[1]);
  if (dtype == DType::Float32) fill_points<float>(problem.fields[0], problem.fields[1]);
  for (const Op op : ops) {
    const ValueId second = op == Op::Ldexp ? builder.unary(Op::Trunc, b) : b;
    const ValueId value = arity(op) == 1 ? builder.unary(op, a) : builder.binary(op, a, second);
    builder.store(add(Access::Write, builder.dtype(value)), value);
  }
  problem.kernel = builder.finish();
  return problem;
}

class FunctionBits : public testing::TestWithParam<DType> {};

TEST_P(FunctionBits, AreTheSameInEveryForm) {
  const std::vector<Op> ops = functions_of(GetParam());
  for (std::size_t first = 0; first < ops.size(); first += 9) {
    const std::vector<Op> some(ops.begin() + static_cast<std::ptrdiff_t>(first),
                               ops.begin() + static_cast<std::ptrdiff_t>(std::min(first + 9, ops.size())));
    const Problem problem = applying(some, GetParam());
    const std::vector<Field> wanted = run_compiled(problem, kScalar);
    const std::string what = std::string("from ") + name(some.front()) + " on";
    EXPECT_EQ(difference(run_compiled(problem, kPlain), wanted), "") << what << ", vectors";
    EXPECT_EQ(difference(run_compiled(problem, kPadded), wanted), "") << what << ", padded";
    EXPECT_EQ(difference(run_quick(problem, kStreaming), wanted), "") << what << ", baseline";
    // The system's compiler takes most of the time, and compiles what emulated GPUs run as well: the one or the other.
    const bool is_odd = (first / 9 + static_cast<std::size_t>(GetParam())) % 2 != 0;
    if (is_odd || fakes::is_thorough())
      EXPECT_EQ(difference(run_compiled(problem, kPlain, "c++"), wanted), "") << what << ", the system's compiler";
    if (!is_odd || fakes::is_thorough())
      EXPECT_EQ(difference(run_on_device(problem), wanted), "") << what << ", on GPUs";
  }
}

INSTANTIATE_TEST_SUITE_P(Every, FunctionBits,
                         testing::Values(DType::Int32, DType::Int64, DType::Float32, DType::Float64, DType::Int8,
                                         DType::Int16, DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64,
                                         DType::Complex64, DType::Complex128, DType::Float16),
                         [](const auto& info) { return std::string(name(info.param)); });

// What erfc(x) and erfc(-x) have in common is computed once: in a kernel that has both each is what it is alone.
TEST(FunctionBits, OfErfcBesideThatOfTheNegatedNumber) {
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    Problem problem = applying({Op::Erfc, Op::Erfc}, dtype);
    Builder builder(1);
    const auto add = [&](Access access) {
      return builder.load(builder.add_array({dtype, access, Inner::Contiguous, 1}));
    };
    const ValueId a = add(Access::Read), less = builder.unary(Op::Negate, a), b = add(Access::Read);
    const auto store = [&](ValueId value) {
      builder.store(builder.add_array({dtype, Access::Write, Inner::Contiguous, 1}), value);
    };
    store(builder.unary(Op::Erfc, less));
    store(builder.unary(Op::Erfc, a));
    problem.fields[1] = problem.fields[0];
    for (std::int64_t i = 0; i < kCells; ++i)  // b = -a
      problem.fields[1].cell({i})[itemsize(dtype) - 1] ^= static_cast<char>(0x80);
    static_cast<void>(b);
    problem.kernel = builder.finish();
    const Problem alone = [&] {
      Problem other = applying({Op::Erfc, Op::Erfc}, dtype);
      other.fields[0] = problem.fields[1];
      return other;
    }();
    const std::vector<Field> both = run_compiled(problem, kScalar), of_negated = run_compiled(alone, kScalar);
    EXPECT_EQ(difference({both[2]}, {of_negated[2]}), "") << name(dtype);
    EXPECT_EQ(difference({both[3]}, {run_compiled(applying({Op::Erfc, Op::Erfc}, dtype), kScalar)[3]}), "")
        << name(dtype);
    EXPECT_EQ(difference(run_compiled(problem, kPlain), both), "") << name(dtype) << ", vectors";
    EXPECT_EQ(difference(run_on_device(problem), both), "") << name(dtype) << ", on GPUs";
  }
}

}  // namespace
}  // namespace pilum::kernel::test
