// A compiler of the system's, run as a program.
#include "pilum/error.h"
#include "runtime/jit/host_compiler.h"
#include "runtime/jit/process.h"

namespace pilum::jit {
namespace {

// What has a sanitizer runs with the one of the compiler that built the program.
std::string find_compiler(const std::string& program) {
#ifdef PILUM_SANITIZE
  if (program == "c++") return PILUM_BUILT_BY;
#endif
  return find_program(program);
}

class SystemCompiler final : public HostCompiler {
 public:
  explicit SystemCompiler(const std::string& program)
      : program_(program), path_(find_compiler(program)), identity_(program + " " + file_identity(path_)) {}

  const std::string& identity() const override { return identity_; }

  bool available(std::string& why) override {
    if (path_.empty()) why = "there is no compiler '" + program_ + "' in PATH";
    return !path_.empty();
  }

  bool has_baseline() const override { return false; }  // most of its time is its start

  std::string make_object(const HostJob&) override { return {}; }

  std::string make_shared_object(const HostJob& job, const std::string&) override {
    const TemporaryFolder& folder = job.temporary_folder();
    const std::string source = folder.write(".cc", job.text), file = TemporaryFolder::new_name(".so");
    const ProcessResult result = run_process(command(job, folder.path_of(source), folder.path_of(file)), folder.path());
    folder.remove(source);
    if (result.status != 0) {
      folder.remove(file);
      throw RuntimeError("[compile kernel] " + path_ + " failed (status " + std::to_string(result.status) +
                         "); it must take g++ 12's options, see PILUM_COMPILER:\n" + result.output);
    }
    return folder.take(file);
  }

 private:
  // -fwrapv: integers wrap. -fno-builtin: fmod is the library's in every form.
  std::vector<std::string> command(const HostJob& job, const std::string& source, const std::string& file) const {
    std::vector<std::string> words = {path_,
                                      "-x",
                                      "c++",
                                      "-std=c++20",
                                      "-march=native",
                                      "-ffp-contract=off",
                                      "-fwrapv",
                                      "-fno-builtin",
                                      "-fno-math-errno",
                                      "-fno-trapping-math",
                                      "-fno-strict-aliasing",
                                      "-fno-exceptions",
                                      "-fno-rtti",
                                      "-fPIC",
                                      "-shared",
                                      "-w"};
#if defined(__x86_64__)
    words.push_back("-mprefer-vector-width=512");
#endif
    words.push_back(!job.sanitize.empty() || job.baseline ? "-O1" : "-O3");
    if (!job.sanitize.empty()) {
      words.insert(words.end(), {"-fsanitize=" + job.sanitize, "-fno-omit-frame-pointer", "-g1"});
    }
    words.insert(words.end(), {"-o", file, source});
    return words;
  }

  const std::string program_, path_, identity_;
};

}  // namespace

std::unique_ptr<HostCompiler> make_system_compiler(const std::string& program) {
  return std::make_unique<SystemCompiler>(program);
}

}  // namespace pilum::jit
