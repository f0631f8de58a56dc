#include "launcher/show_config.h"

#include "runtime/base/version.h"
#include "runtime/machine/print.h"

namespace pilum::launcher {
namespace {

std::string gpus_text(const Config& config) {
  if (config.gpus == 0) return "none";
  std::string text =
      config.gpus > 0 ? std::to_string(config.gpus) + " per rank" : "all visible, shared among the node's ranks";
  if (config.gpu_memory)
    text += ", " + machine::format_bytes(static_cast<std::uint64_t>(config.gpu_memory)) + " of each";
  return text;
}

}  // namespace

std::string show_config(const Job& job, const Config& config, const HostEnvironment& host) {
  const auto line = [](const char* name, const std::string& value) {
    return "  " + std::string(name) + std::string(12 - std::string_view(name).size(), ' ') + value + "\n";
  };
  const std::string on = job.nodes == 1 ? "this node" : std::to_string(job.nodes) + " nodes";
  std::string text = "plaunch " + std::string(library_version()) + "\n";
  text += line("machine", machine::to_string(host.topology));
  text += line("ranks", std::to_string(job.ranks()) + " on " + on);
  text += line("cores", job.cpus ? std::to_string(*job.cpus) + " per rank" : "each node's, shared among its ranks");
  text += line("gpus", gpus_text(config));
  text += line("memory", config.system_memory
                             ? machine::format_bytes(static_cast<std::uint64_t>(config.system_memory)) + " per rank"
                             : "free memory, shared among the node's ranks");
  text += line("transport", job.ranks() == 1             ? "self"
                            : config.transport == "best" ? "best (ucx, else mpi)"
                                                         : config.transport);
  text += line("compiler", config.compiler.empty() ? "best (clang, else the system's)" : config.compiler);
  text += line("output", config.output);
  if (!job.application.empty()) text += line("command", command_line(job));
  return text;
}

}  // namespace pilum::launcher
