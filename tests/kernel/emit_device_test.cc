// The text for GPUs, compiled for the host: folds of every cut and team, sweeps over arrays that lie across.
#include "runtime/kernel/device/emit_device.h"

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "runtime/base/dtype_visit.h"
#include "runtime/kernel/device/device_utilities.h"
#include "runtime/kernel/ir/builder.h"
#include "runtime/kernel/ir/op_facts.h"
#include "tests/kernel/device_run.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

// Sums x over the axes (bits) into an array of the kept ones; or into `parts` of a 1-D sum.
Problem summing(DType dtype, unsigned reduced, std::vector<std::int64_t> extent, std::int64_t shift = 0,
                std::int64_t parts = 1) {
  Problem problem;
  std::mt19937_64 random(reduced);
  const auto rank = static_cast<int>(extent.size());
  std::copy(extent.begin(), extent.end(), problem.extent.begin());
  Binding result{.field = 1};
  std::vector<std::int64_t> kept;
  for (std::size_t axis = 0; axis < extent.size(); ++axis) {
    if (reduced >> axis & 1) continue;
    result.axis[axis] = static_cast<int>(kept.size());
    result.step[axis] = 1;
    kept.push_back(extent[axis]);
  }
  if (kept.empty()) kept.push_back(parts);
  problem.fields = {Field::make(dtype, extent, shift), Field::make(dtype, kept, 3)};
  for (Field& field : problem.fields) fill(field, Numbers::Small, random);
  problem.bindings = {Binding::identity(0, rank), result};
  Builder builder(rank);
  const Inner inner = reduced >> (rank - 1) & 1 ? Inner::Broadcast : Inner::Contiguous;
  const int x = builder.add_array({dtype, Access::Read, Inner::Contiguous, static_cast<std::int8_t>(rank)});
  const int sums = builder.add_array({dtype, Access::Reduce, inner, static_cast<std::int8_t>(kept.size())});
  builder.accumulate(sums, builder.load(x), Fold::Sum, reduced);
  problem.kernel = builder.finish();
  return problem;
}

TEST(EmitDevice, SumsOverEverySetOfAxesAreTheInterpreters) {
  for (unsigned reduced = 1; reduced < 8; ++reduced) {
    for (const std::vector<std::int64_t>& extent :
         std::vector<std::vector<std::int64_t>>{{3, 4, 75}, {5, 70, 9}, {2, 3, 2500}}) {
      const Problem problem = summing(DType::Int64, reduced, extent);
      EXPECT_EQ(difference(run_on_device(problem), run_interpreted(problem)), "")
          << reduced << " of rows of " << extent[2];
    }
  }
}

TEST(EmitDevice, ASumOfNegativeZerosAloneIsZero) {
  for (unsigned reduced = 1; reduced < 8; ++reduced) {
    for (const std::vector<std::int64_t>& extent : std::vector<std::vector<std::int64_t>>{{1, 1, 1}, {3, 4, 75}}) {
      Problem problem = summing(DType::Float64, reduced, extent);
      const double negative = -0.0;
      for (std::size_t cell = 0; cell < problem.fields[0].cells(); ++cell)
        std::memcpy(problem.fields[0].bytes.data() + cell * sizeof negative, &negative, sizeof negative);
      std::vector<Field> result = run_on_device(problem);
      double sum;
      std::memcpy(&sum, result[1].cell({}), sizeof sum);
      EXPECT_EQ(sum, 0);
      EXPECT_FALSE(std::signbit(sum)) << reduced << " of rows of " << extent[2];
    }
  }
}

