#include "runtime/jit/disk_cache.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pilum/error.h"
#include "runtime/base/log.h"

namespace pilum::jit {
namespace {

constexpr std::string_view kMagic = "PILUMSO1";
constexpr std::size_t kTrailer = 8 + sizeof(Digest);

std::string read_file(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat facts {};
  std::string bytes;
  if (fstat(file, &facts) == 0 && facts.st_size > 0) {
    bytes.resize(static_cast<std::size_t>(facts.st_size));
    std::size_t count = 0;
    while (count < bytes.size()) {
      const ssize_t got = read(file, bytes.data() + count, bytes.size() - count);
      if (got <= 0) break;
      count += static_cast<std::size_t>(got);
    }
    bytes.resize(count);
  }
  close(file);
  return bytes;
}

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

void append(const std::filesystem::path& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  bool written = file >= 0;
  while (written && !bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    written = count > 0 || (count < 0 && errno == EINTR);
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  const int error = errno;
  if (file >= 0) close(file);
  if (!written) {
    throw RuntimeError("[compile kernel] cannot write " + path.string() + ": " + std::strerror(error) +
                       "; free some space, or set PILUM_CACHE_DIR to another folder");
  }
}

bool is_writable(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

DiskCache::DiskCache(const std::string& folder, bool keep, const char* suffix)
    : suffix_(suffix), folder_(folder.empty() ? default_folder() : folder) {
  if (!keep) {
    use_temporary_folder();
  } else if (folder_.empty() || !is_writable(folder_)) {
    log("jit").warn("kernels are not kept: cannot write the cache folder '{}'; set PILUM_CACHE_DIR", folder_.string());
    use_temporary_folder();
  }
}

DiskCache::~DiskCache() {
  std::error_code ignored;
  if (temporary_) std::filesystem::remove_all(folder_, ignored);
}

std::optional<std::string> DiskCache::read(const Digest& key) const {
  const std::filesystem::path path = path_of(key);
  std::string file = read_file(path);
  if (file.empty()) return std::nullopt;
  if (!is_whole(key, file)) {
    log("jit").warn("{} is damaged: compiling it again", path.string());
    return std::nullopt;
  }
  file.resize(file.size() - kTrailer);
  return file;
}

std::filesystem::path DiskCache::store(const Digest& key,
                                       const std::function<void(const std::filesystem::path&)>& write) {
  const std::filesystem::path partial = temporary_name(suffix_);
  try {
    write(partial);
    append(partial, trailer_of(key, read_file(partial)));
  } catch (...) {
    unlink(partial.c_str());
    throw;
  }
  return keep(key, partial);
}

std::filesystem::path DiskCache::store(const Digest& key, std::string_view image) {
  const std::filesystem::path partial = temporary_name(suffix_);
  try {
    append(partial, std::string(image) + trailer_of(key, image));
  } catch (...) {
    unlink(partial.c_str());
    throw;
  }
  return keep(key, partial);
}

std::filesystem::path DiskCache::keep(const Digest& key, const std::filesystem::path& partial) {
  const std::filesystem::path path = path_of(key);
  if (rename(partial.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(partial.c_str());
    throw RuntimeError("[compile kernel] cannot rename " + partial.string() + " to " + path.string() + ": " +
                       std::strerror(error) + "; set PILUM_CACHE_DIR to another folder");
  }
  return path;
}

std::filesystem::path DiskCache::temporary_name(const char* suffix) {
  char host[65] = {};
  gethostname(host, sizeof host - 1);
  return folder_ / fmt::format(".{}.{}.{}{}", host, getpid(), names_++, suffix);
}

std::string DiskCache::default_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string folder = variable("PILUM_CACHE_DIR"); !folder.empty()) return folder;
  if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty()) return folder + "/pilum";
  if (const std::string folder = variable("HOME"); !folder.empty()) return folder + "/.cache/pilum";
  return {};
}

std::filesystem::path DiskCache::path_of(const Digest& key) const {
  return folder_ / (to_string(key) + suffix_);
}

void DiskCache::use_temporary_folder() {
  const char* parent = std::getenv("TMPDIR");
  std::string pattern = std::string(parent && *parent ? parent : "/tmp") + "/pilum-XXXXXX";
  if (!mkdtemp(pattern.data())) {
    throw RuntimeError("[compile kernel] cannot make a folder " + pattern + ": " + std::strerror(errno) +
                       "; compiled kernels need one: set TMPDIR or PILUM_CACHE_DIR");
  }
  folder_ = pattern;
  temporary_ = true;
}

}  // namespace pilum::jit
