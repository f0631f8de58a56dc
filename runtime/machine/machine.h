// The machine as plain values: read from hwloc (later CUDA), or written by hand in a test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pilum::machine {

enum class ProcessorKind : std::uint8_t { Cpu, Gpu };

// What a rank may use of this node: what `taskset`, cpusets and cgroups leave of it.
struct NumaDomain {
  int os_index = 0;
  std::vector<int> cores;          // one OS processor number a physical core, sorted
  std::uint64_t memory_bytes = 0;  // of the domain
};

struct HostTopology {
  std::string host_name;
  std::vector<NumaDomain> domains;     // only those with usable cores
  std::uint64_t available_bytes = 0;   // memory this process may still take (MemAvailable, cgroup limit)
  std::uint64_t last_level_cache = 0;  // bytes a domain: the share of its usable cores, in the domain with the least
  int cores() const {
    int count = 0;
    for (const NumaDomain& domain : domains) count += static_cast<int>(domain.cores.size());
    return count;
  }
};

// Reads hwloc, what taskset, cpusets and cgroups leave, and MemAvailable. Takes about 4 ms. Throws
// pilum::RuntimeError when no core can be found.
[[nodiscard]] HostTopology read_host_topology();

// A group of cores of one NUMA domain, or a GPU: what runs a piece.
struct Processor {
  ProcessorKind kind = ProcessorKind::Cpu;
  std::vector<int> cores;  // OS numbers; empty for a GPU and in simulations
};

// What ranks agree on at start; plans are functions of it. The same value on every rank.
struct Machine {
  int ranks = 1;
  int processors_per_rank = 1;
  int cores = 1;  // of all ranks: so many compute at the same time where arrays live on cores
  ProcessorKind kind = ProcessorKind::Cpu;
  double memory_bandwidth = 20e9;         // bytes/s a processor
  double message_latency = 2e-6;          // s
  double message_bandwidth = 8e9;         // bytes/s
  std::int64_t split_bytes = 256 * 1024;  // stores below this are not cut
  std::int64_t message_bytes = 2 << 20;   // of GPUs through the host: larger messages go in pieces of about this
  std::int64_t cache_bytes = 32 << 20;    // last-level cache a processor; streams beyond it bypass it
  std::int64_t memory_bytes = 0;          // for arrays, of the processor with the least; 0: not known

  int processors() const { return ranks * processors_per_rank; }
  int rank_of(int processor) const { return processor / processors_per_rank; }
  bool operator==(const Machine&) const = default;
};

// The processors of this rank, `cpus` cores of the topology shared among the ranks of this node:
// rank `local_rank` of `local_ranks` takes its block of cores; cpus = 0 is an equal share of them all. Ranks fill
// whole NUMA domains where they fit, spread over them. A rank whose cores touch several domains gets a processor of
// each, if so every rank of the node gets equally many of equal size; else one. Throws pilum::ValueError when there
// are fewer cores than cpus * local_ranks and `oversubscribe` is false; with it, ranks share cores.
[[nodiscard]] std::vector<Processor> pick_processors(const HostTopology& topology, int cpus, int local_rank,
                                                     int local_ranks, bool oversubscribe);

// What a processor of this many cores has of the last-level cache: a value for Machine::cache_bytes.
[[nodiscard]] std::int64_t cache_share(const HostTopology& topology, int cores);

}  // namespace pilum::machine
