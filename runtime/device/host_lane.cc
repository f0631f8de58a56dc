#include "runtime/device/host_lane.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <system_error>
#include <thread>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "runtime/device/job_queue.h"
#include "runtime/device/parking.h"

namespace pilum::device {
namespace {

using Clock = std::chrono::steady_clock;

thread_local int worker_number = -1;
thread_local const void* worker_lane = nullptr;

// How long a worker spins before it sleeps: as long as its idle times have been short.
class SpinBudget {
 public:
  explicit SpinBudget(Clock::duration most) : most_(most), now_(most) {}
  Clock::duration get() const { return now_; }
  void learn(Clock::duration idle) { now_ = idle <= most_ ? most_ : std::max(now_ / 2, most_ / 32); }

 private:
  Clock::duration most_;
  Clock::duration now_;
};

// Spinning helps only if every worker has a core for itself.
bool have_own_cores(const std::vector<int>& cores) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  const std::set<int> distinct(cores.begin(), cores.end());
  return distinct.size() == cores.size() && static_cast<int>(cores.size()) <= CPU_COUNT(&allowed);
}

void pin_this_thread(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  int error = EINVAL;
  if (core >= 0 && core < CPU_SETSIZE) {
    CPU_SET(static_cast<std::size_t>(core), &only);
    error = pthread_setaffinity_np(pthread_self(), sizeof only, &only);
  }
  if (error != 0) log("device").debug("worker {} is not pinned to core {}: error {}", worker_number, core, error);
}

class ThreadedHostLane final : public HostLane {
 public:
  explicit ThreadedHostLane(HostLaneOptions options);
  ~ThreadedHostLane() override;
  void submit(std::shared_ptr<Job> job) override;
  void submit_to_worker(std::shared_ptr<Job> job) override;
  bool help() override;
  bool idle() const override { return nothing_to_start(); }
  int workers() const override { return static_cast<int>(options_.worker_cores.size()); }
  void wake() override { parking_.wake(1); }
  bool all_asleep() const override { return workers() > 0 && parking_.sleepers() == workers(); }

 private:
  bool nothing_to_start() const { return queue_.empty() && calls_.empty(); }
  void work(int number);
  void stop();
  bool answer_call();
  // Workers by number, then everybody else as one.
  int this_player() const { return worker_lane == this ? worker_number : workers(); }
  void run_jobs(int number);
  bool wait_for_work(int number, Clock::duration spin_budget);
  bool spin(Clock::duration spin_budget);
  bool ask_when_idle();
  void call_workers(std::int64_t wanted);
  void run(QueuedJob& job, std::int64_t chunk);
  void complete(QueuedJob& job, std::int64_t chunks, JobQueue& queue);
  void report(QueuedJob& job);
  void report_error(std::exception_ptr error);

