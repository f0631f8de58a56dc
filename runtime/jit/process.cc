#include "runtime/jit/process.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pilum::jit {
namespace {

std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& temporary_folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1, std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const std::string folder = "TMPDIR=" + temporary_folder;
  std::vector<char*> variables;
  for (char** variable = environ; variable && *variable; ++variable) {
    if (temporary_folder.empty() || std::strncmp(*variable, "TMPDIR=", 7) != 0) variables.push_back(*variable);
  }
  if (!temporary_folder.empty()) variables.push_back(const_cast<char*>(folder.c_str()));
  variables.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, pointers[0], &actions, nullptr, pointers.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  ProcessResult result;
  if (error) {
    result.output = std::strerror(error);
  } else {
    result.output = read_all(ends[0]);
    result.status = wait_for(child);
  }
  close(ends[0]);
  return result;
}

std::string find_program(const std::string& name) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace pilum::jit
