// What turns a device kernel's text into an image.
#pragma once

#include <memory>
#include <string>

#include "pilum/error.h"

namespace pilum::jit {

// A text that the compiler does not take, with what it said of it.
class RejectedSource : public RuntimeError {
 public:
  RejectedSource(const std::string& what, std::string log) : RuntimeError(what + ":\n" + log), log_(std::move(log)) {}
  const std::string& log() const { return log_; }

 private:
  std::string log_;
};

// A compiler. Thread-safe.
class DeviceCompiler {
 public:
  virtual ~DeviceCompiler() = default;
  // What an image depends on besides its text: the compiler's version, the architecture, flags. Known without loading
  // the compiler, as far as can be.
  virtual const std::string& identity() const = 0;
  // The image of a text whose entry is `extern "C" __global__ void pilum_kernel(...)`. Throws RejectedSource with
  // the compiler's message, or pilum::RuntimeError where there is no compiler.
  virtual std::string compile(const std::string& text) = 0;
};

// NVRTC, loaded at the first compile(); `architecture` as "sm_90". No headers, nothing contracted (--fmad=false),
// functions are the device's by default. Without NVRTC compile() throws and says what is missing.
[[nodiscard]] std::unique_ptr<DeviceCompiler> make_nvrtc_compiler(const std::string& architecture);

}  // namespace pilum::jit
