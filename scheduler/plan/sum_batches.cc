#include "scheduler/plan/sum_batches.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scheduler/memory/store_state.h"

namespace pilum::scheduler {
namespace {

constexpr std::size_t kMostSums = 64;  // of a batch

// That takes more of its kind.
struct OpenBatch {
  kernel::Fold fold{};
  DType dtype{};
  SumBatch sums;
  std::vector<std::pair<std::size_t, std::size_t>> members;  // task and reduction, by slot
};

bool has(const OpenBatch& batch, const Store* store) {
  return std::ranges::find(batch.sums.stores, store) != batch.sums.stores.end();
}

bool touches(const Task& task, const OpenBatch& batch) {
  const auto is_of_batch = [&](const Argument& argument) { return has(batch, argument.store().get()); };
  return std::ranges::any_of(task.reads, is_of_batch) || std::ranges::any_of(task.reductions, is_of_batch) ||
         std::ranges::any_of(task.writes, [&](const TaskWrite& write) { return has(batch, write.store().get()); });
}

}  // namespace

bool is_gathered(const Task& task, const Argument& reduction) {
  const partitioner::Tiling& result = reduction.store()->state->tiling;
  return !task.distribution.is_replicated() &&
         (result.is_replicated() || (result.is_on_one() && !task.distribution.is_on_one()));
}

SumBatches::SumBatches(std::span<const Task> tasks) : places_(tasks.size()) {
  std::vector<OpenBatch> open;
  const auto close = [this](const OpenBatch& batch) {
    if (batch.members.size() < 2) return;
    const int number = static_cast<int>(batches_.size());
    for (std::size_t slot = 0; slot < batch.members.size(); ++slot) {
      const auto& [task, reduction] = batch.members[slot];
      places_[task][reduction] = {number, static_cast<int>(slot)};
    }
    batches_.push_back(batch.sums);
  };
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const Task& task = tasks[t];
    std::erase_if(open, [&](const OpenBatch& batch) {
      if (!touches(task, batch)) return false;
      close(batch);
      return true;
    });
    places_[t].resize(task.reductions.size());
    for (std::size_t r = 0; r < task.reductions.size(); ++r) {
      const Argument& reduction = task.reductions[r];
      Store& store = *reduction.store();
      if (!is_gathered(task, reduction) || store.state->tiling.is_on_one() || store.shape.elements() != 1) continue;
      auto batch = std::ranges::find_if(
          open, [&](const OpenBatch& one) { return one.fold == reduction.footprint.fold && one.dtype == store.dtype; });
      if (batch != open.end() && batch->members.size() == kMostSums) {
        close(*batch);
        open.erase(batch);
        batch = open.end();
      }
      if (batch == open.end()) batch = open.insert(open.end(), {reduction.footprint.fold, store.dtype, {}, {}});
      batch->sums.stores.push_back(&store);
      batch->sums.last = t;
      batch->members.emplace_back(t, r);
    }
  }
  std::ranges::for_each(open, close);
}

SumBatches::Place SumBatches::place_of(std::size_t task, std::size_t reduction) const {
  return task < places_.size() && reduction < places_[task].size() ? places_[task][reduction] : Place{};
}

}  // namespace pilum::scheduler
