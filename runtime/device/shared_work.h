// Work that a chunk of a job shares with the threads of its lane that are idle meanwhile.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/device/host_lane.h"

namespace pilum::device {

// While it lives, what this thread shares goes to that lane; null: to nobody. Scopes nest.
class SharingScope {
 public:
  explicit SharingScope(HostLane* lane) noexcept;
  SharingScope(const SharingScope&) = delete;
  SharingScope& operator=(const SharingScope&) = delete;
  ~SharingScope();

 private:
  HostLane* const outer_;
};

// Threads that may take part in what this one shares, itself included. 1 outside of a lane's work, and inside of work
// that is shared already.
[[nodiscard]] int sharing_threads() noexcept;

// Calls work(part) for 0 <= part < parts, each once, on this thread and on those of its lane that come meanwhile;
// returns when all are done, and all that they wrote is seen. It waits for nobody who has not begun, so it ends however
// busy the lane is. Throws what a part has thrown first; the others run nevertheless.
void share_work(std::int64_t parts, const std::function<void(std::int64_t part)>& work);

}  // namespace pilum::device
