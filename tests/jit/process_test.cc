#include "runtime/jit/process.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace pilum::jit {
namespace {

TEST(Process, CollectsOutputAndErrorAndStatus) {
  const ProcessResult result = run_process({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
}

TEST(Process, SaysWhenAProgramWasKilledOrIsNotThere) {
  EXPECT_EQ(run_process({"/bin/sh", "-c", "kill -9 $$"}).status, 128 + 9);
  const ProcessResult missing = run_process({"/no/such/program"});
  EXPECT_EQ(missing.status, -1);
  EXPECT_NE(missing.output, "");
}

TEST(Process, AProgramsTemporaryFilesMayHaveAFolderOfTheirOwn) {
  const std::vector<std::string> program = {"/bin/sh", "-c", "echo $TMPDIR; env | grep -c ^TMPDIR=; echo $PATH"};
  const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  EXPECT_EQ(run_process(program, "/some/where").output, "/some/where\n1\n" + path + "\n");
}

TEST(Process, FindsProgramsInPath) {
  EXPECT_NE(find_program("sh"), "");
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("no-such-program-anywhere"), "");
  EXPECT_EQ(find_program("/no/such/program"), "");
  EXPECT_EQ(find_program(""), "");
}

}  // namespace
}  // namespace pilum::jit
