#include "apps/task_bench/options.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace metg {
namespace {

Options parse(const std::string& words) {
  Options options;
  CLI::App app;
  add_options(app, options);
  app.parse(words);
  return options;
}

std::string error_of(const std::string& words) {
  try {
    parse(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(MetgOptions, AllAreRead) {
  const Options options = parse(
      "--pattern nearest --width 12 --steps 34 --radix 5 --iterations 6 --bytes 32 --repetitions 7 --metg --json");
  EXPECT_EQ(options.graph.pattern, Pattern::kNearest);
  EXPECT_EQ(options.graph.width, 12);
  EXPECT_EQ(options.graph.steps, 34);
  EXPECT_EQ(options.graph.radix, 5);
  EXPECT_EQ(options.iterations, 6);
  EXPECT_EQ(options.bytes, 32u);
  EXPECT_EQ(options.repetitions, 7);
  EXPECT_TRUE(options.metg);
  EXPECT_TRUE(options.json);
}

TEST(MetgOptions, MistakesAreExplained) {
  EXPECT_THAT(error_of("--pattern stencil"), testing::HasSubstr("no pattern 'stencil': there are trivial, no_comm"));
  EXPECT_THAT(error_of("--bytes 24"), testing::HasSubstr("24 is not a multiple of 16"));
  EXPECT_THAT(error_of("--bytes 8"), testing::HasSubstr("not in range 16"));
  EXPECT_THAT(error_of("--width 0"), testing::HasSubstr("--width"));
  EXPECT_THAT(error_of("--pattern spread --width 4 --radix 5"),
              testing::HasSubstr("spread cannot read 5 different points of 4"));
}

// Task Bench asks for it: spokes that turn further meet the place of the next one.
TEST(MetgOptions, SpreadTurnsNoFurtherThanToTheNextSpoke) {
  EXPECT_EQ(parse("--pattern spread --width 4 --radix 3").graph.period, 2);
  EXPECT_EQ(parse("--pattern spread --width 9 --radix 3").graph.period, 3);
  EXPECT_EQ(parse("--pattern random_nearest --width 4 --radix 3").graph.period, 3);
}

}  // namespace
}  // namespace metg
