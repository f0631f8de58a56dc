#include "runtime/jit/jit.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/jit/compile_queue.h"
#include "runtime/jit/cpu_identity.h"
#include "runtime/jit/disk_cache.h"
#include "runtime/jit/host_compiler.h"
#include "runtime/jit/object_image.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::jit {
namespace {

// What clang's ThreadSanitizer makes of structs (complex128) that are copied or cleared: g++'s library, which programs
// link, has no such functions, but watches those of C.
constexpr const char* kWatchedCopies = R"(
#define PILUM_WATCHED extern "C" __attribute__((weak, no_sanitize("thread"))) void*
PILUM_WATCHED __tsan_memcpy(void* to, const void* from, unsigned long n) { return __builtin_memcpy(to, from, n); }
PILUM_WATCHED __tsan_memmove(void* to, const void* from, unsigned long n) { return __builtin_memmove(to, from, n); }
PILUM_WATCHED __tsan_memset(void* to, int byte, unsigned long n) { return __builtin_memset(to, byte, n); }
)";

// Part of every file's key: raise it when flags or the layout of a call change.
constexpr const char* kCacheVersion = "pilum kernels 2";

constexpr const char* kEntry = "pilum_kernel";

class HostJit;

// What a compiler made: an object that can be placed, or a shared object.
struct CompiledSource {
  std::string image;
  bool is_baseline = false;
};

// Where the code of a kernel lies.
class LoadedCode {
 public:
  LoadedCode(const CompiledSource& compiled, DiskCache& disk);
  ~LoadedCode() {
    if (library_) dlclose(library_);
  }
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  kernel::KernelFunction function() const { return function_; }

 private:
  std::optional<ObjectImage> image_;  // or
  void* library_ = nullptr;
  kernel::KernelFunction function_ = nullptr;
};

LoadedCode::LoadedCode(const CompiledSource& compiled, DiskCache& disk) {
  if (is_relocatable(compiled.image)) {
    image_.emplace(compiled.image, kEntry);
    function_ = reinterpret_cast<kernel::KernelFunction>(image_->function());
    return;
  }
  // The bytes that were checked, under a name that no loaded library has had: neither by the cache's name, where
  // another file may be by now, nor as /proc/self/fd, whose names come again and which debuggers and symbolizers do not
  // find.
  const TemporaryFolder& folder = disk.temporary_folder();
  const std::string file = folder.path_of(folder.write(".so", compiled.image));
  library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = library_ ? dlsym(library_, kEntry) : nullptr;
  if (!symbol) {
    throw RuntimeError("[compile kernel] the compiled kernel does not load: " + std::string(dlerror()) +
                       "; remove the folder of compiled kernels, or set PILUM_CACHE_DIR to one where code may be run");
  }
  function_ = reinterpret_cast<kernel::KernelFunction>(symbol);
}

class JittedKernel final : public HostKernel, public Compilation, public std::enable_shared_from_this<JittedKernel> {
 public:
  JittedKernel(HostJit& jit, kernel::Kernel kernel, const kernel::EmitOptions& options, std::string text)
      : kernel(std::move(kernel)), options(options), jit_(jit), text_(std::move(text)) {}

  bool ready() const override { return done(); }
  kernel::KernelFunction function() const override {
    wait();
    return function_.load(std::memory_order_acquire);
  }
  const std::string& source() const override { return text_; }

  // Before anybody else knows of it: this was found on disk, nothing is to be compiled.
  void use(CompiledSource compiled) { found_ = std::move(compiled); }
  // Once, after a baseline tier: calls that have begun end in that one.
  void replace(const CompiledSource& compiled) const { put(replacement_, compiled); }

  const kernel::Kernel kernel;
  const kernel::EmitOptions options;

 private:
  void compile() const override;
  DiskCache& disk() const;
  void put(std::optional<LoadedCode>& form, const CompiledSource& compiled) const {
    form.emplace(compiled, disk());
    function_.store(form->function(), std::memory_order_release);
  }

  HostJit& jit_;
  const std::string text_;
  mutable std::optional<CompiledSource> found_;
  mutable std::optional<LoadedCode> first_, replacement_;
  mutable std::atomic<kernel::KernelFunction> function_ = nullptr;
};

using KernelRef = std::shared_ptr<const JittedKernel>;

// The optimized tier of a kernel that runs in a baseline one.
class Replacement final : public Compilation {
 public:
  Replacement(HostJit& jit, KernelRef kernel) : jit_(jit), kernel_(std::move(kernel)) {}

 private:
  void compile() const override;

  HostJit& jit_;
  const KernelRef kernel_;
};

// The optimized tier of more nodes than this takes half as long again as that of a few; elementary functions count as
// what their text has.
constexpr int kManyNodes = 32, kNodesOfElementary = 40;

bool takes_long(const kernel::Kernel& kernel) {
  int nodes = 0;
  for (const kernel::Node& node : kernel.nodes) {
    nodes += kernel::is_elementary(node.op) || node.op == kernel::Op::Power ? kNodesOfElementary : 1;
  }
  return nodes > kManyNodes;
}

// The compilers that the options allow, best first.
std::vector<std::unique_ptr<HostCompiler>> find_compilers(std::string wanted) {
  if (const char* variable = std::getenv("PILUM_COMPILER"); wanted.empty() && variable) wanted = variable;
  std::vector<std::unique_ptr<HostCompiler>> compilers;
  if (wanted.empty() || wanted == "clang") compilers.push_back(make_plugin_compiler());
  if (wanted != "clang") compilers.push_back(make_system_compiler(wanted.empty() ? "c++" : wanted));
  return compilers;
}

