// Another user plants code where kernels are kept: it never runs.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/jit/disk_cache.h"
#include "runtime/jit/jit.h"
#include "runtime/kernel/ir/builder.h"
#include "tests/jit/adding.h"
#include "tests/jit/other_user.h"
#include "tests/jit/scratch_folder.h"

namespace pilum::jit {
namespace {

namespace fs = std::filesystem;
using test::adding;
using testing::HasSubstr;

constexpr double kRight = 2, kPlanted = 3;

std::string bytes_of(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

// A file as this version of Pilum writes it.
std::string sealed(const Digest& key, const std::string& image) {
  const Digest content = digest(image);
  const Digest seal{content.high ^ key.high, content.low ^ key.low};
  return image + "PILUMSO1" + std::string(reinterpret_cast<const char*>(&seal), sizeof seal);
}

bool write_file(const fs::path& path, const std::string& bytes) {
  return static_cast<bool>(std::ofstream(path, std::ios::binary) << bytes << std::flush);
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// An environment variable for a while; null: not set.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) { value ? setenv(name_, value, 1) : unsetenv(name_); }

  const char* name_;
  std::optional<std::string> before_;
};

// A Jit of its own, in a folder.
class Session {
 public:
  explicit Session(const std::string& folder, const char* compiler = "") {
    JitOptions options;
    options.cache_directory = folder;
    options.compiler = compiler;
    options.threads = 0;
#ifdef PILUM_SANITIZE
    options.sanitize = PILUM_SANITIZE;
#endif
    jit_ = make_jit(options);
  }
  double run(double addend) { return test::apply(*jit_->get_host(adding(addend), {}), 0); }
  JitStatistics statistics() const { return jit_->statistics(); }

 private:
  std::unique_ptr<Jit> jit_;
};

class Stranger : public testing::TestWithParam<const char*> {
 protected:
  // In the file's name of the kernel that adds kRight, one that adds kPlanted.
  void SetUp() override {
    ASSERT_EQ(chmod(scratch_.string().c_str(), 0755), 0);
    const fs::path right = scratch_.path() / "right", other = scratch_.path() / "other";
    EXPECT_EQ(Session(right.string(), GetParam()).run(kRight), kRight);
    EXPECT_EQ(Session(other.string(), GetParam()).run(kPlanted), kPlanted);
    name_ = fs::directory_iterator(right)->path().filename();
    const std::string image = bytes_of(*fs::directory_iterator(other));
    Digest key;
    const std::string digits = name_.stem();
    key.high = std::stoull(digits.substr(0, 16), nullptr, 16);
    key.low = std::stoull(digits.substr(16), nullptr, 16);
    right_ = bytes_of(right / name_);
    planted_ = sealed(key, image.substr(0, image.size() - 24));
    ASSERT_EQ(planted_.substr(planted_.size() - 24, 8), right_.substr(right_.size() - 24, 8));
  }

  fs::path make(const std::string& name, mode_t mode, uid_t owner = geteuid()) const {
    const fs::path path = scratch_.path() / name;
    fs::create_directory(path);
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_TRUE(owner == geteuid() || chown(path.c_str(), owner, owner) == 0);
    return path;
  }

  // This user's program in a folder that is not safe.
  void expect_refusal(const fs::path& folder, const std::string& why) const {
    SCOPED_TRACE(folder);
    testing::internal::CaptureStderr();
    {
      Session session(folder.string(), GetParam()), another(folder.string(), GetParam());
      EXPECT_EQ(session.run(kRight), kRight);
      EXPECT_EQ(session.run(7), 7);
      EXPECT_EQ(another.run(kRight), kRight);
      EXPECT_EQ(session.statistics().disk_hits, 0);
      EXPECT_EQ(session.statistics().compiled, 2);
    }
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_THAT(printed, HasSubstr(why));
    EXPECT_EQ(count_of(printed, "cannot use the cache folder"), 1) << printed;
    EXPECT_EQ(bytes_of(folder / name_), planted_) << "nothing is written there either";
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
  }

  // A file in the user's own folder that is not loaded: it is compiled, once, and replaced.
  void expect_replacement(const fs::path& folder, const std::string& why) const {
    SCOPED_TRACE(why);
    alarm(60);  // rather than hang
    testing::internal::CaptureStderr();
    {
      Session session(folder.string(), GetParam());
      EXPECT_EQ(session.run(kRight), kRight);
      EXPECT_EQ(session.statistics().compiled, 1);
    }
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr((folder / name_).string() + " is not loaded: it " + why));
    Session again(folder.string(), GetParam());
    EXPECT_EQ(again.run(kRight), kRight);
    EXPECT_EQ(again.statistics().disk_hits, 1);
    alarm(0);
  }

  const test::ScratchFolder scratch_;
  fs::path name_;
  std::string right_, planted_;
};
INSTANTIATE_TEST_SUITE_P(Jit, Stranger, testing::Values("", "c++"),
                         [](const auto& info) { return std::string(*info.param ? "System" : "Default"); });

TEST_P(Stranger, ThePlantedFileWouldRunIfItWereOurs) {
  const fs::path folder = make("ours", 0700);
  ASSERT_TRUE(write_file(folder / name_, planted_));
  EXPECT_EQ(Session(folder.string(), GetParam()).run(kRight), kPlanted) << "else the other tests would prove nothing";
}

TEST_P(Stranger, FoldersThatAnotherUserMayChangeAreNotUsed) {
  PILUM_NEEDS_ROOT();
  const auto plant = [&](const fs::path& folder) {
    EXPECT_TRUE(test::as_nobody([&] { return write_file(folder / name_, planted_); }));
    return folder;
  };
  expect_refusal(plant(make("theirs", 0700, test::kNobody)), "theirs' belongs to user 65534, and user 0 runs this");
  expect_refusal(plant(make("everybodys", 0777)), "everybodys' can be written by others (mode 0777)");
  expect_refusal(plant(make("sticky", 01777)), "sticky' can be written by others (mode 1777)");
  const fs::path group = make("group", 0770);
  ASSERT_EQ(chown(group.c_str(), 0, test::kNobody), 0);
  expect_refusal(plant(group), "group' can be written by others (mode 0770)");
}

TEST_P(Stranger, AFolderPlantedInTmpIsNotUsed) {
  PILUM_NEEDS_ROOT();
  const fs::path sticky = make("tmp", 01777), folder = sticky / "cache";
  ASSERT_TRUE(
      test::as_nobody([&] { return mkdir(folder.c_str(), 0755) == 0 && write_file(folder / name_, planted_); }));
  expect_refusal(folder, "cache' belongs to user 65534");
  const fs::path link = sticky / "link";
  ASSERT_TRUE(test::as_nobody([&] { return symlink(folder.c_str(), link.c_str()) == 0; }));
  expect_refusal(link, "link' belongs to user 65534");
}

TEST_P(Stranger, AFolderInAnotherUsersHomeIsNotUsedEvenIfItIsOurs) {
  PILUM_NEEDS_ROOT();
  make("home", 0755, test::kNobody);
  const fs::path folder = make("home/cache", 0700);
  ASSERT_TRUE(write_file(folder / name_, planted_));
  expect_refusal(folder, "home' belongs to user 65534");
}

// As `sudo -E` leaves it.
TEST_P(Stranger, TheHomeOfTheUserWhoCalledSudoIsNotUsed) {
  PILUM_NEEDS_ROOT();
  const Variable cache("PILUM_CACHE_DIR", nullptr), xdg("XDG_CACHE_HOME", nullptr);
  const Variable home("HOME", make("bob", 0755, test::kNobody).c_str());
  testing::internal::CaptureStderr();
  EXPECT_EQ(Session("", GetParam()).run(kRight), kRight);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("bob' belongs to user 65534"));
  EXPECT_TRUE(fs::is_empty(scratch_.path() / "bob"));
}

TEST(CacheFolder, WithoutAHomeKernelsAreNotKept) {
  const Variable cache("PILUM_CACHE_DIR", nullptr), xdg("XDG_CACHE_HOME", nullptr), home("HOME", nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Session("").run(kRight), kRight);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("neither PILUM_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set"));
}

