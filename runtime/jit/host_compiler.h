// What turns kernel text into code.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/jit/temporary_folder.h"

namespace pilum::jit {

struct HostJob {
  const std::string& text;
  std::string sanitize;   // as -fsanitize=
  bool baseline = false;  // cheaper code, the same bits
  std::function<const TemporaryFolder&()> temporary_folder;
};

// A compiler. Thread-safe.
class HostCompiler {
 public:
  virtual ~HostCompiler() = default;
  // What a compiled file depends on besides its text and flags. Known without loading or starting the compiler.
  virtual const std::string& identity() const = 0;
  // False: it cannot be used on this machine, and `why` says so; loads it if need be.
  virtual bool available(std::string& why) = 0;
  // Whether a baseline tier takes much less time.
  virtual bool has_baseline() const = 0;
  // An object; empty: this compiler makes shared objects alone. Both throw pilum::RuntimeError with the compiler's
  // message.
  virtual std::string make_object(const HostJob& job) = 0;
  // The bytes of a shared object, of the job's object where there is one.
  virtual std::string make_shared_object(const HostJob& job, const std::string& object) = 0;
};

// clang as a plug-in: $PILUM_JIT_PLUGIN, or what find_plugin.h finds.
std::unique_ptr<HostCompiler> make_plugin_compiler();
// A compiler with g++'s command line.
std::unique_ptr<HostCompiler> make_system_compiler(const std::string& program);

// "path size mtime" of a file; "path" alone if it is not there.
std::string file_identity(const std::string& path);

}  // namespace pilum::jit
