#include "launcher/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "runtime/base/check.h"

namespace pilum::launcher {

SignalInbox::SignalInbox() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) sigaddset(&wanted, signal);
  sigprocmask(SIG_BLOCK, &wanted, &original_);
  fd_ = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
  PILUM_CHECK(fd_ >= 0);
}

SignalInbox::~SignalInbox() {
  close(fd_);
  sigprocmask(SIG_SETMASK, &original_, nullptr);
}

std::optional<SignalInbox::Arrived> SignalInbox::take() {
  signalfd_siginfo info{};
  if (read(fd_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return Arrived{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

}  // namespace pilum::launcher
