#include "scheduler/memo/bound_plan.h"

#include <algorithm>
#include <utility>

#include "runtime/base/check.h"
#include "scheduler/record/instruction_pointers.h"

namespace pilum::scheduler {

BoundPlan::BoundPlan(std::shared_ptr<const PlanTemplate> plan_template, int participants)
    : template_(std::move(plan_template)), participants_(participants), data_(template_->slots_.size(), nullptr) {
  const std::size_t count = template_->items_.size();
  instructions_.reserve(count);
  for (const auto& sources : template_->scalars_)
    scalars_.push_back(std::make_shared<std::vector<std::uint64_t>>(sources.size()));
  for (const PlanTemplate::Item& item : template_->items_) {
    instructions_.push_back(item.instruction);
    auto* launch = std::get_if<Launch>(&instructions_.back().what);
    if (launch && !scalars_[item.task]->empty()) launch->scalars = scalars_[item.task];
  }
  const std::vector<Batch>& batches = template_->batches_;
  states_ = std::make_unique<State[]>(batches.size());
  running_ = std::make_unique<Running[]>(static_cast<std::size_t>(participants_));
  std::size_t slices = 0;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    states_[b].before = static_cast<std::uint32_t>(batches[b].before);
    slices_of_.push_back({slices, static_cast<int>(std::min<std::int64_t>(batches[b].chunks, participants_))});
    slices += static_cast<std::size_t>(slices_of_.back().count);
  }
  slices_ = std::make_unique<Slice[]>(slices);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const std::int64_t chunks = batches[b].chunks;
    for (int k = 0; k < slices_of_[b].count; ++k) {
      Slice& slice = slices_[slices_of_[b].first + static_cast<std::size_t>(k)];
      slice.first = batches[b].first_chunk + k * chunks / slices_of_[b].count;
      slice.size =
          static_cast<std::uint32_t>((k + 1) * chunks / slices_of_[b].count - k * chunks / slices_of_[b].count);
    }
  }
}

bool BoundPlan::fits(std::span<std::byte* const> slots) const {
  return std::ranges::equal(data_, slots);
}

void BoundPlan::bind(std::span<std::byte* const> slots, std::span<const Operation> operations,
                     const std::vector<StoreRef>& stores, int window) {
  PILUM_CHECK(is_idle(), "a run of window {} is under way", window);
  for (const int i : template_->named_) {
    Instruction& instruction = instructions_[static_cast<std::size_t>(i)];
    if (auto* send = std::get_if<Send>(&instruction.what)) send->tag.window = static_cast<std::uint32_t>(window);
    if (auto* receive = std::get_if<Receive>(&instruction.what))
      receive->tag.window = static_cast<std::uint32_t>(window);
    const int number = template_->items_[static_cast<std::size_t>(i)].store;
    if (number >= 0) *store_of(instruction) = stores[static_cast<std::size_t>(number)]->id;
  }
  bool new_scalars = false;
  new_scalars_.resize(scalars_.size());
  for (std::size_t task = 0; task < scalars_.size(); ++task) {
    const std::vector<ScalarSource>& sources = template_->scalars_[task];
    bool differs = false;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::uint64_t bits = scalar_bits(operations[static_cast<std::size_t>(sources[i].operation)], sources[i]);
      differs = std::exchange((*scalars_[task])[i], bits) != bits || differs;
    }
    new_scalars = new_scalars || differs;
    new_scalars_[task] = differs;
  }
  if (!fits(slots) || (graph && new_scalars)) {
    changed.clear();
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      const PlanTemplate::Item& item = template_->items_[i];
      bool differs = std::holds_alternative<Launch>(instructions_[i].what) && new_scalars_[item.task];
      for_each_pointer(instructions_[i], item.slots.size(), [&](auto& pointer, std::size_t touch) {
        const auto slot = static_cast<std::size_t>(item.slots[touch]);
        if (slots[slot] == data_[slot]) return;
        differs = true;
        add_bytes(pointer,
                  reinterpret_cast<std::uintptr_t>(slots[slot]) - reinterpret_cast<std::uintptr_t>(data_[slot]));
      });
      if (graph && differs) changed.push_back(static_cast<int>(i));
    }
    data_.assign(slots.begin(), slots.end());
  }
  idle_.store(false, std::memory_order_relaxed);
}

