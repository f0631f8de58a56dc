#include "runtime/device/null_lane.h"

#include <algorithm>

namespace pilum::device {

void NullLane::submit(std::shared_ptr<Job> job) {
  ScopedLock lock(mutex_);
  records_.push_back({job->label(), job->chunks()});
  waiting_.push_back(std::move(job));
  if (finishing_) return;
  finishing_ = true;
  std::exception_ptr error;
  while (!waiting_.empty()) {
    const std::shared_ptr<Job> next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    try {
      next->done();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
  }
  finishing_ = false;
  lock.unlock();
  if (error) std::rethrow_exception(error);
}

std::vector<NullLane::Record> NullLane::records() const {
  const ScopedLock lock(mutex_);
  return records_;
}

int NullLane::count(const std::string& label) const {
  const ScopedLock lock(mutex_);
  return static_cast<int>(
      std::count_if(records_.begin(), records_.end(), [&](const Record& record) { return record.label == label; }));
}

}  // namespace pilum::device
