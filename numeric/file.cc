#include "numeric/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "runtime/base/log.h"
#include "scheduler/record/recorder.h"

namespace pilum::numeric {
namespace {

constexpr int kStepBit = 48, kErrorBit = 32;
constexpr std::int64_t kRanks = std::int64_t{1} << kErrorBit;

// Where `path` leads to, through links; `path` itself if nothing is there.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> found(::realpath(path.c_str(), nullptr), &std::free);
  return found ? found.get() : path;
}

// Other jobs may replace the same file.
std::string unused_name(const std::string& path) {
  const auto now = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  return path + "." + std::to_string(::getpid()) + "-" + std::to_string(now % 1'000'000'007) + ".part";
}

std::string what_failed(const FileTrouble& trouble) {
  switch (trouble.step) {
    case FileStep::Open: return "cannot be opened";
    case FileStep::Kind: return "is no file of bytes";
    case FileStep::Make: return "cannot be made: a new file beside it is refused";
    case FileStep::Read: return "cannot be read";
    case FileStep::Write: return "cannot be written";
    case FileStep::Rename: return "cannot be replaced by the file that was written beside it";
    case FileStep::Change: return "is not the file that the first rank found, or was changed while it was read";
    default: return "has cells that the format does not take";
  }
}

const char* remedy(const FileTrouble& trouble) {
  switch (trouble.step) {
    case FileStep::Kind: return "give the path of a regular file";
    case FileStep::Change: return "give a path that is the same file on all ranks, on a file system that they share";
    case FileStep::Numbers: return "%d takes no nan and no infinity: use %g, or np::nan_to_num";
    case FileStep::Write: return "make room, or give a path on another file system; what stood there before is whole";
    case FileStep::Make:
    case FileStep::Rename: return "give a path in a folder that exists and may be written on all ranks";
    default: return "check the path, which all ranks must see alike, and its permissions";
  }
}

}  // namespace

FileTrouble FileTrouble::of(FileStep step) {
  return of(step, errno);
}
FileTrouble FileTrouble::of(FileStep step, int error) {
  return {step, error, std::max(log_rank(), 0)};
}

// The lowest rank of those that meet the same.
std::int64_t to_word(const FileTrouble& trouble) {
  if (!trouble) return 0;
  return static_cast<std::int64_t>(trouble.step) << kStepBit |
         static_cast<std::int64_t>(trouble.error & 0xffff) << kErrorBit | (kRanks - 1 - trouble.rank);
}

FileTrouble trouble_of(std::int64_t word) {
  if (word <= 0) return {};
  return {static_cast<FileStep>(word >> kStepBit), static_cast<int>(word >> kErrorBit & 0xffff),
          static_cast<int>(kRanks - 1 - word % kRanks)};
}

void throw_trouble(const Call& call, const std::string& path, std::int64_t word) {
  const FileTrouble trouble = trouble_of(word);
  if (!trouble) return;
  std::string text = "\"" + path + "\" " + what_failed(trouble);
  if (trouble.error) text += " (" + std::generic_category().message(trouble.error) + ")";
  if (scheduler::current_recorder(call.name, call.where).processors().ranks > 1)
    text += " on rank " + std::to_string(trouble.rank);
  if (trouble.step == FileStep::Numbers) fail<ValueError>(call, text, ": ", remedy(trouble));
  fail<RuntimeError>(call, text, ": ", remedy(trouble));
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// A pipe is refused at once, instead of waited for.
FileTrouble File::open(const std::string& path, std::int64_t* size) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) return FileTrouble::of(FileStep::Open);
  struct stat facts{};
  if (::fstat(descriptor_, &facts) != 0) return FileTrouble::of(FileStep::Open);
  if (S_ISDIR(facts.st_mode)) return FileTrouble::of(FileStep::Kind, EISDIR);
  if (!S_ISREG(facts.st_mode)) return FileTrouble::of(FileStep::Kind, 0);
  if (size) *size = facts.st_size;
  return {};
}

FileTrouble File::open_to_write(const std::string& path) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  return descriptor_ < 0 ? FileTrouble::of(FileStep::Write) : FileTrouble();
}

FileTrouble File::make(const std::string& path, const std::string& like) {
  struct stat facts{};
  const bool replaces = ::stat(like.c_str(), &facts) == 0;
  if (replaces && S_ISDIR(facts.st_mode)) return FileTrouble::of(FileStep::Kind, EISDIR);
  if (replaces && !S_ISREG(facts.st_mode)) return FileTrouble::of(FileStep::Kind, 0);
  if (replaces && ::access(like.c_str(), W_OK) != 0) return FileTrouble::of(FileStep::Write);
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return FileTrouble::of(FileStep::Make);
  if (replaces) ::fchmod(descriptor_, facts.st_mode & 07777);
  return {};
}

FileTrouble File::read(std::int64_t at, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::pread(descriptor_, bytes.data(), bytes.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return FileTrouble::of(FileStep::Read);
    if (done == 0) return FileTrouble::of(FileStep::Change, 0);  // it was longer when its header was read
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += done;
  }
  return {};
}

FileTrouble File::write(std::int64_t at, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return FileTrouble::of(FileStep::Write);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += done;
  }
  return {};
}

FileTrouble File::resize(std::int64_t size) const {
  return ::ftruncate(descriptor_, size) == 0 ? FileTrouble() : FileTrouble::of(FileStep::Write);
}

FileTrouble File::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  return descriptor < 0 || ::close(descriptor) == 0 ? FileTrouble() : FileTrouble::of(FileStep::Write);
}

FileTrouble begin_replacement(const std::string& path, File& file, std::string& name) {
  const std::string target = resolved(path);
  name = unused_name(target);
  if (name.size() >= PATH_MAX) return FileTrouble::of(FileStep::Make, ENAMETOOLONG);
  return file.make(name, target);
}

FileTrouble end_replacement(const std::string& path, const std::string& name, FileTrouble trouble) {
  if (!trouble && ::rename(name.c_str(), resolved(path).c_str()) != 0) trouble = FileTrouble::of(FileStep::Rename);
  if (trouble && !name.empty()) ::unlink(name.c_str());
  return trouble;
}

}  // namespace pilum::numeric
