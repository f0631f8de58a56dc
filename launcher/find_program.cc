#include "launcher/find_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "pilum/error.h"

namespace pilum::launcher {
namespace fs = std::filesystem;
namespace {

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_program(const fs::path& path) {
  return is_file(path) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> find_library(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(own_path()).parent_path();
  for (const char* place : {".", PILUM_PLUGINS_FROM_PROGRAMS}) {
    std::error_code ignored;
    const std::filesystem::path path = folder / place / name;
    if (std::filesystem::exists(path, ignored)) return std::filesystem::weakly_canonical(path, ignored).string();
  }
  return std::nullopt;
}

std::string own_path() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "plaunch" : path.string();
}

std::optional<std::string> find_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? std::optional(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (is_program(candidate)) return candidate.string();
  }
  return std::nullopt;
}

std::string find_application(const std::string& name) {
  const bool has_slash = name.find('/') != std::string::npos;
  if (is_program(name)) return has_slash ? name : "./" + name;
  if (!has_slash) {
    if (auto found = find_in_path(name)) return *found;
    const fs::path here = fs::path(own_path()).parent_path();
    for (const fs::path& candidate : {here / name, here.parent_path() / "apps" / name}) {
      if (is_program(candidate)) return candidate.string();
    }
  }
  if (is_file(name)) throw ValueError(name + ": the file exists but is not executable; chmod +x makes it so");
  if (fs::is_directory(name)) throw ValueError(name + ": a folder, not an application");
  throw ValueError(name + ": no such application; looked for that path" +
                   (has_slash ? "; build it, or check the spelling"
                              : ", in PATH, beside plaunch and in ../apps of it; build it, or give its path"));
}

}  // namespace pilum::launcher
