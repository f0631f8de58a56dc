// Accumulations: every set of reduced axes, fold and dtype, and the same bits from every form.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "runtime/base/dtype_visit.h"
#include "runtime/kernel/ir/builder.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

// Folds x over the axes (bits) into an array of the kept ones, and squares it on the way into y when asked.
Problem folding(DType dtype, Fold fold, unsigned reduced, std::vector<std::int64_t> extent, Numbers numbers,
                bool also_stores = false, std::int64_t shift = 0) {
  Problem problem;
  std::mt19937_64 random(reduced * 10 + static_cast<unsigned>(fold));
  const int rank = static_cast<int>(extent.size());
  Builder builder(rank);
  std::copy(extent.begin(), extent.end(), problem.extent.begin());
  problem.fields.push_back(Field::make(dtype, extent, shift));
  const std::vector<std::int64_t> kept = kept_extent(extent, reduced);
  problem.fields.push_back(Field::make(dtype, kept, 3));
  for (Field& field : problem.fields) fill(field, numbers, random);
  problem.bindings = {Binding::identity(0, rank), Binding::folded(1, rank, reduced)};
  const bool inner_reduced = reduced >> (rank - 1) & 1;
  const int x = builder.add_array({dtype, Access::Read, Inner::Contiguous, static_cast<std::int8_t>(rank)});
  const int r = builder.add_array({dtype, Access::Reduce, inner_reduced ? Inner::Broadcast : Inner::Contiguous,
                                   static_cast<std::int8_t>(kept.size())});
  builder.accumulate(r, builder.load(x), fold, reduced);
  if (also_stores) {
    problem.fields.push_back(problem.fields[0]);
    problem.bindings.push_back(Binding::identity(2, rank));
    const int y = builder.add_array({dtype, Access::Write, Inner::Contiguous, static_cast<std::int8_t>(rank)});
    builder.store(y, builder.binary(Op::Multiply, builder.load(x), builder.load(x)));
  }
  problem.kernel = builder.finish();
  return problem;
}

void set_all(Field& field, double value) {
  for (std::size_t cell = 0; cell < field.cells(); ++cell) {
    const float narrow = static_cast<float>(value);
    const bool wide = field.dtype == DType::Float64;
    std::memcpy(field.bytes.data() + cell * itemsize(field.dtype), wide ? static_cast<const void*>(&value) : &narrow,
                itemsize(field.dtype));
  }
}

// Calls visit(cell of `result`) for each cell that the problem folds into.
template <class Visit>
void for_each_cell(const Problem& problem, unsigned reduced, const Visit& visit, Field& result) {
  std::vector<std::int64_t> kept;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(problem.kernel.rank); ++axis) {
    if (!(reduced >> axis & 1)) kept.push_back(problem.extent[axis]);
  }
  std::array<std::int64_t, 8> at{};
  std::int64_t cells = 1;
  for (const std::int64_t extent : kept) cells *= extent;
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    std::int64_t left = cell;
    for (std::size_t axis = kept.size(); axis-- > 0; left /= kept[axis]) at[axis] = left % kept[axis];
    visit(result.cell(at));
  }
}

class EmitFold : public testing::TestWithParam<DType> {};

// Small whole numbers: sums are exact in any order.
TEST_P(EmitFold, EveryFoldOverEverySetOfAxesMatchesTheInterpreter) {
  for (const Fold fold : {Fold::Sum, Fold::Product, Fold::Minimum, Fold::Maximum}) {
    if (fold == Fold::Product && GetParam() != DType::Int32 && GetParam() != DType::Int64) continue;
    for (unsigned reduced = 1; reduced < 8; ++reduced) {
      const Problem problem = folding(GetParam(), fold, reduced, {3, 4, 75}, Numbers::Small);
      const std::vector<Field> wanted = run_interpreted(problem);
      EXPECT_EQ(difference(run_compiled(problem, kPlain), wanted), "") << name(fold) << " over " << reduced;
    }
  }
}

TEST_P(EmitFold, ScalarStreamingAndShiftedFormsGiveTheSameBits) {
  for (const Fold fold : {Fold::Sum, Fold::Maximum}) {
    for (const unsigned reduced : {1u, 2u, 3u}) {
      const auto problem = [&](std::int64_t shift) {
        return folding(GetParam(), fold, reduced, {7, 333}, Numbers::Any, /*also_stores=*/true, shift);
      };
      const std::vector<Field> wanted = run_compiled(problem(0), kScalar);
      for (const std::int64_t shift : {0, 1, 5}) {
        EXPECT_EQ(difference(run_compiled(problem(shift), kPlain), wanted), "") << name(fold) << " over " << reduced;
        EXPECT_EQ(difference(run_compiled(problem(shift), kStreaming), wanted), "")
            << name(fold) << " over " << reduced;
      }
    }
  }
}

