// What ran when, on what.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/profile/busy_clock.h"
#include "runtime/profile/counters.h"

namespace pilum::profile {

// Something that took time on a lane. Times are nanoseconds of the machine's steady clock, the same for all ranks of a
// node, so that their timelines can be laid side by side.
struct Span {
  std::string name;           // "stencil", "send to 3"
  const char* category = "";  // "kernel", "copy", "message", "analysis", …: a literal
  int lane = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

inline std::int64_t now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// One rank's timeline and counters. Off, a span costs a test of a constant; on, about 0.1 µs. Thread-safe; readers come
// after the writers. Keeps at most `most_spans`, then counts what it drops.
class Recorder {
 public:
  static constexpr std::int64_t kMaxSpans = 4'000'000;

  explicit Recorder(bool on, std::int64_t most_spans = kMaxSpans) : on_(on), most_spans_(most_spans) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  bool on() const noexcept { return on_; }
  Counters counters;
  BusyClock busy;  // of the rank's processors

  void add(Span span);
  // Shown beside the lane's number; the last one counts.
  void name_lane(int lane, std::string name);

  std::vector<Span> spans() const;  // by start
  std::vector<std::pair<int, std::string>> lane_names() const;
  std::int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  static constexpr int kShards = 16;
  struct alignas(64) Shard {  // threads keep to different ones, so they seldom meet
    mutable std::mutex mutex;
    std::vector<Span> spans;
  };
  Shard& this_threads_shard();

  const bool on_;
  const std::int64_t most_spans_;
  std::atomic<std::int64_t> kept_{0};
  std::atomic<std::int64_t> dropped_{0};
  std::array<Shard, kShards> shards_;
  mutable std::mutex names_mutex_;
  std::vector<std::pair<int, std::string>> lane_names_;
};

// A span from here to the end of the scope. The name is made only when the recorder is on:
//   const ScopedSpan span(recorder, "kernel", lane, [&] { return task.name(); });
class ScopedSpan {
 public:
  template <class MakeName>
  ScopedSpan(Recorder& recorder, const char* category, int lane, MakeName make_name) : recorder_(recorder) {
    if (!recorder_.on()) return;
    span_ = {make_name(), category, lane, now(), 0};
  }
  ScopedSpan(const ScopedSpan&) = delete;
  ScopedSpan& operator=(const ScopedSpan&) = delete;
  ~ScopedSpan() {
    if (!recorder_.on()) return;
    span_.end = now();
    recorder_.add(std::move(span_));
  }

 private:
  Recorder& recorder_;
  Span span_;
};

}  // namespace pilum::profile
