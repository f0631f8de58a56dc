#include "scheduler/analyze/waiting.h"

#include <algorithm>

#include "runtime/base/hash.h"
#include "scheduler/analyze/fuser.h"
#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/period.h"
#include "scheduler/analyze/window.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr int kMostTrials = 12;  // of how many operations wait

// Numbers the stores of operations in Store::window_index, by first use, while it lives.
class StoreNumbers {
 public:
  explicit StoreNumbers(const std::vector<Operation>& operations) : operations_(operations) {
    for (const Operation& operation : operations) {
      for_each_view(operation, [this](const View& view, bool) {
        if (view.store->window_index < 0) view.store->window_index = count_++;
      });
    }
  }
  ~StoreNumbers() {
    for (const Operation& operation : operations_)
      for_each_view(operation, [](const View& view, bool) { view.store->window_index = -1; });
  }
  StoreNumbers(const StoreNumbers&) = delete;
  StoreNumbers& operator=(const StoreNumbers&) = delete;
  std::size_t count() const { return static_cast<std::size_t>(count_); }

 private:
  const std::vector<Operation>& operations_;
  int count_ = 0;
};

// No addresses: all ranks find the same. The stores have numbers.
std::uint64_t hash_of(const std::vector<Operation>& operations, std::size_t waited, const Store& wanted) {
  std::uint64_t hash = mix(waited, place_of(wanted));
  for (const Operation& operation : operations) {
    hash = mix(mix(hash, pack_kind(operation)), pack_place(operation.where));
    for_each_view(operation, [&](const View& view, bool) {
      hash = mix_map(mix(hash, static_cast<std::uint64_t>(place_of(*view.store))), view);
    });
  }
  return hash;
}

bool is_kernel(const Operation& operation) {
  return operation.elementwise() || operation.reduction();
}

// The first place from which all operations that may wait do, where that takes no task apart; else none.
std::vector<bool> decide(const std::vector<Operation>& operations, const std::vector<std::size_t>& may_wait,
                         const machine::Machine& machine) {
  const std::size_t together = count_tasks(operations, {}, machine);
  const std::size_t step = (may_wait.size() + kMostTrials - 1) / kMostTrials;
  for (std::size_t first = 0; first < may_wait.size(); first += step) {
    std::vector<bool> waits(operations.size(), false);
    for (std::size_t i = first; i < may_wait.size(); ++i) waits[may_wait[i]] = true;
    std::vector<Operation> now, later;
    for (std::size_t i = 0; i < operations.size(); ++i) (waits[i] ? later : now).push_back(operations[i]);
    const std::size_t tasks_now = count_tasks(std::move(now), later, machine);
    if (tasks_now + count_tasks(std::move(later), {}, machine) == together) return waits;
  }
  return {};
}

}  // namespace

std::vector<bool> find_needed(const std::vector<Operation>& operations, const Store& wanted) {
  const StoreNumbers numbers(operations);
  std::vector<bool> touched(numbers.count(), false), written(numbers.count(), false);
  if (wanted.window_index >= 0) touched[place_of(wanted)] = true;
  std::vector<bool> needed(operations.size(), false);
  for (std::size_t i = operations.size(); i-- > 0;) {
    // What reads cells that a needed one overwrites comes before that too.
    for_each_view(operations[i], [&](const View& view, bool write) {
      if ((write ? touched : written)[place_of(*view.store)]) needed[i] = true;
    });
    if (!needed[i]) continue;
    for_each_view(operations[i], [&](const View& view, bool write) {
      touched[place_of(*view.store)] = true;
      if (write) written[place_of(*view.store)] = true;
    });
  }
  return needed;
}

std::vector<bool> WaitingOperations::choose(const std::vector<Operation>& operations, std::size_t waited,
                                            const Store& wanted, const machine::Machine& machine) {
  const std::optional<std::uint64_t> window = identify(operations, waited, wanted, machine);
  return window ? choose(*window, operations, waited, wanted, machine) : std::vector<bool>();
}

std::optional<std::uint64_t> WaitingOperations::identify(const std::vector<Operation>& operations, std::size_t waited,
                                                         const Store& wanted, const machine::Machine& machine) {
  const std::int64_t least = min_bytes_to_split(machine);
  const auto is_large = [least](const Operation& operation) {
    const View* output = operation.output();
    return output && output->shape.elements() * static_cast<std::int64_t>(itemsize(output->store->dtype)) >= least;
  };
  if (std::none_of(operations.begin(), operations.end(), is_large)) return std::nullopt;
  if (!std::all_of(operations.begin(), operations.end(), is_kernel)) return std::nullopt;
  const StoreNumbers numbers(operations);
  return hash_of(operations, waited, wanted);
}

std::vector<bool> WaitingOperations::choose(std::uint64_t window, const std::vector<Operation>& operations,
                                            std::size_t waited, const Store& wanted, const machine::Machine& machine) {
  if (known_.size() >= kMost && !known_.contains(window)) known_.clear();
  const auto [entry, is_new] = known_.try_emplace(window);
  if (is_new) return {};
  Known& known = entry->second;
  if (known.decided) return known.waiting;
  const std::vector<bool> needed = find_needed(operations, wanted);
  std::vector<std::size_t> may_wait;
  for (std::size_t i = waited; i < operations.size(); ++i) {
    if (!needed[i]) may_wait.push_back(i);
  }
  known = {true, may_wait.empty() ? std::vector<bool>() : decide(operations, may_wait, machine)};
  return known.waiting;
}

}  // namespace pilum::scheduler
