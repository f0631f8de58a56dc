#include "runtime/jit/device_jit.h"

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/jit/compile_queue.h"
#include "runtime/jit/disk_cache.h"

namespace pilum::jit {
namespace {

// Part of every file's key: raise it when what an image is made from changes.
constexpr const char* kDeviceCacheVersion = "pilum device kernels 1";

class CachingDeviceJit;

class JittedDeviceKernel final : public DeviceKernel, public Compilation {
 public:
  JittedDeviceKernel(CachingDeviceJit& jit, std::string text) : jit_(jit), text_(std::move(text)) {}

  bool ready() const override { return done(); }
  const std::shared_ptr<const device::GpuImage>& image() const override {
    wait();
    return image_;
  }
  const std::string& source() const override { return text_; }

  // Before anybody else knows of it: nothing is to be compiled.
  void use_image(std::string bytes) { image_ = std::make_shared<const device::GpuImage>(std::move(bytes)); }

 private:
  void compile() const override;

  CachingDeviceJit& jit_;
  const std::string text_;
  mutable std::shared_ptr<const device::GpuImage> image_;  // null: to be made
};

using DeviceKernelRef = std::shared_ptr<const JittedDeviceKernel>;

class CachingDeviceJit final : public DeviceJit {
 public:
  CachingDeviceJit(std::unique_ptr<DeviceCompiler> compiler, const DeviceJitOptions& options)
      : compiler_(std::move(compiler)),
        disk_(options.cache_directory, options.disk_cache, ".cubin"),
        queue_(options.threads) {}

  std::shared_ptr<const DeviceKernel> get(const kernel::Kernel& kernel, const kernel::DeviceOptions& options) override {
    const std::lock_guard lock(mutex_);
    auto& same_hash = kernels_[hash(kernel, options)];
    for (const Known& known : same_hash) {
      if (known.options == options && known.kernel == kernel) {
        ++statistics_.memory_hits;
        return known.compiled;
      }
    }
    same_hash.push_back({kernel, options, get_locked(kernel::emit_device(kernel, options))});
    return same_hash.back().compiled;
  }

  std::shared_ptr<const DeviceKernel> get(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    return get_locked(text);
  }

  JitStatistics statistics() const override {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

  std::string make_image(const std::string& text) {
    std::string image = compiler_->compile(text);
    keep(text, image);
    const std::lock_guard lock(mutex_);
    ++statistics_.compiled;
    return image;
  }

 private:
  struct Known {
    kernel::Kernel kernel;
    kernel::DeviceOptions options;
    DeviceKernelRef compiled;
  };

  static std::uint64_t hash(const kernel::Kernel& kernel, const kernel::DeviceOptions& options) {
    std::uint64_t hash = kernel::hash(kernel);
    const auto add = [&hash](int value) { hash = hash * 31 + static_cast<std::uint64_t>(value); };
    add(options.streaming * 4 + options.wide * 2 + options.tiled);
    add(options.vector);
    add(options.rows);
    add(options.packed);
    add(options.team * 2 + options.short_rows);
    add(options.partials);
    add(options.points * 16 + options.cells);
    for (const std::int8_t phase : options.phase) add(phase);
    return hash;
  }

  DeviceKernelRef get_locked(std::string text) {
    DeviceKernelRef& known = texts_[text];
    if (known) {
      ++statistics_.memory_hits;
      return known;
    }
    const auto made = std::make_shared<JittedDeviceKernel>(*this, std::move(text));
    known = made;
    if (std::optional<std::string> image = find_on_disk(made->source())) {
      ++statistics_.disk_hits;
      made->use_image(std::move(*image));
      made->begin();
    } else {
      queue_.submit(made);
    }
    return made;
  }

  Digest key(const std::string& text) const {
    return digest(std::string(kDeviceCacheVersion) + '\n' + compiler_->identity() + '\n' + text);
  }

  std::optional<std::string> find_on_disk(const std::string& text) const {
    return disk_.keeps() ? disk_.read(key(text)) : std::nullopt;
  }

  // An image works without its file: trouble with the disk costs the next process a compilation, no more.
  void keep(const std::string& text, const std::string& image) {
    if (!disk_.keeps()) return;
    try {
      disk_.store(key(text), image);
    } catch (const Error& error) {
      log("jit").warn("a GPU kernel is not cached: {}", error.what());
    }
  }

  const std::unique_ptr<DeviceCompiler> compiler_;
  DiskCache disk_;

  mutable std::mutex mutex_;  // guards what follows
  std::unordered_map<std::uint64_t, std::vector<Known>> kernels_;
  std::unordered_map<std::string, DeviceKernelRef> texts_;
  JitStatistics statistics_;

  CompileQueue queue_;  // last: its threads use all of the above
};

void JittedDeviceKernel::compile() const {
  if (!image_) image_ = std::make_shared<const device::GpuImage>(jit_.make_image(text_));
}

}  // namespace

std::unique_ptr<DeviceJit> make_device_jit(std::unique_ptr<DeviceCompiler> compiler, const DeviceJitOptions& options) {
  return std::make_unique<CachingDeviceJit>(std::move(compiler), options);
}

}  // namespace pilum::jit
