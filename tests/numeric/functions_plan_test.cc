// What plans of draws, functions of the user's own and stencils are made of: nothing but results is in memory.
#include <functional>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/plans.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using scheduler::Allocate, scheduler::Launch, scheduler::Plan, scheduler::ReplayedPlan, scheduler::Send;

std::size_t bytes_of(const Plan& plan) {
  std::size_t bytes = 0;
  for (const Allocate* allocate : plan.all<Allocate>()) bytes += allocate->bytes;
  return bytes;
}

class FunctionPlans : public testing::Test {
 protected:
  fakes::PlanningSession planning{{.ranks = 1, .split_bytes = 1 << 30}, 0};
};

TEST_F(FunctionPlans, ADrawThatIsUsedAtOnceIsOneKernelAndNotStored) {
  auto rng = np::random::default_rng(1);
  auto sum = np::zeros({40, 50});
  (void)planning.take_plan();
  const auto expect_one = [&] {
    const Plan plan = planning.take_plan();
    EXPECT_EQ(plan.count<Launch>(), 1u);
    EXPECT_EQ(bytes_of(plan), 0u);
  };
  sum += rng.normal(0.0, 1.0, {40, 50}) * rng.random({40, 50});
  expect_one();
  auto cube = np::zeros({2, 3, 4, 5, 8});
  (void)planning.take_plan();
  cube += rng.standard_normal({2, 3, 4, 5, 8});
  expect_one();
}

// A core's vectors are longer than such rows.
TEST_F(FunctionPlans, ShortRowsAreDrawnAsALine) {
  auto rng = np::random::default_rng(1);
  auto sum = np::zeros({400, 3});
  (void)planning.take_plan();
  sum += rng.standard_normal({400, 3});
  const Plan plan = planning.take_plan();
  EXPECT_EQ(plan.count<Launch>(), 2u);
  EXPECT_EQ(bytes_of(plan), 2 * 1200 * sizeof(double));  // the line, and its cells in rows
}

// The draw's number is a scalar, no part of a plan's key, nor of a kernel.
TEST_F(FunctionPlans, ALoopOfDrawsMakesOnePlan) {
  fakes::run_on_simulated_ranks({.ranks = 1}, [](scheduler::Session& session) {
    auto rng = np::random::default_rng(1);
    auto sum = np::zeros(1000);
    const auto draw = [&] {
      sum += rng.normal(0.0, 1.0, 1000);
      session.wait();
    };
    for (int step = 0; step < 3; ++step) draw();
    const long hits = session.plan_cache().hits, misses = session.plan_cache().misses;
    for (int step = 0; step < 5; ++step) draw();
    EXPECT_EQ(session.plan_cache().hits, hits + 5);
    EXPECT_EQ(session.plan_cache().misses, misses);
  });
}

TEST_F(FunctionPlans, VectorizedFunctionsAndReductionsAreOneKernel) {
  const auto f = np::vectorize([](auto x, auto y) { return np::where(x > y, x * y, x + y); });
  const auto distance = np::reduction([](auto x, auto y) { return np::square(x - y); }, std::plus<>());
  auto a = np::ones({100, 200}), b = np::ones(200), out = np::zeros({100, 200});
  (void)planning.take_plan();
  out[np::all] = f(a, b);
  const Plan first = planning.take_plan();
  EXPECT_EQ(first.count<Launch>(), 1u);
  EXPECT_EQ(bytes_of(first), 0u);
  const np::Array sums = distance.over(1)(a, b);
  const Plan second = planning.take_plan();
  EXPECT_EQ(second.count<Launch>(), 1u);
  EXPECT_LE(bytes_of(second), 1024u);  // 100 sums
}

TEST_F(FunctionPlans, AStencilIsOneKernelThatWritesTheResultAlone) {
  auto a = np::ones({100, 200});
  const np::Array weights = np::ones({3, 3});
  (void)planning.take_plan();
  const auto expect_one = [&] {
    const Plan plan = planning.take_plan();
    EXPECT_EQ(plan.count<Launch>(), 1u);
    EXPECT_LE(bytes_of(plan), 8u * 98 * 200 + 64);
  };
  const np::Array laplacian = np::stencil(a, {{0, 1, 0}, {1, -4, 1}, {0, 1, 0}});
  expect_one();
  const np::Array sums = np::stencil(a, weights);
  expect_one();
}

