#include "scheduler/execute/count_instruction.h"

#include <cstdint>

#include "scheduler/memo/bound_plan.h"

namespace pilum::scheduler {
namespace {

void count(profile::Counters& counters, const PlanTemplate::Totals& totals) {
  counters.launches.add(totals.launches);
  counters.copies.add(totals.copies);
  counters.bytes_copied.add(totals.bytes_copied);
  counters.messages_sent.add(totals.messages_sent);
  counters.bytes_sent.add(totals.bytes_sent);
  counters.messages_received.add(totals.messages_received);
  counters.bytes_received.add(totals.bytes_received);
  counters.dependences.add(totals.dependences);
}

}  // namespace

void count(profile::Counters& counters, const Instruction& instruction) {
  if (const auto* again = std::get_if<ReplayedPlan>(&instruction.what))
    count(counters, again->run->plan_template().totals());
  if (std::holds_alternative<Launch>(instruction.what)) counters.launches.add();
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) {
    counters.copies.add();
    counters.bytes_copied.add(copy->bytes());
  }
  if (const auto* send = std::get_if<Send>(&instruction.what)) {
    counters.messages_sent.add();
    counters.bytes_sent.add(static_cast<std::int64_t>(send->bytes));
  }
  if (const auto* receive = std::get_if<Receive>(&instruction.what)) {
    counters.messages_received.add();
    counters.bytes_received.add(static_cast<std::int64_t>(receive->bytes));
  }
  counters.dependences.add(static_cast<std::int64_t>(instruction.after.size()));
}

}  // namespace pilum::scheduler
