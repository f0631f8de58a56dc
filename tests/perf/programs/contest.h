// A program and its loops by hand in turn: neither is to disturb the other, and both are to compute the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pilum/pilum.h"
#include "tests/perf/programs/programs.h"

namespace pilum::programs {

// What a round takes, milliseconds a step.
struct Round {
  double program, by_hand;
};

// Both take the same steps, so that their fields can be compared in the end.
class Contest {
 public:
  Contest() = default;
  virtual ~Contest() = default;
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  // Plans, kernels and graphs are made; plain or streaming stores are chosen by hand, as is faster. Gives the steps
  // that take so many milliseconds at least.
  virtual int warm_up(double milliseconds) = 0;
  virtual Round run(int steps) = 0;
  virtual const char* stores() const = 0;  // "plain", "streaming"
  // What differs by more than rounding; empty: nothing.
  virtual std::string difference() const = 0;
};

// What the environment says to OpenMP that disturbs who is measured beside it, and what to do; null: nothing. To be
// asked before there is a runtime, which finds a pinned thread otherwise.
const char* unfit_environment();

// With the loops of by_hand/ on as many threads as the runtime has cores; null where this build has no OpenMP. Throws
// std::invalid_argument where nobody has written the program by hand.
std::unique_ptr<Contest> make_contest(Runtime& runtime, const std::string& name, std::int64_t size, Program& program);

}  // namespace pilum::programs
