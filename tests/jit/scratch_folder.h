// A folder for one test, removed with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pilum::jit::test {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pilum-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string string() const { return path_.string(); }
  // Files in it, hidden ones too.
  std::size_t count() const {
    std::size_t files = 0;
    for (auto it = std::filesystem::directory_iterator(path_); it != std::filesystem::directory_iterator(); ++it)
      ++files;
    return files;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace pilum::jit::test
