#include "runtime/comm/siblings.h"

#include <dirent.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

namespace pilum::comm {

// An iterator over the file would throw what reading throws; the operator takes it for the end.
std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

namespace {

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

bool starts_ranks(pid_t process) {
  std::string name = contents_of("/proc/" + std::to_string(process) + "/comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name == "mpirun" || name == "mpiexec" || name == "orterun" || name == "orted";
}

// Of a line "pid (name) state ppid …"; a name may hold anything.
std::optional<pid_t> parent_of(const std::string& folder) {
  const std::string stat = contents_of(folder + "/stat");
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= stat.size()) return std::nullopt;
  return number_of(std::string_view(stat).substr(name_end + 4));
}

std::optional<int> rank_of(const std::string& folder) {
  constexpr std::string_view kRank = "OMPI_COMM_WORLD_RANK=";
  const std::string environment = contents_of(folder + "/environ");
  for (std::size_t at = 0; at < environment.size(); at = environment.find('\0', at) + 1) {
    const std::string_view rest = std::string_view(environment).substr(at);
    if (rest.starts_with(kRank)) return number_of(rest.substr(kRank.size()));
    if (environment.find('\0', at) == std::string::npos) break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Siblings> find_siblings() {
  const char* started = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const pid_t parent = getppid();
  if (!started || !starts_ranks(parent)) return std::nullopt;
  Siblings siblings;
  siblings.started = number_of(started).value_or(0);
  const std::unique_ptr<DIR, int (*)(DIR*)> processes(opendir("/proc"), &closedir);
  if (!processes) return std::nullopt;
  while (const dirent* const entry = readdir(processes.get())) {
    if (!number_of(entry->d_name)) continue;
    const std::string folder = std::string("/proc/") + entry->d_name;
    if (parent_of(folder) != parent) continue;
    if (const auto rank = rank_of(folder)) siblings.alive.insert(*rank);
  }
  return siblings;
}

}  // namespace pilum::comm
