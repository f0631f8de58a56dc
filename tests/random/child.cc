#include "tests/random/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace pilum::random_programs {
namespace {

constexpr int kSaid = 3;  // exit: the pipe has the text

[[noreturn]] void be_child(int pipe, const std::function<std::optional<std::string>()>& body, int seconds) {
  std::signal(SIGALRM, SIG_DFL);
  alarm(static_cast<unsigned>(seconds));
  const std::optional<std::string> text = body();
  std::cout.flush();
  if (text) (void)!write(pipe, text->data(), text->size());
  _exit(text ? kSaid : EXIT_SUCCESS);
}

std::string read_all(int pipe) {
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(pipe, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

}  // namespace

std::optional<std::string> run_in_child(const std::function<std::optional<std::string>()>& body, int seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], body, seconds);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGALRM) return "it took more than " + std::to_string(seconds) + " s: a hang?";
    return std::string("ended by ") + strsignal(signal);
  }
  if (WEXITSTATUS(status) == EXIT_SUCCESS) return {};
  return WEXITSTATUS(status) == kSaid ? text : "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace pilum::random_programs
