// How a process ended.
#pragma once

#include <string>

namespace pilum::launcher {

struct ExitStatus {
  enum class Kind { Exited, Signalled };
  Kind kind = Kind::Exited;
  int number = 0;  // the exit status, or the signal

  static ExitStatus from_wait(int wait_status);
  bool success() const { return kind == Kind::Exited && number == 0; }
  // What a shell would make of it: the status, or 128 + the signal.
  int exit_code() const { return kind == Kind::Exited ? number : 128 + number; }
  bool operator==(const ExitStatus&) const = default;
};

// "SIGKILL", "signal 40"
std::string signal_name(int signal);
// "ended with exit status 3", "was killed by signal 9 (SIGKILL)"
std::string to_string(const ExitStatus& exit_status);

}  // namespace pilum::launcher
