#include "launcher/run_job.h"

#include <poll.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "launcher/child.h"
#include "launcher/network.h"
#include "launcher/rank_watch.h"
#include "launcher/say.h"
#include "launcher/signals.h"

namespace pilum::launcher {
namespace {

using Clock = std::chrono::steady_clock;

// One rank without a launcher: a plain child with our streams.
int run_alone(const Job& job) {
  SignalInbox signals;
  Child rank(job.application, signals.original(), SIGKILL, {});
  std::optional<Clock::time_point> deadline;
  std::optional<int> termination_signal;
  while (true) {
    pollfd wanted{signals.fd(), POLLIN, 0};
    poll(&wanted, 1, deadline ? 200 : -1);
    while (const auto arrived = signals.take()) {
      if (arrived->signal == SIGCHLD) continue;
      if (!arrived->from_terminal) rank.send(arrived->signal);
      if (arrived->signal == SIGUSR1 || arrived->signal == SIGUSR2) continue;
      termination_signal = arrived->signal;
      deadline = Clock::now() + kGracePeriod;
    }
    if (const auto exit_status = rank.poll()) {
      if (exit_status->kind == ExitStatus::Kind::Signalled && exit_status->number != termination_signal) {
        say(std::filesystem::path(job.application[0]).filename().string() + " " + to_string(*exit_status));
      }
      return exit_status->exit_code();
    }
    if (deadline && Clock::now() > *deadline) rank.send(SIGKILL);
  }
}

}  // namespace

int run_job(const Job& job) {
  for (const auto& [name, value] : job.variables) setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  // A crash is reported by us, in a line: no stack traces of libraries on top.
  setenv("OMPI_MCA_opal_signal", "", /*overwrite=*/0);
  setenv("UCX_HANDLE_ERRORS", "none", /*overwrite=*/0);
  // What the user has set of libraries stands, but an option of plaunch overrides it, as everywhere.
  if (job.nodes == 1 && job.ranks() > 1) {
    for (const auto& [name, value] : one_node_variables()) setenv(name.c_str(), value.c_str(), /*overwrite=*/0);
  }
  for (const auto& [name, value] : job.libraries) setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  return job.launcher_command.empty() ? run_alone(job) : RankWatch(job).run();
}

}  // namespace pilum::launcher
