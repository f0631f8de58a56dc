#include <algorithm>
#include <cstring>
#include <thread>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/base/settings.h"
#include "runtime/machine/print.h"
#include "scheduler/session/all_gather.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

// What a GPU reads or writes while two of them exchange a halo, some 5 us: a sweep over a smaller array takes longer on
// two than on one (jacobi, float32, on one and two H200s: 2048^2 7.4 and 10.4 us, 4096^2 32 and 20).
constexpr std::int64_t kSplitOfGpus = 20 << 20;

// What a rank tells the others at start.
struct Hello {
  char host[64] = {};
  std::uint64_t allowed = 0;  // a hash of the cores that it may use
  std::int32_t cores = 0;
  std::int32_t processors = 0;
  std::int64_t cache_bytes = 0;
  std::int32_t gpus = 0;
  std::int32_t messages_from_gpus = 0;
  double memory_bandwidth = 0;
};

comm::Transport transport_of(const std::string& name) {
  if (name == "self") return comm::Transport::Self;
  if (name == "mpi") return comm::Transport::Mpi;
  if (name == "ucx") return comm::Transport::Ucx;
  return comm::Transport::Best;
}

// This rank's place among those on its node, or on its cores.
struct NodePlace {
  int rank = 0, ranks = 0;
};

bool on_one_node(const Hello& a, const Hello& b) {
  return std::strcmp(a.host, b.host) == 0;
}

// Where the launcher binds ranks to cores of their own, those of a node share none.
bool on_the_same_cores(const Hello& a, const Hello& b) {
  return on_one_node(a, b) && a.allowed == b.allowed;
}

NodePlace place_among(const std::vector<Hello>& all, int rank, bool (*together)(const Hello&, const Hello&)) {
  NodePlace place;
  for (int other = 0; other < static_cast<int>(all.size()); ++other) {
    if (!together(all[static_cast<std::size_t>(other)], all[static_cast<std::size_t>(rank)])) continue;
    if (other < rank) ++place.rank;
    ++place.ranks;
  }
  return place;
}

std::uint64_t hash_cores(const machine::HostTopology& topology) {
  std::uint64_t hash = 0;
  for (const machine::NumaDomain& domain : topology.domains) {
    for (const int core : domain.cores) hash = (hash ^ static_cast<std::uint64_t>(core + 1)) * 0x9e3779b97f4a7c15u;
  }
  return hash;
}

// Each rank's node, as the rank that is its first.
std::vector<int> number_nodes(const std::vector<Hello>& all) {
  std::vector<int> node_of;
  for (const Hello& hello : all) {
    const auto first =
        std::find_if(all.begin(), all.end(), [&](const Hello& other) { return on_one_node(other, hello); });
    node_of.push_back(static_cast<int>(first - all.begin()));
  }
  return node_of;
}

// The GPUs of a rank: its share of those that the node's ranks see. None where there are none, or none are wanted.
// Throws pilum::ValueError when there are fewer than asked for.
std::vector<device::GpuInfo> pick_gpus(int wanted, const NodePlace& node) {
  if (wanted == 0) return {};
  const device::GpuList list = device::list_gpus();
  const auto visible = static_cast<int>(list.gpus.size());
  if (wanted > 0 && wanted * node.ranks > visible) {
    const std::string found =
        visible ? fmt::format("{} {} visible", visible, visible == 1 ? "is" : "are") : "there is none: " + list.trouble;
    throw ValueError(
        fmt::format("[Runtime] --gpus {} with {} rank{} on this node needs {} GPUs, but {}. Ask for fewer, "
                    "look at CUDA_VISIBLE_DEVICES, or use --gpus 0",
                    wanted, node.ranks, node.ranks == 1 ? "" : "s", wanted * node.ranks, found));
  }
  if (visible == 0) {
    log("scheduler").info("no GPUs: {}", list.trouble);
    return {};
  }
  // More ranks than GPUs: several ranks share one.
  const int share = wanted > 0 ? wanted : std::max(1, visible / node.ranks);
  std::vector<device::GpuInfo> mine;
  for (int i = 0; i < share; ++i)
    mine.push_back(list.gpus[static_cast<std::size_t>((node.rank * share + i) % visible)]);
  if (wanted < 0 && node.ranks > 1) {
    log("scheduler").info("{} GPUs for {} ranks on this node: {} per rank", visible, node.ranks, share);
  }
  return mine;
}

