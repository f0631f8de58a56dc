// Loops by name, and what a plain recorder makes of them.
#pragma once

#include <functional>
#include <ostream>
#include <vector>

#include "tests/fakes/naive_recorder.h"

namespace pilum::scheduler {

using Cells = std::vector<double>;
using Loop = std::function<Cells()>;

struct LoopCase {
  const char* name;
  Loop loop;
  bool gains = true;  // where the caches do not hold its arrays, some of its plans are wavefronts
};
inline void PrintTo(const LoopCase& one, std::ostream* out) {
  *out << one.name;
}

inline Cells naive_cells_of(const Loop& loop) {
  const fakes::NaiveRecorder naive;
  return loop();
}

}  // namespace pilum::scheduler
