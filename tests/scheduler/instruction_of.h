// An instruction that does one thing, after nothing.
#pragma once

#include <utility>

#include "scheduler/record/plan.h"

namespace pilum::scheduler {

template <class What>
Instruction of(What what) {
  Instruction instruction;
  instruction.what = std::move(what);
  return instruction;
}

}  // namespace pilum::scheduler
