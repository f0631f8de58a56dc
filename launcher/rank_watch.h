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
#include "launcher/meetings.h"
#include "launcher/rank_text.h"
#include "launcher/report.h"
#include "launcher/signals.h"
#include "launcher/words.h"

namespace pilum::launcher {

// How long a launcher may take to end its ranks after it was asked to.
inline constexpr std::chrono::milliseconds kPatience{3000};

// Starts mpirun, srun or plaunch's own starter with a supervisor (supervise.h) before each rank, and puts together what
// they report. The first rank that ends badly without having been told to is the one to blame, or one that ended well
// where others wait for its Runtime. From then on the launcher has kPatience to end the others; then it is asked
// (SIGTERM), then killed, and the supervisors, whose connection closes, kill their ranks.
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
    BannerFilter start_words;  // what its MPI says while it starts: the reason, if it fails
    bool connected = true;
    bool told_to_end = false;
    std::optional<Ending> ending;
  };
  struct Culprit {
    int rank = 0;
    Ending ending;
  };

  void wait_for_news();
  void take_signals();
  void take_reports();
  void take_event(const RankEvent& event);
  void take_text(int number, Rank& rank, std::string_view bytes);
  void take_stage(int number, Rank& rank, RankStage stage);
  void take_ending(int number, Rank& rank, const Ending& ending);
  void show_start_words(Rank& rank);
  void look_for_absent();
  void take_launcher_words();
  void flush_lines();
  void begin_to_end(std::chrono::milliseconds patience);
  void hurry();
  void wait_for_ranks();
  int conclude(const Ending& launcher);
  std::string reason_of(const Culprit& culprit) const;
  std::string blame(const Culprit& culprit, const std::string& reason) const;
  std::string blame(const Absence& absence) const;
  std::string explain_failed_start(const Ending& launcher) const;

  const Job& job_;
  bool show_all_;
  SignalInbox signals_;
  ReportDesk desk_;
  std::optional<JobFolder> folder_;  // of ranks that are started without a launcher
  int words_fd_ = -1;                // the launcher's standard error
  BannerFilter filter_;
  std::optional<Child> launcher_;
  std::map<int, Rank> ranks_;
  std::optional<Culprit> culprit_;
  Meetings meetings_;
  std::optional<Absence> absent_;                    // others waited for it in vain: it is to blame
  std::optional<Clock::time_point> somebody_waits_;  // since then, for one that may still come
  std::optional<int> told_;                          // the signal that ended this process's patience
  std::optional<Clock::time_point> deadline_;
  int urgings_ = 0;
};

}  // namespace pilum::launcher
