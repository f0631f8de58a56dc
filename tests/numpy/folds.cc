// Reductions and what arrays have on average.
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

#define FOLD(name) \
  table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0), a.axes(1), a.flag(2))}; };
#define SPREAD(name)                                                                     \
  table[#name] = [](const Arguments& a) -> Results {                                     \
    return {np::name(a.array(0), a.axes(1), static_cast<int>(a.integer(3)), a.flag(2))}; \
  };
#define OF_TWO(name) table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0), a.array(1))}; };

void add_folds(Table& table) {
  FOLD(sum)
  FOLD(prod) FOLD(min) FOLD(max) FOLD(mean) FOLD(any) FOLD(all) FOLD(count_nonzero) FOLD(ptp) SPREAD(var) SPREAD(std)
      OF_TWO(dot) OF_TWO(vdot)
}

}  // namespace pilum::numpy_suite
