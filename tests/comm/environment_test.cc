#include "runtime/comm/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "runtime/comm/communicator.h"

namespace pilum::comm {
namespace {

// Starts every test outside any launcher.
class Environment : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}) {
      ::unsetenv(name);
    }
  }
  static void set(const char* name, const char* value) { ::setenv(name, value, /*overwrite=*/1); }
};

TEST_F(Environment, APlainProcessIsAlone) {
  EXPECT_FALSE(is_multi_rank());
  EXPECT_EQ(make_communicator(Transport::Best)->name(), "self");
}

TEST_F(Environment, AnAllocationOfSlurmIsASingleRank) {
  set("SLURM_NTASKS", "8");
  set("SLURM_STEP_NUM_TASKS", "8");
  EXPECT_FALSE(is_multi_rank());
}

TEST_F(Environment, MpirunWithSeveralRanksIsMultiRank) {
  set("OMPI_COMM_WORLD_SIZE", "2");
  EXPECT_TRUE(is_multi_rank());
  EXPECT_EQ(launched_size(), 2);
}

TEST_F(Environment, MpirunWithOneRankIsAlone) {
  set("OMPI_COMM_WORLD_SIZE", "1");
  set("PMIX_RANK", "0");
  EXPECT_FALSE(is_multi_rank());
  EXPECT_EQ(make_communicator(Transport::Best)->name(), "self");
}

TEST_F(Environment, MpichIsUnderstood) {
  set("PMI_SIZE", "3");
  EXPECT_TRUE(is_multi_rank());
}

TEST_F(Environment, SrunWithPmixIsMultiRankByItsStep) {
  set("PMIX_RANK", "0");
  set("SLURM_STEP_NUM_TASKS", "4");
  EXPECT_EQ(launched_size(), 4);
  EXPECT_TRUE(is_multi_rank());
  set("SLURM_STEP_NUM_TASKS", "1");
  EXPECT_FALSE(is_multi_rank());
}

TEST_F(Environment, PmixThatDoesNotSayHowManyIsMultiRank) {
  set("PMIX_RANK", "0");
  EXPECT_FALSE(launched_size());
  EXPECT_TRUE(is_multi_rank());
}

TEST_F(Environment, WhatTheUserHasSetStands) {
  set("PILUM_TEST_SETTING", "theirs");
  prefer_environment("PILUM_TEST_SETTING", "ours");
  EXPECT_STREQ(std::getenv("PILUM_TEST_SETTING"), "theirs");
}

}  // namespace
}  // namespace pilum::comm
