// Starting a child process that does not outlive its parent.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>

#include "launcher/exit_status.h"
#include "launcher/words.h"

namespace pilum::launcher {

// A running child. The kernel sends it `death_signal` should this process die first (even by SIGKILL), so nothing is
// left behind. Whoever starts it reaps it: poll() after SIGCHLD, until it has said how the child ended.
class Child {
 public:
  struct Streams {
    int standard_error = -1;  // -1: this process's
    int standard_input = -1;
    int inherited = -1;  // stays open in the child under the same number
  };

  // Runs words[0] (a path, or found in PATH) with the signal mask `mask`. A program that cannot be executed says why on
  // its standard error and ends with 127 (not found) or 126.
  Child(const Words& words, const sigset_t& mask, int death_signal, Streams streams);

  pid_t pid() const { return pid_; }
  void send(int signal) const;
  // How it ended, if it has. Never blocks.
  std::optional<ExitStatus> poll();

 private:
  pid_t pid_ = -1;
  std::optional<ExitStatus> ending_;
};

}  // namespace pilum::launcher
