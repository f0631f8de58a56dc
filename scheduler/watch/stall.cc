#include "scheduler/watch/stall.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <system_error>
#include <vector>

#include "pilum/error.h"
#include "runtime/base/log.h"

namespace pilum::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr auto kPollInterval = 1s;
constexpr auto kAnswerTimeout = 2s;  // of a rank whose thread runs
constexpr std::size_t kMaxLines = 40;

std::string seconds_of(std::chrono::steady_clock::duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

}  // namespace

std::string explain_stall(const std::map<int, RankState>& states, int ranks, int seconds) {
  std::string text = "pilum: no progress for " + std::to_string(seconds) + " s:";
  std::set<int> told;
  std::size_t lines = 0;
  const auto line = [&](int rank, const std::string& what) {
    if (++lines <= kMaxLines) text += "\n  rank " + std::to_string(rank) + " " + what;
  };
  std::set<int> roots;
  // Who waits comes before whom it waits for; ranks that nobody waits for begin.
  std::set<int> awaited;
  for (const auto& [rank, state] : states) awaited.insert(state.waits_for);
  std::vector<int> order;
  for (const auto& [rank, state] : states) {
    if (!awaited.contains(rank)) order.push_back(rank);
  }
  for (const auto& [rank, state] : states) {
    if (awaited.contains(rank)) order.push_back(rank);  // of a wait cycle, or told already
  }
  for (const int first : order) {
    int rank = first;
    std::set<int> chain;
    while (told.insert(rank).second) {
      chain.insert(rank);
      const auto state = states.find(rank);
      if (state == states.end()) {
        line(rank, "does not answer: its process or its node has stopped");
        roots.insert(rank);
        break;
      }
      line(rank, state->second.text);
      if (state->second.waits_for < 0 || state->second.waits_for >= ranks) {
        roots.insert(rank);
        break;
      }
      rank = state->second.waits_for;
      if (chain.contains(rank)) text += "\n  (a wait cycle: back to rank " + std::to_string(rank) + ")";
    }
  }
  if (lines > kMaxLines) text += "\n  … and " + std::to_string(lines - kMaxLines) + " more ranks";
  if (static_cast<int>(told.size()) < ranks) {
    int silent = 0, one = -1;
    for (int rank = 0; rank < ranks; ++rank) {
      if (told.contains(rank)) continue;
      ++silent;
      if (one < 0) one = rank;
      roots.insert(rank);
    }
    text += "\n  rank " + std::to_string(one) +
            (silent > 1 ? " and " + std::to_string(silent - 1) + " more do" : " does") +
            " not answer: the processes or their nodes have stopped";
  }
  if (roots.empty() || ranks == 1) return text;
  text += "\n  the others wait for rank " + std::to_string(*roots.begin());
  return text;
}

StallWatch::StallWatch(const Parts& parts) : parts_(parts), moved_(Clock::now()), called_(moved_) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    log("scheduler").warn("stalls will not be reported: their thread cannot be started ({})", error.what());
  }
}

StallWatch::~StallWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

int StallWatch::timeout() const {
  return parts_.abort_after > 0 ? std::min(parts_.abort_after, kStall) : kStall;
}

void StallWatch::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kPollInterval, [this] { return ending_; })) {
    lock.unlock();
    try {
      look(Clock::now());
    } catch (const std::exception& error) {
      // Of a communicator whose peer is gone: the threads that compute find out by themselves.
      log("scheduler").debug("stall detection ends: {}", error.what());
      return;
    }
    lock.lock();
  }
}

