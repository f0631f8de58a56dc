#include "runtime/device/cuda_ranges.h"

#include <nvtx3/nvToolsExt.h>

namespace pilum::device {

void push_profiler_range(const char* name) {
  nvtxRangePushA(name);
}
void pop_profiler_range() {
  nvtxRangePop();
}

}  // namespace pilum::device
