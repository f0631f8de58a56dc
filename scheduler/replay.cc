#include "scheduler/replay.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "runtime/base/check.h"
#include "scheduler/gpu_instruction.h"
#include "scheduler/instruction_job.h"
#include "scheduler/instruction_pointers.h"

namespace pilum::scheduler {
namespace {

constexpr int kNoItem = -1;

// Sets of items, a bit each.
class Ancestors {
 public:
  explicit Ancestors(std::size_t items) : words_((items + 63) / 64), bits_(items * words_, 0) {}
  bool has(std::size_t item, std::size_t ancestor) const {
    return bits_[item * words_ + ancestor / 64] >> ancestor % 64 & 1;
  }
  void add(std::size_t item, std::size_t parent) {
    for (std::size_t w = 0; w < words_; ++w) bits_[item * words_ + w] |= bits_[parent * words_ + w];
    bits_[item * words_ + parent / 64] |= std::uint64_t{1} << parent % 64;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

Replay::Replay(const PlanScript& script) : scalars_(script.scalars()) {
  for (Role role = 0; role < script.first_roles(); ++role) {
    slot_of_role_.push_back(static_cast<int>(slots_.size()));
    slots_.push_back({role, nullptr, 0, false});
  }
  std::vector<int> item_of;  // by number of the instruction
  std::unordered_map<int, std::uint32_t> sent, received;  // the plan may have stood behind others in its window
  for (const PlanScript::Step& step : script.steps()) {
    switch (step.kind) {
      case PlanScript::Kind::Allocate:
        if (step.former != PlanScript::kNoRole) {
          slot_of_role_.push_back(slot_of(step.former));
          slots_[static_cast<std::size_t>(slot_of_role_.back())].freed = false;
        } else {
          slot_of_role_.push_back(static_cast<int>(slots_.size()));
          slots_.push_back({step.role, step.book, 0, false});
        }
        // A store's own block is as large as it was: its size is of the key.
        if (Slot& slot = slots_[static_cast<std::size_t>(slot_of_role_.back())]; slot.book)
          slot.bytes = std::max(slot.bytes, step.bytes);
        break;
      case PlanScript::Kind::Free: slots_[static_cast<std::size_t>(slot_of(step.role))].freed = true; break;
      case PlanScript::Kind::Emit: {
        item_of.resize(step.number + 1, kNoItem);
        item_of[step.number] = static_cast<int>(items_.size());
        Item& item = items_.emplace_back();
        item.instruction = step.instruction;
        if (auto* send = std::get_if<Send>(&item.instruction.what)) send->tag.message = sent[send->to]++;
        if (auto* receive = std::get_if<Receive>(&item.instruction.what)) receive->tag.message = received[receive->from]++;
        for (const PlanScript::RoleTouch& touch : step.touches) item.slots.push_back(slot_of(touch.role));
        item.store = step.store;
        if (store_of(item.instruction)) named_.push_back(item_of[step.number]);
        item.task = step.task;
        item.chunks = count_chunks(step.instruction);
        count(step.instruction);
        totals_.edges += static_cast<std::int64_t>(step.after.size());
        break;
      }
      default: break;
    }
  }
  // The nearest ones alone: what they come after themselves need not be waited for.
  Ancestors ancestors(items_.size());
  std::size_t number = 0;
  for (const PlanScript::Step& step : script.steps()) {
    if (step.kind != PlanScript::Kind::Emit) continue;
    std::vector<std::size_t> after;
    for (const std::size_t before : step.after) {
      if (before < item_of.size() && item_of[before] != kNoItem) after.push_back(static_cast<std::size_t>(item_of[before]));
    }
    std::sort(after.rbegin(), after.rend());
    for (const std::size_t before : after) {
      if (ancestors.has(number, before)) continue;
      ancestors.add(number, before);
      items_[before].dependents.push_back(static_cast<int>(number));
      items_[number].before += static_cast<int>(items_[before].chunks);
    }
    if (items_[number].before == 0) roots_.push_back(static_cast<int>(number));
    ++number;
  }
  for (const Item& item : items_) {
    if (item.dependents.empty()) last_chunks_ += item.chunks;
  }
}

void Replay::count(const Instruction& instruction) {
  runs_on_gpus_ = runs_on_gpus_ && runs_on_gpu(instruction);
  most_chunks_ = std::max(most_chunks_, count_chunks(instruction));
  bytes_touched_ += scheduler::bytes_touched(instruction);
  if (std::holds_alternative<Launch>(instruction.what)) ++totals_.launches;
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) {
    ++totals_.copies;
    totals_.bytes_copied += copy->bytes();
  }
  if (const auto* send = std::get_if<Send>(&instruction.what)) {
    ++totals_.messages_sent;
    totals_.bytes_sent += static_cast<std::int64_t>(send->bytes);
  }
  if (const auto* receive = std::get_if<Receive>(&instruction.what)) {
    ++totals_.messages_received;
    totals_.bytes_received += static_cast<std::int64_t>(receive->bytes);
  }
}

std::size_t Replay::bytes() const {
  std::size_t bytes = sizeof *this + slots_.size() * sizeof(Slot) + items_.size() * sizeof(Item);
  for (const Item& item : items_) bytes += (item.slots.size() + item.dependents.size()) * sizeof(int);
  return bytes;
}

std::vector<std::vector<int>> Replay::find_befores() const {
  std::vector<std::vector<int>> befores(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) {
    for (const int dependent : items_[i].dependents) befores[static_cast<std::size_t>(dependent)].push_back(static_cast<int>(i));
  }
  return befores;
}

ReplayRun::ReplayRun(std::shared_ptr<const Replay> replay, int players)
    : replay_(std::move(replay)), players_(players), data_(replay_->slots_.size(), nullptr) {
  const std::size_t count = replay_->items_.size();
  instructions_.reserve(count);
  for (const auto& sources : replay_->scalars_)
    scalars_.push_back(std::make_shared<std::vector<std::uint64_t>>(sources.size()));
  states_ = std::make_unique<State[]>(count);
  std::size_t slices = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Replay::Item& item = replay_->items_[i];
    instructions_.push_back(item.instruction);
    states_[i].before = static_cast<std::uint32_t>(item.before);
    slices_of_.push_back({slices, static_cast<int>(std::min<std::int64_t>(item.chunks, players_))});
    slices += static_cast<std::size_t>(slices_of_.back().count);
    auto* launch = std::get_if<Launch>(&instructions_.back().what);
    if (launch && !scalars_[item.task]->empty()) launch->scalars = scalars_[item.task];
  }
  slices_ = std::make_unique<Slice[]>(slices);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t chunks = replay_->items_[i].chunks;
    for (int k = 0; k < slices_of_[i].count; ++k) {
      Slice& slice = slices_[slices_of_[i].first + static_cast<std::size_t>(k)];
      slice.first = k * chunks / slices_of_[i].count;
      slice.size = static_cast<std::uint32_t>((k + 1) * chunks / slices_of_[i].count - slice.first);
    }
  }
}

bool ReplayRun::fits(std::span<Block* const> slots) const {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (data_[i] != slots[i]->data) return false;
  }
  return true;
}

