// Two users in one test: this process is root, a child is nobody.
#pragma once

#include <cstdlib>
#include <functional>

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pilum::jit::test {

constexpr uid_t kNobody = 65534;

// Runs the body as nobody. True: it ran and returned true.
inline bool as_nobody(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    const bool changed = setgroups(0, nullptr) == 0 && setresgid(kNobody, kNobody, kNobody) == 0 &&
                         setresuid(kNobody, kNobody, kNobody) == 0;
    _exit(changed && body() ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

// A umask for a while.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  ~Umask() { umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

}  // namespace pilum::jit::test

#define PILUM_NEEDS_ROOT() \
  if (geteuid() != 0) GTEST_SKIP() << "only root can be two users"
