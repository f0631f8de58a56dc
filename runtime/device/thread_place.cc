#include "runtime/device/thread_place.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

namespace pilum::device {
namespace {

constexpr std::chrono::milliseconds kBetweenMoves{1};

}  // namespace

void ThreadPlace::look() {
  if (workers_.empty() || own_ < 0 || own_ >= CPU_SETSIZE) return;
  if (std::find(workers_.begin(), workers_.end(), sched_getcpu()) == workers_.end()) return;
  const Clock::time_point now = Clock::now();
  if (now < next_move_) return;
  next_move_ = now + kBetweenMoves;
  cpu_set_t allowed, only;
  const auto core = static_cast<std::size_t>(own_);
  if (pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) != 0 || !CPU_ISSET(core, &allowed)) return;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  if (pthread_setaffinity_np(pthread_self(), sizeof only, &only) != 0) return;
  static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed));
}

}  // namespace pilum::device
