// What turns kernel text into code.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace pilum::jit {

struct HostJob {
  const std::string& text;
  std::string sanitize;  // as -fsanitize=
  bool quick = false;    // cheaper code, the same bits
  std::function<std::filesystem::path(const char* suffix)> temporary_name;
};

// A compiler. Thread-safe.
class HostCompiler {
 public:
  virtual ~HostCompiler() = default;
  // What a compiled file depends on besides its text and flags. Known without loading or starting the compiler.
  virtual const std::string& identity() const = 0;
  // False: it cannot be used on this machine, and `why` says so; loads it if need be.
  virtual bool available(std::string& why) = 0;
  // Whether a quick form takes much less time.
  virtual bool has_quick_form() const = 0;
  // An object; empty: this compiler makes shared objects alone. Both throw pilum::RuntimeError with the compiler's message.
  virtual std::string make_object(const HostJob& job) = 0;
  // Of the job's object, where there is one.
  virtual void write_shared_object(const HostJob& job, const std::string& object, const std::filesystem::path& file) = 0;
};

// clang as a plug-in: $PILUM_JIT_PLUGIN, or where the build put it.
std::unique_ptr<HostCompiler> make_plugin_compiler();
// A compiler with g++'s command line.
std::unique_ptr<HostCompiler> make_system_compiler(const std::string& program);

// "path size mtime" of a file; "path" alone if it is not there.
std::string file_identity(const std::string& path);

}  // namespace pilum::jit
