// Rows that are walked several at a time, and rows that are cut into parts for it: each point is computed once,
// wherever strands begin and end.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <utility>

#include <gtest/gtest.h>

#include "runtime/kernel/ir/builder.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

constexpr EmitOptions kInCaches{.walk = Walk::Strands};

// out = a's neighbours + a row's number + 3 * where the point is, and flag = out > a; in place: a = 2 a + a row's
// number.
Problem make_problem(std::mt19937_64& random, DType dtype, const std::vector<std::int64_t>& extent, bool in_place) {
  const int rank = static_cast<int>(extent.size());
  const auto pick = [&random](int count) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(count)); };
  Problem problem;
  Builder builder(rank);
  for (std::size_t axis = 0; axis < extent.size(); ++axis) {
    problem.extent[axis] = extent[axis];
    problem.lo[axis] = pick(5);
  }
  const auto add_field = [&](DType of, bool moves) {
    problem.fields.push_back(Field::make(of, extent, pick(9)));
    fill(problem.fields.back(), Numbers::Small, random);
    problem.bindings.push_back(Binding::identity(static_cast<int>(problem.fields.size()) - 1, rank));
    if (!moves) {
      problem.bindings.back().axis[static_cast<std::size_t>(rank - 1)] = -1;
      problem.bindings.back().step[static_cast<std::size_t>(rank - 1)] = 0;
    }
  };
  const auto axes = static_cast<std::int8_t>(rank);
  add_field(dtype, true);
  const int a = builder.add_array({dtype, Access::Read, Inner::Contiguous, axes});
  add_field(dtype, false);
  const int number = builder.add_array({dtype, Access::Read, Inner::Broadcast, axes});
  ValueId value = builder.load(number);
  if (in_place) {
    value = builder.binary(Op::Add, value, builder.binary(Op::Add, builder.load(a), builder.load(a)));
    problem.bindings.push_back(Binding::identity(0, rank));
    builder.store(builder.add_array({dtype, Access::Write, Inner::Contiguous, axes}), value);
  } else {
    for (int axis = 0; axis < rank; ++axis) {
      for (const int step : {-1, 1}) {
        Offset offset{};
        offset[static_cast<std::size_t>(axis)] = static_cast<std::int8_t>(step);
        value = builder.binary(Op::Add, value, builder.load(a, offset));
      }
      const ValueId place = builder.cast(builder.index(axis), dtype);
      value = builder.binary(Op::Add, value, builder.binary(Op::Add, builder.binary(Op::Add, place, place), place));
    }
    add_field(dtype, true);
    builder.store(builder.add_array({dtype, Access::Write, Inner::Contiguous, axes}), value);
    add_field(DType::Bool, true);
    builder.store(builder.add_array({DType::Bool, Access::Write, Inner::Contiguous, axes}),
                  builder.binary(Op::Greater, value, builder.load(a)));
  }
  problem.kernel = builder.finish();
  return problem;
}

