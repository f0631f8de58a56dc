#include "runtime/jit/temporary_folder.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/jit/digest.h"

namespace pilum::jit {
namespace {

constexpr std::string_view kPrefix = "pilum-";
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::size_t kRandomLetters = 32;
constexpr int kMaxTries = 20;
// What another machine has left in a shared file system, where locks need not reach.
constexpr std::time_t kLongAgo = 30 * 24 * 3600;
// Others may fill /tmp with names like ours.
constexpr int kMaxLookedAt = 1000;

// The same in all processes that see one another's locks.
const std::string& machine_name() {
  static const std::string name = [] {
    std::string boot;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
    char host[65] = {};
    if (boot.empty() && gethostname(host, sizeof host - 1) == 0) boot = host;
    return std::string(kPrefix) + to_string(digest(boot)).substr(0, 8) + '-';
  }();
  return name;
}

std::string random_text() {
  std::uint64_t words[2] = {};
  if (getrandom(words, sizeof words, 0) != sizeof words) {
    throw RuntimeError(std::string("[compile kernel] the system provides no random numbers: ") + std::strerror(errno));
  }
  return to_string(Digest{words[0], words[1]});
}

// False: another process holds it, or it cannot be locked.
bool lock(int folder) {
  return flock(folder, LOCK_EX | LOCK_NB) == 0;
}

// Until one returns false.
template <class Visit>
void for_each_name(int folder, const Visit& visit) {
  Descriptor copy(openat(folder, ".", kFolderFlags));
  DIR* const entries = copy ? fdopendir(copy.get()) : nullptr;
  if (!entries) return;
  copy.release();
  const dirent* entry = readdir(entries);
  while (entry && visit(std::string(entry->d_name))) entry = readdir(entries);
  closedir(entries);
}

void remove_files(int folder) {
  for_each_name(folder, [folder](const std::string& name) {
    unlinkat(folder, name.c_str(), 0);
    return true;
  });
}

// Exactly: the user may have folders of similar names.
bool is_name_of_ours(const std::string& name) {
  const std::size_t dash = machine_name().size() - 1;
  if (name.size() != dash + 1 + kRandomLetters || !name.starts_with(kPrefix) || name[dash] != '-') return false;
  const std::string rest = name.substr(kPrefix.size(), dash - kPrefix.size()) + name.substr(dash + 1);
  return rest.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_abandoned(int folder, const std::string& name) {
  struct stat facts{};
  if (fstat(folder, &facts) != 0 || facts.st_uid != geteuid()) return false;
  if (name.starts_with(machine_name())) return lock(folder);
  return std::time(nullptr) - facts.st_mtime > kLongAgo;
}

// Invalid where that fails, or another process has taken the folder for an abandoned one.
Descriptor make_locked_folder(int parent, const std::string& name) {
  if (!make_private_folder(parent, name)) return {};
  Descriptor folder(openat(parent, name.c_str(), kFolderFlags));
  if (!folder || (!lock(folder.get()) && errno == EWOULDBLOCK)) return {};
  struct stat facts{}, named{};
  const bool is_there = fstat(folder.get(), &facts) == 0 &&
                        fstatat(parent, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && facts.st_ino == named.st_ino;
  return is_there ? std::move(folder) : Descriptor();
}

}  // namespace

std::string read_all_of(int file, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t count = 0;
  while (count < size) {
    const ssize_t got = read(file, bytes.data() + count, size - count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    count += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::unique_ptr<TemporaryFolder> TemporaryFolder::make(const std::string& parent_path, FolderUse use,
                                                       std::string& why) {
  // Another process may remove the parent when it ends, or this folder before it is locked: then once more.
  for (int attempt = 0; attempt < kMaxTries; ++attempt) {
    std::optional<Folder> parent = open_safe_folder(parent_path, use, why);
    if (!parent) continue;
    if (attempt == 0) remove_abandoned(parent->descriptor.get());
    const std::string name = machine_name() + random_text();
    Folder folder{make_locked_folder(parent->descriptor.get(), name), parent->path + '/' + name};
    if (folder.descriptor) {
      return std::unique_ptr<TemporaryFolder>(
          new TemporaryFolder(std::move(parent->descriptor), name, std::move(folder)));
    }
    why = "cannot make the folder '" + folder.path + "': " + std::strerror(errno);
  }
  return nullptr;
}

TemporaryFolder::~TemporaryFolder() {
  if (getpid() != maker_) return;  // a copy made by fork() leaves it to the process it came from
  remove_files(descriptor());
  unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR);
}

void TemporaryFolder::remove_abandoned(int parent) {
  int count = 0;
  for_each_name(parent, [&](const std::string& name) {
    if (!is_name_of_ours(name)) return true;
    const Descriptor folder(openat(parent, name.c_str(), kFolderFlags));
    if (folder && is_abandoned(folder.get(), name)) {
      remove_files(folder.get());
      unlinkat(parent, name.c_str(), AT_REMOVEDIR);
    }
    return ++count < kMaxLookedAt;
  });
}

std::string TemporaryFolder::new_name(const char* suffix) {
  return random_text() + suffix;
}

std::string TemporaryFolder::write(const char* suffix, std::string_view bytes) const {
  const std::string name = new_name(suffix);
  const Descriptor file = make_private_file(descriptor(), name);
  bool written = static_cast<bool>(file);
  while (written && !bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    written = count > 0 || (count < 0 && errno == EINTR);
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (!written) {
    const int error = errno;
    remove(name);
    throw RuntimeError("[compile kernel] cannot write " + path_of(name) + ": " + std::strerror(error) +
                       "; free some space, or set PILUM_CACHE_DIR to another folder");
  }
  return name;
}

void TemporaryFolder::remove(const std::string& name) const {
  unlinkat(descriptor(), name.c_str(), 0);
}

std::string TemporaryFolder::take(const std::string& name) const {
  const Descriptor file(openat(descriptor(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts{};
  std::string bytes;
  // Its mode follows the umask; only we can enter the folder.
  if (file && fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid()) {
    bytes = read_all_of(file.get(), static_cast<std::size_t>(facts.st_size));
  }
  if (bytes.empty()) throw RuntimeError("[compile kernel] the compiler has not written " + path_of(name));
  remove(name);
  return bytes;
}

}  // namespace pilum::jit
