#include "runtime/jit/disk_cache.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include <fcntl.h>

#include "pilum/error.h"
#include "runtime/base/log.h"

namespace pilum::jit {
namespace {

constexpr std::string_view kMagic = "PILUMSO1";
constexpr std::size_t kTrailer = 8 + sizeof(Digest);
constexpr const char* kTemporary = "temporary";
// Kernels have some 10 KiB, sanitized ones some 100.
constexpr off_t kLargestFile = 64 << 20;
// Smaller ones are read whatever they are; some file systems are slow to say where holes are.
constexpr off_t kSmallFile = 1 << 20;

// The digest of an image under its name: another kernel's file does not pass.
Digest seal(const Digest& key, std::string_view image) {
  const Digest content = digest(image);
  return {content.high ^ key.high, content.low ^ key.low};
}

bool is_whole(const Digest& key, std::string_view file) {
  if (file.size() < kTrailer) return false;
  const std::string_view image = file.substr(0, file.size() - kTrailer);
  const std::string_view trailer = file.substr(image.size());
  if (trailer.substr(0, kMagic.size()) != kMagic) return false;
  Digest stored;
  std::memcpy(&stored, trailer.data() + kMagic.size(), sizeof stored);
  return stored == seal(key, image);
}

std::string trailer_of(const Digest& key, std::string_view image) {
  const Digest sealed = seal(key, image);
  std::string trailer(kMagic);
  trailer.append(reinterpret_cast<const char*>(&sealed), sizeof sealed);
  return trailer;
}

// Warns once in a process, on one rank.
void warn_once(const std::string& about, const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  const bool first = told.insert(about).second && log_rank() == 0;
  log("jit").log(first ? spdlog::level::warn : spdlog::level::debug, text);
}

// Empty: the open file may be read.
std::string why_not_read(int file, const struct stat& facts) {
  std::string why = why_not_own_file(facts);
  if (why.empty() && facts.st_size > kLargestFile) why = fmt::format("has {} bytes", facts.st_size);
  if (why.empty() && facts.st_size > kSmallFile) {
    const off_t hole = lseek(file, 0, SEEK_HOLE);
    if (hole >= 0 && hole < facts.st_size) why = "is sparse";
    lseek(file, 0, SEEK_SET);
  }
  return why;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

DiskCache::DiskCache(const std::string& wanted, bool keep, const char* suffix) : suffix_(suffix) {
  if (!keep) return;
  const std::string folder = wanted.empty() ? default_folder() : wanted;
  std::string why = "neither PILUM_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set";
  if (!folder.empty()) folder_ = open_safe_folder(folder, FolderUse::Own, why);
  if (!folder_) {
    give_up(folder, why);
    return;
  }
  remove_abandoned();
}

DiskCache::~DiskCache() {
  temporary_.reset();
  if (temporary_is_inside_) remove_abandoned();
}

// What killed processes have left, once more at the end: their compilers may have lived longer.
void DiskCache::remove_abandoned() const {
  const int folder = folder_->descriptor.get();
  const Descriptor temporary(openat(folder, kTemporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!temporary) return;
  TemporaryFolder::remove_abandoned(temporary.get());
  unlinkat(folder, kTemporary, AT_REMOVEDIR);  // unless another process is at work
}

void DiskCache::give_up(const std::string& folder, const std::string& why) {
  gave_up_ = true;
  warn_once("folder " + folder + why,
            fmt::format("kernels are compiled for this run alone: cannot use the cache folder '{}': {}; set "
                        "PILUM_CACHE_DIR to a folder of your own that nobody else can write",
                        folder, why));
}

std::optional<std::string> DiskCache::read(const Digest& key) const {
  if (!keeps()) return std::nullopt;
  const std::string name = name_of(key);
  // Not blocked by a pipe, nor by a lease.
  const Descriptor file(
      openat(folder_->descriptor.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::nullopt;
  struct stat facts{};
  std::string why;
  if (!file || fstat(file.get(), &facts) != 0) {
    why = errno == ELOOP ? "is a symbolic link" : std::string("cannot be opened: ") + std::strerror(errno);
  } else {
    why = why_not_read(file.get(), facts);
  }
  if (!why.empty()) {
    warn_once("file in " + folder_->path,
              fmt::format("{} is not loaded: it {}. It and others like it are compiled again", path_of(key), why));
    return std::nullopt;
  }
  std::string bytes = read_all_of(file.get(), static_cast<std::size_t>(facts.st_size));
  if (bytes.empty()) return std::nullopt;
  if (!is_whole(key, bytes)) {
    log("jit").warn("{} is damaged: compiling it again", path_of(key));
    return std::nullopt;
  }
  bytes.resize(bytes.size() - kTrailer);
  return bytes;
}

void DiskCache::store(const Digest& key, std::string_view image) {
  if (!keeps()) return;
  const TemporaryFolder& temporary = temporary_folder();
  if (!keeps()) return;
  const std::string partial = temporary.write(suffix_, std::string(image) + trailer_of(key, image));
  const std::string name = name_of(key);
  if (renameat(temporary.descriptor(), partial.c_str(), folder_->descriptor.get(), name.c_str()) == 0) return;
  const int error = errno;
  temporary.remove(partial);
  throw RuntimeError("[compile kernel] cannot rename " + temporary.path_of(partial) + " to " + path_of(key) + ": " +
                     std::strerror(error) + "; remove what is there, or set PILUM_CACHE_DIR to another folder");
}

const TemporaryFolder& DiskCache::temporary_folder() {
  const std::lock_guard lock(temporary_mutex_);
  if (temporary_) return *temporary_;
  std::string why;
  if (keeps()) {
    struct stat facts{};
    if (fstat(folder_->descriptor.get(), &facts) == 0 && facts.st_nlink == 0) {
      why = "it was removed while this program runs";
    } else {
      temporary_ = TemporaryFolder::make(folder_->path + '/' + kTemporary, FolderUse::Own, why);
    }
    temporary_is_inside_ = temporary_ != nullptr;
    if (!temporary_) give_up(folder_->path, why);
  }
  std::string tried;
  for (const std::string& folder : {variable("TMPDIR"), std::string("/tmp"), std::string("/var/tmp")}) {
    if (temporary_ || folder.empty()) continue;
    temporary_ = TemporaryFolder::make(folder, FolderUse::Shared, why);
    tried += (tried.empty() ? "" : ", ") + why;
  }
  if (!temporary_) {
    throw RuntimeError("[compile kernel] there is no safe folder for temporary files (" + tried +
                       "); compiled kernels need one: set PILUM_CACHE_DIR or TMPDIR to a folder of your own that "
                       "nobody else can write");
  }
  return *temporary_;
}

std::string DiskCache::default_folder() {
  if (const std::string folder = variable("PILUM_CACHE_DIR"); !folder.empty()) return folder;
  if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty()) return folder + "/pilum";
  if (const std::string folder = variable("HOME"); !folder.empty()) return folder + "/.cache/pilum";
  return {};
}

std::string DiskCache::path_of(const Digest& key) const {
  return keeps() ? folder_->path + '/' + name_of(key) : std::string();
}

}  // namespace pilum::jit
