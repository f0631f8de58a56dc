#include "launcher/rank_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "launcher/escape.h"
#include "launcher/find_program.h"
#include "launcher/leftovers.h"
#include "launcher/own_starter.h"
#include "launcher/say.h"
#include "launcher/supervise.h"
#include "runtime/base/check.h"

namespace pilum::launcher {
namespace {

constexpr std::chrono::seconds kUntilWaitIsSaid{5};  // that a rank has not come to where others wait
constexpr int kFlushAfterMs = 100;  // an unfinished line of standard error (a prompt) is shown after this

template <class... Handlers>
struct Match : Handlers... {
  using Handlers::operator()...;
};

Words watched_words(const Job& job) {
  Words words = job.starter_words;
  if (job.starter == Starter::Mpirun) {  // to other nodes too; by its name, for a command line can be read by all users
    words.push_back("-x");
    words.push_back(kReportVariable);
  }
  for (const std::string& word : {own_path(), std::string(kSupervise)}) words.push_back(word);
  words.insert(words.end(), job.application.begin(), job.application.end());
  return words;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

RankWatch::RankWatch(const Job& job)
    : job_(job),
      show_all_(job.environment.contains("PILUM_LOG_LEVEL") &&
                (job.environment.at("PILUM_LOG_LEVEL") == "debug" || job.environment.at("PILUM_LOG_LEVEL") == "trace")),
      desk_(job.ranks(), {.other_nodes = job.nodes > 1 || job.starter == Starter::Srun, .interface = job.interface}),
      meetings_(job.ranks()) {
  setenv(kReportVariable, desk_.address().c_str(), /*overwrite=*/1);
  if (job.starter == Starter::None) {
    folder_.emplace();
    setenv(kFolderVariable, folder_->path().c_str(), /*overwrite=*/1);
  }
  std::array<int, 2> words{};
  PILUM_CHECK(pipe2(words.data(), O_CLOEXEC) == 0);
  launcher_.emplace(watched_words(job), signals_.original(), SIGTERM, Child::Streams{.standard_error = words[1]});
  close(words[1]);
  words_fd_ = words[0];
  fcntl(words_fd_, F_SETFL, O_NONBLOCK);
}

int RankWatch::run() {
  while (true) {
    wait_for_news();
    take_signals();
    take_reports();
    take_launcher_words();
    look_for_absent();
    if (const auto ending = launcher_->poll()) {
      wait_for_ranks();
      if (ending->kind == Ending::Kind::Signalled) remove_session_folder(launcher_->pid());
      take_launcher_words();
      write_error(escape_controls(filter_.finish()));
      return conclude(*ending);
    }
    hurry();
  }
}

void RankWatch::wait_for_news() {
  std::vector<pollfd> wanted{{signals_.fd(), POLLIN, 0}, {words_fd_, POLLIN, 0}};
  desk_.add_to(wanted);
  bool unfinished = false;
  for (const auto& [number, rank] : ranks_) unfinished = unfinished || rank.text.has_unfinished_line();
  const int timeout = unfinished ? kFlushAfterMs : deadline_ ? 200 : somebody_waits_ ? 1000 : -1;
  if (poll(wanted.data(), wanted.size(), timeout) == 0 && unfinished) flush_lines();
}

void RankWatch::take_signals() {
  while (const auto arrived = signals_.take()) {
    if (arrived->signal == SIGCHLD) continue;
    if (arrived->signal == SIGUSR1 || arrived->signal == SIGUSR2) {
      launcher_->send(arrived->signal);
      continue;
    }
    told_ = arrived->signal;
    // From a terminal the launcher got it too; a second one would make it leave without tidying up.
    if (!arrived->from_terminal) launcher_->send(SIGTERM);
    begin_to_end(kPatience);
  }
}

void RankWatch::take_reports() {
  for (const RankEvent& event : desk_.receive()) take_event(event);
}

void RankWatch::take_event(const RankEvent& event) {
  Rank& rank = ranks_.try_emplace(event.rank, event.rank, show_all_).first->second;
  std::visit(Match{[&](const RankStarted& started) { rank.host = escape_controls(started.host); },
                   [&](const RankErrorText& text) { take_text(event.rank, rank, text.bytes); },
                   [&](const RankReached& reached) { take_stage(event.rank, rank, reached.stage); },
                   [&](const RankToldToEnd&) { rank.told_to_end = true; },
                   [&](const RankEnded& ended) { take_ending(event.rank, rank, ended.ending); },
                   [&](const RankLost&) { take_ending(event.rank, rank, {Ending::Kind::Signalled, SIGKILL}); }},
             event.what);
}

// mpirun takes what MPI says from the ranks and says it itself. Ranks without it say it on their standard error, which
// is kept until it is known whether their start failed.
void RankWatch::take_text(int number, Rank& rank, std::string_view bytes) {
  const bool keeps_banners = job_.starter == Starter::None && !show_all_ && meetings_.is_waiting(number);
  write_error(rank.text.add(keeps_banners ? rank.start_words.pass(bytes) : bytes));
}

void RankWatch::take_stage(int number, Rank& rank, RankStage stage) {
  meetings_.take(number, stage);
  if (!meetings_.is_waiting(number)) show_start_words(rank);
}

void RankWatch::show_start_words(Rank& rank) {
  const std::string rest = rank.start_words.finish();
  write_error(rank.text.add(rank.start_words.words() + rest));
  rank.start_words = {};
}

void RankWatch::take_ending(int number, Rank& rank, const Ending& ending) {
  write_error(rank.text.add(rank.start_words.finish()));
  write_error(rank.text.finish());
  rank.connected = false;
  rank.ending = ending;
  if (ending.good()) meetings_.gone(number);
  if (ending.good() || rank.told_to_end || culprit_ || absent_ || told_) return;
  culprit_ = Culprit{number, ending};
  begin_to_end(kPatience);
}

// A rank that is gone cannot come any more: nobody but this process sees that, and the others would wait for ever.
void RankWatch::look_for_absent() {
  if (culprit_ || absent_ || told_) return;
  const std::optional<Absence> absence = meetings_.find_absent();
  if (!absence) {
    somebody_waits_.reset();
  } else if (absence->gone) {
    absent_ = absence;
    launcher_->send(SIGTERM);
    begin_to_end(kPatience);
  } else if (!somebody_waits_) {
    somebody_waits_ = Clock::now();
  } else if (Clock::now() - *somebody_waits_ > kUntilWaitIsSaid) {
    say("rank " + std::to_string(absence->rank) + " of " + std::to_string(job_.ranks()) +
        " has not created its Runtime for " + std::to_string(kUntilWaitIsSaid.count()) + " s; rank " +
        std::to_string(absence->waiting) + " waits for it in its own Runtime");
    somebody_waits_ = Clock::time_point::max();  // once
  }
}

void RankWatch::flush_lines() {
  for (auto& [number, rank] : ranks_) write_error(rank.text.take_unfinished());
}

void RankWatch::take_launcher_words() {
  std::array<char, 16 * 1024> buffer;
  if (words_fd_ < 0) return;
  ssize_t n = 0;
  while ((n = read(words_fd_, buffer.data(), buffer.size())) > 0) {
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    const std::string passed = filter_.pass(bytes);
    write_error(escape_controls(show_all_ ? bytes : std::string_view(passed)));
  }
  if (n == 0) {
    close(words_fd_);
    words_fd_ = -1;
  }
}

void RankWatch::begin_to_end(std::chrono::milliseconds patience) {
  if (!deadline_) deadline_ = Clock::now() + patience;
}

void RankWatch::hurry() {
  if (!deadline_ || Clock::now() < *deadline_) return;
  launcher_->send(urgings_++ == 0 && !told_ ? SIGTERM : SIGKILL);
  deadline_ = Clock::now() + std::chrono::milliseconds(1500);
}

// Supervisors that outlived the launcher see that it is gone within a second, and end their ranks.
void RankWatch::wait_for_ranks() {
  const auto latest = Clock::now() + std::chrono::seconds(2);
  while (take_reports(), desk_.connected() > 0 && Clock::now() < latest) {
    std::vector<pollfd> wanted;
    desk_.add_to(wanted);
    poll(wanted.data(), wanted.size(), 200);
  }
}

int RankWatch::conclude(const Ending& launcher) {
  const std::string reason = culprit_ ? reason_of(*culprit_) : "";
  for (auto& [number, rank] : ranks_) {
    if (!reason.empty() || rank.start_words.words().empty()) continue;  // with a reason, the others' say the same
    show_start_words(rank);
    write_error(rank.text.finish());
  }
  if (told_) {
    say("ended by signal " + std::to_string(*told_) + " (" + signal_name(*told_) + "), with all ranks");
    return 128 + *told_;
  }
  if (culprit_) {
    say(blame(*culprit_, reason));
    return culprit_->ending.exit_code();
  }
  if (absent_) {
    say(blame(*absent_));
    return 1;
  }
  if (launcher.good()) return 0;
  for (const auto& [number, rank] : ranks_) {
    if (!rank.ending || !rank.ending->good() || rank.told_to_end) continue;
    say("rank " + std::to_string(number) + " of " + std::to_string(job_.ranks()) + " on " + rank.host +
        " exited with status 0 while others were still running; the other ranks were ended");
    return launcher.exit_code();
  }
  say(explain_failed_start(launcher));
  return ranks_.empty() ? 2 : launcher.exit_code();
}

// What MPI could not do at a rank's start, only it can say.
std::string RankWatch::reason_of(const Culprit& culprit) const {
  if (!meetings_.is_waiting(culprit.rank) || show_all_) return "";
  return job_.starter == Starter::None ? ranks_.at(culprit.rank).start_words.explanation() : filter_.explanation();
}

std::string RankWatch::blame(const Culprit& culprit, const std::string& reason) const {
  std::string text = "rank " + std::to_string(culprit.rank) + " of " + std::to_string(job_.ranks()) + " on " +
                     ranks_.at(culprit.rank).host + " " + to_string(culprit.ending);
  if (!reason.empty()) text += " at its start, in MPI";
  text += "; the other ranks were ended";
  return reason.empty() ? text : text + ". Open MPI said:\n" + escape_controls(reason);
}

std::string RankWatch::blame(const Absence& absence) const {
  const Rank& rank = ranks_.at(absence.rank);
  std::string text =
      "rank " + std::to_string(absence.rank) + " of " + std::to_string(job_.ranks()) + " on " + rank.host + " ";
  text += rank.ending && rank.ending->good() ? to_string(*rank.ending) : "left";
  text += absence.runtimes ? " after " + plural(absence.runtimes, "Runtime") : " before its Runtime was created";
  text += ", and rank " + std::to_string(absence.waiting) + " waits for it in ";
  text += absence.runtimes ? "one more" : "its own";
  return text + "; the other ranks were ended. Every rank must create the same Runtimes";
}

std::string RankWatch::explain_failed_start(const Ending& launcher) const {
  const std::string starter =
      job_.starter == Starter::None ? "the process that starts the ranks" : job_.starter_words[0];
  const std::string words = filter_.words();
  if (contains(words, "ppr for this topology") || contains(words, "not enough slots") ||
      contains(words, "more processes than")) {
    return "--nodes " + std::to_string(job_.nodes) + ", ranks " + std::to_string(job_.ranks_per_node) +
           " a node: " + starter + " knows too few nodes or slots. Run inside a Slurm or PBS allocation, or name the " +
           "hosts: --launcher-extra '--hostfile FILE' (a line each: \"name slots=" +
           std::to_string(job_.ranks_per_node) + "\")";
  }
  return starter + " " + to_string(launcher) + (ranks_.empty() ? " before any rank reported" : "") +
         (words.empty() ? "" : ". It said:\n" + escape_controls(words.substr(0, words.find_last_not_of("\n") + 1)));
}

}  // namespace pilum::launcher