void BoundPlan::begin() {
  ++time_;
  left_.store(template_->last_chunks_, std::memory_order_release);
}

std::int64_t BoundPlan::take_from(Slice& slice) {
  constexpr std::int64_t kNone = -1;
  const std::uint32_t start = (time_ - 1) * slice.size;  // a slice's chunks are all taken each time round
  std::uint32_t taken = slice.taken.load(std::memory_order_relaxed);
  while (taken - start < slice.size) {
    if (slice.taken.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed))
      return slice.first + static_cast<std::int64_t>(taken - start);
  }
  return kNone;
}

std::int64_t BoundPlan::take_own(int batch, int participant) {
  const Slices& slices = slices_of_[static_cast<std::size_t>(batch)];
  const int own = participant * slices.count / participants_;
  return take_from(slices_[slices.first + static_cast<std::size_t>(own)]);
}

std::int64_t BoundPlan::take_any(int batch, int participant) {
  const Slices& slices = slices_of_[static_cast<std::size_t>(batch)];
  const int own = participant * slices.count / participants_;
  std::int64_t chunk = -1;
  for (int step = 0; step < slices.count && chunk < 0; ++step)
    chunk = take_from(slices_[slices.first + static_cast<std::size_t>((own + step) % slices.count)]);
  return chunk;
}

bool BoundPlan::has_chunks(int batch) const {
  return std::ranges::any_of(slices_of(batch), [this](const Slice& slice) {
    return slice.taken.load(std::memory_order_relaxed) - (time_ - 1) * slice.size < slice.size;
  });
}

bool BoundPlan::is_done(int batch) const {
  if (has_chunks(batch)) return false;
  for (int participant = 0; participant < participants_; ++participant) {
    if (running_[participant].batch.load(std::memory_order_relaxed) == batch) return false;
  }
  return true;
}

std::uint64_t BoundPlan::progress() const {
  std::uint64_t arrived = static_cast<std::uint64_t>(left_.load(std::memory_order_acquire));
  for (std::size_t b = 0; b < slices_of_.size(); ++b) arrived += states_[b].arrived.load(std::memory_order_relaxed);
  return arrived;
}

std::shared_ptr<BoundPlan> BoundPlans::find(std::span<std::byte* const> slots) {
  // Loops come back to the same few pieces of memory: two fields that change places, a temporary beside each.
  constexpr std::size_t kMostGraphs = 6;
  auto found = runs_.end();
  for (auto run = runs_.begin(); run != runs_.end(); ++run) {
    if (!(*run)->is_idle()) continue;
    if ((*run)->fits(slots)) {
      found = run;
      break;
    }
    if (found == runs_.end()) found = run;
  }
  if (found == runs_.end()) return nullptr;
  if (!(*found)->graph) return *found;
  if (runs_.size() < kMostGraphs && !(*found)->fits(slots)) return nullptr;
  std::rotate(found, found + 1, runs_.end());
  return runs_.back();
}

std::size_t BoundPlan::bytes() const {
  std::size_t slices = 0;
  for (const Slices& some : slices_of_) slices += static_cast<std::size_t>(some.count);
  return sizeof *this + instructions_.size() * sizeof(Instruction) +
         slices_of_.size() * (sizeof(State) + sizeof(Slices)) + slices * sizeof(Slice);
}

std::size_t BoundPlans::bytes() const {
  std::size_t bytes = 0;
  for (const auto& run : runs_) bytes += run->bytes();
  return bytes;
}

}  // namespace pilum::scheduler
