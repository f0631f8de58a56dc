// NVRTC, NVIDIA's compiler as a library, loaded when it is needed.
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <dlfcn.h>
#include <link.h>
#include <nvrtc.h>
#include <unistd.h>

#include "pilum/error.h"
#include "runtime/base/cuda_folders.h"
#include "runtime/jit/device_compiler.h"
#include "runtime/jit/host_compiler.h"
#include "runtime/kernel/device/emit_device.h"

namespace pilum::jit {
namespace {

// Of the versions whose interface and language (C++20) we use.
constexpr const char* kNvrtcNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

// The library's file, or an empty path. It is loaded to be found only where it is in none of the folders above.
std::string find_nvrtc() {
  for (const std::string& folder : find_cuda_folders({PILUM_NVRTC_FOLDER})) {
    for (const char* name : kNvrtcNames) {
      const std::string path = folder + '/' + name;
      if (access(path.c_str(), R_OK) == 0) return path;
    }
  }
  for (const char* name : kNvrtcNames) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const link_map* found = nullptr;
    if (library && dlinfo(library, RTLD_DI_LINKMAP, &found) == 0) return found->l_name;
  }
  return {};
}

// Its functions.
struct Nvrtc {
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
};

// The library stays loaded for good: it keeps threads and statics.
Nvrtc load_nvrtc(const std::string& path) {
  void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    throw RuntimeError(
        "[compile kernel] " +
        (path.empty() ? "there is no libnvrtc.so of CUDA 12 or 13" : "NVRTC does not load: " + std::string(dlerror())) +
        "; GPUs need it: install CUDA's NVRTC and set CUDA_HOME or LD_LIBRARY_PATH");
  }
  Nvrtc functions;
  const auto get = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function) throw RuntimeError("[compile kernel] " + path + " has no " + name + "; GPUs need CUDA 12 or later");
  };
  get(functions.create, "nvrtcCreateProgram");
  get(functions.destroy, "nvrtcDestroyProgram");
  get(functions.compile, "nvrtcCompileProgram");
  get(functions.log_size, "nvrtcGetProgramLogSize");
  get(functions.log, "nvrtcGetProgramLog");
  get(functions.cubin_size, "nvrtcGetCUBINSize");
  get(functions.cubin, "nvrtcGetCUBIN");
  get(functions.error_string, "nvrtcGetErrorString");
  return functions;
}

// One text on its way through the library.
class NvrtcProgram {
 public:
  NvrtcProgram(const Nvrtc& nvrtc, const std::string& text) : nvrtc_(nvrtc) {
    check(nvrtc_.create(&program_, text.c_str(), "pilum_kernel.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  }
  ~NvrtcProgram() { nvrtc_.destroy(&program_); }
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;

  void compile(const std::vector<std::string>& flags, const std::vector<std::string>& more = {}) {
    std::vector<const char*> words;
    for (const std::string& flag : flags) words.push_back(flag.c_str());
    for (const std::string& flag : more) words.push_back(flag.c_str());
    const nvrtcResult result = nvrtc_.compile(program_, static_cast<int>(words.size()), words.data());
    if (result == NVRTC_SUCCESS) return;
    throw RejectedSource(
        "[compile kernel] NVRTC rejected the kernel for " + flags.front() + " (" + nvrtc_.error_string(result) + ")",
        log());
  }

  std::string cubin() {
    std::size_t size = 0;
    check(nvrtc_.cubin_size(program_, &size), "nvrtcGetCUBINSize");
    std::string bytes(size, '\0');
    check(nvrtc_.cubin(program_, bytes.data()), "nvrtcGetCUBIN");
    return bytes;
  }

  // Compiled with --ptxas-options=-v: whether it says that all values are in registers.
  bool fits_registers() const {
    const std::string said = log();
    return said.find(", 0 bytes spill stores, 0 bytes spill loads") != std::string::npos;
  }

 private:
  void check(nvrtcResult result, const char* call) const {
    if (result == NVRTC_SUCCESS) return;
    throw RuntimeError(std::string("[compile kernel] ") + call + " failed: " + nvrtc_.error_string(result));
  }

  std::string log() const {
    std::size_t size = 0;
    if (nvrtc_.log_size(program_, &size) != NVRTC_SUCCESS || size <= 1) return {};
    std::string text(size, '\0');
    if (nvrtc_.log(program_, text.data()) != NVRTC_SUCCESS) return {};
    text.resize(size - 1);  // it ends with a zero
    return text;
  }

  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

class NvrtcCompiler final : public DeviceCompiler {
 public:
  explicit NvrtcCompiler(const std::string& architecture)
      : flags_{"--gpu-architecture=" + architecture, "--fmad=false", "--std=c++20",
               "--device-as-default-execution-space"} {
    if (path_.empty()) return;
    identity_ = "nvrtc " + file_identity(path_);
    for (const std::string& flag : flags_) identity_ += ' ' + flag;
  }

  const std::string& identity() const override { return identity_; }

  std::string compile(const std::string& text) override {
    if (text.starts_with(kernel::kManyRegisters)) {
      NvrtcProgram program(library(), text);
      program.compile(flags_, {"--maxrregcount=128", "--ptxas-options=-v"});
      if (program.fits_registers()) return program.cubin();
    }
    NvrtcProgram program(library(), text);
    program.compile(flags_);
    return program.cubin();
  }

 private:
  const Nvrtc& library() {
    const std::lock_guard lock(mutex_);
    if (!nvrtc_) nvrtc_ = load_nvrtc(path_);
    return *nvrtc_;
  }

  const std::string path_ = find_nvrtc();
  const std::vector<std::string> flags_;
  std::string identity_ = "none";
  std::mutex mutex_;  // guards what follows
  std::optional<Nvrtc> nvrtc_;
};

}  // namespace

std::unique_ptr<DeviceCompiler> make_nvrtc_compiler(const std::string& architecture) {
  return std::make_unique<NvrtcCompiler>(architecture);
}

}  // namespace pilum::jit
