// Compiled kernels as files.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/jit/digest.h"

namespace pilum::jit {

// A folder of ELF images, compiled kernels of one kind of processor, each named by the digest of all that it was made
// from, with a trailer behind it (which loaders of shared objects ignore):
//
//   | image | magic, 8 bytes | digest of (name, image), 16 bytes |
//
// Many processes may use one folder at once: files are written under a name of their own and then renamed, and what
// does not match its trailer counts as absent. If the folder cannot be written, one warning is logged and files go to
// a temporary folder of this process, removed with the cache. Thread-safe.
class DiskCache {
 public:
  // keep: false uses a temporary folder from the start. An empty folder is the user's: see default_folder(). The
  // suffix is that of all its files.
  DiskCache(const std::string& folder, bool keep, const char* suffix = ".kernel");
  ~DiskCache();
  DiskCache(const DiskCache&) = delete;
  DiskCache& operator=(const DiskCache&) = delete;

  // The image of the key, without the trailer; nothing where there is no file, or one that is not whole.
  std::optional<std::string> read(const Digest& key) const;
  // Calls `write` with a file name to write the image to, and keeps the file under the key.
  std::filesystem::path store(const Digest& key, const std::function<void(const std::filesystem::path&)>& write);
  // Keeps an image that is in memory.
  std::filesystem::path store(const Digest& key, std::string_view image);
  // Where the key's file is, or would be.
  std::filesystem::path path_of(const Digest& key) const;
  // A name in the folder that nobody else uses.
  std::filesystem::path temporary_name(const char* suffix);
  const std::filesystem::path& folder() const { return folder_; }

  // $PILUM_CACHE_DIR, else $XDG_CACHE_HOME/pilum, else ~/.cache/pilum; empty: none of these is set.
  static std::string default_folder();

 private:
  std::filesystem::path keep(const Digest& key, const std::filesystem::path& partial);
  void use_temporary_folder();

  const char* suffix_;
  std::filesystem::path folder_;
  bool temporary_ = false;
  std::atomic<int> names_{0};
};

}  // namespace pilum::jit
