// Which work is worth giving to another thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace pilum::scheduler {

// Compares how long work will take with how long it waits for a worker when it is handed over: some hundred nanoseconds
// for one that spins, which is learnt, and many microseconds for one that sleeps. A sleeper is woken once the work that
// it could have had meanwhile has come to as much: whatever follows, at most half of the time is lost. Thread-safe.
class HandOffCost {
 public:
  using Clock = std::chrono::steady_clock;

  // Of the memory that the work moves; caches are faster, so that work is rather over- than underestimated.
  void set_bandwidth(double bytes_per_second) { seconds_per_byte_ = 1 / bytes_per_second; }

  // How long a worker took that did not sleep.
  void learn(Clock::duration waited) {
    const double seconds = std::chrono::duration<double>(waited).count();
    const double before = seconds_.load(std::memory_order_relaxed);
    seconds_.store(std::clamp(before + (seconds - before) / 8, kMinSeconds, kMaxSeconds), std::memory_order_relaxed);
  }
  double seconds() const { return seconds_.load(std::memory_order_relaxed); }

  // Work of `items` instructions that touch so many bytes. `asleep`: who would take it sleeps; then what is not worth
  // it counts for the next time.
  bool is_worth(std::int64_t bytes, std::int64_t items, bool asleep) {
    const double work = seconds_of(bytes, items);
    if (!asleep) return work > seconds();
    const double kept = kept_.load(std::memory_order_relaxed) + work;
    const bool wakes = kept > kWakeSeconds;
    kept_.store(wakes ? 0 : kept, std::memory_order_relaxed);
    return wakes;
  }

  // How many threads to give it to, where it is worth one. Each is told, one after the other, and takes an even share:
  // so many that a share takes as long as it takes to tell them all.
  int threads_for(std::int64_t bytes, std::int64_t items, bool asleep) const {
    const double of_one = asleep ? kTellSeconds : seconds() / 4;
    return static_cast<int>(std::clamp(std::sqrt(seconds_of(bytes, items) / of_one), 1.0, 1e6));
  }

 private:
  double seconds_of(std::int64_t bytes, std::int64_t items) const {
    constexpr double kItem = 100e-9;
    return static_cast<double>(bytes) * seconds_per_byte_ + static_cast<double>(items) * kItem;
  }

  static constexpr double kMinSeconds = 0.2e-6, kMaxSeconds = 20e-6, kWakeSeconds = 50e-6, kTellSeconds = 5e-6;
  double seconds_per_byte_ = 1 / 20e9;
  std::atomic<double> seconds_{2e-6};
  std::atomic<double> kept_{0};  // work that sleepers were not woken for, of late
};

}  // namespace pilum::scheduler
