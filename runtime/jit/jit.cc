#include "runtime/jit/jit.h"

#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <dlfcn.h>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/jit/compile_queue.h"
#include "runtime/jit/cpu_identity.h"
#include "runtime/jit/disk_cache.h"
#include "runtime/jit/host_compiler.h"

namespace pilum::jit {
namespace {

// Part of every file's key: raise it when flags or the layout of a call change.
constexpr const char* kCacheVersion = "pilum kernels 1";

class HostJit;

class JittedKernel final : public HostKernel, public Compilation {
 public:
  JittedKernel(HostJit& jit, const kernel::Kernel& kernel, const kernel::EmitOptions& options, std::string text)
      : kernel(kernel), options(options), jit_(jit), text_(std::move(text)) {}
  ~JittedKernel() override;

  bool ready() const override { return done(); }
  kernel::KernelFunction function() const override {
    wait();
    return function_;
  }
  const std::string& text() const override { return text_; }

  // Before anybody else knows of it: there is a file, nothing is to be compiled.
  void use_file(const std::filesystem::path& file) { file_ = file; }

  const kernel::Kernel kernel;
  const kernel::EmitOptions options;

 private:
  void compile() const override;

  HostJit& jit_;
  const std::string text_;
  std::filesystem::path file_;  // empty: to be made
  mutable kernel::KernelFunction function_ = nullptr;
  mutable void* library_ = nullptr;
};

using KernelRef = std::shared_ptr<const JittedKernel>;

// The compilers that the options allow, best first.
std::vector<std::unique_ptr<HostCompiler>> find_compilers(std::string wanted) {
  if (const char* variable = std::getenv("PILUM_COMPILER"); wanted.empty() && variable) wanted = variable;
  std::vector<std::unique_ptr<HostCompiler>> compilers;
  if (wanted.empty() || wanted == "clang") compilers.push_back(make_plugin_compiler());
  if (wanted != "clang") compilers.push_back(make_system_compiler(wanted.empty() ? "c++" : wanted));
  return compilers;
}

bool environment_flag(const char* name) {
  const char* value = std::getenv(name);
  return value && *value && std::string(value) != "0";
}

class HostJit final : public Jit {
 public:
  explicit HostJit(const JitOptions& options)
      : options_(options),
        compilers_(find_compilers(options.compiler)),
        disk_(options.cache_directory, options.disk_cache),
        quick_(environment_flag("PILUM_JIT_QUICK")),
        queue_(options.threads) {}

  std::shared_ptr<const HostKernel> get_host(const kernel::Kernel& kernel, const kernel::EmitOptions& wanted) override {
    kernel::EmitOptions options = wanted;
    if (!options_.sanitize.empty()) options.scalar = true;
    const std::uint64_t hash = kernel::hash(kernel) * 4 + options.scalar * 2 + options.streaming;
    const std::lock_guard lock(mutex_);
    auto& same_hash = kernels_[hash];
    for (const KernelRef& known : same_hash) {
      if (known->options == options && known->kernel == kernel) {
        ++statistics_.memory_hits;
        return known;
      }
    }
    const auto made = std::make_shared<JittedKernel>(*this, kernel, options, kernel::emit_host(kernel, options));
    same_hash.push_back(made);
    if (const std::filesystem::path file = find_on_disk(made->text()); !file.empty()) {
      ++statistics_.disk_hits;
      made->use_file(file);
      made->begin();
    } else {
      queue_.submit(made);
    }
    return made;
  }

  JitStatistics statistics() const override {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

  // The compiled text as a file of the cache.
  std::filesystem::path make_file(const std::string& text) {
    HostCompiler& compiler = pick_compiler();
    const std::filesystem::path file = disk_.store(key(compiler, text), [&](const auto& path) {
      compiler.compile(
          {text, options_.sanitize, quick_, path, [this](const char* suffix) { return disk_.temporary_name(suffix); }});
    });
    const std::lock_guard lock(mutex_);
    ++statistics_.compiled;
    return file;
  }

 private:
  Digest key(const HostCompiler& compiler, const std::string& text) const {
    return digest(std::string(kCacheVersion) + '\n' + compiler.identity() + '\n' + cpu_identity() + '\n' +
                  options_.sanitize + '\n' + (quick_ ? "quick\n" : "\n") + text);
  }

  // The first compiler that works here. Kept: one that fails to load is not tried again.
  HostCompiler& pick_compiler() {
    const std::lock_guard lock(compilers_mutex_);
    for (; first_compiler_ < compilers_.size(); ++first_compiler_) {
      std::string why;
      if (compilers_[first_compiler_]->available(why)) return *compilers_[first_compiler_];
      log("jit").info("{}", why);
      if (!missing_.empty()) missing_ += ", and ";
      missing_ += why;
    }
    throw RuntimeError("[compile kernel] no compiler to make kernels with: " + missing_ +
                       "; install g++ (12 or later) or clang, or set PILUM_COMPILER to one");
  }

  std::filesystem::path find_on_disk(const std::string& text) const {
    if (!options_.disk_cache) return {};
    for (const auto& compiler : compilers_) {
      std::filesystem::path file = disk_.find(key(*compiler, text));
      if (!file.empty()) return file;
    }
    return {};
  }

  const JitOptions options_;
  const std::vector<std::unique_ptr<HostCompiler>> compilers_;
  DiskCache disk_;
  const bool quick_;

  std::mutex compilers_mutex_;
  std::size_t first_compiler_ = 0;
  std::string missing_;

  mutable std::mutex mutex_;  // guards what follows
  std::unordered_map<std::uint64_t, std::vector<KernelRef>> kernels_;
  JitStatistics statistics_;

  CompileQueue queue_;  // last: its threads use all of the above
};

JittedKernel::~JittedKernel() {
  if (library_) dlclose(library_);
}

void JittedKernel::compile() const {
  const std::filesystem::path file = file_.empty() ? jit_.make_file(text_) : file_;
  library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = library_ ? dlsym(library_, "pilum_kernel") : nullptr;
  if (!symbol) {
    throw RuntimeError("[compile kernel] the compiled kernel does not load: " + std::string(dlerror()) + "; remove " +
                       file.string());
  }
  function_ = reinterpret_cast<kernel::KernelFunction>(symbol);
}

}  // namespace

std::unique_ptr<Jit> make_jit(const JitOptions& options) {
  return std::make_unique<HostJit>(options);
}

}  // namespace pilum::jit
