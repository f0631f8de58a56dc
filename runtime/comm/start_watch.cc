#include "runtime/comm/start_watch.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include "runtime/base/supervisor.h"
#include "runtime/comm/communicator.h"
#include "runtime/comm/environment.h"
#include "runtime/comm/siblings.h"

namespace pilum::comm {
namespace {

std::string this_rank() {
  const auto rank = launched_rank();
  const auto size = launched_size();
  return (rank ? std::to_string(*rank) : "?") + (size ? " of " + std::to_string(*size) : "");
}

// MPI waits for good for a rank that has ended without it, and mpirun takes an end without MPI for a good one. A status
// that is none makes mpirun end the others.
[[noreturn]] void give_up(const Siblings& siblings) {
  std::string ended;
  if (siblings.started == launched_size()) {
    for (int rank = 0; rank < siblings.started; ++rank) {
      if (!siblings.alive.contains(rank)) ended += (ended.empty() ? "rank " : ", rank ") + std::to_string(rank);
    }
  } else {
    ended = std::to_string(siblings.started - static_cast<int>(siblings.alive.size())) + " of this node's " +
            std::to_string(siblings.started) + " ranks";
  }
  std::fprintf(
      stderr,
      "pilum: %s ended before making a Runtime, and the other ranks wait for it in MPI; every rank must run the "
      "same program and make its Runtime\n",
      ended.c_str());
  std::fflush(stderr);
  _exit(EXIT_FAILURE);
}

}  // namespace

StartWatch::StartWatch(std::chrono::seconds timeout) {
  if (std::getenv(kSupervisorVariable) || launched_size() == 1) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the threads that the user knows
  try {
    thread_ = std::thread([this, timeout] { watch(timeout); });
  } catch (const std::system_error&) {  // no thread can be had: somebody else will say so
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

StartWatch::~StartWatch() {
  if (!thread_.joinable()) return;
  {
    const ScopedLock lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void StartWatch::watch(std::chrono::seconds timeout) {
  constexpr auto kLook = std::chrono::milliseconds(500);
  const auto start = std::chrono::steady_clock::now();
  int missing = 0;  // looks in a row in which a rank of this node was not there
  const ScopedLock lock(mutex_);
  for (auto next = timeout;;) {
    if (ended_.wait_for(mutex_, kLook, [this]() PILUM_REQUIRES(mutex_) { return over_; })) return;
    const auto waited = std::chrono::steady_clock::now() - start;
    const auto siblings = find_siblings();
    missing = siblings && static_cast<int>(siblings->alive.size()) < siblings->started ? missing + 1 : 0;
    // mpirun starts its processes within milliseconds, and one after the other.
    // One rank speaks and ends the job: another would miss it too.
    if (missing > 1 && waited > std::chrono::seconds(2) && !siblings->alive.empty() &&
        launched_rank() == *siblings->alive.begin()) {
      give_up(*siblings);
    }
    if (waited < next) continue;
    std::fprintf(
        stderr,
        "pilum: rank %s (process %d) has waited %d s in MPI for the other ranks to make their Runtime: is there "
        "one that ended before, that does something else first, or that is another program?\n",
        this_rank().c_str(), static_cast<int>(getpid()), static_cast<int>(next.count()));
    next += next;
  }
}

}  // namespace pilum::comm
