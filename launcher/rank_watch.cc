#include "launcher/rank_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "launcher/find_program.h"
#include "launcher/say.h"
#include "launcher/supervise.h"
#include "runtime/base/check.h"

namespace pilum::launcher {
namespace {

constexpr int kFlushAfterMs = 100;  // an unfinished line of standard error (a prompt) is shown after this

template <class... Handlers>
struct Match : Handlers... {
  using Handlers::operator()...;
};

Words watched_words(const Job& job, const std::string& desk) {
  Words words = job.starter_words;
  for (const std::string& word : {own_path(), std::string(kSupervise), desk}) words.push_back(word);
  words.insert(words.end(), job.application.begin(), job.application.end());
  return words;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

RankWatch::RankWatch(const Job& job)
    : job_(job),
      show_all_(job.environment.contains("PILUM_LOG_LEVEL") && (job.environment.at("PILUM_LOG_LEVEL") == "debug" ||
                                                                 job.environment.at("PILUM_LOG_LEVEL") == "trace")),
      desk_(/*other_nodes=*/job.nodes > 1 || job.starter == Starter::Srun) {
  std::array<int, 2> words{};
  PILUM_CHECK(pipe2(words.data(), O_CLOEXEC) == 0);
  launcher_.emplace(watched_words(job, desk_.address()), signals_.original(), SIGTERM,
                    Child::Streams{.standard_error = words[1]});
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
    if (const auto ending = launcher_->poll()) {
      wait_for_ranks();
      take_launcher_words();
      write_error(filter_.finish());
      return conclude(*ending);
    }
    hurry();
  }
}

void RankWatch::wait_for_news() {
  std::vector<pollfd> wanted{{signals_.fd(), POLLIN, 0}, {words_fd_, POLLIN, 0}};
  desk_.add_to(wanted);
  bool unfinished = false;
  for (const auto& [number, rank] : ranks_) unfinished = unfinished || !rank.line.empty();
  const int timeout = unfinished ? kFlushAfterMs : deadline_ ? 200 : -1;
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
  Rank& rank = ranks_[event.rank];
  std::visit(Match{[&](const RankStarted& started) { rank.host = started.host; },
                   [&](const RankErrorText& text) { show(rank, text.bytes); },
                   [&](const RankToldToEnd&) { rank.told_to_end = true; },
                   [&](const RankEnded& ended) { take_ending(event.rank, rank, ended.ending); },
                   [&](const RankLost&) {
                     take_ending(event.rank, rank, {Ending::Kind::Signalled, SIGKILL});
                   }},
             event.what);
}

void RankWatch::take_ending(int number, Rank& rank, const Ending& ending) {
  if (!rank.line.empty()) show(rank, "\n");
  rank.connected = false;
  rank.ending = ending;
  if (ending.good() || rank.told_to_end || culprit_ || told_) return;
  culprit_ = Culprit{number, ending};
  begin_to_end(kPatience);
}

void RankWatch::show(Rank& rank, std::string_view bytes) {
  std::string shown;
  for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
    rank.line.append(bytes.substr(0, end + 1));
    if (show_all_ || !is_library_line(rank.line)) shown += rank.line;
    rank.line.clear();
  }
  rank.line.append(bytes);
  write_error(shown);
}

void RankWatch::flush_lines() {
  for (auto& [number, rank] : ranks_) {
    write_error(rank.line);
    rank.line.clear();
  }
}

void RankWatch::take_launcher_words() {
  std::array<char, 16 * 1024> buffer;
  if (words_fd_ < 0) return;
  ssize_t n = 0;
  while ((n = read(words_fd_, buffer.data(), buffer.size())) > 0) {
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    const std::string passed = filter_.pass(bytes);
    write_error(show_all_ ? bytes : std::string_view(passed));
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
  if (told_) {
    say("ended by signal " + std::to_string(*told_) + " (" + signal_name(*told_) + "), with all ranks");
    return 128 + *told_;
  }
  const std::string of = " of " + std::to_string(job_.ranks());
  if (culprit_) {
    say("rank " + std::to_string(culprit_->rank) + of + " on " + ranks_[culprit_->rank].host + " " +
        to_string(culprit_->ending) + "; the other ranks were ended");
    return culprit_->ending.exit_code();
  }
  if (launcher.good()) return 0;
  for (const auto& [number, rank] : ranks_) {
    if (!rank.ending || !rank.ending->good() || rank.told_to_end) continue;
    say("rank " + std::to_string(number) + of + " on " + rank.host +
        " left with exit status 0 while others were still at work; the other ranks were ended");
    return launcher.exit_code();
  }
  say(explain_failed_start(launcher));
  return ranks_.empty() ? 2 : launcher.exit_code();
}

std::string RankWatch::explain_failed_start(const Ending& launcher) const {
  const std::string& starter = job_.starter_words[0];
  const std::string words = filter_.words();
  if (contains(words, "ppr for this topology") || contains(words, "not enough slots") ||
      contains(words, "more processes than")) {
    return "--nodes " + std::to_string(job_.nodes) + ", ranks " + std::to_string(job_.ranks_per_node) +
           " a node: " + starter + " knows too few nodes or slots. Run inside a Slurm or PBS allocation, or name the " +
           "hosts: --launcher-extra '--hostfile FILE' (a line each: \"name slots=" +
           std::to_string(job_.ranks_per_node) + "\")";
  }
  return starter + " " + to_string(launcher) + (ranks_.empty() ? " before any rank reported" : "") +
         (words.empty() ? "" : ". It said:\n" + words.substr(0, words.find_last_not_of("\n") + 1));
}

}  // namespace pilum::launcher
