// A lane without hardware: writes down what would be run.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "runtime/base/mutex.h"
#include "runtime/device/host_lane.h"

namespace pilum::device {

// Runs no chunk. A submitted job is recorded and done at once: done() is called before submit() returns, or, for jobs
// submitted from inside done(), before the outermost submit() returns, in order. Exceptions out of done() leave
// submit(). Thread-safe; what a thread submits while another one is at it may be done by the other.
class NullLane final : public HostLane {
 public:
  struct Record {
    std::string label;
    std::int64_t chunks = 0;
    bool operator==(const Record&) const = default;
  };

  void submit(std::shared_ptr<Job> job) override;
  void submit_to_worker(std::shared_ptr<Job> job) override { submit(std::move(job)); }
  bool help() override { return false; }
  bool idle() const override { return true; }
  int workers() const override { return 0; }
  void wake() override {}
  bool all_asleep() const override { return false; }

  std::vector<Record> records() const;
  // How many jobs had this label.
  int count(const std::string& label) const;

 private:
  mutable Mutex mutex_;
  std::vector<Record> records_ PILUM_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<Job>> waiting_ PILUM_GUARDED_BY(mutex_);
  bool finishing_ PILUM_GUARDED_BY(mutex_) = false;
};

}  // namespace pilum::device