void StallWatch::look(Clock::time_point now) {
  if (parts_.executor.failed()) return;
  const std::uint64_t signature = parts_.executor.progress_signature();
  const std::int64_t recorded = parts_.watch.last_call().number;
  if (recorded != recorded_) called_ = now;
  if (signature != signature_ || recorded != recorded_ || !parts_.executor.is_busy()) {
    moved_ = now;
    stalled_ = told_ = reported_ = false;
    leader_ = 0;
  }
  signature_ = signature;
  recorded_ = recorded;
  if (parts_.ranks > 1) {
    while (const auto message = parts_.channel.take(Addressee::Stall)) handle(*message, now);
  }
  stalled_ = now - moved_ >= std::chrono::seconds(timeout());
  if (stalled_ && !reported_ && !leading_) tell_next(now);
  if (leading_ && now - leads_since_ >= kAnswerTimeout) report(now);
  // Not before the report can have come.
  const auto abort_after = std::max<Clock::duration>(std::chrono::seconds(parts_.abort_after),
                                                     std::chrono::seconds(timeout()) + 2 * kAnswerTimeout);
  if (stalled_ && parts_.abort_after > 0 && now - moved_ >= abort_after) {
    parts_.executor.fail(std::make_exception_ptr(RuntimeError(
        "[Runtime] no progress for " + std::to_string(parts_.abort_after) + " s, the limit that --stall-abort sets")));
    // A thread that loops, or a body, does not see that.
    std::this_thread::sleep_for(kAnswerTimeout);
    if (parts_.executor.is_busy()) std::_Exit(1);
  }
}

// The first rank leads; where it does not say that it was told, the next one.
void StallWatch::tell_next(Clock::time_point now) {
  if (told_ && now - told_at_ < kAnswerTimeout) return;
  if (told_) ++leader_;
  told_ = true;
  told_at_ = now;
  if (leader_ >= parts_.rank) return ask_all(now);
  send(leader_, Kind::Tell);
}

void StallWatch::ask_all(Clock::time_point now) {
  leading_ = true;
  leads_since_ = now;
  states_.clear();
  for (int rank = 0; rank < parts_.ranks; ++rank) {
    if (rank != parts_.rank) send(rank, Kind::Ask);
  }
}

void StallWatch::report(Clock::time_point now) {
  leading_ = false;
  reported_ = true;
  states_[parts_.rank] = describe(now);
  const auto stalled = std::max<Clock::duration>(now - moved_ - kAnswerTimeout, std::chrono::seconds(timeout()));
  const auto seconds = static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(stalled).count());
  std::fprintf(stderr, "%s\n", explain_stall(states_, parts_.ranks, seconds).c_str());
  std::fflush(stderr);
}

void StallWatch::handle(const comm::ControlMessage& message, Clock::time_point now) {
  struct Header {
    Kind kind{};
    std::int32_t waits_for = -1;
  } header;
  if (message.bytes.size() < sizeof header) return;
  std::memcpy(&header, message.bytes.data(), sizeof header);
  const auto* text = reinterpret_cast<const char*>(message.bytes.data()) + sizeof header;
  const std::string words(text, message.bytes.size() - sizeof header);
  switch (header.kind) {
    case Kind::Tell:
      send(message.from, Kind::Told);
      if (!leading_ && !reported_) ask_all(now);
      break;
    case Kind::Told: reported_ = true; break;
    case Kind::Ask: send(message.from, Kind::Answer); break;
    case Kind::Answer: states_[message.from] = {header.waits_for, words}; break;
  }
}

void StallWatch::send(int to, Kind kind) {
  struct Header {
    Kind kind{};
    std::int32_t waits_for = -1;
  } header{kind, -1};
  std::string text;
  if (kind == Kind::Answer) {
    RankState state = describe(Clock::now());
    header.waits_for = state.waits_for;
    text = std::move(state.text);
    text.resize(std::min<std::size_t>(text.size(), 1024));
  }
  std::vector<std::byte> bytes(sizeof header + text.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, text.data(), text.size());
  parts_.channel.send(to, Addressee::Stall, bytes);
}

RankState StallWatch::describe(Clock::time_point now) const {
  RankState state;
  const Executor::Activity activity = parts_.executor.describe_activity();
  const Watch::LastCall call = parts_.watch.last_call();
  const std::string last = call.number == 0 ? ""
                                            : std::string("; last call [") + call.name + "] at " + call.file + ":" +
                                                  std::to_string(call.line);
  if (activity.waits_for >= 0 || !activity.text.empty()) {
    state = {activity.waits_for, activity.text};
    if (!parts_.executor.is_waiting()) state.text += last;
  } else if (const int child = parts_.watch.awaited_rank(); child >= 0) {
    state = {child, "waits for rank " + std::to_string(child) + " to make the same call" + last};
  } else if (parts_.executor.is_waiting()) {
    state.text = "waits, and no message or instruction that it waits for is known" + last;
  } else {
    state.text = "has recorded no operation for " + seconds_of(now - called_) + last;
  }
  return state;
}

}  // namespace pilum::scheduler
