#include "tests/perf/programs/difference.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pilum::programs {
namespace {

using testing::HasSubstr, testing::IsEmpty;

TEST(Difference, RoundingIsNone) {
  EXPECT_THAT(difference_of({1.0, 100.0, 0.0}, {1.0, 100.0, 1e-8}, 1e-9), IsEmpty());
  EXPECT_THAT(difference_of({0.0, 0.0}, {0.0, 0.0}, 1e-9), IsEmpty());
  EXPECT_THAT(difference_of({}, {}, 1e-9), IsEmpty());
}

TEST(Difference, NamesTheWorstCell) {
  EXPECT_THAT(difference_of({1.0, 100.0, 0.0}, {1.0 + 1e-6, 100.0, 1e-3}, 1e-9), HasSubstr("cell 2 is 0, by hand"));
}

TEST(Difference, NoNumberIsEqualToNone) {
  EXPECT_THAT(difference_of({1.0, NAN}, {1.0, NAN}, 1e-9), HasSubstr("cell 1 is nan"));
  EXPECT_THAT(difference_of({1.0, 2.0}, {INFINITY, 2.0}, 1e-9), HasSubstr("cell 0 is 1, by hand inf"));
}

TEST(Difference, CountsCells) {
  EXPECT_THAT(difference_of({1.0}, {1.0, 1.0}, 1e-9), HasSubstr("1 cells, by hand 2"));
}

}  // namespace
}  // namespace pilum::programs
