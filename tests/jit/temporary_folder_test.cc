#include "runtime/jit/temporary_folder.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/error.h"
#include "tests/jit/other_user.h"
#include "tests/jit/scratch_folder.h"

namespace pilum::jit {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<TemporaryFolder> make(const test::ScratchFolder& parent) {
  std::string why;
  auto folder = TemporaryFolder::make(parent.string(), FolderUse::Own, why);
  EXPECT_TRUE(folder) << why;
  return folder;
}

mode_t mode_of(const std::string& path) {
  struct stat facts{};
  return lstat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777u : 0;
}

TEST(TemporaryFolder, ItAndItsFilesAreTheUsersAloneWhateverTheUmask) {
  const test::ScratchFolder parent;
  for (const mode_t mask : {000u, 077u, 0777u}) {
    const test::Umask changed(mask);
    const auto folder = make(parent);
    const std::string name = folder->write(".cc", "text");
    EXPECT_EQ(mode_of(folder->path()), 0700u);
    EXPECT_EQ(mode_of(folder->path_of(name)), 0600u);
    EXPECT_EQ(folder->take(name), "text");
    EXPECT_FALSE(fs::exists(folder->path_of(name)));
  }
  EXPECT_EQ(parent.entries(), 0u);
}

TEST(TemporaryFolder, NamesCannotBeForeseen) {
  const test::ScratchFolder parent;
  const auto first = make(parent), second = make(parent);
  EXPECT_NE(first->path(), second->path());
  EXPECT_NE(first->write(".o", "text"), first->write(".o", "text"));
  EXPECT_EQ(TemporaryFolder::new_name(".o").size(), 32u + 2u);
}

TEST(TemporaryFolder, OnlyFilesAreTaken) {
  const test::ScratchFolder parent;
  const auto folder = make(parent);
  std::ofstream(parent.path() / "elsewhere") << "text";
  fs::create_symlink(parent.path() / "elsewhere", folder->path_of("link"));
  ASSERT_EQ(mkfifo(folder->path_of("pipe").c_str(), 0600), 0);
  for (const char* name : {"link", "pipe", "missing"}) EXPECT_THROW((void)folder->take(name), RuntimeError) << name;
}

// A process that makes a folder with a file in it and is killed.
void leave_one(const test::ScratchFolder& parent) {
  const pid_t child = fork();
  if (child == 0) {
    const auto folder = make(parent);
    (void)folder->write(".cc", "text");
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(TemporaryFolder, WhatKilledProcessesLeftIsRemovedByTheNextAndNothingElse) {
  const test::ScratchFolder parent;
  const auto alive = make(parent);
  const std::string name = alive->write(".cc", "text");
  const fs::path other = parent.path() / "pilum-notes";
  fs::create_directory(other);
  std::ofstream(other / "file") << "text";
  fs::last_write_time(other, fs::file_time_type::clock::now() - std::chrono::hours(24 * 365));
  leave_one(parent);
  leave_one(parent);
  EXPECT_EQ(parent.entries(), 3u) << "the second has removed what the first left";
  const auto next = make(parent);
  EXPECT_EQ(parent.entries(), 3u);
  EXPECT_TRUE(fs::exists(alive->path_of(name)));
  EXPECT_TRUE(fs::exists(other / "file"));
  EXPECT_TRUE(fs::exists(next->path()));
}

TEST(TemporaryFolder, WhatAnotherMachineLeftStaysForAMonth) {
  const test::ScratchFolder parent;
  const fs::path foreign = parent.path() / ("pilum-00000000-" + std::string(32, 'a'));
  fs::create_directory(foreign);
  std::ofstream(foreign / "file") << "text";
  {
    const auto folder = make(parent);
  }
  EXPECT_TRUE(fs::exists(foreign / "file"));
  fs::last_write_time(foreign, fs::file_time_type::clock::now() - std::chrono::hours(24 * 31));
  {
    const auto folder = make(parent);
  }
  EXPECT_FALSE(fs::exists(foreign));
}

TEST(TemporaryFolder, ACopyMadeByForkLeavesItToTheFirst) {
  const test::ScratchFolder parent;
  auto folder = make(parent);
  const pid_t child = fork();
  if (child == 0) {
    folder.reset();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::exists(folder->path()));
}

TEST(TemporaryFolder, ManyComeAndGoInOnePlace) {
  const test::ScratchFolder scratch;
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    bool right = true;
    for (int i = 0; i < 200; ++i) {
      std::string why;
      const auto folder = TemporaryFolder::make(scratch.string() + "/place", FolderUse::Own, why);
      right &= folder && folder->take(folder->write(".o", "bytes")) == "bytes";
      rmdir((scratch.string() + "/place").c_str());  // unless another one is in it
    }
    _exit(right ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(TemporaryFolder, AnotherUsersIsLeftAlone) {
  PILUM_NEEDS_ROOT();
  const test::ScratchFolder parent;
  ASSERT_EQ(chmod(parent.string().c_str(), 01777), 0);
  std::string why;
  const bool left = test::as_nobody([&] {
    auto theirs = TemporaryFolder::make(parent.string(), FolderUse::Shared, why);
    return theirs.release() != nullptr;  // as a killed process leaves it
  });
  ASSERT_TRUE(left);
  {
    const auto ours = TemporaryFolder::make(parent.string(), FolderUse::Shared, why);
  }
  EXPECT_EQ(parent.entries(), 1u);
  EXPECT_TRUE(
      test::as_nobody([&] { return TemporaryFolder::make(parent.string(), FolderUse::Shared, why) != nullptr; }));
  EXPECT_EQ(parent.entries(), 0u);
}

}  // namespace
}  // namespace pilum::jit
