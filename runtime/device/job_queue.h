// Jobs in order of submission, and their chunks handed out one by one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "runtime/device/chunk_dealer.h"
#include "runtime/device/host_lane.h"
#include "runtime/device/spin_lock.h"

namespace pilum::device {

// A submitted job and how far it is. One cache line (and the dealer's slices, if there are several chunks): to take a
// job over costs a core a transfer of it.
struct alignas(64) QueuedJob {
  explicit QueuedJob(int participants) : dealer(participants) {}
  std::shared_ptr<Job> job;
  QueuedJob* next = nullptr;  // in the queue, or in the list of spare ones
  ChunkDealer dealer;
  std::atomic<std::int64_t> unfinished{0};  // chunks
  std::atomic<int> references{0};           // one until it is finished, one a thread that may still take chunks
  std::atomic<bool> failed{false};
};

// A chunk that the holder must run. `sharing`: the holder may take more chunks of this job, and must leave() it.
struct Claim {
  QueuedJob* job = nullptr;
  std::int64_t chunk = 0;
  bool sharing = false;
  explicit operator bool() const { return job != nullptr; }
};

// Thread-safe. The lock is taken once for each job and each thread that joins it; the chunks after the first come from
// the job's dealer. Owns the jobs until retire(). Each caller of claim says which participant it is; several may be the
// same.
class JobQueue {
 public:
  explicit JobQueue(int participants) : participants_(participants) {}
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;
  ~JobQueue();  // all jobs are finished

  // The number of its chunks.
  std::int64_t push(std::shared_ptr<Job> job);
  // A chunk of the first job that has one. `share`: the caller wants to go on with the job.
  [[nodiscard]] Claim claim(int participant, bool share);
  // Another chunk of a claim that is sharing; false, and it is left, when there is none.
  [[nodiscard]] bool claim_more(int participant, Claim& claim);
  // `count` chunks have run; true for whom they were the last ones: it calls done() and then retire().
  [[nodiscard]] bool complete(QueuedJob& job, std::int64_t count);
  void retire(QueuedJob& job);

  // True when no job has a chunk left to start.
  bool empty() const { return open_.load(std::memory_order_seq_cst) == 0; }
  // Jobs pushed and not yet retired.
  std::int64_t unfinished() const { return unfinished_.load(std::memory_order_acquire); }
  // Threads that watch empty(), ready to claim. Kept here because they share a cache line with what they watch.
  void watch() { watchers_.fetch_add(1, std::memory_order_seq_cst); }
  void unwatch() { watchers_.fetch_sub(1, std::memory_order_seq_cst); }
  int watchers() const { return watchers_.load(std::memory_order_seq_cst); }

 private:
  QueuedJob* make(std::shared_ptr<Job> job);
  void leave(QueuedJob& job);
  void drop_started() PILUM_REQUIRES(lock_);

  const int participants_;
  alignas(64) std::atomic<std::int64_t> open_{0};  // jobs in the queue
  std::atomic<int> watchers_{0};
  SpinLock lock_;
  QueuedJob* first_ PILUM_GUARDED_BY(lock_) = nullptr;
  QueuedJob* last_ PILUM_GUARDED_BY(lock_) = nullptr;
  alignas(64) std::atomic<std::int64_t> unfinished_{0};
  SpinLock spare_lock_;
  QueuedJob* spare_ PILUM_GUARDED_BY(spare_lock_) = nullptr;
};

}  // namespace pilum::device