// Numbers whose quotients are known to be hard: significands of few and of nearly all ones. From one exponent to
// another.
double hard_number(std::mt19937_64& random, int lowest, int highest) {
  std::uint64_t significand = random() >> 12;
  switch (random() % 4) {
    case 0: significand >>= random() % 52; break;
    case 1: significand |= ~std::uint64_t{0} >> (12 + random() % 52); break;
    case 2: significand = (~std::uint64_t{0} >> 12) ^ (std::uint64_t{1} << random() % 52); break;
    default: break;
  }
  const std::uint64_t exponent = 1023 + lowest + random() % (highest - lowest + 1);
  return std::bit_cast<double>((random() & 1) << 63 | exponent << 52 | (significand & (~std::uint64_t{0} >> 12)));
}

const std::vector<double> kHardDivisors = {1.0,
                                           3.0,
                                           -0.1,
                                           0x1.fffffffffffffp0,
                                           -0x1.fffffffffffffp-200,
                                           0x1.0000000000001p0,
                                           0x1p-1022,
                                           0x1p1023,
                                           1e300,
                                           5e-324,
                                           0.0,
                                           -0.0,
                                           std::numeric_limits<double>::infinity(),
                                           std::numeric_limits<double>::quiet_NaN()};

void fill_with_hard_numbers(Field& field, std::int64_t count, std::mt19937_64& random) {
  fill(field, Numbers::Any, random);
  for (std::int64_t i = 0; i < count - 1000; ++i) {
    const double value = i % 8 == 0    ? hard_number(random, -1022, 1023)
                         : i % 8 == 1  ? hard_number(random, -703, 703)
                         : i % 64 == 2 ? (random() & 1 ? -0.0 : 0.0)
                                       : hard_number(random, -3, 3);
    std::memcpy(field.cell({i}), &value, sizeof value);
  }
}

// At the ends of the range that has its own way, and beyond it, too.
TEST(EmitDevice, QuotientsByAScalarAreRoundedAsDivisionIs) {
  constexpr std::int64_t kValues = 20'000;
  std::mt19937_64 random(20261122);
  Builder builder(1);
  const int x = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, 1});
  const int y = builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, 1});
  builder.store(y, builder.binary(Op::Divide, builder.load(x), builder.argument(builder.add_scalar(DType::Float64))));
  Problem problem;
  problem.kernel = builder.finish();
  problem.extent[0] = kValues;
  problem.fields = {Field::make(DType::Float64, {kValues}), Field::make(DType::Float64, {kValues})};
  problem.bindings = {Binding::identity(0, 1), Binding::identity(1, 1)};
  std::vector<double> divisors = kHardDivisors;
  for (int i = 0; i < 60; ++i) divisors.push_back(hard_number(random, -260, 260));
  for (const double divisor : divisors) {
    fill_with_hard_numbers(problem.fields[0], kValues, random);
    problem.scalars = {std::bit_cast<std::uint64_t>(divisor)};
    EXPECT_EQ(difference(run_on_device(problem), run_interpreted(problem)), "") << "by " << divisor;
  }
}

TEST(EmitDevice, QuotientsOfTwoArraysAreRoundedAsDivisionIs) {
  constexpr std::int64_t kValues = 400'000;
  std::mt19937_64 random(20261123);
  Builder builder(1);
  const int x = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, 1});
  const int by = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, 1});
  const int y = builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, 1});
  const int z = builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, 1});
  const auto divisor = builder.load(by);
  const auto quotient = builder.binary(Op::Divide, builder.load(x), divisor);
  builder.store(y, quotient);
  builder.store(z, builder.binary(Op::Divide, quotient, divisor));  // of the same reciprocal
  Problem problem;
  problem.kernel = builder.finish();
  problem.extent[0] = kValues;
  problem.fields.assign(4, Field::make(DType::Float64, {kValues}));
  for (int field = 0; field < 4; ++field) problem.bindings.push_back(Binding::identity(field, 1));
  fill_with_hard_numbers(problem.fields[0], kValues, random);
  fill_with_hard_numbers(problem.fields[1], kValues, random);
  for (std::size_t i = 0; i < 5000; ++i) {
    std::memcpy(problem.fields[1].cell({static_cast<std::int64_t>(i)}), &kHardDivisors[i % kHardDivisors.size()],
                sizeof(double));
  }
  EXPECT_EQ(difference(run_on_device(problem), run_interpreted(problem)), "");
}

