// A replayed plan as a graph of GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runtime/device/gpu.h"
#include "runtime/jit/device_jit.h"
#include "scheduler/execute/gpu_instruction.h"
#include "scheduler/execute/graph_bundles.h"
#include "scheduler/memo/bound_plan.h"

namespace pilum::scheduler {

// The run's items with what each comes after, issued by one call. Small launches that wait for nothing of each other
// are one launch (graph_bundles.h), of a kernel that the compiler makes meanwhile: until then each is a launch of its
// own.
//
// Of a run, and used by who issues it. It may go while the GPUs still run it.
class PlanGraph final : public RunGraph {
 public:
  PlanGraph(const BoundPlan& run, std::vector<device::Gpu*> gpus, device::Gpu& home, jit::DeviceJit& jit,
            OutOfBoundsReports& reports);

  // As the run is bound now; `changed`: the items whose arguments are others than the last time.
  device::GpuGraph& update(const std::vector<int>& changed);

 private:
  // What an item comes to, with words of its own.
  struct Item {
    GpuWork work;
    std::vector<std::uint64_t> words;
  };

  device::Gpu& gpu_of(int item) const;
  Item prepare_item(int item) const;
  using Kernels = std::vector<std::shared_ptr<const jit::DeviceKernel>>;  // by node; null: it is a single item

  void make();
  void find_nodes(const std::vector<Item>& items, bool bundled);
  bool are_compiled(const Kernels& kernels);
  // False: the bundle's kernel is of other texts, or takes fewer words.
  bool pack(std::size_t node, const std::vector<const Item*>& members, device::GpuLaunch& launch);
  void add(std::size_t node, const std::vector<Item>& items);
  // False: it is no longer what it was made as.
  bool change(std::size_t node);
  bool change(std::size_t node, const WorkInTurn& work);

  const BoundPlan& run_;
  const std::vector<device::Gpu*> gpus_;
  device::Gpu& home_;
  jit::DeviceJit& jit_;
  OutOfBoundsReports& reports_;
  bool bundles_ = true;  // false: the compiler has refused a kernel of them
  Kernels awaited_;      // not empty: the graph is of single items until these are compiled
  GraphBundles nodes_;
  Kernels kernels_;
  std::vector<std::size_t> node_of_;  // by item
  std::vector<std::uint64_t> words_;
  // By node: what it comes to in the graph; what comes behind that, if it is nothing.
  struct Numbers {
    std::vector<int> own, ends;
    std::vector<std::shared_ptr<const device::GpuImage>> images;  // of work in turn; null: a call
  };
  std::vector<Numbers> numbers_;
  std::unique_ptr<device::GpuGraph> graph_;
};

}  // namespace pilum::scheduler
