#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"
#include "runtime/device/gpu.h"

namespace pilum::device {
namespace {

TEST(GpuList, ThereAreGpusOrItSaysWhyNot) {
  const GpuList list = list_gpus();
  EXPECT_EQ(list.gpus.empty(), !list.trouble.empty()) << list.trouble;
  for (const GpuInfo& gpu : list.gpus) {
    EXPECT_THAT(gpu.architecture, testing::StartsWith("sm_"));
    EXPECT_FALSE(gpu.bus.empty());
    EXPECT_GT(gpu.memory_bytes, 0);
    EXPECT_GT(gpu.multiprocessors, 0);
  }
}

TEST(GpuList, AskedAgainItSaysTheSame) {
  const GpuList first = list_gpus(), second = list_gpus();
  EXPECT_EQ(first.gpus.size(), second.gpus.size());
  EXPECT_EQ(first.trouble, second.trouble);
}

TEST(GpuList, WhatCannotBeOpenedIsNamed) {
  const std::string trouble = list_gpus().trouble;
  EXPECT_THAT([] { return open_gpu({.ordinal = 1000}); },
              testing::ThrowsMessage<RuntimeError>(
                  testing::AllOf(testing::HasSubstr("GPU 1000"), testing::HasSubstr(trouble))));
}

}  // namespace
}  // namespace pilum::device
