// Sees to it that all ranks record the same calls, and leave together.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <source_location>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/comm/tree.h"
#include "scheduler/execute/executor.h"
#include "scheduler/record/operation.h"
#include "scheduler/watch/call_digest.h"
#include "scheduler/watch/call_ring.h"
#include "scheduler/watch/control_channel.h"

namespace pilum::scheduler {

// Each call is hashed, with all that messages, cuts and values follow from (call_digest.h), into a running hash. Every
// kCheckCalls calls, every kTellEvery of waiting, and where a value leaves the program, a rank tells its parent in a
// tree of ranks how far it is and its hash there. The parent compares at the smaller one of the two counts: at the
// child's, or, where the child is ahead and this rank waits, at its own, for which it asks. Where they differ, the two
// look for the first differing call by bisection, and the run fails with both calls and both source lines. What all
// have agreed on flows down the tree and is forgotten; calls beyond it are kept in a bounded ring, and recording waits
// when it is full. Leaving goes the same way: up when a rank and all below it are done, then down. The recording
// thread's.
class Watch {
 public:
  // `all_bytes`: imported and read values are hashed whole, however large.
  Watch(Executor& executor, ControlChannel& channel, bool all_bytes);

  void recorded(const Operation& operation) {
    if (!alone_) add(operation);
  }
  // A call that is no operation: a value asked for, a wait, the end.
  void called(const char* name, std::source_location where);
  // Returns when all ranks are known to have made the same calls up to this one, with the same cells as its result: on
  // the first rank; the others go on as soon as those below them are there. Before it, nothing is shown to a user.
  void confirm(const char* name, std::source_location where, DType dtype, std::span<const std::byte> cells);
  // Handles what peers sent, and tells them where this rank waits. Called while waiting; cheap when called too often.
  void look();
  // For the watch for stalls; any thread. The last call, as it was when nothing was being recorded: fields of two calls
  // may mix while there is.
  struct LastCall {
    std::int64_t number = 0;
    const char* name = "";
    const char* file = "";
    std::uint32_t line = 0;
  };
  LastCall last_call() const;
  // The rank below this one that has yet to make the call that this one waits in; -1: none.
  int awaited_rank() const { return awaited_.load(std::memory_order_relaxed); }
  // After the last call. Returns when every rank has called it; throws when one has not, and never will.
  void leave();

 private:
  struct Call {
    std::uint64_t hash = 0;  // of all calls up to this one
    std::array<std::uint16_t, kCallParts> parts{};
    const char* name = "";
    const char* file = "";
    std::uint32_t line = 0;
    CallSketch sketch;
  };
  enum class Kind : std::uint32_t { Check, Agreed, AskHash, HashAt, AskCall, CallAt, Leave, Bye };
  // The text goes along only where there is one.
  struct Message {
    Kind kind = Kind::Check;
    std::uint32_t text_bytes = 0;
    std::int64_t count = 0;
    std::uint64_t hash = 0;
    std::array<std::uint16_t, kCallParts> parts{};
    std::array<char, 512> text{};
  };
  struct Told {
    std::int64_t count = 0;
    std::uint64_t hash = 0;
  };
  struct Report {           // what a child says of its subtree
    std::deque<Told> open;  // in order; told, and not compared: this rank is not there yet
    std::int64_t count = 0;
    bool left = false;
    std::int64_t same = 0;  // calls known to be this rank's too
  };
  // For the first differing call, between this rank and a child: calls up to `same` agree; those up to `different` do
  // not, or, where that is not known yet, may not.
  struct Search {
    int child = 0;
    std::int64_t same = 0, different = 0;
    bool known = true;
  };

  std::int64_t count() const { return agreed_ + static_cast<std::int64_t>(calls_.size()); }
  void add(const Operation& operation);
  void add(const CallDigest& digest, const char* name, std::source_location where, const CallSketch& sketch);
  void check_point();
  void tell_now();
  void send(int to, const Message& message);
  void handle(int from, const Message& message);
  void compare(int child, Report& report, bool waiting);
  void compare_all(bool waiting);
  void narrow(const Message& answer);
  void continue_search();
  void judge_suspicion();
  void agree(std::int64_t count);
  void report_up();
  void note_awaited();
  std::int64_t agreed_below() const;  // calls that this rank and all below it share; -1: not all have told
  std::uint64_t hash_at(std::int64_t count) const;  // of the first `count` calls, count > agreed_
  std::string describe(std::int64_t number) const;
  [[noreturn]] void fail(const Message& other, int child);

  static constexpr std::int64_t kCheckCalls = 1024;
  static constexpr std::int64_t kRing = 64 * kCheckCalls;

  Executor& executor_;
  ControlChannel& channel_;
  comm::TreePlace place_;
  bool alone_;
  const bool all_bytes_;
  std::int64_t agreed_ = 0;  // calls all ranks are known to share
  std::uint64_t agreed_hash_ = 0;
  CallRing<Call> calls_;    // those after
  std::uint64_t hash_ = 0;  // of all
  std::unordered_map<int, Report> children_;
  std::optional<Search> search_;
  bool leaving_ = false, bye_ = false, told_leave_ = false;
  std::int64_t told_ = 0;  // the count last told to the parent
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_look_, next_tell_;
  struct {
    std::atomic<std::int64_t> number{0};
    std::atomic<const char*> name{""}, file{""};
    std::atomic<std::uint32_t> line{0};
  } last_;
  std::atomic<int> awaited_{-1};
  std::optional<Clock::time_point> suspected_;  // when messages first did not fit
};

}  // namespace pilum::scheduler
