#include "launcher/ending.h"

#include <string.h>
#include <sys/wait.h>

namespace pilum::launcher {

Ending Ending::from_wait(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {Kind::Signalled, WTERMSIG(wait_status)};
  return {Kind::Exited, WEXITSTATUS(wait_status)};
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string to_string(const Ending& ending) {
  if (ending.kind == Ending::Kind::Exited) return "ended with exit status " + std::to_string(ending.number);
  return "was killed by signal " + std::to_string(ending.number) + " (" + signal_name(ending.number) + ")";
}

}  // namespace pilum::launcher
