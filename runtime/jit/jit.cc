#include "runtime/jit/jit.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/jit/cpu_identity.h"
#include "runtime/jit/disk_cache.h"
#include "runtime/jit/host_compiler.h"

namespace pilum::jit {
namespace {

// Part of every file's key: raise it when flags or the layout of a call change.
constexpr const char* kCacheVersion = "pilum kernels 1";

class HostJit;

// Queued → Compiling → Ready | Failed. Whoever moves it out of Queued compiles it.
class JittedKernel final : public HostKernel {
 public:
  JittedKernel(HostJit& jit, const kernel::Kernel& kernel, const kernel::EmitOptions& options, std::string text)
      : kernel(kernel), options(options), jit_(jit), text_(std::move(text)) {}
  ~JittedKernel() override;

  bool ready() const override { return state_.load(std::memory_order_acquire) >= State::Ready; }
  kernel::KernelFunction function() const override;
  const std::string& text() const override { return text_; }

  bool claim() const {
    State expected = State::Queued;
    return state_.compare_exchange_strong(expected, State::Compiling);
  }
  void succeed(void* library, kernel::KernelFunction function) const {
    library_ = library;
    function_ = function;
    finish(State::Ready);
  }
  void fail(std::exception_ptr error) const {
    error_ = std::move(error);
    finish(State::Failed);
  }

  const kernel::Kernel kernel;
  const kernel::EmitOptions options;

 private:
  enum class State : int { Queued, Compiling, Ready, Failed };

  void finish(State state) const {
    {
      const std::lock_guard lock(mutex_);
      state_.store(state, std::memory_order_release);
    }
    changed_.notify_all();
  }

  HostJit& jit_;
  const std::string text_;
  mutable std::atomic<State> state_{State::Queued};
  mutable kernel::KernelFunction function_ = nullptr;
  mutable void* library_ = nullptr;
  mutable std::exception_ptr error_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
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
        quick_(environment_flag("PILUM_JIT_QUICK")) {}

  ~HostJit() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

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
    auto made = std::make_shared<const JittedKernel>(*this, kernel, options, kernel::emit_host(kernel, options));
    same_hash.push_back(made);
    if (load_from_disk(*made)) {
      ++statistics_.disk_hits;
    } else {
      submit(made);
    }
    return made;
  }

  JitStatistics statistics() const override {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

  // Compiles a kernel that the caller has claimed.
  void compile(const JittedKernel& kernel) {
    try {
      HostCompiler& compiler = pick_compiler();
      const std::filesystem::path file = disk_.store(key(compiler, kernel.text()), [&](const auto& path) {
        compiler.compile({kernel.text(), options_.sanitize, quick_, path,
                          [this](const char* suffix) { return disk_.temporary_name(suffix); }});
      });
      {
        const std::lock_guard lock(mutex_);
        ++statistics_.compiled;
      }
      load(kernel, file);
    } catch (...) {
      kernel.fail(std::current_exception());
    }
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

  bool load_from_disk(const JittedKernel& kernel) {
    if (!options_.disk_cache) return false;
    for (const auto& compiler : compilers_) {
      const std::filesystem::path file = disk_.find(key(*compiler, kernel.text()));
      if (file.empty()) continue;
      kernel.claim();
      load(kernel, file);
      return true;
    }
    return false;
  }

  void load(const JittedKernel& kernel, const std::filesystem::path& file) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = library ? dlsym(library, "pilum_kernel") : nullptr;
    if (symbol) {
      kernel.succeed(library, reinterpret_cast<kernel::KernelFunction>(symbol));
    } else {
      kernel.fail(std::make_exception_ptr(RuntimeError("[compile kernel] the compiled kernel does not load: " +
                                                       std::string(dlerror()) + "; remove " + file.string())));
    }
  }

  void submit(const KernelRef& kernel) {
    if (options_.threads <= 0) return;
    queue_.push_back(kernel);
    if (idle_ < static_cast<int>(queue_.size()) && static_cast<int>(threads_.size()) < options_.threads) {
      threads_.emplace_back([this] { run(); });
    }
    work_.notify_one();
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      work_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      --idle_;
      if (stopping_) return;
      const KernelRef kernel = queue_.front();
      queue_.pop_front();
      if (!kernel->claim()) continue;
      lock.unlock();
      compile(*kernel);
      lock.lock();
    }
  }

  const JitOptions options_;
  const std::vector<std::unique_ptr<HostCompiler>> compilers_;
  DiskCache disk_;
  const bool quick_;

  std::mutex compilers_mutex_;
  std::size_t first_compiler_ = 0;
  std::string missing_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable work_;
  std::unordered_map<std::uint64_t, std::vector<KernelRef>> kernels_;
  std::deque<KernelRef> queue_;
  std::vector<std::thread> threads_;
  int idle_ = 0;
  bool stopping_ = false;
  JitStatistics statistics_;
};

JittedKernel::~JittedKernel() {
  if (library_) dlclose(library_);
}

kernel::KernelFunction JittedKernel::function() const {
  if (!ready()) {
    if (claim()) {
      jit_.compile(*this);
    } else {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ready(); });
    }
  }
  if (error_) std::rethrow_exception(error_);
  return function_;
}

}  // namespace

std::unique_ptr<Jit> make_jit(const JitOptions& options) { return std::make_unique<HostJit>(options); }

}  // namespace pilum::jit
