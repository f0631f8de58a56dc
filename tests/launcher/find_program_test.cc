#include "launcher/find_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "pilum/error.h"

namespace pilum::launcher {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(FindProgram, APathIsTakenAsItIs) {
  EXPECT_EQ(find_application("/bin/sh"), "/bin/sh");
}

TEST(FindProgram, ABareNameIsLookedUpInPath) {
  EXPECT_THAT(find_in_path("sh").value_or(""), HasSubstr("/sh"));
  EXPECT_FALSE(find_in_path("no-such-program-anywhere"));
}

TEST(FindProgram, APathThatIsNotThereIsNotSoughtElsewhere) {
  EXPECT_THAT([] { find_application("./sh"); }, ThrowsMessage<ValueError>(HasSubstr("./sh: no such application")));
}

TEST(FindProgram, AFileThatMayNotBeExecutedIsNamedAsSuch) {
  const std::string path = testing::TempDir() + "not_executable";
  std::ofstream(path) << "text";
  EXPECT_THAT([&] { find_application(path); }, ThrowsMessage<ValueError>(HasSubstr("chmod +x")));
  std::filesystem::remove(path);
}

TEST(FindProgram, AFolderIsNoApplication) {
  EXPECT_THAT([] { find_application("/usr"); }, ThrowsMessage<ValueError>(HasSubstr("a folder")));
}

}  // namespace
}  // namespace pilum::launcher
