// In place of device_nvrtc.cc where the build found no CUDA.
#include "pilum/error.h"
#include "runtime/jit/device_compiler.h"

namespace pilum::jit {
namespace {

class AbsentCompiler final : public DeviceCompiler {
 public:
  const std::string& identity() const override { return identity_; }
  std::string compile(const std::string&) override {
    throw RuntimeError(
        "[compile kernel] Pilum was built without CUDA; GPUs need it: build Pilum where CMake finds nvrtc.h");
  }

 private:
  const std::string identity_ = "none";
};

}  // namespace

std::unique_ptr<DeviceCompiler> make_nvrtc_compiler(const std::string&) {
  return std::make_unique<AbsentCompiler>();
}

}  // namespace pilum::jit
