// Bodies for GPUs that are wrong: indices outside, texts that do not compile or do not fit. On emulated GPUs or real
// ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/numeric/gpu_places.h"
#include "tests/numeric/on_host.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using test::error_on_gpus;
using test::on_gpus;
using test::on_host;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using Cells = std::vector<double>;
using In = Read<double, 1>;
using Out = Write<double, 1>;

#if PILUM_CHECK_BOUNDS
constexpr const char* kReach =
    "void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out, long by) { out(x) = in(x + "
    "by); }";

TEST(GpuTask, AnIndexOutsideEndsTheRunWithTaskArgumentAndIndex) {
  if (test::on_real_gpus()) GTEST_SKIP() << "ends the runtime";
  for (const int ranks : {1, 2}) {
    const std::string text = error_on_gpus(
        [] {
          auto a = np::zeros({8}), b = np::zeros({8});
          task("reach", on_host<In, Out, std::int64_t>, gpu_body(kReach))({8}, read(a, halo(0, 1)), write(b), 2);
        },
        {.ranks = ranks});
    EXPECT_THAT(
        text,
        AllOf(HasSubstr("[reach] argument 1 was asked for the cell ("), HasSubstr("), and this piece may touch ["),
              HasSubstr("]: stay inside lo(axis) and hi(axis), or pass it with a wider projection. Recorded at "),
              HasSubstr("gpu_task_errors_test.cc:")));
  }
}

TEST(GpuTask, AnIndexOutsideIsReportedOfALoopThatIsReplayed) {
  if (test::on_real_gpus()) GTEST_SKIP() << "ends the runtime";
  const std::string text = error_on_gpus(
      [] {
        auto a = np::zeros({8}), b = np::zeros({8});
        const auto reach = task("reach", on_host<In, Out, std::int64_t>, gpu_body(kReach));
        for (int i = 0; i < 300; ++i) {
          reach({8}, read(a, halo(1, 0)), write(b), i == 250 ? 3 : 0);
          std::swap(a, b);
        }
        (void)a.to_vector<double>();
        ADD_FAILURE() << "nothing was thrown when the cells were asked for";
      },
      {});
  EXPECT_THAT(text, HasSubstr("[reach] argument 1 was asked for the cell ("));
}

TEST(GpuTask, AnIndexOutsideWritesNothing) {
  if (test::on_real_gpus()) GTEST_SKIP() << "ends the runtime";
  // The emulated GPU looks at the bytes around what it gave.
  const std::string text = error_on_gpus(
      [] {
        auto a = np::zeros({8});
        task("far", on_host<Out>,
             gpu_body("void body(pilum::Point<1> x, pilum::Write<double, 1> out) { out(x) = 1; for (long k = 0; k < 1l "
                      "<< 40; k += 1l << 36) out(x + 8 + k) = 1; }"))({8}, write(a));
      },
      {.processors_per_rank = 2});
  EXPECT_THAT(text, HasSubstr("[far] argument 1 was asked for the cell ("));
}

// On real GPUs, in a process of its own.
TEST(GpuTaskDeathTest, AnIndexOutsideEndsTheProcessThere) {
  if (!test::on_real_gpus()) GTEST_SKIP() << "for real GPUs";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto program = [] {
    Runtime runtime;
    auto a = np::zeros({8}), b = np::zeros({8});
    task("reach", on_host<In, Out, std::int64_t>, gpu_body(kReach))({8}, read(a, halo(0, 1)), write(b), 2);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(1), "reach. argument 1 was asked for the cell");
}
#endif

TEST(GpuTask, ATextThatDoesNotCompileIsRefusedAtTheCallWithItsLine) {
  on_gpus([] {
    auto a = np::ones({8});
    const auto wrong =
        task("wrong", on_host<ReadWrite<double, 1>>,
             gpu_body("\n\nvoid body(pilum::Point<1> x, pilum::ReadWrite<double, 1> a) {\n  a(x) += missing;\n}"));
    for (int i = 0; i < 2; ++i) {
      try {
        wrong({8}, read_write(a));
        ADD_FAILURE() << "nothing was thrown";
      } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("[wrong] the GPU body does not compile:\n"), HasSubstr("missing"),
                                        ContainsRegex("the GPU body of wrong[:(]4[:)]"), HasSubstr("Called at "),
                                        HasSubstr("gpu_task_errors_test.cc:")));
      }
    }
    a += 1;
    EXPECT_EQ(a.to_vector<double>(), Cells(8, 2)) << "nothing was recorded";
  });
}

TEST(GpuTask, ATextThatTakesSomethingElseIsRefusedAtTheCall) {
  const auto refuses = [](const auto& call, const std::string& what) {
    try {
      call();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ValueError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("[differ] "), HasSubstr(what), HasSubstr("gpu_task_errors_test.cc:")));
    }
  };
  const auto program = [&] {
    auto a = np::zeros({4, 4});
    const auto differ = [](const char* text) { return task("differ", on_host<Write<double, 2>, int>, gpu_body(text)); };
    refuses([&] { differ("void body(pilum::Point<2>, pilum::Write<float, 2>, int) {}")({4, 4}, write(a), 1); },
            "argument 1 of the GPU body is pilum::Write<float, 2>, and of the CPU body pilum::Write<double, 2>");
    refuses([&] { differ("void body(pilum::Point<2>, pilum::Write<double, 2>, double) {}")({4, 4}, write(a), 1); },
            "argument 2 of the GPU body is double, and of the CPU body std::int32_t");
    refuses([&] { differ("void body(pilum::Point<2>, pilum::Write<double, 2>) {}")({4, 4}, write(a), 1); },
            "the GPU body takes 2 parameters, and the CPU body 3");
    refuses([&] { differ("void body(pilum::Point<2>, pilum::Write<double, 2>, int) {}")({4}, write(a), 1); },
            "the GPU body's first parameter is pilum::Point<2>, and the domain has 1 axis");
    refuses([&] { differ("void smooth(pilum::Point<2>) {}")({4, 4}, write(a), 1); },
            "does not compile as a text that defines one void body(pilum::Point<2>, pilum::Write<double, 2>, "
            "std::int32_t)");
  };
  on_gpus(program);
}

}  // namespace
}  // namespace pilum
