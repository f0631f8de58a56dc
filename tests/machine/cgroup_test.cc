#include "runtime/machine/cgroup.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace pilum::machine {
namespace {

namespace fs = std::filesystem;

// A file tree standing for "/".
class Cgroup : public testing::Test {
 protected:
  Cgroup() {
    std::string name = (fs::temp_directory_path() / "pilum_cgroup_XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~Cgroup() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void mount_version_2() {
    write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n");
  }
  fs::path root_;
};

TEST_F(Cgroup, NothingMountedLimitsNothing) {
  EXPECT_EQ(read_cgroup_limits(root_), CgroupLimits{});
}

TEST_F(Cgroup, Version2LeavesItsLimitLessWhatIsUsedAndNotCache) {
  mount_version_2();
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "1000000\n");
  write("sys/fs/cgroup/job/memory.current", "300000\n");
  write("sys/fs/cgroup/job/memory.stat", "anon 200000\ninactive_file 100000\n");
  EXPECT_EQ(read_cgroup_limits(root_).memory_left, 800000u);
}

TEST_F(Cgroup, TheTightestGroupOnTheWayUpCounts) {
  mount_version_2();
  write("proc/self/cgroup", "0::/slice/job/step\n");
  write("sys/fs/cgroup/slice/memory.max", "5000\n");
  write("sys/fs/cgroup/slice/job/memory.max", "4000\n");
  write("sys/fs/cgroup/slice/job/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/slice/job/step/memory.max", "max\n");
  write("sys/fs/cgroup/slice/job/step/cpu.max", "max 100000\n");
  EXPECT_EQ(read_cgroup_limits(root_), (CgroupLimits{4000, 1.5}));
}

TEST_F(Cgroup, MoreUsedThanAllowedLeavesNothing) {
  mount_version_2();
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1000\n");
  write("sys/fs/cgroup/memory.current", "3000\n");
  EXPECT_EQ(read_cgroup_limits(root_).memory_left, 0u);
}

TEST_F(Cgroup, Version1ReadsMemoryAndQuotaFromTheirOwnHierarchies) {
  write("proc/self/mountinfo",
        "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("proc/self/cgroup", "4:memory:/a/b\n1:cpu,cpuacct:/c\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "4096\n");
  write("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "1096\n");
  write("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "200000\n");
  write("sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read_cgroup_limits(root_), (CgroupLimits{3000, 2.0}));
}

TEST_F(Cgroup, Version1WithoutLimitsLimitsNothing) {
  write("proc/self/mountinfo",
        "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
        "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("proc/self/cgroup", "4:memory:/\n1:cpu:/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read_cgroup_limits(root_), CgroupLimits{});
}

TEST_F(Cgroup, AContainersMountStartsAtItsOwnGroup) {
  write("proc/self/mountinfo", "35 31 0:32 /docker/x /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("proc/self/cgroup", "4:memory:/docker/x/inner\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9000\n");
  write("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "7000\n");
  EXPECT_EQ(read_cgroup_limits(root_).memory_left, 7000u);
}

TEST_F(Cgroup, APathOfAnotherNamespaceFallsBackToTheMountPoint) {
  mount_version_2();
  write("proc/self/cgroup", "0::/../outside/job\n");
  write("sys/fs/cgroup/memory.max", "8000\n");
  EXPECT_EQ(read_cgroup_limits(root_).memory_left, 8000u);
}

TEST_F(Cgroup, AvailableMemoryIsReadInKibibytes) {
  write("proc/meminfo", "MemTotal: 100 kB\nMemFree: 10 kB\nMemAvailable: 20 kB\n");
  EXPECT_EQ(read_available_memory(root_), 20u * 1024);
}

}  // namespace
}  // namespace pilum::machine