// As its memory lies, however the product names it.
TEST_F(FunctionPlans, AMatrixOfAProductWithAVectorIsReadAlongItsRows) {
  const auto a = np::ones({4000, 32}), rows = np::ones(4000), columns = np::ones(32);
  (void)planning.take_plan();
  const auto expect_rows = [&](const char* what) {
    const Plan plan = planning.take_plan();
    ASSERT_EQ(plan.count<Launch>(), 1u) << what;
    EXPECT_EQ(plan.all<Launch>()[0]->points, Rect::of({4000, 32})) << what;
  };
  const np::Array first = np::matmul(a, columns);
  expect_rows("a x");
  const np::Array second = np::matmul(rows, a);
  expect_rows("x a");
  const np::Array third = np::matmul(a.T(), rows);
  expect_rows("a.T x");
  const np::Array fourth = np::vecmat(columns, a.T());
  expect_rows("x a.T");
}

// All sum over their parts of k, and exchange 8 by 8 sums.
TEST(ProductPlans, LongThinMatricesAreMultipliedWhereTheyLie) {
  for (fakes::SimulatedRanks machine : {fakes::SimulatedRanks{.ranks = 2}, fakes::SimulatedRanks{.ranks = 4},
                                        fakes::SimulatedRanks{.processors_per_rank = 2, .gpus = true}}) {
    machine.split_bytes = 256 << 10;
    fakes::PlanningSession planning{machine, 0};
    const auto a = np::ones({100'000, 8}), b = np::ones({100'000, 8});
    (void)planning.take_plan();
    const auto expect_sums = [&](const char* what) {
      const Plan plan = planning.take_plan();
      EXPECT_LE(plan.count<Launch>(), 12u) << what;
      std::int64_t bytes = machine.gpus ? scheduler::copied_bytes(plan) : 0;
      for (const Send* send : plan.all<Send>()) bytes += static_cast<std::int64_t>(send->bytes);
      EXPECT_LE(bytes, 3 * 8 * 8 * 8) << what << (machine.gpus ? ", two GPUs" : "") << ", ranks " << machine.ranks;
    };
    const np::Array product = np::matmul(a.T(), b);
    expect_sums("a.T b");
    const np::Array turned = np::matmul((a.T() + 1), a);
    expect_sums("(a.T + 1) a");
    const np::Array covariance = np::cov(a, false);
    expect_sums("cov");
  }
}

// Of matrices of one row each, many: their results are cut as they are, and not along the few columns.
TEST(ProductPlans, ManyMatricesOfFewRowsAreMultipliedWhereTheyLie) {
  fakes::SimulatedRanks machine{.ranks = 2};
  for (const bool gpus : {false, true}) {
    if (gpus) machine = {.ranks = 1, .processors_per_rank = 2, .gpus = true};
    fakes::PlanningSession planning{machine, 0};
    const auto a = np::ones({100, 30, 1, 40}), b = np::ones({40, 40});
    (void)planning.take_plan();
    const np::Array product = np::matmul(a, b);
    const Plan plan = planning.take_plan();
    std::int64_t bytes = scheduler::copied_bytes(plan);
    for (const Send* send : plan.all<Send>()) bytes += static_cast<std::int64_t>(send->bytes);
    EXPECT_LE(bytes, 3 * 8 * 40 * 40) << (gpus ? "two GPUs" : "two ranks") << ": b, and nothing of a";
  }
}

TEST(ProductPlans, RowsOfManyMatricesThatFollowEachOtherAreNotCopied) {
  fakes::PlanningSession planning{{.ranks = 1}, 0};
  const auto a = np::ones({100, 30, 40}), b = np::ones({40, 40});
  (void)planning.take_plan();
  const np::Array product = np::matmul(a.reshape({100, 30, 1, 40}), b);
  EXPECT_LE(bytes_of(planning.take_plan()), 8u * 100 * 30 * 40 + 4096) << "the result alone";
}

TEST_F(FunctionPlans, AConvolutionKeepsNothingButItsEndsBesideTheResult) {
  auto a = np::ones({300, 400});
  (void)planning.take_plan();
  const np::Array result = np::convolve2d(a, {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}}, "same", "symm");
  const Plan plan = planning.take_plan();
  EXPECT_LE(bytes_of(plan), 8u * 300 * 400 + 8 * 20 * 400) << "the result, and a few rows and columns";
}

}  // namespace
}  // namespace pilum
