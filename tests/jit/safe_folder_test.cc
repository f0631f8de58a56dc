#include "runtime/jit/safe_folder.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jit/other_user.h"
#include "tests/jit/scratch_folder.h"

namespace pilum::jit {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SafeFolder : public testing::Test {
 protected:
  // Empty: it was opened.
  static std::string refusal(const fs::path& path, FolderUse use = FolderUse::Own) {
    std::string why = "no reason was given";
    return open_safe_folder(path.string(), use, why) ? "" : why;
  }
  static mode_t mode_of(const fs::path& path) {
    struct stat facts{};
    return stat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777u : 0;
  }
  fs::path make(const fs::path& name, mode_t mode, uid_t owner = geteuid()) const {
    const fs::path path = scratch_.path() / name;
    fs::create_directory(path);
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_TRUE(owner == geteuid() || chown(path.c_str(), owner, owner) == 0);
    return path;
  }
  fs::path link(const fs::path& name, const std::string& target, uid_t owner = geteuid()) const {
    const fs::path path = scratch_.path() / name;
    fs::create_symlink(target, path);
    EXPECT_TRUE(owner == geteuid() || lchown(path.c_str(), owner, owner) == 0);
    return path;
  }

  const test::ScratchFolder scratch_;
};

TEST_F(SafeFolder, OnesThatAreNotThereAreMadeForTheUserAloneWhateverTheUmask) {
  for (const mode_t mask : {000u, 022u, 077u, 0277u, 0777u}) {
    const test::Umask changed(mask);
    const fs::path outer = scratch_.path() / ("umask" + std::to_string(mask));
    EXPECT_EQ(refusal(outer / "inner"), "");
    EXPECT_EQ(mode_of(outer), 0700u);
    EXPECT_EQ(mode_of(outer / "inner"), 0700u);
  }
}

TEST_F(SafeFolder, ThePathHasNoLinksAndNoDots) {
  const fs::path real = make("real", 0700);
  link("first", "second/.");
  link("second", real.string());
  std::string why;
  const fs::path path = scratch_.path() / "first" / ".." / "." / "first//new";
  const auto folder = open_safe_folder(path.string(), FolderUse::Own, why);
  ASSERT_TRUE(folder) << why;
  EXPECT_EQ(folder->path, (fs::canonical(real) / "new").string());
  EXPECT_TRUE(fs::is_directory(real / "new"));
}

TEST_F(SafeFolder, ARelativePathStartsAtTheWorkingFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(scratch_.path());
  std::string why;
  const auto folder = open_safe_folder("here", FolderUse::Own, why);
  fs::current_path(before);
  ASSERT_TRUE(folder) << why;
  EXPECT_EQ(folder->path, (fs::canonical(scratch_.path()) / "here").string());
}

TEST_F(SafeFolder, OnesThatOthersCanWriteAreRefused) {
  for (const mode_t mode : {0770u, 0777u, 0702u, 0720u}) {
    const fs::path path = make("folder" + std::to_string(mode), mode);
    EXPECT_THAT(refusal(path), HasSubstr("can be written by others (mode 0"));
    EXPECT_THAT(refusal(path / "inner"), HasSubstr("'" + fs::canonical(path).string() + "' can be written by others"));
    EXPECT_FALSE(fs::exists(path / "inner"));
  }
  EXPECT_EQ(refusal(make("readable", 0755)), "");
}

TEST_F(SafeFolder, AStickyOneProtectsWhatIsInItButIsNotTheUsersOwn) {
  const fs::path sticky = make("sticky", 01777);
  EXPECT_EQ(refusal(sticky / "inner"), "");
  EXPECT_EQ(refusal(sticky, FolderUse::Shared), "");
  EXPECT_THAT(refusal(sticky), HasSubstr("can be written by others (mode 1777)"));
}

TEST_F(SafeFolder, FilesAndCirclesAreRefused) {
  std::ofstream(scratch_.path() / "file") << "text";
  EXPECT_THAT(refusal(scratch_.path() / "file" / "inner"), HasSubstr("is no folder"));
  link("a", "b");
  link("b", "a");
  EXPECT_THAT(refusal(scratch_.path() / "a"), HasSubstr("cannot follow the symbolic link"));
  ASSERT_EQ(mkfifo((scratch_.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(scratch_.path() / "pipe"), HasSubstr("is no folder"));
}

TEST_F(SafeFolder, AnotherUsersAnywhereOnTheWayIsRefused) {
  PILUM_NEEDS_ROOT();
  const fs::path foreign = make("foreign", 0755, test::kNobody);
  const std::string text = "'" + fs::canonical(foreign).string() + "' belongs to user 65534, and user 0 runs this";
  EXPECT_EQ(refusal(foreign), text);
  EXPECT_EQ(refusal(foreign / "inner"), text);
  EXPECT_EQ(refusal(foreign, FolderUse::Shared), text);
  EXPECT_FALSE(fs::exists(foreign / "inner"));
  make("foreign/ours", 0700);
  EXPECT_EQ(refusal(foreign / "ours"), text) << "its owner can put another one there";
  make("sticky", 01777);
  EXPECT_THAT(refusal(make("sticky/foreign", 0700, test::kNobody)), HasSubstr("belongs to user 65534"));
  EXPECT_THAT(refusal(make("foreign_sticky", 01777, test::kNobody) / "ours"), HasSubstr("belongs to user 65534"));
}

TEST_F(SafeFolder, LinksAreFollowedIfNobodyElseMadeThem) {
  PILUM_NEEDS_ROOT();
  const fs::path real = make("real", 0700), foreign = make("foreign", 0700, test::kNobody);
  make("sticky", 01777);
  EXPECT_EQ(refusal(link("sticky/ours", real.string())), "");
  EXPECT_THAT(refusal(link("sticky/theirs", real.string(), test::kNobody)), HasSubstr("theirs' belongs to user 65534"));
  EXPECT_THAT(refusal(link("to_theirs", foreign.string())), HasSubstr("foreign' belongs to user 65534"));
}

TEST_F(SafeFolder, RootsFoldersAreOnTheWayOfEverybodyButNobodysOwn) {
  PILUM_NEEDS_ROOT();
  ASSERT_EQ(chmod(scratch_.path().c_str(), 0755), 0);
  const fs::path roots = make("roots", 0755);
  const fs::path theirs = make("roots/theirs", 0700, test::kNobody);
  const fs::path closed = make("closed", 0700);
  EXPECT_TRUE(test::as_nobody([&] { return refusal(theirs / "inner").empty(); }));
  EXPECT_TRUE(test::as_nobody([&] {
    return refusal(roots) == "'" + fs::canonical(roots).string() + "' belongs to user 0, and user 65534 runs this";
  }));
  EXPECT_TRUE(test::as_nobody([&] { return refusal(roots / "inner").starts_with("cannot make the folder"); }));
  EXPECT_TRUE(test::as_nobody([&] { return refusal(closed / "inner").starts_with("cannot open"); }));
}

}  // namespace
}  // namespace pilum::jit
