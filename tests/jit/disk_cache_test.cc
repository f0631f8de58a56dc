#include "runtime/jit/disk_cache.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/jit/scratch_folder.h"

namespace pilum::jit {
namespace {

constexpr Digest kKey{1, 2};

auto writing(const std::string& content) {
  return [content](const std::filesystem::path& path) { std::ofstream(path) << content; };
}

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(DiskCache, FindsWhatItStored) {
  const test::ScratchFolder folder;
  DiskCache cache(folder.string(), /*keep=*/true);
  EXPECT_FALSE(cache.read(kKey));
  const std::filesystem::path stored = cache.store(kKey, writing("code"));
  EXPECT_TRUE(cache.read(kKey));
  EXPECT_EQ(cache.path_of(kKey), stored);
  EXPECT_EQ(content_of(stored).substr(0, 4), "code");
  EXPECT_EQ(DiskCache(folder.string(), /*keep=*/true).read(kKey), "code");
}

TEST(DiskCache, ADamagedFileIsAbsent) {
  const test::ScratchFolder folder;
  DiskCache cache(folder.string(), /*keep=*/true);
  const std::filesystem::path stored = cache.store(kKey, writing(std::string(1000, 'c')));
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
  EXPECT_EQ(cache.path_of(kKey), stored);
}

TEST(DiskCache, AFileUnderAnothersNameIsAbsent) {
  const test::ScratchFolder folder;
  DiskCache cache(folder.string(), /*keep=*/true);
  const std::filesystem::path stored = cache.store(kKey, writing("code"));
  std::filesystem::copy_file(stored, folder.path() / (to_string(Digest{3, 4}) + ".kernel"));
  EXPECT_FALSE(cache.read(Digest{3, 4}));
}

TEST(DiskCache, AFailedWriteLeavesNothingBehind) {
  const test::ScratchFolder folder;
  DiskCache cache(folder.string(), /*keep=*/true);
  const auto fail = [](const std::filesystem::path& path) {
    std::ofstream(path) << "half";
    throw std::runtime_error("compiler");
  };
  EXPECT_THROW(cache.store(kKey, fail), std::runtime_error);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(DiskCache, ATemporaryFolderGoesWithTheCache) {
  std::filesystem::path folder;
  {
    DiskCache cache("", /*keep=*/false);
    folder = cache.folder();
    cache.store(kKey, writing("code"));
    EXPECT_TRUE(std::filesystem::exists(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(DiskCache, AFolderThatCannotBeMadeIsReplacedWithOneWarning) {
  const test::ScratchFolder folder;
  std::ofstream(folder.path() / "file") << "not a folder";
  testing::internal::CaptureStderr();
  DiskCache cache((folder.path() / "file" / "cache").string(), /*keep=*/true);
  const std::filesystem::path stored = cache.store(kKey, writing("code"));
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_NE(printed.find("cannot write the cache folder"), std::string::npos) << printed;
  EXPECT_TRUE(cache.read(kKey));
  EXPECT_EQ(cache.path_of(kKey), stored);
  EXPECT_NE(stored.parent_path(), folder.path());
}

}  // namespace
}  // namespace pilum::jit
