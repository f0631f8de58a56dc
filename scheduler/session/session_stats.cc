// What `--show-stats` and `--profile` tell at the end.
#include "runtime/base/log.h"
#include "runtime/machine/print.h"
#include "runtime/profile/trace.h"
#include "scheduler/print/fusion_text.h"
#include "scheduler/session/copy_speed.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {

// Before any array is made: a GPU has the room for two more, and all ranks are at it at the same time, as when they
// run.
void Session::begin_stats() {
  if (!parts_.config.show_stats || !executes()) return;
  copy_speed_ = parts_.gpus.empty() ? measure_copy_speed(lanes_, *parts_.jit) : measure_copy_speed(parts_.gpus);
}

std::int64_t Session::moved_bytes() const {
  return traffic_.moved() + 2 * profile_.counters.bytes_copied.get();
}

// "memory: 12.4 GB moved, 10.1 GB least possible, 0.83 of a copy's speed (42.3 GB/s) while 96 % of the time was in
// kernels"
std::string Session::describe_traffic() const {
  const std::int64_t moved = moved_bytes();
  std::string text =
      fmt::format("memory: {} moved, {} least possible", decimal_bytes(moved), decimal_bytes(traffic_.least));
  const std::int64_t busy = profile_.busy.nanoseconds(), all = profile::now() - first_plan_at_;
  if (busy == 0 || first_plan_at_ == 0) return text;
  const double speed = static_cast<double>(moved) / static_cast<double>(busy) * 1e9;
  if (copy_speed_ > 0)
    text += fmt::format(", {:.2f} of a copy's speed ({}/s)", speed / copy_speed_,
                        decimal_bytes(static_cast<std::int64_t>(copy_speed_)));
  return text + fmt::format(" while {:.0f} % of the time was in kernels",
                            100 * static_cast<double>(busy) / static_cast<double>(all));
}

void Session::report() {
  if (!parts_.config.profile.empty()) {
    profile::save_trace(profile::trace_path(parts_.config.profile, rank(), parts_.machine.ranks), profile_, rank());
  }
  if (!parts_.config.show_stats || (rank() > 0 && parts_.config.output != "all")) return;
  const jit::JitStatistics kernels = jit_statistics();
  std::fprintf(
      stderr,
      "pilum: rank %d: %s; kernels: compiled %ld, loaded from disk %ld, found in memory %ld; "
      "plan cache: hits %ld, misses %ld, %s; peak memory %s\n"
      "pilum: rank %d: %s\n",
      rank(), profile::to_string(profile_.counters).c_str(), kernels.compiled, kernels.disk_hits, kernels.memory_hits,
      cache_.statistics().hits, cache_.statistics().misses, machine::format_bytes(cache_.compute_bytes()).c_str(),
      machine::format_bytes(static_cast<std::uint64_t>(peak_bytes())).c_str(), rank(), describe_traffic().c_str());
}

}  // namespace pilum::scheduler
