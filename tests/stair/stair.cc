#include "tests/stair/stair.h"

#include <algorithm>
#include <functional>
#include <regex>
#include <sstream>

namespace pilum::test {
namespace {

bool starts_with_any(const std::string& text, const std::vector<std::string>& starts) {
  return std::any_of(starts.begin(), starts.end(), [&](const std::string& start) { return text.starts_with(start); });
}

// What a floor may name in quotes, or as <pilum/…>: the floors at or below it.
struct Floor {
  std::string folder;
  std::vector<std::string> may_include;
};

// What every floor may use of the public headers: values, and those that templates of users are turned into.
const std::vector<std::string> kValueHeaders{"pilum/detail/task_form.h",
                                             "pilum/dtype.h",
                                             "pilum/error.h",
                                             "pilum/fold.h",
                                             "pilum/piece.h",
                                             "pilum/shape.h",
                                             "pilum/slice.h"};

std::vector<std::string> with_values(std::vector<std::string> folders) {
  folders.insert(folders.end(), kValueHeaders.begin(), kValueHeaders.end());
  return folders;
}

const std::vector<Floor>& floors() {
  static const std::vector<Floor> all{
      {"include/pilum/", {"pilum/"}},
      {"apps/", {"pilum/", "apps/"}},
      {"numeric/", {"pilum/", "numeric/", "scheduler/", "partitioner/", "runtime/"}},
      {"scheduler/", with_values({"scheduler/", "partitioner/", "runtime/"})},
      {"partitioner/", with_values({"partitioner/", "runtime/"})},
      {"launcher/", with_values({"launcher/", "runtime/base/", "runtime/machine/"})},
      {"runtime/", with_values({"runtime/"})},
  };
  return all;
}

// Headers of others that few files may name.
struct Reserved {
  std::string what;
  std::regex header;
  std::vector<std::string> files;  // the files' beginnings
  std::regex also;                 // or the whole path
};

const std::vector<Reserved>& reserved() {
  static const std::regex none("$^");
  static const std::vector<Reserved> all{
      // metg_mpi is what our times are compared with: it is MPI by hand. pilum/mpi.h is for programs that are MPI's.
      {"mpi.h",
       std::regex("mpi\\.h|mpi-ext\\.h"),
       {"runtime/comm/mpi", "include/pilum/mpi.h"},
       std::regex("apps/metg_mpi\\.cc")},
      {"UCX", std::regex("(ucp|ucs|uct|ucm)/.*"), {"runtime/comm/ucx"}, none},
      {"hwloc.h", std::regex("hwloc(\\.h|/.*)"), {"runtime/machine/"}, none},
      {"clang and LLVM", std::regex("(clang|clang-c|llvm|llvm-c|lld)/.*"), {"runtime/jit/host"}, none},
      {"CUDA",
       std::regex("(cuda|cublas|cufft|cusolver|curand|nvrtc|nccl|nvtx3/).*"),
       {"runtime/device/cuda", "runtime/jit/device", "runtime/machine/cuda"},
       std::regex("numeric/.*/cuda.*")},
      {"Highway", std::regex("hwy/.*"), {"numeric/vector_sort_highway"}, none},
      {"CLI11", std::regex("CLI/.*"), {"launcher/", "apps/"}, none},
  };
  return all;
}

const Floor* floor_of(const std::string& file) {
  for (const Floor& floor : floors()) {
    if (file.starts_with(floor.folder)) return &floor;
  }
  return nullptr;
}

// "vector", or in the headers that C programs include as well, "stdint.h".
bool is_standard(const std::string& file, const std::string& header) {
  static const std::regex of_c("std(bool|def|int)\\.h");
  const bool serves_c = file == "include/pilum/c.h" || file.starts_with("include/pilum/c_");
  return header.find_first_of("/.") == std::string::npos || (serves_c && std::regex_match(header, of_c));
}

}  // namespace

std::vector<Include> find_includes(const std::string& text) {
  static const std::regex directive("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"].*");
  std::vector<Include> found;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::smatch match;
    if (std::regex_match(line, match, directive)) found.push_back({match[2], match[1] == "\"", number});
  }
  return found;
}

std::string find_fault(const std::string& file, const Include& include) {
  for (const Reserved& header : reserved()) {
    if (!std::regex_match(include.path, header.header)) continue;
    if (starts_with_any(file, header.files) || std::regex_match(file, header.also)) return "";
    return header.what + " belongs to " + header.files[0] + "*";
  }
  const Floor* floor = floor_of(file);
  if (!floor) return "";
  if (floor->folder == "apps/" && include.path.starts_with("pilum/detail/")) {
    return "programs include the pages of include/pilum, not what stands behind them";
  }
  const bool ours = include.quoted || include.path.starts_with("pilum/");
  if (ours && !starts_with_any(include.path, floor->may_include)) return floor->folder + " stands below or beside it";
  if (!ours && floor->folder == "include/pilum/" && !is_standard(file, include.path)) {
    return "public headers include the standard library only";
  }
  return "";
}

std::string room_of(const std::string& file) {
  const std::string path = file.starts_with("include/") ? file.substr(8) : file;
  if (path.starts_with("pilum/")) return "pilum";  // pages and what stands behind them are one room
  return path.substr(0, path.rfind('/'));
}

std::string folder_of(const std::string& file) {
  const std::string path = file.starts_with("include/") ? file.substr(8) : file;
  const std::size_t first = path.find('/');
  if (path.substr(0, first) != "runtime") return path.substr(0, first);
  return path.substr(0, path.find('/', first + 1));
}

std::vector<std::string> find_circle(const std::map<std::string, std::set<std::string>>& includes) {
  std::vector<std::string> path;
  std::set<std::string> done;
  std::function<std::vector<std::string>(const std::string&)> visit = [&](const std::string& folder) {
    const auto seen = std::find(path.begin(), path.end(), folder);
    if (seen != path.end()) return std::vector<std::string>(seen, path.end());
    if (!done.insert(folder).second) return std::vector<std::string>();
    path.push_back(folder);
    if (const auto found = includes.find(folder); found != includes.end()) {
      for (const std::string& next : found->second) {
        if (auto circle = visit(next); !circle.empty()) return circle;
      }
    }
    path.pop_back();
    return std::vector<std::string>();
  };
  for (const auto& [folder, ignored] : includes) {
    if (auto circle = visit(folder); !circle.empty()) return circle;
  }
  return {};
}

}  // namespace pilum::test
