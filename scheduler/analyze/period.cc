#include "scheduler/analyze/period.h"

#include <utility>

#include "partitioner/solver.h"
#include "runtime/base/hash.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
std::uint64_t mix_map(std::uint64_t hash, const View& view) {
  for (int k = 0; k < view.map.store_rank; ++k) {
    const partitioner::AxisMap& axis = view.map[k];
    hash = mix(mix(hash, axis.offset), axis.scale * 16 + axis.axis);
  }
  for (const std::int64_t extent : view.shape) hash = mix(hash, static_cast<std::uint64_t>(extent));
  return hash;
}

std::uint64_t bit_of_place(const View& view) {
  std::uint64_t hash = 0;
  bool is_whole = true;
  for (int k = 0; k < view.map.store_rank; ++k) {
    if (!is_at_a_place(view, k)) continue;
    is_whole = false;
    if (view.store->shape[k] > partitioner::kMostComponents)
      hash = mix(hash + static_cast<std::uint64_t>(k), view.map[k].offset);
  }
  return is_whole ? 0 : std::uint64_t{1} << (hash >> 58);
}

std::uint64_t PeriodFinder::hash_of(const Operation& operation) const {
  // No addresses: they differ from rank to rank, and with them which hashes share a slot.
  // The column too: the steps of ((a * x + b) * x + c) * x + d are no loop.
  std::uint64_t hash = mix(pack_kind(operation), pack_place(operation.where));
  const auto add_view = [&](const View& view) {
    hash = mix(hash, age_of(*view.store));
    for (int k = 0; k < view.map.store_rank; ++k) {
      const partitioner::AxisMap& axis = view.map[k];
      hash = mix(mix(hash, is_at_a_place(view, k) ? 0 : axis.offset), axis.scale * 16 + axis.axis);
    }
    for (const std::int64_t extent : view.shape) hash = mix(hash, static_cast<std::uint64_t>(extent));
  };
  if (const Elementwise* elementwise = operation.elementwise()) {
    for (const Operand& input : elementwise->inputs) {
      if (input.is_view()) {
        add_view(input.view);
      } else {
        hash = mix(hash, static_cast<std::uint64_t>(input.scalar.dtype));
      }
    }
    add_view(elementwise->output);
  } else {
    if (const TaskLaunch* launch = operation.launch()) hash = mix(hash, launch->hash);
    for_each_view(operation, [&](const View& view, bool) { add_view(view); });
  }
  return mix(hash, hash_places(operation));
}

std::uint64_t PeriodFinder::hash_places(const Operation& operation) const {
  std::uint64_t hash = 0;
  for_each_view(operation, [&](const View& view, bool) {
    if (!saw_whole(*view.store)) return;
    for (int k = 0; k < view.map.store_rank; ++k) {
      if (is_at_a_place(view, k)) hash = mix(hash + 1, view.map[k].offset);
    }
  });
  return hash;
}

void PeriodFinder::touch(const Operation& operation) const {
  for_each_view(operation, [&](const View& view, bool) { touch(*view.store, bit_of_place(view)); });
}

void PeriodFinder::follow(Candidate& candidate, std::uint64_t hash, std::uint64_t distance, std::size_t least,
                          std::size_t most) {
  if (candidate.length > 0 && history_[(count_ - candidate.length) % kHistory] == hash) {
    ++candidate.run;
    return;
  }
  candidate.length = least <= distance && distance <= most ? static_cast<std::size_t>(distance) : 0;
  candidate.run = candidate.length > 0 ? 1 : 0;
}

void PeriodFinder::add(std::uint64_t hash) {
  std::array<Slot, 2>& slots = last_[hash % kHistory];
  if (slots[0].hash != hash) std::swap(slots[0], slots[1]);  // the older one is this hash's, or is forgotten
  Slot& last = slots[0];
  const std::uint64_t distance = last.hash == hash ? count_ - last.index : 0;
  follow(short_, hash, distance, 1, kShort);
  follow(long_, hash, distance, kShort + 1, kLongest);
  if (long_.run <= 1) in_short_ = 0;
  if (short_.is_known()) ++in_short_;
  if (long_.run == long_.length && 2 * in_short_ > long_.length) long_ = Candidate();
  last = {hash, count_};
  history_[count_ % kHistory] = hash;
  ++count_;
}

}  // namespace pilum::scheduler