TEST_P(EmitFold, TheSystemCompilerGivesTheSameBits) {
  const Problem problem = folding(GetParam(), Fold::Sum, 3, {7, 333}, Numbers::Any);
  EXPECT_EQ(difference(run_compiled(problem, kPlain, "c++"), run_compiled(problem, kPlain)), "");
}

// float16 is folded in float32.
std::vector<DType> folded_dtypes() {
  std::vector<DType> dtypes(kRealDTypes.begin(), kRealDTypes.end());
  std::erase(dtypes, DType::Float16);
  return dtypes;
}
INSTANTIATE_TEST_SUITE_P(Every, EmitFold, testing::ValuesIn(folded_dtypes()),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST(EmitFold, NaNsPropagateThroughMinimumAndMaximum) {
  for (const Fold fold : {Fold::Minimum, Fold::Maximum}) {
    Problem problem = folding(DType::Float64, fold, 1, {100}, Numbers::Small);
    const double nan = std::nan("");
    std::memcpy(problem.fields[0].cell({37}), &nan, sizeof nan);
    std::vector<Field> result = run_compiled(problem, kPlain);
    double value;
    std::memcpy(&value, result[1].cell({0}), sizeof value);
    EXPECT_TRUE(std::isnan(value));
  }
}

// NumPy's sum is 0.0, of one cell and of many; so is a part of it, wherever a sum is cut.
TEST(EmitFold, ASumOfNegativeZerosAloneIsZeroInEveryForm) {
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    for (const std::vector<std::int64_t>& extent :
         std::vector<std::vector<std::int64_t>>{{1, 1, 1}, {3, 4, 75}, {2, 1, 1}}) {
      for (unsigned reduced = 1; reduced < 8; ++reduced) {
        Problem problem = folding(dtype, Fold::Sum, reduced, extent, Numbers::Small);
        set_all(problem.fields[0], -0.0);
        std::vector<Field> zero = problem.fields;
        for_each_cell(problem, reduced, [&](char* cell) { std::memset(cell, 0, itemsize(dtype)); }, zero[1]);
        const std::string what =
            std::string(name(dtype)) + " over " + std::to_string(reduced) + " of rows of " + std::to_string(extent[2]);
        EXPECT_EQ(difference(run_compiled(problem, kPlain), zero), "") << what << ", plain";
        EXPECT_EQ(difference(run_compiled(problem, kScalar), zero), "") << what << ", scalar";
        EXPECT_EQ(difference(run_compiled(problem, kStreaming), zero), "") << what << ", streaming";
        EXPECT_EQ(difference(run_quick(problem, kPlain), zero), "") << what << ", quick";
      }
    }
  }
}

TEST(EmitFold, AnEmptyReductionIsTheIdentity) {
  for (const unsigned reduced : {1u, 2u, 3u}) {
    Problem problem = folding(DType::Float64, Fold::Maximum, reduced, {3, 4}, Numbers::Small);
    for (unsigned axis = 0; axis < 2; ++axis) {
      if (reduced >> axis & 1) problem.extent[axis] = 0;
    }
    const std::vector<Field> wanted = run_interpreted(problem);
    EXPECT_EQ(difference(run_compiled(problem, kPlain), wanted), "") << reduced;
    EXPECT_EQ(difference(run_compiled(problem, kScalar), wanted), "") << reduced;
  }
}

// A million equal numbers, whose rounding errors all point one way.
TEST(EmitFold, LargeSumsAreAccurate) {
  Problem problem = folding(DType::Float32, Fold::Sum, 1, {1 << 20}, Numbers::Small);
  const float tenth = 0.1f;
  for (std::int64_t i = 0; i < 1 << 20; ++i) std::memcpy(problem.fields[0].cell({i}), &tenth, sizeof tenth);
  std::vector<Field> result = run_compiled(problem, kPlain);
  float sum;
  std::memcpy(&sum, result[1].cell({0}), sizeof sum);
  const double exact = (1 << 20) * static_cast<double>(tenth);
  EXPECT_NEAR(sum / exact, 1.0, 1e-5);
  EXPECT_EQ(difference(run_compiled(problem, kScalar), result), "");
}

}  // namespace
}  // namespace pilum::kernel::test
