#include "launcher/show_config.h"

#include "runtime/machine/print.h"

namespace pilum::launcher {

std::string show_config(const Job& job, const Config& config, const Surroundings& surroundings) {
  const auto line = [](const char* name, const std::string& value) {
    return "  " + std::string(name) + std::string(12 - std::string_view(name).size(), ' ') + value + "\n";
  };
  const std::string on = job.nodes == 1 ? "this node" : std::to_string(job.nodes) + " nodes";
  std::string text = "plaunch " PILUM_VERSION "\n";
  text += line("machine", machine::to_string(surroundings.topology));
  text += line("ranks", std::to_string(job.ranks()) + " on " + on);
  text += line("cores", job.cpus ? std::to_string(*job.cpus) + " a rank" : "each node's, shared among its ranks");
  text += line("memory", config.system_memory ? machine::format_bytes(static_cast<std::uint64_t>(config.system_memory)) +
                                                    " a rank"
                                              : "what is free, shared among the node's ranks");
  text += line("transport", job.ranks() == 1 ? "self" : config.transport == "best" ? "best (ucx, else mpi)" : config.transport);
  text += line("compiler", config.compiler.empty() ? "best (clang, else the system's)" : config.compiler);
  text += line("output", config.output);
  if (!job.application.empty()) text += line("command", command_line(job));
  return text;
}

}  // namespace pilum::launcher
