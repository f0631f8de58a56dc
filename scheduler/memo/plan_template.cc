#include "scheduler/memo/plan_template.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "runtime/base/ancestors.h"
#include "runtime/base/check.h"
#include "scheduler/record/device_call.h"
#include "scheduler/record/instruction_facts.h"
#include "scheduler/record/instruction_pointers.h"

namespace pilum::scheduler {
namespace {

// Of its arrays, those that it sees.
std::int64_t count_cells(const DeviceCall& call) {
  std::int64_t sum = 0;
  for (const detail::BoundStore& store : call.chunks.front().stores) {
    std::int64_t cells = 1;
    for (std::size_t axis = 0; axis < store.lo.size(); ++axis)
      cells *= std::max<std::int64_t>(1, store.hi[axis] - store.lo[axis]);
    sum += cells;
  }
  return sum;
}

constexpr int kNoItem = -1;

}  // namespace

PlanTemplate::PlanTemplate(const PlanTrace& trace, const WavefrontMachine& machine) : scalars_(trace.scalars()) {
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
        count(step.instruction);
        totals_.dependences += static_cast<std::int64_t>(step.after.size());
        break;
      }
      default: break;
    }
  }
  constexpr std::int64_t kLong = std::int64_t{8} << 20;  // cells of a call, some 15 us
  fits_no_graph_ = fits_no_graph_ || library_cells_ > kLong * library_calls_;
  connect(trace, item_of);
  make_batches(machine);
}

// The nearest ones alone: what they come after themselves need not be waited for.
void PlanTemplate::connect(const PlanTrace& trace, const std::vector<int>& item_of) {
  predecessors_.resize(items_.size());
  Ancestors ancestors(items_.size());
  std::size_t number = 0;
  for (const PlanTrace::Step& step : trace.steps()) {
    if (step.kind != PlanTrace::Kind::Emit) continue;
    std::vector<int> all;
    for (const std::size_t before : step.after) {
      if (before < item_of.size() && item_of[before] != kNoItem) all.push_back(item_of[before]);
    }
    predecessors_[number] = ancestors.add_nearest(number, std::move(all));
    ++number;
  }
}

void PlanTemplate::make_batches(const WavefrontMachine& machine) {
  std::vector<SlottedInstruction> slotted;
  for (std::size_t i = 0; i < items_.size(); ++i)
    slotted.push_back({&items_[i].instruction, items_[i].slots, predecessors_[i]});
  if (machine.cache_bytes > 0) batches_ = make_wavefront(slotted, machine);
  is_wavefront_ = !batches_.empty();
  if (batches_.empty()) {
    std::vector<const Instruction*> instructions;
    for (const Item& item : items_) instructions.push_back(&item.instruction);
    batches_ = scheduler::make_batches(instructions, predecessors_);
  }
  std::vector<double> way(batches_.size(), 0);  // the longest one to the batch's beginning, in bytes
  double longest = 0;
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    const Batch& batch = batches_[b];
    if (batch.before == 0) roots_.push_back(static_cast<int>(b));
    if (batch.dependents.empty()) last_chunks_ += batch.chunks;
    double bytes = 0;  // of a chunk
    for (int i = batch.first; i < batch.first + batch.count; ++i) {
      const Instruction& instruction = items_[static_cast<std::size_t>(i)].instruction;
      bytes +=
          static_cast<double>(scheduler::bytes_touched(instruction)) / static_cast<double>(count_chunks(instruction));
    }
    const double end = way[b] + bytes;
    longest = std::max(longest, end);
    for (const int dependent : batch.dependents) {
      double& begin = way[static_cast<std::size_t>(dependent)];
      begin = std::max(begin, end);
    }
  }
  // Some 3 µs in a core's caches: a thread that is asked for help comes after about as long, and takes what it is to
  // compute with out of these caches, from where it is fetched back later.
  constexpr double kLittle = 256 * 1024;
  is_chain_ = static_cast<double>(bytes_touched_) - longest <= kLittle;
}

void PlanTemplate::count(const Instruction& instruction) {
  runs_on_gpus_ = runs_on_gpus_ && runs_on_gpu(instruction);
  has_calls_ = has_calls_ || is_call(instruction);
  const std::optional<device::GpuSkill> skill = skill_of(instruction);
  fits_no_graph_ = fits_no_graph_ || skill == device::GpuSkill::Factors;  // in which the host has a share
  if (skill) {
    ++library_calls_;
    library_cells_ += count_cells(*std::get<Launch>(instruction.what).body<DeviceCall>());
  }
  has_messages_ = has_messages_ || is_message(instruction);
  waits_for_peers_ = waits_for_peers_ || waits_for_peer(instruction);
  most_chunks_ = std::max(most_chunks_, count_chunks(instruction));
  bytes_touched_ += scheduler::bytes_touched(instruction);
  scheduler::count(instruction, totals_);
}

std::size_t PlanTemplate::bytes() const {
  std::size_t bytes = sizeof *this + slots_.size() * sizeof(Slot) + items_.size() * sizeof(Item);
  for (const Item& item : items_) bytes += item.slots.size() * sizeof(int);
  for (const std::vector<int>& some : predecessors_) bytes += sizeof(std::vector<int>) + some.size() * sizeof(int);
  for (const Batch& batch : batches_) bytes += sizeof(Batch) + batch.dependents.size() * sizeof(int);
  return bytes;
}

}  // namespace pilum::scheduler