class HostJit final : public Jit {
 public:
  explicit HostJit(const JitOptions& options)
      : options_(options),
        compilers_(find_compilers(options.compiler)),
        disk_(options.cache_directory, options.disk_cache),
        queue_(options.threads) {}

  std::shared_ptr<const HostKernel> get_host(const kernel::Kernel& kernel, const kernel::EmitOptions& wanted) override {
    kernel::EmitOptions options = wanted;
    if (!options_.sanitize.empty()) options.scalar = true;
    if (is_baseline_mode()) options.padded = true;
    const std::uint64_t hash = kernel::hash(kernel) * 16 + static_cast<std::uint64_t>(options.walk) * 4 +
                               std::uint64_t{options.scalar} * 2 + std::uint64_t{options.streaming};
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
    if (std::optional<CompiledSource> found = find_on_disk(made->source())) {
      ++statistics_.disk_hits;
      made->use(std::move(*found));
      made->begin();
    } else {
      queue_.submit(made);
    }
    return made;
  }

  bool is_quick() override try { return pick_compiler().has_baseline(); } catch (const Error&) {
    return false;
  }

  JitStatistics statistics() const override {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

  DiskCache& disk() { return disk_; }

  CompiledSource compile(const JittedKernel& kernel) {
    CompiledSource compiled = compile_first_form(kernel);
    const std::lock_guard lock(mutex_);
    ++statistics_.compiled;
    return compiled;
  }

  // Of a kernel that runs in its baseline tier.
  void replace_later(KernelRef kernel) { queue_.submit_last(std::make_shared<Replacement>(*this, std::move(kernel))); }

  // A failure costs speed alone.
  void replace(const JittedKernel& kernel) {
    try {
      kernel.replace(compile_fully(pick_compiler(), kernel.source()));
    } catch (const Error& error) {
      log("jit").warn("a kernel stays at its baseline tier: {}", error.what());
    }
  }

 private:
  // A baseline tier stays in memory.
  CompiledSource compile_first_form(const JittedKernel& kernel) {
    HostCompiler& compiler = pick_compiler();
    if (options_.form == CodeForm::BaselineFirst && options_.threads > 0 && options_.sanitize.empty() &&
        baseline_works_ && compiler.has_baseline() && takes_long(kernel.kernel)) {
      kernel::EmitOptions options = kernel.options;
      options.padded = true;
      const std::string text = kernel::emit_host(kernel.kernel, options);
      CompiledSource baseline{compiler.make_object(job_of(text, /*baseline=*/true)), /*is_baseline=*/true};
      if (can_place(baseline.image)) return baseline;
      baseline_works_ = false;  // on this machine
    }
    return compile_fully(compiler, kernel.source());
  }

  Digest key(const HostCompiler& compiler, const std::string& text) const {
    return digest(std::string(kCacheVersion) + '\n' + compiler.identity() + '\n' + cpu_identity() + '\n' +
                  options_.sanitize + '\n' + (is_baseline_mode() ? "quick\n" : "\n") + text);
  }

  bool watches_threads() const { return options_.sanitize.find("thread") != std::string::npos; }
  bool is_baseline_mode() const { return options_.form == CodeForm::Baseline; }

  HostJob job_of(const std::string& text, bool baseline) {
    return {text, options_.sanitize, baseline, [this]() -> const TemporaryFolder& { return disk_.temporary_folder(); }};
  }

  // And puts what comes of it into the folder.
  CompiledSource compile_fully(HostCompiler& compiler, const std::string& text) {
    const Digest name = key(compiler, text);
    const std::string whole = watches_threads() ? text + kWatchedCopies : text;
    const HostJob job = job_of(whole, is_baseline_mode());
    CompiledSource compiled{compiler.make_object(job)};
    // Sanitizers look functions up in files.
    if (!options_.sanitize.empty() || !can_place(compiled.image)) {
      compiled.image = compiler.make_shared_object(job, compiled.image);
    }
    keep(name, compiled.image);
    return compiled;
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

  std::optional<CompiledSource> find_on_disk(const std::string& text) const {
    if (!disk_.keeps()) return std::nullopt;
    for (const auto& compiler : compilers_) {
      std::optional<std::string> image = disk_.read(key(*compiler, text));
      if (image && is_relocatable(*image) && !can_place(*image)) continue;  // of another build: compiled anew
      if (image) return CompiledSource{std::move(*image)};
    }
    return std::nullopt;
  }

  // Code works without its file in the cache: trouble there costs the next process a compilation, no more.
  void keep(const Digest& name, const std::string& image) {
    try {
      disk_.store(name, image);
    } catch (const Error& error) {
      log("jit").warn("a kernel is not cached: {}", error.what());
    }
  }

  const JitOptions options_;
  const std::vector<std::unique_ptr<HostCompiler>> compilers_;
  DiskCache disk_;
  std::atomic<bool> baseline_works_ = true;

  std::mutex compilers_mutex_;
  std::size_t first_compiler_ = 0;
  std::string missing_;

  mutable std::mutex mutex_;  // guards what follows
  std::unordered_map<std::uint64_t, std::vector<KernelRef>> kernels_;
  JitStatistics statistics_;

  CompileQueue queue_;  // last: its threads use all of the above
};

void JittedKernel::compile() const {
  const CompiledSource compiled = found_ ? std::move(*found_) : jit_.compile(*this);
  found_.reset();
  put(first_, compiled);
  if (compiled.is_baseline) jit_.replace_later(shared_from_this());
}

DiskCache& JittedKernel::disk() const {
  return jit_.disk();
}

void Replacement::compile() const {
  jit_.replace(*kernel_);
}

}  // namespace

std::unique_ptr<Jit> make_jit(const JitOptions& options) {
  return std::make_unique<HostJit>(options);
}

}  // namespace pilum::jit
