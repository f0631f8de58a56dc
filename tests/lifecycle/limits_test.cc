// Threads and address space that the system does not give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/lifecycle/environment.h"

namespace pilum::test {
namespace {

using testing::HasSubstr;
using testing::Not;

void expect_clear_end(const Outcome& outcome) {
  EXPECT_LT(outcome.exit_code, 128) << outcome.error;
  EXPECT_THAT(outcome.error, Not(HasSubstr("terminate called")));
  EXPECT_THAT(outcome.error, Not(HasSubstr("std::terminate")));
  if (outcome.exit_code) {
    EXPECT_NE(outcome.error, "");
  }
}

// The limit counts a user's processes, and root has none: as another user that runs nothing else.
Outcome run_without_threads(const std::string& cores) {
  const Pids folder("limits");
  std::filesystem::permissions(folder.folder(), std::filesystem::perms::all);
  return run({"setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "bash", "-c", "ulimit -u 1; exec \"$@\"",
              "bash", lifecycle(), "exit"},
             {{"PILUM_CPUS", cores}, {"PILUM_CACHE_DIR", folder.folder() + "/kernels"}});
}

TEST(Limits, WithoutThreadsTheErrorSaysWhatToDo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may become another user";
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core needs no threads";
  const Outcome outcome = run_without_threads("2");
  expect_clear_end(outcome);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.error, HasSubstr("[Runtime] of 1 threads for this rank's cores 0 could be started"));
  EXPECT_THAT(outcome.error, HasSubstr("ulimit -u"));
}

TEST(Limits, OnOneCoreNoThreadIsNeeded) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may become another user";
  const Outcome outcome = run_without_threads("1");
  expect_clear_end(outcome);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
}

// In MiB: from where the program is barely loaded, over where it has no memory for a thread's stack, for an array, and
// for a compiler, to where it runs.
class AddressSpace : public testing::TestWithParam<int> {};

TEST_P(AddressSpace, ThatIsSmallIsAnErrorOrEnough) {
  const Pids folder("address_space");
  for (const char* kernels : {BUILD_FOLDER "/kernel-cache", folder.folder().c_str()}) {
    const Outcome outcome =
        run({"sh", "-c", "ulimit -v " + std::to_string(GetParam() * 1024) + "; exec \"$@\"", "sh", lifecycle(), "exit"},
            {{"PILUM_CPUS", "2"}, {"PILUM_CACHE_DIR", kernels}});
    expect_clear_end(outcome);
    if (GetParam() < 20) {
      EXPECT_NE(outcome.exit_code, 0);
    }
    if (GetParam() >= 1000) {
      EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(MiB, AddressSpace,
                         testing::Values(10, 14, 16, 18, 20, 22, 24, 26, 28, 30, 35, 40, 50, 60, 100, 200, 1500));

}  // namespace
}  // namespace pilum::test
