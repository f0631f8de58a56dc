#include "launcher/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pilum/error.h"

namespace pilum::launcher {

Child::Child(const Words& words, const sigset_t& mask, int death_signal, Streams streams) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw RuntimeError(std::string("no process could be started: ") + strerror(errno));
  if (pid_ > 0) return;

  prctl(PR_SET_PDEATHSIG, death_signal);
  if (getppid() != parent) _exit(128 + SIGKILL);  // the parent died before the line above
  if (streams.standard_error >= 0) dup2(streams.standard_error, STDERR_FILENO);
  if (streams.standard_input >= 0) dup2(streams.standard_input, STDIN_FILENO);
  if (streams.inherited >= 0) fcntl(streams.inherited, F_SETFD, 0);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(argv[0], argv.data());
  const int error = errno;
  dprintf(STDERR_FILENO, "plaunch: %s cannot be executed: %s\n", argv[0], strerror(error));
  _exit(error == ENOENT ? 127 : 126);
}

void Child::send(int signal) const {
  if (!ending_) kill(pid_, signal);
}

std::optional<ExitStatus> Child::poll() {
  int status = 0;
  if (!ending_ && waitpid(pid_, &status, WNOHANG) == pid_) ending_ = ExitStatus::from_wait(status);
  return ending_;
}

}  // namespace pilum::launcher