// What a rank offers the others of its node.
struct SharedGpu {
  device::GpuShare share;
  std::int32_t good = 0;
  char bus[32] = {};
};

// Ranks that share one wait by their hosts: on a GPU that waits for another process that one would not come to run.
bool have_gpus_of_their_own(const std::vector<SharedGpu>& all, const std::vector<int>& node_of) {
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (node_of[a] == node_of[b] && std::strcmp(all[a].bus, all[b].bus) == 0) return false;
    }
  }
  return true;
}

// Whether ranks of one node can open each other's GPU memory: tried once, by all; where one cannot, none does. Then,
// where each has one GPU for itself, they have mail.
void try_sharing(SessionParts& parts, const NodePlace& node) {
  device::Gpu& gpu = *parts.gpus.front();
  std::byte* block = gpu.allocate(device::kShareBytes);
  SharedGpu mine;
  std::strncpy(mine.bus, gpu.info().bus.c_str(), sizeof mine.bus - 1);
  try {
    if (block) {
      mine.share = gpu.share(block);
      mine.good = 1;
    }
  } catch (const Error& error) {
    log("scheduler").info("GPU memory is not shared between ranks: {}", error.what());
  }
  std::vector<SharedGpu> all = all_gather(*parts.communicator, mine);
  const auto rank = static_cast<std::size_t>(parts.communicator->rank());
  for (std::size_t other = 0; other < all.size() && node.ranks > 1 && mine.good; ++other) {
    if (other == rank || parts.node_of[other] != parts.node_of[rank]) continue;
    try {
      mine.good = all[other].good && gpu.open_share(all[other].share);
    } catch (const Error& error) {
      log("scheduler").info("GPU memory is not shared between ranks: {}", error.what());
      mine.good = 0;
    }
  }
  all = all_gather(*parts.communicator, mine);
  // The block stays: others have it open.
  parts.share_gpu_memory = std::all_of(all.begin(), all.end(), [](const SharedGpu& offer) { return offer.good != 0; });
  if (parts.share_gpu_memory && parts.machine.processors_per_rank == 1 && have_gpus_of_their_own(all, parts.node_of))
    parts.mail = open_mailboxes(*parts.communicator, gpu, parts.node_of);
}

// In place of groups of cores, GPUs are the processors; all cores serve the host's work.
void use_gpus(SessionParts& parts, const std::vector<device::GpuInfo>& gpus, const Config& config, int sharing_ranks) {
  for (const device::GpuInfo& info : gpus) parts.gpus.push_back(device::open_gpu(info));
  machine::Processor host;
  for (const machine::Processor& processor : parts.processors)
    host.cores.insert(host.cores.end(), processor.cores.begin(), processor.cores.end());
  parts.processors = {host};
  constexpr double kShare = 0.92;  // of the free memory: kernels and the driver need some
  parts.gpu_memory_limit =
      config.gpu_memory > 0
          ? config.gpu_memory
          : static_cast<std::int64_t>(kShare * static_cast<double>(parts.gpus.front()->free_bytes()) / sharing_ranks);
  jit::DeviceJitOptions options;
  options.cache_directory = config.cache_dir;
  options.threads = std::clamp(static_cast<int>(parts.processors.front().cores.size()) / 2, 2, 8);
  parts.device_jit = jit::make_device_jit(jit::make_nvrtc_compiler(gpus.front().architecture), options);
}

}  // namespace

