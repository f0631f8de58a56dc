// Philox 4x32-10 in kernels: the known answers of its authors, and the interpreter's bits in every form.
#include <gtest/gtest.h>

#include "runtime/kernel/ir/builder.h"
#include "tests/kernel/device_run.h"
#include "tests/kernel/scalar_functions.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

constexpr std::int64_t kPoints = 203;  // a vector's remainder is left, and a row is peeled

constexpr std::int64_t word(std::uint64_t low, std::uint64_t high) {
  return static_cast<std::int64_t>(low | high << 32);
}

// Both halves at counters `a`, `b` and keys `c`, which are cells of arrays.
Problem drawing(const std::array<std::int64_t, 3>& operands, bool random) {
  Problem problem;
  std::mt19937_64 bits(5);
  problem.extent = {kPoints};
  Builder builder(1);
  const auto add = [&](Access access) {
    problem.fields.push_back(Field::make(DType::Int64, {kPoints}, access == Access::Read ? 0 : 3));
    fill(problem.fields.back(), Numbers::Any, bits);
    problem.bindings.push_back(Binding::identity(static_cast<int>(problem.fields.size()) - 1, 1));
    return builder.add_array({DType::Int64, access, Inner::Contiguous, 1});
  };
  std::array<ValueId, 3> values{};
  for (std::size_t k = 0; k < 3; ++k) {
    values[k] = builder.load(add(Access::Read));
    for (std::int64_t i = 0; i < kPoints; ++i) {
      const std::int64_t cell = random ? static_cast<std::int64_t>(bits()) : operands[k];
      std::memcpy(problem.fields.back().cell({i}), &cell, sizeof cell);
    }
  }
  for (const Op op : {Op::PhiloxLow, Op::PhiloxHigh})
    builder.store(add(Access::Write), builder.ternary(op, values[0], values[1], values[2]));
  builder.store(add(Access::Write), builder.binary(Op::MultiplyHigh, values[0], values[1]));
  problem.kernel = builder.finish();
  return problem;
}

void expect_everywhere(const Problem& problem, const std::vector<Field>& wanted) {
  EXPECT_EQ(difference(run_compiled(problem, kPlain), wanted), "") << "vectors";
  EXPECT_EQ(difference(run_compiled(problem, kScalar), wanted), "") << "numbers";
  EXPECT_EQ(difference(run_compiled(problem, kPadded), wanted), "") << "padded";
  EXPECT_EQ(difference(run_quick(problem, kStreaming), wanted), "") << "baseline";
  EXPECT_EQ(difference(run_compiled(problem, kPlain, "c++"), wanted), "") << "the system's compiler";
  EXPECT_EQ(difference(run_on_device(problem), wanted), "") << "on GPUs";
}

// Random123's kat_vectors: "philox4x32 10", counter, key, result.
struct KnownAnswer {
  std::array<std::uint64_t, 4> counter;
  std::array<std::uint64_t, 2> key;
  std::array<std::uint64_t, 4> result;
};
constexpr KnownAnswer kKnown[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(Philox, GivesTheKnownAnswersInEveryForm) {
  for (const auto& [counter, key, result] : kKnown) {
    const Problem problem =
        drawing({word(counter[0], counter[1]), word(counter[2], counter[3]), word(key[0], key[1])}, /*random=*/false);
    std::vector<Field> drawn = run_compiled(problem, kPlain);
    std::int64_t low = 0, high = 0;
    std::memcpy(&low, drawn[3].cell({100}), sizeof low);
    std::memcpy(&high, drawn[4].cell({100}), sizeof high);
    EXPECT_EQ(low, word(result[0], result[1]));
    EXPECT_EQ(high, word(result[2], result[3]));
    expect_everywhere(problem, drawn);
  }
}

TEST(Philox, IsTheInterpretersForAnyCounterAndKeyInEveryForm) {
  const Problem problem = drawing({}, /*random=*/true);
  expect_everywhere(problem, run_interpreted(problem));
}

// Normal numbers of the cells of three rows, each of which begins where `first` says and goes on by `step`; of other
// draws and keys, as they are in each row or in each cell.
Problem drawing_normals(std::array<std::int64_t, 3> first, std::int64_t step, bool keys_differ) {
  constexpr std::int64_t columns = 99;
  Problem problem;
  problem.extent = {3, columns};
  std::mt19937_64 bits(7);
  Builder builder(2);
  std::array<ValueId, 3> values{};
  for (std::size_t k = 0; k < 3; ++k) {
    problem.fields.push_back(Field::make(DType::Int64, {3, columns}));
    problem.bindings.push_back(Binding::identity(static_cast<int>(k), 2));
    values[k] = builder.load(builder.add_array({DType::Int64, Access::Read, Inner::Contiguous, 2}));
    for (std::int64_t row = 0; row < 3; ++row) {
      auto cell = static_cast<std::int64_t>(bits());
      for (std::int64_t i = 0; i < columns; ++i) {
        if (k == 0) cell = first[static_cast<std::size_t>(row)] + step * i;
        if (k > 0 && keys_differ) cell = static_cast<std::int64_t>(bits());
        std::memcpy(problem.fields[k].cell({row, i}), &cell, sizeof cell);
      }
    }
  }
  problem.fields.push_back(Field::make(DType::Float64, {3, columns}, /*shift=*/3));
  problem.bindings.push_back(Binding::identity(3, 2));
  builder.store(builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, 2}),
                builder.ternary(Op::StandardNormal, values[0], values[1], values[2]));
  problem.kernel = builder.finish();
  return problem;
}

TEST(Philox, NormalNumbersAreTheSameInEveryForm) {
  constexpr std::int64_t kFar = (std::int64_t{1} << 33) - 20;  // the counter's upper word changes in the row
  for (const std::int64_t step : {1, 2, -1, 0}) {
    for (const std::int64_t begin : {std::int64_t{0}, std::int64_t{7}, kFar}) {
      // Rows that follow each other, rows that overlap, rows that are apart.
      for (const std::int64_t row : {99, 3, 1000}) {
        for (const bool keys_differ : {false, true}) {
          const Problem problem = drawing_normals({begin, begin + row, begin + 2 * row}, step, keys_differ);
          const std::vector<Field> drawn = run_compiled(problem, kScalar);
          EXPECT_EQ(difference(drawn, run_interpreted(problem), /*ulps=*/8, /*relative=*/1e-15), "");
          SCOPED_TRACE(testing::Message() << step << " " << begin << " " << row << " " << keys_differ);
          expect_everywhere(problem, drawn);
        }
      }
    }
  }
}

}  // namespace
}  // namespace pilum::kernel::test