void ReplayRun::bind(std::span<Block* const> slots, const std::vector<Operation>& operations,
                     const std::vector<StoreRef>& stores, int window) {
  PILUM_CHECK(is_through(), "a run of window {} is under way", window);
  const bool same_memory = fits(slots);
  if (!same_memory) {
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      const Replay::Item& item = replay_->items_[i];
      for_each_pointer(instructions_[i], item.slots.size(), [&](auto& pointer, std::size_t touch) {
        const auto slot = static_cast<std::size_t>(item.slots[touch]);
        add_bytes(pointer, reinterpret_cast<std::uintptr_t>(slots[slot]->data) -
                               reinterpret_cast<std::uintptr_t>(data_[slot]));
      });
    }
    for (std::size_t i = 0; i < slots.size(); ++i) data_[i] = slots[i]->data;
  }
  for (const int i : replay_->named_) {
    Instruction& instruction = instructions_[static_cast<std::size_t>(i)];
    if (auto* send = std::get_if<Send>(&instruction.what)) send->tag.window = static_cast<std::uint32_t>(window);
    if (auto* receive = std::get_if<Receive>(&instruction.what))
      receive->tag.window = static_cast<std::uint32_t>(window);
    const int number = replay_->items_[static_cast<std::size_t>(i)].store;
    if (number >= 0) *store_of(instruction) = stores[static_cast<std::size_t>(number)]->id;
  }
  bool new_scalars = false;
  new_scalars_.resize(scalars_.size());
  for (std::size_t task = 0; task < scalars_.size(); ++task) {
    const std::vector<ScalarSource>& sources = replay_->scalars_[task];
    bool differs = false;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::uint64_t bits = scalar_bits(operations[static_cast<std::size_t>(sources[i].operation)], sources[i]);
      differs = std::exchange((*scalars_[task])[i], bits) != bits || differs;
    }
    new_scalars = new_scalars || differs;
    new_scalars_[task] = differs;
  }
  if (graph && (new_scalars || !same_memory)) {
    changed.clear();
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      const bool differs = std::holds_alternative<Launch>(instructions_[i].what) && new_scalars_[replay_->items_[i].task];
      if (differs || !same_memory) changed.push_back(static_cast<int>(i));
    }
  }
  through_.store(false, std::memory_order_relaxed);
}

