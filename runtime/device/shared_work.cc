#include "runtime/device/shared_work.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "runtime/device/spin_lock.h"

namespace pilum::device {
namespace {

thread_local HostLane* sharing_lane = nullptr;

// Each chunk is an invitation: who comes takes parts as long as there are any. An invitation that is answered late,
// when the call is over, finds none, so it may outlive what the work refers to.
class SharedJob final : public Job {
 public:
  SharedJob(std::int64_t parts, std::int64_t invitations, const std::function<void(std::int64_t)>& work)
      : parts_(parts), invitations_(invitations), work_(work) {}

  std::int64_t chunks() const override { return invitations_; }
  void run(std::int64_t) override { take_part(); }
  void done() override {}
  std::string label() const override { return "shared work"; }

  void take_part() {
    const SharingScope alone(nullptr);
    for (std::int64_t part; (part = next_.fetch_add(1, std::memory_order_relaxed)) < parts_;) {
      try {
        work_(part);
      } catch (...) {
        if (!thrown_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
      }
      finished_.fetch_add(1, std::memory_order_release);
    }
  }

  // Spins, then yields: who is waited for may need this core.
  void wait() const {
    constexpr int kSpins = 2000;
    for (int looks = 0; finished_.load(std::memory_order_acquire) < parts_; ++looks) {
      if (looks < kSpins) {
        pause_core();
      } else {
        sched_yield();
      }
    }
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const std::int64_t parts_, invitations_;
  const std::function<void(std::int64_t)>& work_;  // of the caller: whoever has a part is waited for
  std::atomic<std::int64_t> next_{0}, finished_{0};
  std::atomic<bool> thrown_{false};
  std::exception_ptr error_;
};

}  // namespace

SharingScope::SharingScope(HostLane* lane) noexcept : outer_(std::exchange(sharing_lane, lane)) {}

SharingScope::~SharingScope() {
  sharing_lane = outer_;
}

int sharing_threads() noexcept {
  return sharing_lane ? sharing_lane->workers() + 1 : 1;
}

void share_work(std::int64_t parts, const std::function<void(std::int64_t part)>& work) {
  const std::int64_t others = std::min<std::int64_t>(parts, sharing_threads()) - 1;
  const auto job = std::make_shared<SharedJob>(parts, others, work);
  if (others > 0) sharing_lane->submit(job);
  job->take_part();
  job->wait();
}

}  // namespace pilum::device
