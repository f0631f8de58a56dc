// Compiled kernels: made once, in the background, and kept in memory and on disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/kernel/host/emit.h"
#include "runtime/kernel/ir/kernel.h"
#include "runtime/kernel/ir/kernel_call.h"

namespace pilum::jit {

// A kernel being compiled or ready, for whatever runs it. Any thread may ask.
class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;
  // True when asking for the compiled form would not block.
  [[nodiscard]] virtual bool ready() const = 0;
  // What was, or is to be, compiled.
  [[nodiscard]] virtual const std::string& source() const = 0;
};

// One for the host; a function stays valid as long as the Jit lives.
class HostKernel : public CompiledKernel {
 public:
  // Waits for the compiler; compiles here if no thread has begun. Throws pilum::RuntimeError with the compiler's
  // message if it failed. Ask at every call: a baseline tier is replaced by the full one when that is there.
  [[nodiscard]] virtual kernel::KernelFunction function() const = 0;
};

// How much is done for a kernel's code. BaselineFirst: what takes a compiler long is code of cheaper make at first,
// with the same bits, and compiled fully in the background.
enum class CodeForm : std::uint8_t { BaselineFirst, Baseline, Optimized };

struct JitOptions {
  std::string cache_directory;  // empty: $PILUM_CACHE_DIR, else $XDG_CACHE_HOME/pilum, else ~/.cache/pilum
  std::string compiler;         // "": $PILUM_COMPILER, else in-process clang, else c++; "clang"; a program's name
  int threads = 1;              // background compiler threads; 0: function() compiles
  bool disk_cache = true;
  std::string sanitize;  // as -fsanitize=, for scalar instrumented kernels
  CodeForm form = CodeForm::BaselineFirst;
};

struct JitStatistics {
  long memory_hits = 0, disk_hits = 0, compiled = 0;
};

// Thread-safe. No compiler is loaded before a kernel is in no cache.
class Jit {
 public:
  virtual ~Jit() = default;
  // The compiled form; the same object for equal kernels and options. Returns at once, but for one that is on disk
  // (loaded here, microseconds).
  [[nodiscard]] virtual std::shared_ptr<const HostKernel> get_host(const kernel::Kernel& kernel,
                                                                   const kernel::EmitOptions& options) = 0;
  // Whether a kernel takes milliseconds, and not most of a second: loads the compiler.
  [[nodiscard]] virtual bool is_quick() = 0;
  [[nodiscard]] virtual JitStatistics statistics() const = 0;
};

[[nodiscard]] std::unique_ptr<Jit> make_jit(const JitOptions& options);

}  // namespace pilum::jit
