// clang in this process, by way of the plug-in.
#include <cstdlib>
#include <mutex>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/jit/clang_plugin.h"
#include "runtime/jit/find_plugin.h"
#include "runtime/jit/host_compiler.h"
#include "runtime/jit/process.h"

namespace pilum::jit {
namespace {

constexpr bool kBuiltWithClang = *PILUM_CLANG_VERSION != '\0';
constexpr const char* kPluginName = "libpilum_jit_clang.so";

std::string plugin_path() {
  const char* path = std::getenv("PILUM_JIT_PLUGIN");
  if (path && *path) return path;
  return kBuiltWithClang ? find_plugin(kPluginName, find_own_place()) : "";
}

class PluginCompiler final : public HostCompiler {
 public:
  const std::string& identity() const override { return identity_; }

  bool available(std::string& why) override {
    std::call_once(loaded_, [this] { load(); });
    if (!compile_) why = why_;
    return compile_ != nullptr;
  }

  bool has_baseline() const override { return true; }

  std::string make_object(const HostJob& job) override {
    std::string object, message;
    if (!available(message)) throw RuntimeError("[compile kernel] " + message);
    if (!compile_({&job.text, job.sanitize, job.baseline}, object, message)) {
      throw RuntimeError("[compile kernel] clang rejected the kernel (a bug in Pilum; please report it):\n" + message);
    }
    return object;
  }

  std::string make_shared_object(const HostJob& job, const std::string& object) override {
    if (linker_.empty()) {
      throw RuntimeError(
          "[compile kernel] the clang plug-in needs a linker, and there is no ld, ld.lld or ld.gold in PATH; "
          "install one, or set PILUM_COMPILER=c++");
    }
    return link(object, job.temporary_folder());
  }

 private:
  // The plug-in stays loaded for good: LLVM keeps statics.
  void load() {
    if (path_.empty() || access(path_.c_str(), R_OK) != 0) {
      why_ = !path_.empty()    ? "there is no clang plug-in at " + path_
             : kBuiltWithClang ? kPluginName + std::string(" is not found: ") + describe_search(find_own_place())
                               : "Pilum was built without the clang plug-in";
      return;
    }
    void* library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library) compile_ = reinterpret_cast<ClangCompile>(dlsym(library, kClangCompileSymbol));
    if (!compile_) why_ = std::string("the clang plug-in does not load: ") + dlerror();
    linker_ = find_program("ld");
    for (const char* other : {"ld.lld", "ld.lld-19", "ld.gold"}) {
      if (linker_.empty()) linker_ = find_program(other);
    }
  }

  std::string link(const std::string& object, const TemporaryFolder& folder) {
    const std::string input = folder.write(".o", object), file = TemporaryFolder::new_name(".so");
    const ProcessResult result = run_process(
        {linker_, "-shared", "--build-id=none", "-z", "noexecstack", "-o", folder.path_of(file), folder.path_of(input)},
        folder.path());
    folder.remove(input);
    if (result.status != 0) {
      folder.remove(file);
      throw RuntimeError("[compile kernel] " + linker_ + " failed (status " + std::to_string(result.status) +
                         "): " + result.output);
    }
    return folder.take(file);
  }

  const std::string path_ = plugin_path();
  const std::string identity_ = "clang " PILUM_CLANG_VERSION " " + file_identity(path_);
  std::once_flag loaded_;
  ClangCompile compile_ = nullptr;
  std::string why_, linker_;
};

}  // namespace

std::unique_ptr<HostCompiler> make_plugin_compiler() {
  return std::make_unique<PluginCompiler>();
}

std::string file_identity(const std::string& path) {
  struct stat facts{};
  if (path.empty() || stat(path.c_str(), &facts) != 0) return path;
  return path + " " + std::to_string(facts.st_size) + " " + std::to_string(facts.st_mtim.tv_sec) + "." +
         std::to_string(facts.st_mtim.tv_nsec);
}

}  // namespace pilum::jit
