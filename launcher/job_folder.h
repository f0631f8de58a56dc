// Where the ranks of one node keep what they share in memory.
#pragma once

#include <string>

namespace pilum::launcher {

// Names the folder, from plaunch to what starts the ranks.
inline constexpr const char* kFolderVariable = "PLAUNCH_FOLDER";

// A new folder that nobody else can enter, in memory where there is room. Removed with all that is in it at the end, so
// that ranks which are killed leave nothing.
class JobFolder {
 public:
  JobFolder();
  explicit JobFolder(std::string path) : path_(std::move(path)) {}
  ~JobFolder();
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace pilum::launcher
