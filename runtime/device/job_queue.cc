#include "runtime/device/job_queue.h"

#include <utility>

#include "runtime/base/check.h"
#include "runtime/base/mutex.h"

namespace pilum::device {

JobQueue::~JobQueue() {
  PILUM_CHECK(unfinished() == 0, "{} jobs are left", unfinished());
  while (QueuedJob* job = spare_) {
    spare_ = job->next;
    delete job;
  }
}

QueuedJob* JobQueue::make(std::shared_ptr<Job> job) {
  QueuedJob* made = nullptr;
  {
    const ScopedLock lock(spare_lock_);
    made = spare_;
    if (made) spare_ = made->next;
  }
  if (!made) made = new QueuedJob(participants_);
  made->dealer.reset(job->chunks());
  made->job = std::move(job);
  made->next = nullptr;
  made->failed.store(false, std::memory_order_relaxed);
  made->unfinished.store(made->dealer.chunks(), std::memory_order_relaxed);
  made->references.store(1, std::memory_order_relaxed);
  return made;
}

std::int64_t JobQueue::push(std::shared_ptr<Job> job) {
  QueuedJob* made = make(std::move(job));
  const std::int64_t chunks = made->dealer.chunks();
  unfinished_.fetch_add(1, std::memory_order_relaxed);
  const ScopedLock lock(lock_);
  (last_ ? last_->next : first_) = made;
  last_ = made;
  open_.fetch_add(1, std::memory_order_seq_cst);
  return chunks;
}

// A job leaves the queue with its last chunk, before that chunk runs.
void JobQueue::drop_started() {
  while (first_ && first_->dealer.exhausted()) {
    first_ = first_->next;
    if (!first_) last_ = nullptr;
    open_.fetch_sub(1, std::memory_order_seq_cst);
  }
}

Claim JobQueue::claim(int participant, bool share) {
  if (empty()) return {};
  const ScopedLock lock(lock_);
  for (drop_started(); first_; drop_started()) {
    QueuedJob& job = *first_;
    const std::int64_t chunk = job.dealer.take(participant);
    if (chunk == ChunkDealer::kNone) continue;  // a sharing thread was faster
    const bool more = !job.dealer.exhausted();
    if (!more) drop_started();
    const bool sharing = share && more;
    if (sharing) job.references.fetch_add(1, std::memory_order_relaxed);
    return {&job, chunk, sharing};
  }
  return {};
}

bool JobQueue::claim_more(int participant, Claim& claim) {
  QueuedJob& job = *claim.job;
  const std::int64_t chunk = job.dealer.take(participant);
  if (chunk == ChunkDealer::kNone) {
    leave(job);
    return false;
  }
  claim.chunk = chunk;
  if (job.dealer.exhausted()) {
    const ScopedLock lock(lock_);
    drop_started();
  }
  return true;
}

bool JobQueue::complete(QueuedJob& job, std::int64_t count) {
  return job.unfinished.fetch_sub(count, std::memory_order_acq_rel) == count;
}

void JobQueue::retire(QueuedJob& job) {
  job.job.reset();
  leave(job);
  unfinished_.fetch_sub(1, std::memory_order_acq_rel);
}

void JobQueue::leave(QueuedJob& job) {
  if (job.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const ScopedLock lock(spare_lock_);
  job.next = spare_;
  spare_ = &job;
}

}  // namespace pilum::device
