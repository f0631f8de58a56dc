#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/machine/machine.h"

namespace pilum::machine {
namespace {

std::vector<int> cores_of(const HostTopology& host) {
  std::vector<int> cores;
  for (const NumaDomain& domain : host.domains) cores.insert(cores.end(), domain.cores.begin(), domain.cores.end());
  return cores;
}

// hwloc reads a made-up machine instead of this one, as long as this lives.
class MadeUp {
 public:
  explicit MadeUp(const char* description) { setenv("HWLOC_SYNTHETIC", description, 1); }
  ~MadeUp() { unsetenv("HWLOC_SYNTHETIC"); }
};

TEST(Topology, ThisHostHasCoresThisProcessMayRunOn) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const HostTopology host = read_host_topology();
  const std::vector<int> cores = cores_of(host);
  ASSERT_FALSE(cores.empty());
  EXPECT_LE(host.cores(), CPU_COUNT(&allowed));
  EXPECT_EQ(std::set<int>(cores.begin(), cores.end()).size(), cores.size());
  for (int core : cores) EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(core), &allowed)) << core;
  EXPECT_GT(host.available_bytes, 0u);
  EXPECT_FALSE(host.host_name.empty());
}

TEST(Topology, TasksetIsHonoured) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const int core = cores_of(read_host_topology()).back();
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(core), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const HostTopology host = read_host_topology();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(cores_of(host), std::vector{core});
}

TEST(Topology, HyperthreadsOfACoreCountOnce) {
  const MadeUp machine("core:3 pu:2");
  EXPECT_EQ(cores_of(read_host_topology()), (std::vector{0, 2, 4}));
}

TEST(Topology, CoresAreGroupedByTheirNumaDomain) {
  const MadeUp machine("numa:2(memory=4294967296) core:2 pu:1");
  const HostTopology host = read_host_topology();
  ASSERT_EQ(host.domains.size(), 2u);
  EXPECT_EQ(host.domains[0].cores, (std::vector{0, 1}));
  EXPECT_EQ(host.domains[1].cores, (std::vector{2, 3}));
  EXPECT_EQ(host.domains[1].memory_bytes, 4294967296u);
}

TEST(Topology, TheCacheOfADomainIsTheSumOfItsLastLevels) {
  const MadeUp machine("numa:2 l3:2(size=8388608) l2:4(size=1048576) core:1 pu:2");
  const HostTopology host = read_host_topology();
  EXPECT_EQ(host.last_level_cache, 16u << 20);
  EXPECT_EQ(cache_share(host, 2), 4 << 20);
}

TEST(Topology, AnUnbelievableCacheIsCappedPerCore) {
  const MadeUp machine("l3:1(size=503316480) core:2 pu:1");
  EXPECT_EQ(read_host_topology().last_level_cache, 64u << 20);
}

}  // namespace
}  // namespace pilum::machine
