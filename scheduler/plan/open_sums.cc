#include "scheduler/plan/open_sums.h"

#include <algorithm>
#include <utility>

namespace pilum::scheduler {

OpenSums::OpenSums(const PlanningRank& rank, std::span<const Task> tasks)
    : batches_(rank.machine.ranks > 1 ? SumBatches(tasks) : SumBatches()), open_(batches_.batches().size()) {}

FoldTarget OpenSums::target(PlanBuilder& builder, std::size_t reduction, int processor) const {
  const auto [batch, slot] = batches_.place_of(builder.task_number(), reduction);
  return open_[static_cast<std::size_t>(batch)].fold->target(processor, slot);
}

bool OpenSums::begin(PlanBuilder& builder, std::size_t reduction) {
  const auto [batch, slot] = batches_.place_of(builder.task_number(), reduction);
  if (batch == SumBatches::kAlone) return false;
  const auto place = static_cast<std::size_t>(batch);
  if (!open_[place].fold)
    open_[place].fold = std::make_unique<Allreduce>(builder, builder.task().reductions[reduction],
                                                    static_cast<int>(batches_.batches()[place].stores.size()));
  return true;
}

bool OpenSums::postpone_death(Store& store) {
  for (std::size_t place = 0; place < open_.size(); ++place) {
    if (!open_[place].fold ||
        std::ranges::find(batches_.batches()[place].stores, &store) == batches_.batches()[place].stores.end())
      continue;
    open_[place].deaths.push_back(&store);
    return true;
  }
  return false;
}

std::vector<Store*> OpenSums::finish(PlanBuilder& builder) {
  std::vector<Store*> dead;
  for (std::size_t place = 0; place < open_.size(); ++place) {
    if (!open_[place].fold || batches_.batches()[place].last != builder.task_number()) continue;
    const std::vector<Store*>& stores = batches_.batches()[place].stores;
    Instances instances(builder);
    std::vector<std::vector<Instance*>> outputs;
    for (Store* store : stores) {
      for (int p = 0; p < builder.rank().machine.processors_per_rank; ++p) {
        if (p == 0) outputs.emplace_back();
        outputs.back().push_back(
            &instances.for_write(*store->state, p, Rect::of(store->shape), {}, nullptr, /*keep=*/false));
      }
    }
    std::exchange(open_[place].fold, nullptr)->finish_cells(stores, outputs);
    for (std::size_t slot = 0; slot < stores.size(); ++slot) {
      const Rect whole = Rect::of(stores[slot]->shape);
      for (std::size_t p = 0; p < outputs[slot].size(); ++p)
        instances.written(*stores[slot]->state, static_cast<int>(p), *outputs[slot][p], whole, whole);
    }
    std::vector<Store*> deaths = std::exchange(open_[place].deaths, {});
    dead.insert(dead.end(), deaths.begin(), deaths.end());
  }
  return dead;
}

}  // namespace pilum::scheduler