void ReplayRun::begin() {
  ++time_;
  left_.store(replay_->last_chunks_, std::memory_order_release);
}

std::int64_t ReplayRun::take_from(Slice& slice) {
  constexpr std::int64_t kNone = -1;
  const std::uint32_t start = (time_ - 1) * slice.size;  // a slice's chunks are all taken each time round
  std::uint32_t taken = slice.taken.load(std::memory_order_relaxed);
  while (taken - start < slice.size) {
    if (slice.taken.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed))
      return slice.first + static_cast<std::int64_t>(taken - start);
  }
  return kNone;
}

std::int64_t ReplayRun::take_own(int item, int player) {
  const Slices& slices = slices_of_[static_cast<std::size_t>(item)];
  const int own = player * slices.count / players_;
  return take_from(slices_[slices.first + static_cast<std::size_t>(own)]);
}

std::int64_t ReplayRun::take_any(int item, int player) {
  const Slices& slices = slices_of_[static_cast<std::size_t>(item)];
  const int own = player * slices.count / players_;
  std::int64_t chunk = -1;
  for (int step = 0; step < slices.count && chunk < 0; ++step)
    chunk = take_from(slices_[slices.first + static_cast<std::size_t>((own + step) % slices.count)]);
  return chunk;
}

bool ReplayRun::has_chunks(int item) const {
  const Slices& slices = slices_of_[static_cast<std::size_t>(item)];
  for (std::size_t place = slices.first; place < slices.first + static_cast<std::size_t>(slices.count); ++place) {
    const Slice& slice = slices_[place];
    if (slice.taken.load(std::memory_order_relaxed) - (time_ - 1) * slice.size < slice.size) return true;
  }
  return false;
}

std::shared_ptr<ReplayRun> ReplayRuns::find(std::span<Block* const> slots) {
  std::shared_ptr<ReplayRun> found;
  for (const auto& run : runs_) {
    if (!run->is_through()) continue;
    if (run->fits(slots)) return run;
    if (!found) found = run;
  }
  return found;
}

std::size_t ReplayRun::bytes() const {
  std::size_t slices = 0;
  for (const Slices& some : slices_of_) slices += static_cast<std::size_t>(some.count);
  return sizeof *this + instructions_.size() * (sizeof(Instruction) + sizeof(State) + sizeof(Slices)) +
         slices * sizeof(Slice);
}

std::size_t ReplayRuns::bytes() const {
  std::size_t bytes = 0;
  for (const auto& run : runs_) bytes += run->bytes();
  return bytes;
}

}  // namespace pilum::scheduler
