// What the programs that are measured here have in common.
#pragma once

#include <functional>
#include <vector>

#include "pilum/pilum.h"

namespace pilum::programs {

namespace np = pilum::numeric;
using np::all, np::slice, np::Array;

struct Program {
  std::function<void()> step;
  double bytes = 0;           // a step moves at least
  std::vector<Array> fields;  // what is compared with the loops by hand (by_hand/)
  // Begins anew; null where the program may run for as long as it likes.
  std::function<void()> restart = nullptr;
  bool by_hand = true;  // somebody has written its loops
};

}  // namespace pilum::programs
