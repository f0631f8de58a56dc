#include "scheduler/execute/count_instruction.h"

#include <cstdint>

#include "scheduler/memo/bound_plan.h"

namespace pilum::scheduler {
namespace {

void add_totals(profile::Counters& counters, const InstructionTotals& totals) {
  const auto add = [](auto& counter, std::int64_t number) {
    if (number != 0) counter.add(number);
  };
  add(counters.launches, totals.launches);
  add(counters.copies, totals.copies);
  add(counters.bytes_copied, totals.bytes_copied);
  add(counters.messages_sent, totals.messages_sent);
  add(counters.bytes_sent, totals.bytes_sent);
  add(counters.messages_received, totals.messages_received);
  add(counters.bytes_received, totals.bytes_received);
  add(counters.dependences, totals.dependences);
}

}  // namespace

void count(profile::Counters& counters, const Instruction& instruction) {
  InstructionTotals totals;
  if (const auto* again = std::get_if<ReplayedPlan>(&instruction.what)) totals = again->run->plan_template().totals();
  count(instruction, totals);
  add_totals(counters, totals);
}

void count_posted(profile::Counters& counters, const Instruction& instruction) {
  InstructionTotals totals;
  count_posted(instruction, totals);
  add_totals(counters, totals);
}

}  // namespace pilum::scheduler
