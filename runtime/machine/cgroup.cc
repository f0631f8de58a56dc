#include "runtime/machine/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace pilum::machine {
namespace {

namespace fs = std::filesystem;

// A mounted cgroup hierarchy. Version 2 has no controllers in its name: they are all in one.
struct Mount {
  int version = 2;
  std::string group_root;  // the group seen at the mount point
  fs::path point;
  std::string options;  // version 1: ",memory,cpu,"
};

bool has_word(const std::string& words, const std::string& word) {
  return ("," + words + ",").find("," + word + ",") != std::string::npos;
}

// "36 35 98:0 /root /mnt rw,noatime master:1 - cgroup cgroup rw,memory"
std::vector<Mount> read_mounts(const fs::path& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::string skipped, group_root, point, type, source, options;
    std::istringstream left(line.substr(0, dash)), right(line.substr(dash + 3));
    left >> skipped >> skipped >> skipped >> group_root >> point;
    right >> type >> source >> options;
    if (type == "cgroup2") mounts.push_back({2, group_root, point, ""});
    if (type == "cgroup") mounts.push_back({1, group_root, point, options});
  }
  return mounts;
}

// The path of our group in the hierarchy: "4:memory:/a/b", "0::/a/b".
std::string read_group(const fs::path& root, const Mount& mount, const std::string& controller) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (mount.version == 2 ? controllers.empty() : has_word(controllers, controller)) return line.substr(second + 1);
  }
  return "/";
}

// Folders of our group and the groups above it, up to the mount point. In a container the mount may start at our own
// group (its root is a prefix of the path), or the path may be of another namespace: then the mount point is all.
std::vector<fs::path> group_folders(const fs::path& root, const Mount& mount, const std::string& controller) {
  const fs::path top = root / mount.point.relative_path();
  std::string group = read_group(root, mount, controller);
  if (mount.group_root != "/" && group.starts_with(mount.group_root)) group.erase(0, mount.group_root.size());
  std::vector<fs::path> folders{top};
  std::error_code error;
  for (const fs::path& part : fs::path(group).relative_path()) {
    if (part.empty() || part == ".." || !fs::is_directory(folders.back() / part, error)) break;
    folders.push_back(folders.back() / part);
  }
  return folders;
}

std::optional<std::int64_t> read_number(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // no such file, or "max"
}

std::int64_t read_statistic(const fs::path& path, const std::string& wanted) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t number = 0;
    if (words >> name >> number && name == wanted) return number;
  }
  return 0;
}

template <class Number>
void tighten(std::optional<Number>& limit, Number value) {
  limit = limit ? std::min(*limit, value) : value;
}

void read_memory(const fs::path& group, int version, CgroupLimits& limits) {
  const auto limit = read_number(group / (version == 2 ? "memory.max" : "memory.limit_in_bytes"));
  // Version 1 says "no limit" as the largest number of whole pages.
  if (!limit || *limit < 0 || *limit > (std::int64_t{1} << 60)) return;
  const auto used = read_number(group / (version == 2 ? "memory.current" : "memory.usage_in_bytes")).value_or(0);
  const auto cached = read_statistic(group / "memory.stat", version == 2 ? "inactive_file" : "total_inactive_file");
  const std::int64_t left = *limit - std::max<std::int64_t>(used - cached, 0);
  tighten(limits.memory_left, static_cast<std::uint64_t>(std::max<std::int64_t>(left, 0)));
}

void read_quota(const fs::path& group, int version, CgroupLimits& limits) {
  std::optional<std::int64_t> quota, period;
  if (version == 2) {
    std::ifstream file(group / "cpu.max");  // "max 100000", "150000 100000"
    std::int64_t quota_us = 0, period_us = 0;
    if (file >> quota_us >> period_us) quota = quota_us, period = period_us;
  } else {
    quota = read_number(group / "cpu.cfs_quota_us");  // -1: none
    period = read_number(group / "cpu.cfs_period_us");
  }
  if (quota && period && *quota > 0 && *period > 0) {
    tighten(limits.cpus, static_cast<double>(*quota) / static_cast<double>(*period));
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  for (const Mount& mount : read_mounts(root)) {
    if (mount.version == 2 || has_word(mount.options, "memory")) {
      for (const fs::path& group : group_folders(root, mount, "memory")) read_memory(group, mount.version, limits);
    }
    if (mount.version == 2 || has_word(mount.options, "cpu")) {
      for (const fs::path& group : group_folders(root, mount, "cpu")) read_quota(group, mount.version, limits);
    }
  }
  return limits;
}

std::uint64_t read_available_memory(const fs::path& root) {
  return static_cast<std::uint64_t>(read_statistic(root / "proc/meminfo", "MemAvailable:")) * 1024;
}

}  // namespace pilum::machine
