#include "scheduler/memo/plan_template.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "runtime/base/check.h"
#include "scheduler/record/instruction_facts.h"
#include "scheduler/record/instruction_pointers.h"

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

PlanTemplate::PlanTemplate(const PlanTrace& trace) : scalars_(trace.scalars()) {
  for (Role role = 0; role < trace.first_roles(); ++role) {
    slot_of_role_.push_back(static_cast<int>(slots_.size()));
    slots_.push_back({role, nullptr, 0, false});
  }
  std::vector<int> item_of;                               // by number of the instruction
  std::unordered_map<int, std::uint32_t> sent, received;  // the plan may have stood behind others in its window
  for (const PlanTrace::Step& step : trace.steps()) {
    switch (step.kind) {
      case PlanTrace::Kind::Allocate:
        if (step.former != PlanTrace::kNoRole) {
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
      case PlanTrace::Kind::Free: slots_[static_cast<std::size_t>(slot_of(step.role))].freed = true; break;
      case PlanTrace::Kind::Emit: {
        item_of.resize(step.number + 1, kNoItem);
        item_of[step.number] = static_cast<int>(items_.size());
        Item& item = items_.emplace_back();
        item.instruction = step.instruction;
        if (auto* send = std::get_if<Send>(&item.instruction.what)) send->tag.message = sent[send->to]++;
        if (auto* receive = std::get_if<Receive>(&item.instruction.what))
          receive->tag.message = received[receive->from]++;
        for (const PlanTrace::RoleTouch& touch : step.touches) item.slots.push_back(slot_of(touch.role));
        item.store = step.store;
        if (store_of(item.instruction)) named_.push_back(item_of[step.number]);
        item.task = step.task;
        item.chunks = count_chunks(step.instruction);
        count(step.instruction);
        totals_.dependences += static_cast<std::int64_t>(step.after.size());
        break;
      }
      default: break;
    }
  }
  // The nearest ones alone: what they come after themselves need not be waited for.
  Ancestors ancestors(items_.size());
  std::size_t number = 0;
  for (const PlanTrace::Step& step : trace.steps()) {
    if (step.kind != PlanTrace::Kind::Emit) continue;
    std::vector<std::size_t> after;
    for (const std::size_t before : step.after) {
      if (before < item_of.size() && item_of[before] != kNoItem)
        after.push_back(static_cast<std::size_t>(item_of[before]));
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
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.dependents.empty()) last_chunks_ += item.chunks;
    const bool leads_on = i + 1 == items_.size() || std::ranges::count(item.dependents, static_cast<int>(i + 1)) > 0;
    is_chain_ = is_chain_ && item.chunks <= 1 && leads_on;
  }
}

void PlanTemplate::count(const Instruction& instruction) {
  runs_on_gpus_ = runs_on_gpus_ && runs_on_gpu(instruction);
  makes_calls_ = makes_calls_ || scheduler::makes_calls(instruction);
  most_chunks_ = std::max(most_chunks_, count_chunks(instruction));
  bytes_touched_ += scheduler::bytes_touched(instruction);
  scheduler::count(instruction, totals_);
}

std::size_t PlanTemplate::bytes() const {
  std::size_t bytes = sizeof *this + slots_.size() * sizeof(Slot) + items_.size() * sizeof(Item);
  for (const Item& item : items_) bytes += (item.slots.size() + item.dependents.size()) * sizeof(int);
  return bytes;
}

std::vector<std::vector<int>> PlanTemplate::find_predecessors() const {
  std::vector<std::vector<int>> predecessors(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) {
    for (const int dependent : items_[i].dependents)
      predecessors[static_cast<std::size_t>(dependent)].push_back(static_cast<int>(i));
  }
  return predecessors;
}

}  // namespace pilum::scheduler