SessionParts make_session_parts(const Config& config, const std::optional<comm::HostCommunicator>& host) {
  SessionParts parts;
  parts.config = config;
  const machine::HostTopology topology = machine::read_host_topology();
  set_up_log(config.log_level, comm::launched_rank().value_or(0));  // until the rank is known
  comm::leave_signals_alone();
  const comm::Transport transport = transport_of(config.transport);
  parts.communicator = host ? comm::make_communicator(transport, values_to_agree_on(config), *host)
                            : comm::make_communicator(transport, values_to_agree_on(config));
  const int rank = parts.communicator->rank();
  set_up_log(config.log_level, rank);

  Hello mine;
  std::strncpy(mine.host, topology.host_name.c_str(), sizeof mine.host - 1);
  mine.allowed = hash_cores(topology);
  std::vector<Hello> all = all_gather(*parts.communicator, mine);
  const NodePlace node = place_among(all, rank, on_one_node), sharing = place_among(all, rank, on_the_same_cores);
  const int fair_share = std::max(1, topology.cores() / sharing.ranks);
  const bool crowded = config.cpus == 0 && sharing.ranks > topology.cores();
  parts.processors = machine::pick_processors(topology, config.cpus > 0 ? config.cpus : fair_share, sharing.rank,
                                              sharing.ranks, config.oversubscribe || crowded);
  mine.processors = static_cast<std::int32_t>(parts.processors.size());
  for (const machine::Processor& processor : parts.processors)
    mine.cores += static_cast<std::int32_t>(processor.cores.size());
  // Not inside a program of MPI's: its ranks wait for each other by MPI as well, where nobody makes progress here, and
  // with few looks a peer was left waiting for ever (embedding.funneled.ucx.3, one run of thirty).
  parts.shares_cores = !host && std::int64_t{mine.cores} * sharing.ranks > topology.cores();
  mine.cache_bytes = static_cast<std::int64_t>(topology.last_level_cache);
  std::vector<device::GpuInfo> gpus = pick_gpus(config.gpus, node);
  mine.gpus = static_cast<std::int32_t>(gpus.size());
  for (const device::GpuInfo& gpu : gpus) mine.memory_bandwidth = gpu.memory_bandwidth;
  mine.messages_from_gpus = !gpus.empty() && parts.communicator->reaches_gpus();
  if (!gpus.empty()) mine.cache_bytes = gpus.front().cache_bytes;
  all = all_gather(*parts.communicator, mine);

  // The model is what all ranks have: the least of each.
  machine::Machine& machine = parts.machine;
  machine.ranks = parts.communicator->size();
  machine.processors_per_rank = mine.processors;
  std::int64_t cache = mine.cache_bytes;
  std::int32_t gpus_everywhere = mine.gpus;
  parts.messages_from_gpus =
      std::all_of(all.begin(), all.end(), [](const Hello& other) { return other.messages_from_gpus != 0; });
  machine.cores = 0;
  for (const Hello& other : all) {
    machine.cores += std::max(other.cores, 1);
    machine.processors_per_rank = std::min<int>(machine.processors_per_rank, other.processors);
    cache = std::min(cache, other.cache_bytes);
    gpus_everywhere = std::min(gpus_everywhere, other.gpus);
  }
  if (cache > 0) machine.cache_bytes = std::min(machine.cache_bytes, cache);
  if (config.message_bytes > 0) machine.message_bytes = config.message_bytes;
  // Fewer processors than this rank's domains: the last one takes the rest of the cores.
  while (static_cast<int>(parts.processors.size()) > machine.processors_per_rank) {
    const std::vector<int> cores = parts.processors.back().cores;
    parts.processors.pop_back();
    auto& last = parts.processors.back().cores;
    last.insert(last.end(), cores.begin(), cores.end());
  }

  gpus.resize(static_cast<std::size_t>(gpus_everywhere));
  if (!gpus.empty()) {
    machine.kind = machine::ProcessorKind::Gpu;
    machine.processors_per_rank = gpus_everywhere;
    machine.cache_bytes = std::max<std::int64_t>(cache, 1 << 20);
    const auto slowest = std::min_element(
        all.begin(), all.end(), [](const Hello& a, const Hello& b) { return a.memory_bandwidth < b.memory_bandwidth; });
    if (slowest->memory_bandwidth > 0) machine.memory_bandwidth = slowest->memory_bandwidth;
    machine.split_bytes = kSplitOfGpus;
    machine.message_latency = 10e-6;  // a mark, a wait, a launch, and the kernel's own way
    if (node.ranks == machine.ranks) machine.message_bandwidth = 300e9;  // NVLink
    const int visible = static_cast<int>(device::list_gpus().gpus.size());
    use_gpus(parts, gpus, config, (node.ranks * gpus_everywhere + visible - 1) / visible);
    parts.node_of = number_nodes(all);
    if (config.gpu_sharing && machine.ranks > 1) try_sharing(parts, node);
  } else if (mine.gpus > 0) {
    log("scheduler").warn("some ranks see no GPU, so no rank uses one");
  }
  if (config.split_bytes >= 0) machine.split_bytes = config.split_bytes;

  constexpr double kShare = 0.95;  // of the free memory: the rest is the program's own
  parts.memory_limit =
      config.system_memory > 0
          ? config.system_memory
          : static_cast<std::int64_t>(kShare * static_cast<double>(topology.available_bytes) / node.ranks);
  struct Memory {
    std::int64_t all = 0, of_processor = 0;
  };
  const Memory here{parts.memory_limit + parts.gpu_memory_limit * static_cast<std::int64_t>(parts.gpus.size()),
                    parts.gpus.empty() ? parts.memory_limit / machine.processors_per_rank : parts.gpu_memory_limit};
  machine.memory_bytes = here.of_processor;
  for (const Memory& other : all_gather(*parts.communicator, here)) {
    parts.total_memory += other.all;
    machine.memory_bytes = std::min(machine.memory_bytes, other.of_processor);
  }
  jit::JitOptions options;
  options.cache_directory = config.cache_dir;
  options.compiler = config.compiler;
  options.threads = std::clamp<int>(mine.cores, 1, 4);
#ifdef PILUM_SANITIZE
  options.sanitize = PILUM_SANITIZE;
#endif
  parts.jit = jit::make_jit(options);
  return parts;
}

