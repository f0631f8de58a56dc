// The plug-in: clang 19 and LLVM as libraries.
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/jit/clang_plugin.h"
#include "runtime/jit/host_clang_backend.h"
#include "runtime/jit/host_clang_frontend.h"

namespace pilum::jit {
namespace {

// A unit grows by about 60 KiB a kernel; another one takes a few milliseconds to make.
constexpr int kKernelsPerUnit = 128;

// What compiles one kernel at a time and stays warm.
struct Worker {
  Frontend frontend;
  std::unique_ptr<Backend> backends[2];  // by baseline, as they are needed

  Worker(const ClangRequest& request, bool once) : frontend(request, once) {}

  bool compile(const ClangRequest& request, std::string& object, std::string& message) {
    std::unique_ptr<Backend>& backend = backends[request.baseline];
    if (!backend) backend = std::make_unique<Backend>(request);
    if (!backend->works()) {
      message = "clang cannot write objects for " + host_target().triple;
      return false;
    }
    const std::unique_ptr<llvm::Module> module = frontend.parse(*request.text, message);
    if (module) object = backend->compile(*module);
    return module != nullptr;
  }
};

// As many workers as threads compile at once.
class Workers {
 public:
  std::unique_ptr<Worker> take(const ClangRequest& request) {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Worker> worker = std::move(idle_.back());
        idle_.pop_back();
        return worker;
      }
    }
    return std::make_unique<Worker>(request, /*once=*/false);
  }

  void give_back(std::unique_ptr<Worker> worker) {
    if (worker->frontend.kernels() >= kKernelsPerUnit) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

// Never destroyed: LLVM's own statics may go first.
Workers& workers() {
  static auto* const all = new Workers;
  return *all;
}

}  // namespace
}  // namespace pilum::jit

extern "C" __attribute__((visibility("default"))) bool pilum_clang_compile(const pilum::jit::ClangRequest& request,
                                                                           std::string& object, std::string& message) {
  using namespace pilum::jit;
  if (!host_target().target) {
    message = "clang knows no target " + host_target().triple;
    return false;
  }
  if (!request.sanitize.empty()) return Worker(request, /*once=*/true).compile(request, object, message);
  std::unique_ptr<Worker> worker = workers().take(request);
  const bool done = worker->compile(request, object, message);
  if (done) workers().give_back(std::move(worker));
  return done;
}
