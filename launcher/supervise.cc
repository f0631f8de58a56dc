#include "launcher/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "launcher/child.h"
#include "launcher/leftovers.h"
#include "launcher/report.h"
#include "launcher/say.h"
#include "launcher/signals.h"
#include "runtime/base/check.h"
#include "runtime/base/supervisor.h"

namespace pilum::launcher {
namespace {

constexpr int kLookAfterParentMs = 1000;

int own_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return 0;
}

std::string own_host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// One rank under watch. Threads: one.
class Supervisor {
 public:
  Supervisor(const std::string& address, const Words& application)
      : launcher_(getppid()), reporter_(Reporter::connect(address, own_rank(), own_host())) {
    if (reporter_) {
      PILUM_CHECK(pipe2(pipe_.data(), O_CLOEXEC) == 0 && pipe2(stages_.data(), O_CLOEXEC) == 0);
      setenv(kSupervisorVariable, supervisor_address(stages_[1]).c_str(), /*overwrite=*/1);
    }
    rank_.emplace(application, signals_.original(), SIGKILL,
                  Child::Streams{.standard_error = pipe_[1], .inherited = stages_[1]});
    if (!reporter_) return;
    for (const auto& pipe : {pipe_, stages_}) {
      close(pipe[1]);
      fcntl(pipe[0], F_SETFL, O_NONBLOCK);
    }
  }

  int run() {
    while (true) {
      wait_for_news();
      forward_signals();  // before the child is polled, so that a death by a forwarded signal counts as a consequence
      forward_error_text();
      forward_stages();
      if (const auto exit_status = rank_->poll()) {
        forward_error_text();
        forward_stages();
        remove_shared_memory_of_rank();
        report(*exit_status);
        return exit_status->exit_code();
      }
      if (is_orphaned()) {
        report_termination();
        rank_->send(SIGKILL);
      }
    }
  }

 private:
  void wait_for_news() {
    std::array<pollfd, 4> wanted{{{signals_.fd(), POLLIN, 0},
                                  {pipe_[0], POLLIN, 0},  // a negative descriptor is skipped
                                  {reporter_ && !gone_ ? reporter_->fd() : -1, POLLIN, 0},
                                  {stages_[0], POLLIN, 0}}};
    poll(wanted.data(), wanted.size(), kLookAfterParentMs);
    if (wanted[2].revents) gone_ = true;  // plaunch never writes: it has closed
    close_if_ended(wanted[1], pipe_[0]);
    close_if_ended(wanted[3], stages_[0]);
  }

  static void close_if_ended(const pollfd& polled, int& end) {
    if (!(polled.revents & POLLHUP) || polled.revents & POLLIN) return;
    close(end);
    end = -1;
  }

  void forward_signals() {
    while (const auto arrived = signals_.take()) {
      if (arrived->signal == SIGCHLD) continue;
      if (arrived->signal != SIGUSR1 && arrived->signal != SIGUSR2) report_termination();
      rank_->send(arrived->signal);
    }
  }

  void report_termination() {
    if (reporter_ && !terminating_) reporter_->terminating();
    terminating_ = true;
  }

  void forward_error_text() {
    std::array<char, 16 * 1024> buffer;
    if (pipe_[0] < 0) return;
    for (ssize_t n; (n = read(pipe_[0], buffer.data(), buffer.size())) > 0;) {
      forward_stages();  // what MPI says of its start comes after the start has begun, in whatever order they are read
      reporter_->error_text({buffer.data(), static_cast<std::size_t>(n)});
    }
  }

  void forward_stages() {
    char stage = 0;
    while (stages_[0] >= 0 && read(stages_[0], &stage, 1) == 1) reporter_->stage(static_cast<RankStage>(stage));
  }

  // Where plaunch cannot be reached, its one line is ours to say.
  void report(const ExitStatus& exit_status) {
    if (reporter_) return reporter_->ended(exit_status);
    if (!exit_status.success() && !terminating_)
      say("rank " + std::to_string(own_rank()) + " on " + own_host() + " " + to_string(exit_status));
  }

  bool is_orphaned() const { return gone_ || getppid() != launcher_; }

  pid_t launcher_;
  SignalInbox signals_;
  std::optional<Reporter> reporter_;
  std::array<int, 2> pipe_{-1, -1};    // its standard error
  std::array<int, 2> stages_{-1, -1};  // what its Runtime says (runtime/base/supervisor.h)
  std::optional<Child> rank_;
  bool terminating_ = false;  // what follows is a consequence
  bool gone_ = false;         // plaunch, or at least its socket
};

}  // namespace

int supervise(const Words& application) {
  const char* text = std::getenv(kReportVariable);
  const std::string address = text ? text : "";
  unsetenv(kReportVariable);
  return Supervisor(address, application).run();
}

}  // namespace pilum::launcher
