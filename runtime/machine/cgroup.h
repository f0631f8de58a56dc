// What control groups leave a process: read from /proc and the cgroup file systems, version 1 and 2.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace pilum::machine {

// Of the process's group and all groups above it, the tightest. Nothing where nothing is limited.
struct CgroupLimits {
  std::optional<std::uint64_t> memory_left;  // bytes that may still be taken; page cache counts as free
  std::optional<double> cpus;                // processor time a second, in cores
  bool operator==(const CgroupLimits&) const = default;
};

// Never throws: what cannot be read does not limit. `root` stands for "/", so that tests bring their own files.
[[nodiscard]] CgroupLimits read_cgroup_limits(const std::filesystem::path& root = "/");

// MemAvailable of /proc/meminfo in bytes; 0 when it cannot be read.
[[nodiscard]] std::uint64_t read_available_memory(const std::filesystem::path& root = "/");

}  // namespace pilum::machine
