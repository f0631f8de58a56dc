#include "launcher/rank_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "launcher/escape.h"
#include "launcher/find_program.h"
#include "launcher/leftovers.h"
#include "launcher/local_launcher.h"
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

Words supervised_command(const Job& job) {
  Words words = job.launcher_command;
  if (job.launcher ==
      Launcher::Mpirun) {  // to other nodes too; by its name, for a command line can be read by all users
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
      show_all_(job.variables.contains("PILUM_LOG_LEVEL") &&
                (job.variables.at("PILUM_LOG_LEVEL") == "debug" || job.variables.at("PILUM_LOG_LEVEL") == "trace")),
      server_(job.ranks(),
              {.other_nodes = job.nodes > 1 || job.launcher == Launcher::Srun, .interface = job.interface}),
      rendezvous_(job.ranks()) {
  setenv(kReportVariable, server_.address().c_str(), /*overwrite=*/1);
  if (job.launcher == Launcher::None) {
    folder_.emplace();
    setenv(kFolderVariable, folder_->path().c_str(), /*overwrite=*/1);
  }
  std::array<int, 2> words{};
  PILUM_CHECK(pipe2(words.data(), O_CLOEXEC) == 0);
  launcher_.emplace(supervised_command(job), signals_.original(), SIGTERM, Child::Streams{.standard_error = words[1]});
  close(words[1]);
  launcher_error_ = words[0];
  fcntl(launcher_error_, F_SETFL, O_NONBLOCK);
}

int RankWatch::run() {
  while (true) {
    wait_for_news();
    take_signals();
    take_reports();
    take_launcher_output();
    look_for_missing();
    if (const auto exit_status = launcher_->poll()) {
      wait_for_ranks();
      if (exit_status->kind == ExitStatus::Kind::Signalled) remove_session_folder(launcher_->pid());
      take_launcher_output();
      write_error(escape_controls(filter_.finish()));
      return conclude(*exit_status);
    }
    escalate();
  }
}

void RankWatch::wait_for_news() {
  std::vector<pollfd> wanted{{signals_.fd(), POLLIN, 0}, {launcher_error_, POLLIN, 0}};
  server_.add_to(wanted);
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
    termination_signal_ = arrived->signal;
    // From a terminal the launcher got it too; a second one would make it leave without tidying up.
    if (!arrived->from_terminal) launcher_->send(SIGTERM);
    begin_termination(kGracePeriod);
  }
}

void RankWatch::take_reports() {
  for (const RankEvent& event : server_.receive()) take_event(event);
}

void RankWatch::take_event(const RankEvent& event) {
  Rank& rank = ranks_.try_emplace(event.rank, event.rank, show_all_).first->second;
  std::visit(Match{[&](const RankStarted& started) { rank.host = escape_controls(started.host); },
                   [&](const RankErrorText& text) { take_text(event.rank, rank, text.bytes); },
                   [&](const RankReached& reached) { take_stage(event.rank, rank, reached.stage); },
                   [&](const RankTerminating&) { rank.terminating = true; },
                   [&](const RankEnded& ended) { take_exit(event.rank, rank, ended.exit_status); },
                   [&](const RankLost&) { take_exit(event.rank, rank, {ExitStatus::Kind::Signalled, SIGKILL}); }},
             event.what);
}

// mpirun takes what MPI says from the ranks and says it itself. Ranks without it say it on their standard error, which
// is kept until it is known whether their start failed.
void RankWatch::take_text(int number, Rank& rank, std::string_view bytes) {
  const bool keeps_banners = job_.launcher == Launcher::None && !show_all_ && rendezvous_.is_waiting(number);
  write_error(rank.text.add(keeps_banners ? rank.start_messages.pass(bytes) : bytes));
}

void RankWatch::take_stage(int number, Rank& rank, RankStage stage) {
  rendezvous_.take(number, stage);
  if (!rendezvous_.is_waiting(number)) show_start_messages(rank);
}

void RankWatch::show_start_messages(Rank& rank) {
  const std::string rest = rank.start_messages.finish();
  write_error(rank.text.add(rank.start_messages.messages() + rest));
  rank.start_messages = {};
}

void RankWatch::take_exit(int number, Rank& rank, const ExitStatus& exit_status) {
  write_error(rank.text.add(rank.start_messages.finish()));
  write_error(rank.text.finish());
  rank.connected = false;
  rank.exit_status = exit_status;
  if (exit_status.success()) rendezvous_.gone(number);
  if (exit_status.success() || rank.terminating || first_failed_ || missing_ || termination_signal_) return;
  first_failed_ = FailedRank{number, exit_status};
  begin_termination(kGracePeriod);
}

// A rank that has exited never joins the rendezvous, and the others would wait for ever: only this process sees it.
void RankWatch::look_for_missing() {
  if (first_failed_ || missing_ || termination_signal_) return;
  const std::optional<MissingRank> missing = rendezvous_.find_missing();
  if (!missing) {
    somebody_waits_.reset();
  } else if (missing->gone) {
    missing_ = missing;
    launcher_->send(SIGTERM);
    begin_termination(kGracePeriod);
  } else if (!somebody_waits_) {
    somebody_waits_ = Clock::now();
  } else if (Clock::now() - *somebody_waits_ > kUntilWaitIsSaid) {
    say("rank " + std::to_string(missing->rank) + " of " + std::to_string(job_.ranks()) +
        " has not created its Runtime for " + std::to_string(kUntilWaitIsSaid.count()) + " s; rank " +
        std::to_string(missing->waiting) + " waits for it in its own Runtime");
    somebody_waits_ = Clock::time_point::max();  // once
  }
}

void RankWatch::flush_lines() {
  for (auto& [number, rank] : ranks_) write_error(rank.text.take_unfinished());
}

void RankWatch::take_launcher_output() {
  std::array<char, 16 * 1024> buffer;
  if (launcher_error_ < 0) return;
  ssize_t n = 0;
  while ((n = read(launcher_error_, buffer.data(), buffer.size())) > 0) {
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    const std::string passed = filter_.pass(bytes);
    write_error(escape_controls(show_all_ ? bytes : std::string_view(passed)));
  }
  if (n == 0) {
    close(launcher_error_);
    launcher_error_ = -1;
  }
}

void RankWatch::begin_termination(std::chrono::milliseconds grace_period) {
  if (!deadline_) deadline_ = Clock::now() + grace_period;
}

void RankWatch::escalate() {
  if (!deadline_ || Clock::now() < *deadline_) return;
  launcher_->send(escalations_++ == 0 && !termination_signal_ ? SIGTERM : SIGKILL);
  deadline_ = Clock::now() + std::chrono::milliseconds(1500);
}

// Supervisors that outlive the launcher notice within a second, and end their ranks.
void RankWatch::wait_for_ranks() {
  const auto latest = Clock::now() + std::chrono::seconds(2);
  while (take_reports(), server_.connected() > 0 && Clock::now() < latest) {
    std::vector<pollfd> wanted;
    server_.add_to(wanted);
    poll(wanted.data(), wanted.size(), 200);
  }
}

int RankWatch::conclude(const ExitStatus& launcher) {
  const std::string reason = first_failed_ ? reason_of(*first_failed_) : "";
  for (auto& [number, rank] : ranks_) {
    if (!reason.empty() || rank.start_messages.messages().empty()) continue;  // with a reason, the others' say the same
    show_start_messages(rank);
    write_error(rank.text.finish());
  }
  if (termination_signal_) {
    say("ended by signal " + std::to_string(*termination_signal_) + " (" + signal_name(*termination_signal_) +
        "), with all ranks");
    return 128 + *termination_signal_;
  }
  if (first_failed_) {
    say(describe(*first_failed_, reason));
    return first_failed_->exit_status.exit_code();
  }
  if (missing_) {
    say(describe(*missing_));
    return 1;
  }
  if (launcher.success()) return 0;
  for (const auto& [number, rank] : ranks_) {
    if (!rank.exit_status || !rank.exit_status->success() || rank.terminating) continue;
    say("rank " + std::to_string(number) + " of " + std::to_string(job_.ranks()) + " on " + rank.host +
        " exited with status 0 while others were still running; the other ranks were ended");
    return launcher.exit_code();
  }
  say(explain_failed_start(launcher));
  return ranks_.empty() ? 2 : launcher.exit_code();
}

// What MPI could not do at a rank's start, only it can say.
std::string RankWatch::reason_of(const FailedRank& failed) const {
  if (!rendezvous_.is_waiting(failed.rank) || show_all_) return "";
  return job_.launcher == Launcher::None ? ranks_.at(failed.rank).start_messages.explanation() : filter_.explanation();
}

std::string RankWatch::describe(const FailedRank& failed, const std::string& reason) const {
  std::string text = "rank " + std::to_string(failed.rank) + " of " + std::to_string(job_.ranks()) + " on " +
                     ranks_.at(failed.rank).host + " " + to_string(failed.exit_status);
  if (!reason.empty()) text += " at its start, in MPI";
  text += "; the other ranks were ended";
  return reason.empty() ? text : text + ". Open MPI said:\n" + escape_controls(reason);
}

std::string RankWatch::describe(const MissingRank& missing) const {
  const Rank& rank = ranks_.at(missing.rank);
  std::string text =
      "rank " + std::to_string(missing.rank) + " of " + std::to_string(job_.ranks()) + " on " + rank.host + " ";
  text += rank.exit_status && rank.exit_status->success() ? to_string(*rank.exit_status) : "left";
  text += missing.runtimes ? " after " + plural(missing.runtimes, "Runtime") : " before its Runtime was created";
  text += ", and rank " + std::to_string(missing.waiting) + " waits for it in ";
  text += missing.runtimes ? "one more" : "its own";
  return text + "; the other ranks were ended. Every rank must create the same Runtimes";
}

std::string RankWatch::explain_failed_start(const ExitStatus& launcher) const {
  const std::string name =
      job_.launcher == Launcher::None ? "the process that starts the ranks" : job_.launcher_command[0];
  const std::string words = filter_.messages();
  if (contains(words, "ppr for this topology") || contains(words, "not enough slots") ||
      contains(words, "more processes than")) {
    return "--nodes " + std::to_string(job_.nodes) + ", ranks " + std::to_string(job_.ranks_per_node) +
           " a node: " + name + " knows too few nodes or slots. Run inside a Slurm or PBS allocation, or name the " +
           "hosts: --launcher-extra '--hostfile FILE' (a line each: \"name slots=" +
           std::to_string(job_.ranks_per_node) + "\")";
  }
  return name + " " + to_string(launcher) + (ranks_.empty() ? " before any rank reported" : "") +
         (words.empty() ? "" : ". It said:\n" + escape_controls(words.substr(0, words.find_last_not_of('\n') + 1)));
}

}  // namespace pilum::launcher
