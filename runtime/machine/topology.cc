#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <type_traits>

#include <hwloc.h>

#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/machine/cgroup.h"
#include "runtime/machine/machine.h"
#include "runtime/machine/print.h"

namespace pilum::machine {
namespace {

// A hypervisor may show a guest of two cores the whole socket's cache (480 MiB were seen). No core has more than this.
constexpr std::uint64_t kMaxCachePerCore = 32 << 20;

using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

// Includes what this process may not use: the others share the caches all the same.
Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw RuntimeError("[Runtime] hwloc cannot be initialized");
  Topology topology(raw, &hwloc_topology_destroy);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0) throw RuntimeError("[Runtime] hwloc cannot read this machine's topology");
  return topology;
}

// What cpusets and taskset leave. The binding is that of the whole process: threads that pinned themselves do not count
// for the others.
Bitmap usable_processors(hwloc_topology_t topology) {
  Bitmap usable(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)), &hwloc_bitmap_free);
  const Bitmap bound(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_PROCESS) == 0 && !hwloc_bitmap_iszero(bound.get())) {
    hwloc_bitmap_and(usable.get(), usable.get(), bound.get());
  }
  return usable;
}

// The usable processing unit with the lowest OS number of each core, by OS number.
std::vector<hwloc_obj_t> one_unit_per_core(hwloc_topology_t topology, hwloc_const_bitmap_t usable) {
  std::map<hwloc_obj_t, hwloc_obj_t> by_core;
  for (hwloc_obj_t unit = nullptr; (unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit));) {
    if (!hwloc_bitmap_isset(usable, unit->os_index)) continue;
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    hwloc_obj_t& chosen = by_core[core ? core : unit];
    if (!chosen || unit->os_index < chosen->os_index) chosen = unit;
  }
  std::vector<hwloc_obj_t> units;
  for (const auto& [core, unit] : by_core) units.push_back(unit);
  std::sort(units.begin(), units.end(), [](hwloc_obj_t a, hwloc_obj_t b) { return a->os_index < b->os_index; });
  return units;
}

// The memory next to a unit. Where several are (fast memory beside plain), the first.
hwloc_obj_t domain_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));) {
    if (hwloc_bitmap_isset(node->cpuset, unit->os_index)) return node;
  }
  return nullptr;
}

// One core's part of the last cache above it, if all that share it take the same.
std::uint64_t cache_of_core(hwloc_topology_t topology, hwloc_obj_t unit) {
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t above = unit->parent; above; above = above->parent) {
    if (hwloc_obj_type_is_dcache(above->type)) last = above;
  }
  if (!last || !last->attr) return 0;
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, last->cpuset, HWLOC_OBJ_CORE);
  return std::min<std::uint64_t>(last->attr->cache.size / static_cast<std::uint64_t>(std::max(cores, 1)),
                                 kMaxCachePerCore);
}

void add_domains(hwloc_topology_t topology, hwloc_const_bitmap_t usable, HostTopology& host) {
  std::map<int, NumaDomain> domains;
  std::map<int, std::uint64_t> caches;
  for (const hwloc_obj_t unit : one_unit_per_core(topology, usable)) {
    const hwloc_obj_t node = domain_of(topology, unit);
    const int os_index = node ? static_cast<int>(node->os_index) : 0;
    NumaDomain& domain = domains[os_index];
    domain.os_index = os_index;
    domain.cores.push_back(static_cast<int>(unit->os_index));
    domain.memory_bytes = node ? node->attr->numanode.local_memory : 0;
    caches[os_index] += cache_of_core(topology, unit);
  }
  for (auto& [os_index, domain] : domains) host.domains.push_back(std::move(domain));
  for (const auto& [os_index, bytes] : caches) {
    host.last_level_cache = host.last_level_cache ? std::min(host.last_level_cache, bytes) : bytes;
  }
}

// Memory of the NUMA domains that a cpuset allows us to take it from; 0 when that is not known.
std::uint64_t allowed_memory(hwloc_topology_t topology) {
  std::uint64_t bytes = 0;
  const hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(topology);
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));) {
    if (hwloc_bitmap_isset(allowed, node->os_index)) bytes += node->attr->numanode.local_memory;
  }
  return bytes;
}

void limit_by_cgroup(HostTopology& host) {
  const CgroupLimits limits = read_cgroup_limits();
  if (limits.memory_left) host.available_bytes = std::min(host.available_bytes, *limits.memory_left);
  if (limits.cpus && *limits.cpus < host.cores()) {
    log("machine").info(
        "the control group's CPU quota is {:.1f} cores, and {} cores may be used: threads will be throttled",
        *limits.cpus, host.cores());
  }
}

std::string read_host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

}  // namespace

HostTopology read_host_topology() {
  const Topology topology = load_topology();
  HostTopology host;
  host.host_name = read_host_name();
  add_domains(topology.get(), usable_processors(topology.get()).get(), host);
  if (host.domains.empty())
    throw RuntimeError("[Runtime] no usable core on " + host.host_name + ": check cpusets and taskset");
  host.available_bytes = read_available_memory();
  if (const std::uint64_t bytes = allowed_memory(topology.get()))
    host.available_bytes = std::min(host.available_bytes, bytes);
  limit_by_cgroup(host);
  log("machine").debug("{}", to_string(host));
  return host;
}

std::int64_t cache_share(const HostTopology& topology, int cores) {
  std::size_t most = 1;
  for (const NumaDomain& domain : topology.domains) most = std::max(most, domain.cores.size());
  return static_cast<std::int64_t>(topology.last_level_cache / most) * cores;
}

}  // namespace pilum::machine