TEST_P(Stranger, FilesThatAreNotOursAreCompiledAgain) {
  PILUM_NEEDS_ROOT();
  const fs::path folder = make("file", 0700);
  ASSERT_TRUE(write_file(folder / name_, planted_));
  ASSERT_EQ(chown((folder / name_).c_str(), test::kNobody, test::kNobody), 0);
  expect_replacement(folder, "belongs to user 65534, and user 0 runs this");
}

TEST_P(Stranger, FilesThatOthersCanWriteAreCompiledAgain) {
  const fs::path folder = make("writable", 0700);
  ASSERT_TRUE(write_file(folder / name_, planted_));
  ASSERT_EQ(chmod((folder / name_).c_str(), 0664), 0);
  expect_replacement(folder, "can be written by others (mode 0664)");
}

TEST_P(Stranger, LinksAndPipesAreCompiledAgain) {
  ASSERT_TRUE(write_file(scratch_.path() / "elsewhere", planted_));
  const fs::path link = make("link", 0700), pipe = make("pipe", 0700);
  fs::create_symlink(scratch_.path() / "elsewhere", link / name_);
  expect_replacement(link, "is a symbolic link");
  EXPECT_EQ(bytes_of(scratch_.path() / "elsewhere"), planted_) << "not written through";
  ASSERT_EQ(mkfifo((pipe / name_).c_str(), 0600), 0);
  expect_replacement(pipe, "is no regular file");
}

