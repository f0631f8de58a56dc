#include "runtime/jit/disk_cache.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"
#include "tests/jit/scratch_folder.h"

namespace pilum::jit {
namespace {

constexpr Digest kKey{1, 2};

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(DiskCache, FindsWhatItStored) {
  const test::ScratchFolder folder;
  DiskCache cache(folder.string(), /*keep=*/true);
  EXPECT_FALSE(cache.read(kKey));
  cache.store(kKey, "code");
  EXPECT_EQ(cache.read(kKey), "code");
  EXPECT_EQ(content_of(cache.path_of(kKey)).substr(0, 4), "code");
  EXPECT_EQ(DiskCache(folder.string(), /*keep=*/true).read(kKey), "code");
}

TEST(DiskCache, ADamagedFileIsAbsent) {
  const test::ScratchFolder folder;
  DiskCache cache(folder.string(), /*keep=*/true);
  cache.store(kKey, std::string(1000, 'c'));
  const std::filesystem::path stored = cache.path_of(kKey);
  const std::string whole = content_of(stored);
  for (const std::size_t length : {0ul, 1ul, 500ul, whole.size() - 1}) {
    std::ofstream(stored) << whole.substr(0, length);
    EXPECT_FALSE(cache.read(kKey)) << "cut to " << length;
  }
  for (const std::size_t place : {0ul, 999ul, 1003ul, whole.size() - 1}) {
    std::string changed = whole;
    changed[place] ^= 1;
    std::ofstream(stored) << changed;
    EXPECT_FALSE(cache.read(kKey)) << "changed at " << place;
  }
  std::ofstream(stored) << whole;
  EXPECT_TRUE(cache.read(kKey));
}

TEST(DiskCache, AFileUnderAnothersNameIsAbsent) {
  const test::ScratchFolder folder;
  DiskCache cache(folder.string(), /*keep=*/true);
  cache.store(kKey, "code");
  std::filesystem::copy_file(cache.path_of(kKey), folder.path() / (to_string(Digest{3, 4}) + ".kernel"));
  EXPECT_FALSE(cache.read(Digest{3, 4}));
}

TEST(DiskCache, AFailedWriteLeavesNothingBehind) {
  const test::ScratchFolder folder;
  {
    DiskCache cache(folder.string(), /*keep=*/true);
    std::filesystem::create_directories(std::filesystem::path(cache.path_of(kKey)) / "in the way");
    EXPECT_THROW(cache.store(kKey, "code"), RuntimeError);
    EXPECT_FALSE(cache.read(kKey));
  }
  EXPECT_EQ(folder.entries(), 1u) << "what was in the way";
}

TEST(DiskCache, NothingButKernelsStays) {
  const test::ScratchFolder folder;
  {
    DiskCache cache(folder.string(), /*keep=*/true);
    cache.store(kKey, "code");
    (void)cache.temporary_folder().write(".cc", "text");
    DiskCache other(folder.string(), /*keep=*/true);
    other.store(Digest{3, 4}, "code");
  }
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(DiskCache, ATemporaryFolderGoesWithTheCache) {
  std::filesystem::path folder;
  {
    DiskCache cache("", /*keep=*/false);
    folder = cache.temporary_folder().path();
    (void)cache.temporary_folder().write(".cc", "text");
    EXPECT_TRUE(std::filesystem::exists(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(DiskCache, AFolderThatIsRemovedMeanwhileIsNotMadeAgain) {
  const test::ScratchFolder scratch;
  const std::filesystem::path folder = scratch.path() / "cache";
  DiskCache cache(folder.string(), /*keep=*/true);
  std::filesystem::remove_all(folder);
  testing::internal::CaptureStderr();
  cache.store(kKey, "code");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("it was removed while this program runs"));
  EXPECT_FALSE(cache.keeps());
  (void)cache.temporary_folder().write(".cc", "text");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(DiskCache, WithoutAFolderThatCanBeMadeNothingIsKeptWithOneWarning) {
  const test::ScratchFolder folder;
  std::ofstream(folder.path() / "file") << "not a folder";
  testing::internal::CaptureStderr();
  DiskCache cache((folder.path() / "file" / "cache").string(), /*keep=*/true);
  cache.store(kKey, "code");
  DiskCache another((folder.path() / "file" / "cache").string(), /*keep=*/true);
  const std::string printed = testing::internal::GetCapturedStderr();
  const std::string text =
      "cannot use the cache folder '" + folder.string() + "/file/cache': '" + folder.string() + "/file' is no folder";
  EXPECT_THAT(printed, testing::HasSubstr(text));
  EXPECT_EQ(printed.find(text), printed.rfind(text)) << "told once";
  EXPECT_FALSE(cache.keeps());
  EXPECT_FALSE(cache.read(kKey));
  EXPECT_NE(std::filesystem::path(cache.temporary_folder().path()).parent_path(), folder.path());
}

}  // namespace
}  // namespace pilum::jit
