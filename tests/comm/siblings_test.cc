// What processes tell of themselves while they end.
#include "runtime/comm/siblings.h"

#include <gtest/gtest.h>

namespace pilum::comm {
namespace {

// A rank that looked who lives was ended by the exception, where a process ended between the opening and the reading.
TEST(Siblings, WhatCannotBeReadIsEmpty) {
  EXPECT_NE(contents_of("/proc/self/comm"), "");
  EXPECT_EQ(contents_of("/proc/self"), "") << "a directory can be opened, and not read";
  EXPECT_EQ(contents_of("/proc/self/none"), "");
}

}  // namespace
}  // namespace pilum::comm
