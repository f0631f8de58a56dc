#include "launcher/exit_status.h"

#include <string.h>
#include <sys/wait.h>

namespace pilum::launcher {

ExitStatus ExitStatus::from_wait(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {Kind::Signalled, WTERMSIG(wait_status)};
  return {Kind::Exited, WEXITSTATUS(wait_status)};
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string to_string(const ExitStatus& exit_status) {
  if (exit_status.kind == ExitStatus::Kind::Exited)
    return "ended with exit status " + std::to_string(exit_status.number);
  return "was killed by signal " + std::to_string(exit_status.number) + " (" + signal_name(exit_status.number) + ")";
}

}  // namespace pilum::launcher
