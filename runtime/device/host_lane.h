// Worker threads of one CPU processor, sharing launches in chunks.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pilum::device {

// Work cut into chunks that any thread may run, each once, in any order.
class Job {
 public:
  virtual ~Job() = default;
  virtual std::int64_t chunks() const = 0;  // >= 1
  virtual void run(std::int64_t chunk) = 0;
  // Called once, by the thread that ran the last chunk, outside the lane's locks.
  virtual void done() = 0;
  // For records and traces.
  virtual std::string label() const { return ""; }
};

// Runs jobs on pinned worker threads and on whoever calls help(). Jobs start in the order of submission; a job may
// start before an earlier one is done. All calls are thread-safe, and allowed from inside run() and done(). Exceptions
// out of a job go to the handler given at construction, once a job; the job then still counts its chunks down.
// The destructor finishes what was submitted, also by done() meanwhile, then joins the workers.
class HostLane {
 public:
  virtual ~HostLane() = default;
  virtual void submit(std::shared_ptr<Job> job) = 0;
  // For a worker alone: help() leaves it. There are workers.
  virtual void submit_to_worker(std::shared_ptr<Job> job) = 0;
  // Runs one chunk on the calling thread; false when there was none.
  virtual bool help() = 0;
  // True when no submitted job has a chunk left to start.
  virtual bool idle() const = 0;
  virtual int workers() const = 0;
  // One sleeping worker looks again, at when_idle too; for work that is not a job. Nothing when none sleeps.
  virtual void wake() = 0;
  // A glance: there are workers, and all of them sleep.
  virtual bool all_asleep() const = 0;
};

// The number of the worker that calls this, 0 <= number < workers(); -1 on every other thread.
[[nodiscard]] int current_worker() noexcept;

struct HostLaneOptions {
  std::vector<int> worker_cores;                     // one pinned worker a core (OS numbers); may be empty
  std::function<bool()> when_idle;                   // called by idle workers before they sleep, by several at
                                                     // once; true: look again
  std::function<void(std::exception_ptr)> on_error;  // needed if a job or when_idle may throw
  int spin_microseconds = 200;                       // idle workers look out that long at most before they sleep;
                                                     // 0 where others need the cores (ranks that share them)
};

[[nodiscard]] std::unique_ptr<HostLane> make_host_lane(HostLaneOptions options);

}  // namespace pilum::device
