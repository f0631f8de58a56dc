// What a process finds out that it is part of.
#include <gtest/gtest.h>

#include "pilum/error.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

Config alone() {
  Config config;
  config.transport = "self";
  config.gpus = 0;
  config.cpus = 1;
  return config;
}

TEST(SessionParts, OfAProcessAloneAreOneRankWithItsCores) {
  const SessionParts parts = make_session_parts(alone());
  EXPECT_EQ(parts.communicator->size(), 1);
  EXPECT_EQ(parts.machine.ranks, 1);
  EXPECT_EQ(parts.machine.kind, machine::ProcessorKind::Cpu);
  ASSERT_EQ(parts.processors.size(), 1u);
  EXPECT_EQ(parts.processors[0].cores.size(), 1u);
  EXPECT_EQ(parts.machine.processors_per_rank, 1);
  EXPECT_TRUE(parts.gpus.empty());
  EXPECT_FALSE(parts.share_gpu_memory || parts.messages_from_gpus || parts.shares_cores);
  EXPECT_TRUE(parts.jit);
}

TEST(SessionParts, TakeWhatTheConfigurationSays) {
  Config config = alone();
  config.system_memory = 123 << 20;
  config.split_bytes = 77;
  config.message_bytes = 4096;
  const SessionParts parts = make_session_parts(config);
  EXPECT_EQ(parts.memory_limit, 123 << 20);
  EXPECT_EQ(parts.total_memory, 123 << 20);
  EXPECT_EQ(parts.machine.split_bytes, 77);
  EXPECT_EQ(parts.machine.message_bytes, 4096);
  EXPECT_EQ(parts.config.transport, "self");
}

// Nearly all of what is free, where nobody says how much.
TEST(SessionParts, TakeNoMoreMemoryThanThereIs) {
  const auto available = static_cast<double>(machine::read_host_topology().available_bytes);
  const SessionParts parts = make_session_parts(alone());
  EXPECT_GT(static_cast<double>(parts.memory_limit), 0.5 * available);
  EXPECT_LT(static_cast<double>(parts.memory_limit), 1.1 * available);
  EXPECT_EQ(parts.total_memory, parts.memory_limit);
  EXPECT_GT(parts.machine.cache_bytes, 0);
  EXPECT_LE(parts.machine.cache_bytes, machine::Machine().cache_bytes);
}

TEST(SessionParts, WantNoMoreCoresThanThereAreUnlessTheyMayBeShared) {
  Config config = alone();
  config.cpus = 100'000;
  EXPECT_THROW((void)make_session_parts(config), ValueError);
}

TEST(SessionParts, SayHowManyGpusAreMissing) {
  Config config = alone();
  config.gpus = 64;
  try {
    (void)make_session_parts(config);
    FAIL() << "64 GPUs were found";
  } catch (const ValueError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("--gpus 64 with 1 rank on this node needs 64 GPUs, but "), std::string::npos) << text;
    EXPECT_NE(text.find("use --gpus 0"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace pilum::scheduler
