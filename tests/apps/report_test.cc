#include "apps/task_bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace metg {
namespace {

Options stencil() {
  Options options;
  options.graph.width = 2;
  return options;
}

const Sample kShort{.iterations = 100, .steps = 10, .seconds = 0.5, .granularity = 2e-6, .flops = 50};
const Sample kLong{.iterations = 900, .steps = 10, .seconds = 0.5, .granularity = 8e-6, .flops = 100};

TEST(Report, JsonIsOneLine) {
  EXPECT_EQ(to_json("metg_mpi", stencil(), {.cores = 2, .peak = 100, .samples = {kShort}}),
            "{\"program\": \"metg_mpi\", \"pattern\": \"stencil_1d\", \"width\": 2, \"radix\": 3, \"bytes\": 16, "
            "\"cores\": 2, \"peak\": 100, \"steps\": 10, \"iterations\": 100, \"seconds\": 0.5, "
            "\"granularity\": 2e-06, \"efficiency\": 0.5}\n");
}

TEST(Report, JsonOfASearchIsTheSmallestEffectiveSample) {
  const std::string line =
      to_json("metg", stencil(), {.cores = 2, .peak = 100, .samples = {kShort, kLong}, .metg = kShort});
  EXPECT_THAT(line, testing::HasSubstr("\"iterations\": 100,"));
  EXPECT_THAT(line, testing::EndsWith("\"efficiency\": 0.5, \"metg\": 2e-06}\n"));
}

TEST(Report, TableHasALineForEachSample) {
  EXPECT_EQ(to_table(stencil(), {.cores = 2, .peak = 100e9, .samples = {kShort, kLong}, .metg = kShort}),
            "stencil_1d of width 2, 16 bytes a task, on 2 cores\n"
            "peak 100.00 GFLOP/s\n"
            "\n"
            "iterations     steps   time/ms  granularity/us  efficiency/%\n"
            "       100        10   500.000           2.000           0.0\n"
            "       900        10   500.000           8.000           0.0\n"
            "\n"
            "METG(50%) 2.000 us\n");
}

}  // namespace
}  // namespace metg