TEST(EmitDevice, ARowsSumHasEveryPointWhateverItsLength) {
  for (const std::int64_t row : {1, 2, 7, 8, 9, 16, 31, 32, 33, 64, 255, 256, 257, 1000, 2047, 2048, 2049, 5000}) {
    const Problem problem = summing(DType::Int32, 0b10, {7, row});
    EXPECT_EQ(difference(run_on_device(problem), run_interpreted(problem)), "") << row;
  }
}

TEST(EmitDevice, ChunksOfKeptAxesAreAllFolded) {
  const Problem problem = summing(DType::Float64, 0b110, {10, 6, 40});
  EXPECT_EQ(difference(run_on_device(problem, {.chunk = {3, 6, 40}}), run_interpreted(problem)), "");
}

TEST(EmitDevice, ChunksOfALongSumLeaveTheirParts) {
  const Problem problem = summing(DType::Float64, 0b1, {4100}, /*shift=*/1, /*parts=*/5);
  std::vector<Field> result = run_on_device(problem, {.chunk = {1000}, .chunk_step = {0, 8}});
  std::vector<Field> fields = problem.fields;
  for (std::int64_t part = 0; part < 5; ++part) {
    double wanted = 0, found = 0;
    for (std::int64_t i = part * 1000; i < std::min<std::int64_t>(4100, (part + 1) * 1000); ++i) {
      wanted += *reinterpret_cast<const double*>(fields[0].cell({i}));
    }
    std::memcpy(&found, result[1].cell({part}), sizeof found);
    EXPECT_EQ(found, wanted) << part;
  }
}

// y = cells beside x's, written; and the sum of x * y: threads go down columns.
Problem summing_beside(const std::vector<std::int64_t>& extent, std::int64_t parts, int rows_axis) {
  Problem problem;
  const auto rank = static_cast<int>(extent.size());
  std::mt19937_64 random(static_cast<std::uint64_t>(rank));
  std::copy(extent.begin(), extent.end(), problem.extent.begin());
  problem.fields = {Field::make(DType::Int64, extent), Field::make(DType::Int64, extent),
                    Field::make(DType::Int64, {parts})};
  for (Field& field : problem.fields) fill(field, Numbers::Small, random);
  problem.bindings = {Binding::identity(0, rank), Binding::identity(1, rank), {.field = 2}};
  Builder builder(rank);
  const auto axes = static_cast<std::int8_t>(rank), row = static_cast<std::int8_t>(rows_axis);
  const int x = builder.add_array({DType::Int64, Access::Read, Inner::Contiguous, axes, row});
  const int y = builder.add_array({DType::Int64, Access::Write, Inner::Contiguous, axes, row});
  const int sum = builder.add_array({DType::Int64, Access::Reduce, Inner::Broadcast, 1});
  Offset above{}, beside{};
  above[static_cast<std::size_t>(rank - 2)] = -1;
  beside[0] = 1;
  beside[static_cast<std::size_t>(rank - 1)] = 1;
  const ValueId cells = builder.binary(Op::Subtract, builder.load(x, above), builder.load(x, beside));
  builder.store(y, cells);
  builder.accumulate(sum, builder.binary(Op::Multiply, cells, builder.load(x)), Fold::Sum, (1U << rank) - 1);
  problem.kernel = builder.finish();
  return problem;
}

TEST(EmitDevice, SumsOfCellsAndThoseOfOtherRowsHaveEveryPoint) {
  for (const std::vector<std::int64_t>& extent :
       std::vector<std::vector<std::int64_t>>{{37, 150}, {1, 40}, {8, 3}, {9, 2500}, {3, 19, 70}, {2, 3, 17, 30}}) {
    for (const int rows_axis : {static_cast<int>(extent.size()) - 2, -1}) {
      const Problem problem = summing_beside(extent, 1, rows_axis);
      EXPECT_GT(columns_in_flight(problem.kernel), 0);
      EXPECT_EQ(difference(run_on_device(problem), run_interpreted(problem)), "")
          << extent.size() << " axes, rows of " << extent.back();
    }
  }
}

