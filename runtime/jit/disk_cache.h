// Compiled kernels as files.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/jit/digest.h"
#include "runtime/jit/safe_folder.h"
#include "runtime/jit/temporary_folder.h"

namespace pilum::jit {

// A folder of ELF images, compiled kernels of one kind of processor, each named by the digest of all that it was made
// from, with a trailer behind it:
//
//   | image | magic, 8 bytes | digest of (name, image), 16 bytes |
//
// The trailer shows damage, not who wrote the file: it has no secret. What keeps strangers out is the folder and its
// files, which must belong to the effective user and be writable by nobody else (safe_folder.h). A folder that is not
// so is neither read nor written: one warning is logged, and kernels are not kept. Nor is a file that is not so read.
//
// Many processes may use one folder at once: files are written in a folder of each process's own, temporary/ within
// this one, and then renamed. Thread-safe.
class DiskCache {
 public:
  // keep: false neither reads nor writes the folder. An empty folder is the user's: see default_folder(). The suffix is
  // that of all its files.
  DiskCache(const std::string& folder, bool keep, const char* suffix = ".kernel");
  ~DiskCache();
  DiskCache(const DiskCache&) = delete;
  DiskCache& operator=(const DiskCache&) = delete;

  // The image of the key, without the trailer; nothing where there is no file, or one that is not whole or not ours.
  std::optional<std::string> read(const Digest& key) const;
  // Keeps an image, where images are kept. Throws pilum::RuntimeError.
  void store(const Digest& key, std::string_view image);
  // Whether images are kept.
  bool keeps() const { return folder_ && !gave_up_; }
  // Where the key's file is, or would be; empty if images are not kept.
  std::string path_of(const Digest& key) const;
  // For files that a compiler or the loader wants by name, made when first asked for: in the folder, else where the
  // system keeps temporary files. Throws pilum::RuntimeError if there is no safe place.
  const TemporaryFolder& temporary_folder();

  // $PILUM_CACHE_DIR, else $XDG_CACHE_HOME/pilum, else ~/.cache/pilum; empty: none of these is set.
  static std::string default_folder();

 private:
  void give_up(const std::string& folder, const std::string& why);
  void remove_abandoned() const;
  std::string name_of(const Digest& key) const { return to_string(key) + suffix_; }

  const char* suffix_;
  std::optional<Folder> folder_;
  std::atomic<bool> gave_up_{false};
  std::mutex temporary_mutex_;  // guards what follows
  std::unique_ptr<TemporaryFolder> temporary_;
  bool temporary_is_inside_ = false;
};

}  // namespace pilum::jit
