#include "runtime/jit/find_plugin.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jit/scratch_folder.h"

namespace pilum::jit {
namespace {

namespace fs = std::filesystem;

std::string put(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "a plug-in\n";
  return file.string();
}

TEST(FindPlugin, LiesBesideTheLibraryBeforeTheRunPath) {
  const test::ScratchFolder folder;
  const OwnPlace place{folder.path() / "lib" / "libpilum.so.0.2.0", {folder.path() / "other"}};
  EXPECT_EQ(find_plugin("plug.so", place), "");
  const std::string on_run_path = put(folder.path() / "other" / "plug.so");
  EXPECT_EQ(find_plugin("plug.so", place), on_run_path);
  const std::string beside = put(folder.path() / "lib" / "pilum" / "plug.so");
  EXPECT_EQ(find_plugin("plug.so", place), beside);
}

TEST(FindPlugin, AProgramsFolderIsNotLookedIn) {
  const test::ScratchFolder folder;
  put(folder.path() / "plug.so");
  put(folder.path() / "pilum" / "plug.so");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_EQ(find_plugin("plug.so", OwnPlace{}), "");
  EXPECT_EQ(find_plugin("plug.so", OwnPlace{"", {"", ".", "pilum"}}), "");
  fs::current_path(before);
}

TEST(FindPlugin, AFolderOfThatNameIsNoPlugin) {
  const test::ScratchFolder folder;
  fs::create_directories(folder.path() / "plug.so");
  EXPECT_EQ(find_plugin("plug.so", OwnPlace{"", {folder.path()}}), "");
}

TEST(FindPlugin, WhereItWasLookedForIsSaid) {
  EXPECT_EQ(describe_search({"/opt/lib/libpilum.so", {"/usr/lib", "relative"}}),
            "looked in /opt/lib/pilum, /usr/lib; put it there, or set PILUM_JIT_PLUGIN to its path");
}

// This program links the library statically: its own run path is what the build gave it.
TEST(FindPlugin, AProgramThatHoldsTheLibraryHasARunPath) {
  const OwnPlace place = find_own_place();
  EXPECT_EQ(place.library, "");
  EXPECT_FALSE(place.run_path.empty());
#ifdef PILUM_TEST_PLUGIN_FOLDER
  EXPECT_THAT(place.run_path, testing::Contains(fs::path(PILUM_TEST_PLUGIN_FOLDER)));
  EXPECT_EQ(find_plugin("libpilum_jit_clang.so", place), PILUM_TEST_PLUGIN_FOLDER "/libpilum_jit_clang.so");
#endif
}

}  // namespace
}  // namespace pilum::jit