TEST(EmitDevice, BoxesOfSuchASumLeaveTheirParts) {
  for (const auto& [extent, chunk, parts] :
       std::vector<std::tuple<std::vector<std::int64_t>, std::vector<std::int64_t>, std::int64_t>>{
           {{37, 150}, {16, 64}, 9}, {{5, 20, 70}, {2, 8, 64}, 18}}) {
    const Problem problem = summing_beside(extent, parts, static_cast<int>(extent.size()) - 2);
    std::vector<Field> found = run_on_device(problem, {.chunk = chunk, .chunk_step = {0, 0, 8}});
    std::vector<Field> wanted = run_interpreted(problem);
    EXPECT_EQ(difference({found[1]}, {wanted[1]}), "") << "what is written";
    std::int64_t sum = 0, all = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      std::int64_t cell = 0;
      std::memcpy(&cell, found[2].cell({part}), sizeof cell);
      sum += cell;
    }
    std::memcpy(&all, wanted[2].cell({0}), sizeof all);
    EXPECT_EQ(sum, all);
  }
}

TEST(EmitDevice, AFoldsOrderDoesNotFollowItsAddress) {
  std::vector<std::vector<char>> sums;
  for (const std::int64_t shift : {0, 1, 3}) {
    Problem problem = summing(DType::Float32, 0b10, {3, 700});
    problem.fields[0].shift = shift;
    for (std::size_t cell = 0; cell < problem.fields[0].cells(); ++cell) {
      const float value = 1.0f / static_cast<float>(cell + 1);
      std::memcpy(problem.fields[0].bytes.data() + cell * sizeof value, &value, sizeof value);
    }
    sums.push_back(run_on_device(problem)[1].bytes);
  }
  EXPECT_EQ(sums[1], sums[0]);
  EXPECT_EQ(sums[2], sums[0]);
}

TEST(EmitDevice, PartsAreAllFoldedHoweverMany) {
  const auto gpu = fakes::make_emulated_gpu({});
  for (const std::int64_t parts : {1, 3, 1000, 5000}) {
    constexpr std::int64_t kCells = 3, kPitch = sizeof(double);
    std::vector<double> from(static_cast<std::size_t>(parts * kCells)), to(kCells), wanted(kCells);
    for (std::size_t i = 0; i < from.size(); ++i) wanted[i % kCells] += from[i] = static_cast<double>(i * i % 17);
    const DeviceUtility fold =
        make_part_fold(Fold::Sum, DType::Float64, /*keep=*/false, 1, &kCells, from.data(), parts, {to.data(), &kPitch});
    gpu->launch(device::Stream::Compute, {image_of(*fold.text), fold.shape.grid, fold.shape.block, fold.words});
    gpu->finish();
    EXPECT_EQ(to, wanted) << parts;
  }
}

