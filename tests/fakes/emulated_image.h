// An emulated compiler's image, loaded.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/gpu.h"
#include "tests/fakes/emulated_kernel.h"

namespace pilum::fakes {

// A name for a file that this process has not had before. Not mkstemp()'s: what it takes is free of files, but glibc
// makes it of the caller's stack address and the clock, and stacks of threads lie alike, so that two threads half a
// millisecond apart are given one name. The loader knows a library by its name when its file is long gone, and would
// give the kernel that had the name before.
[[nodiscard]] std::string make_image_path();

// A kernel's library, from a file that is gone again; each image has code and variables of its own. Throws
// pilum::RuntimeError for what is no emulated compiler's image, and where the loader gives another library's code.
class EmulatedImage {
 public:
  explicit EmulatedImage(std::shared_ptr<const device::GpuImage> image, const std::string& path = make_image_path());
  ~EmulatedImage();
  EmulatedImage(const EmulatedImage&) = delete;
  EmulatedImage& operator=(const EmulatedImage&) = delete;

  EmulatedEntry entry() const { return entry_; }

 private:
  void load(const std::string& path);

  const std::shared_ptr<const device::GpuImage> image_;  // keeps its address its own
  void* library_ = nullptr;
  EmulatedEntry entry_ = nullptr;
};

}  // namespace pilum::fakes
