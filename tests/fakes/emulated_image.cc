#include "tests/fakes/emulated_image.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "pilum/error.h"

namespace pilum::fakes {
namespace {

// A file of these bytes, there while this lives.
class ImageFile {
 public:
  ImageFile(std::string path, std::string_view bytes) : path_(std::move(path)) {
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool written = file_ >= 0 && write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    if (written) return;
    const std::string why = std::strerror(errno);
    remove();
    throw RuntimeError("the image does not load: " + path_ + " cannot be written: " + why);
  }
  ~ImageFile() { remove(); }
  ImageFile(const ImageFile&) = delete;
  ImageFile& operator=(const ImageFile&) = delete;

 private:
  void remove() const {
    if (file_ < 0) return;
    close(file_);
    unlink(path_.c_str());
  }

  const std::string path_;
  int file_ = -1;
};

// Whether the library's code is the image's, byte for byte: code that is loaded by the system lies unchanged.
bool has_code_of(void* library, std::string_view image) {
  const link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) return false;
  ElfW(Ehdr) file;
  std::memcpy(&file, image.data(), sizeof file);
  for (std::size_t i = 0; i < file.e_phnum; ++i) {
    ElfW(Phdr) part;
    std::memcpy(&part, image.data() + file.e_phoff + i * sizeof part, sizeof part);
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    if (std::memcmp(reinterpret_cast<const void*>(map->l_addr + part.p_vaddr), image.data() + part.p_offset,
                    part.p_filesz) != 0)
      return false;
  }
  return true;
}

}  // namespace

std::string make_image_path() {
  static std::atomic<long> made{0};
  // Another process may have had the same number: its start is among the name's parts.
  static const std::string start = std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  return "/tmp/pilum-emulated-" + std::to_string(getpid()) + '-' + start + '-' + std::to_string(made++);
}

EmulatedImage::EmulatedImage(std::shared_ptr<const device::GpuImage> image, const std::string& path)
    : image_(std::move(image)) {
  try {
    load(path);
  } catch (...) {
    if (library_) dlclose(library_);
    throw;
  }
}

EmulatedImage::~EmulatedImage() {
  dlclose(library_);
}

void EmulatedImage::load(const std::string& path) {
  const ImageFile file(path, image_->bytes);
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_) entry_ = reinterpret_cast<EmulatedEntry>(dlsym(library_, kEmulatedEntry));
  if (!entry_) throw RuntimeError("the image does not load: " + std::string(dlerror()));
  if (!has_code_of(library_, image_->bytes))
    throw RuntimeError("the image does not load: the loader gives another library's code for " + path);
}

}  // namespace pilum::fakes
