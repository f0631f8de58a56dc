// Files that a compiler or the system's loader wants by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/jit/safe_folder.h"

namespace pilum::jit {

// A folder of mode 0700 under a random name, removed with this. It is locked for as long as the process lives: what a
// killed one has left, the next that makes or looks for such a folder in the same place removes. Thread-safe.
class TemporaryFolder {
 public:
  // In the folder of that path, which is made if need be (FolderUse::Own). Nothing: `why` says what is in the way.
  static std::unique_ptr<TemporaryFolder> make(const std::string& parent, FolderUse use, std::string& why);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Of an open folder, those that processes of this user have left.
  static void remove_abandoned(int parent);

  const std::string& path() const { return folder_.path; }
  int descriptor() const { return folder_.descriptor.get(); }
  // A name that no file has.
  static std::string new_name(const char* suffix);
  // The name of a new file with these bytes. Throws pilum::RuntimeError.
  std::string write(const char* suffix, std::string_view bytes) const;
  void remove(const std::string& name) const;
  // What a compiler wrote under the name; the file is gone. Throws pilum::RuntimeError.
  std::string take(const std::string& name) const;
  std::string path_of(const std::string& name) const { return folder_.path + '/' + name; }

 private:
  TemporaryFolder(Descriptor parent, std::string name, Folder folder)
      : parent_(std::move(parent)), name_(std::move(name)), folder_(std::move(folder)) {}

  Descriptor parent_;
  std::string name_;
  Folder folder_;
  pid_t maker_ = getpid();
};

// All of an open file; empty if that fails.
[[nodiscard]] std::string read_all_of(int file, std::size_t size);

}  // namespace pilum::jit
