// Waiting for a transfer by making progress; for start, end and tests. The executor has its own loop.
#pragma once

#include <sched.h>

#include "runtime/comm/communicator.h"

namespace pilum::comm {

// How to be idle: spins a little, then gives the core away, because the peer that is waited for may need it.
class IdleSpin {
 public:
  void rest(bool something_moved) {
    if (something_moved) {
      idle_ = 0;
    } else if (++idle_ > kSpins) {
      ::sched_yield();
    }
  }

 private:
  static constexpr int kSpins = 100;
  int idle_ = 0;
};

template <class Predicate>
void wait_until(Communicator& communicator, Predicate done) {
  IdleSpin idle;
  while (!done()) idle.rest(communicator.progress());
}

inline void wait(Communicator& communicator, Request request) {
  wait_until(communicator, [&] { return communicator.test(request); });
}

}  // namespace pilum::comm
