#include <algorithm>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "runtime/machine/machine.h"
#include "runtime/machine/print.h"

namespace pilum::machine {
namespace {

using Block = std::vector<Processor>;  // a rank's cores, a processor a domain

std::string plural(int count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

[[noreturn]] void throw_too_few(const HostTopology& topology, int cpus, int local_ranks) {
  std::vector<int> allowed;
  for (const NumaDomain& domain : topology.domains)
    allowed.insert(allowed.end(), domain.cores.begin(), domain.cores.end());
  const int fit = topology.cores() / local_ranks;
  std::string text = "[Runtime] " + plural(local_ranks, "rank") + " on " + topology.host_name + " with " +
                     plural(cpus, "CPU") + " each: " + std::to_string(cpus * local_ranks) + " cores are needed, and " +
                     std::to_string(topology.cores()) + " may be used (" + format_cores(allowed) +
                     "; taskset, cpusets and cgroups decide). Ask for ";
  if (fit > 0) text += "at most " + plural(fit, "CPU") + " a rank (PILUM_CPUS, plaunch --cpus), ";
  text += "fewer ranks a node, or let ranks share cores (PILUM_OVERSUBSCRIBE=1, plaunch --oversubscribe)";
  throw ValueError(text);
}

// How many ranks each domain takes if every rank fits into one domain, dealt out in turn; empty if they do not.
std::vector<int> deal_ranks(const HostTopology& topology, int cpus, int local_ranks) {
  std::vector<int> ranks(topology.domains.size(), 0);
  int left = local_ranks;
  for (bool dealt = true; left > 0 && dealt;) {
    dealt = false;
    for (std::size_t d = 0; d < ranks.size() && left > 0; ++d) {
      if ((ranks[d] + 1) * cpus > static_cast<int>(topology.domains[d].cores.size())) continue;
      ++ranks[d];
      --left;
      dealt = true;
    }
  }
  return left == 0 ? ranks : std::vector<int>();
}

// The cores first, first + 1, … of all domains in order, beginning again at the end.
Block take_cores(const HostTopology& topology, int first, int cpus) {
  std::vector<Processor> by_domain(topology.domains.size());
  for (int i = 0; i < cpus; ++i) {
    int index = (first + i) % topology.cores();
    std::size_t d = 0;
    while (index >= static_cast<int>(topology.domains[d].cores.size())) {
      index -= static_cast<int>(topology.domains[d++].cores.size());
    }
    by_domain[d].cores.push_back(topology.domains[d].cores[static_cast<std::size_t>(index)]);
  }
  std::erase_if(by_domain, [](const Processor& processor) { return processor.cores.empty(); });
  return by_domain;
}

// Every rank's cores. All ranks compute them all, so that they agree on whether the blocks are even.
std::vector<Block> share_cores(const HostTopology& topology, int cpus, int local_ranks) {
  std::vector<Block> blocks;
  const std::vector<int> dealt = deal_ranks(topology, cpus, local_ranks);
  int domain_start = 0;
  for (std::size_t d = 0; d < dealt.size(); ++d) {
    for (int k = 0; k < dealt[d]; ++k) blocks.push_back(take_cores(topology, domain_start + k * cpus, cpus));
    domain_start += static_cast<int>(topology.domains[d].cores.size());
  }
  for (int rank = static_cast<int>(blocks.size()); rank < local_ranks; ++rank) {
    blocks.push_back(take_cores(topology, rank * cpus, cpus));
  }
  return blocks;
}

bool even(const std::vector<Block>& blocks) {
  return std::all_of(blocks.begin(), blocks.end(), [&](const Block& block) {
    return block.size() == blocks[0].size() && std::all_of(block.begin(), block.end(), [&](const Processor& processor) {
             return processor.cores.size() == blocks[0][0].cores.size();
           });
  });
}

Block merge(const Block& block) {
  Processor all;
  for (const Processor& processor : block)
    all.cores.insert(all.cores.end(), processor.cores.begin(), processor.cores.end());
  return {all};
}

}  // namespace

std::vector<Processor> pick_processors(const HostTopology& topology, int cpus, int local_rank, int local_ranks,
                                       bool oversubscribe) {
  PILUM_CHECK(0 <= local_rank && local_rank < local_ranks && cpus >= 0 && topology.cores() > 0,
              "rank {} of {} on this node, {} cpus, {} cores", local_rank, local_ranks, cpus, topology.cores());
  if (cpus == 0) cpus = std::max(1, topology.cores() / local_ranks);
  if (!oversubscribe && std::int64_t{cpus} * local_ranks > topology.cores()) throw_too_few(topology, cpus, local_ranks);
  std::vector<Block> blocks = share_cores(topology, cpus, local_ranks);
  Block& mine = blocks[static_cast<std::size_t>(local_rank)];
  if (even(blocks)) return mine;
  // Pieces are of equal size, so uneven processors would wait for the slowest.
  if (mine.size() > 1)
    log("machine").info("the cores of this rank span {} NUMA domains unevenly: one processor", mine.size());
  return merge(mine);
}

}  // namespace pilum::machine
