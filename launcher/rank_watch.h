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
#include "launcher/report.h"
#include "launcher/signals.h"

namespace pilum::launcher {

// How long a launcher may take to end its ranks after it was asked to.
inline constexpr std::chrono::milliseconds kPatience{3000};

// Starts mpirun or srun with a supervisor (supervise.h) before each rank, and puts together what they report. The first
// rank that ends badly without having been told to is the one to blame. From then on the launcher has kPatience to end
// the others; then it is asked (SIGTERM), then killed, and the supervisors, whose connection closes, kill their ranks.
class RankWatch {
 public:
  explicit RankWatch(const Job& job);
  int run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Rank {
    std::string host;
    std::string line;  // of standard error, not finished yet
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
  void take_ending(int number, Rank& rank, const Ending& ending);
  void take_launcher_words();
  void show(Rank& rank, std::string_view bytes);
  void flush_lines();
  void begin_to_end(std::chrono::milliseconds patience);
  void hurry();
  void wait_for_ranks();
  int conclude(const Ending& launcher);
  std::string explain_failed_start(const Ending& launcher) const;

  const Job& job_;
  bool show_all_;
  SignalInbox signals_;
  ReportDesk desk_;
  int words_fd_ = -1;  // the launcher's standard error
  BannerFilter filter_;
  std::optional<Child> launcher_;
  std::map<int, Rank> ranks_;
  std::optional<Culprit> culprit_;
  std::optional<int> told_;  // the signal that ended this process's patience
  std::optional<Clock::time_point> deadline_;
  int urgings_ = 0;
};

}  // namespace pilum::launcher
