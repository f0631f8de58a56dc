// One Runtime a process, and none in a process forked from it.
#pragma once

#include <atomic>
#include <thread>

namespace pilum::numeric {

// The place that a Runtime has in its process while it lives. Throws pilum::RuntimeError where there is none.
class RuntimeGuard {
 public:
  RuntimeGuard();
  ~RuntimeGuard();
  RuntimeGuard(const RuntimeGuard&) = delete;
  RuntimeGuard& operator=(const RuntimeGuard&) = delete;
};

// True in a process that was forked while a Runtime lived: that is the parent's, with its threads and its connections.
// There this thread's recorder has been exchanged for one that refuses, at no cost to the parent.
[[nodiscard]] bool is_forked_child() noexcept;
// Throws pilum::RuntimeError in such a process.
void refuse_in_forked_child(const char* operation);

}  // namespace pilum::numeric
