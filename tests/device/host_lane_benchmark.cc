// What handing over work costs. Prints medians over rounds; compare ratios, interleave what you compare.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "runtime/device/host_lane.h"

namespace {

using Clock = std::chrono::steady_clock;
using pilum::device::HostLane;
using pilum::device::Job;

double ns_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

struct Figures {
  std::vector<double> values;
  void print(const char* name) {
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) {
      return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
    };
    std::printf("%-52s %9.0f ns   (10%% %.0f, 90%% %.0f)\n", name, at(0.5), at(0.1), at(0.9));
  }
};

class Probe final : public Job {
 public:
  explicit Probe(std::int64_t chunks) : chunks_(chunks) {}
  std::int64_t chunks() const override { return chunks_; }
  void run(std::int64_t) override {
    if (started.load(std::memory_order_relaxed) == 0)
      started.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  void done() override { finished.store(true, std::memory_order_release); }
  std::atomic<std::int64_t> started{0};
  std::atomic<bool> finished{false};

 private:
  std::int64_t chunks_;
};

class Counted final : public Job {
 public:
  Counted(std::int64_t chunks, std::atomic<int>& left) : chunks_(chunks), left_(left) {}
  std::int64_t chunks() const override { return chunks_; }
  void run(std::int64_t) override {}
  void done() override { left_.fetch_sub(1, std::memory_order_release); }

 private:
  std::int64_t chunks_;
  std::atomic<int>& left_;
};

std::unique_ptr<HostLane> make_lane(int first_core, int workers) {
  pilum::device::HostLaneOptions options;
  for (int i = 0; i < workers; ++i) options.worker_cores.push_back(first_core + i);
  return make_host_lane(std::move(options));
}

// The time until a worker runs the chunk, and until submit() has returned.
void start_latency(int first_core, int workers, std::chrono::microseconds pause, const char* name) {
  const auto lane = make_lane(first_core, workers);
  Figures start, submit;
  for (int i = 0; i < 3000; ++i) {
    const auto job = std::make_shared<Probe>(1);
    for (const auto until = Clock::now() + pause; Clock::now() < until;) {
    }
    const auto begin = Clock::now();
    lane->submit(job);
    submit.values.push_back(ns_since(begin));
    while (!job->finished.load(std::memory_order_acquire)) {
    }
    start.values.push_back(static_cast<double>(job->started.load() - begin.time_since_epoch().count()));
  }
  start.print(name);
  submit.print("    of which submit()");
}

// Submit, then help until it is done: what a recording thread that waits does.
void round_trip(int first_core, int workers, std::int64_t chunks, const char* name) {
  const auto lane = make_lane(first_core, workers);
  Figures trip;
  for (int i = 0; i < 20000; ++i) {
    const auto job = std::make_shared<Probe>(chunks);
    const auto begin = Clock::now();
    lane->submit(job);
    while (!job->finished.load(std::memory_order_acquire)) lane->help();
    trip.values.push_back(ns_since(begin));
  }
  trip.print(name);
}

void throughput(int first_core, int workers, std::int64_t chunks, const char* name) {
  const auto lane = make_lane(first_core, workers);
  Figures each;
  for (int round = 0; round < 40; ++round) {
    constexpr int kJobs = 5000;
    std::atomic<int> left{kJobs};
    const auto begin = Clock::now();
    for (int i = 0; i < kJobs; ++i) lane->submit(std::make_shared<Counted>(chunks, left));
    while (left.load(std::memory_order_acquire) > 0) lane->help();
    each.values.push_back(ns_since(begin) / kJobs);
  }
  each.print(name);
}

}  // namespace

int main(int argc, char** argv) {
  const int workers = argc > 1 ? std::atoi(argv[1]) : 1;
  const int first_core = argc > 2 ? std::atoi(argv[2]) : 1;
  cpu_set_t here;  // the submitting thread on core 0, the workers from first_core on
  CPU_ZERO(&here);
  CPU_SET(0, &here);
  pthread_setaffinity_np(pthread_self(), sizeof here, &here);
  std::printf("%d workers from core %d\n", workers, first_core);
  start_latency(first_core, workers, std::chrono::microseconds(5), "start of a 1-chunk job, workers spinning");
  start_latency(first_core, workers, std::chrono::microseconds(500), "start of a 1-chunk job, workers asleep");
  round_trip(first_core, 0, 1, "1 chunk, submit and help, no workers");
  round_trip(first_core, workers, 1, "1 chunk, submit and help");
  round_trip(first_core, workers, 2, "2 chunks, submit and help");
  throughput(first_core, 0, 1, "jobs of 1 chunk, a job, no workers");
  throughput(first_core, workers, 1, "jobs of 1 chunk, a job");
  throughput(first_core, workers, 2, "jobs of 2 chunks, a job");
  throughput(first_core, workers, 64, "jobs of 64 chunks, a job");
}
