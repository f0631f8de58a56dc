// A folder for one test, removed with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iterator>
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
  // What is in it, hidden files too.
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }
  // The same without the folder of temporary files, which is there as long as a cache that has stored something.
  std::size_t count() const { return entries() - std::filesystem::exists(path_ / "temporary"); }

 private:
  std::filesystem::path path_;
};

}  // namespace pilum::jit::test