TEST_P(Stranger, HugeAndSparseFilesAreCompiledAgain) {
  const fs::path huge = make("huge", 0700), sparse = make("sparse", 0700);
  for (const fs::path& folder : {huge, sparse}) ASSERT_TRUE(write_file(folder / name_, planted_));
  fs::resize_file(huge / name_, std::uintmax_t{1} << 40);
  expect_replacement(huge, "has 1099511627776 bytes");
  fs::resize_file(sparse / name_, 2 << 20);
  expect_replacement(sparse, "is sparse");
}

TEST_P(Stranger, AnUnprivilegedUserDoesNotLoadWhatRootKeeps) {
  PILUM_NEEDS_ROOT();
  const fs::path folder = make("roots", 0755);
  ASSERT_TRUE(write_file(folder / name_, planted_));
  ASSERT_EQ(chmod((folder / name_).c_str(), 0644), 0);
  EXPECT_TRUE(test::as_nobody([&] {
    testing::internal::CaptureStderr();
    const double result = Session(folder.string(), GetParam()).run(kRight);
    const std::string printed = testing::internal::GetCapturedStderr();
    return result == kRight && printed.find("roots' belongs to user 0, and user 65534 runs this") != std::string::npos;
  }));
}

// Somebody exchanges the file all the time for another user's: what is checked is what is read.
TEST_P(Stranger, WhatIsCheckedIsWhatIsLoaded) {
  PILUM_NEEDS_ROOT();
  const fs::path folder = make("exchanged", 0700);
  const std::string file = (folder / name_).string(), other = (folder / "other").string();
  ASSERT_TRUE(write_file(file, right_) && write_file(other, planted_));
  ASSERT_EQ(chown(other.c_str(), test::kNobody, test::kNobody), 0);
  const pid_t child = fork();
  if (child == 0) {
    while (renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) continue;
    _exit(1);
  }
  Digest key;
  const std::string digits = name_.stem();
  key.high = std::stoull(digits.substr(0, 16), nullptr, 16);
  key.low = std::stoull(digits.substr(16), nullptr, 16);
  const std::string image = right_.substr(0, right_.size() - 24);
  int found = 0, refused = 0, wrong = 0;
  testing::internal::CaptureStderr();
  const DiskCache cache(folder.string(), /*keep=*/true);
  for (int i = 0; i < 200000 && (i < 20000 || !found || !refused); ++i) {
    const std::optional<std::string> read = cache.read(key);
    found += read.has_value();
    refused += !read;
    wrong += read && *read != image;
  }
  (void)testing::internal::GetCapturedStderr();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 0);
  EXPECT_GT(refused, 0);
}

TEST_P(Stranger, AnUmaskDoesNotOpenTheFolder) {
  for (const mode_t mask : {000u, 077u}) {
    const test::Umask changed(mask);
    const fs::path folder = scratch_.path() / ("umask" + std::to_string(mask)) / "cache";
    EXPECT_EQ(Session(folder.string(), GetParam()).run(kRight), kRight);
    EXPECT_EQ(Session(folder.string(), GetParam()).statistics().compiled, 0);
    Session again(folder.string(), GetParam());
    EXPECT_EQ(again.run(kRight), kRight);
    EXPECT_EQ(again.statistics().disk_hits, 1);
    struct stat facts{};
    ASSERT_EQ(stat(folder.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777u, 0700u);
    ASSERT_EQ(stat((folder / name_).c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777u, 0600u);
  }
}

TEST(TemporaryFiles, AreNotMadeWhereOthersMayRemoveThem) {
  PILUM_NEEDS_ROOT();
  const test::ScratchFolder scratch;
  for (const auto& [mode, owner] : {std::pair{0777u, 0u}, {0755u, 65534u}}) {
    const Variable variable("TMPDIR", scratch.string().c_str());
    ASSERT_EQ(chmod(scratch.string().c_str(), mode) + chown(scratch.string().c_str(), owner, owner), 0);
    DiskCache cache("", /*keep=*/false);
    EXPECT_EQ(cache.temporary_folder().path().find("/tmp/pilum-"), 0u);
    EXPECT_EQ(scratch.entries(), 0u);
  }
}

TEST(TemporaryFiles, OfARunThatWasKilledAreRemovedByTheNext) {
  const test::ScratchFolder folder, tools;
  const std::string compiler = (tools.path() / "compiler").string();
  // Half of a file of its own, half of the result, and then the end of who asked for it.
  std::ofstream(compiler) << "#!/bin/sh\n"
                             "echo half > \"$TMPDIR/cc123.s\"\n"
                             "while [ \"$1\" != -o ]; do shift; done\n"
                             "echo half > \"$2\"\n"
                             "kill -9 $PPID\n";
  fs::permissions(compiler, fs::perms::owner_all);
  const pid_t child = fork();
  if (child == 0) {
    Session(folder.string(), compiler.c_str()).run(kRight);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  long files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) files += entry.is_regular_file();
  EXPECT_EQ(files, 3) << "the source, and what the compiler wrote";
  {
    Session next(folder.string());
  }
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace pilum::jit
