// Sees to it that all ranks record the same calls, and leave together.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <source_location>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/comm/tree.h"
#include "scheduler/executor.h"
#include "scheduler/operation.h"

namespace pilum::scheduler {

// Each call is hashed, with its numbers, into a running hash. Every kCheckCalls calls, and every half second of
// waiting, a rank tells its parent in a tree of ranks how far it is and its hash there; the parent compares with its
// own at that call. Where they differ, the two look for the first differing call by bisection, and the run fails with
// both source lines. What all have agreed on flows down the tree and is forgotten; calls beyond it are kept in a
// bounded ring, and recording waits when it is full. Leaving goes the same way: up when a rank and all below it are
// done, then down. The recording thread's; messages go over the communicator's control channel, under the executor's
// communication lock.
class Watch {
 public:
  explicit Watch(Executor& executor);

  void recorded(const Operation& operation);
  // A call that is no operation: a value asked for, the end.
  void called(const char* name, std::source_location where);
  // Handles what peers sent, and tells them where this rank waits. Called while waiting; cheap when called too often.
  void look();
  // Returns when every rank has called it. Throws when one has not, and never will.
  void leave();

 private:
  struct Call {
    std::uint64_t hash = 0;  // of all calls up to this one
    const char* name = "";
    const char* file = "";
    std::uint32_t line = 0;
  };
  enum class Kind : std::uint32_t { Check, Agreed, AskHash, HashAt, AskCall, CallAt, Leave, Bye };
  struct Message {
    Kind kind = Kind::Check;
    std::int64_t count = 0;
    std::uint64_t hash = 0;
    char text[256] = {};
  };
  struct Report {  // what a child says of its subtree
    std::int64_t count = 0;
    std::uint64_t hash = 0;
    bool left = false;
    std::int64_t same = 0;  // calls known to be this rank's too
  };
  struct Search {  // for the first differing call, between this rank and a child: calls up to `same` agree
    int child = 0;
    std::int64_t same = 0, different = 0;
  };

  void add(std::uint64_t hash, const char* name, std::source_location where);
  void check_point();
  void send(int to, const Message& message);
  void handle(int from, const Message& message);
  void compare(int child, Report& report);
  void compare_all();
  void continue_search();
  void agree(std::int64_t count);
  void report_up();
  std::uint64_t hash_at(std::int64_t count) const;  // of the first `count` calls, count > agreed_
  std::string describe(std::int64_t number) const;

  static constexpr std::int64_t kCheckCalls = 1024;
  static constexpr std::int64_t kRing = 64 * kCheckCalls;

  Executor& executor_;
  comm::TreePlace place_;
  bool alone_;
  std::int64_t agreed_ = 0;  // calls all ranks are known to share
  std::uint64_t agreed_hash_ = 0;
  std::deque<Call> calls_;  // those after
  std::uint64_t hash_ = 0;  // of all
  std::unordered_map<int, Report> children_;
  std::optional<Search> search_;
  bool leaving_ = false, bye_ = false, told_leave_ = false;
  std::int64_t told_ = 0;  // the count last told to the parent
  std::chrono::steady_clock::time_point next_look_{}, next_tell_{};
};

}  // namespace pilum::scheduler
