// Ranges for NVIDIA's profilers: nvtx3's (cuda_ranges.cc), or nothing (cuda_ranges_absent.cc).
#pragma once

namespace pilum::device {

void push_profiler_range(const char* name);
void pop_profiler_range();

}  // namespace pilum::device
