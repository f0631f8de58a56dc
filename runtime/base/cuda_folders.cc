#include "runtime/base/cuda_folders.h"

#include <cstdlib>

namespace pilum {
namespace {

std::string value_of(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

}  // namespace

std::vector<std::string> find_cuda_folders(const std::vector<std::string>& others) {
  std::vector<std::string> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string home = value_of(name); !home.empty()) folders.push_back(home + "/lib64");
  }
  std::string list = value_of("LD_LIBRARY_PATH");
  for (std::size_t end; !list.empty(); list.erase(0, end == std::string::npos ? end : end + 1)) {
    end = list.find(':');
    if (end != 0) folders.push_back(list.substr(0, end));
  }
  folders.insert(folders.end(), others.begin(), others.end());
  folders.insert(folders.end(), {"/usr/local/cuda/lib64", "/opt/cuda/lib64"});
  return folders;
}

}  // namespace pilum