// What is found out only here, for `--show-config`.
void Session::show_config() const {
  if (!parts_.config.show_config || rank() > 0) return;
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<11} {}\n", name, value);
  };
  if (parts_.gpus.empty()) {
    line("runs on", fmt::format("{} group{} of CPU cores per rank", parts_.machine.processors_per_rank,
                                parts_.machine.processors_per_rank == 1 ? "" : "s"));
  } else {
    const device::GpuInfo& gpu = parts_.gpus.front()->info();
    line("runs on",
         fmt::format("{} x {} per rank ({}, {} each for arrays)", parts_.gpus.size(), gpu.name, gpu.architecture,
                     machine::format_bytes(static_cast<std::uint64_t>(parts_.gpu_memory_limit))));
    if (parts_.gpus.size() > 1)
      line("in a rank",
           peers_ ? "the GPUs access each other's memory" : "through the host: the GPUs have no peer access");
    if (parts_.machine.ranks > 1) {
      const std::string messages = parts_.messages_from_gpus ? "messages from GPU memory, over " + transport()
                                                             : "pinned host memory, then " + transport();
      line("on a node", !parts_.mail.out.empty()  ? "GPUs write into each other's memory (CUDA IPC)"
                        : parts_.share_gpu_memory ? "ranks open each other's GPU memory (CUDA IPC)"
                                                  : messages);
      line("off node", messages);
    }
  }
  std::fputs(text.c_str(), stderr);
}

}  // namespace pilum::scheduler
