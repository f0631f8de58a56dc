#include "numeric/c_interface/place.h"

#include <gtest/gtest.h>

#include <string>

namespace pilum::c_interface {
namespace {

// What the standard library says of a real location must be what locate() makes: its layout is the compilers'.
TEST(Place, IsASourceLocation) {
  const std::source_location here = std::source_location::current();
  const std::source_location same = locate({here.file_name(), here.line()});
  EXPECT_STREQ(same.file_name(), here.file_name());
  EXPECT_EQ(same.line(), here.line());
  EXPECT_STREQ(same.function_name(), "");
  EXPECT_EQ(same.column(), 0u);
}

TEST(Place, OutlivesTheTextThatItWasMadeOf) {
  std::string file = "first.c";
  const std::source_location first = locate({file.c_str(), 1});
  file = "other.c";  // the same buffer
  EXPECT_STREQ(locate({file.c_str(), 1}).file_name(), "other.c");
  EXPECT_STREQ(first.file_name(), "first.c");
}

TEST(Place, EqualPlacesShareTheirText) {
  const std::string one = "same.c", two = "same.c";
  EXPECT_EQ(locate({one.c_str(), 7}).file_name(), locate({two.c_str(), 7}).file_name());
  EXPECT_EQ(locate({one.c_str(), 8}).line(), 8u);
}

TEST(Place, WithoutAFileIsNotKnown) {
  EXPECT_STREQ(locate({nullptr, 0}).file_name(), "a line that is not known");
}

}  // namespace
}  // namespace pilum::c_interface
