#include "runtime/jit/safe_folder.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>

#include "runtime/base/log.h"

namespace pilum::jit {
namespace {

constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;
constexpr int kMaxLinks = 40;  // as the kernel's own limit

std::string reason() {
  return std::strerror(errno);
}

std::string owner_of(const struct stat& facts) {
  return fmt::format("belongs to user {}, and user {} runs this", facts.st_uid, geteuid());
}

std::string mode_of(const struct stat& facts) {
  return fmt::format("can be written by others (mode {:04o})", facts.st_mode & 07777u);
}

bool is_ours_or_roots(const struct stat& facts) {
  return facts.st_uid == geteuid() || facts.st_uid == 0;
}

// The way through a path: where it has come to, and the names that are left, the last one first.
class Walk {
 public:
  Walk(FolderUse use, std::string& why) : use_(use), why_(why) {}

  bool run(const std::string& path) {
    if (!start_at_root()) return false;
    add(path);
    while (!names_.empty()) {
      const std::string name = std::move(names_.back());
      names_.pop_back();
      if (!name.empty() && name != "." && !step(name)) return false;
    }
    return true;
  }

  Folder take() { return std::move(at_); }

 private:
  void add(const std::string& path) {
    for (std::size_t end = path.size(); end != std::string::npos;) {
      const std::size_t slash = end == 0 ? std::string::npos : path.rfind('/', end - 1);
      names_.push_back(path.substr(slash == std::string::npos ? 0 : slash + 1, end - (slash + 1)));
      end = slash;
    }
  }

  bool start_at_root() {
    at_ = {Descriptor(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)), ""};
    return enter(std::move(at_.descriptor), "");
  }

  // Each name is opened without following it, and then looked at by its descriptor: nobody can put another one there in
  // between.
  bool step(const std::string& name) {
    if (name == "..") {
      return enter(Descriptor(openat(at_.descriptor.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC)),
                   at_.path.substr(0, at_.path.find_last_of('/')));
    }
    const std::string path = at_.path + '/' + name;
    Descriptor next = open_here(name);
    if (!next && errno == ENOENT && use_ == FolderUse::Own) {
      if (!make_private_folder(at_.descriptor.get(), name) && errno != EEXIST) {
        why_ = "cannot make the folder '" + path + "': " + reason();
        return false;
      }
      next = open_here(name);
    }
    return enter(std::move(next), path);
  }

  Descriptor open_here(const std::string& name) const {
    constexpr int kFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    // As a folder at first: without that, one that is mounted when it is used would not be.
    Descriptor folder(openat(at_.descriptor.get(), name.c_str(), kFlags | O_DIRECTORY));
    if (folder || errno != ENOTDIR) return folder;
    return Descriptor(openat(at_.descriptor.get(), name.c_str(), kFlags));
  }

  bool enter(Descriptor next, const std::string& path) {
    struct stat facts{};
    const std::string name = path.empty() ? "/" : path;
    if (!next || fstat(next.get(), &facts) != 0) {
      why_ = "cannot open '" + name + "': " + reason();
    } else if (!is_ours_or_roots(facts)) {
      why_ = "'" + name + "' " + owner_of(facts);
    } else if (S_ISLNK(facts.st_mode)) {
      return follow(next.get(), name);
    } else if (!S_ISDIR(facts.st_mode)) {
      why_ = "'" + name + "' is no folder";
    } else if (facts.st_mode & kWritableByOthers && !(facts.st_mode & S_ISVTX)) {
      why_ = "'" + name + "' " + mode_of(facts);
    } else {
      at_ = {std::move(next), path};
      return true;
    }
    return false;
  }

  bool follow(int link, const std::string& name) {
    char target[PATH_MAX];
    const ssize_t length = readlinkat(link, "", target, sizeof target);
    if (length <= 0 || length == sizeof target || ++links_ > kMaxLinks) {
      why_ = "cannot follow the symbolic link '" + name + "'";
      return false;
    }
    add(std::string(target, static_cast<std::size_t>(length)));
    return target[0] != '/' || start_at_root();
  }

  const FolderUse use_;
  std::string& why_;
  Folder at_;
  std::vector<std::string> names_;
  int links_ = 0;
};

}  // namespace

std::optional<Folder> open_safe_folder(const std::string& path, FolderUse use, std::string& why) {
  std::error_code error;
  const std::string start = path.starts_with('/') ? "" : std::filesystem::current_path(error).string() + '/';
  if (error) {
    why = "there is no working directory: " + error.message();
    return std::nullopt;
  }
  Walk walk(use, why);
  if (!walk.run(start + path)) return std::nullopt;
  Folder folder = walk.take();
  const std::string name = "'" + (folder.path.empty() ? "/" : folder.path) + "' ";
  struct stat facts{};
  if (fstat(folder.descriptor.get(), &facts) != 0) {
    why = name + "cannot be looked at: " + reason();
  } else if (use == FolderUse::Own && facts.st_uid != geteuid()) {
    why = name + owner_of(facts);
  } else if (use == FolderUse::Own && facts.st_mode & kWritableByOthers) {
    why = name + mode_of(facts);
  } else if (faccessat(folder.descriptor.get(), ".", W_OK | X_OK, getuid() == geteuid() ? 0 : AT_EACCESS) != 0) {
    why = name + "cannot be written: " + reason();
  } else {
    return folder;
  }
  return std::nullopt;
}

bool make_private_folder(int parent, const std::string& name) {
  if (mkdirat(parent, name.c_str(), S_IRWXU) != 0) return false;
  struct stat facts{};
  if (fstatat(parent, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return (facts.st_mode & S_IRWXU) == S_IRWXU || fchmodat(parent, name.c_str(), S_IRWXU, 0) == 0;
}

Descriptor make_private_file(int folder, const std::string& name) {
  Descriptor file(openat(folder, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file && fchmod(file.get(), S_IRUSR | S_IWUSR) != 0) return {};
  return file;
}

std::string why_not_own_file(const struct stat& facts) {
  if (S_ISLNK(facts.st_mode)) return "is a symbolic link";
  if (!S_ISREG(facts.st_mode)) return "is no regular file";
  if (facts.st_uid != geteuid()) return owner_of(facts);
  if (facts.st_mode & kWritableByOthers) return mode_of(facts);
  return {};
}

}  // namespace pilum::jit
