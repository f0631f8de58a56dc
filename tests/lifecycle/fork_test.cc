// A process that is forked while a Runtime lives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lifecycle/environment.h"

namespace pilum::test {
namespace {

using testing::HasSubstr;
using testing::Not;

void expect_refusals(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  for (const char* name : {"add", "zeros", "item", "wait", "Runtime"}) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string("child: ") + name + " refused: ["));
  }
  EXPECT_THAT(outcome.out, HasSubstr("this process was forked from one that had a Runtime"));
  EXPECT_THAT(outcome.out, HasSubstr("lifecycle.cc:"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("was allowed")));
  EXPECT_THAT(outcome.out, HasSubstr("child ended with 0, parent: 3000\n"));
}

TEST(Fork, TheChildIsRefusedAndTheParentGoesOn) {
  expect_refusals(run({lifecycle(), "fork"}, with()));
}

TEST(Fork, TheSameOnRanks) {
  NEEDS_MPIRUN();
  for (const char* transport : {"ucx", "mpi"}) {
    expect_refusals(run(under_plaunch(2, {lifecycle(), "fork"}), with({{"PILUM_TRANSPORT", transport}})));
  }
}

// The child leaves the scope of the Runtime and main, with all destructors and exit handlers.
TEST(Fork, AChildMayReturnFromMain) {
  const Outcome alone = run({lifecycle(), "fork_ends"}, with());
  EXPECT_EQ(alone.exit_code, 0) << alone.error;
  EXPECT_THAT(alone.out, HasSubstr("child ended with 0, parent: 2000\n"));
  NEEDS_MPIRUN();
  const Outcome ranks = run(under_plaunch(2, {lifecycle(), "fork_ends"}), with());
  EXPECT_EQ(ranks.exit_code, 0) << ranks.error;
  EXPECT_THAT(ranks.out, HasSubstr("child ended with 0, parent: 2000\n"));
}

}  // namespace
}  // namespace pilum::test
