// Folders and files that no other user can change. "User" is the effective one of this process; root may do anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/stat.h>

#include "runtime/jit/descriptor.h"

namespace pilum::jit {

// An open folder, and its path without symbolic links.
struct Folder {
  Descriptor descriptor;
  std::string path;
};

enum class FolderUse : std::uint8_t {
  Own,     // the user's own, which nobody else can write; made if it is not there, with those above it
  Shared,  // may as well be one like /tmp, where everybody makes files that nobody else can remove
};

// Opens a folder one step at a time, from the root on. Each folder on the way, and each symbolic link, must belong to
// the user or to root; no folder may be writable by anybody else, unless its sticky bit protects what is in it. So the
// path leads to the same folder as long as the user wishes. Nothing: `why` says which part of the path is not so.
// Folders are made with mode 0700, whatever the umask.
[[nodiscard]] std::optional<Folder> open_safe_folder(const std::string& path, FolderUse use, std::string& why);

// Makes a folder that only the user can enter, whatever the umask. False: errno says why.
[[nodiscard]] bool make_private_folder(int parent, const std::string& name);

// A new file in a folder, open to be written, that only the user can read and write, whatever the umask. Invalid: errno
// says why.
[[nodiscard]] Descriptor make_private_file(int folder, const std::string& name);

// Empty: the file is a regular one of the user's own, which nobody else can write. Else what it is.
[[nodiscard]] std::string why_not_own_file(const struct stat& facts);

}  // namespace pilum::jit
