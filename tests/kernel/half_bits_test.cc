// Float16 as kernels widen and round it, at every half and beside every point where rounding changes: pilum::half's
// bits (tests/base/half_test.cc holds that to IEEE's definition), in vectors, remainders, numbers, in the baseline
// tier, from another compiler and on GPUs.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "pilum/half.h"
#include "runtime/kernel/ir/builder.h"
#include "tests/kernel/device_run.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

template <class T>
Field field_of(const std::vector<T>& cells) {
  Field field = Field::make(dtype_of<T>, {static_cast<std::int64_t>(cells.size())}, /*shift=*/1, /*margin=*/0);
  std::memcpy(field.cell({0}), cells.data(), cells.size() * sizeof(T));
  return field;
}

// Cells of one array, and what `make` gives of them, as that dtype.
Problem computing(Field cells, DType result, const std::function<ValueId(Builder&, ValueId)>& make) {
  Problem problem;
  const std::int64_t count = cells.extent[0];
  problem.extent = {count};
  Builder builder(1);
  const int in = builder.add_array({cells.dtype, Access::Read, Inner::Contiguous, 1});
  const int out = builder.add_array({result, Access::Write, Inner::Contiguous, 1});
  builder.store(out, make(builder, builder.load(in)));
  problem.kernel = builder.finish();
  problem.fields = {std::move(cells), Field::make(result, {count}, /*shift=*/3, /*margin=*/0)};
  problem.bindings = {Binding::identity(0, 1), Binding::identity(1, 1)};
  return problem;
}

template <class T>
void expect_cells(const Problem& problem, const std::vector<T>& wanted) {
  const std::vector<Field> expected = {problem.fields[0], field_of(wanted)};
  const auto check = [&](std::vector<Field> found, const char* form) {
    std::vector<T> cells(wanted.size());
    std::memcpy(cells.data(), found[1].cell({0}), cells.size() * sizeof(T));
    EXPECT_EQ(difference({field_of(cells)}, {field_of(wanted)}), "") << form;
  };
  check(run_compiled(problem, kPlain), "vectors");
  check(run_compiled(problem, kScalar), "numbers");
  check(run_compiled(problem, kPadded), "padded");
  check(run_compiled(problem, kStreaming), "streaming");
  check(run_quick(problem, kStreaming), "baseline");
  check(run_compiled(problem, kPlain, "c++"), "the system's compiler");
  check(run_on_device(problem), "on GPUs");
}

std::vector<half> all_halves() {
  std::vector<half> halves;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    halves.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
  return halves;
}

// Every half, the middle to the next one, and the numbers of T beside both; some of no half's size.
template <class T>
std::vector<T> boundaries() {
  std::vector<T> points;
  const T far = std::numeric_limits<T>::infinity();
  for (const half one : all_halves()) {
    if (std::isnan(one)) continue;
    const auto value = static_cast<T>(one);
    const half next = half::from_bits(static_cast<std::uint16_t>(one.bits() + 1));
    const T above = std::isinf(next) ? std::copysign(T{65536}, value) : static_cast<T>(next);
    const T middle = (value + above) / 2;
    for (const T point : {value, middle}) {
      for (const T beside : {point, std::nextafter(point, far), std::nextafter(point, -far)}) points.push_back(beside);
    }
  }
  using Limits = std::numeric_limits<T>;
  for (const T point : {Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(), Limits::quiet_NaN(),
                        T(1e6), T(-131072), T(1e-9)})
    points.push_back(point);
  return points;
}

template <class To, class From>
std::vector<To> each_as(const std::vector<From>& cells) {
  std::vector<To> result;
  for (const From cell : cells) result.push_back(static_cast<To>(cell));
  return result;
}

template <class T>
class HalvesOf : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(HalvesOf, Floats);

TYPED_TEST(HalvesOf, AllAreWidened) {
  const DType to = dtype_of<TypeParam>;
  const std::vector<half> halves = all_halves();
  const auto cast = [&](Builder& builder, ValueId a) { return builder.cast(a, to); };
  expect_cells(computing(field_of(halves), to, cast), each_as<TypeParam>(halves));
}

TYPED_TEST(HalvesOf, NumbersBesideAllBoundariesAreRoundedOnce) {
  const std::vector<TypeParam> points = boundaries<TypeParam>();
  const auto cast = [](Builder& builder, ValueId a) { return builder.cast(a, DType::Float16); };
  expect_cells(computing(field_of(points), DType::Float16, cast), each_as<half>(points));
}

// As a result is that another operation takes.
TYPED_TEST(HalvesOf, NumbersThatStayFloatsAreRoundedAlike) {
  const std::vector<TypeParam> points = boundaries<TypeParam>();
  const auto round = [](Builder& builder, ValueId a) { return builder.unary(Op::RoundHalf, a); };
  expect_cells(computing(field_of(points), dtype_of<TypeParam>, round), each_as<TypeParam>(each_as<half>(points)));
}

TEST(HalfBits, CopiesAreOfTheBits) {
  const std::vector<half> halves = all_halves();
  Problem problem = computing(field_of(halves), DType::Float16, [](Builder&, ValueId a) { return a; });
  for (std::vector<Field> found : {run_compiled(problem, kPlain), run_on_device(problem)})
    EXPECT_EQ(std::memcmp(found[1].cell({0}), halves.data(), halves.size() * sizeof(half)), 0);
}

// Each operation rounds: 2048 + 1 is 2048, and so is that + 1.
TEST(HalfBits, FusedOperationsRoundEachTime) {
  const std::vector<half> halves = all_halves();
  const auto twice_plus_one = [](Builder& builder, ValueId a) {
    const ValueId one = builder.constant(Scalar::of(half(1)));
    const ValueId more = builder.binary(Op::Add, builder.binary(Op::Add, a, one), one);
    return builder.binary(Op::Divide, builder.unary(Op::Sqrt, more), builder.constant(Scalar::of(half(3))));
  };
  std::vector<half> wanted;
  for (const half a : halves) {
    const half more = half(half(a + 1) + 1), root = half(std::sqrt(static_cast<float>(more)));
    wanted.push_back(half(root / 3));
  }
  expect_cells(computing(field_of(halves), DType::Float16, twice_plus_one), wanted);
}

TEST(HalfBits, NeighboursAreThoseOfTheBits) {
  std::vector<half> halves;
  for (const half a : all_halves()) {
    if (!std::isnan(a)) halves.push_back(a);
  }
  for (const double towards :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0.0}) {
    const auto next = [&](Builder& builder, ValueId a) {
      return builder.binary(Op::Nextafter, a, builder.constant(Scalar::of(half(towards))));
    };
    std::vector<half> wanted;
    for (const half a : halves) {
      const int grows = towards == 0 ? -1 : std::signbit(a) == std::signbit(towards) ? 1 : -1;
      const bool from_zero = a == 0.0f && towards != 0;
      const std::uint32_t tiny = std::signbit(towards) ? 0x8001u : 1u;
      const bool stays = static_cast<double>(a) == towards;
      const std::uint32_t bits = stays ? a.bits() : from_zero ? tiny : static_cast<std::uint32_t>(a.bits() + grows);
      wanted.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
    }
    expect_cells(computing(field_of(halves), DType::Float16, next), wanted);
  }
}

}  // namespace
}  // namespace pilum::kernel::test
