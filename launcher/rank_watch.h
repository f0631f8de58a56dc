// Several ranks under a launcher, watched until all are gone.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/banner_filter.h"
#include "launcher/child.h"
#include "launcher/job.h"
#include "launcher/job_folder.h"
#include "launcher/rank_text.h"
#include "launcher/rendezvous.h"
#include "launcher/report.h"
#include "launcher/signals.h"
#include "launcher/words.h"

namespace pilum::launcher {

// How long a launcher may take to end its ranks.
inline constexpr std::chrono::milliseconds kGracePeriod{3000};

// Starts the launcher (mpirun, srun, or plaunch itself: local_launcher.h) with a supervisor (supervise.h) before each
// rank, and collects what the supervisors report. The first failed rank is the one reported: the first that fails
// without having been terminated, or one that exits while others wait for its Runtime. From then on the launcher has
// kGracePeriod to end the others; then it gets SIGTERM, then SIGKILL, and the supervisors, whose connection closes,
// kill their ranks.
class RankWatch {
 public:
  explicit RankWatch(const Job& job);
  int run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Rank {
    Rank(int number, bool show_all) : text(number, show_all) {}
    std::string host;
    RankText text;
    BannerFilter start_messages;  // what its MPI says while it starts: the reason, if it fails
    bool connected = true;
    bool terminating = false;
    std::optional<ExitStatus> exit_status;
  };
  struct FailedRank {
    int rank = 0;
    ExitStatus exit_status;
  };

  void wait_for_news();
  void take_signals();
  void take_reports();
  void take_event(const RankEvent& event);
  void take_text(int number, Rank& rank, std::string_view bytes);
  void take_stage(int number, Rank& rank, RankStage stage);
  void take_exit(int number, Rank& rank, const ExitStatus& exit_status);
  void show_start_messages(Rank& rank);
  void look_for_missing();
  void take_launcher_output();
  void flush_lines();
  void begin_termination(std::chrono::milliseconds grace_period);
  void escalate();
  void wait_for_ranks();
  int conclude(const ExitStatus& launcher);
  std::string reason_of(const FailedRank& failed) const;
  std::string describe(const FailedRank& failed, const std::string& reason) const;
  std::string describe(const MissingRank& missing) const;
  std::string explain_failed_start(const ExitStatus& launcher) const;

  const Job& job_;
  bool show_all_;
  SignalInbox signals_;
  ReportServer server_;
  std::optional<JobFolder> folder_;  // of ranks that are started without a launcher
  int launcher_error_ = -1;          // the launcher's standard error
  BannerFilter filter_;
  std::optional<Child> launcher_;
  std::map<int, Rank> ranks_;
  std::optional<FailedRank> first_failed_;
  Rendezvous rendezvous_;
  std::optional<MissingRank> missing_;               // the others' Runtimes wait for it in vain
  std::optional<Clock::time_point> somebody_waits_;  // since then, for one that may still come
  std::optional<int> termination_signal_;            // that this process got
  std::optional<Clock::time_point> deadline_;
  int escalations_ = 0;
};

}  // namespace pilum::launcher