TEST(EmitStrands, EachPointIsComputedOnce) {
  const char* given = std::getenv("PILUM_TEST_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : 20261130;
  std::cout << "PILUM_TEST_SEED=" << seed << "\n";
  std::mt19937_64 random(seed);
  const auto from = [&random](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  for (int i = 0; i < 15; ++i) {
    const DType dtype = i % 3 ? DType::Float64 : DType::Float32;
    const std::int64_t many = dtype == DType::Float64 ? 1536 : 3072;  // cells of a row that is walked beside others
    std::vector<std::int64_t> extent;
    if (i % 4 == 0) {
      extent = {from(4 * many - 3, 6 * many)};
    } else {
      extent = {from(1, 11), from(many - 2, 3 * many)};
      if (i % 4 == 3) extent.insert(extent.begin(), from(1, 3));
      if (i % 4 == 2) extent[0] = 1, extent[1] += 4 * many;
    }
    const Problem problem = make_problem(random, dtype, extent, i % 5 == 4);
    const std::vector<Field> wanted = run_interpreted(problem);
    for (const EmitOptions& options : {kInCaches, kStrands})
      ASSERT_EQ(difference(run_compiled(problem, options), wanted), "")
          << "case " << i << (options.streaming ? ", streaming\n" : "\n") << emit_host(problem.kernel, options);
    ASSERT_EQ(difference(run_quick(problem, kStrands), wanted), "") << "case " << i << ", quick";
  }
}

TEST(EmitPlanes, EachPointIsComputedOnce) {
  std::mt19937_64 random(20261202);
  const auto from = [&random](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  for (int i = 0; i < 16; ++i) {
    std::vector<std::int64_t> extent = {from(1, 11), from(1, 7), from(1, 100)};
    if (i % 4 == 3) extent.insert(extent.begin(), from(1, 3));
    const Problem problem = make_problem(random, i % 3 ? DType::Float64 : DType::Float32, extent, i % 5 == 4);
    ASSERT_TRUE(has_planes(problem.kernel));
    EXPECT_NE(emit_host(problem.kernel, kPlanes), emit_host(problem.kernel, kStreaming));
    const std::vector<Field> wanted = run_interpreted(problem);
    for (const EmitOptions& options : {kPlanes, EmitOptions{.walk = Walk::Planes}})
      ASSERT_EQ(difference(run_compiled(problem, options), wanted), "") << "case " << i << "\n"
                                                                        << emit_host(problem.kernel, options);
    ASSERT_EQ(difference(run_quick(problem, kPlanes), wanted), "") << "case " << i << ", quick";
  }
}

// Sums of rounded numbers along some axes, beside the greatest, and beside what is stored.
Problem make_fold(std::mt19937_64& random, const std::vector<std::int64_t>& extent, unsigned reduced_axes,
                  bool stores) {
  const int rank = static_cast<int>(extent.size());
  Problem problem;
  Builder builder(rank);
  std::copy(extent.begin(), extent.end(), problem.extent.begin());
  const std::vector<std::int64_t> kept = kept_extent(extent, reduced_axes);
  const auto axes = static_cast<std::int8_t>(rank), few = static_cast<std::int8_t>(kept.size());
  const bool moves = !(reduced_axes >> (rank - 1) & 1);
  problem.fields.push_back(Field::make(DType::Float64, extent, static_cast<std::int64_t>(random() % 9)));
  fill(problem.fields.back(), Numbers::Small, random);
  problem.bindings.push_back(Binding::identity(0, rank));
  const int a = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, axes});
  const ValueId value = builder.binary(Op::Divide, builder.load(a), builder.constant(Scalar::of(7.0)));
  if (stores) {
    problem.fields.push_back(Field::make(DType::Float64, extent, 3));
    problem.bindings.push_back(Binding::identity(1, rank));
    builder.store(builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, axes}), value);
  }
  for (const Fold fold : {Fold::Sum, Fold::Maximum}) {
    problem.bindings.push_back(Binding::folded(static_cast<int>(problem.fields.size()), rank, reduced_axes));
    problem.fields.push_back(Field::make(DType::Float64, kept, 1));
    const int target =
        builder.add_array({DType::Float64, Access::Reduce, moves ? Inner::Contiguous : Inner::Broadcast, few});
    builder.accumulate(target, value, fold, reduced_axes);
  }
  problem.kernel = builder.finish();
  return problem;
}

// Whatever a fold passes over, its order is that of rows.
TEST(EmitStrands, FoldsHaveTheBitsOfRowsOneAfterTheOther) {
  std::mt19937_64 random(20261130);
  int by_strands = 0;
  for (const std::vector<std::int64_t>& extent :
       std::vector<std::vector<std::int64_t>>{{9, 1700}, {4, 3073}, {1, 9000}, {3, 5, 1604}, {7, 1536}, {6, 100}}) {
    const unsigned all = (1U << extent.size()) - 1, last = 1U << (extent.size() - 1);
    for (const unsigned reduced : {last, all - last, 1U, all}) {
      for (const bool stores : {false, true}) {
        const Problem problem = make_fold(random, extent, reduced, stores);
        const std::vector<Field> wanted = run_compiled(problem, kPlain);
        EXPECT_EQ(difference(run_interpreted(problem), wanted, 0, 1e-12), "");
        for (const EmitOptions& options : {kInCaches, kStrands})
          EXPECT_EQ(difference(run_compiled(problem, options), wanted), "")
              << extent.size() << " axes, reduced " << reduced << "\n"
              << emit_host(problem.kernel, options);
        by_strands += emit_host(problem.kernel, kInCaches) != emit_host(problem.kernel, kPlain);
      }
    }
  }
  EXPECT_GE(by_strands, 30);
}

