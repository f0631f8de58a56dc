#include "scheduler/session/calls_planned_anew.h"

#include "scheduler/analyze/period.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

void CallsPlannedAnew::add(std::span<const Operation> operations) {
  goes_on_ = ++windows_ >= kWindows;
  for (const Operation& operation : operations) {
    if (maps_.size() == kMostPlaces) maps_.clear();
    std::unordered_set<std::uint64_t>& known = maps_[pack_place(operation.where)];
    std::uint64_t seen = pack_kind(operation);
    for_each_view(operation, [&seen](const View& view, bool) { seen = mix_map(seen, view); });
    if (known.size() < kMaps) known.insert(seen);
    goes_on_ |= known.size() == kMaps;
  }
}

}  // namespace pilum::scheduler