// A box of a large array is filled with every fourth number of a row that repeats; of few cells and of more than 32
// bits count.
TEST(EmitDevice, CellsOfAReshapedBoxAreThoseOfTheirNumbers) {
  const auto gpu = fakes::make_emulated_gpu({});
  for (const std::int64_t rows : {std::int64_t{1} << 9, std::int64_t{1} << 21}) {
    constexpr std::int64_t kColumns = 3001, kCells = 5, kBox[] = {4, 70};
    const std::int64_t to_extent[] = {rows, kColumns}, lo[] = {rows - 9, 11}, hi[] = {rows - 5, 81};
    const std::int64_t from_extent[] = {(rows * kColumns + kCells - 1) / kCells, 1, kCells};
    const std::int64_t to_pitch[] = {8 * kBox[1], 8}, from_pitch[] = {0, 8, 16};
    const std::vector<double> from{0, -1, 1, -1, 2, -1, 3, -1, 4};
    std::vector<double> to(kBox[0] * kBox[1]), wanted;
    for (std::int64_t i = lo[0]; i < hi[0]; ++i) {
      for (std::int64_t j = lo[1]; j < hi[1]; ++j) wanted.push_back(static_cast<double>((i * kColumns + j) % kCells));
    }
    char* const first = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(to.data()) -
                                                static_cast<std::uintptr_t>(lo[0] * to_pitch[0] + lo[1] * to_pitch[1]));
    const DeviceUtility reshape =
        make_reshape(8, 2, to_extent, lo, hi, {first, to_pitch}, 3, from_extent, {from.data(), from_pitch});
    gpu->launch(device::Stream::Compute,
                {image_of(*reshape.text), reshape.shape.grid, reshape.shape.block, reshape.words});
    gpu->finish();
    EXPECT_EQ(to, wanted) << rows;
  }
}

// y = x.T * 2 + its row's number, the two last axes changed over.
Problem transposing(DType dtype, std::vector<std::int64_t> extent) {
  const std::size_t rank = extent.size();
  Problem problem;
  std::mt19937_64 random(5);
  std::copy(extent.begin(), extent.end(), problem.extent.begin());
  std::vector<std::int64_t> across = extent;
  std::swap(across[rank - 1], across[rank - 2]);
  problem.fields = {Field::make(dtype, across, 1), Field::make(dtype, extent)};
  for (Field& field : problem.fields) fill(field, Numbers::Small, random);
  Binding changed_over = Binding::identity(0, static_cast<int>(rank));
  std::swap(changed_over.axis[rank - 1], changed_over.axis[rank - 2]);
  problem.bindings = {changed_over, Binding::identity(1, static_cast<int>(rank))};
  Builder builder(static_cast<int>(rank));
  const auto store_rank = static_cast<std::int8_t>(rank), last = static_cast<std::int8_t>(rank - 1);
  const int x = builder.add_array({dtype, Access::Read, Inner::Strided, store_rank, last});
  const int y =
      builder.add_array({dtype, Access::Write, Inner::Contiguous, store_rank, static_cast<std::int8_t>(rank - 2)});
  const ValueId twice = builder.binary(Op::Add, builder.load(x), builder.load(x));
  builder.store(y, builder.binary(Op::Add, twice, builder.cast(builder.index(static_cast<int>(rank) - 2), dtype)));
  problem.kernel = builder.finish();
  return problem;
}

TEST(EmitDevice, ArraysThatLieAcrossAreReadInTiles) {
  for (const std::vector<std::int64_t>& extent :
       std::vector<std::vector<std::int64_t>>{{32, 32}, {16, 100}, {70, 33}, {65, 140}, {3, 40, 65}, {2, 3, 33, 31}}) {
    for (const DType dtype : {DType::Int32, DType::Float64}) {
      const Problem problem = transposing(dtype, extent);
      EXPECT_EQ(difference(run_on_device(problem), run_interpreted(problem)), "")
          << extent[extent.size() - 2] << " rows";
    }
  }
  const Problem problem = transposing(DType::Float64, {40, 40});
  const DeviceOptions options =
      choose_device_options(problem.kernel, std::vector<BoundArray>(2), std::vector<std::int64_t>{40, 40}, false);
  EXPECT_TRUE(options.tiled);
  EXPECT_NE(emit_device(problem.kernel, options).find("__shared__"), std::string::npos);
}

TEST(EmitDevice, ThinArraysThatLieAcrossAreNotWorthATile) {
  const Problem problem = transposing(DType::Int32, {4, 300});
  EXPECT_FALSE(
      choose_device_options(problem.kernel, std::vector<BoundArray>(2), std::vector<std::int64_t>{4, 300}, false)
          .tiled);
  EXPECT_EQ(difference(run_on_device(problem), run_interpreted(problem)), "");
}

