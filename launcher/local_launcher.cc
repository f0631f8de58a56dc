#include "launcher/local_launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>

#include "launcher/child.h"
#include "launcher/find_program.h"
#include "launcher/job_folder.h"
#include "launcher/key_value_space.h"
#include "launcher/network.h"
#include "launcher/open_mpi_job.h"
#include "launcher/say.h"
#include "launcher/signals.h"
#include "runtime/base/check.h"

namespace pilum::launcher {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookAfterRanksMs = 500;
constexpr std::chrono::seconds kRankGracePeriod{2};  // from asking ranks to end until they are killed
constexpr std::chrono::seconds kUntilLeftEarly{1};   // who knows more of it may say so first

std::optional<std::string> find_pmi_library() {
  return find_library("libpilum_pmi.so");
}

std::string folder_from_plaunch() {
  const char* path = std::getenv(kFolderVariable);
  return path ? path : "";
}

void set_variables_of_all(const JobFolder& folder) {
  unsetenv(kFolderVariable);
  for (const auto& [name, value] : one_node_variables()) setenv(name.c_str(), value.c_str(), /*overwrite=*/0);
  setenv("OMPI_MCA_orte_tmpdir_base", folder.path().c_str(), /*overwrite=*/0);
  setenv("OMPI_MCA_btl_vader_backing_directory", folder.path().c_str(), /*overwrite=*/0);
  setenv("OMPI_MCA_pmix", "flux", /*overwrite=*/1);
  setenv("FLUX_JOB_ID", std::to_string(open_mpi_job_number(static_cast<std::uint32_t>(getpid()))).c_str(),
         /*overwrite=*/1);
  setenv("FLUX_PMI_LIBRARY_PATH", find_pmi_library().value_or("").c_str(), /*overwrite=*/1);
}

// By the names that Open MPI's own launcher uses, which programs and the runtime read.
void set_variables(int rank, int ranks, int key_values) {
  const auto set = [](const char* name, const std::string& value) { setenv(name, value.c_str(), /*overwrite=*/1); };
  set("OMPI_COMM_WORLD_RANK", std::to_string(rank));
  set("OMPI_COMM_WORLD_SIZE", std::to_string(ranks));
  set("OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(rank));
  set("OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(ranks));
  set("OMPI_COMM_WORLD_NODE_RANK", std::to_string(rank));
  set(kKeyValueSpaceVariable, std::to_string(key_values) + "," + std::to_string(rank) + "," + std::to_string(ranks));
}

class LocalLauncher {
 public:
  LocalLauncher(int ranks, const Words& words) {
    const int fd = KeyValueSpace::make(ranks);
    std::optional<KeyValueSpace> key_values = KeyValueSpace::attach(fd, ranks);
    PILUM_CHECK(key_values);
    key_values_.emplace(std::move(*key_values));
    fcntl(fd, F_SETFD, 0);  // inherited
    const std::string given = folder_from_plaunch();
    given.empty() ? folder_.emplace() : folder_.emplace(given);
    set_variables_of_all(*folder_);
    const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int rank = 0; rank < ranks; ++rank) {
      set_variables(rank, ranks, fd);
      ranks_.emplace_back(words, signals_.original(), SIGTERM,
                          Child::Streams{.standard_input = rank == 0 ? -1 : input});
    }
    close(input);
    close(fd);
  }

  int run() {
    while (!look_at_ranks()) {
      pollfd wanted{signals_.fd(), POLLIN, 0};
      poll(&wanted, 1, kLookAfterRanksMs);
      take_signals();
      if (deadline_ && Clock::now() > *deadline_) send(SIGKILL);
    }
    return status_;
  }

 private:
  void take_signals() {
    while (const auto arrived = signals_.take()) {
      if (arrived->signal == SIGCHLD) continue;
      if (!arrived->from_terminal) send(arrived->signal);
      if (arrived->signal == SIGUSR1 || arrived->signal == SIGUSR2) continue;
      fail(128 + arrived->signal);
    }
  }

  // True once all are gone.
  bool look_at_ranks() {
    bool any_runs = false, any_needs_others = false;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const auto exit_status = ranks_[rank].poll();
      if (exit_status && !exit_status->success()) fail(exit_status->exit_code());
      any_runs = any_runs || !exit_status;
      any_needs_others = any_needs_others || (!exit_status && key_values_->has_entered(static_cast<int>(rank)));
    }
    if (!any_needs_others || !some_left_early()) {
      left_early_.reset();
    } else if (!left_early_) {
      left_early_ = Clock::now();
    } else if (Clock::now() - *left_early_ > kUntilLeftEarly) {
      fail(1);
    }
    return !any_runs;
  }

  bool some_left_early() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].poll() && !key_values_->has_left(static_cast<int>(rank))) return true;
    }
    return false;
  }

  void fail(int status) {
    if (deadline_) return;
    status_ = status;
    deadline_ = Clock::now() + kRankGracePeriod;
    send(SIGTERM);
  }

  void send(int signal) {
    for (const Child& rank : ranks_) rank.send(signal);
  }

  SignalInbox signals_;
  std::optional<KeyValueSpace> key_values_;
  std::optional<JobFolder> folder_;
  std::deque<Child> ranks_;
  int status_ = 0;
  std::optional<Clock::time_point> left_early_;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace

bool can_start_ranks() {
  std::error_code ignored;
  return std::filesystem::exists(PILUM_OPEN_MPI_FLUX, ignored) && find_pmi_library();
}

int start_ranks(int ranks, const Words& words) {
  return LocalLauncher(ranks, words).run();
}

}  // namespace pilum::launcher
