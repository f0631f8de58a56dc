#include "runtime/base/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "pilum/error.h"

namespace pilum {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Variables for the length of a test.
class Variables {
 public:
  ~Variables() {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }
  void set(const std::string& name, const char* value) {
    names_.push_back(name);
    setenv(name.c_str(), value, /*overwrite=*/1);
  }

 private:
  std::vector<std::string> names_;
};

Config read_with(const std::string& name, const char* value) {
  Variables variables;
  variables.set(name, value);
  return read_config();
}

void refuses(const std::string& name, const char* value, const std::string& expected) {
  EXPECT_THAT([&] { static_cast<void>(read_with(name, value)); },
              ThrowsMessage<ValueError>(AllOf(HasSubstr(name + "=" + value), HasSubstr(expected))));
}

TEST(Config, AnUnknownVariableIsRefusedWithTheNearestName) {
  refuses("PILUM_WINDWO", "20", "the nearest is PILUM_WINDOW");
  refuses("PILUM_SYSMEM", "1G", "the nearest is PILUM_");
  refuses("PILUM_TRANSPROT", "mpi", "the nearest is PILUM_TRANSPORT");
  refuses("PILUM_window", "20", "the nearest is PILUM_");
  refuses("PILUM_", "1", "no such variable");
}

TEST(Config, InternalNamesAreNoAdvice) {
  try {
    static_cast<void>(read_with("PILUM_SUPERVISORS", "1"));
    FAIL() << "it was taken";
  } catch (const ValueError& error) {
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("nearest is PILUM_SUPERVISOR")));
  }
}

TEST(Config, VariablesOfTestsAndOfOthersAreLeftAlone) {
  for (const char* name : {"PILUM_TEST_ANYTHING", "PILUM_RANDOM_SEED", "PILUMS", "OTHER_PILUM_WINDWO", "PILUM"}) {
    EXPECT_NO_THROW(static_cast<void>(read_with(name, "x"))) << name;
  }
}

TEST(Config, SizesTakeSuffixes) {
  EXPECT_EQ(read_with("PILUM_SYSTEM_MEMORY", "64M").system_memory, 64 << 20);
  EXPECT_EQ(read_with("PILUM_GPU_MEMORY", "2GiB").gpu_memory, std::int64_t{2} << 30);
  EXPECT_EQ(read_with("PILUM_SPLIT_BYTES", "16k").split_bytes, 16 << 10);
  EXPECT_EQ(read_with("PILUM_MESSAGE_BYTES", "1T").message_bytes, std::int64_t{1} << 40);
  EXPECT_EQ(read_with("PILUM_SPLIT_BYTES", "512").split_bytes, 512);
}

TEST(Config, WhatIsNoSizeIsRefused) {
  for (const char* text :
       {"", "M", "64X", "64MB", "6 4M", "1.5G", "-1", "-64M", "+1", "9999999999G", "99999999999999999999"}) {
    refuses("PILUM_SYSTEM_MEMORY", text, "a whole number of bytes");
  }
}

TEST(Config, MinusOneLeavesTheSplitToTheMachine) {
  EXPECT_EQ(read_with("PILUM_SPLIT_BYTES", "-1").split_bytes, -1);
  refuses("PILUM_SPLIT_BYTES", "-2", "a whole number of bytes");
}

TEST(Config, NumbersHaveALowest) {
  EXPECT_EQ(read_with("PILUM_PLAN_CACHE", "-1").plan_cache, -1);
  refuses("PILUM_PLAN_CACHE", "-2", "a whole number of at least -1");
  refuses("PILUM_WINDOW", "two", "a whole number of at least 0");
  refuses("PILUM_CPUS", "2x", "a whole number of at least 0");
}

TEST(Config, FlagsAreYesOrNo) {
  for (const char* yes : {"1", "yes", "on", "true"}) EXPECT_TRUE(read_with("PILUM_SHOW_STATS", yes).show_stats) << yes;
  for (const char* no : {"0", "no", "off", "false", ""})
    EXPECT_FALSE(read_with("PILUM_GPU_SHARING", no).gpu_sharing) << no;
  refuses("PILUM_GPU_SHARING", "nein", "0 or 1");
}

TEST(Config, ChoicesAreListed) {
  refuses("PILUM_TRANSPORT", "pigeon", "best, self, mpi, ucx");
  refuses("PILUM_TRANSPORT", "self, mpi", "best, self, mpi, ucx");
  EXPECT_EQ(read_with("PILUM_PRINT", "tasks,plan").print, "tasks,plan");
  EXPECT_EQ(read_with("PILUM_PRINT", "").print, "");
  EXPECT_THAT([] { static_cast<void>(read_with("PILUM_PRINT", "tasks,soup")); },
              ThrowsMessage<ValueError>(
                  HasSubstr("PILUM_PRINT=soup: it takes one of operations, tasks, fusion, plan, kernels")));
}

}  // namespace
}  // namespace pilum
