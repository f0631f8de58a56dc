// Says who waits for whom, when nothing moves any more.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "scheduler/watch/control_channel.h"
#include "scheduler/watch/watch.h"

namespace pilum::scheduler {

// What a rank is doing, as it tells others.
struct RankState {
  int waits_for = -1;  // the rank that it waits for; -1: none
  std::string text;    // "waits for message 3 of window 17 from rank 1, for [add] at jacobi.cc:52"
};

// The report of a stall: the chains of who waits for whom, each to its root, one rank a line. `states` has the ranks
// that answered; whoever they wait for and is not among them does not answer. Pure.
[[nodiscard]] std::string explain_stall(const std::map<int, RankState>& states, int ranks, int seconds);

// Looks every second, on a thread of its own, whether this rank waits and none of its instructions has been done for
// kStall; heartbeats do not count. Then it tells the first rank that answers, which asks all others and prints one
// report for all of them. Threads answer for ranks that compute or loop; one that does not answer is stopped, or its
// node is gone. With `abort_after` the report comes no later than that, and the run ends with it.
class StallWatch {
 public:
  struct Parts {
    Executor& executor;
    ControlChannel& channel;
    const Watch& watch;
    int rank = 0, ranks = 1;
    int abort_after = 0;  // seconds; 0: never
  };
  explicit StallWatch(const Parts& parts);
  ~StallWatch();
  static constexpr int kStall = 20;  // seconds

 private:
  using Clock = std::chrono::steady_clock;
  enum class Kind : std::uint32_t { Tell, Told, Ask, Answer };
  void run();
  void look(Clock::time_point now);
  void handle(const comm::ControlMessage& message, Clock::time_point now);
  void tell_next(Clock::time_point now);
  void ask_all(Clock::time_point now);
  void report(Clock::time_point now);
  void send(int to, Kind kind);
  RankState describe(Clock::time_point now) const;
  int timeout() const;

  const Parts parts_;
  std::uint64_t signature_ = 0;       // of what the executor has done
  std::int64_t recorded_ = 0;         // calls
  Clock::time_point moved_, called_;  // when either changed
  bool stalled_ = false, told_ = false, reported_ = false;
  int leader_ = 0;  // who is told
  Clock::time_point told_at_;
  bool leading_ = false;
  Clock::time_point leads_since_;
  std::map<int, RankState> states_;  // that others told

  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace pilum::scheduler