TEST(EmitDevice, BitsAndRemaindersAreTheInterpreters) {
  for (const DType dtype : kDTypes) {
    Problem problem;
    std::mt19937_64 random(7);
    problem.extent = {37, 150};
    Builder builder(2);
    const auto add = [&](Access access) {
      problem.bindings.push_back(Binding::identity(static_cast<int>(problem.fields.size()), 2));
      problem.fields.push_back(Field::make(dtype, {37, 150}));
      fill(problem.fields.back(), Numbers::Any, random);
      return builder.add_array({dtype, access, Inner::Contiguous, 2, 0});
    };
    const ValueId a = builder.load(add(Access::Read)), b = builder.load(add(Access::Read));
    for (const Op op : {Op::Remainder, Op::And, Op::Or, Op::Xor, Op::Not}) {
      if (!accepts(op, dtype)) continue;
      builder.store(add(Access::Write), arity(op) == 1 ? builder.unary(op, a) : builder.binary(op, a, b));
    }
    problem.kernel = builder.finish();
    EXPECT_EQ(difference(run_on_device(problem), run_interpreted(problem)), "") << name(dtype);
  }
}

TEST(EmitDevice, ASweepsValuesDoNotFollowItsBlocks) {
  Problem problem;
  std::mt19937_64 random(3);
  problem.extent = {37, 150};
  problem.fields = {Field::make(DType::Float64, {37, 150}), Field::make(DType::Float64, {37, 150})};
  for (Field& field : problem.fields) fill(field, Numbers::Any, random);
  problem.bindings = {Binding::identity(0, 2), Binding::identity(1, 2)};
  Builder builder(2);
  const int x = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, 2, 0});
  const int y = builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, 2, 0});
  const ValueId sum = builder.binary(Op::Add, builder.load(x, {-1, 0}), builder.load(x, {0, 1}));
  builder.store(y, builder.binary(Op::Multiply, sum, builder.load(x)));
  problem.kernel = builder.finish();
  const std::vector<Field> wanted = run_on_device(problem);
  for (const int threads : {64, 128, 512})
    EXPECT_EQ(difference(run_on_device(problem, {.threads = threads}), wanted), "") << threads;
}

// A block that reads across planes takes several of them in turn, where there are enough; the last one fewer.
TEST(EmitDevice, EveryPlaneIsTakenOnceHoweverManyABlockTakes) {
  for (const std::vector<std::int64_t>& extent :
       std::vector<std::vector<std::int64_t>>{{3, 4, 5}, {4999, 3, 5}, {9001, 2, 6}, {90, 101, 2, 3}}) {
    const auto rank = static_cast<int>(extent.size());
    Problem problem;
    std::mt19937_64 random(7);
    std::copy(extent.begin(), extent.end(), problem.extent.begin());
    problem.fields = {Field::make(DType::Float64, extent), Field::make(DType::Float64, extent)};
    for (Field& field : problem.fields) fill(field, Numbers::Any, random);
    problem.bindings = {Binding::identity(0, rank), Binding::identity(1, rank)};
    Builder builder(rank);
    const auto stores = static_cast<std::int8_t>(rank), row = static_cast<std::int8_t>(rank - 2);
    const int x = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, stores, row});
    const int y = builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, stores, row});
    Offset below{}, above{}, aside{};
    below[static_cast<std::size_t>(rank - 3)] = -1;
    above[static_cast<std::size_t>(rank - 3)] = 2;
    aside[static_cast<std::size_t>(rank - 2)] = 1;
    aside[static_cast<std::size_t>(rank - 1)] = -1;
    const ValueId sum = builder.binary(Op::Subtract, builder.load(x, below), builder.load(x, above));
    builder.store(y, builder.binary(Op::Multiply, sum, builder.load(x, aside)));
    problem.kernel = builder.finish();
    EXPECT_EQ(difference(run_on_device(problem), run_interpreted(problem)), "") << extent[0] << " planes";
  }
}

