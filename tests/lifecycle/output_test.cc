// What a rank has printed is not lost when an exception ends it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lifecycle/environment.h"

namespace pilum::test {
namespace {

using testing::HasSubstr;

class Output : public testing::TestWithParam<const char*> {};

void expect_texts(const Outcome& outcome) {
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("of cout\n"));
  EXPECT_THAT(outcome.out, HasSubstr("of printf\n"));
  EXPECT_THAT(outcome.error, HasSubstr("of clog\n"));
  EXPECT_THAT(outcome.error, HasSubstr(": "));
}

TEST_P(Output, IsNotLostAlone) {
  expect_texts(run({lifecycle(), "print", GetParam()}, with()));
}

TEST_P(Output, IsNotLostOnRanks) {
  NEEDS_MPIRUN();
  expect_texts(run(under_plaunch(2, {lifecycle(), "print", GetParam()}, {"--output", "all"}), with()));
}

INSTANTIATE_TEST_SUITE_P(, Output, testing::Values("throw", "terminate", "unwind"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace pilum::test
