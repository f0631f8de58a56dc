#include "runtime/machine/print.h"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

namespace pilum::machine {

std::string format_bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  // One digit behind the point, unless the number is whole.
  const bool whole = value == static_cast<double>(static_cast<std::uint64_t>(value));
  return whole ? fmt::format("{:.0f} {}", value, kUnits[unit]) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string format_cores(std::span<const int> cores) {
  if (cores.empty()) return "no cores";
  std::vector<int> sorted(cores.begin(), cores.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::string text;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += last > first ? fmt::format("{}-{}", sorted[first], sorted[last]) : fmt::format("{}", sorted[first]);
    first = last + 1;
  }
  return (sorted.size() == 1 ? "core " : "cores ") + text;
}

std::string to_string(const Processor& processor) {
  return processor.kind == ProcessorKind::Gpu ? "gpu" : "cpu: " + format_cores(processor.cores);
}

std::string to_string(const Machine& machine) {
  return fmt::format(
      "ranks {}, processors a rank {} ({}), memory {:.1f} GB/s a processor, messages {:.1f} us and {:.1f} GB/s, "
      "split from {}, cache {} a processor",
      machine.ranks, machine.processors_per_rank, machine.kind == ProcessorKind::Gpu ? "gpu" : "cpu",
      machine.memory_bandwidth * 1e-9, machine.message_latency * 1e6, machine.message_bandwidth * 1e-9,
      format_bytes(static_cast<std::uint64_t>(machine.split_bytes)),
      format_bytes(static_cast<std::uint64_t>(machine.cache_bytes)));
}

std::string to_string(const HostTopology& topology) {
  std::string text = fmt::format("{}: {} {}, {} available, {} cache a domain", topology.host_name, topology.cores(),
                                 topology.cores() == 1 ? "core" : "cores", format_bytes(topology.available_bytes),
                                 format_bytes(topology.last_level_cache));
  for (const NumaDomain& domain : topology.domains) {
    text += fmt::format("; domain {}: {}, {}", domain.os_index, format_cores(domain.cores),
                        format_bytes(domain.memory_bytes));
  }
  return text;
}

}  // namespace pilum::machine