// y = x(row - 1) * weight(row) + the row's and column's numbers
Problem weighing_rows(DType dtype, const std::vector<std::int64_t>& extent) {
  Problem problem;
  std::mt19937_64 random(5);
  const auto rank = extent.size();
  std::copy(extent.begin(), extent.end(), problem.extent.begin());
  std::vector<std::int64_t> column = extent;
  column.back() = 1;
  problem.fields = {Field::make(dtype, extent, 1), Field::make(dtype, column), Field::make(dtype, extent)};
  for (Field& field : problem.fields) fill(field, Numbers::Small, random);
  Binding weights = Binding::identity(1, static_cast<int>(rank));
  weights.axis[rank - 1] = -1;
  weights.step[rank - 1] = 0;
  problem.bindings = {Binding::identity(0, static_cast<int>(rank)), weights,
                      Binding::identity(2, static_cast<int>(rank))};
  problem.lo[rank - 2] = 7;
  Builder builder(static_cast<int>(rank));
  const auto stores = static_cast<std::int8_t>(rank), row = static_cast<std::int8_t>(rank - 2);
  const int x = builder.add_array({dtype, Access::Read, Inner::Contiguous, stores, row});
  const int weight = builder.add_array({dtype, Access::Read, Inner::Broadcast, stores, row});
  const int y = builder.add_array({dtype, Access::Write, Inner::Contiguous, stores, row});
  Offset above{};
  above[rank - 2] = -1;
  const ValueId product = builder.binary(Op::Multiply, builder.load(x, above), builder.load(weight));
  const ValueId place =
      builder.binary(Op::Add, builder.index(static_cast<int>(rank) - 2), builder.index(static_cast<int>(rank) - 1));
  builder.store(y, builder.binary(Op::Add, product, builder.cast(place, dtype)));
  problem.kernel = builder.finish();
  return problem;
}

DeviceOptions options_for(const Problem& problem, const std::vector<std::int64_t>& extent) {
  return choose_device_options(problem.kernel, std::vector<BoundArray>(problem.bindings.size()), extent, false);
}

TEST(EmitDevice, ShortRowsArePackedIntoBlocks) {
  for (const std::vector<std::int64_t>& extent : std::vector<std::vector<std::int64_t>>{
           {32, 3}, {1000, 3}, {4001, 5}, {86, 7}, {333, 31}, {3, 70, 3}, {2, 3, 40, 9}}) {
    for (const DType dtype : {DType::Float64, DType::Float32, DType::Int16}) {
      const Problem problem = weighing_rows(dtype, extent);
      EXPECT_EQ(options_for(problem, extent).packed, extent.back());
      for (const int threads : {64, 256, 512})
        EXPECT_EQ(difference(run_on_device(problem, {.threads = threads}), run_interpreted(problem)), "")
            << extent[extent.size() - 2] << " rows of " << extent.back() << " by " << threads;
    }
  }
}

TEST(EmitDevice, RowsOfWholeVectorsAreNotPacked) {
  for (const std::int64_t row : {2, 4, 8, 16}) {
    const std::vector<std::int64_t> extent{1000, row};
    const Problem problem = weighing_rows(DType::Float64, extent);
    EXPECT_EQ(options_for(problem, extent).packed, 0);
    EXPECT_EQ(difference(run_on_device(problem), run_interpreted(problem)), "") << row;
  }
  EXPECT_EQ(options_for(weighing_rows(DType::Float64, {31, 3}), {31, 3}).packed, 0) << "few rows";
  EXPECT_EQ(options_for(weighing_rows(DType::Float64, {1000, 33}), {1000, 33}).packed, 0) << "long ones";
}

}  // namespace
}  // namespace pilum::kernel::test
