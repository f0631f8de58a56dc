// Which work is worth giving to another thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace pilum::scheduler {

// Learns how long work waits for a worker when it is handed over (some hundred nanoseconds to one that spins, many
// microseconds to one that sleeps), and compares that with how long the work will take. Thread-safe.
class HandOffCost {
 public:
  using Clock = std::chrono::steady_clock;

  // Of the memory that the work moves; caches are faster, so that work is rather over- than underestimated.
  void set_bandwidth(double bytes_per_second) { seconds_per_byte_ = 1 / bytes_per_second; }

  void learn(Clock::duration waited) {
    const double seconds = std::chrono::duration<double>(waited).count();
    const double before = seconds_.load(std::memory_order_relaxed);
    seconds_.store(std::clamp(before + (seconds - before) / 8, kMinSeconds, kMaxSeconds), std::memory_order_relaxed);
  }
  double seconds() const { return seconds_.load(std::memory_order_relaxed); }

  // Work of `items` instructions that touch so many bytes.
  bool is_worth(std::int64_t bytes, std::int64_t items) const {
    constexpr double kItem = 100e-9;
    return static_cast<double>(bytes) * seconds_per_byte_ + static_cast<double>(items) * kItem > seconds();
  }

 private:
  static constexpr double kMinSeconds = 0.2e-6, kMaxSeconds = 20e-6;
  double seconds_per_byte_ = 1 / 20e9;
  std::atomic<double> seconds_{2e-6};
};

}  // namespace pilum::scheduler
