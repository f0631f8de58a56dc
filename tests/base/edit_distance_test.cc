#include "runtime/base/edit_distance.h"

#include <gtest/gtest.h>

namespace pilum {
namespace {

TEST(EditDistance, CountsTheFewestChanges) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("window", "window"), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("window", "windows"), 1u);
  EXPECT_EQ(edit_distance("window", "wndow"), 1u);
  EXPECT_EQ(edit_distance("window", "windaw"), 1u);
  EXPECT_EQ(edit_distance("window", "widnow"), 1u);  // two neighbours exchanged
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace pilum