  const HostLaneOptions options_;
  const Clock::duration spin_budget_;
  JobQueue queue_;
  JobQueue calls_;  // for workers alone
  Parking parking_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

ThreadedHostLane::ThreadedHostLane(HostLaneOptions options)
    : options_(std::move(options)),
      spin_budget_(std::chrono::microseconds(have_own_cores(options_.worker_cores) ? options_.spin_microseconds : 0)),
      queue_(workers() + 1),
      calls_(1),
      parking_(workers()) {
  // Signals are for the threads that the user knows.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::string failure;
  try {
    for (int number = 0; number < workers(); ++number) threads_.emplace_back([this, number] { work(number); });
  } catch (const std::system_error& error) {
    failure = error.code().message();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure.empty()) return;
  const std::size_t started = threads_.size();
  stop();
  throw RuntimeError(
      fmt::format("[Runtime] of {} threads for this rank's cores {} could be started: {}. Raise the limit of "
                  "processes and threads (ulimit -u, or the container's pids limit) or of address space "
                  "(ulimit -v), or take fewer cores (--cpus, PILUM_CPUS)",
                  workers(), started, failure));
}

ThreadedHostLane::~ThreadedHostLane() {
  while (queue_.unfinished() > 0 || calls_.unfinished() > 0) {
    if (!help()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  stop();
}

void ThreadedHostLane::stop() {
  stopping_.store(true, std::memory_order_release);
  parking_.wake(workers());
  for (std::thread& thread : threads_) thread.join();
}

void ThreadedHostLane::submit(std::shared_ptr<Job> job) {
  call_workers(queue_.push(std::move(job)));
}

void ThreadedHostLane::submit_to_worker(std::shared_ptr<Job> job) {
  PILUM_CHECK(workers() > 0, "a job for a worker of a lane that has none");
  call_workers(calls_.push(std::move(job)));
}

bool ThreadedHostLane::answer_call() {
  const Claim claim = calls_.claim(0, /*share=*/false);
  if (!claim) return false;
  run(*claim.job, claim.chunk);
  complete(*claim.job, 1, calls_);
  return true;
}

bool ThreadedHostLane::help() {
  const Claim claim = queue_.claim(this_player(), /*share=*/false);
  if (!claim) return false;
  run(*claim.job, claim.chunk);
  complete(*claim.job, 1, queue_);
  return true;
}

// Sleepers are woken for what those who look out cannot take; each that wakes wakes others in turn, so that nobody pays
// for all of them.
void ThreadedHostLane::call_workers(std::int64_t wanted) {
  constexpr std::int64_t kMaxWokenByOne = 2;
  wanted -= queue_.watchers();
  if (wanted > 0) parking_.wake(static_cast<int>(std::min(wanted, kMaxWokenByOne)));
}

void ThreadedHostLane::work(int number) {
  worker_number = number;
  worker_lane = this;
  pthread_setname_np(pthread_self(), ("pilum-" + std::to_string(number)).c_str());
  pin_this_thread(options_.worker_cores[static_cast<std::size_t>(number)]);
  SpinBudget spin_budget(spin_budget_);
  while (true) {
    run_jobs(number);
    const Clock::time_point idle_since = Clock::now();
    if (!wait_for_work(number, spin_budget.get())) return;
    spin_budget.learn(Clock::now() - idle_since);
  }
}

void ThreadedHostLane::run_jobs(int number) {
  while (answer_call()) {
  }
  bool first = true;
  while (Claim claim = queue_.claim(number, /*share=*/true)) {
    // We were idle, and may have been counted on by several who submitted.
    if (first && !queue_.empty()) call_workers(1);
    first = false;
    std::int64_t chunks = 0;
    do {
      run(*claim.job, claim.chunk);
      ++chunks;
    } while (claim.sharing && queue_.claim_more(number, claim));
    complete(*claim.job, chunks, queue_);
    while (answer_call()) {
    }
  }
}

// False when the lane stops.
bool ThreadedHostLane::wait_for_work(int number, Clock::duration spin_budget) {
  while (!stopping_.load(std::memory_order_acquire)) {
    if (ask_when_idle() || spin(spin_budget)) return true;
    parking_.prepare(number);
    if (stopping_.load(std::memory_order_acquire) || !nothing_to_start() || ask_when_idle()) {
      parking_.cancel(number);
      return true;
    }
    parking_.sleep(number);
    if (!nothing_to_start()) return true;
  }
  return false;
}

bool ThreadedHostLane::spin(Clock::duration spin_budget) {
  constexpr int kLooksBetweenClocks = 16;
  if (spin_budget.count() == 0) return !nothing_to_start();
  queue_.watch();
  const Clock::time_point deadline = Clock::now() + spin_budget;
  do {
    for (int look = 0; look < kLooksBetweenClocks && nothing_to_start(); ++look) pause_core();
  } while (nothing_to_start() && !stopping_.load(std::memory_order_relaxed) && Clock::now() < deadline);
  queue_.unwatch();
  return !nothing_to_start();
}

bool ThreadedHostLane::ask_when_idle() {
  if (!options_.when_idle) return false;
  try {
    return options_.when_idle();
  } catch (...) {
    report_error(std::current_exception());
    return false;
  }
}

void ThreadedHostLane::run(QueuedJob& job, std::int64_t chunk) {
  try {
    job.job->run(chunk);
  } catch (...) {
    report(job);
  }
}

void ThreadedHostLane::complete(QueuedJob& job, std::int64_t chunks, JobQueue& queue) {
  if (!queue.complete(job, chunks)) return;
  try {
    job.job->done();
  } catch (...) {
    report(job);
  }
  queue.retire(job);
}

void ThreadedHostLane::report(QueuedJob& job) {
  if (!job.failed.exchange(true, std::memory_order_relaxed)) report_error(std::current_exception());
}

void ThreadedHostLane::report_error(std::exception_ptr error) {
  PILUM_CHECK(options_.on_error, "a job threw, and the lane has no on_error");
  options_.on_error(std::move(error));
}

}  // namespace

int current_worker() noexcept {
  return worker_number;
}

std::unique_ptr<HostLane> make_host_lane(HostLaneOptions options) {
  return std::make_unique<ThreadedHostLane>(std::move(options));
}

}  // namespace pilum::device
