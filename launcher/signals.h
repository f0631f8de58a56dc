// Signals as something to poll for, instead of handlers.
#pragma once

#include <signal.h>

#include <optional>

namespace pilum::launcher {

// While one lives, SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 of this process are blocked and wait
// in fd(). One a process, made before any child is started; children get `original()` back.
class SignalInbox {
 public:
  struct Arrived {
    int signal = 0;
    bool from_terminal = false;  // the whole foreground group got it, children too
  };

  SignalInbox();
  ~SignalInbox();
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;

  int fd() const { return fd_; }
  const sigset_t& original() const { return original_; }
  // The next one that waits, if any. Never blocks.
  std::optional<Arrived> take();

 private:
  int fd_ = -1;
  sigset_t original_{};
};

}  // namespace pilum::launcher