// Each call of several, taken by turns, has the bits that it has alone, whatever the others' extents are.
TEST(EmitStrands, CallsOfOneFoldHaveTheBitsOfEachAlone) {
  std::mt19937_64 random(20261201);
  const auto function_of = [](const Problem& problem, const EmitOptions& options) {
    return shared_jit("").get_host(problem.kernel, options)->function();
  };
  for (const std::vector<std::int64_t>& extent : std::vector<std::vector<std::int64_t>>{
           {70001}, {7}, {40, 1700}, {64, 129}, {13, 7}, {9, 5, 300}, {5, 1, 128}, {6, 3, 2, 127}}) {
    const int rank = static_cast<int>(extent.size());
    for (const bool stores : {false, true}) {
      const Problem problem = make_fold(random, extent, (1U << rank) - 1, stores);
      ASSERT_EQ(calls_together(problem.kernel), kMostCallsTogether);
      const KernelFunction alone = function_of(problem, kPlain);
      const std::size_t arrays = problem.bindings.size();
      for (const auto& [count, scalar] : std::initializer_list<std::pair<std::int64_t, bool>>{
               {1, false}, {2, false}, {3, false}, {4, false}, {1, true}, {4, true}}) {
        const EmitOptions options{.walk = Walk::Strands, .scalar = scalar};  // that of sanitizers
        const KernelFunction several = function_of(problem, options);
        std::vector<double> wanted(8, -1.0), found(8, -1.0);  // by call, the sum, then the greatest
        // The array in runs along the first axis, the last of them of what is left.
        const auto run = [&, count = count](const KernelCall& whole, std::vector<double>& results, bool together) {
          const std::int64_t length = std::max<std::int64_t>(whole.extent[0] / count, 1);
          std::vector<KernelCall> calls(static_cast<std::size_t>(count), whole);
          std::vector<std::vector<BoundArray>> bound;
          for (std::int64_t c = 0; c < count; ++c) {
            KernelCall& call = calls[static_cast<std::size_t>(c)];
            bound.emplace_back(whole.arrays, whole.arrays + arrays);
            for (BoundArray& array : bound.back()) array.base += c * length * array.stride[0];
            for (int fold = 0; fold < 2; ++fold)
              bound.back()[arrays - 2 + static_cast<std::size_t>(fold)].base =
                  reinterpret_cast<char*>(&results[static_cast<std::size_t>(2 * c + fold)]);
            call.arrays = bound.back().data();
            call.extent[0] = c + 1 < count ? length : whole.extent[0] - c * length;
          }
          calls[0].more = together ? count - 1 : 0;
          if (together) return several(calls.data());
          for (const KernelCall& call : calls) alone(&call);
        };
        const std::vector<Field> left = run_with(problem, [&](const KernelCall& call) { run(call, wanted, false); });
        const std::vector<Field> right = run_with(problem, [&](const KernelCall& call) { run(call, found, true); });
        EXPECT_EQ(difference(right, left), "") << count << " calls of " << rank << " axes";
        for (std::size_t i = 0; i < wanted.size(); ++i)
          EXPECT_EQ(std::bit_cast<std::uint64_t>(found[i]), std::bit_cast<std::uint64_t>(wanted[i]))
              << "result " << i << " of " << count << " calls of " << extent[0] << " rows\n"
              << emit_host(problem.kernel, options);
        EXPECT_NE(wanted[0], -1.0);
      }
    }
  }
}

}  // namespace
}  // namespace pilum::kernel::test
