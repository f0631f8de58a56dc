// Compiled device kernels: made once, in the background, and kept in memory and on disk.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/device/gpu.h"
#include "runtime/jit/device_compiler.h"
#include "runtime/jit/jit.h"
#include "runtime/kernel/device/emit_device.h"

namespace pilum::jit {

// A kernel being compiled or ready. Any thread may ask.
class DeviceKernel : public CompiledKernel {
 public:
  // Waits for the compiler; compiles here if no thread has begun. Throws what DeviceCompiler::compile() threw if it
  // failed.
  [[nodiscard]] virtual const std::shared_ptr<const device::GpuImage>& image() const = 0;
};

struct DeviceJitOptions {
  std::string cache_directory;  // as JitOptions
  int threads = 1;              // background compiler threads; 0: image() compiles
  bool disk_cache = true;
};

// Thread-safe. The compiler is not asked before a text is in no cache.
class DeviceJit {
 public:
  virtual ~DeviceJit() = default;
  // The same object for equal kernels and options. Returns at once.
  [[nodiscard]] virtual std::shared_ptr<const DeviceKernel> get(const kernel::Kernel& kernel,
                                                                const kernel::DeviceOptions& options) = 0;
  // A kernel by its text; the same object for equal texts.
  [[nodiscard]] virtual std::shared_ptr<const DeviceKernel> get(const std::string& text) = 0;
  [[nodiscard]] virtual JitStatistics statistics() const = 0;
};

[[nodiscard]] std::unique_ptr<DeviceJit> make_device_jit(std::unique_ptr<DeviceCompiler> compiler,
                                                         const DeviceJitOptions& options);

}  // namespace pilum::jit
