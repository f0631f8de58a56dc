// How much of everything a rank did.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace pilum::profile {

// A number that any thread may add to. Orders nothing.
class Counter {
 public:
  void add(std::int64_t amount = 1) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
  // The same of what one thread alone counts, and so without locking a line of the cache.
  void add_alone() noexcept { value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  // The largest value offered stays.
  void raise_to(std::int64_t value) noexcept {
    std::int64_t seen = value_.load(std::memory_order_relaxed);
    while (seen < value && !value_.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }
  std::int64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Always counted, profile or not. A new one also goes into for_each, from which every listing is made.
struct Counters {
  Counter operations;  // recorded
  Counter windows;     // cut
  Counter tasks;       // made of operations
  Counter plans;       // made; the other windows found theirs in the cache
  Counter plan_hits;
  Counter instructions;
  Counter dependences;  // dependences between instructions
  Counter launches;     // of kernels, a piece each
  Counter graphs;       // plans that GPUs got as one
  Counter wavefronts;   // plans whose launches ran strip by strip
  Counter allocations;
  Counter bytes_allocated;
  Counter peak_bytes;  // of array memory, at once
  Counter copies;      // inside the rank
  Counter bytes_copied;
  Counter messages_sent;
  Counter bytes_sent;
  Counter messages_received;
  Counter bytes_received;

  // function("launches", number) for each, in the order above.
  template <class Function>
  void for_each(Function function) const {
    function("operations", operations.get());
    function("windows", windows.get());
    function("tasks", tasks.get());
    function("plans", plans.get());
    function("plan hits", plan_hits.get());
    function("instructions", instructions.get());
    function("dependences", dependences.get());
    function("launches", launches.get());
    function("GPU graphs", graphs.get());
    function("wavefronts", wavefronts.get());
    function("allocations", allocations.get());
    function("bytes allocated", bytes_allocated.get());
    function("peak bytes", peak_bytes.get());
    function("copies", copies.get());
    function("bytes copied", bytes_copied.get());
    function("messages sent", messages_sent.get());
    function("bytes sent", bytes_sent.get());
    function("messages received", messages_received.get());
    function("bytes received", bytes_received.get());
  }
};

// "operations 12, windows 3, …"; zeros are left out. "nothing" when all are.
std::string to_string(const Counters& counters);

}  // namespace pilum::profile
